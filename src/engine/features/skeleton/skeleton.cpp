// SPDX-License-Identifier: BSD-2-Clause-Patent
// Outputs of skeleton, and its score from Sums: one code for all forms. psnr.cpp shows options and
// values of a run, motion.cpp a score that depends on several pairs.
#include "features/skeleton/skeleton.h"

#include <memory>

#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"

namespace vmafgpu::skeleton {

namespace {

class Scorer final : public FeatureOf<Config, Sums, Forms> {
public:
    using FeatureOf::FeatureOf;

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const double samples = static_cast<double>(config_.width) * config_.height;
        const double level = 1 << (config_.depth - 8); // a step of 8 bits
        out[0][0] = static_cast<double>(sums_of(window).difference) / samples / level;
    }
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("skeleton").is_default()};
}

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_plain(variants, [&] { return std::make_unique<Scorer>(format); });
}

} // namespace

const FeatureInfo kFeature =
    Info("skeleton").outputs(outputs).depths({8, 10, 12, 16}).create(create);

} // namespace vmafgpu::skeleton
