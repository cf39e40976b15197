// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for cambi: its sizes begin where others' end, and its pictures
// need bands. Other luma features' cases are in cases.cpp.
#include <iterator>

#include "check.h"
#include "features/registry.h"

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
    {"all", "topk=1", 225, 61, 8},
    {"floor", "cambi_vis_lum_threshold=5", 227, 63, 10},
    {"pq", "eotf=pq:tvi_threshold=0.005", 226, 65, 10},
    {"filtered", "enc_bitdepth=8", 223, 70, 10},
    {"plain", "enc_bitdepth=10", 224, 62, 8},
    {"smaller", "enc_width=231:enc_height=151", 319, 181, 10},
    {"fullref", "full_ref=true", 241, 67, 8},
    {"source", "full_ref=true:src_width=333:src_height=222", 319, 181, 10},
};

std::vector<FeatureGroup> create(const CambiCase &one, const Format &format)
{
    const FeatureInfo &info = *find_feature("cambi");
    OptionValues values = default_options(info);
    set_options(info, values, one.options);
    return info.create(format, Compat::k3_2, {values});
}

std::string case_name(const CambiCase &one, Content content)
{
    return std::string("cambi/") + one.name + "/" + std::to_string(one.width) + "x" +
           std::to_string(one.height) + "/" + std::to_string(one.depth) + "bit/" +
           content_name(content);
}

Outcome run_cambi_case(const CambiCase &one, Content content, const Target &target, uint64_t seed)
{
    const Format format = {one.width, one.height, one.depth, Chroma::k400};
    const int frames = one.width > 1000 ? 2 : (target.is_slow ? 3 : 4);
    const TestClip clip(format, content, frames, seed);
    for (const FeatureGroup &group : create(one, format)) {
        const Outcome outcome = compare_sums(reference_sums(*group.feature, clip),
                                             target_sums(*group.feature, clip, target));
        if (!outcome.is_equal)
            return outcome;
    }
    return {};
}

} // namespace

void check_cambi(const Target &target, Report &report)
{
    const auto run = [&](const CambiCase &one, Content content) {
        report.run(target, case_name(one, content),
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
    if (target.is_slow)
        return;
    run({"default", "", 1920, 1080, 8}, Content::kBands);
    run({"v1", VMAFGPU_CHECK_V1, 1920, 1080, 10}, Content::kBands);
    run({"v1", VMAFGPU_CHECK_V1, 1921, 1081, 8}, Content::kTexture);
    run({"v1", VMAFGPU_CHECK_V1, 3840, 2160, 10}, Content::kBands);
    run({"smaller", "enc_width=1280:enc_height=720", 1920, 1080, 10}, Content::kBands);
    // Such a scale 0 needs libvmaf's order of additions.
    run({"ordered", "topk=1", 3840, 2160, 10}, Content::kBands);
    if (target.device) // minutes on a CPU, most of them the reference's
        run({"v1", VMAFGPU_CHECK_V1, 7680, 4320, 10}, Content::kBands);
}

void bench_cambi(const Target &target, Report &report)
{
    const auto run = [&](const CambiCase &one, Content content) {
        const std::string name = case_name(one, content);
        report.run(target, name, [&]() -> Outcome {
            const Format format = {one.width, one.height, one.depth, Chroma::k400};
            const TestClip clip(format, content, target.device ? kTimedBatch : 4,
                                report.settings().seed);
            bench_groups(create(one, format), clip, target, name);
            return {};
        });
    };
    for (const Content content : {Content::kBands, Content::kTexture}) {
        run({"v1", VMAFGPU_CHECK_V1, 1280, 720, 10}, content);
        run({"v1", VMAFGPU_CHECK_V1, 1920, 1080, 10}, content);
        run({"v1", VMAFGPU_CHECK_V1, 3840, 2160, 10}, content);
        run({"default", "", 1920, 1080, 8}, content);
    }
}

} // namespace vmafgpu
