// SPDX-License-Identifier: BSD-2-Clause-Patent
// Chroma in every layout that callers have, through the public API: the scores are those
// of planar pictures. Layouts of luma: tests/unit/test_images.cpp.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "gpu/backends.h"
#include "speed_chroma_golden.h"
#include "whole_clips.h"

namespace vmafgpu {
namespace {

constexpr int kFrames = 3;

/// How a picture of the clip is stored; its samples are the clip's top `depth` bits.
struct Layout {
    const char *name;
    int depth, shift;
    bool interleaved; ///< Cb and Cr in one plane
    bool cr_first;
    bool upside_down; ///< negative pitches
};

constexpr Layout kLayouts[] = {
    {"planar 10", 10, 0, false, false, false},    {"P010", 10, 6, true, false, false},
    {"interleaved 10", 10, 0, true, true, false}, {"upside down", 10, 0, false, false, true},
    {"planar 8", 8, 0, false, false, false},      {"NV12", 8, 0, true, false, false},
    {"NV21 upside down", 8, 0, true, true, true},
};

/// A picture and its memory.
class Stored {
public:
    Stored(const SpeedChromaClip &clip, const Layout &layout, int frame, bool is_distorted)
    {
        const Format format = speed_chroma_format(clip);
        const int bytes = layout.depth > 8 ? 2 : 1;
        picture_.width = format.width;
        picture_.height = format.height;
        picture_.depth = layout.depth;
        picture_.shift = layout.shift;
        for (int p = 0; p < 3; ++p) {
            const int step = layout.interleaved && p > 0 ? 2 * bytes : bytes;
            const int width = format.plane_width(p);
            const int height = format.plane_height(p);
            const ptrdiff_t pitch = static_cast<ptrdiff_t>(step) * width + 6;
            auto &memory = memory_[layout.interleaved && p == 2 ? 1 : p];
            if (memory.empty())
                memory.resize(static_cast<size_t>(pitch) * height, 0xff);
            const bool is_second = layout.interleaved && p == (layout.cr_first ? 1 : 2);
            unsigned char *first = memory.data() + (is_second ? bytes : 0);
            unsigned char *top = layout.upside_down ? first + pitch * (height - 1) : first;
            picture_.plane[p].data = top;
            picture_.plane[p].pitch = layout.upside_down ? -pitch : pitch;
            picture_.plane[p].step = step;
            for (int y = 0; p > 0 && y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    const SpeedChromaSamples samples = speed_chroma_samples(clip, p, frame, x, y);
                    const int64_t wide = is_distorted ? samples.distorted : samples.reference;
                    const auto value =
                        static_cast<uint16_t>(wide >> (16 - layout.depth) << layout.shift);
                    std::memcpy(top + picture_.plane[p].pitch * y +
                                    static_cast<ptrdiff_t>(step) * x,
                                &value, static_cast<size_t>(bytes));
                }
            }
        }
    }
    const VmafGpuPicture &picture() const { return picture_; }

private:
    VmafGpuPicture picture_ = {};
    std::vector<unsigned char> memory_[3];
};

std::vector<double> scores(const SpeedChromaClip &clip, const Layout &layout,
                           const std::string &device)
{
    TestSettings settings = clip_settings(speed_chroma_format(clip), {}, device);
    settings.features = {{"speed_chroma", nullptr}};
    std::vector<Stored> stored;
    stored.reserve(2 * kFrames);
    const TestContext context(settings);
    EXPECT_EQ(vmafgpu_needs_chroma(context.get()), 1) << context.error.text;
    for (int frame = 0; frame < kFrames; ++frame) {
        stored.emplace_back(clip, layout, frame, false);
        stored.emplace_back(clip, layout, frame, true);
        EXPECT_EQ(vmafgpu_submit(context.get(), &stored[stored.size() - 2].picture(),
                                 &stored.back().picture(), 0),
                  0);
    }
    vmafgpu_flush(context.get());
    std::vector<Row> rows;
    std::vector<double> all;
    EXPECT_EQ(collect_all(context.get(), rows), -ENODATA);
    for (const Row &row : rows)
        all.insert(all.end(), row.scores.begin(), row.scores.end());
    EXPECT_EQ(all.size(), 3U * kFrames);
    return all;
}

TEST(ChromaLayouts, EqualPlanarPictures)
{
    std::vector<std::string> devices = {"cpu"};
    for (const Backend &backend : backends())
        if (std::strcmp(backend.name, "emu64") == 0)
            devices.emplace_back(backend.name);
    for (const Chroma chroma : {Chroma::k420, Chroma::k422, Chroma::k444}) {
        const SpeedChromaClip clip = {"L", 335,  327, chroma, 10, SpeedChromaKind::kPlain,
                                      31,  2048, 1500};
        const auto ten = scores(clip, kLayouts[0], "cpu");
        EXPECT_NE(ten[0], 0);
        for (const std::string &device : devices) {
            std::vector<double> eight;
            for (const Layout &layout : kLayouts) {
                SCOPED_TRACE(device + " " + layout.name);
                const auto got = scores(clip, layout, device);
                if (layout.depth == 10) {
                    EXPECT_EQ(got, ten);
                    continue;
                }
                if (eight.empty())
                    eight = got;
                EXPECT_EQ(got, eight);
                EXPECT_NE(got, ten); // two bits less
            }
        }
    }
}

/// 8 bit promoted by the engine scores as 10 bit whose low bits are zero.
TEST(ChromaLayouts, PromotionIsALeftShift)
{
    const SpeedChromaClip clip = {"L", 335,  327, Chroma::k420, 8, SpeedChromaKind::kPlain,
                                  31,  2048, 1500};
    SpeedChromaClip ten = clip;
    ten.depth = 10;
    // libvmaf scales 10 bit by 1/4: the same levels, so the same scores as at 8 bit.
    EXPECT_EQ(scores(ten, kLayouts[4], "cpu"), scores(clip, kLayouts[4], "cpu"));
}

} // namespace
} // namespace vmafgpu
