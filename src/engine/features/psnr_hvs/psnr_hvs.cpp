// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of psnr_hvs: outputs, refusals, weights, and scores from Sums. Pixel work:
// psnr_hvs_cpu.cpp, psnr_hvs_ref.cpp.
#include "psnr_hvs.h"

#include "features/format_feature.h"
#include "features/kit/floor_size.h"
#include "libm/libm.h"
#include "psnr_hvs_tables.h"

namespace vmafgpu {

PsnrHvsWeights psnr_hvs_weights(int plane)
{
    PsnrHvsWeights weights = {};
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            const float sensitivity = kPsnrHvsSensitivity[plane][psnr_hvs_place(i, j)];
            const double scaled = static_cast<double>(sensitivity) * kPsnrHvsMaskScale;
            weights.sensitivity[8 * i + j] = sensitivity;
            weights.mask[8 * i + j] = static_cast<float>(scaled * scaled);
        }
    }
    return weights;
}

namespace {

double decibels(double error)
{
    return 10 * -libm::log10(error);
}

void psnr_hvs_scores(const Format &format, const PsnrHvsSums &sums, double *out)
{
    const int peak = (1 << format.depth) - 1;
    float errors[3];
    for (int plane = 0; plane < 3; ++plane) {
        const int64_t blocks = static_cast<int64_t>(psnr_hvs_blocks(floor_width(format, plane))) *
                               psnr_hvs_blocks(floor_height(format, plane));
        const float mean = sums.error[plane] / static_cast<float>(kPsnrHvsTerms * blocks);
        errors[plane] = mean / static_cast<float>(peak * peak);
        out[plane] = decibels(errors[plane]);
    }
    const double chroma = static_cast<double>(errors[1]) + static_cast<double>(errors[2]);
    out[3] = decibels(static_cast<double>(errors[0]) * 0.8 + 0.1 * chroma);
}

std::vector<OutputInfo> psnr_hvs_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {{"psnr_hvs_y", nullptr, true, false},
            {"psnr_hvs_cb", nullptr, true, false},
            {"psnr_hvs_cr", nullptr, true, false},
            {"psnr_hvs", nullptr, true, false}};
}

constexpr FormatFunctions<PsnrHvsSums> kPsnrHvs = {
    psnr_hvs_compute, psnr_hvs_scratch, psnr_hvs_reference, psnr_hvs_scores, /*needs_chroma=*/true};

} // namespace

const FeatureInfo kPsnrHvsFeature = {
    "psnr_hvs",         {},  {}, psnr_hvs_outputs, 1, create_format_feature<PsnrHvsSums, kPsnrHvs>,
    {8, 9, 10, 11, 12}, true};

} // namespace vmafgpu
