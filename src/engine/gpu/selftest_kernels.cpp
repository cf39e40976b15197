// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device half of the self-test: every arithmetic case, and every word of simt.h and reduce.h that
// exchanges values between threads.
#include "simt/simt.h"

#include "gpu/selftest.h"
#include "gpu/selftest_cases.h"
#include "simt/reduce.h"

namespace vmafgpu {

SIMT_KERNEL(selftest_arithmetic, SelftestArgs, kSelftestArithmetic.threads)
{
    const int i = block_id_x() * kSelftestThreads + thread_id();
    for (int which = 0; which < selftest::kSelftestCases; ++which) {
        args.results[which * kSelftestBlocks * kSelftestThreads + i] = selftest::run_case(which, i);
    }
}

namespace {

/// kWalkSteps steps from a thread's value: walk_of() of the host.
SIMT_DEVICE uint64_t walk(uint64_t v)
{
    SIMT_SHARED(uint64_t, row, kSelftestThreads);
    for (int step = 0; step < selftest::kWalkSteps; ++step) {
        row[thread_id()] = v;
        barrier();
        const uint64_t other = row[(thread_id() + wave_size()) % kSelftestThreads];
        v = selftest::walk_step(v, shfl(v, (lane_id() + 1) % wave_size()), other, step);
        barrier(); // the row has been read
    }
    return v;
}

} // namespace

SIMT_KERNEL(selftest_waves, SelftestArgs, kSelftestWaves.threads)
{
    SIMT_SHARED(uint64_t, reversed, kSelftestThreads);
    SIMT_SHARED(uint32_t, counter, 1);
    const int t = thread_id();
    const int i = block_id_x() * kSelftestThreads + t;
    const int lane = lane_id(), waves = wave_size(), number = block_id_x();
    const uint64_t v = selftest::input(i, 40);
    const auto low = static_cast<uint32_t>(v);
    uint64_t *result = args.results + i;

    reversed[kSelftestThreads - 1 - t] = v;
    if (t == 0)
        counter[0] = 0;
    barrier();
    atomic_add(&counter[0], low);
    const uint64_t whole = block_sum(v), walked = walk(v);
#define VMAFGPU_WORD(text, stored, expected)                                                       \
    *result = static_cast<uint64_t>(stored);                                                       \
    result += kSelftestBlocks * kSelftestThreads;
    VMAFGPU_SELFTEST_WORDS(VMAFGPU_WORD)
#undef VMAFGPU_WORD

    uint64_t *sums = result - i;
    atomic_add(&sums[0], v);
    atomic_add(reinterpret_cast<int64_t *>(&sums[1]), static_cast<int64_t>(v) >> 8);
    atomic_add(reinterpret_cast<uint32_t *>(&sums[2]), low);
    atomic_add(reinterpret_cast<int32_t *>(&sums[3]), static_cast<int32_t>(low));
}

} // namespace vmafgpu
