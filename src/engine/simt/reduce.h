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

/// wave_sum() by wave_add().
template <typename T> SIMT_DEVICE T wave_sum_of_parts(T v)
{
    if (sizeof(T) == 4)
        return static_cast<T>(wave_add(static_cast<uint32_t>(v)));
    // Parts whose sums are below 2^32, with 64 lanes, too; the last one's may be modulo 2^32.
    constexpr int kBits = 26;
    constexpr uint32_t kMask = (1U << kBits) - 1;
    const auto bits = static_cast<uint64_t>(v);
    uint64_t sum = wave_add(static_cast<uint32_t>(bits) & kMask);
    sum += static_cast<uint64_t>(wave_add(static_cast<uint32_t>(bits >> kBits) & kMask)) << kBits;
    sum += static_cast<uint64_t>(wave_add(static_cast<uint32_t>(bits >> 2 * kBits))) << 2 * kBits;
    return static_cast<T>(sum);
}

template <typename T> SIMT_DEVICE T wave_sum(T v)
{
    if (has_wave_add())
        v = wave_sum_of_parts(v);
    else
        for (int mask = wave_size() / 2; mask > 0; mask /= 2)
            v += shfl_xor(v, mask);
    return v;
}

template <typename T> SIMT_DEVICE T block_sum(T v)
{
    constexpr int kMaxWaves = 1024 / kMinWave;
    SIMT_SHARED(T, wave_sums, kMaxWaves);
    barrier(); // an earlier call's sums have been read
    const T of_wave = wave_sum(v);
    if (lane_id() == 0)
        wave_sums[wave_id()] = of_wave;
    barrier();
    if (wave_id() == 0) {
        const int waves = block_threads() / wave_size();
        T sum = lane_id() < waves ? wave_sums[lane_id()] : T(0);
        if constexpr (kMaxWaves > kMinWave) // a lane for each only where waves are large
            for (int wave = lane_id() + wave_size(); wave < waves; wave += wave_size())
                sum += wave_sums[wave];
        v = wave_sum(sum);
    }
    return v;
}

} // namespace vmafgpu
