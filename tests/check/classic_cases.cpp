// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for libvmaf's older metrics, which have no options. The cases of the model's
// features are in cases.cpp.
#include <iterator>
#include <string>
#include <vector>

#include "check.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

struct ClassicFeature {
    const char *name;
    std::vector<int> depths;
    std::vector<Chroma> layouts;
};

struct Size {
    int width, height;
};

/// Around strips, vectors and blocks; smaller than a block of psnr_hvs.
constexpr Size kSizes[] = {{17, 18},  {33, 48},   {64, 50}, {66, 34},  {127, 32},
                           {130, 66}, {1301, 18}, {32, 98}, {319, 182}};

const std::vector<ClassicFeature> &features()
{
    static const std::vector<ClassicFeature> list = {
        {"ciede", {8, 10, 12, 16}, {Chroma::k420, Chroma::k422, Chroma::k444}},
        {"float_ansnr", {8, 10, 12, 16}, {Chroma::k400}},
        {"float_moment", {8, 10, 12, 16}, {Chroma::k400}},
        {"float_psnr", {8, 10, 12, 16}, {Chroma::k400}},
        {"psnr_hvs", {8, 9, 10, 12}, {Chroma::k420, Chroma::k422, Chroma::k444}},
    };
    return list;
}

std::string case_name(const ClassicFeature &one, const Format &format, Content content)
{
    const char *const layouts[] = {"400", "420", "422", "444"};
    return std::string(one.name) + "/plain/" + std::to_string(format.width) + "x" +
           std::to_string(format.height) + "/" + layouts[static_cast<int>(format.chroma)] + "/" +
           std::to_string(format.depth) + "bit/" + content_name(content);
}

std::vector<FeatureGroup> create(const ClassicFeature &one, const Format &format)
{
    const FeatureInfo &info = *find_feature(one.name);
    return info.create(format, Compat::k3_2, {info.defaults});
}

Outcome run_case(const ClassicFeature &one, const Format &format, Content content,
                 const Target &target, uint64_t seed)
{
    // At least batches of one and of two pairs.
    const TestClip clip(format, content, format.width > 1400 ? 1 : 3, seed);
    return compare_groups(create(one, format), clip, target);
}

} // namespace

void check_classic_features(const Target &target, Report &report)
{
    const auto run = [&](const ClassicFeature &one, const Format &format, Content content) {
        report.run(target, case_name(one, format, content),
                   [&] { return run_case(one, format, content, target, report.settings().seed); });
    };
    for (const ClassicFeature &one : features()) {
        size_t turn = 0;
        for (const Size size : kSizes) {
            for (const int depth : one.depths) {
                const Chroma layout = one.layouts[turn % one.layouts.size()];
                for (size_t c = 0; c < std::size(kAllContents); ++c)
                    // Emulated, each size and depth meets one content.
                    if (!target.is_slow || c == turn % std::size(kAllContents))
                        run(one, {size.width, size.height, depth, layout}, kAllContents[c]);
                ++turn;
            }
        }
        // So large and so different that sums of squares of 16 bits are rounded.
        run(one, {1999, 1602, one.depths.back(), one.layouts[0]}, Content::kExtreme);
        if (!target.is_slow)
            run(one, {1920, 1080, 8, one.layouts[0]}, Content::kTexture);
    }
}

void bench_classic_features(const Target &target, Report &report)
{
    for (const ClassicFeature &one : features()) {
        for (const Size size : {Size{1920, 1080}, Size{3840, 2160}}) {
            const Format format = {size.width, size.height, 8, one.layouts[0]};
            const std::string name = case_name(one, format, Content::kTexture);
            report.run(target, name, [&]() -> Outcome {
                const TestClip clip(format, Content::kTexture, target.device ? kTimedBatch : 4,
                                    report.settings().seed);
                bench_groups(create(one, format), clip, target, name);
                return {};
            });
        }
    }
}

} // namespace vmafgpu
