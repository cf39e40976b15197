// SPDX-License-Identifier: BSD-2-Clause-Patent
// The loops of vif_cpu.cpp over one row of a tile, written so that compilers
// vectorise them. Only vif_cpu.cpp and the test of add_pixels() include this.
//
// Sums over second moments that need more than 32 bits are formed in double:
// they are integers below 2^48, so nothing is rounded where it should not be,
// and a double multiplication costs less than the 32 x 32 bit integer one.
#pragma once

#include <cstdint>
#include <cstring>

#include "cpu_level.h"
#include "vif.h"

namespace vmafgpu {
namespace vif_cpu {

constexpr int kTile = 128;                        ///< columns done at once
constexpr int kTileRow = kTile + 2 * kVifHalf[0]; ///< and the filter's reach

/// Type of a product of two samples, and of filtered sums of them.
template <typename Sample> struct Products;
template <> struct Products<uint8_t> {
    using Type = uint16_t;
    using Sum = uint32_t; ///< 65536 * 255^2 still fits
};
template <> struct Products<uint16_t> {
    using Type = double;
    using Sum = double;
};

/// Sum of taps times the values of column x in 2 * half + 1 rows.
template <int kScale, typename Sum, typename T>
VMAFGPU_ALWAYS_INLINE Sum filter_column(const T *const *rows, int x)
{
    constexpr int kHalf = kVifHalf[kScale];
    Sum sum = static_cast<Sum>(kVifFilter[kScale][kHalf]) * rows[kHalf][x];
    for (int t = 0; t < kHalf; ++t)
        sum += static_cast<Sum>(kVifFilter[kScale][t]) *
               static_cast<Sum>(rows[t][x] + rows[2 * kHalf - t][x]);
    return sum;
}

template <int kScale, typename T> VMAFGPU_ALWAYS_INLINE T filter_row(const T *p)
{
    constexpr int kHalf = kVifHalf[kScale];
    T sum = static_cast<T>(kVifFilter[kScale][kHalf]) * p[kHalf];
    for (int t = 0; t < kHalf; ++t)
        sum += static_cast<T>(kVifFilter[kScale][t]) * (p[t] + p[2 * kHalf - t]);
    return sum;
}

/// v as a double. 2^52 + v has v in its low bits; the compiler's own
/// conversion of unsigned values is slower.
VMAFGPU_ALWAYS_INLINE double to_double(uint32_t v)
{
    const uint64_t bits = UINT64_C(0x4330000000000000) | v;
    double d;
    std::memcpy(&d, &bits, sizeof(d));
    return d - 4503599627370496.0;
}

/// floor((sum + 32768) / 65536) of an integer 0 <= sum < 2^48. The term 2^-17
/// keeps the sum off the ties, so that the addition of 2^52 rounds halves up.
VMAFGPU_ALWAYS_INLINE uint32_t round_shift_16(double sum)
{
    const double shifted = (sum * 0x1p-16 + 0x1p-17) + 0x1p52;
    uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    return static_cast<uint32_t>(bits);
}

/// Fill the ends of a tile's row, whose index 0 is column x0 - half, where it
/// reaches beyond the picture.
template <typename T>
VMAFGPU_ALWAYS_INLINE void reflect_ends(T *row, int x0, int x1, int width, int half)
{
    T *column0 = row + (half - x0);
    for (int x = x0 - half; x < 0; ++x)
        column0[x] = column0[-x];
    for (int x = width; x < x1 + half; ++x)
        column0[x] = column0[2 * width - 2 - x];
}

/// The vertical results of one row of a tile; index 0 is column x0 - half.
struct TileRow {
    uint32_t mean1[kTileRow], mean2[kTileRow];
    double square1[kTileRow], square2[kTileRow], both[kTileRow];
};

/// Second moments around the means in one row of a tile; index 0 is column x0.
struct TileSigma {
    int32_t reference[kTile], distorted[kTile], both[kTile];
};

/// Products of the samples in the rows around the current one: row y of the
/// picture is at index y % rows.
template <typename T> struct ProductRing {
    T square1[kVifMaxTaps][kTileRow];
    T square2[kVifMaxTaps][kTileRow];
    T both[kVifMaxTaps][kTileRow];
};

template <typename Sample, typename T>
VMAFGPU_ALWAYS_INLINE void multiply_row(const Sample *r, const Sample *d, int count,
                                        T *__restrict square1, T *__restrict square2,
                                        T *__restrict both)
{
    using Factor = typename Products<Sample>::Sum;
    for (int x = 0; x < count; ++x) {
        const auto u = static_cast<Factor>(r[x]);
        const auto v = static_cast<Factor>(d[x]);
        square1[x] = static_cast<T>(u * u);
        square2[x] = static_cast<T>(v * v);
        both[x] = static_cast<T>(u * v);
    }
}

template <int kScale, typename Sample> VMAFGPU_ALWAYS_INLINE void
filter_means(const Sample *const *rows, int count, int shift, uint32_t *__restrict out)
{
    const uint32_t half = 1u << (shift - 1);
    for (int x = 0; x < count; ++x)
        out[x] = (filter_column<kScale, uint32_t>(rows, x) + half) >> shift;
}

/// rnd(sum, shift), an integer. At 8 bits there is nothing to round.
VMAFGPU_ALWAYS_INLINE double round_squares(uint32_t sum, int)
{
    return to_double(sum);
}
VMAFGPU_ALWAYS_INLINE double round_squares(double sum, int shift)
{
    const double unit = 1.0 / static_cast<double>(UINT64_C(1) << shift);
    // As in round_shift_16(); unit / 2 would put integers on the ties if shift is 0.
    const double off_ties = shift == 0 ? 0.0 : unit / 2;
    return ((sum * unit + off_ties) + 0x1p52) - 0x1p52;
}

template <int kScale, typename Sum, typename T>
VMAFGPU_ALWAYS_INLINE void filter_squares(const T (*ring)[kTileRow], const int *index, int count,
                                          int shift, double *__restrict out)
{
    const T *rows[kVifMaxTaps];
    for (int t = 0; t <= 2 * kVifHalf[kScale]; ++t)
        rows[t] = ring[index[t]];
    for (int x = 0; x < count; ++x)
        out[x] = round_squares(filter_column<kScale, Sum>(rows, x), shift);
}

/// Horizontal pass and subtraction of the means.
template <int kScale>
VMAFGPU_ALWAYS_INLINE void filter_rows(const TileRow &row, int count, TileSigma &__restrict sigma)
{
    for (int x = 0; x < count; ++x) {
        const uint32_t m1 = filter_row<kScale>(row.mean1 + x);
        const uint32_t m2 = filter_row<kScale>(row.mean2 + x);
        const uint32_t square1 = round_shift_16(filter_row<kScale>(row.square1 + x));
        const uint32_t square2 = round_shift_16(filter_row<kScale>(row.square2 + x));
        const uint32_t both = round_shift_16(filter_row<kScale>(row.both + x));
        sigma.reference[x] = vif_sigma(square1, m1, m1);
        sigma.distorted[x] = vif_sigma(square2, m2, m2);
        sigma.both[x] = vif_sigma(both, m1, m2);
    }
}

/// Where vif_log2(v) is found, v < 2^31: the exponent of v, above the 15 bits
/// that follow its leading one.
VMAFGPU_ALWAYS_INLINE uint32_t log2_key(int32_t v)
{
    const double d = v;
    uint64_t bits;
    std::memcpy(&bits, &d, sizeof(bits));
    return static_cast<uint32_t>(bits >> 37) - (1023u << 15);
}

/// Sum of vif_log2() over keys.
VMAFGPU_ALWAYS_INLINE int64_t sum_log2(const uint32_t *keys, int count, const uint16_t *table)
{
    uint32_t exponents = 0;
    for (int x = 0; x < count; ++x)
        exponents += keys[x] >> 15;
    uint32_t mantissas = 0;
    for (int x = 0; x < count; ++x)
        mantissas += table[keys[x] & 32767];
    return static_cast<int64_t>(mantissas) + 2048 * (static_cast<int64_t>(exponents) - 15 * count);
}

/// vif_add_pixel() for count <= kTile pixels, without branches: a pixel that
/// does not add to a sum takes values whose logarithm is that of the noise.
VMAFGPU_ALWAYS_INLINE void add_pixels(const TileSigma &sigma, int count, const VifConfig &config,
                                      const uint16_t *table, VifScaleSums &sums)
{
    const double epsilon = 65536 * 1e-10;
    double gain[kTile], variance[kTile];
    int32_t noise[kTile];
    uint32_t den_key[kTile], noise_key[kTile], num_key[kTile];
    int64_t flat_variance = 0;
    int32_t flat_count = 0;
    for (int x = 0; x < count; ++x) {
        const int32_t s1 = sigma.reference[x];
        const int32_t s2 = sigma.distorted[x] > 0 ? sigma.distorted[x] : 0;
        const int32_t flat = s1 < kVifNoise ? -1 : 0;
        flat_variance += s2 & flat;
        flat_count -= flat;
        den_key[x] = log2_key(kVifNoise + (s1 & ~flat));
    }
    for (int x = 0; x < count; ++x) {
        const int32_t s1 = sigma.reference[x];
        const bool adds = (s1 >= kVifNoise) & (sigma.distorted[x] > 0) & (sigma.both[x] > 0);
        const int32_t mask = adds ? -1 : 0;
        const double s2 = sigma.distorted[x] & mask;
        const double both = sigma.both[x] & mask;
        variance[x] = s1 & mask;
        gain[x] = both / (variance[x] + epsilon);
        const double explained = gain[x] * both;
        const auto residual = static_cast<int32_t>(s2 - explained);
        noise[x] = kVifNoise + (residual > 0 ? residual : 0);
        noise_key[x] = log2_key(noise[x]);
    }
    const int64_t noise_log = sum_log2(noise_key, count, table);
    for (int i = 0; i < config.limit_count; ++i) {
        const double limit = config.limits[i];
        for (int x = 0; x < count; ++x) {
            const double limited = gain[x] < limit ? gain[x] : limit;
            const double squared = limited * limited;
            num_key[x] = log2_key(noise[x] + static_cast<int32_t>(squared * variance[x]));
        }
        sums.num_log[i] += sum_log2(num_key, count, table) - noise_log;
    }
    sums.den_log += sum_log2(den_key, count, table) - static_cast<int64_t>(kVifLog2Noise) * count;
    sums.num_nl += flat_variance;
    sums.den_nl += flat_count;
}

} // namespace vif_cpu
} // namespace vmafgpu
