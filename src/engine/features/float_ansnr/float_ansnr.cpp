// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_ansnr: outputs, and scores from Sums. Pixel work: float_ansnr_cpu.cpp,
// float_ansnr_record.cpp, float_ansnr_ref.cpp.
#include "features/float_ansnr/float_ansnr.h"

#include <memory>

#include "base/numeric.h"
#include "features/kit/feature_of.h"
#include "features/kit/float_scale.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::float_ansnr {

namespace {

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("float_ansnr").is_default(), Output("float_anpsnr").is_default()};
}

class FloatAnsnr final : public FeatureOf<Format, Sums, Forms> {
public:
    using FeatureOf::FeatureOf;

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Format &format = config_;
        const Sums &sums = sums_of(window);
        const double limit = float_limit(format);
        const float ratio = sums.signal / sums.noise;
        out[0][0] = sums.noise == 0 ? limit : 10 * libm::log10(static_cast<double>(ratio));
        const double peak = float_peak(format);
        const double noise = sums.noise;
        const double score = 10 * libm::log10(peak * peak * format.width * format.height /
                                              (noise > 1e-10 ? noise : 1e-10));
        out[0][1] = smaller(score, limit);
    }
};

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_plain(variants, [&] { return std::make_unique<FloatAnsnr>(format); });
}

} // namespace

const FeatureInfo kFeature =
    Info("float_ansnr").outputs(outputs).min_size(3).depths({8, 10, 12, 16}).create(create);

} // namespace vmafgpu::float_ansnr
