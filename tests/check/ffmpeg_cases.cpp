// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for FFmpeg's metrics: ffmpeg_psnr, ffmpeg_ssim, xpsnr. Option sets of xpsnr
// are frame rates.
#include <iterator>

#include "check.h"

namespace vmafgpu {
namespace {

/// Name of an option set, and its text; the depth of a large picture that is emulated, or 0.
struct FfmpegFeature {
    const char *name, *options_name, *options;
    int emulated;
};
constexpr FfmpegFeature kFeatures[] = {{"ffmpeg_psnr", "default", "", 0},
                                       {"ffmpeg_ssim", "default", "", 0},
                                       {"xpsnr", "slow", "fps=25", 8},
                                       {"xpsnr", "fast", "fps=60", 16}};

/// Smallest, odd, around vectors, strips and blocks of 4 to 28 samples.
constexpr int kSizes[][2] = {{17, 17},  {33, 47},  {64, 50},   {65, 66},   {95, 34},  {127, 32},
                             {129, 65}, {260, 18}, {1301, 18}, {319, 182}, {641, 483}};
/// Cells of 2x2 samples; a last block that is narrow.
constexpr int kLargeSizes[][2] = {{2052, 1156}, {3840, 628}};
constexpr int kDepths[] = {8, 10, 12, 16};
constexpr Chroma kLayouts[] = {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k400};

std::string name_of(const FfmpegFeature &one, const Format &format, Content content)
{
    return case_name(std::string(one.name) + "/" + one.options_name, format, content_name(content));
}

} // namespace

void check_ffmpeg_features(const Target &target, Report &report)
{
    const auto run = [&](const FfmpegFeature &one, const Format &format, Content content) {
        check_feature(target, report, name_of(one, format, content), one.name, one.options, format,
                      content, 4);
    };
    for (const FfmpegFeature &one : kFeatures) {
        for (size_t s = 0; s < std::size(kSizes); ++s)
            for (size_t d = 0; d < std::size(kDepths); ++d)
                for (size_t c = 0; c < std::size(kAllContents); ++c)
                    // Emulated, each size and depth meets one content.
                    if (!target.is_slow || c == (s + d) % std::size(kAllContents))
                        run(one,
                            {kSizes[s][0], kSizes[s][1], kDepths[d],
                             kLayouts[(s + d + c) % std::size(kLayouts)]},
                            kAllContents[c]);
        for (size_t s = 0; s < std::size(kLargeSizes); ++s)
            for (const int depth : kDepths)
                if (!target.is_slow || (s == 0 && depth == one.emulated))
                    run(one, {kLargeSizes[s][0], kLargeSizes[s][1], depth, Chroma::k420},
                        depth == 16 ? Content::kExtreme : Content::kTexture);
    }
}

void bench_ffmpeg_features(const Target &target, Report &report)
{
    for (const FfmpegFeature &one : kFeatures) {
        for (const int depth : {8, 10}) {
            for (const int width : {1920, 3840}) {
                const Format format = {width, width * 9 / 16, depth, Chroma::k420};
                bench_groups(target, report, name_of(one, format, Content::kTexture),
                             create_groups(one.name, one.options, format), format);
            }
        }
    }
}

} // namespace vmafgpu
