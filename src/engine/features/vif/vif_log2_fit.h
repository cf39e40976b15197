// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's logarithm as arithmetic, for SIMD levels on which 16 table entries fit into registers. A
// look-up in memory would cost several times as much, most of all on processors with slow gathers.
// Included by vif_pixels-inl.h.
#pragma once

namespace vmafgpu {

/// x is v / 2^floor(log2 v) cut to 15 fractional bits, s are the upper 4 of these. vif_log2(v) is
///   30720 + 2048 * (floor(log2 v) - 15) + 128 * s + r.
/// The binary32 number kVifFitStart[s] + y * (c[0] + y * (c[1] + y * c[2])) is kVifFitUnit + r,
/// with y = x * kVifFitScale[s] - 1 and fused multiply-adds. kVifFitUnit is so large that the last
/// addition rounds to whole units and that r is also the difference of the bits. kVifFitScale[s] is
/// 2^((2^-10 - kVifFitStart[s] + kVifFitUnit - 128 s) / 2048), c is the series of the logarithm.
/// Rounding errors matter: this is right for all 32768 values of x. tests/unit/test_vif_stats.cpp
/// tests each.
constexpr float kVifFitUnit = 0x1.8p23F;
constexpr int32_t kVifFitUnitBits = 0x4b400000;
constexpr float kVifFit[3] = {0x1.715476p+11F, -0x1.715476p+10F, 0x1.ec709ep+9F};
alignas(64) constexpr float kVifFitScale[16] = {
    0x1.f078bp-1F,  0x1.d41408p-1F, 0x1.bace16p-1F, 0x1.a4083ap-1F, 0x1.8fa55cp-1F, 0x1.7d05aap-1F,
    0x1.6c20bap-1F, 0x1.5c927p-1F,  0x1.4e5becp-1F, 0x1.4144d2p-1F, 0x1.351bfap-1F, 0x1.29e9e6p-1F,
    0x1.1f6a4cp-1F, 0x1.15a994p-1F, 0x1.0c9a98p-1F, 0x1.041adap-1F};
alignas(64) constexpr float kVifFitStart[16] = {
    kVifFitUnit + 91,  kVifFitUnit + 137, kVifFitUnit + 173, kVifFitUnit + 201,
    kVifFitUnit + 220, kVifFitUnit + 233, kVifFitUnit + 239, kVifFitUnit + 240,
    kVifFitUnit + 235, kVifFitUnit + 225, kVifFitUnit + 211, kVifFitUnit + 192,
    kVifFitUnit + 170, kVifFitUnit + 144, kVifFitUnit + 114, kVifFitUnit + 81};

} // namespace vmafgpu
