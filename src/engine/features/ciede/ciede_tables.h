// SPDX-License-Identifier: BSD-2-Clause-Patent
// Numbers of ciede's quick functions, which ciede_quick-inl.h describes.
#pragma once

namespace vmafgpu::ciede {

/// atan(t) = t + t^3 * (kQuickAtan[0] + kQuickAtan[1] * t^2 + ...) for |t| up to kTanEighthPi,
/// wrong by 2^-52 of it.
constexpr double kTanEighthPi = 0x1.a827999fcef32p-2;
constexpr int kQuickAtanTerms = 10;
constexpr double kQuickAtan[kQuickAtanTerms] = {
    -0x1.5555555555546p-2, 0x1.9999999990a62p-3, -0x1.2492491dd22d1p-3, 0x1.c71c6dd082a91p-4,
    -0x1.745c7f5ac58bap-4, 0x1.3b068c1121b68p-4, -0x1.105e2203e79bbp-4, 0x1.d5ea20c3a7ff7p-5,
    -0x1.6f4179fe76feep-5, 0x1.74b14fe76fee2p-6};

} // namespace vmafgpu::ciede
