// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for psnr: all chroma layouts and depths, sizes around vectors and items.
#include <iterator>

#include "check.h"

namespace vmafgpu {
namespace {

/// Smallest, odd, one sample beside a vector of every length, wider than a thread's items.
constexpr int kSizes[][2] = {{17, 17},  {33, 47},   {64, 48},  {65, 33},  {95, 34},
                             {127, 31}, {129, 65},  {255, 18}, {257, 19}, {319, 181},
                             {113, 31}, {1301, 18}, {20, 130}};
constexpr int kDepths[] = {8, 10, 12, 16};
constexpr Chroma kLayouts[] = {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k400};

} // namespace

void check_psnr(const Target &target, Report &report)
{
    const auto run = [&](const Format &format, Content content) {
        check_feature(target, report, case_name("psnr/default", format, content_name(content)),
                      "psnr", "", format, content, 4);
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
        const std::string name = case_name("psnr/default", format, content_name(Content::kTexture));
        bench_groups(target, report, name, create_groups("psnr", "", format), format);
    }
}

} // namespace vmafgpu
