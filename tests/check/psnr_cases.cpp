// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for psnr: all chroma layouts and depths, sizes around vectors and items.
#include <iterator>

#include "check.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

/// Smallest, odd, one sample beside a vector of every length, wider than a thread's items.
constexpr int kSizes[][2] = {{17, 17},  {33, 47},   {64, 48},  {65, 33},  {95, 34},
                             {127, 31}, {129, 65},  {255, 18}, {257, 19}, {319, 181},
                             {113, 31}, {1301, 18}, {20, 130}};
constexpr int kDepths[] = {8, 10, 12, 16};
constexpr Chroma kLayouts[] = {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k400};

std::vector<FeatureGroup> create(const Format &format)
{
    const FeatureInfo &info = *find_feature("psnr");
    return info.create(format, Compat::k3_2, {info.defaults});
}

std::string case_name(const Format &format, Content content)
{
    const char *const layouts[] = {"400", "420", "422", "444"};
    return "psnr/default/" + std::to_string(format.width) + "x" + std::to_string(format.height) +
           "/" + layouts[static_cast<int>(format.chroma)] + "/" + std::to_string(format.depth) +
           "bit/" + content_name(content);
}

Outcome run_psnr_case(const Format &format, Content content, const Target &target, uint64_t seed)
{
    const TestClip clip(format, content, 4, seed);
    return compare_groups(create(format), clip, target);
}

} // namespace

void check_psnr(const Target &target, Report &report)
{
    const auto run = [&](const Format &format, Content content) {
        report.run(target, case_name(format, content),
                   [&] { return run_psnr_case(format, content, target, report.settings().seed); });
    };
    for (size_t s = 0; s < std::size(kSizes); ++s)
        for (size_t d = 0; d < std::size(kDepths); ++d)
            for (size_t c = 0; c < std::size(kAllContents); ++c)
                if (!target.is_slow || c == (s + d) % std::size(kAllContents))
                    run({kSizes[s][0], kSizes[s][1], kDepths[d],
                         kLayouts[(s + d + c) % std::size(kLayouts)]},
                        kAllContents[c]);
    if (target.is_slow)
        return;
    // The longest sums: every sample of a long row is as far off as it can be.
    for (const int depth : kDepths) {
        run({1920, 1080, depth, Chroma::k420}, Content::kTexture);
        run({65535, 20, depth, Chroma::k420}, Content::kExtreme);
    }
}

void bench_psnr(const Target &target, Report &report)
{
    for (const int depth : {8, 10, 16}) {
        const Format format = {1920, 1080, depth, Chroma::k420};
        const std::string name = case_name(format, Content::kTexture);
        report.run(target, name, [&]() -> Outcome {
            const TestClip clip(format, Content::kTexture, target.device ? kTimedBatch : 4,
                                report.settings().seed);
            bench_groups(create(format), clip, target, name);
            return {};
        });
    }
}

} // namespace vmafgpu
