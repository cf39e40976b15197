// SPDX-License-Identifier: BSD-2-Clause-Patent
// Shots: found against lists made by hand on five generated clips, misses and false ones counted;
// cuts in one input only; what a cut run, a ring of one and segments change; files of other tools.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>

#include "base/error.h"
#include "picture/sketch.h"
#include "plan/shots.h"
#include "report_fixtures.h"

namespace vmafgpu::shots_test {
namespace {

constexpr int kWidth = 160, kHeight = 90;
using Picture = std::vector<double>;

/// Blobs of a scene; it is wider than the picture, so that a camera can pan.
Picture scene(unsigned seed, double left = 0)
{
    std::mt19937 random(seed);
    constexpr int kCell = 20, kColumns = 64, kRows = 8;
    std::vector<double> grid(static_cast<size_t>(kColumns) * kRows);
    for (double &value : grid)
        value = 30 + static_cast<int>(random() % 180);
    const auto at = [&](int row, int column) {
        return grid[static_cast<size_t>(row % kRows) * kColumns +
                    static_cast<size_t>(column % kColumns)];
    };
    Picture picture;
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const double u = (x + left) / kCell, v = static_cast<double>(y) / kCell;
            const int column = static_cast<int>(u), row = static_cast<int>(v);
            const double s = u - column, t = v - row;
            picture.push_back((at(row, column) * (1 - s) + at(row, column + 1) * s) * (1 - t) +
                              (at(row + 1, column) * (1 - s) + at(row + 1, column + 1) * s) * t);
        }
    return picture;
}

Picture mixed(const Picture &a, double part, const Picture &b)
{
    Picture picture(a.size());
    for (size_t i = 0; i < a.size(); ++i)
        picture[i] = a[i] * part + b[i] * (1 - part);
    return picture;
}

Picture blank(double level)
{
    return Picture(static_cast<size_t>(kWidth) * kHeight, level);
}

/// Sketch with noise of some deviation, as of grain or of a poor encode.
std::vector<uint8_t> sketch_of(const Picture &picture, double noise, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> grain(0, noise);
    std::vector<uint8_t> samples;
    for (const double value : picture)
        samples.push_back(static_cast<uint8_t>(
            std::clamp(std::lround(value + (noise > 0 ? grain(random) : 0)), 0L, 255L)));
    VmafGpuPicture described = {};
    described.width = kWidth;
    described.height = kHeight;
    described.depth = 8;
    described.plane[0].data = samples.data();
    described.plane[0].pitch = kWidth;
    std::vector<uint8_t> sketch(kSketchBytes);
    make_sketch(described, sketch.data());
    return sketch;
}

struct Clip {
    const char *name;
    int frames;
    std::function<Picture(int)> frame;
    double noise;
    std::vector<std::pair<int64_t, int64_t>> cuts; ///< first and last pair that is right
};

/// Scenes of some lengths, which move a little.
Picture hard(int frame, const std::vector<int> &lengths)
{
    unsigned number = 0;
    while (frame >= lengths[number])
        frame -= lengths[number++];
    return scene(100 + number, frame * 0.5);
}

Picture fades(int frame)
{
    const Picture black = blank(16);
    if (frame < 42) // a fade out of 12 frames, 6 black ones, a fade in
        return mixed(scene(1), std::clamp((42 - frame) / 12.0, 0.0, 1.0), black);
    if (frame < 90)
        return mixed(scene(2), std::clamp((frame - 47) / 12.0, 0.0, 1.0), black);
    if (frame < 120)
        return scene(3);
    return mixed(scene(4), std::clamp((frame - 120) / 24.0, 0.0, 1.0), scene(3)); // no cut
}

Picture flashes(int frame)
{
    Picture picture = frame < 70 ? scene(5, frame) : scene(6, frame);
    const bool is_white =
        frame == 20 || frame == 40 || frame == 41 || frame == 100 || frame == 101 || frame == 102;
    const bool is_bright = frame >= 50 && frame < 58;
    if (frame >= 110 && frame < 113) // a cut that takes three frames
        picture = mixed(blank(255), (113 - frame) / 3.0, picture);
    for (double &value : picture)
        value = is_white ? value + 180 : is_bright ? value * 0.8 + 50 : value;
    return picture;
}

Picture pan(int frame)
{
    const int moved = std::clamp(frame - 20, 0, 60); // begins and ends at once
    return frame < 50 ? scene(7, moved * 4.0) : scene(8, moved * 4.0);
}

Picture noise(int frame)
{
    if (frame < 30)
        return blank(120);
    return frame < 60 ? mixed(scene(9), 0.5, blank(90)) : mixed(scene(10), 0.5, blank(90));
}

const std::vector<int> kLengths = {30, 12, 45, 8, 25, 5, 30};
const Clip kClips[] = {
    {"hard cuts",
     155,
     [](int i) { return hard(i, kLengths); },
     2,
     {{30, 30}, {42, 42}, {87, 87}, {95, 95}, {120, 120}, {125, 125}}},
    {"fades", 170, fades, 2, {{48, 51}, {90, 90}}},
    {"flashes", 130, flashes, 2, {{70, 70}}},
    {"pan", 110, pan, 2, {{50, 50}}},
    {"noise", 90, noise, 25, {{30, 30}, {60, 60}}},
};

struct Faults {
    int missed = 0, false_ones = 0;
};

Faults faults_of(const Clip &clip, std::vector<int64_t> found)
{
    Faults faults;
    for (const auto &[first, last] : clip.cuts) {
        const auto hit =
            std::find_if(found.begin(), found.end(), [first = first, last = last](int64_t index) {
                return index >= first && index <= last;
            });
        if (hit == found.end())
            ++faults.missed;
        else
            found.erase(hit);
    }
    faults.false_ones = static_cast<int>(found.size());
    return faults;
}

/// Sketches of main and reference. Main is a poor encode: softer, and with other noise.
std::vector<PairSketch> sketches_of(const Clip &clip)
{
    std::vector<PairSketch> pairs;
    for (int i = 0; i < clip.frames; ++i) {
        const Picture picture = clip.frame(i);
        const auto seed = static_cast<unsigned>(i);
        pairs.push_back({i,
                         {sketch_of(mixed(picture, 0.9, blank(120)), 4, 5000 + seed),
                          sketch_of(picture, clip.noise, seed)}});
    }
    return pairs;
}

void add(ShotFinder &finder, const PairSketch &pair)
{
    finder.add(pair.index, pair.of[VMAFGPU_MAIN].data(), pair.of[VMAFGPU_REFERENCE].data());
}

TEST(Shots, AreThoseOfTheListsByHand)
{
    for (const Clip &clip : kClips) {
        ShotFinder finder({});
        for (const PairSketch &pair : sketches_of(clip))
            add(finder, pair);
        finder.end_segment();
        const Shots shots = finder.shots(clip.frames);
        const Faults faults = faults_of(clip, shots.cuts.all);
        std::string list;
        for (const int64_t index : shots.cuts.all)
            list += " " + std::to_string(index);
        EXPECT_EQ(0, faults.missed) << clip.name << ":" << list;
        EXPECT_EQ(0, faults.false_ones) << clip.name << ":" << list;
        EXPECT_TRUE(shots.cuts.main_only.empty()) << clip.name;
        EXPECT_TRUE(shots.cuts.reference_only.empty()) << clip.name;
    }
}

TEST(Shots, CutsOfOneInputAreNamed)
{
    ShotFinder finder({});
    for (int i = 0; i < 60; ++i) {
        const auto main = sketch_of(scene(i < 20 ? 1 : 2), 2, static_cast<unsigned>(i));
        const auto reference = sketch_of(scene(i < 40 ? 1 : 2), 2, 900 + static_cast<unsigned>(i));
        finder.add(i, main.data(), reference.data());
    }
    finder.end_segment();
    const Cuts cuts = finder.shots(60).cuts;
    EXPECT_EQ(std::vector<int64_t>{40}, cuts.all);
    EXPECT_EQ(std::vector<int64_t>{20}, cuts.main_only);
    EXPECT_EQ(std::vector<int64_t>{40}, cuts.reference_only);
}

/// A picture that fades in makes no cut, but it begins a shot if the pictures before it were blank:
/// black with a little noise is, a dark picture is not.
TEST(Shots, APictureAfterNoisyBlackBeginsAShot)
{
    const auto shots_after = [](int contrast_before) {
        ShotFinder finder({});
        for (int i = 0; i < 40; ++i) {
            const int contrast = i < 20 ? contrast_before : i - 14;
            std::vector<uint8_t> sketch(kSketchBytes);
            for (size_t k = 0; k < sketch.size(); ++k) // it deviates by half of the contrast
                sketch[k] = static_cast<uint8_t>(k % 2 == 0 ? 16 : 16 + contrast);
            finder.add(i, sketch.data(), sketch.data());
        }
        finder.end_segment();
        return finder.shots(40).cuts.all;
    };
    EXPECT_EQ(std::vector<int64_t>{20}, shots_after(3));
    EXPECT_EQ(std::vector<int64_t>{}, shots_after(5));
}

TEST(Shots, NumbersComeAfterThreePairs)
{
    const auto pairs = sketches_of(kClips[0]);
    ShotFinder finder({});
    for (size_t i = 0; i < 36; ++i)
        add(finder, pairs[i]);
    EXPECT_EQ(0, finder.shot_of(29));
    EXPECT_EQ(1, finder.shot_of(30));
    EXPECT_EQ(1, finder.shot_of(32));
    EXPECT_EQ(-1, finder.shot_of(33));
    finder.end_segment();
    EXPECT_EQ(1, finder.shot_of(35));
}

/// The chunks before it have cuts, too.
TEST(Shots, ALaterChunkKnowsNoNumbers)
{
    const auto pairs = sketches_of(kClips[0]);
    ShotFinder finder({6, 10, 50, 60});
    for (size_t i = 6; i < 53; ++i)
        add(finder, pairs[i]);
    finder.end_segment();
    EXPECT_EQ(-1, finder.shot_of(20));
    EXPECT_EQ(-1, finder.shot_of(40));
}

/// A run that is stopped has the shots of one that ended there.
TEST(Shots, CutForgetsWhatCame)
{
    const auto pairs = sketches_of(kClips[0]);
    for (int end = 1; end < 50; ++end) {
        ShotFinder whole({}), cut({});
        for (int i = 0; i < end + kShotAfter; ++i)
            add(cut, pairs[static_cast<size_t>(i)]);
        for (int i = 0; i < end; ++i)
            add(whole, pairs[static_cast<size_t>(i)]);
        cut.cut(end);
        cut.end_segment();
        whole.end_segment();
        EXPECT_EQ(whole.shots(end).cuts.all, cut.shots(end).cuts.all) << end;
    }
}

/// Nothing is compared over a gap.
TEST(Shots, SegmentBeginsNoShot)
{
    const auto pairs = sketches_of(kClips[0]);
    ShotFinder finder({});
    for (size_t i = 0; i < 60; ++i) {
        if (i == 30) // where the clip has a cut
            finder.end_segment();
        add(finder, pairs[i]);
    }
    finder.end_segment();
    EXPECT_EQ(std::vector<int64_t>{42}, finder.shots(60).cuts.all);
}

TEST(Shots, AreReadFromFiles)
{
    const TemporaryFolder folder;
    const std::string path = folder / "shots";
    const auto read = [&path](const char *text) {
        std::ofstream(path, std::ios::binary) << text;
        return read_shots(path);
    };
    const auto refusal = [&read](const char *text) -> std::string {
        try {
            read(text);
        } catch (const Error &error) {
            return error.what();
        }
        return "";
    };
    const std::vector<int64_t> wanted = {24, 100};
    EXPECT_EQ(wanted, read("0\n24\n100\n"));
    EXPECT_EQ(wanted, read("24\r\n\r\n100"));
    EXPECT_EQ(wanted, read("# a qpfile\n0 I -1\n24 I -1\n100 K\n"));
    EXPECT_EQ(wanted, read("24,00:00:01.000\n100,x\n"));
    EXPECT_EQ(std::vector<int64_t>{}, read("0\n"));
    EXPECT_NE(std::string::npos, refusal("1\nx\n").find("line 2"));
    EXPECT_NE(std::string::npos, refusal("1\n-3\n").find("line 2"));
    EXPECT_NE(std::string::npos, refusal("1\n2.5\n").find("line 2"));
    EXPECT_NE(std::string::npos, refusal("5\n5\n").find("not after"));
    EXPECT_NE(std::string::npos, refusal("99999999999999999999\n").find("line 1"));
    EXPECT_NE(std::string::npos, refusal("# none\n").find("no number"));
    EXPECT_THROW(read_shots(folder / "missing"), Error);
}

} // namespace
} // namespace vmafgpu::shots_test
