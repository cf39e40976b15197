// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of defect_kernels.h. Nothing here may be "fixed".
#include "simt/simt.h"

#include "defect_kernels.h"
#include "simt/reduce.h"

namespace vmafgpu {

// The wave's width written down: adds half of a wave of 64 ...
SIMT_KERNEL(defect_sum_of_32, DefectArgs, kSumOf32.threads)
{
    uint64_t v = static_cast<uint64_t>(thread_id() + 1);
    for (int n = 16; n > 0; n /= 2)
        v += shfl_xor(v, n);
    if (lane_id() == 0)
        atomic_add(args.out, v);
}

// A wave of 32 is asked for lanes that it does not have.
SIMT_KERNEL(defect_sum_of_64, DefectArgs, kSumOf64.threads)
{
    uint64_t v = static_cast<uint64_t>(thread_id() + 1);
    for (int n = 32; n > 0; n /= 2)
        v += shfl_xor(v, n);
    if (lane_id() == 0)
        atomic_add(args.out, v);
}

// 64 bits summed as two halves: the low half's carry is lost.
SIMT_KERNEL(defect_lost_carry, DefectArgs, kLostCarry.threads)
{
    const uint64_t v = UINT64_C(0x1f0000001);
    const uint32_t low = wave_sum(static_cast<uint32_t>(v));
    const uint32_t high = wave_sum(static_cast<uint32_t>(v >> 32));
    if (lane_id() == 0)
        atomic_add(args.out, static_cast<uint64_t>(high) << 32 | low);
}

// Lanes leave before a shuffle: here some in the middle of every wave.
SIMT_KERNEL(defect_middle_leaves, DefectArgs, kMiddleLeaves.threads)
{
    if (lane_id() >= 10 && lane_id() < 13)
        return;
    const uint64_t sum = wave_sum(UINT64_C(1));
    if (lane_id() == 0)
        atomic_add(args.out, sum);
}

// Asks a lane that has left for its value, twice.
SIMT_KERNEL(defect_ask_who_left, DefectArgs, kAskWhoLeft.threads)
{
    if (lane_id() == 11)
        return;
    const uint64_t first = broadcast(static_cast<uint64_t>(thread_id()), 11);
    const uint64_t second = shfl(static_cast<uint64_t>(thread_id()), (lane_id() + 1) % wave_size());
    args.out[thread_id()] = first;
    args.out[128 + thread_id()] = second;
}

// The usual form: beyond the picture's edge.
SIMT_KERNEL(defect_tail_leaves, DefectArgs, kTailLeaves.threads)
{
    if (thread_id() >= args.width)
        return;
    const uint64_t sum = wave_sum(UINT64_C(1));
    if (lane_id() == 0)
        atomic_add(args.out, sum);
}

SIMT_KERNEL(defect_no_barrier, DefectArgs, kNoBarrier.threads)
{
    SIMT_SHARED(uint64_t, tile, 256);
    tile[thread_id()] = static_cast<uint64_t>(thread_id());
    // barrier() is missing
    args.out[block_id_x() * 256 + thread_id()] = tile[255 - thread_id()];
}

SIMT_KERNEL(defect_no_second_barrier, DefectArgs, kNoSecondBarrier.threads)
{
    SIMT_SHARED(uint64_t, tile, 256);
    uint64_t v = static_cast<uint64_t>(thread_id());
    for (int round = 0; round < 4; ++round) {
        tile[(thread_id() + 1) % 256] = v;
        barrier();
        v = tile[thread_id()];
        // barrier() is missing: the next round's writes come too early
    }
    args.out[block_id_x() * 256 + thread_id()] = v;
}

SIMT_KERNEL(defect_no_wave_barrier, DefectArgs, kNoWaveBarrier.threads)
{
    SIMT_SHARED(uint64_t, tile, 64);
    tile[thread_id()] = static_cast<uint64_t>(thread_id());
    // wave_barrier() is missing, although nothing crosses the wave
    args.out[block_id_x() * 64 + thread_id()] = tile[thread_id() ^ 31];
}

SIMT_KERNEL(defect_barrier_in_branch, DefectArgs, kBarrierInBranch.threads)
{
    if (thread_id() != 70)
        barrier();
    args.out[thread_id()] = 1;
}

SIMT_KERNEL(defect_two_barriers, DefectArgs, kTwoBarriers.threads)
{
    if (thread_id() < 64)
        barrier();
    else
        barrier();
    args.out[thread_id()] = 1;
}

SIMT_KERNEL(defect_leave_before_barrier, DefectArgs, kLeaveBeforeBarrier.threads)
{
    if (thread_id() >= args.width)
        return;
    barrier();
    args.out[thread_id()] = 1;
}

SIMT_KERNEL(defect_shuffle_in_branch, DefectArgs, kShuffleInBranch.threads)
{
    uint64_t v = 1;
    if (thread_id() % 2 == 0)
        v = shfl_xor(v, 2);
    else
        v = shfl_xor(v, 2);
    args.out[thread_id()] = v;
}

SIMT_KERNEL(defect_shuffle_and_barrier, DefectArgs, kShuffleAndBarrier.threads)
{
    uint64_t v = 1;
    if (thread_id() % 2 == 0)
        v = shfl_xor(v, 2);
    else
        barrier();
    args.out[thread_id()] = v;
}

SIMT_KERNEL(defect_past_end, DefectArgs, kPastEnd.threads)
{
    args.out[args.width + thread_id()] = 1;
}

SIMT_KERNEL(defect_before_start, DefectArgs, kBeforeStart.threads)
{
    args.out[thread_id() - 1] = 1;
}

SIMT_KERNEL(defect_shared_past_end, DefectArgs, kSharedPastEnd.threads)
{
    SIMT_SHARED(uint8_t, small, 50);
    uint8_t *begin = small;
    begin[thread_id()] = 1; // 64 threads
    barrier();
    args.out[thread_id()] = small[thread_id() % 50];
}

SIMT_KERNEL(defect_unset_shared, DefectArgs, kUnsetShared.threads)
{
    SIMT_SHARED(uint64_t, sum, 64);
    sum[thread_id()] += 1; // never set to 0
    args.out[thread_id()] = sum[thread_id()];
}

SIMT_KERNEL(defect_too_much_shared, DefectArgs, kTooMuchShared.threads)
{
    SIMT_SHARED(uint64_t, large, 8192);
    SIMT_SHARED(uint64_t, more, 1);
    large[thread_id()] = more[0] = 1;
    args.out[thread_id()] = 1;
}

SIMT_KERNEL(defect_bad_lane, DefectArgs, kBadLane.threads)
{
    args.out[thread_id()] = shfl(UINT64_C(1), wave_size());
}

// A row of bytes read as words, from a column that is no multiple of four.
SIMT_KERNEL(defect_odd_address, DefectArgs, kOddAddress.threads)
{
    const auto *bytes = reinterpret_cast<const unsigned char *>(args.out);
    const auto *words = reinterpret_cast<const uint32_t *>(bytes + args.width);
    args.out[100 + thread_id()] = words[thread_id()];
}

} // namespace vmafgpu
