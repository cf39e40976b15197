// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check: which option sets of which features, on which sizes,
// depths and contents.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/error.h"
#include "check.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

struct Size {
    int width, height;
};

/// Smallest, odd, around tiles and waves, wider than any block, high enough for three strips.
constexpr Size kSizes[] = {{17, 17},   {33, 47},  {64, 48},  {65, 33},  {95, 34},
                           {127, 31},  {129, 65}, {111, 17}, {113, 31}, {319, 181},
                           {1301, 18}, {112, 24}, {119, 17}, {120, 31}, {121, 33},
                           {241, 40},  {17, 40},  {32, 97},  {257, 33}, {18, 301}};
constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};

/// Option sets computed together, as texts for set_options().
struct CheckedSet {
    const char *feature;
    const char *name;
    std::vector<const char *> options;
    Compat compat;
    Chroma chroma = Chroma::k400;
};

const std::vector<CheckedSet> &variant_sets()
{
    static const std::vector<CheckedSet> sets = {
        {"vif", "default", {""}, Compat::k3_2},
        {"vif", "plain+neg", {"", "vif_enhn_gain_limit=1"}, Compat::k3_2},
        {"vif", "gain1.2", {"vif_enhn_gain_limit=1.2"}, Compat::k3_2},
        {"vif", "skip0", {"vif_skip_scale0=true"}, Compat::k3_2},
        {"adm", "default", {""}, Compat::k3_2},
        {"adm", "plain+neg", {"", "adm_enhn_gain_limit=1"}, Compat::k3_2},
        {"adm", "gain1.2", {"adm_enhn_gain_limit=1.2"}, Compat::k3_2},
        {"adm", "skip0", {"adm_skip_scale0=true"}, Compat::k3_2},
        {"adm", "skipaim", {"adm_skip_aim=true"}, Compat::k3_2},
        // Scale 0's diagonal multiplier is 2^15 here. With others its rounding addend changes
        // nothing.
        {"adm", "even", {"adm_norm_view_dist=3.6774"}, Compat::k3_2},
        {"motion", "default", {""}, Compat::k3_2},
        {"motion", "window5", {"motion_five_frame_window=true"}, Compat::k3_2},
        {"motion", "old", {""}, Compat::k3_1},
        {"float_adm", "plain+neg", {"", "adm_enhn_gain_limit=1"}, Compat::k3_2},
        {"float_adm", "gain1.2", {"adm_enhn_gain_limit=1.2:adm_bypass_cm=1"}, Compat::k3_2},
        {"float_adm", "amd", {"float_adm_rcp=amd"}, Compat::k3_2},
        {"float_adm", "intel", {"float_adm_rcp=intel:adm_csf_mode=2"}, Compat::k3_2},
        {"float_adm", "skip0", {"adm_skip_scale0=true"}, Compat::k3_2},
        {"float_motion", "default", {""}, Compat::k3_2},
        {"float_motion", "blur3", {"motion_filter_size=3"}, Compat::k3_2},
        {"float_motion", "blur1", {"motion_filter_size=1"}, Compat::k3_2},
        {"float_motion", "uv420", {"motion_add_uv=true"}, Compat::k3_2, Chroma::k420},
        {"float_motion", "uv422", {"motion_add_uv=true"}, Compat::k3_2, Chroma::k422},
        {"float_vif", "default", {""}, Compat::k3_2},
        {"float_vif", "neg", {"vif_enhn_gain_limit=1:vif_sigma_nsq=0.7"}, Compat::k3_2},
        {"float_vif", "noiseless", {"vif_sigma_nsq=0:vif_skip_scale0=true"}, Compat::k3_2},
        {"float_vif", "long", {"vif_kernelscale=1.66667:vif_prescale=2"}, Compat::k3_2},
        {"float_vif", "bicubic", {"vif_prescale=2:vif_prescale_method=bicubic"}, Compat::k3_2},
    };
    return sets;
}

std::vector<FeatureGroup> create(const CheckedSet &set, const Format &format)
{
    const FeatureInfo *info = find_feature(set.feature);
    std::vector<FeatureOptions> values;
    for (const char *text : set.options) {
        values.push_back(info->defaults);
        set_options(*info, values.back(), text);
    }
    return info->create(format, set.compat, values);
}

std::string case_name(const CheckedSet &set, const Format &format, Content content)
{
    return case_name(std::string(set.feature) + "/" + set.name, format, content_name(content),
                     false);
}

Outcome run_case(const CheckedSet &set, const Format &format, Content content, const Target &target,
                 uint64_t seed)
{
    // Large pictures are for what only size brings out (grids, row sums, offsets):
    // two frames, since the reference code is slow.
    const TestClip clip(format, content, format.width > 1000 && format.height > 100 ? 2 : 4, seed);
    return compare_groups(create(set, format), clip, target);
}

bool names_content(const std::string &filter)
{
    return std::any_of(std::begin(kAllContents), std::end(kAllContents), [&](Content content) {
        return filter.find(content_name(content)) != std::string::npos;
    });
}

void check_set(const CheckedSet &set, const Target &target, Report &report)
{
    const std::vector<int> &depths = find_feature(set.feature)->depths;
    const auto run = [&](Size size, int depth, Content content) {
        if (!depths.empty() && std::find(depths.begin(), depths.end(), depth) == depths.end())
            return; // refused when a context is opened
        const Format format = {size.width, size.height, depth, set.chroma};
        report.run(target, case_name(set, format, content),
                   [&] { return run_case(set, format, content, target, report.settings().seed); });
    };
    // Emulated targets take one content per size and depth, in turn, so that every
    // depth meets every content; a filter that names one runs just that. So do features in
    // floating point, whose reference code is slow.
    const bool is_float = std::strncmp(set.feature, "float_", 6) == 0;
    const bool takes_turns =
        (target.is_slow || is_float) && !names_content(report.settings().filter);
    for (size_t s = 0; s < std::size(kSizes); ++s) {
        for (size_t d = 0; d < std::size(kDepths); ++d) {
            for (size_t c = 0; c < std::size(kAllContents); ++c)
                if (!takes_turns || c == (s + d) % std::size(kAllContents))
                    run(kSizes[s], kDepths[d], kAllContents[c]);
        }
    }
    if (std::strcmp(set.name, "default") == 0)
        run({7681, 17}, 8, Content::kNoise); // wider than any other, in rows that others lack
    if (target.is_slow)
        return;
    run({1921, 1079}, 10, Content::kNoise);
    for (const int depth : {8, 10, 16})
        run({577, 325}, depth, Content::kNoise);
    if (std::strcmp(set.name, "plain+neg") != 0 && std::strcmp(set.feature, "motion") != 0)
        return;
    run({1920, 1080}, 8, Content::kTexture);
    run({1920, 1080}, 10, Content::kNoise);
    run({3840, 2160}, 8, Content::kExtreme);
}

} // namespace

std::vector<FeatureGroup> create_groups(const std::string &feature, const std::string &options,
                                        const Format &format)
{
    const FeatureInfo &info = *find_feature(feature);
    FeatureOptions values = info.defaults;
    set_options(info, values, options);
    if (info.adapt != nullptr)
        info.adapt(format, values);
    return info.create(format, Compat::k3_2, {values});
}

std::string case_name(const std::string &begin, const Format &format, const std::string &content,
                      bool has_layout)
{
    const char *const layouts[] = {"400/", "420/", "422/", "444/"};
    return begin + "/" + std::to_string(format.width) + "x" + std::to_string(format.height) + "/" +
           (has_layout ? layouts[static_cast<int>(format.chroma)] : "") +
           std::to_string(format.depth) + "bit/" + content;
}

void check_feature(const Target &target, Report &report, const std::string &name,
                   const std::string &feature, const std::string &options, const Format &format,
                   Content content, int frames)
{
    report.run(target, name, [&] {
        const TestClip clip(format, content, frames, report.settings().seed);
        return compare_groups(create_groups(feature, options, format), clip, target);
    });
}

void check_features(const Target &target, Report &report)
{
    for (const CheckedSet &set : variant_sets())
        check_set(set, target, report);
}

void bench_features(const Target &target, Report &report)
{
    for (const CheckedSet &set : variant_sets()) {
        for (const Size size :
             {Size{576, 324}, Size{1280, 720}, Size{1920, 1080}, Size{3840, 2160}}) {
            for (const int depth : {8, 10}) {
                const Format format = {size.width, size.height, depth, set.chroma};
                bench_groups(target, report, case_name(set, format, Content::kTexture),
                             create(set, format), format);
            }
        }
    }
}

} // namespace vmafgpu
