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

SIMT_KERNEL(selftest_waves, SelftestArgs, kSelftestWaves.threads)
{
    SIMT_SHARED(uint64_t, reversed, kSelftestThreads);
    SIMT_SHARED(uint32_t, counter, 1);
    const int t = thread_id();
    const int i = block_id_x() * kSelftestThreads + t;
    const int lane = lane_id();
    const uint64_t v = selftest::input(i, 40);
    const auto low = static_cast<uint32_t>(v);
    const auto signed_v = static_cast<int64_t>(v);
    uint64_t *result = args.results + i;
    const int step = kSelftestBlocks * kSelftestThreads;

    reversed[kSelftestThreads - 1 - t] = v;
    if (t == 0)
        counter[0] = 0;
    barrier();
    atomic_add(&counter[0], low);
    result[kWordShfl * step] = shfl(v, (lane * 7 + 3) % wave_size());
    result[kWordShfl32 * step] = shfl(low, wave_size() - 1 - lane);
    result[kWordBroadcast * step] = broadcast(v, block_id_x() + 5);
    result[kWordShflXor * step] = shfl_xor(v, wave_size() / 2 + 1);
    result[kWordWaveSumU32 * step] = wave_sum(low);
    result[kWordWaveSumU64 * step] = wave_sum(v);
    result[kWordWaveSumI64 * step] = static_cast<uint64_t>(wave_sum(signed_v >> 8));
    const uint64_t sum = block_sum(v);
    result[kWordBlockSum * step] = wave_id() == 0 ? sum : 0;
    result[kWordShared * step] = reversed[t];
    result[kWordSharedAtomic * step] = counter[0];
    result[kWordIds * step] = static_cast<uint64_t>(block_threads()) << 32 |
                              static_cast<uint64_t>(wave_size()) << 16 |
                              static_cast<uint64_t>(block_id_y() + block_id_z() + wave_id());

    atomic_add(&args.totals->u64, v);
    atomic_add(&args.totals->i64, signed_v >> 8);
    atomic_add(&args.totals->u32, low);
    atomic_add(&args.totals->i32, static_cast<int32_t>(low));
}

} // namespace vmafgpu
