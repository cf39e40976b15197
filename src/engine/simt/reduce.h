// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sums over a wave and over a block, on top of simt.h. Included by kernels only.
// T: int32_t, uint32_t, int64_t, uint64_t. Nothing here widens: pass 64-bit values
// if the sum needs them.
//
//  word                     called by        result valid in      barriers
//  wave_sum(v)              all of the wave  every lane           none
//  block_sum(v)             all of the block threads of wave 0    2
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

template <typename T> SIMT_DEVICE T wave_sum(T v)
{
    for (int mask = wave_size() / 2; mask > 0; mask /= 2)
        v += shfl_xor(v, mask);
    return v;
}

template <typename T> SIMT_DEVICE T block_sum(T v)
{
    constexpr int kMaxWaves = 1024 / kMinWave;
    static_assert(kMaxWaves <= kMinWave, "one wave adds up the sums of all waves");
    SIMT_SHARED(T, wave_sums, kMaxWaves);
    barrier(); // an earlier call's sums have been read
    const T of_wave = wave_sum(v);
    if (lane_id() == 0)
        wave_sums[wave_id()] = of_wave;
    barrier();
    if (wave_id() == 0) {
        const bool is_wave = lane_id() < block_threads() / wave_size();
        v = wave_sum(is_wave ? wave_sums[lane_id()] : T(0));
    }
    return v;
}

} // namespace vmafgpu
