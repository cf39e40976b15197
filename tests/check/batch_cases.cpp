// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for the largest batch: arguments of kernels have room for kMaxBatch pairs.
// Other cases have a few pairs.
#include <algorithm>
#include <string>

#include "check.h"
#include "device/kernel.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

/// The first word of the names of a feature's cases.
std::string group_of(const std::string &feature)
{
    return feature == "float_ssim" || feature == "float_ms_ssim" ? "ssim" : feature;
}

/// A small format that the feature takes; two of them look at the size once they are made.
Format format_of(const FeatureInfo &info)
{
    const std::string name = info.name;
    const int size = name == "cambi"          ? 216
                     : name == "speed_chroma" ? 160
                                              : std::max(info.min_size, 24);
    return {name == "cambi" ? 33 : size + 9, size, 8, Chroma::k420};
}

Outcome run_largest_batch(const FeatureInfo &info, const Format &format, const Target &target,
                          uint64_t seed)
{
    const TestClip clip(format, Content::kTexture, kMaxBatch, seed);
    for (const FeatureGroup &group : info.create(format, Compat::k3_2, {info.defaults})) {
        int left_open = 0;
        const AllSums got = target_sums(*group.feature, clip, target, &left_open, kMaxBatch);
        // The host completes few pairs of large pictures, and would hide what a device does to all.
        if (left_open > 0)
            return {false, std::to_string(left_open) + " pairs were left to the host"};
        Outcome outcome = compare_sums(reference_sums(*group.feature, clip), got);
        if (!outcome.is_equal)
            return outcome;
    }
    return {};
}

} // namespace

void check_largest_batches(const Target &target, Report &report)
{
    for (const FeatureInfo *info : feature_registry()) {
        const Format format = format_of(*info);
        const std::string begin = group_of(info->name) + "/batch-" + info->name;
        report.run(target, case_name(begin, format, content_name(Content::kTexture), false), [&] {
            return run_largest_batch(*info, format, target, report.settings().seed);
        });
    }
}

} // namespace vmafgpu
