// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of psnr_hvs: outputs, refusals, weights, and scores from Sums. Pixel work:
// psnr_hvs_cpu.cpp, psnr_hvs_ref.cpp.
#include "features/psnr_hvs/psnr_hvs.h"

#include <memory>

#include "features/kit/feature_of.h"
#include "features/kit/floor_size.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "features/psnr_hvs/psnr_hvs_tables.h"
#include "libm/libm.h"

namespace vmafgpu::psnr_hvs {

Weights weights_of(int plane)
{
    Weights weights = {};
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            const float sensitivity = kSensitivity[plane][place(i, j)];
            const double scaled = static_cast<double>(sensitivity) * kMaskScale;
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

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("psnr_hvs_y").is_default(), Output("psnr_hvs_cb").is_default(),
            Output("psnr_hvs_cr").is_default(), Output("psnr_hvs").is_default()};
}

class PsnrHvs final : public FeatureOf<Format, Sums, Forms> {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = true;
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Format &format = config_;
        const int peak = (1 << format.depth) - 1;
        float errors[3];
        for (int plane = 0; plane < 3; ++plane) {
            const int64_t blocks = static_cast<int64_t>(blocks_along(floor_width(format, plane))) *
                                   blocks_along(floor_height(format, plane));
            const float mean = sums_of(window).error[plane] / static_cast<float>(kTerms * blocks);
            errors[plane] = mean / static_cast<float>(peak * peak);
            out[0][plane] = decibels(errors[plane]);
        }
        const double chroma = static_cast<double>(errors[1]) + static_cast<double>(errors[2]);
        out[0][3] = decibels(static_cast<double>(errors[0]) * 0.8 + 0.1 * chroma);
    }
};

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_plain(variants, [&] { return std::make_unique<PsnrHvs>(format); });
}

} // namespace

const FeatureInfo kFeature =
    Info("psnr_hvs").outputs(outputs).depths({8, 9, 10, 11, 12}).refuses_400().create(create);

} // namespace vmafgpu::psnr_hvs
