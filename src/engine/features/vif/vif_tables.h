// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of VIF, shared by the reference code, the fast CPU code and the kernels. The base-2
// logarithm is in vif_log2_table.h.
#pragma once

#include <cstdint>

#include "simt/simt.h"

namespace vmafgpu {

constexpr int kVifScales = 4;
constexpr int kVifMaxTaps = 17;

/// The Gaussian filter of scale k: 2 * kVifHalf[k] + 1 taps that add up to 65536 (libvmaf:
/// vif_filter1d_table). The planes of scale k + 1 are made with the taps of k + 1.
SIMT_TABLE int kVifHalf[kVifScales] = {8, 4, 2, 1};
SIMT_TABLE uint16_t kVifFilter[kVifScales][kVifMaxTaps] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
     489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904},
};

/// Entries of the table of vif_log2(): logarithms of 32768 to 65535.
constexpr int kVifLog2Entries = 32768;

/// Twice the variance of the visual noise, in units of sigma (65536 is one squared 8-bit level). A
/// pixel with a smaller variance is flat.
constexpr int32_t kVifNoise = 131072;

/// vif_log2(kVifNoise).
constexpr int32_t kVifLog2Noise = 17 * 2048;

/// Right shift after the vertical pass over samples, or over planes of scale >= 1, which have 16
/// bits. It converts every bit depth to 8-bit levels * 256.
SIMT_HOST_DEVICE constexpr int vif_shift_mean(int scale, int depth)
{
    return scale == 0 ? depth : 16;
}

/// The same for the vertical pass over products of two samples.
SIMT_HOST_DEVICE constexpr int vif_shift_square(int scale, int depth)
{
    return scale == 0 ? 2 * (depth - 8) : 16;
}

} // namespace vmafgpu
