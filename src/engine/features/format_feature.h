// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature without options, whose parts are functions of the format: what psnr_hvs, ciede,
// float_ansnr, float_psnr and float_moment have in common.
#pragma once

#include <memory>
#include <vector>

#include "features/kit/feature_of.h"

namespace vmafgpu {

/// What such a feature is made of. Sums: those of a pair.
template <typename Sums> struct FormatFunctions {
    void (*compute)(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool);
    size_t (*cpu_scratch)(const Format &format);
    void (*reference)(const Format &format, const PairView &pair, Sums &sums);
    void (*scores)(const Format &format, const Sums &sums, double *out);
    bool needs_chroma = false;
    void (*check)(const Format &format) = nullptr; ///< throws Error for what is refused
    /// Device code; nullptr: none.
    void (*record)(const Format &format, Queue &queue, const BatchView &batch) = nullptr;
    size_t (*device_scratch)(const Format &format) = nullptr;
    bool (*is_complete)(const Sums &sums) = nullptr;
};

template <typename Sums, const FormatFunctions<Sums> &kFunctions> struct FormatForms {
    static constexpr auto cpu_scratch = kFunctions.cpu_scratch;
    static constexpr auto compute = kFunctions.compute;
    static constexpr auto reference = kFunctions.reference;
};

template <typename Sums, const FormatFunctions<Sums> &kFunctions> class FormatFeature final
    : public FeatureOf<Format, Sums, FormatForms<Sums, kFunctions>> {
public:
    explicit FormatFeature(const Format &format) : FormatFeature::FeatureOf(format)
    {
        if (kFunctions.check != nullptr)
            kFunctions.check(format);
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan = FormatFeature::FeatureOf::plan();
        if (kFunctions.device_scratch != nullptr)
            plan.scratch = kFunctions.device_scratch(this->config_);
        return plan;
    }
    FeatureTraits traits() const override { return {kFunctions.needs_chroma}; }
    const FeatureDevice *device() const override
    {
        return kFunctions.record != nullptr ? this : nullptr;
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        kFunctions.record(this->config_, queue, batch);
    }
    bool is_complete(const void *sums) const override
    {
        return kFunctions.is_complete == nullptr ||
               kFunctions.is_complete(*static_cast<const Sums *>(sums));
    }
    void scores(const SumsWindow &window, double *const *out) const override
    {
        kFunctions.scores(this->config_, *static_cast<const Sums *>(window.at(0)), out[0]);
    }
};

/// FeatureInfo::create. Without options all variants are the same.
template <typename Sums, const FormatFunctions<Sums> &kFunctions>
std::vector<FeatureGroup> create_format_feature(const Format &format, Compat /*compat*/,
                                                const std::vector<FeatureOptions> &variants)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back(
            {std::make_unique<FormatFeature<Sums, kFunctions>>(format), {static_cast<int>(i)}});
    return groups;
}

} // namespace vmafgpu
