// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_ansnr: outputs, and scores from Sums. Pixel work: float_ansnr_cpu.cpp,
// float_ansnr_record.cpp, float_ansnr_ref.cpp.
#include "float_ansnr.h"

#include "features/format_feature.h"
#include "features/kit/float_scale.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

void float_ansnr_scores(const Format &format, const FloatAnsnrSums &sums, double *out)
{
    const double limit = float_limit(format);
    const float ratio = sums.signal / sums.noise;
    out[0] = sums.noise == 0 ? limit : 10 * libm::log10(static_cast<double>(ratio));
    const double peak = float_peak(format);
    const double noise = sums.noise;
    const double score = 10 * libm::log10(peak * peak * format.width * format.height /
                                          (noise > 1e-10 ? noise : 1e-10));
    out[1] = score < limit ? score : limit;
}

std::vector<OutputInfo> float_ansnr_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {{"float_ansnr", nullptr, true, false}, {"float_anpsnr", nullptr, true, false}};
}

constexpr FormatFunctions<FloatAnsnrSums> kFloatAnsnr = {
    float_ansnr_compute, float_ansnr_scratch,       float_ansnr_reference,
    float_ansnr_scores,  /*needs_chroma=*/false,    nullptr,
    float_ansnr_record,  float_ansnr_device_scratch};

} // namespace

const FeatureInfo kFloatAnsnrFeature = {
    "float_ansnr",       {}, {},
    float_ansnr_outputs, 3,  create_format_feature<FloatAnsnrSums, kFloatAnsnr>,
    {8, 10, 12, 16}};

} // namespace vmafgpu
