// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host half of the self-test: runs the kernels and computes the expected results.
#include "gpu/selftest.h"

#include <cinttypes>
#include <cstdio>
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
const char *const kWordNames[] = {
    VMAFGPU_SELFTEST_WORDS(VMAFGPU_WORD) "atomic_add of uint64, int64, uint32, int32"};
#undef VMAFGPU_WORD
constexpr size_t kWords = std::size(kWordNames) - 1;

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

/// The values of all threads after the steps of walk(), the kernel's.
std::vector<uint64_t> walk_of(size_t waves)
{
    constexpr size_t kThreads = kSelftestThreads;
    std::vector<uint64_t> now(kCount), next(kCount);
    for (size_t i = 0; i < now.size(); ++i)
        now[i] = selftest::input(static_cast<int>(i), 40);
    for (int step = 0; step < selftest::kWalkSteps; ++step) {
        for (size_t i = 0; i < now.size(); ++i) {
            const size_t t = i % kThreads, lane = t % waves;
            next[i] = selftest::walk_step(now[i], now[i - lane + (lane + 1) % waves],
                                          now[i - t + (t + waves) % kThreads], step);
        }
        now.swap(next);
    }
    return now;
}

std::vector<uint64_t> expected_words(int waves)
{
    const std::vector<uint64_t> walks = walk_of(static_cast<size_t>(waves));
    const auto value = [](int thread) {
        return selftest::input(thread, 40);
    };
    const auto sum = [](int first, int n) {
        return Sums(first, n);
    };
    std::vector<uint64_t> all(kWords * kCount);
    for (int i = 0; i < kCount; ++i) {
        const int t = i % kSelftestThreads, block = i - t, number = i / kSelftestThreads;
        const int lane = t % waves, wave = i - lane;
        auto at = static_cast<size_t>(i);
        const uint64_t walked = walks[at];
#define VMAFGPU_WORD(text, stored, expected)                                                       \
    all[at] = static_cast<uint64_t>(expected);                                                     \
    at += kCount;
        VMAFGPU_SELFTEST_WORDS(VMAFGPU_WORD)
#undef VMAFGPU_WORD
    }
    const Sums sums(0, kCount);
    all.insert(all.end(), {sums.u64, static_cast<uint64_t>(sums.i64), sums.u32, sums.u32});
    return all;
}

void test(Device &device, const Kernel<SelftestArgs> &kernel, const std::vector<uint64_t> &expected,
          const char *const *names)
{
    const size_t bytes = expected.size() * sizeof(uint64_t);
    const DeviceMemory on_device(device, bytes),
        on_host(device, bytes, DeviceMemory::Kind::kPinned);
    const std::unique_ptr<Queue> queue = device.make_queue();
    const std::unique_ptr<Event> event = device.make_event();
    const SelftestArgs args = {reinterpret_cast<uint64_t *>(on_device.data())};
    queue->fill(on_device.data(), 0, bytes);
    queue->launch(kernel, Grid{kSelftestBlocks, 1, 1}, args);
    queue->download(on_host.data(), on_device.data(), bytes);
    queue->record(*event);
    event->sync();
    const auto *got = reinterpret_cast<const uint64_t *>(on_host.data());
    for (size_t i = 0; i < expected.size(); ++i)
        if (got[i] != expected[i])
            fail(device, names[i / kCount] + std::string(", thread ") + std::to_string(i % kCount),
                 got[i], expected[i]);
}

} // namespace

void run_selftest(Device &device)
{
    test(device, kSelftestArithmetic, expected_arithmetic(), kCaseNames);
    test(device, kSelftestWaves, expected_words(device.info().wave_size), kWordNames);
}

} // namespace vmafgpu
