// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures in device memory: many of them, and planes that are larger than tests can fill. (The
// emulator's device memory is host memory, so the pictures need no upload.) Their layouts:
// tests/unit/test_images.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "../unit/fixture.h"
#include "emu/block_runner.h"
#include "gpu/unpack_args.h"
#include "simt/kernel_registry.h"

namespace vmafgpu {
namespace {

// Several pairs share a load, which a batch's end and the last pairs cut short; batches are
// large enough to be scored on several threads.
constexpr int kFrames = 100;
constexpr int kDeepRing = 64;

std::vector<Row> run_frames(const std::string &device, bool is_reference_on_device)
{
    TestSettings settings;
    settings.width = 20;
    settings.height = 43;
    settings.device = device;
    settings.ring = kDeepRing;
    settings.models.clear();
    settings.features = {{"vif", nullptr}, {"adm", nullptr}, {"motion", nullptr}};
    Layout layout;
    layout.padding = 13;
    TestRun run = make_run(settings, kFrames, layout);
    for (size_t i = 0; i < run.reference.size() && device != "cpu"; ++i) {
        run.distorted[i]->picture.memory = VMAFGPU_MEMORY_DEVICE;
        if (is_reference_on_device)
            run.reference[i]->picture.memory = VMAFGPU_MEMORY_DEVICE;
    }
    TestContext context(settings);
    EXPECT_EQ(0, context.status) << context.error.text;
    return run_all(context, run);
}

TEST(DevicePictures, ManyPairsShareALoad)
{
    const auto expected = run_frames("cpu", false);
    ASSERT_EQ(expected.size(), static_cast<size_t>(kFrames));
    for (const char *device : {"emu32", "emu64"})
        for (const bool is_reference_on_device : {true, false})
            EXPECT_TRUE(run_frames(device, is_reference_on_device) == expected) << device;
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
