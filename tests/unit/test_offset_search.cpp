// SPDX-License-Identifier: BSD-2-Clause-Patent
// The search of offset=auto, on sketches of pictures that a reader can imagine: a view that moves
// over a map, as it is in the reference, and with losses in main. Rules that use it:
// test_pairing_rules.cpp. Videos: tests/filter/offset.sh.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "moving_map.h"
#include "pairing/offset_search.h"
#include "picture/sketch.h"

namespace vmafgpu::offset_search_test {
namespace {

constexpr int kFurthest = 125;

using Sketch = std::vector<uint8_t>;
/// Returns the sketch of the picture that a source shows at a moment.
using Source = std::function<Sketch(int moment)>;

Sketch view(int map, int place, int noise = 0, int salt = 0)
{
    Sketch sketch;
    for (int i = 0; i < kSketchBytes; ++i) {
        const auto random = hash(static_cast<uint32_t>(salt * kSketchBytes + i));
        const int lost = noise == 0 ? 0 : static_cast<int>(random % static_cast<uint32_t>(noise));
        sketch.push_back(static_cast<uint8_t>(level(map, place + i % 64, i / 64, 200) + lost));
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

/// Main begins `offset` moments after the reference. Both have so many frames.
OffsetAnswer search(const Source &main, const Source &reference, int offset, int count = 1000,
                    int64_t more = 0)
{
    const int most = std::min<int>(count, static_cast<int>(offset_frames(kFurthest) + more));
    std::vector<Sketch> frames[2];
    Sketches sketches[2];
    for (int i = 0; i < most; ++i) {
        frames[0].push_back(main(i + std::max(offset, 0)));
        frames[1].push_back(reference(i + std::max(-offset, 0)));
    }
    for (int i = 0; i < 2; ++i)
        for (const Sketch &frame : frames[i])
            sketches[i].push_back(frame.data());
    return search_offset(sketches[0], sketches[1], kFurthest);
}

/// -1000: none.
int64_t found(const Source &main, const Source &reference, int offset, int count = 1000,
              int64_t more = 0)
{
    const OffsetAnswer answer = search(main, reference, offset, count, more);
    return answer.is_clear ? answer.offset : -1000;
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

TEST(OffsetSearch, TellsWhatItSaw)
{
    EXPECT_EQ(search(pan(10), pan(10), 3).text, "where main moves, the pictures differ by 0.00 "
                                                "levels at 3, by 10.28 at 2 and by 55.46 usually");
    EXPECT_EQ(
        search(pan(10), still(), 3).text,
        "no offset of up to 125 frames fits clearly better than the others: where main moves, the "
        "pictures differ by 49.67 levels at 126, by 49.85 at 125 and by 54.01 usually");
    EXPECT_EQ(search(still(), pan(10), 0).text, "the first pictures of main stand still");
}

/// A small part of the picture moves, and main has lost the noise of the rest.
TEST(OffsetSearch, BackgroundThatStandsStill)
{
    const auto scene = [](int noise) -> Source {
        return [=](int moment) {
            Sketch sketch = noise > 0 ? view(2, 0, noise, moment + 1) : view(2, 0);
            const Sketch moving = view(1, moment / 2, 3, moment);
            std::copy(moving.begin(), moving.begin() + 128, sketch.begin());
            return sketch;
        };
    };
    for (const int offset : {5, -70})
        EXPECT_EQ(found(scene(2), scene(14), offset), offset);
}

TEST(OffsetSearch, BlackAtTheBeginning)
{
    for (const int offset : {0, 10, -10, 50})
        EXPECT_EQ(found(after_black(pan(10, 8)), after_black(pan(10)), offset), offset);
}

/// At the largest offsets black meets black.
TEST(OffsetSearch, BlackAgainWhereTheWindowEnds)
{
    const auto twice = [](const Source &source) -> Source {
        return [=](int moment) {
            const bool is_black = moment < 30 || (moment >= 120 && moment < 160);
            return is_black ? Sketch(kSketchBytes, 16) : source(moment);
        };
    };
    for (const int offset : {0, 5, -5}) {
        EXPECT_EQ(found(twice(pan(10, 8)), twice(pan(10)), offset), -1000) << "24 pairs";
        EXPECT_EQ(found(twice(pan(10, 8)), twice(pan(10)), offset, 1000, kMoreOffsetPairs), offset);
    }
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
    EXPECT_EQ(found(pan(1, 8), pan(1), 5), 5) << "ten pictures of a place";
    EXPECT_EQ(found(pan(1, 16), pan(1), 5), -1000) << "with losses that hide the movement";
}

TEST(OffsetSearch, ShortInputs)
{
    EXPECT_EQ(found(pan(10), pan(10), 0, 26), 0);
    EXPECT_EQ(found(pan(10), pan(10), 2, 26), -1000) << "no neighbour";
    EXPECT_EQ(found(pan(10), pan(10), 3, 40), 3);
    EXPECT_EQ(search(pan(10), pan(10), 0, 24).text,
              "the inputs are too short, 26 frames of each are needed");
    const Sketch sketch(kSketchBytes, 16); // one input alone may be too short
    const Sketches few(20, sketch.data()), enough(30, sketch.data());
    for (const OffsetAnswer &answer :
         {search_offset(few, enough, kFurthest), search_offset(enough, few, kFurthest)})
        EXPECT_EQ(answer.text.rfind("the inputs are too short", 0), 0U) << answer.text;
}

/// A ramp of two levels, as encoders make at the beginning of each stream, says nothing of the
/// pictures.
TEST(OffsetSearch, RampsOfEncoders)
{
    const Source title = [](int moment) {
        Sketch sketch = view(1, 0);
        for (size_t i = 0; i < sketch.size(); i += 3)
            sketch[i] = static_cast<uint8_t>(sketch[i] + std::min(moment / 5, 2));
        return sketch;
    };
    EXPECT_EQ(found(title, title, 0), -1000);
    EXPECT_NE(search(title, title, 0).text.find("hardly change"), std::string::npos);
}

/// Pictures that repeat fit many offsets.
TEST(OffsetSearch, Loops)
{
    const Source loop = [](int moment) {
        return pan(10)(moment % 60);
    };
    EXPECT_EQ(found(loop, loop, 10), -1000);
    const Source long_loop = [](int moment) {
        return pan(10)(moment % 140);
    };
    EXPECT_EQ(found(long_loop, long_loop, 10), 10);
    // Most pictures return, and their own offset is too far away.
    const Source mostly = [](int moment) {
        const Sketch returns = view(1, moment % 100), moves = view(2, moment * 2);
        Sketch sketch(kSketchBytes);
        for (size_t i = 0; i < sketch.size(); ++i)
            sketch[i] = static_cast<uint8_t>((3 * returns[i] + moves[i]) / 4);
        return sketch;
    };
    EXPECT_EQ(found(mostly, mostly, 120), 120);
    EXPECT_EQ(found(mostly, mostly, 150), -1000);
    EXPECT_EQ(found(mostly, mostly, -150), -1000);
    // The pictures are nearly alike after 30 frames: the offset that fits best is taken.
    const Source clock = [](int moment) {
        Sketch sketch = pan(10)(moment % 30);
        std::fill(sketch.begin(), sketch.begin() + 64, static_cast<uint8_t>(moment * 50));
        return sketch;
    };
    EXPECT_EQ(found(clock, clock, 100), 100);
}

} // namespace
} // namespace vmafgpu::offset_search_test
