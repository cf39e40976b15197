// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM row by row, for adm_cpu.cpp only: the formulas of adm_math.h written so
// that the compiler can vectorise them. Where a formula is rearranged, the
// comment says why the result is the same. Row pointers are to column 0;
// columns [begin, end) are processed. No borders, no memory, no threads here.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cpu_legacy.h"
#include "features/adm/adm.h"
#include "features/adm/adm_math.h"
#include "numeric.h"

namespace vmafgpu {

/// Columns of a row.
struct AdmSpan {
    int begin, end;
};

/// Samples less mid-grey. The low-pass taps then need no offset and the
/// high-pass taps, which add up to 0, do not notice; all sums fit 32 bits.
template <typename Sample> inline void adm_row_centre(const Sample *__restrict in,
                                                      int16_t *__restrict out, int width, int depth)
{
    const int32_t grey = 1 << (depth - 1);
    for (int x = 0; x < width; ++x)
        out[x] = static_cast<int16_t>(in[x] - grey);
}

/// 16-bit samples times 16-bit taps fit 32 bits, 32-bit ones need 64.
template <typename In> using AdmWide = std::conditional_t<sizeof(In) == 2, int32_t, int64_t>;

/// Vertical wavelet filter: one row out of four.
template <typename In, typename Out> inline void adm_row_down(const In *const (&in)[4],
                                                              const int32_t (&taps)[4], int shift,
                                                              Out *__restrict out, AdmSpan span)
{
    using Wide = AdmWide<In>;
    const In *__restrict p0 = in[0];
    const In *__restrict p1 = in[1];
    const In *__restrict p2 = in[2];
    const In *__restrict p3 = in[3];
    const auto t0 = static_cast<int16_t>(taps[0]);
    const auto t1 = static_cast<int16_t>(taps[1]);
    const auto t2 = static_cast<int16_t>(taps[2]);
    const auto t3 = static_cast<int16_t>(taps[3]);
    const Wide half = shift > 0 ? static_cast<Wide>(1) << (shift - 1) : 0;
    for (int x = span.begin; x < span.end; ++x) {
        const Wide sum = static_cast<Wide>(p0[x]) * t0 + static_cast<Wide>(p1[x]) * t1 +
                         static_cast<Wide>(p2[x]) * t2 + static_cast<Wide>(p3[x]) * t3;
        out[x] = static_cast<Out>((sum + half) >> shift);
    }
}

/// Horizontal wavelet filter. `in` has valid samples at -1 and two beyond the
/// last column that is read.
template <typename Band> inline void adm_row_across(const Band *__restrict in,
                                                    const int32_t (&taps)[4], int shift,
                                                    Band *__restrict out, AdmSpan span)
{
    using Wide = AdmWide<Band>;
    const auto t0 = static_cast<int16_t>(taps[0]);
    const auto t1 = static_cast<int16_t>(taps[1]);
    const auto t2 = static_cast<int16_t>(taps[2]);
    const auto t3 = static_cast<int16_t>(taps[3]);
    const Wide half = static_cast<Wide>(1) << (shift - 1);
    for (int n = span.begin; n < span.end; ++n) {
        const Band *p = in + 2 * n;
        const Wide sum = static_cast<Wide>(p[-1]) * t0 + static_cast<Wide>(p[0]) * t1 +
                         static_cast<Wide>(p[1]) * t2 + static_cast<Wide>(p[2]) * t3;
        out[n] = static_cast<Band>((sum + half) >> shift);
    }
}

/// adm_same_angle() of a row: all ones or 0.
template <typename Band> inline void adm_row_angle(const Band *const (&ref)[3],
                                                   const Band *const (&dis)[3],
                                                   int32_t *__restrict same, AdmSpan span)
{
    // Scale 0: bands are below 22,931, so the sums fit 32 bits.
    using Wide = AdmWide<Band>;
    const Band *__restrict oh = ref[0];
    const Band *__restrict ov = ref[1];
    const Band *__restrict th = dis[0];
    const Band *__restrict tv = dis[1];
    const double limit = kAdmCosOneDegree;
    for (int x = span.begin; x < span.end; ++x) {
        const Wide dp = static_cast<Wide>(oh[x]) * th[x] + static_cast<Wide>(ov[x]) * tv[x];
        const Wide oo = static_cast<Wide>(oh[x]) * oh[x] + static_cast<Wide>(ov[x]) * ov[x];
        const Wide tt = static_cast<Wide>(th[x]) * th[x] + static_cast<Wide>(tv[x]) * tv[x];
        const double d = static_cast<float>(dp);
        const double o = static_cast<float>(oo);
        const double t = static_cast<float>(tt);
        // d >= 0 is tested on the integer; rounding keeps the sign.
        const int32_t within = d * d >= (limit * o) * t ? -1 : 0;
        same[x] = within & (dp >= 0 ? -1 : 0);
    }
}

/// All ones for v > 0, else 0; no comparison, which would keep the compiler
/// from vectorising the loops below. Not for the smallest integer.
VMAFGPU_ALWAYS_INLINE int32_t adm_positive_mask(int32_t v)
{
    return -v >> 31 & ~(v >> 31);
}

/// Gain times o, before enhancement, and where enhancement applies (all ones
/// or 0). Scale 0: every step in binary64 is exact (|2^30 / o| is truncated to
/// an integer of 31 bits, its product with t has 46), and the conversion to an
/// integer only differs from floor where the limit to 0 follows. For o = 0 the
/// divisor is 1 and both results are 0.
VMAFGPU_ALWAYS_INLINE void adm_row_restore(const int16_t *__restrict ref,
                                           const int16_t *__restrict dis,
                                           const int32_t *__restrict same,
                                           int32_t *__restrict restored,
                                           int32_t *__restrict enhance, AdmSpan span)
{
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t o = ref[x];
        const int32_t nonzero = (o | -o) >> 31;
        const auto divisor = static_cast<double>(o + 1 + nonzero);
        const auto reciprocal = static_cast<int32_t>(0x1p30 / divisor);
        const double product = static_cast<double>(reciprocal) * static_cast<double>(dis[x]);
        const auto gain = static_cast<int32_t>((product + 16384.0) * 0x1p-15);
        const int32_t above = adm_positive_mask(gain - 32768);
        const int32_t k = (gain & adm_positive_mask(gain) & ~above) | (32768 & above);
        restored[x] = static_cast<int16_t>((k * o + 16384) >> 15);
        enhance[x] = same[x] & adm_positive_mask(k) & nonzero;
    }
}

VMAFGPU_ALWAYS_INLINE void adm_row_restore(const int32_t *__restrict ref,
                                           const int32_t *__restrict dis,
                                           const int32_t *__restrict same,
                                           int32_t *__restrict restored,
                                           int32_t *__restrict enhance, AdmSpan span)
{
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t k = adm_gain_next(ref[x], dis[x]);
        restored[x] = adm_restore_next(k, ref[x]);
        enhance[x] = same[x] & (k > 0 ? -1 : 0) & (ref[x] != 0 ? -1 : 0);
    }
}

/// Restored and additive parts for one gain limit. Where enhancement applies,
/// restored and t have the sign of o, so sizes can be compared instead.
template <typename Band>
VMAFGPU_ALWAYS_INLINE void adm_row_enhance(const int32_t *__restrict restored,
                                           const int32_t *__restrict enhance,
                                           const Band *__restrict dis, double gain_limit,
                                           Band *__restrict r, Band *__restrict a, AdmSpan span)
{
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t r0 = restored[x];
        const int32_t t = dis[x];
        const double enhanced = static_cast<double>(r0) * gain_limit;
        const double target = t;
        const double smaller = enhanced < target ? enhanced : target;
        const double larger = enhanced > target ? enhanced : target;
        const auto limited = static_cast<int32_t>(t >= 0 ? smaller : larger);
        const int32_t part = (limited & enhance[x]) | (r0 & ~enhance[x]);
        r[x] = static_cast<Band>(part);
        a[x] = static_cast<Band>(t - part);
    }
}

/// Contrasts of one orientation; its f and centre are added to those of the
/// orientations before (or replace them, if first).
VMAFGPU_ALWAYS_INLINE void adm_row_weight(const int16_t *__restrict in, uint32_t multiplier,
                                          bool diagonal, bool first, int32_t *__restrict contrast,
                                          int32_t *__restrict f, int32_t *__restrict centre,
                                          AdmSpan span)
{
    const auto q = static_cast<int32_t>(multiplier);
    const int32_t half = diagonal ? 65535 : 16384;
    const int shift = diagonal ? 17 : 15;
    const int32_t keep = first ? 0 : -1;
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t product = q * in[x];
        const auto y = static_cast<int16_t>((product + half) >> shift);
        const int32_t size = y < 0 ? -y : y;
        contrast[x] = product < 0 ? -product : product;
        f[x] = (f[x] & keep) + static_cast<int16_t>((kAdmThirtieth16 * size + 2048) >> 12);
        centre[x] =
            (centre[x] & keep) + static_cast<int16_t>((kAdmFifteenth16 * size + 2048) >> 12);
    }
}

VMAFGPU_ALWAYS_INLINE void adm_row_weight(const int32_t *__restrict in, uint32_t multiplier, bool,
                                          bool first, int32_t *__restrict contrast,
                                          int32_t *__restrict f, int32_t *__restrict centre,
                                          AdmSpan span)
{
    const int32_t keep = first ? 0 : -1;
    for (int x = span.begin; x < span.end; ++x) {
        const AdmWeighted w = adm_weight_next(in[x], multiplier);
        contrast[x] = w.contrast;
        f[x] = adm_wrap32(static_cast<int64_t>(f[x] & keep) + w.f);
        centre[x] = adm_wrap32(static_cast<int64_t>(centre[x] & keep) + w.centre);
    }
}

/// Three rows of f added up.
VMAFGPU_ALWAYS_INLINE void adm_row_columns(const int32_t *const (&f)[3], int32_t *__restrict sum,
                                           AdmSpan span)
{
    const int32_t *__restrict above = f[0];
    const int32_t *__restrict here = f[1];
    const int32_t *__restrict below = f[2];
    for (int x = span.begin; x < span.end; ++x)
        sum[x] =
            static_cast<int32_t>(static_cast<uint32_t>(above[x]) + static_cast<uint32_t>(here[x]) +
                                 static_cast<uint32_t>(below[x]));
}

/// Thresholds. `columns` has valid sums at begin - 1 and at end.
VMAFGPU_ALWAYS_INLINE void adm_row_threshold(const int32_t *__restrict columns,
                                             const int32_t *__restrict f,
                                             const int32_t *__restrict centre,
                                             int32_t *__restrict threshold, AdmSpan span)
{
    for (int x = span.begin; x < span.end; ++x) {
        const uint32_t box = static_cast<uint32_t>(columns[x - 1]) +
                             static_cast<uint32_t>(columns[x]) +
                             static_cast<uint32_t>(columns[x + 1]);
        threshold[x] = static_cast<int32_t>(box - static_cast<uint32_t>(f[x]) +
                                            static_cast<uint32_t>(centre[x]));
    }
}

/// Shifts of one orientation, see adm_masked_cube().
struct AdmMaskShifts {
    int threshold, square, cube;
};

/// Row sum of adm_masked_cube(). The fast loop is right while the difference
/// is below 2^30: then the square fits 31 bits. It ORs all differences to
/// notice a row where that may not hold, which is rare and done plainly.
VMAFGPU_ALWAYS_INLINE int64_t adm_row_mask(const int32_t *__restrict contrast,
                                           const int32_t *__restrict threshold,
                                           AdmMaskShifts shifts, AdmSpan span)
{
    const uint64_t square_half = static_cast<uint64_t>(1) << (shifts.square - 1);
    const uint64_t cube_half = shifts.cube > 0 ? static_cast<uint64_t>(1) << (shifts.cube - 1) : 0;
    uint64_t sum = 0;
    uint32_t seen = 0;
    for (int x = span.begin; x < span.end; ++x) {
        const auto difference =
            static_cast<int32_t>(static_cast<uint32_t>(contrast[x]) -
                                 (static_cast<uint32_t>(threshold[x]) << shifts.threshold));
        const auto v = static_cast<uint32_t>(difference > 0 ? difference : 0);
        seen |= v;
        const auto square =
            static_cast<uint32_t>((static_cast<uint64_t>(v) * v + square_half) >> shifts.square);
        sum += (static_cast<uint64_t>(square) * v + cube_half) >> shifts.cube;
    }
    if (seen < (1U << 30))
        return static_cast<int64_t>(sum);
    sum = 0;
    for (int x = span.begin; x < span.end; ++x)
        sum += static_cast<uint64_t>(adm_masked_cube(contrast[x], threshold[x], shifts.threshold,
                                                     shifts.square, shifts.cube));
    return static_cast<int64_t>(sum);
}

/// Row sum of adm_energy_first().
VMAFGPU_ALWAYS_INLINE uint64_t adm_row_energy(const int16_t *__restrict in, int, int, AdmSpan span)
{
    uint64_t sum = 0;
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t value = in[x];
        const auto square = static_cast<uint32_t>(value * value);
        const auto size = static_cast<uint32_t>(value < 0 ? -value : value);
        sum += static_cast<uint64_t>(square) * size;
    }
    return sum;
}

/// Row sum of adm_energy_next(); the shifted square fits 32 bits.
VMAFGPU_ALWAYS_INLINE uint64_t adm_row_energy(const int32_t *__restrict in, int square_shift,
                                              int cube_shift, AdmSpan span)
{
    const uint64_t unit = static_cast<uint64_t>(1) << square_shift;
    const uint64_t half = cube_shift > 0 ? static_cast<uint64_t>(1) << (cube_shift - 1) : 0;
    uint64_t sum = 0;
    for (int x = span.begin; x < span.end; ++x) {
        const int32_t value = in[x];
        const auto size = static_cast<uint32_t>(value < 0 ? -value : value);
        const auto square =
            static_cast<uint32_t>((static_cast<uint64_t>(size) * size + unit) >> square_shift);
        sum += (static_cast<uint64_t>(square) * size + half) >> cube_shift;
    }
    return sum;
}

} // namespace vmafgpu
