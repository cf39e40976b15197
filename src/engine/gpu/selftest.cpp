// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host half of the self-test: runs the kernels and computes the expected results.
#include "gpu/selftest.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/device_memory.h"
#include "gpu/selftest_cases.h"

namespace vmafgpu {

namespace {

constexpr int kCount = kSelftestBlocks * kSelftestThreads;

#define VMAFGPU_CASE(function, text) text,
const char *const kCaseNames[selftest::kSelftestCases] = {VMAFGPU_SELFTEST_CASES(VMAFGPU_CASE)};
#undef VMAFGPU_CASE

const char *const kWordNames[kSelftestWords] = {
    "shfl of 64 bits",    "shfl of 32 bits",
    "broadcast",          "shfl_xor",
    "wave_sum of uint32", "wave_sum of uint64",
    "wave_sum of int64",  "block_sum",
    "shared memory",      "atomic_add in shared memory",
    "ids and sizes",
};

/// Results of multiply_subtract(), so that host and device cannot be wrong together.
constexpr int64_t kMultiplySubtract[selftest::kTriples] = {24, 24, 24, 29324, 89852};

[[noreturn]] void fail(const Device &device, const std::string &what, uint64_t got,
                       uint64_t expected)
{
    char values[64];
    std::snprintf(values, sizeof(values), "0x%" PRIx64 " instead of 0x%" PRIx64, got, expected);
    throw SelfTestError(std::string("self-test of ") + device.info().selector + " (" +
                        device.info().name + ") failed: " + what + " gives " + values +
                        "; its scores would be wrong");
}

void compare(const Device &device, const std::vector<uint64_t> &got,
             const std::vector<uint64_t> &expected, const char *const *names)
{
    for (size_t i = 0; i < expected.size(); ++i) {
        if (got[i] != expected[i]) {
            fail(device, names[i / kCount] + std::string(", thread ") + std::to_string(i % kCount),
                 got[i], expected[i]);
        }
    }
}

std::vector<uint64_t> expected_arithmetic()
{
    std::vector<uint64_t> expected;
    for (int which = 0; which < selftest::kSelftestCases; ++which) {
        for (int i = 0; i < kCount; ++i) {
            expected.push_back(
                which == selftest::kCase_multiply_subtract
                    ? static_cast<uint64_t>(kMultiplySubtract[i % selftest::kTriples])
                    : selftest::run_case(which, i));
        }
    }
    return expected;
}

/// The values of the threads first .. first + n - 1.
struct Sums {
    Sums(int first, int n)
    {
        for (int i = first; i < first + n; ++i) {
            const uint64_t v = selftest::input(i, 40);
            u32 += static_cast<uint32_t>(v);
            u64 += v;
            i64 += static_cast<int64_t>(v) >> 8;
        }
    }
    uint32_t u32 = 0;
    uint64_t u64 = 0;
    int64_t i64 = 0;
};

uint64_t expected_word(int word, int i, int waves)
{
    const int t = i % kSelftestThreads;
    const int block = i - t;
    const int lane = t % waves;
    const int wave = i - lane;
    const auto value = [](int thread) {
        return selftest::input(thread, 40);
    };
    switch (word) {
    case kWordShfl:
        return value(wave + (lane * 7 + 3) % waves);
    case kWordShfl32:
        return static_cast<uint32_t>(value(wave + waves - 1 - lane));
    case kWordBroadcast:
        return value(wave + i / kSelftestThreads + 5);
    case kWordShflXor:
        return value(wave + (lane ^ (waves / 2 + 1)));
    case kWordWaveSumU32:
        return Sums(wave, waves).u32;
    case kWordWaveSumU64:
        return Sums(wave, waves).u64;
    case kWordWaveSumI64:
        return static_cast<uint64_t>(Sums(wave, waves).i64);
    case kWordBlockSum:
        return t < waves ? Sums(block, kSelftestThreads).u64 : 0;
    case kWordShared:
        return value(block + kSelftestThreads - 1 - t);
    case kWordSharedAtomic:
        return Sums(block, kSelftestThreads).u32;
    default:
        return static_cast<uint64_t>(kSelftestThreads) << 32 | static_cast<uint64_t>(waves) << 16 |
               static_cast<uint64_t>(t / waves);
    }
}

std::vector<uint64_t> run(Device &device, Queue &queue, const Kernel<SelftestArgs> &kernel,
                          int results, SelftestTotals &totals)
{
    const size_t bytes = static_cast<size_t>(results) * kCount * sizeof(uint64_t);
    const size_t all = bytes + sizeof(SelftestTotals);
    const DeviceMemory on_device(device, all), on_host(device, all, DeviceMemory::Kind::kPinned);
    SelftestArgs args = {};
    args.results = reinterpret_cast<uint64_t *>(on_device.data());
    args.totals = reinterpret_cast<SelftestTotals *>(on_device.data() + bytes);
    const std::unique_ptr<Event> event = device.make_event();
    queue.fill(on_device.data(), 0, all);
    queue.launch(kernel, Grid{kSelftestBlocks, 1, 1}, args);
    queue.download(on_host.data(), on_device.data(), all);
    queue.record(*event);
    event->sync();
    const char *host = on_host.data();
    std::vector<uint64_t> got(static_cast<size_t>(results) * kCount);
    std::memcpy(got.data(), host, bytes);
    std::memcpy(&totals, host + bytes, sizeof(totals));
    return got;
}

void compare_totals(const Device &device, const SelftestTotals &got)
{
    const Sums sums(0, kCount);
    const auto same = [&](const char *name, uint64_t value, uint64_t expected) {
        if (value != expected)
            fail(device, name, value, expected);
    };
    same("atomic_add of uint64", got.u64, sums.u64);
    same("atomic_add of int64", static_cast<uint64_t>(got.i64), static_cast<uint64_t>(sums.i64));
    same("atomic_add of uint32", got.u32, sums.u32);
    same("atomic_add of int32", static_cast<uint32_t>(got.i32), sums.u32);
}

} // namespace

void run_selftest(Device &device)
{
    const std::unique_ptr<Queue> queue = device.make_queue();
    SelftestTotals totals = {};
    compare(device, run(device, *queue, kSelftestArithmetic, selftest::kSelftestCases, totals),
            expected_arithmetic(), kCaseNames);

    const std::vector<uint64_t> got = run(device, *queue, kSelftestWaves, kSelftestWords, totals);
    std::vector<uint64_t> expected;
    for (int word = 0; word < kSelftestWords; ++word) {
        for (int i = 0; i < kCount; ++i)
            expected.push_back(expected_word(word, i, device.info().wave_size));
    }
    compare(device, got, expected, kWordNames);
    compare_totals(device, totals);
}

} // namespace vmafgpu
