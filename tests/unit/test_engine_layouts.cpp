// SPDX-License-Identifier: BSD-2-Clause-Patent
// However a picture lies in memory, its scores are those of the plain layout:
// promotion of depths, shifts, garbage bits, steps, pitches, odd addresses.
#include <gtest/gtest.h>

#include "fixture.h"

namespace vmafgpu {
namespace {

constexpr int kFrames = 3;

/// A run whose pictures have the given depths and layouts.
std::vector<Row> run_layout(const TestSettings &settings, int reference_depth, int distorted_depth,
                            const Layout &layout)
{
    TestRun run = make_run(settings, kFrames, layout, reference_depth, distorted_depth);
    TestContext context(settings);
    const auto rows = run_all(context, run);
    for (const auto *list : {&run.reference, &run.distorted})
        for (const auto &picture : *list)
            EXPECT_FALSE(picture->was_released_elsewhere);
    return rows;
}

void expect_same(const TestSettings &settings, const Layout &layout)
{
    const auto expected = run_layout(settings, settings.depth, settings.depth, {});
    const auto rows = run_layout(settings, settings.depth, settings.depth, layout);
    ASSERT_EQ(static_cast<size_t>(kFrames), expected.size());
    expect_equal(expected, rows);
}

TestSettings of_depth(int depth)
{
    TestSettings settings;
    settings.depth = depth;
    settings.width = 53; // odd, and no multiple of any vector
    settings.height = 41;
    return settings;
}

TEST(layouts, padded_rows)
{
    Layout layout;
    layout.padding = 24;
    for (const int depth : {8, 10, 16})
        expect_same(of_depth(depth), layout);
}

TEST(layouts, reg14_negative_pitch)
{
    Layout layout;
    layout.padding = 6;
    layout.is_flipped = true;
    for (const int depth : {8, 12, 16})
        expect_same(of_depth(depth), layout);
}

TEST(layouts, reg19_p010_and_p012)
{
    Layout layout;
    layout.shift = 6;
    expect_same(of_depth(10), layout);
    layout.shift = 4;
    expect_same(of_depth(12), layout);
}

TEST(layouts, garbage_bits_are_masked)
{
    Layout layout;
    layout.garbage = 0xFFFF;
    for (const int depth : {9, 10, 12, 15})
        expect_same(of_depth(depth), layout);
    layout.shift = 6;
    expect_same(of_depth(10), layout);
    layout.shift = 3; // bits above and below
    expect_same(of_depth(10), layout);
}

TEST(layouts, samples_apart)
{
    Layout layout;
    layout.step = 4; // as chroma of P010, or one component of RGBA
    for (const int depth : {8, 10, 16})
        expect_same(of_depth(depth), layout);
    layout.step = 3;
    for (const int depth : {8, 10})
        expect_same(of_depth(depth), layout);
}

TEST(layouts, odd_addresses)
{
    Layout layout;
    layout.offset = 1;
    for (const int depth : {8, 10, 16})
        expect_same(of_depth(depth), layout);
    layout.padding = 1;
    for (const int depth : {8, 10, 16})
        expect_same(of_depth(depth), layout);
}

/// reg20: a shallower input is promoted by a left shift, whichever it is.
TEST(layouts, reg20_shallower_inputs_are_promoted)
{
    const struct {
        int reference, distorted, context;
    } cases[] = {{8, 10, 10}, {10, 8, 10}, {8, 16, 16}, {10, 12, 12}, {8, 8, 12}, {9, 16, 16}};
    for (const auto &c : cases) {
        SCOPED_TRACE(std::to_string(c.reference) + " " + std::to_string(c.distorted));
        const TestSettings settings = of_depth(c.context);
        const auto rows = run_layout(settings, c.reference, c.distorted, {});
        TestRun run;
        for (int i = 0; i < kFrames; ++i) {
            const Image reference = make_image(53, 41, c.reference, i, false);
            const Image distorted = make_image(53, 41, c.distorted, i, true);
            run.reference.push_back(
                std::make_unique<StoredPicture>(promoted(reference, c.context)));
            run.distorted.push_back(
                std::make_unique<StoredPicture>(promoted(distorted, c.context)));
        }
        TestContext context(settings);
        const auto expected = run_all(context, run);
        ASSERT_EQ(static_cast<size_t>(kFrames), rows.size());
        expect_equal(expected, rows);
    }
}

/// Pictures of one run may lie differently from each other: one is used in
/// place, the next is copied, and motion reads both.
TEST(layouts, mixed_in_one_run)
{
    const TestSettings settings = of_depth(10);
    const auto expected = run_layout(settings, 10, 10, {});
    Layout layouts[kFrames] = {};
    layouts[0].shift = 6;
    layouts[1].is_flipped = true;
    layouts[2].step = 4;
    TestRun run;
    for (int i = 0; i < kFrames; ++i) {
        run.reference.push_back(
            std::make_unique<StoredPicture>(make_image(53, 41, 10, i, false), layouts[i]));
        run.distorted.push_back(std::make_unique<StoredPicture>(make_image(53, 41, 10, i, true),
                                                                layouts[(i + 1) % kFrames]));
    }
    TestContext context(settings);
    const auto rows = run_all(context, run);
    expect_equal(expected, rows);
}

} // namespace
} // namespace vmafgpu
