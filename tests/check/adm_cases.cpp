// SPDX-License-Identifier: BSD-2-Clause-Patent
// Directed cases of check for adm: stripes of full contrast under contrast sensitivities
// near their limit and beyond. There 32-bit squares wrap, so that sums of whole rows are negative.
// The ordinary cases of adm are in cases.cpp.
#include <string>

#include "check.h"

namespace vmafgpu {
namespace {

enum class Pattern { kColumns, kRows, kDiagonals, kBlocks };

const char *pattern_name(Pattern pattern)
{
    static const char *const names[] = {"columns", "rows", "diagonals", "blocks"};
    return names[static_cast<int>(pattern)];
}

struct Weights {
    const char *name;
    const char *options;
};

/// Multipliers exceed their integers from 0.02581 and 0.00645 on, at the default viewing
/// conditions.
constexpr Weights kWeights[] = {
    {"top", "adm_csf_mode=1:adm_csf_scale=0.0258:adm_csf_diag_scale=0.0064"},
    {"even", "adm_csf_mode=1:adm_csf_scale=0.02:adm_csf_diag_scale=0.005"},
    {"wide", "adm_csf_mode=1:adm_csf_scale=0.0258:adm_csf_diag_scale=0.0064:adm_noise_weight=0:"
             "adm_enhn_gain_limit=1.2"},
    {"beyond", "adm_csf_mode=1"},
    {"far", "adm_csf_mode=1:adm_csf_scale=50:adm_csf_diag_scale=0.4"},
};

struct Stripes {
    Pattern pattern;
    int pixels; ///< width of a stripe
};

constexpr Stripes kStripes[] = {{Pattern::kColumns, 1},
                                {Pattern::kRows, 1},
                                {Pattern::kDiagonals, 2},
                                {Pattern::kBlocks, 4},
                                {Pattern::kColumns, 8}};
constexpr int kSizes[][2] = {{130, 130}, {129, 65}, {66, 131}, {257, 48}};
constexpr int kDepths[] = {8, 16};

bool is_light(const Stripes &stripes, int x, int y)
{
    const int n = stripes.pixels;
    switch (stripes.pattern) {
    case Pattern::kColumns:
        return x / n % 2 != 0;
    case Pattern::kRows:
        return y / n % 2 != 0;
    case Pattern::kDiagonals:
        return (x + y) / n % 2 != 0;
    default:
        return (x / n + y / n) % 2 != 0;
    }
}

/// The second frame is distorted: its right half lies a stripe further on.
TestClip clip_of(const Stripes &stripes, const Format &format, uint64_t seed)
{
    constexpr int kFrames = 2;
    TestClip clip(format, Content::kFlat, kFrames, seed);
    const unsigned light = (1U << format.depth) - 1;
    for (int frame = 0; frame < kFrames; ++frame) {
        TestPair &pair = clip.editable_pair(frame);
        for (int y = 0; y < format.height; ++y) {
            for (int x = 0; x < format.width; ++x) {
                const int shift = frame == 1 && x >= format.width / 2 ? stripes.pixels : 0;
                pair.reference[0].set(x, y, is_light(stripes, x, y) ? light : 0);
                pair.distorted[0].set(x, y, is_light(stripes, x + shift, y + shift) ? light : 0);
            }
        }
    }
    return clip;
}

Outcome run_case(const Weights &weights, const Stripes &stripes, const Format &format,
                 const Target &target, uint64_t seed)
{
    const TestClip clip = clip_of(stripes, format, seed);
    return compare_groups(create_groups("adm", weights.options, format), clip, target);
}

} // namespace

void check_adm_signs(const Target &target, Report &report)
{
    for (const Weights &weights : kWeights) {
        for (const Stripes &stripes : kStripes) {
            for (const auto &size : kSizes) {
                for (const int depth : kDepths) {
                    const Format format = {size[0], size[1], depth, Chroma::k400};
                    const std::string name = case_name(
                        std::string("adm/signs-") + weights.name, format,
                        pattern_name(stripes.pattern) + std::to_string(stripes.pixels), false);
                    report.run(target, name, [&] {
                        return run_case(weights, stripes, format, target, report.settings().seed);
                    });
                }
            }
        }
    }
}

} // namespace vmafgpu
