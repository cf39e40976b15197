// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for features that read chroma: speed_chroma, on all chroma
// layouts, resizing methods and filter lengths. Luma's cases are in cases.cpp.
#include <iterator>

#include "check.h"

namespace vmafgpu {
namespace {

struct ChromaCase {
    const char *name;
    const char *options;
    Format format;
};

/// Smallest (one window only: singular), odd, a part of a block beside the last one, more
/// blocks than a launch's block has threads, rows of more places than are centred at a time.
constexpr ChromaCase kCases[] = {
    {"default", "", {160, 160, 8, Chroma::k420}},
    {"default", "", {363, 345, 8, Chroma::k420}},
    {"default", "", {330, 353, 10, Chroma::k420}},
    {"default", "", {331, 181, 12, Chroma::k422}},
    {"default", "", {245, 170, 16, Chroma::k444}},
    {"default", "", {1301, 330, 10, Chroma::k420}},
    {"default", "", {171, 819, 8, Chroma::k444}},
    {"default", "", {644, 725, 10, Chroma::k444}},
    {"sigma", "speed_sigma_nn=0.19", {327, 322, 10, Chroma::k420}},
    {"half", "speed_prescale=0.5:speed_prescale_method=bilinear", {642, 660, 10, Chroma::k420}},
    {"0.6", "speed_prescale=0.6:speed_prescale_method=bilinear", {281, 271, 8, Chroma::k444}},
    {"nearest", "speed_prescale=0.73", {451, 230, 10, Chroma::k422}},
    {"bicubic", "speed_prescale=1.3:speed_prescale_method=bicubic", {261, 250, 12, Chroma::k420}},
    {"lanczos4",
     "speed_prescale=0.81:speed_prescale_method=lanczos4",
     {205, 198, 16, Chroma::k444}},
    {"long", "speed_kernelscale=3.71134", {335, 331, 10, Chroma::k420}},
    {"short", "speed_kernelscale=0.5", {335, 331, 8, Chroma::k420}},
    {"medium", "speed_kernelscale=1.66667", {335, 331, 8, Chroma::k420}},
    {"default", "", {1701, 170, 8, Chroma::k444}},
};

std::string name_of(const ChromaCase &one, const Format &format, Content content)
{
    return case_name(std::string("speed_chroma/") + one.name, format, content_name(content));
}

} // namespace

void check_chroma_features(const Target &target, Report &report)
{
    const auto run = [&](const ChromaCase &one, const Format &format, Content content) {
        // The frames make at least a batch of one and a batch of two pairs.
        check_feature(target, report, name_of(one, format, content), "speed_chroma", one.options,
                      format, content, target.is_slow ? 3 : 4);
    };
    for (const ChromaCase &one : kCases)
        for (const Content content : kAllContents)
            // Emulated, each case meets noise, and in turn one of the others.
            if (!target.is_slow || content == Content::kNoise ||
                content == kAllContents[1 + (&one - kCases) % (std::size(kAllContents) - 1)])
                run(one, one.format, content);
    if (target.is_slow)
        return;
    for (const int depth : {8, 10, 12, 16})
        run(kCases[0], {1920, 1080, depth, Chroma::k420}, Content::kTexture);
    run(kCases[8], {1920, 1080, 10, Chroma::k420}, Content::kTexture);
    run(kCases[0], {3840, 2160, 10, Chroma::k420}, Content::kNoise);
}

void bench_chroma_features(const Target &target, Report &report)
{
    const auto run = [&](const ChromaCase &one, int width, int height) {
        const Format format = {width, height, 10, Chroma::k420};
        bench_groups(target, report, name_of(one, format, Content::kTexture),
                     create_groups("speed_chroma", one.options, format), format);
    };
    run(kCases[8], 1280, 720);
    run(kCases[8], 1920, 1080);
    run(kCases[8], 3840, 2160);
    run({"half", "speed_sigma_nn=0.19:speed_prescale=0.5:speed_prescale_method=bilinear", {}}, 3840,
        2160);
}

} // namespace vmafgpu
