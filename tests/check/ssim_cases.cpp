// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for float_ssim and float_ms_ssim: one scale, several factors, five scales; on
// sizes around windows, tiles and groups of rows. Other features' cases are in cases.cpp.
#include <iterator>

#include "check.h"

namespace vmafgpu {
namespace {

struct SsimCase {
    const char *name; ///< name for --list-groups and filters
    const char *feature;
    const char *options;
    int width, height;
    bool is_slow; ///< too slow for emulated devices
};

/// Smaller than the window, one pixel, one tile and a column more, odd sizes, a group and a row
/// more, more rows than a tile has, several tiles of each scale of the pyramid.
constexpr SsimCase kCases[] = {
    {"full", "float_ssim", "scale=1", 11, 11, false},
    {"full", "float_ssim", "scale=1", 75, 27, false},
    {"full", "float_ssim", "scale=1", 74, 26, false},
    {"full", "float_ssim", "scale=1", 139, 65, false},
    {"full", "float_ssim", "scale=1", 17, 160, false},
    {"full", "float_ssim", "scale=1", 301, 39, false},
    {"small", "float_ssim", "", 10, 40, false},
    {"small", "float_ssim", "", 9, 20, false},
    {"small", "float_ssim", "scale=10", 37, 53, false},
    {"box2", "float_ssim", "scale=2", 153, 61, false},
    {"box3", "float_ssim", "scale=3", 160, 121, false},
    {"box7", "float_ssim", "scale=7", 161, 127, false},
    {"auto", "float_ssim", "", 384, 385, false},
    {"auto", "float_ssim", "", 641, 640, true},
    {"auto", "float_ssim", "", 1920, 1080, true},
    {"auto", "float_ssim", "", 3840, 2160, true},
    {"pyramid", "float_ms_ssim", "", 176, 176, false},
    {"pyramid", "float_ms_ssim", "", 199, 181, false},
    {"pyramid", "float_ms_ssim", "", 577, 325, true},
    {"pyramid", "float_ms_ssim", "", 1920, 1080, true},
};

Format format_of(const SsimCase &one, int depth)
{
    return {one.width, one.height, depth, Chroma::k400};
}

std::string name_of(const SsimCase &one, int depth, Content content)
{
    return case_name(std::string("ssim/") + one.name, format_of(one, depth), content_name(content),
                     false);
}

Outcome run_ssim_case(const SsimCase &one, int depth, Content content, const Target &target,
                      uint64_t seed)
{
    const Format format = format_of(one, depth);
    const bool is_large = one.width * one.height > 100000;
    // The frames make at least a batch of one and a batch of two pairs.
    const TestClip clip(format, content, is_large ? 2 : 3, seed);
    const auto groups = create_groups(one.feature, one.options, format);
    const Feature &feature = *groups.at(0).feature;
    int left_open = 0;
    const AllSums got = target_sums(feature, clip, target, &left_open);
    // It happens to one natural pair in thousands, and to none of these. Samples of 0 and of the
    // peak give few different terms, so that a mean is more often close to half-way.
    if (left_open > (content == Content::kExtreme ? 1 : 0))
        return {false, std::to_string(left_open) + " pairs were left to the host"};
    return compare_sums(reference_sums(feature, clip), got);
}

} // namespace

void check_ssim(const Target &target, Report &report)
{
    constexpr int kSsimDepths[] = {8, 10, 12, 16};
    for (size_t i = 0; i < std::size(kCases); ++i) {
        const SsimCase &one = kCases[i];
        for (size_t d = 0; d < std::size(kSsimDepths); ++d) {
            for (size_t c = 0; c < std::size(kAllContents); ++c) {
                // Emulated, and of large pictures, each depth meets one of the contents in turn,
                // unless a filter names one.
                const std::string &filter = report.settings().filter;
                const bool is_named =
                    filter.find(content_name(kAllContents[c])) != std::string::npos;
                const bool takes_turns = (target.is_slow || one.is_slow) && !is_named;
                if ((target.is_slow && one.is_slow) ||
                    (takes_turns && c != (i + d) % std::size(kAllContents)))
                    continue;
                const int depth = kSsimDepths[d];
                const Content content = kAllContents[c];
                report.run(target, name_of(one, depth, content), [&] {
                    return run_ssim_case(one, depth, content, target, report.settings().seed);
                });
            }
        }
    }
}

void bench_ssim(const Target &target, Report &report)
{
    for (const SsimCase &one : kCases) {
        if (one.width < 1920)
            continue;
        for (const int depth : {8, 10}) {
            const Format format = format_of(one, depth);
            bench_groups(target, report, name_of(one, depth, Content::kTexture),
                         create_groups(one.feature, one.options, format), format);
        }
    }
}

} // namespace vmafgpu
