// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures in device memory: the kernel that loads them and the executor that
// launches it, in every layout a hardware decoder gives. (The emulator's device
// memory is host memory, so the pictures need no upload.) Host pictures:
// tests/unit/test_unpack.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "../unit/fixture.h"
#include "base/unpack.h"
#include "emu/block_runner.h"
#include "emu/kernel_registry.h"
#include "emu_fixture.h"
#include "gpu/unpack_args.h"

namespace vmafgpu {
namespace {

const char *const kDevices[] = {"emu32", "emu64"};
constexpr int kFrames = 5; // a full batch, and one that ends early
// Several pairs share a load, which a batch's end and the last pairs cut short; batches are
// large enough to be scored on several threads.
constexpr int kManyFrames = 100;
constexpr int kDeepRing = 64;

/// Every feature and no model: the scores show each sample, and nothing is clipped.
TestSettings settings_for(int width, int depth, const std::string &device)
{
    TestSettings settings;
    settings.width = width;
    settings.height = 43;
    settings.depth = depth;
    settings.device = device;
    settings.models.clear();
    settings.features = {{"vif", nullptr}, {"adm", nullptr}, {"motion", nullptr}};
    return settings;
}

/// Which picture of a pair lies how, and at what depth.
struct Stored {
    Layout layout;
    int depth;
    bool is_on_device;
};

std::vector<Row> run_stored(const TestSettings &settings, const Stored &reference,
                            const Stored &distorted, int frames = kFrames)
{
    TestContext context(settings);
    EXPECT_EQ(0, context.status) << context.error.text;
    TestRun run;
    for (int frame = 0; frame < frames; ++frame) {
        for (const bool is_distorted : {false, true}) {
            const Stored &how = is_distorted ? distorted : reference;
            const Image image =
                make_image(settings.width, settings.height, how.depth, frame, is_distorted);
            auto stored = std::make_unique<StoredPicture>(image, how.layout);
            if (how.is_on_device)
                stored->picture.memory = VMAFGPU_MEMORY_DEVICE;
            (is_distorted ? run.distorted : run.reference).push_back(std::move(stored));
        }
    }
    std::vector<Row> rows = run_all(context, run);
    for (int frame = 0; frame < frames; ++frame) {
        const auto at = static_cast<size_t>(frame);
        EXPECT_EQ(run.reference[at]->releases, 1);
        EXPECT_EQ(run.distorted[at]->releases, 1);
    }
    return rows;
}

/// The same pairs as tight host pictures that need no conversion, on the CPU.
std::vector<Row> run_plain(int width, int depth, int reference_depth, int distorted_depth,
                           int frames = kFrames)
{
    const TestSettings settings = settings_for(width, depth, "cpu");
    TestContext context(settings);
    EXPECT_EQ(0, context.status) << context.error.text;
    TestRun run;
    for (int frame = 0; frame < frames; ++frame) {
        for (const bool is_distorted : {false, true}) {
            const int own = is_distorted ? distorted_depth : reference_depth;
            const Image image = make_image(width, settings.height, own, frame, is_distorted);
            (is_distorted ? run.distorted : run.reference)
                .push_back(std::make_unique<StoredPicture>(promoted(image, depth)));
        }
    }
    return run_all(context, run);
}

struct LayoutCase {
    const char *name;
    int width, depth, picture_depth;
    Layout layout;
};

Layout layout(int shift, unsigned garbage, int padding, int step = 0, int offset = 0,
              bool is_flipped = false)
{
    return {shift, garbage, padding, step, offset, is_flipped};
}

// Memory of a StoredPicture begins at a multiple of 16. 67 samples: rows end in
// the middle of 16 bytes; 64: they do not.
const LayoutCase kLayouts[] = {
    {"8 bits, aligned", 67, 8, 8, layout(0, 0, 13)},
    {"8 bits, aligned, whole", 64, 8, 8, layout(0, 0, 0)},
    {"8 bits, odd pitch", 67, 8, 8, layout(0, 0, 8)},
    {"8 bits, cropped", 67, 8, 8, layout(0, 0, 13, 0, 5)},
    {"8 bits, bottom row first", 67, 8, 8, layout(0, 0, 13, 0, 0, true)},
    {"8 bits of interleaved ones", 67, 8, 8, layout(0, 0, 0, 2)},
    {"10 bits, garbage above", 67, 10, 10, layout(0, 0xffff, 10)},
    {"P010", 67, 10, 10, layout(6, 0xffff, 10)},
    {"P010, odd pitch", 67, 10, 10, layout(6, 0xffff, 0)},
    {"P010, cropped", 67, 10, 10, layout(6, 0xffff, 10, 0, 6)},
    {"P010, bottom row first", 67, 10, 10, layout(6, 0xffff, 10, 0, 0, true)},
    {"P012", 67, 12, 12, layout(4, 0xffff, 10)},
    {"16 bits", 67, 16, 16, layout(0, 0, 10)},
    {"10 bits of interleaved ones", 67, 10, 10, layout(0, 0xffff, 0, 4)},
    {"8 bits promoted to 10", 67, 10, 8, layout(0, 0, 13)},
    {"8 bits promoted to 10, cropped", 67, 10, 8, layout(0, 0, 13, 0, 3)},
    {"P010 promoted to 12", 67, 12, 10, layout(6, 0xffff, 10)},
};

TEST(DevicePictures, reg19_EveryLayoutLoadsAsPlainSamples)
{
    for (const LayoutCase &item : kLayouts) {
        const Stored stored = {item.layout, item.picture_depth, true};
        const auto expected =
            run_plain(item.width, item.depth, item.picture_depth, item.picture_depth);
        ASSERT_EQ(expected.size(), static_cast<size_t>(kFrames));
        for (const char *device : kDevices) {
            const TestSettings settings = settings_for(item.width, item.depth, device);
            EXPECT_TRUE(run_stored(settings, stored, stored) == expected)
                << item.name << " on " << device;
        }
    }
}

// A decoder's surface against a file's frame: one on the device, one not, of two depths.
TEST(DevicePictures, OneOfThePairOnTheDevice)
{
    const Layout p010 = layout(6, 0xffff, 10);
    const Layout bytes = layout(0, 0, 13);
    const auto expected = run_plain(67, 10, 8, 10);
    for (const char *device : kDevices) {
        const TestSettings settings = settings_for(67, 10, device);
        for (const bool is_reference : {false, true}) {
            EXPECT_TRUE(run_stored(settings, {bytes, 8, is_reference}, {p010, 10, !is_reference}) ==
                        expected)
                << device << (is_reference ? ", the reference" : ", the distorted one");
        }
    }
}

TEST(DevicePictures, ManyPairsShareALoad)
{
    const Stored stored = {layout(0, 0, 13), 8, true};
    const Stored on_host = {layout(0, 0, 13), 8, false};
    const auto expected = run_plain(20, 8, 8, 8, kManyFrames);
    ASSERT_EQ(expected.size(), static_cast<size_t>(kManyFrames));
    for (const char *device : kDevices) {
        TestSettings settings = settings_for(20, 8, device);
        settings.ring = kDeepRing;
        EXPECT_TRUE(run_stored(settings, stored, stored, kManyFrames) == expected) << device;
        EXPECT_TRUE(run_stored(settings, on_host, stored, kManyFrames) == expected)
            << device << ", the reference from the host";
    }
}

/// A plane of the test below as the kernel takes it: the source in `picture`, the
/// result in `to`.
UnpackPlane plane_args(const VmafGpuPicture &picture, int plane, const Format &format, void *to,
                       size_t pitch)
{
    UnpackPlane args = {};
    args.from = picture.plane[plane].data;
    args.from_pitch = picture.plane[plane].pitch;
    args.to = to;
    args.to_pitch = static_cast<int64_t>(pitch);
    args.width = args.items_per_row = format.plane_width(plane);
    args.height = format.plane_height(plane);
    args.from_bytes = picture.depth > 8 ? 2 : 1;
    args.to_bytes = format.sample_bytes();
    args.step = picture.plane[plane].step == 0 ? args.from_bytes : picture.plane[plane].step;
    args.shift = picture.shift;
    args.mask = (1 << picture.depth) - 1;
    args.promote = format.depth - picture.depth;
    return args;
}

/// NV12 (depth 8) or P010 (10): Cb and Cr by turns, both half as wide and high.
VmafGpuPicture semi_planar(const std::vector<uint16_t> &memory, int depth, const Format &format)
{
    const auto *bytes = reinterpret_cast<const char *>(memory.data());
    const int sample = depth > 8 ? 2 : 1;
    const ptrdiff_t pitch = 160;
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = depth;
    picture.shift = depth > 8 ? 6 : 0;
    picture.plane[0] = {bytes, pitch, 0, 0};
    const char *chroma = bytes + pitch * format.height;
    picture.plane[1] = {chroma, pitch, 2 * sample, 0};
    picture.plane[2] = {chroma + sample, pitch, 2 * sample, 0};
    return picture;
}

// No feature reads chroma yet, so the kernel is launched by hand: three planes of
// different sizes in one launch equal what host pictures become.
TEST(DevicePictures, reg51_SemiPlanarChroma)
{
    for (const int wave_size : {32, 64}) {
        for (const int depth : {8, 10}) {
            const Format format = {67, 43, 10, Chroma::k420};
            constexpr size_t kPitch = 256;
            constexpr size_t kPlane = kPitch * 43;
            std::vector<uint16_t> memory(160 / 2 * (43 + 22));
            for (size_t i = 0; i < memory.size(); ++i)
                memory[i] = static_cast<uint16_t>(i * 40503);
            const VmafGpuPicture picture = semi_planar(memory, depth, format);
            const auto device = open_emu(wave_size);
            const auto queue = device->make_queue();
            const DeviceArray<unsigned char> out(*device, 3 * kPlane);
            queue->fill(out.data(), 0x5a, 3 * kPlane);
            std::vector<unsigned char> expected(3 * kPlane, 0x5a);
            UnpackPlanesArgs args = {};
            for (int p = 0; p < 3; ++p) {
                const size_t at = static_cast<size_t>(p) * kPlane;
                args.plane[p] = plane_args(picture, p, format, out.data() + at, kPitch);
                unpack_plane(picture, p, format, expected.data() + at, kPitch);
            }
            queue->launch(kUnpackPlanes, {(67 * 43 + 255) / 256, 1, 3}, args);
            EXPECT_TRUE(out.fetch(*queue) == expected) << depth << " bits, waves of " << wave_size;
        }
    }
}

// Blocks of the largest plane that the API allows, run alone: its items are more than an int
// counts.
TEST(DevicePictures, BlocksBeyondTwoToThe31)
{
    constexpr int kSide = 65535;
    std::vector<uint8_t> from(kSide);
    for (size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<uint8_t>(i * 7 + i / 256);
    UnpackPlanesArgs args = {};
    UnpackPlane &plane = args.plane[0];
    plane.from = from.data(); // pitches of 0: every row is the same one
    plane.width = plane.height = plane.items_per_row = kSide;
    plane.from_bytes = plane.to_bytes = plane.step = 1;
    plane.mask = 255;
    emu::LaunchView launch = {emu::find_kernel(kUnpackPlanes.name), &args, 256, 32, true};
    ASSERT_NE(nullptr, launch.kernel);
    emu::BlockRunner runner;
    constexpr int64_t kItems = int64_t{kSide} * kSide;
    for (const int64_t item : {int64_t{1} << 31, (int64_t{1} << 31) + 77777, kItems - 1}) {
        std::vector<uint8_t> out(3 * size_t{kSide}, 0); // room for what a wrong index would write
        plane.to = out.data() + kSide;
        const emu::BlockView block = {static_cast<int>(item / 256),           0,   0,
                                      static_cast<int>((kItems + 255) / 256), 256, 32};
        ASSERT_EQ("", runner.run(launch, block, 1));
        std::vector<uint8_t> expected(out.size(), 0);
        for (int64_t i = item / 256 * 256; i < std::min(item / 256 * 256 + 256, kItems); ++i)
            expected[static_cast<size_t>(kSide + i % kSide)] = from[static_cast<size_t>(i % kSide)];
        EXPECT_TRUE(expected == out) << item;
    }
}

} // namespace
} // namespace vmafgpu
