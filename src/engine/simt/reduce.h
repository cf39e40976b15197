// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over a wave and over a block, on top of simt.h. Included by kernels only.
// T: int32_t, uint32_t, int64_t, uint64_t. Nothing here widens: pass 64-bit values
// if the sum needs them.
//
//  word                     called by        result valid in      barriers
//  wave_sum(v)              all of the wave  every lane           none
//  block_sum(v)             all of the block threads of wave 0    2
//  block_sums(v[n])         all of the block threads of wave 0    2
//  wave_sum_add(p, v)       all of the wave  *p, after the launch none; 1 atomic per wave
//  block_sum_add(p, v)      all of the block *p, after the launch 2; 1 atomic per block
//  sixteen_sums(v[16])      all of the wave  lane i of each       none
//                                            aligned 16 lanes: sum of v[i] over these 16
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

template <typename T> SIMT_DEVICE T wave_sum(T v)
{
    for (int mask = wave_size() / 2; mask > 0; mask /= 2)
        v += shfl_xor(v, mask);
    return v;
}

template <typename T> SIMT_DEVICE void wave_sum_add(T *target, T v)
{
    const T sum = wave_sum(v);
    if (lane_id() == 0)
        atomic_add(target, sum);
}

/// Replaces v[i] of the threads of wave 0 by the block's sum of v[i]; the other
/// threads' values become unspecified.
template <typename T, int n> SIMT_DEVICE void block_sums(T (&v)[n])
{
    constexpr int kMaxWaves = 1024 / kMinWave;
    static_assert(kMaxWaves <= kMinWave, "one wave adds up the sums of all waves");
    SIMT_SHARED(T, wave_sums, kMaxWaves * n);
    barrier(); // an earlier call's sums have been read
    for (int i = 0; i < n; ++i) {
        const T sum = wave_sum(v[i]);
        if (lane_id() == 0)
            wave_sums[wave_id() * n + i] = sum;
    }
    barrier();
    if (wave_id() == 0) {
        const bool is_wave = lane_id() < block_threads() / wave_size();
        for (int i = 0; i < n; ++i)
            v[i] = wave_sum(is_wave ? wave_sums[lane_id() * n + i] : T(0));
    }
}

template <typename T> SIMT_DEVICE T block_sum(T v)
{
    T sums[1] = {v};
    block_sums(sums);
    return sums[0];
}

template <typename T> SIMT_DEVICE void block_sum_add(T *target, T v)
{
    const T sum = block_sum(v);
    if (thread_id() == 0)
        atomic_add(target, sum);
}

/// Sixteen sums at once over each aligned group of 16 lanes, for the price of
/// fifteen exchanges: every step halves the values that a lane looks after.
template <typename T> SIMT_DEVICE T sixteen_sums(T (&v)[16])
{
    SIMT_UNROLL
    for (int step = 0; step < 4; ++step) {
        const int half = 8 >> step;
        const bool is_upper = (lane_id() & half) != 0;
        SIMT_UNROLL
        for (int i = 0; i < 8; ++i) {
            if (i >= half)
                break;
            const T keep = is_upper ? v[half + i] : v[i];
            const T give = is_upper ? v[i] : v[half + i];
            v[i] = keep + shfl_xor(give, half);
        }
    }
    return v[0];
}

} // namespace vmafgpu
