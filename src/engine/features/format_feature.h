// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Feature without options, whose parts are functions of the format: what psnr_hvs, ciede,
// float_ansnr, float_psnr and float_moment have in common.
#pragma once

#include <memory>
#include <vector>

#include "features/feature.h"

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

template <typename Sums> class FormatFeature final : public Feature, public FeatureDevice {
public:
    FormatFeature(const Format &format, const FormatFunctions<Sums> &functions)
        : format_(format), functions_(functions)
    {
        if (functions.check != nullptr)
            functions.check(format);
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(Sums);
        plan.cpu_scratch = functions_.cpu_scratch(format_);
        if (functions_.device_scratch != nullptr)
            plan.scratch = functions_.device_scratch(format_);
        return plan;
    }
    FeatureTraits traits() const override { return {functions_.needs_chroma}; }
    const FeatureDevice *device() const override
    {
        return functions_.record != nullptr ? this : nullptr;
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        functions_.compute(format_, pair, *static_cast<Sums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        functions_.reference(format_, pair, *static_cast<Sums *>(sums));
    }
    void record(Queue &queue, const BatchView &batch) const override
    {
        functions_.record(format_, queue, batch);
    }
    bool is_complete(const void *sums) const override
    {
        return functions_.is_complete == nullptr ||
               functions_.is_complete(*static_cast<const Sums *>(sums));
    }
    void scores(const SumsWindow &window, double *const *out) const override
    {
        functions_.scores(format_, *static_cast<const Sums *>(window.at(0)), out[0]);
    }

private:
    Format format_;
    const FormatFunctions<Sums> &functions_;
};

/// FeatureInfo::create. Without options all variants are the same.
template <typename Sums, const FormatFunctions<Sums> &kFunctions>
std::vector<FeatureGroup> create_format_feature(const Format &format, Compat /*compat*/,
                                                const std::vector<FeatureOptions> &variants)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back(
            {std::make_unique<FormatFeature<Sums>>(format, kFunctions), {static_cast<int>(i)}});
    return groups;
}

} // namespace vmafgpu
