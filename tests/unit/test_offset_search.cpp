// SPDX-License-Identifier: BSD-2-Clause-Patent
// The search of offset=auto, on sketches of pictures that a reader can imagine: a view that moves
// over a map, as it is in the reference, and with losses in main. Rules that use it:
// test_pairing_rules.cpp. Videos: tests/filter/offset.sh.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "base/sketch.h"
#include "pairing/offset_search.h"

namespace vmafgpu {
namespace {

constexpr int kFurthest = 125;

uint32_t hash(uint32_t value)
{
    value = (value ^ value >> 16) * 0x7feb352dU;
    value = (value ^ value >> 15) * 0x846ca68bU;
    return value ^ value >> 16;
}

/// A map of squares with grey edges; its places may be anywhere.
int level(int map, int x, int y)
{
    const int size = 8;
    const auto square = [&](int column) {
        return static_cast<int>(hash(static_cast<uint32_t>(map * 65537 + column * 257 + y / size)) %
                                200);
    };
    const int part = x % size;
    return (square(x / size) * (size - part) + square(x / size + 1) * part) / size;
}

using Sketch = std::vector<uint8_t>;
/// Of the picture that a source shows at a moment.
using Source = std::function<Sketch(int moment)>;

Sketch view(int map, int place, int noise = 0, int salt = 0)
{
    Sketch sketch;
    for (int i = 0; i < kSketchBytes; ++i) {
        const auto random = hash(static_cast<uint32_t>(salt * kSketchBytes + i));
        const int lost = noise == 0 ? 0 : static_cast<int>(random % static_cast<uint32_t>(noise));
        sketch.push_back(static_cast<uint8_t>(level(map, place + i % 64, i / 64) + lost));
    }
    return sketch;
}

/// A pan of so many places in ten pictures.
Source pan(int speed, int noise = 0, int map = 1)
{
    return [=](int moment) {
        return view(map, moment * speed / 10, noise, moment + 1);
    };
}

Source still(int noise = 0)
{
    return [=](int moment) {
        return view(1, 0, noise, noise == 0 ? 0 : moment + 1);
    };
}

Source after_black(const Source &source)
{
    return [=](int moment) {
        return moment < 70 ? Sketch(kSketchBytes, 16) : source(moment);
    };
}

struct Outcome {
    bool is_found = false;
    int64_t offset = 0, frames = 0; ///< frames of each input that it took
    std::string text;
};

/// Main begins `offset` moments after the reference. Both have so many frames.
Outcome search(const Source &main, const Source &reference, int offset, int count = 1000)
{
    OffsetSearch search(kFurthest);
    Outcome out;
    const int most = std::min<int>(count, static_cast<int>(OffsetSearch::frames(kFurthest)));
    for (int i = 0; i < most && !out.is_found; ++i) {
        search.add(kMain, main(i + std::max(offset, 0)).data());
        search.add(kReference, reference(i + std::max(-offset, 0)).data());
        out.is_found = search.find(i + 1 == most);
        out.frames = i + 1;
    }
    out.offset = search.offset();
    out.text = out.is_found ? search.evidence() : search.refusal();
    return out;
}

/// -1000: none.
int64_t found(const Source &main, const Source &reference, int offset, int count = 1000)
{
    const Outcome out = search(main, reference, offset, count);
    return out.is_found ? out.offset : -1000;
}

TEST(OffsetSearch, FindsOffsetsOfBothInputs)
{
    for (const int offset : {0, 1, 2, 7, 24, 60, 119, 120, 125})
        for (const int sign : {1, -1}) {
            EXPECT_EQ(found(pan(10, 8), pan(10), sign * offset), sign * offset);
            EXPECT_EQ(found(pan(3, 4), pan(3), sign * offset), sign * offset) << "slow";
        }
    EXPECT_EQ(found(pan(10, 8), pan(10), 126), -1000) << "no neighbour tells that it is the best";
    EXPECT_EQ(found(pan(10, 8), pan(10), 200), -1000);
}

TEST(OffsetSearch, TakesAsFewFramesAsItCan)
{
    EXPECT_EQ(search(pan(10), pan(10), 0).frames, 48);
    EXPECT_EQ(search(pan(10), pan(10), 60).frames, 60 + OffsetSearch::frames(0));
    EXPECT_EQ(search(pan(10), pan(10), -60).frames, 60 + OffsetSearch::frames(0));
    EXPECT_EQ(search(still(), still(), 0).frames, OffsetSearch::frames(kFurthest));
}

TEST(OffsetSearch, TellsWhatItSaw)
{
    EXPECT_EQ(search(pan(10), pan(10), 3).text,
              "the pictures differ by 0.00 levels there, by 7.05 or more elsewhere");
    EXPECT_EQ(search(still(), still(), 0).text,
              "offset=auto: no offset of up to 125 frames fits clearly better than the others: the "
              "pictures differ by 0.00 levels at -126, by 0.00 at -125 and by 0.00 usually: give "
              "offset=N, or a longer offset_window");
}

TEST(OffsetSearch, BlackAtTheBeginning)
{
    for (const int offset : {0, 10, -10, 50})
        EXPECT_EQ(found(after_black(pan(10, 8)), after_black(pan(10)), offset), offset);
}

TEST(OffsetSearch, InventsNone)
{
    const Source black = [](int /*moment*/) {
        return Sketch(kSketchBytes, 16);
    };
    EXPECT_EQ(found(black, black, 5), -1000);
    EXPECT_EQ(found(still(8), still(), 5), -1000);
    EXPECT_EQ(found(still(8), still(4), 5), -1000) << "each with its own noise";
    EXPECT_EQ(found(pan(10), black, 5), -1000);
    EXPECT_EQ(found(pan(10), still(), 5), -1000);
    EXPECT_EQ(found(pan(10, 8, 2), pan(10), 5), -1000) << "another map";
    EXPECT_EQ(found(pan(3, 8, 2), pan(7), 5), -1000);
    EXPECT_EQ(found(pan(10, 200), pan(1), 5), -1000) << "mostly noise";
    EXPECT_EQ(found(pan(1, 60), pan(1), 5), -1000) << "ten pictures of a place, with losses";
}

TEST(OffsetSearch, ShortInputs)
{
    EXPECT_EQ(found(pan(10), pan(10), 0, 26), 0);
    EXPECT_EQ(found(pan(10), pan(10), 2, 26), -1000) << "no neighbour";
    EXPECT_EQ(found(pan(10), pan(10), 3, 40), 3);
    EXPECT_EQ(search(pan(10), pan(10), 0, 24).text,
              "offset=auto: the inputs are too short, 26 frames of each are needed: give offset=N");
}

/// What repeats itself fits many offsets. The nearest is taken.
TEST(OffsetSearch, Loops)
{
    const Source loop = [](int moment) {
        return pan(10)(moment % 60);
    };
    EXPECT_EQ(found(loop, loop, 0), 0);
    EXPECT_EQ(found(loop, loop, 10), 10);
    EXPECT_EQ(found(loop, loop, 50), -10);
}

} // namespace
} // namespace vmafgpu
