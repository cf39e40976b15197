// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_psnr and float_moment: outputs, refusals, and scores from Sums. Pixel work:
// float_sums_cpu.cpp, float_sums_record.cpp, float_sums_ref.cpp.
#include "features/float_sums/float_sums.h"

#include <memory>

#include "base/numeric.h"
#include "features/kit/feature_of.h"
#include "features/kit/float_scale.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::float_sums {

namespace {

double pixels_of(const Format &format)
{
    return static_cast<double>(static_cast<int64_t>(format.width) * format.height);
}

/// A native sample in levels of 8 bits; its square scales squares.
double level_of(const Format &format)
{
    return 1.0 / (1 << (format.depth - 8));
}

class FloatPsnr final : public FeatureOf<Format, PsnrSums, PsnrForms> {
public:
    using FeatureOf::FeatureOf;

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Format &format = config_;
        const double level = level_of(format);
        const double noise = sums_of(window).noise.value() * (level * level) / pixels_of(format);
        const double peak = float_peak(format);
        const double score = 10 * libm::log10(peak * peak / (noise > 1e-10 ? noise : 1e-10));
        out[0][0] = smaller(score, float_limit(format));
    }
};

class FloatMoment final : public FeatureOf<Format, MomentSums, MomentForms> {
public:
    using FeatureOf::FeatureOf;

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const MomentSums &sums = sums_of(window);
        const double level = level_of(config_);
        const double pixels = pixels_of(config_);
        for (int picture = 0; picture < 2; ++picture) {
            out[0][picture] = static_cast<double>(sums.first[picture]) * level / pixels;
            out[0][2 + picture] = sums.second[picture].value() * (level * level) / pixels;
        }
    }
};

std::vector<OutputInfo> psnr_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("float_psnr").is_default()};
}

std::vector<OutputInfo> moment_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("float_moment_ref1st").is_default(), Output("float_moment_dis1st").is_default(),
            Output("float_moment_ref2nd").is_default(), Output("float_moment_dis2nd").is_default()};
}

template <typename Class> std::vector<FeatureGroup>
create(const Format &format, Compat /*compat*/, const std::vector<FeatureOptions> &variants)
{
    return make_plain(variants, [&] { return std::make_unique<Class>(format); });
}

} // namespace

bool PsnrForms::is_complete(const Format & /*format*/, const PsnrSums &sums)
{
    return sums.noise.is_complete();
}

bool MomentForms::is_complete(const Format & /*format*/, const MomentSums &sums)
{
    return sums.second[0].is_complete() && sums.second[1].is_complete();
}

const FeatureInfo kPsnrFeature =
    Info("float_psnr").outputs(psnr_outputs).depths({8, 10, 12, 16}).create(create<FloatPsnr>);
const FeatureInfo kMomentFeature = Info("float_moment")
                                       .outputs(moment_outputs)
                                       .depths({8, 10, 12, 16})
                                       .create(create<FloatMoment>);

} // namespace vmafgpu::float_sums
