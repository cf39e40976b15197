// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for features without options: libvmaf's older metrics, and skeleton. The cases
// of the model's features are in cases.cpp.
#include <iterator>
#include <string>
#include <vector>

#include "check.h"

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
        {"skeleton", {8, 10, 12, 16}, {Chroma::k400}},
    };
    return list;
}

std::string name_of(const ClassicFeature &one, const Format &format, Content content)
{
    return case_name(std::string(one.name) + "/plain", format, content_name(content));
}

} // namespace

void check_classic_features(const Target &target, Report &report)
{
    const auto run = [&](const ClassicFeature &one, const Format &format, Content content) {
        // The frames make at least a batch of one and a batch of two pairs.
        check_feature(target, report, name_of(one, format, content), one.name, "", format, content,
                      format.width > 1400 ? 1 : 3);
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
        // The pictures are so large and so different that sums of squares of 16 bits are rounded.
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
            bench_groups(target, report, name_of(one, format, Content::kTexture),
                         create_groups(one.name, "", format), format);
        }
    }
}

} // namespace vmafgpu
