// SPDX-License-Identifier: BSD-2-Clause-Patent
// Planted defects: each must be reported, or give a wrong result that a comparison
// with the reference sees.
#include <gtest/gtest.h>

#include "defect_kernels.h"
#include "emu/sanitizer.h"
#include "emu_fixture.h"

namespace vmafgpu {
namespace {

constexpr size_t kCount = 4096;

struct Outcome {
    std::string error;
    int code = 0;
    std::vector<uint64_t> out;
};

/// Run a kernel on a device of its own, over kCount zeros.
Outcome run(const Kernel<DefectArgs> &kernel, int wave_size, uint64_t seed = 1, int width = 0,
            bool is_strict = true, unsigned blocks = 1)
{
    const auto device = open_emu(wave_size, seed, 1, is_strict);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> out(*device, kCount);
    Outcome outcome;
    outcome.error = error_of(
        [&] {
            queue->fill(out.data(), 0, kCount * 8);
            DefectArgs args = {};
            args.out = out.data();
            args.width = width;
            queue->launch(kernel, {blocks, 1, 1}, args);
            outcome.out = out.fetch(*queue);
        },
        &outcome.code);
    return outcome;
}

void expect_report(const Outcome &outcome, const std::string &part)
{
    EXPECT_EQ(outcome.code, EIO);
    EXPECT_NE(outcome.error.find(part), std::string::npos)
        << "got: " << outcome.error << "\nwanted: " << part;
}

TEST(EmuDefects, reg01_WidthOf32WrittenDown)
{
    constexpr uint64_t kRight = 128 * 129 / 2;
    EXPECT_EQ(run(kSumOf32, 32).out[0], kRight);
    EXPECT_NE(run(kSumOf32, 64).out[0], kRight);
}

TEST(EmuDefects, reg01_WidthOf64WrittenDown)
{
    constexpr uint64_t kRight = 128 * 129 / 2;
    EXPECT_EQ(run(kSumOf64, 64).out[0], kRight);
    expect_report(run(kSumOf64, 32), "shfl_xor with a mask that leaves the wave");
}

TEST(EmuDefects, reg02_LostCarry)
{
    for (const int wave_size : {32, 64})
        EXPECT_NE(run(kLostCarry, wave_size).out[0], 128 * UINT64_C(0x1f0000001));
}

TEST(EmuDefects, reg03_MiddleLanesLeaveBeforeShuffle)
{
    for (const int wave_size : {32, 64}) {
        expect_report(run(kMiddleLeaves, wave_size), "divergent wave");
        const Outcome lenient = run(kMiddleLeaves, wave_size, 1, 0, false);
        EXPECT_EQ(lenient.error, "");
        EXPECT_NE(lenient.out[0], 128u - 3 * 128 / static_cast<uint64_t>(wave_size));
        EXPECT_NE(lenient.out[0], 128u);
    }
}

TEST(EmuDefects, LanesThatLeftReadAsPoison)
{
    constexpr uint64_t kPoison = UINT64_C(0xa7a7a7a7a7a7a7a7);
    for (const int wave_size : {32, 64}) {
        const Outcome outcome = run(kAskWhoLeft, wave_size, 1, 0, false);
        EXPECT_EQ(outcome.error, "");
        EXPECT_EQ(outcome.out[0], kPoison);
        EXPECT_EQ(outcome.out[128 + 9], 10u);
        EXPECT_EQ(outcome.out[128 + 10], kPoison);
        EXPECT_EQ(outcome.out[128 + 12], 13u);
    }
}

TEST(EmuDefects, reg03_LanesBeyondTheEdgeLeaveBeforeShuffle)
{
    for (const int wave_size : {32, 64}) {
        for (const int width : {1, 31, 33, 63, 65, 97, 127})
            expect_report(run(kTailLeaves, wave_size, 1, width), "has ended");
        // Whole waves may leave, and a full block is right.
        EXPECT_EQ(run(kTailLeaves, wave_size, 1, 64).out[0], 64u);
        EXPECT_EQ(run(kTailLeaves, wave_size, 1, 128).out[0], 128u);
    }
}

TEST(EmuDefects, MissingBarrier)
{
    for (const int wave_size : {32, 64}) {
        for (uint64_t seed = 0; seed < 18; ++seed) {
            const Outcome outcome = run(kNoBarrier, wave_size, seed);
            bool is_right = true;
            for (uint64_t t = 0; t < 256; ++t)
                is_right = is_right && outcome.out[t] == 255 - t;
            EXPECT_FALSE(is_right) << "seed " << seed;
        }
    }
}

TEST(EmuDefects, MissingSecondBarrier)
{
    for (const int wave_size : {32, 64}) {
        for (uint64_t seed = 0; seed < 18; ++seed) {
            const Outcome outcome = run(kNoSecondBarrier, wave_size, seed);
            bool is_right = true;
            for (uint64_t t = 0; t < 256; ++t)
                is_right = is_right && outcome.out[t] == (t + 252) % 256;
            EXPECT_FALSE(is_right) << "seed " << seed;
        }
    }
}

TEST(EmuDefects, MissingWaveBarrier)
{
    for (const int wave_size : {32, 64}) {
        for (uint64_t seed = 0; seed < 18; ++seed) {
            const Outcome outcome = run(kNoWaveBarrier, wave_size, seed);
            bool is_right = true;
            for (uint64_t t = 0; t < 64; ++t)
                is_right = is_right && outcome.out[t] == (t ^ 31);
            EXPECT_FALSE(is_right) << "seed " << seed;
        }
    }
}

TEST(EmuDefects, DivergentBarrier)
{
    for (const int wave_size : {32, 64}) {
        const Outcome outcome = run(kBarrierInBranch, wave_size);
        expect_report(outcome, "divergent barrier");
        expect_report(outcome, "kernel defect_barrier_in_branch, block (0,0,0)");
        expect_report(outcome, "thread 70 has ended");
        expect_report(run(kTwoBarriers, wave_size), "divergent barrier");
        expect_report(run(kLeaveBeforeBarrier, wave_size, 1, 100), "thread 100 has ended");
        EXPECT_EQ(run(kLeaveBeforeBarrier, wave_size, 1, 128).error, "");
    }
}

TEST(EmuDefects, DivergentWave)
{
    for (const int wave_size : {32, 64}) {
        expect_report(run(kShuffleInBranch, wave_size), "divergent wave");
        expect_report(run(kShuffleAndBarrier, wave_size), "divergent wave");
        expect_report(run(kShuffleAndBarrier, wave_size, 1, 0, false), "divergent wave");
    }
}

TEST(EmuDefects, FailedDeviceStaysFailed)
{
    const auto device = open_emu(32);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> out(*device, kCount);
    DefectArgs args = {};
    args.out = out.data();
    int code = 0;
    EXPECT_NE(error_of([&] { queue->launch(kBarrierInBranch, {1, 1, 1}, args); }), "");
    EXPECT_NE(error_of([&] { queue->fill(out.data(), 0, 8); }, &code), "");
    EXPECT_EQ(code, EIO);
    EXPECT_NE(error_of([&] { device->alloc(1); }, &code), "");
    EXPECT_EQ(code, EIO);
}

TEST(EmuDefects, OverrunsAreSeenByGuardZones)
{
    if (emu::kHasAsan) { // stops at the access itself
        EXPECT_DEATH(run(kPastEnd, 32, 1, static_cast<int>(kCount) - 63), "AddressSanitizer");
        EXPECT_DEATH(run(kBeforeStart, 32), "AddressSanitizer");
        EXPECT_DEATH(run(kSharedPastEnd, 32), "AddressSanitizer");
        return;
    }
    expect_report(run(kPastEnd, 32, 1, static_cast<int>(kCount) - 63), "bytes behind its end");
    expect_report(run(kPastEnd, 32, 1, static_cast<int>(kCount) + 300), "bytes behind its end");
    EXPECT_EQ(run(kPastEnd, 32, 1, static_cast<int>(kCount) - 64).error, "");
    expect_report(run(kBeforeStart, 32), "8 bytes before its start");
    expect_report(run(kSharedPastEnd, 32), "written past the end of small");
}

TEST(EmuDefects, reg32_MemoryIsPoisoned)
{
    for (const uint64_t v : run(kUnsetShared, 64).out)
        ASSERT_TRUE(v == 0 || v == UINT64_C(0xa7a7a7a7a7a7a7a8));
    EXPECT_EQ(run(kUnsetShared, 32).out[0], UINT64_C(0xa7a7a7a7a7a7a7a8));
    const auto device = open_emu(32);
    const auto queue = device->make_queue();
    const DeviceArray<uint64_t> fresh(*device, 100);
    for (const uint64_t v : fresh.fetch(*queue))
        EXPECT_EQ(v, UINT64_C(0xa7a7a7a7a7a7a7a7));
}

TEST(EmuDefects, SharedPoisonComesBackWithEveryBlock)
{
    const Outcome outcome = run(kUnsetShared, 64, 1, 0, true, 8);
    EXPECT_EQ(outcome.out[0], UINT64_C(0xa7a7a7a7a7a7a7a8));
}

TEST(EmuDefects, MisusedWords)
{
    expect_report(run(kTooMuchShared, 64), "more (8 bytes) does not fit");
    expect_report(run(kBadLane, 64), "shfl from a lane that no wave has");
}

TEST(EmuDefects, MisalignedAccess)
{
#ifndef VMAFGPU_CHECKS_ALIGNMENT
    GTEST_SKIP() << "kernels of this build do not check alignment: it has a sanitizer of its own";
#endif
    for (const int wave_size : {32, 64}) {
        EXPECT_EQ(run(kOddAddress, wave_size, 1, 4).error, "");
        for (const int odd : {1, 2, 3, 7})
            expect_report(run(kOddAddress, wave_size, 1, odd), "no multiple of 4 bytes, in line ");
    }
}

// Giving up in the middle of kernels: nothing leaks, nothing hangs.
TEST(EmuDefects, FailuresCleanUp)
{
    for (int round = 0; round < 50; ++round) {
        expect_report(run(kShuffleAndBarrier, 64, static_cast<uint64_t>(round), 0, true, 40),
                      "divergent");
    }
}

} // namespace
} // namespace vmafgpu
