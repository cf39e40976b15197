// SPDX-License-Identifier: BSD-2-Clause-Patent
// unpack_plane() against its definition, sample by sample, and the decision
// whether a plane can be used where it lies.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "fixture.h"
#include "picture/unpack.h"

namespace vmafgpu::unpack_test {
namespace {

constexpr int kWidth = 19;
constexpr int kHeight = 5;

Format format_of(int depth)
{
    return {kWidth, kHeight, depth, Chroma::k400};
}

/// Picture depth, shift, depth of the context.
class Unpack : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(Unpack, equals_the_definition)
{
    const auto [depth, shift, to_depth] = GetParam();
    const int container = depth > 8 ? 16 : 8;
    if (depth + shift > container || to_depth < depth)
        return; // not a legal combination
    // Every bit pattern is a legal stored sample.
    const int bytes = container / 8;
    for (const int step : {0, bytes, bytes + 1, 2 * bytes}) {
        const int distance = step == 0 ? bytes : step;
        std::vector<unsigned char> stored(static_cast<size_t>(kHeight * kWidth * distance + 7));
        for (size_t i = 0; i < stored.size(); ++i)
            stored[i] = static_cast<unsigned char>(i * 151 + (i >> 3) * 7 + 13);
        VmafGpuPicture picture = {};
        picture.width = kWidth;
        picture.height = kHeight;
        picture.depth = depth;
        picture.shift = shift;
        const ptrdiff_t pitch = static_cast<ptrdiff_t>(kWidth) * distance + 1;
        stored.resize(static_cast<size_t>(pitch * kHeight));
        picture.plane[0] = {stored.data(), pitch, step, 0};

        const size_t to_pitch = 64;
        std::vector<unsigned char> loaded(to_pitch * kHeight, 0xCD);
        unpack_plane(picture, 0, format_of(to_depth), loaded.data(), to_pitch);
        for (int y = 0; y < kHeight; ++y) {
            for (int x = 0; x < kWidth; ++x) {
                const unsigned char *from = stored.data() + pitch * y + x * distance;
                const unsigned value = bytes == 1 ? from[0] : from[0] | from[1] << 8;
                const unsigned expected = ((value >> shift) & ((1U << depth) - 1))
                                          << (to_depth - depth);
                const unsigned char *at = loaded.data() + to_pitch * static_cast<size_t>(y);
                const unsigned got = to_depth == 8 ? at[x] : at[2 * x] | at[2 * x + 1] << 8;
                ASSERT_EQ(expected, got) << "x " << x << " y " << y << " step " << step;
            }
            // Nothing past the row is written.
            const auto end = static_cast<size_t>(kWidth * (to_depth > 8 ? 2 : 1));
            EXPECT_EQ(0xCD, loaded[to_pitch * static_cast<size_t>(y) + end]);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(unpack, Unpack,
                         testing::Combine(testing::Values(8, 9, 10, 12, 15, 16),
                                          testing::Values(0, 1, 4, 6, 7),
                                          testing::Values(8, 9, 10, 12, 16)));

bool in_place(int depth, int format_depth, const Layout &layout)
{
    const StoredPicture stored(make_image(kWidth, kHeight, depth, 0, false), layout);
    return is_usable_in_place(stored.picture, 0, format_of(format_depth));
}

TEST(unpack, in_place)
{
    for (const int depth : {8, 9, 10, 12, 16})
        EXPECT_TRUE(in_place(depth, depth, {})) << depth;
    EXPECT_FALSE(in_place(8, 10, {}));
    EXPECT_FALSE(in_place(10, 12, {}));
    Layout layout;
    layout.shift = 6;
    EXPECT_FALSE(in_place(10, 10, layout));
    layout = {};
    layout.garbage = 0x8000;
    EXPECT_FALSE(in_place(10, 10, layout));
    EXPECT_TRUE(in_place(16, 16, layout)); // 16 bits leave no room for garbage
    layout = {};
    layout.step = 2;
    EXPECT_FALSE(in_place(8, 8, layout));
    EXPECT_TRUE(in_place(10, 10, layout)); // tight, said in words
    layout = {};
    layout.offset = 1;
    EXPECT_TRUE(in_place(8, 8, layout));
    EXPECT_FALSE(in_place(10, 10, layout));
    layout = {};
    layout.padding = 1;
    EXPECT_TRUE(in_place(8, 8, layout));
    EXPECT_FALSE(in_place(10, 10, layout));
    layout = {};
    layout.is_flipped = true;
    EXPECT_TRUE(in_place(8, 8, layout));
    EXPECT_TRUE(in_place(10, 10, layout));
}

/// The one bad sample of a plane is found wherever it is.
TEST(unpack, one_high_sample_is_enough)
{
    for (const int at : {0, kWidth - 1, kWidth * (kHeight - 1), kWidth * kHeight - 1}) {
        Image image = make_image(kWidth, kHeight, 10, 0, false);
        image.samples[static_cast<size_t>(at)] = 1024;
        image.depth = 16; // stored as it is
        StoredPicture stored(image, {});
        stored.picture.depth = 10;
        EXPECT_FALSE(is_usable_in_place(stored.picture, 0, format_of(10))) << at;
    }
}

} // namespace
} // namespace vmafgpu::unpack_test
