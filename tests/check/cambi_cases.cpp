// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for cambi: its sizes begin where others' end, and its pictures
// need bands. Other luma features' cases are in cases.cpp.
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "features/cambi/cambi_tables.h"

namespace vmafgpu {
namespace {

struct CambiCase {
    const char *name;
    const char *options;
    int width, height, depth;
};

#define VMAFGPU_CHECK_V1 "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17"

/// Narrow, odd, strips of columns and runs of rows plus and minus one; every option that
/// changes the pixel work; windows from the smallest to the widest.
constexpr CambiCase kCases[] = {
    {"default", "", 216, 60, 8},
    {"default", "", 63, 216, 10},
    {"default", "", 233, 65, 9},
    {"default", "", 217, 129, 12},
    {"default", "", 257, 64, 16},
    {"default", "", 319, 181, 10},
    {"v1", VMAFGPU_CHECK_V1, 257, 127, 10},
    {"wide", "window_size=127", 320, 93, 10},
    {"one", "max_log_contrast=0", 229, 70, 8},
    {"16", "max_log_contrast=4", 240, 95, 10},
    {"32", "max_log_contrast=5:tvi_threshold=0.0001", 231, 66, 10},
    {"top", "topk=0.0001", 239, 87, 8},
    {"third", "cambi_topk=0.3", 225, 130, 10},
    {"parts", "topk=0.01", 256, 128, 10},
    {"parts", "topk=0.01", 319, 181, 10},
    {"all", "topk=1", 225, 61, 8},
    {"floor", "cambi_vis_lum_threshold=5", 227, 63, 10},
    {"pq", "eotf=pq:tvi_threshold=0.005", 226, 65, 10},
    {"filtered", "enc_bitdepth=8", 223, 70, 10},
    {"plain", "enc_bitdepth=10", 224, 62, 8},
    {"smaller", "enc_width=231:enc_height=151", 319, 181, 10},
    {"fullref", "full_ref=true", 241, 67, 8},
    {"source", "full_ref=true:src_width=333:src_height=222", 319, 181, 10},
};

Format format_of(const CambiCase &one)
{
    return {one.width, one.height, one.depth, Chroma::k400};
}

std::string name_of(const CambiCase &one, const char *content)
{
    return case_name(std::string("cambi/") + one.name, format_of(one), content, false);
}

Outcome compare_clip(const CambiCase &one, const TestClip &clip, const Target &target)
{
    return compare_groups(create_groups("cambi", one.options, clip.format()), clip, target);
}

Outcome run_cambi_case(const CambiCase &one, Content content, const Target &target, uint64_t seed)
{
    const int frames = one.width > 1000 ? 2 : (target.is_slow ? 3 : 4);
    return compare_clip(one, TestClip(format_of(one), content, frames, seed), target);
}

/// Flat blocks at random levels next to each other, so that the mask keeps most pixels.
TestClip random_blocks(const CambiCase &one, uint64_t seed)
{
    constexpr int kSide = 16, kFrames = 2;
    TestClip clip(format_of(one), Content::kFlat, kFrames, 0);
    for (int frame = 0; frame < kFrames; ++frame) {
        std::mt19937_64 random(seed + static_cast<uint64_t>(frame));
        std::vector<unsigned> levels(1024);
        for (unsigned &level : levels)
            level = 40 + static_cast<unsigned>(random() % 4);
        TestPlane &plane = clip.editable_pair(frame).distorted[0];
        for (int y = 0; y < one.height; ++y)
            for (int x = 0; x < one.width; ++x)
                plane.set(
                    x, y,
                    levels[static_cast<size_t>(y / kSide) * 32 + static_cast<size_t>(x / kSide)]);
    }
    return clip;
}

/// Windows from one pixel to five: how they shrink with the picture.
void check_windows(const Target &target, Report &report)
{
    constexpr int kSizes[][3] = {{227, 151, 8}, {301, 217, 10}, {65, 216, 12}, {417, 290, 8}};
    for (int window = 15; window <= 28; ++window) {
        const std::string name = "window" + std::to_string(window);
        const std::string options = "window_size=" + std::to_string(window);
        for (const auto &size : kSizes) {
            const CambiCase one = {name.c_str(), options.c_str(), size[0], size[1], size[2]};
            const uint64_t seed = report.settings().seed;
            report.run(target, name_of(one, "bands"),
                       [&] { return run_cambi_case(one, Content::kBands, target, seed); });
            report.run(target, name_of(one, "blocks"),
                       [&] { return compare_clip(one, random_blocks(one, seed), target); });
        }
    }
}

/// Two flat halves, `distance` levels apart: no other distance decides about c.
Outcome run_distance(const CambiCase &one, int level, int distance, const Target &target)
{
    TestClip clip(format_of(one), Content::kFlat, 1, 0);
    TestPlane &plane = clip.editable_pair(0).distorted[0];
    for (int y = 0; y < one.height; ++y)
        for (int x = 0; x < one.width; ++x)
            plane.set(x, y, static_cast<unsigned>(x < one.width / 2 ? level : level + distance));
    return compare_clip(one, clip, target);
}

void check_distances(const Target &target, Report &report)
{
    const CambiCase one = {"distance", "max_log_contrast=5", 216, 60, 10};
    for (int distance = 1; distance <= cambi::kMaxSteps; ++distance)
        report.run(target, "cambi/distance" + std::to_string(distance) + "/216x60/10bit/halves",
                   [&] { return run_distance(one, 100, distance, target); });
    // Dark levels, of which all four distances are visible, to light ones with only the last.
    const CambiCase four = {"four", "", 216, 60, 10};
    for (const int level : {100, 250, 380, 500})
        for (int distance = 1; distance <= 4; ++distance)
            report.run(target,
                       "cambi/four" + std::to_string(level) + "+" + std::to_string(distance) +
                           "/216x60/10bit/halves",
                       [&, level] { return run_distance(four, level, distance, target); });
}

/// Columns of equal c beside the border of two halves: the smallest c that is pooled has equals
/// that are not. From one pixel to more than have a c above 0.
void check_ties(const Target &target, Report &report)
{
    for (const char *share : {"0.0001", "0.001", "0.004", "0.01", "0.02", "0.03", "0.05"}) {
        const std::string options = std::string("window_size=127:topk=") + share;
        const std::string name = std::string("ties") + share;
        const CambiCase one = {name.c_str(), options.c_str(), 257, 131, 10};
        report.run(target, name_of(one, "halves"),
                   [&] { return run_distance(one, 100, 1, target); });
    }
}

} // namespace

void check_cambi(const Target &target, Report &report)
{
    const auto run = [&](const CambiCase &one, Content content) {
        report.run(target, name_of(one, content_name(content)),
                   [&] { return run_cambi_case(one, content, target, report.settings().seed); });
    };
    for (const CambiCase &one : kCases) {
        run(one, Content::kBands);
        // Emulated, each case meets in turn one of the contents without bands.
        for (const Content content : kAllContents)
            if (!target.is_slow ||
                content == kAllContents[(&one - kCases) % std::size(kAllContents)])
                run(one, content);
    }
    // Windows of 33 and 65 pixels, the usual and the widest: threads have more of a row to count.
    run({"wide", "window_size=127", 1304, 256, 10}, Content::kBands);
    run({"widest", "window_size=127", 2560, 512, 8}, Content::kBands);
    // Scale 0 at half the size.
    run({"halved", VMAFGPU_CHECK_V1, 1920, 1080, 8}, Content::kBands);
    run({"halved", VMAFGPU_CHECK_V1, 1921, 1081, 10}, Content::kBands);
    check_windows(target, report);
    check_distances(target, report);
    check_ties(target, report);
    if (target.is_slow)
        return;
    run({"default", "", 1920, 1080, 8}, Content::kBands);
    run({"v1", VMAFGPU_CHECK_V1, 1920, 1080, 10}, Content::kBands);
    run({"v1", VMAFGPU_CHECK_V1, 1921, 1081, 8}, Content::kTexture);
    run({"v1", VMAFGPU_CHECK_V1, 3840, 2160, 10}, Content::kBands);
    run({"smaller", "enc_width=1280:enc_height=720", 1920, 1080, 10}, Content::kBands);
    // A scale 0 of this size needs libvmaf's order of additions.
    run({"ordered", "topk=1", 3840, 2160, 10}, Content::kBands);
    if (target.device) // minutes on a CPU, most of them the reference's
        run({"v1", VMAFGPU_CHECK_V1, 7680, 4320, 10}, Content::kBands);
}

void bench_cambi(const Target &target, Report &report)
{
    const auto run = [&](const CambiCase &one, Content content) {
        bench_groups(target, report, name_of(one, content_name(content)),
                     create_groups("cambi", one.options, format_of(one)), format_of(one), content);
    };
    for (const Content content : {Content::kBands, Content::kTexture}) {
        run({"v1", VMAFGPU_CHECK_V1, 1280, 720, 10}, content);
        run({"v1", VMAFGPU_CHECK_V1, 1920, 1080, 10}, content);
        run({"v1", VMAFGPU_CHECK_V1, 3840, 2160, 10}, content);
        run({"default", "", 1920, 1080, 8}, content);
    }
}

} // namespace vmafgpu
