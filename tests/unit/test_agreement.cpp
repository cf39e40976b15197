// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whether pairs belong together, on sketches of pictures that a reader can imagine: a view that
// moves over a map. Messages: test_pairing_ledger.cpp. Videos: tests/filter/agreement.sh.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "moving_map.h"
#include "pairing/agreement.h"
#include "pairing/displacement.h"
#include "pairing/likeness.h"

namespace vmafgpu::agreement_test {
namespace {

/// How a map is shown.
struct View {
    int map = 1;
    int noise = 0;             ///< levels
    int percent = 100, up = 0; ///< contrast and brightness
    bool is_mirrored = false, is_upside_down = false;
    int bars = 0;                             ///< black columns and rows on each side
    int slope = 0;                            ///< more light at the right than at the left
    int still = 0;                            ///< percent of another map, which stands still
    int width = 100, height = 100, right = 0; ///< percent of the view that is shown; its left edge
};

Sketch picture(const View &view, int place, int salt)
{
    Sketch sketch;
    for (int i = 0; i < kSketchBytes; ++i) {
        const int row = i / kSketchWidth, column = i % kSketchWidth;
        const int x =
            view.right + (view.is_mirrored ? kSketchWidth - 1 - column : column) * view.width / 100;
        const int y = (view.is_upside_down ? kSketchHeight - 1 - row : row) * view.height / 100;
        const auto random = static_cast<int>(hash(static_cast<uint32_t>(salt * kSketchBytes + i)) %
                                             static_cast<uint32_t>(2 * view.noise + 1));
        const bool is_bar = std::min(row, column) < view.bars || row >= kSketchHeight - view.bars ||
                            column >= kSketchWidth - view.bars;
        const int shown = (view.still * level(9, x, y, 180) +
                           (100 - view.still) * level(view.map, place + x, y, 180)) /
                          100;
        const int value = is_bar ? 16
                                 : (30 + shown) * view.percent / 100 + view.up +
                                       view.slope * (x - kSketchWidth / 2) / kSketchWidth;
        sketch[static_cast<size_t>(i)] =
            static_cast<uint8_t>(std::clamp(value + random - view.noise, 0, 255));
    }
    return sketch;
}

/// The place on the map that is shown in a frame.
using Path = std::function<int(int frame)>;

int pan(int frame)
{
    return 2 * frame;
}

struct Trial {
    View main, reference;
    Path main_path = pan, reference_path = pan;
    int mains = 192, references = 192;
    std::function<bool(int frame)> is_whole = [](int) {
        return false;
    };               ///< main's picture is the reference's
    int blended = 1; ///< pictures of which each of main's is the mean, up to its own
    Path partner = [](int frame) {
        return frame;
    };
    bool is_part = false;

    Sketch main_picture(int n) const
    {
        std::array<int, kSketchBytes> sums = {};
        Sketch sketch;
        for (int k = 0; k < blended; ++k) {
            sketch =
                picture(is_whole(n) ? reference : main, main_path(std::max(n - k, 0)), 2 * n + 1);
            std::transform(sketch.begin(), sketch.end(), sums.begin(), sums.begin(), std::plus<>());
        }
        std::transform(sums.begin(), sums.end(), sketch.begin(),
                       [this](int sum) { return static_cast<uint8_t>(sum / blended); });
        return sketch;
    }

    Disagreement judge() const
    {
        Agreement agreement(is_part);
        int next = 0;
        const auto show_reference = [&] {
            const Sketch sketch = picture(reference, reference_path(next), 2 * next);
            agreement.add_reference(next++, sketch.data());
        };
        for (int n = 0; n < mains && partner(n) < references; ++n) {
            while (next <= partner(n))
                show_reference();
            const Sketch sketch = main_picture(n);
            agreement.add_pair({n, n * int64_t{40000000}, n, partner(n)}, sketch.data());
        }
        while (next < references && agreement.wants_reference())
            show_reference();
        agreement.finish();
        const Disagreement &found = agreement.found();
        EXPECT_LE(found.elsewhere.pairs + found.unrelated.pairs, mains) << "a pair counts once";
        return found;
    }
};

void expect_agreement(const Trial &trial, const char *what)
{
    const Disagreement found = trial.judge();
    EXPECT_EQ(found.elsewhere.pairs, 0) << what << ": offset " << found.elsewhere.offset;
    EXPECT_EQ(found.unrelated.pairs, 0) << what;
}

TEST(Agreement, PairsThatBelongTogether)
{
    Trial trial;
    expect_agreement(trial, "equal");
    EXPECT_EQ(trial.judge().agreeing, 192);
    trial.main = {1, 12, 60, 40, false, false};
    expect_agreement(trial, "graded, noise");
    trial.reference.noise = 12;
    expect_agreement(trial, "noise on both");
    for (int noise : {0, 8}) {
        Trial still;
        still.main.noise = noise;
        still.main_path = still.reference_path = [](int) {
            return 50;
        };
        expect_agreement(still, "still");
        Trial black;
        black.main = black.reference = {1, noise, 0, 16, false, false};
        expect_agreement(black, "black");
    }
}

TEST(Agreement, WhatMainDoesItself)
{
    Trial frozen;
    frozen.main_path = [](int frame) {
        return pan(frame < 60 || frame >= 80 ? frame : 60);
    };
    expect_agreement(frozen, "frozen for 20 frames");
    Trial twos;
    twos.main_path = twos.reference_path = [](int frame) {
        return pan(frame / 2 * 2);
    };
    expect_agreement(twos, "each picture twice");
    Trial halved;
    halved.mains = 96;
    halved.main_path = [](int frame) {
        return pan(2 * frame);
    };
    halved.partner = [](int frame) {
        return 2 * frame;
    };
    expect_agreement(halved, "half the rate");
    Trial late = halved; // by times a neighbouring frame may be the partner
    late.partner = [](int frame) {
        return 2 * frame + 1;
    };
    expect_agreement(late, "half the rate, one frame late");
    Trial cyclic;
    cyclic.main_path = cyclic.reference_path = [](int frame) {
        return pan(frame % 6);
    };
    expect_agreement(cyclic, "cyclic");
}

TEST(Agreement, BlackBars)
{
    Trial trial;
    trial.main.noise = 4;
    for (const int bars : {3, 6}) {
        trial.main.bars = bars;
        trial.reference.bars = 0;
        expect_agreement(trial, "bars of main");
        std::swap(trial.main.bars, trial.reference.bars);
        expect_agreement(trial, "bars of the reference");
        trial.main.map = 2;
        EXPECT_EQ(trial.judge().unrelated.pairs, 192) << "another video";
        trial.main.bars = bars;
        EXPECT_EQ(trial.judge().unrelated.pairs, 192) << "another video, both have bars";
        trial.main.map = 1;
    }
}

/// A denoiser's pictures are like those of some frames before, and more like the mean of all since.
TEST(Agreement, BlendedPictures)
{
    for (const int pictures : {3, 5, 9, 17}) {
        Trial trial;
        trial.main_path = trial.reference_path = [](int frame) {
            return frame;
        };
        trial.blended = pictures;
        trial.main.noise = 2;
        expect_agreement(trial, std::to_string(pictures).c_str());
    }
}

/// Pictures that are one frame late stay so in noise, which the mean of a few pictures has less of.
TEST(Agreement, LatePicturesAreNoBlendInNoise)
{
    Trial trial;
    trial.main.noise = trial.reference.noise = 6;
    trial.main_path = [](int frame) {
        return pan(frame + 99);
    };
    trial.reference_path = [](int frame) {
        return pan(frame + 100);
    };
    EXPECT_EQ(trial.judge().elsewhere.offset, -1);
    EXPECT_GT(trial.judge().elsewhere.pairs, 180);
}

/// What bars and darkness leave of the pictures shows a jump.
TEST(Agreement, JumpBehindBarsAndInTheDark)
{
    Trial barred, dark;
    barred.main.bars = 6;
    dark.main.percent = dark.reference.percent = 6;
    dark.main.up = dark.reference.up = 12;
    for (Trial trial : {barred, dark}) {
        expect_agreement(trial, "without a jump");
        trial.main_path = [](int frame) {
            return pan(frame + (frame < 80 ? 0 : 12));
        };
        EXPECT_EQ(trial.judge().elsewhere.offset, 12);
        EXPECT_EQ(trial.judge().unrelated.pairs, 0);
    }
}

/// One background makes all pictures alike. What moves in front of it never agrees.
TEST(Agreement, NoPairAgrees)
{
    Trial trial;
    trial.main.still = trial.reference.still = 75;
    expect_agreement(trial, "one video");
    trial.main_path = [](int frame) {
        return pan(191 - frame);
    };
    EXPECT_EQ(trial.judge().unrelated.pairs, 192);
    EXPECT_EQ(trial.judge().unrelated.first, 0);
}

/// Each part has another length than the blocks that are judged.
TEST(Agreement, PartsInAnotherOrder)
{
    Trial trial;
    trial.mains = trial.references = 150;
    trial.main.still = trial.reference.still = 50;
    trial.main_path = [](int frame) {
        constexpr int kLength = 25, kOrder[] = {3, 2, 4, 5, 0, 1};
        return pan(kOrder[frame / kLength] * kLength + frame % kLength);
    };
    EXPECT_GE(trial.judge().elsewhere.pairs, 75);
}

/// A negative is turned by no filter.
TEST(Agreement, NegativeIsNotTurned)
{
    Trial trial;
    trial.main.slope = -(trial.reference.slope = 100);
    trial.main.percent = -(trial.reference.percent = 60);
    trial.reference.up = 50;
    trial.main.up = 200;
    EXPECT_GT(trial.judge().unrelated.pairs, 150);
    EXPECT_EQ(trial.judge().turn, Turn::kNone);
    trial.mains = 1; // which is not alike, however it is turned
    EXPECT_EQ(trial.judge().unrelated.pairs, 1);
    EXPECT_EQ(trial.judge().turn, Turn::kNone);
}

TEST(Agreement, JumpInTheMiddle)
{
    for (const int noise : {0, 8})
        for (const int jump : {-40, -3, 1, 3, 40}) {
            Trial trial;
            trial.reference.noise = noise;
            trial.main_path = [jump](int frame) {
                return pan(frame + (frame < 80 ? 0 : jump) + 64);
            };
            trial.reference_path = [](int frame) {
                return pan(frame + 64);
            };
            const Mismatch found = trial.judge().elsewhere;
            EXPECT_EQ(trial.judge().unrelated.pairs, 0) << "the jump is in the middle of a block";
            EXPECT_EQ(found.offset, jump) << noise;
            EXPECT_EQ(found.first, 80) << jump << ", " << noise;
            EXPECT_EQ(found.time, found.first * 40000000);
            EXPECT_FALSE(found.is_from_start);
        }
}

TEST(Agreement, TwoJumps)
{
    for (const int second : {3, 6}) {
        Trial trial;
        trial.main_path = [second](int frame) {
            return pan(frame + (frame < 48 ? 0 : frame < 120 ? 3 : second));
        };
        const Mismatch found = trial.judge().elsewhere;
        EXPECT_EQ(found.first, 48);
        EXPECT_EQ(found.offset, 3);
        EXPECT_EQ(found.is_constant, second == 3);
    }
}

/// Pictures of another video stand between right ones, which end within a block of 24 pairs.
TEST(Agreement, ForeignPartInTheMiddle)
{
    for (const auto &[begin, end] : {std::make_pair(65, 95), {62, 93}, {40, 61}, {72, 96}}) {
        Trial trial;
        trial.main.map = 2;
        trial.is_whole = [begin = begin, end = end](int frame) {
            return frame < begin || frame >= end;
        };
        const Mismatch found = trial.judge().unrelated;
        EXPECT_EQ(found.first, begin);
        EXPECT_EQ(found.pairs, end - begin) << begin;
    }
}

TEST(Agreement, OffsetFromTheBeginning)
{
    for (const int offset : {-150, -31, -1, 1, 31, 64, 150}) {
        Trial trial;
        trial.mains = trial.references = 400;
        trial.reference.noise = std::abs(offset) > 1 ? 8 : 2; // a blend is one picture late, too
        trial.main_path = [offset](int frame) {
            return pan(frame + offset + 200);
        };
        trial.reference_path = [](int frame) {
            return pan(frame + 200);
        };
        const Disagreement found = trial.judge();
        EXPECT_EQ(found.unrelated.pairs, 0) << offset;
        EXPECT_EQ(found.elsewhere.offset, offset);
        EXPECT_EQ(found.elsewhere.start, offset);
        EXPECT_TRUE(found.elsewhere.is_from_start);
        EXPECT_TRUE(found.elsewhere.is_constant) << offset;
    }
}

TEST(Agreement, MainBeginsBlack)
{
    Trial trial;
    trial.main_path = trial.reference_path = [](int frame) {
        return frame < 48 ? 0 : pan(frame);
    };
    expect_agreement(trial, "still at first");
    trial.main_path = [](int frame) {
        return frame < 48 ? 0 : pan(frame + 5);
    };
    const Mismatch found = trial.judge().elsewhere;
    EXPECT_EQ(found.offset, 5);
    EXPECT_GE(found.first, 42);
    EXPECT_LE(found.first, 49);
}

TEST(Agreement, AnotherVideo)
{
    Trial trial;
    trial.main.map = 2;
    EXPECT_EQ(trial.judge().unrelated.pairs, 192);
    EXPECT_EQ(trial.judge().unrelated.first, 0);
    EXPECT_EQ(trial.judge().turn, Turn::kNone);
    trial.main_path = trial.reference_path = [](int) {
        return 50;
    };
    EXPECT_EQ(trial.judge().unrelated.pairs, 192) << "both stand still";
}

TEST(Agreement, BlackBarsMakeNoTwoVideosAlike)
{
    Trial trial;
    for (const int map : {1, 2}) {
        Agreement agreement;
        for (int n = 0; n < 96; ++n) {
            Sketch main = picture({map}, pan(n), 0), reference = picture({1}, pan(n), 0);
            for (Sketch *sketch : {&main, &reference}) {
                std::fill(sketch->begin(), sketch->begin() + kSketchWidth * 8, uint8_t{16});
                std::fill(sketch->end() - kSketchWidth * 8, sketch->end(), uint8_t{16});
            }
            agreement.add_reference(n, reference.data());
            agreement.add_pair({n, 0, n, n}, main.data());
        }
        agreement.finish();
        EXPECT_EQ(agreement.found().unrelated.pairs, map == 1 ? 0 : 96);
    }
}

/// A run of hours beside a still picture is judged as it goes on, so that few sketches are kept.
TEST(Agreement, StillReference)
{
    Agreement agreement;
    agreement.add_reference(0, picture({}, 0, 0).data());
    for (int n = 0; n < 4000; ++n)
        agreement.add_pair({n, 0, n, 0}, picture({2}, pan(n), n).data());
    EXPECT_GT(agreement.found().unrelated.pairs, 1800);
}

TEST(Agreement, TurnedPictures)
{
    for (const Turn turn : {Turn::kMirrored, Turn::kUpsideDown, Turn::kRotated}) {
        Trial trial;
        trial.main.is_mirrored = turn != Turn::kUpsideDown;
        trial.main.is_upside_down = turn != Turn::kMirrored;
        trial.main.noise = 4;
        // Some of these pictures are a bit alike by chance: a turn that fits better decides.
        EXPECT_EQ(trial.judge().unrelated.first, 0);
        EXPECT_EQ(trial.judge().unrelated.pairs, 192);
        EXPECT_EQ(trial.judge().turn, turn);
    }
}

/// Each view of a place of the frame, or of a part of it, is told from the first pair on.
TEST(Agreement, DisplacedPictures)
{
    struct Part {
        int width, height, right;
    };
    for (const Part part :
         {Part{80, 80, 6}, {100, 75, 0}, {75, 100, 8}, {100, 100, 3}, {100, 100, -2}, {94, 94, 2}})
        for (const int noise : {0, 6}) {
            Trial trial;
            trial.main_path = trial.reference_path = [](int frame) {
                return pan(frame / 30 * 40); // scenes, which no other frame explains
            };
            trial.main.width = part.width;
            trial.main.height = part.height;
            trial.main.right = part.right;
            trial.main.noise = noise;
            const Disagreement found = trial.judge();
            EXPECT_EQ(found.turn, Turn::kDisplaced)
                << part.width << " " << part.height << " " << part.right;
            EXPECT_EQ(found.unrelated.pairs, 192);
            EXPECT_EQ(found.unrelated.first, 0);
        }
}

/// A hill that is turned by 180 degrees is also a hill at another place. Turning explains more.
TEST(Agreement, TurnedPictureThatFitsElsewhereToo)
{
    const auto hill = [](int n, bool is_turned) {
        Sketch sketch;
        for (int i = 0; i < kSketchBytes; ++i) {
            const int at = is_turned ? kSketchBytes - 1 - i : i;
            const int x = at % kSketchWidth - kSketchWidth / 2 - 3, y = at / kSketchWidth - 15;
            const int height = 180 - (x * x + 2 * y * y) / 4 + (x - 2 * y) / 8;
            sketch[static_cast<size_t>(i)] = static_cast<uint8_t>(std::max(height, 30 + n % 3));
        }
        return sketch;
    };
    for (const int turned : {96, 48}) { // pairs
        Agreement agreement;
        for (int n = 0; n < 96; ++n) {
            agreement.add_reference(n, hill(n, false).data());
            agreement.add_pair({n, 0, n, n}, hill(n, n < turned).data());
        }
        agreement.finish();
        EXPECT_EQ(agreement.found().turn, Turn::kRotated);
        EXPECT_EQ(agreement.found().unrelated.pairs, turned);
    }
}

/// A spot of light in the dark is no picture whose place could be told.
TEST(Agreement, SpotInTheDark)
{
    const auto spot = [](int left, int brightness) {
        Sketch sketch;
        sketch.fill(16);
        for (int row = 14; row < 22; ++row)
            for (int column = left; column < left + 8; ++column)
                sketch[static_cast<size_t>(row * kSketchWidth + column)] =
                    static_cast<uint8_t>(brightness - 8 * std::abs(column - left - 4));
        return sketch;
    };
    for (int moved = 1; moved < 5; ++moved) {
        Agreement agreement;
        for (int n = 0; n < 72; ++n) {
            agreement.add_reference(n, spot(28, 250).data());
            agreement.add_pair({n, 0, n, n}, spot(28 + moved, 250).data());
        }
        agreement.finish();
        EXPECT_EQ(agreement.found().turn, Turn::kNone) << moved;
    }
}

/// Main is cropped from some pair on, or up to it.
TEST(Agreement, DisplacedInPart)
{
    for (const bool is_at_end : {false, true})
        for (const int change : {72, 84}) { // between blocks, and within one
            Trial trial;
            trial.main_path = trial.reference_path = [](int frame) {
                return pan(frame / 30 * 40);
            };
            trial.main.height = 80;
            trial.is_whole = [is_at_end, change](int frame) {
                return (frame < change) == is_at_end;
            };
            const Disagreement found = trial.judge();
            EXPECT_EQ(found.turn, Turn::kDisplaced);
            EXPECT_NEAR(static_cast<double>(found.unrelated.pairs),
                        is_at_end ? 192 - change : change, 12);
            EXPECT_NEAR(static_cast<double>(found.unrelated.first), is_at_end ? change : 0, 12);
        }
}

/// Boxes, as of a logo and subtitles, outweigh a picture of low contrast.
TEST(Agreement, BoxesOverAPlainPicture)
{
    for (const int speed : {0, 2}) {
        Agreement agreement;
        for (int n = 0; n < 96; ++n) {
            Sketch sketch = picture({1, 0, 40, 60}, speed * n, 0);
            agreement.add_reference(n, sketch.data());
            for (int row = 24; row < 32; ++row)
                std::fill_n(&sketch[static_cast<size_t>(row * kSketchWidth + 8)], 40, uint8_t{235});
            agreement.add_pair({n, 0, n, n}, sketch.data());
        }
        agreement.finish();
        EXPECT_EQ(agreement.found().unrelated.pairs, 0) << "speed " << speed;
    }
}

/// A view that moves is where it was a few frames ago: that is another frame, or a blend.
TEST(Agreement, MovementIsNoDisplacement)
{
    for (const int offset : {-3, 2}) {
        Trial trial;
        trial.main_path = [offset](int frame) {
            return pan(frame + offset);
        };
        EXPECT_EQ(trial.judge().turn, Turn::kNone);
        EXPECT_EQ(trial.judge().elsewhere.offset, offset);
    }
    Trial blended;
    blended.blended = 3;
    EXPECT_EQ(blended.judge().turn, Turn::kNone);
}

/// A wrong order of fields swaps frames, and so does a decoder without a delay.
TEST(Agreement, FramesInAnotherOrder)
{
    for (const int noise : {0, 6})
        for (const int period : {2, 3, 4}) {
            Trial trial;
            trial.main.noise = noise;
            trial.main_path = [period](int frame) {
                const int at = frame % period;
                return pan(frame + (at == 0 ? 1 : at == 1 ? -1 : 0));
            };
            const Disagreement found = trial.judge();
            EXPECT_GE(found.elsewhere.pairs, 168) << period;
            EXPECT_EQ(found.elsewhere.offset, 0);
            EXPECT_EQ(found.unrelated.pairs, 0);
        }
}

/// A short video, and pairs of the last frames, are judged, too.
TEST(Agreement, FewPairs)
{
    Trial trial;
    trial.mains = trial.references = 12;
    expect_agreement(trial, "12 frames");
    trial.main.map = 2;
    EXPECT_EQ(trial.judge().unrelated.pairs, 12);
    trial.is_part = true;
    EXPECT_EQ(trial.judge().unrelated.pairs, 12);
    trial.mains = 11;
    EXPECT_EQ(trial.judge().unrelated.pairs, 0);
    Trial jump;
    jump.mains = jump.references = 110;
    jump.main_path = [](int frame) {
        return pan(frame + (frame < 80 ? 0 : 12));
    };
    EXPECT_EQ(jump.judge().elsewhere.offset, 12);
    EXPECT_EQ(jump.judge().elsewhere.first, 80);
}

/// A picture of soft waves, seen from a place beside the middle: so many samples to the right, and
/// down. is_steep: the waves are shorter.
Sketch waves(int number, double right, double down, bool is_steep = false)
{
    Sketch sketch;
    for (int i = 0; i < kSketchBytes; ++i) {
        const double scale = is_steep ? 2 : 1;
        const double x = (i % kSketchWidth + right) * scale, y = (i / kSketchWidth + down) * scale;
        const double height = 40 * std::sin(x / 7 + number) + 30 * std::sin(y / 6 + 2 * number) +
                              25 * std::sin((x + 2 * y) / 9 + number);
        sketch[static_cast<size_t>(i)] = static_cast<uint8_t>(std::lround(128 + height));
    }
    return sketch;
}

/// What is found of main's pictures beside the reference's.
Displacement found_of(const std::vector<Sketch> &mains, const std::vector<Sketch> &references)
{
    std::vector<PartneredPicture> pairs;
    for (size_t i = 0; i < mains.size(); ++i)
        pairs.emplace_back(mains[i].data(), static_cast<int64_t>(i));
    const auto reference = [&references](int64_t number) {
        const bool exists = number >= 0 && number < static_cast<int64_t>(references.size());
        return exists ? references[static_cast<size_t>(number)].data() : nullptr;
    };
    return find_displacement(pairs, reference, 64);
}

std::vector<Sketch> views(double right, double down, bool is_steep = false)
{
    std::vector<Sketch> list;
    for (int number = 0; number < 18; number += 3)
        list.push_back(waves(number, right, down, is_steep));
    return list;
}

TEST(Displacement, OneSampleIsFound)
{
    for (const double by : {-1.0, 1.0}) {
        EXPECT_EQ(found_of(views(by, 0), views(0, 0)), Displacement::kFound);
        EXPECT_EQ(found_of(views(0, by), views(0, 0)), Displacement::kFound);
    }
    EXPECT_EQ(found_of(views(0, 0), views(0, 0)), Displacement::kNone);
}

/// A sample down is as far as a sample to the right: less than half of one is too little to tell.
TEST(Displacement, DistancesAreSamples)
{
    for (const double by : {0.45, 0.55}) {
        const Displacement expected = by > 0.5 ? Displacement::kFound : Displacement::kNone;
        EXPECT_EQ(found_of(views(by, 0, true), views(0, 0, true)), expected) << by;
        EXPECT_EQ(found_of(views(0, by, true), views(0, 0, true)), expected) << by;
    }
}

/// Where one of the inputs is blank so far, later pictures have to tell.
TEST(Displacement, BlankPicturesTellNothing)
{
    Sketch gray;
    gray.fill(100);
    const std::vector<Sketch> blank(6, gray);
    EXPECT_EQ(found_of(blank, views(0, 0)), Displacement::kUnknown);
    EXPECT_EQ(found_of(views(0, 0), blank), Displacement::kUnknown);
}

/// A black bar is cut off with the means that it darkens, on each side: what is left is equally
/// alike if both pictures are turned.
TEST(Likeness, BarsOfAllSides)
{
    const auto turned = [](Sketch sketch) {
        std::reverse(sketch.begin(), sketch.end());
        return sketch;
    };
    const Sketch other = waves(1, 3, 2);
    for (int width = 1; width < 12; ++width)
        for (const bool is_row : {false, true}) {
            Sketch barred = waves(1, 0, 0);
            for (int i = 0; i < kSketchBytes; ++i)
                if ((is_row ? i / kSketchWidth : i % kSketchWidth) < width)
                    barred[static_cast<size_t>(i)] = 16;
            EXPECT_NEAR(likeness_of(barred, other), likeness_of(turned(barred), turned(other)),
                        1e-9)
                << width << (is_row ? " rows" : " columns");
        }
}

} // namespace
} // namespace vmafgpu::agreement_test
