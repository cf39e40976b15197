// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF's logarithm as arithmetic, for SIMD levels on which 16 table entries fit into registers. A
// look-up in memory would cost several times as much, most of all on processors with slow gathers.
// Included by vif_pixels-inl.h.
#pragma once

namespace vmafgpu {

/// With x = v / 2^floor(log2 v) cut to 15 fractional bits, s the upper 4 of these
/// and d = x - (1 + (s + 0.5) / 16), vif_log2(v) is
///   kVifFitOffset + 2048 * (floor(log2 v) - 15) + 128 * s + nearest(p_s(d)),
/// p_s(d) = c[0][s] + d * (c[1][s] + d * (c[2][s] + d * c[3][s])) in binary32,
/// with or without fused multiply-add. p_s are cubics through Chebyshev nodes of
/// 2048 * log2(x) + 513/1024 - 1/2 - 128 s - 150; the first one is moved by one or two ulp.
/// They are right for all 32768 values of x: tests/unit/test_vif_stats.cpp tests each.
constexpr int kVifFitOffset = 30720 + 150;
alignas(64) constexpr float kVifFit[4][16] = {
    {-0x1.d8a364p+5F, -0x1.a74666p+3F, 0x1.6f6262p+4F, 0x1.9409cp+5F, 0x1.1911fp+6F, 0x1.4bf702p+6F,
     0x1.6543bap+6F, 0x1.673224p+6F, 0x1.53b4fep+6F, 0x1.2c832ap+6F, 0x1.e641b2p+5F, 0x1.51ce32p+5F,
     0x1.3c27ep+4F, -0x1.9625b2p+2F, -0x1.1ecaa6p+5F, -0x1.121e72p+6F},
    {0x1.66235cp+11F, 0x1.51ac4ep+11F, 0x1.3f6ba4p+11F, 0x1.2f0a3ap+11F, 0x1.2041ecp+11F,
     0x1.12d9a6p+11F, 0x1.06a276p+11F, 0x1.f6ead8p+10F, 0x1.e263dep+10F, 0x1.cf790cp+10F,
     0x1.bdfbbap+10F, 0x1.adc408p+10F, 0x1.9eafaep+10F, 0x1.90a10cp+10F, 0x1.837e62p+10F,
     0x1.77313cp+10F},
    {-0x1.5b71eap+10F, -0x1.34db12p+10F, -0x1.145b44p+10F, -0x1.f175bap+9F, -0x1.c218cap+9F,
     -0x1.9930a4p+9F, -0x1.759df6p+9F, -0x1.567d46p+9F, -0x1.3b188cp+9F, -0x1.22dcc8p+9F,
     -0x1.0d5226p+9F, -0x1.f42c78p+8F, -0x1.d1af2ep+8F, -0x1.b2a4a4p+8F, -0x1.969afcp+8F,
     -0x1.7d321ep+8F},
    {0x1.c15332p+9F, 0x1.789634p+9F, 0x1.3ebd56p+9F, 0x1.1028d8p+9F, 0x1.d4769p+8F, 0x1.9612aap+8F,
     0x1.6249bep+8F, 0x1.36f29p+8F, 0x1.1265d6p+8F, 0x1.e6b7f2p+7F, 0x1.b1a984p+7F, 0x1.840baep+7F,
     0x1.5c9bf6p+7F, 0x1.3a573cp+7F, 0x1.1c6bb4p+7F, 0x1.022e3cp+7F},
};

} // namespace vmafgpu
