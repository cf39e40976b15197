// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host half of the self-test: runs the kernels and computes the expected results.
#include "gpu/selftest.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iterator>
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

#define VMAFGPU_WORD(text, stored, expected) text,
const char *const kWordNames[] = {VMAFGPU_SELFTEST_WORDS(VMAFGPU_WORD)};
#undef VMAFGPU_WORD

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

std::vector<uint64_t> expected_words(int waves)
{
    const auto value = [](int thread) {
        return selftest::input(thread, 40);
    };
    const auto sum = [](int first, int n) {
        return Sums(first, n);
    };
    std::vector<uint64_t> all(std::size(kWordNames) * kCount);
    for (int i = 0; i < kCount; ++i) {
        const int t = i % kSelftestThreads, block = i - t, number = i / kSelftestThreads;
        const int lane = t % waves, wave = i - lane;
        auto at = static_cast<size_t>(i);
#define VMAFGPU_WORD(text, stored, expected)                                                       \
    all[at] = static_cast<uint64_t>(expected);                                                     \
    at += kCount;
        VMAFGPU_SELFTEST_WORDS(VMAFGPU_WORD)
#undef VMAFGPU_WORD
    }
    return all;
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

    compare(device,
            run(device, *queue, kSelftestWaves, static_cast<int>(std::size(kWordNames)), totals),
            expected_words(device.info().wave_size), kWordNames);
    compare_totals(device, totals);
}

} // namespace vmafgpu
