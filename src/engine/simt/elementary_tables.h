// SPDX-License-Identifier: BSD-2-Clause-Patent
// The tables and constants of elementary.h, from those of libm/. For host code.
#pragma once

#include <cstring>

#include "libm/libm_atan.h"
#include "libm/libm_exp.h"
#include "libm/libm_sin.h"
#include "simt/elementary.h"

namespace vmafgpu::elementary {

/// Copies numbers of 8 bytes each.
template <typename To, typename From> inline void copy(To &to, const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "the same numbers");
    std::memcpy(&to, &from, sizeof(to));
}

inline ElementaryConstants constants()
{
    ElementaryConstants c = {};
    c.exp_inverse_ln2 = libm::kExpInverseLn2;
    c.exp_ln2[0] = libm::kExpLn2High;
    c.exp_ln2[1] = libm::kExpLn2Low;
    copy(c.exp, libm::kExpPolynomial);
    c.pow_ln2[0] = libm::kPowLn2High;
    c.pow_ln2[1] = libm::kPowLn2Low;
    copy(c.pow_log, libm::kPowPolynomial);
    copy(c.powf_log, libm::kPowfLogPolynomial);
    copy(c.powf_exp, libm::kPowfExpPolynomial);
    copy(c.sin, libm::kSinPolynomial);
    copy(c.short_sin, libm::kShortSin);
    copy(c.short_cos, libm::kShortCos);
    c.two_over_pi = libm::kTwoOverPi;
    copy(c.half_pi, libm::kHalfPiParts);
    c.half_pi_sum[0] = libm::kHalfPi;
    c.half_pi_sum[1] = libm::kHalfPiTail;
    c.pi[0] = libm::kPi;
    c.pi[1] = libm::kPiTail;
    copy(c.atan, libm::kAtanPolynomial);
    return c;
}

inline void fill(ElementaryTables &tables)
{
    copy(tables.exp, libm::kExpTable);
    copy(tables.pow_log, libm::kPowLogTable);
    copy(tables.exp2_float, libm::kExp2FloatTable);
    copy(tables.log2_float, libm::kLog2FloatTable);
    copy(tables.sin_cos, libm::kSinCosTable);
    copy(tables.atan, libm::kAtanTable);
}

} // namespace vmafgpu::elementary
