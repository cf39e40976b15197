// SPDX-License-Identifier: BSD-2-Clause-Patent
// The cases of check for ssimulacra2: all layouts and depths, pictures of RGB, and pairs at random.
#include <iterator>
#include <random>

#include "check.h"

namespace vmafgpu {
namespace {

struct ColourCase {
    const char *name, *options;
    Chroma chroma;
};
constexpr ColourCase kColours[] = {{"bt709", "matrix=bt709", Chroma::k420},
                                   {"full", "matrix=bt601:range=pc", Chroma::k422},
                                   {"gbr", "matrix=gbr", Chroma::k444},
                                   {"bt601", "matrix=bt601", Chroma::k444},
                                   {"full", "range=pc", Chroma::k420}};

/// Smallest, one to six scales, around vectors, blocks of the filter, groups of rows and waves;
/// sums of one part, of some, and of rounds of parts.
constexpr int kSizes[][2] = {{8, 8},     {9, 17},    {17, 33},  {33, 16},   {65, 31},
                             {64, 64},   {127, 63},  {129, 9},  {1301, 18}, {19, 517},
                             {257, 131}, {319, 182}, {641, 482}};
constexpr int kDepths[] = {8, 10, 12, 16};

std::string name_of(const ColourCase &one, const Format &format, Content content)
{
    return case_name(std::string("ssimulacra2/") + one.name, format, content_name(content));
}

/// Runs a pair of any size from 8 to 700, small ones more often. In one of eight runs both pictures
/// are equal.
void run_random_pair(const Target &target, Report &report, int number)
{
    std::mt19937_64 random(report.settings().seed * 1000 + static_cast<uint64_t>(number));
    const auto below = [&](size_t n) {
        return static_cast<size_t>(random() % n);
    };
    const auto side = [&] {
        const auto n = static_cast<int64_t>(below(1001));
        return static_cast<int>(8 + 692 * n * n * n / 1000000000);
    };
    const ColourCase &one = kColours[below(std::size(kColours))];
    const int width = side();
    const Format format = {width, side(), kDepths[below(std::size(kDepths))], one.chroma};
    const Content content = kAllContents[below(std::size(kAllContents))];
    const ColourCase named = {"random", one.options, one.chroma};
    const std::string name = name_of(named, format, content) + "/" + std::to_string(number);
    report.run(target, name, [&] {
        TestClip clip(format, content, 1, random());
        if (number % 8 == 0)
            clip.editable_pair(0).distorted = clip.pair(0).reference;
        return compare_groups(create_groups("ssimulacra2", one.options, format), clip, target);
    });
}

} // namespace

void check_ssimulacra2(const Target &target, Report &report)
{
    const auto run = [&](const ColourCase &one, int width, int height, int depth, Content content) {
        const Format format = {width, height, depth, one.chroma};
        // The frames make at least a batch of one and a batch of two pairs.
        check_feature(target, report, name_of(one, format, content), "ssimulacra2", one.options,
                      format, content, width > 1400 ? 1 : 3);
    };
    // The reference code is slow: each size and depth meets one colour and one content, in turn.
    size_t turn = 0;
    for (const auto &size : kSizes)
        for (const int depth : kDepths) {
            run(kColours[turn % std::size(kColours)], size[0], size[1], depth,
                kAllContents[turn % std::size(kAllContents)]);
            ++turn;
        }
    for (int number = 0; number < report.settings().random_pairs; ++number)
        run_random_pair(target, report, number);
    if (!target.is_slow)
        run(kColours[0], 1920, 1080, 8, Content::kTexture);
}

void bench_ssimulacra2(const Target &target, Report &report)
{
    for (const int depth : {8, 10})
        for (const int width : {1920, 3840}) {
            const Format format = {width, width * 9 / 16, depth, Chroma::k420};
            bench_groups(target, report, name_of(kColours[0], format, Content::kTexture),
                         create_groups("ssimulacra2", kColours[0].options, format), format);
        }
}

} // namespace vmafgpu
