// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_vif of one strip of rows, tile by tile; the lanes of vectors are rows. simd_targets.h
// compiles it once per level for float_vif_cpu.cpp.
#include "simd/float_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::float_vif::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

constexpr int kTileColumns = 128;    ///< columns of a tile
constexpr int kTileHalfColumns = 64; ///< columns of a tile in the next scale
constexpr int kKinds = 5; ///< planes that are filtered: both pictures, their squares, their product

/// A polynomial in place of log2, for x that is at least 1, infinite or NaN.
HWY_INLINE VF32 log2_of(VF32 x)
{
    const DF32 d;
    const D32 di;
    const V32 bits = hn::BitCast(di, x);
    const V32 exponent =
        hn::Sub(hn::And(hn::ShiftRight<23>(bits), hn::Set(di, 255)), hn::Set(di, 127));
    const V32 mantissa = hn::Or(hn::And(bits, hn::Set(di, 0x7fffff)), hn::Set(di, 0x3f800000));
    const VF32 z = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0F));
    VF32 sum = hn::Set(d, kLog[0]);
    for (int i = 1; i < kLogTerms; ++i)
        sum = hn::Add(hn::Mul(sum, z), hn::Set(d, kLog[i]));
    return hn::Add(hn::ConvertTo(d, exponent), sum);
}

/// Constants of a scale in vectors.
struct Numbers {
    VF32 least_noise; ///< the smallest float that is not below the noise
    VF32 flat, gain_limit;
    VF64 noise;
};

HWY_INLINE VF32 one_and_quotient(VF32 a, VF32 b, VF64 noise)
{
    const VF64 one = hn::Set(DF64(), 1.0);
    const VF64 low = hn::Div(low_to_double(a), hn::Add(low_to_double(b), noise));
    const VF64 high = hn::Div(high_to_double(a), hn::Add(high_to_double(b), noise));
    return round_to_float(hn::Add(one, low), hn::Add(one, high));
}

/// Adds a pixel of each row.
HWY_INLINE void add_terms(VF32 mean1, VF32 mean2, VF32 square1, VF32 square2, VF32 product,
                          const Numbers &numbers, VF32 &num_sum, VF32 &den_sum)
{
    const DF32 d;
    const VF32 zero = hn::Zero(d);
    const VF32 epsilon = hn::Set(d, kEpsilon);
    VF32 variance1 = hn::Max(hn::Sub(square1, hn::Mul(mean1, mean1)), zero);
    const VF32 variance2 = hn::Max(hn::Sub(square2, hn::Mul(mean2, mean2)), zero);
    const VF32 covariance = hn::Sub(product, hn::Mul(mean1, mean2));
    VF32 gain = hn::Div(covariance, hn::Add(variance1, epsilon));
    VF32 rest = hn::Sub(variance2, hn::Mul(gain, covariance));
    const auto is_flat1 = hn::Lt(variance1, epsilon);
    gain = hn::IfThenZeroElse(is_flat1, gain);
    rest = hn::IfThenElse(is_flat1, variance2, rest);
    variance1 = hn::IfThenZeroElse(is_flat1, variance1);
    const auto is_flat2 = hn::Lt(variance2, epsilon);
    gain = hn::IfThenZeroElse(is_flat2, gain);
    rest = hn::IfThenZeroElse(is_flat2, rest);
    const auto is_inverse = hn::Lt(gain, zero);
    rest = hn::IfThenElse(is_inverse, variance2, rest);
    gain = hn::IfThenZeroElse(is_inverse, gain);
    rest = hn::Max(rest, epsilon);
    gain = hn::Min(gain, numbers.gain_limit);

    const VF32 signal = hn::Mul(hn::Mul(gain, gain), variance1);
    VF32 num = log2_of(one_and_quotient(signal, rest, numbers.noise));
    VF32 den = log2_of(one_and_quotient(variance1, zero, numbers.noise));
    // A negative covariance has gain 0, so its logarithm is that of 1: 0, as libvmaf sets it.
    const auto is_noise = hn::Lt(variance1, numbers.least_noise);
    const VF32 one = hn::Set(d, 1.0F);
    num = hn::IfThenElse(is_noise, hn::Sub(one, hn::Mul(variance2, numbers.flat)), num);
    den = hn::IfThenElse(is_noise, one, den);
    num_sum = hn::Add(num_sum, num);
    den_sum = hn::Add(den_sum, den);
}

/// `columns`: of each kind, kStrip rows side by side; `size` floats each.
HWY_INLINE void add_tile(const float *columns, size_t size, int count, const Strip &strip,
                         float *num_sums, float *den_sums)
{
    constexpr int kAtOnce = 8;
    const DF32 d;
    const double noise = strip.config->noise;
    auto least = static_cast<float>(noise);
    if (static_cast<double>(least) < noise)
        least = std::nextafter(least, 1e9F);
    const Numbers numbers = {hn::Set(d, least), hn::Set(d, flat_factor(noise)),
                             hn::Set(d, strip.config->gain_limit), hn::Set(DF64(), noise)};
    const int length = static_cast<int>(strip.taps->size());
    HWY_ALIGN float filtered[kKinds][kAtOnce * kLanes32];
    for (int y = 0; y < kStripRows; y += kLanes32) {
        VF32 num_sum = hn::Load(d, num_sums + y);
        VF32 den_sum = hn::Load(d, den_sums + y);
        for (int x = 0; x < count; x += kAtOnce) {
            const int now = HWY_MIN(kAtOnce, count - x);
            for (int p = 0; p < kKinds; ++p)
                filter_vectors<1>(columns + p * size + x * kStripRows + y, kStripRows, now,
                                  strip.taps->data(), length, filtered[p], kLanes32);
            for (int i = 0; i < now; ++i) {
                const int at = i * kLanes32;
                add_terms(hn::Load(d, filtered[0] + at), hn::Load(d, filtered[1] + at),
                          hn::Load(d, filtered[2] + at), hn::Load(d, filtered[3] + at),
                          hn::Load(d, filtered[4] + at), numbers, num_sum, den_sum);
            }
        }
        hn::Store(num_sum, d, num_sums + y);
        hn::Store(den_sum, d, den_sums + y);
    }
}

/// The kinds after the two pictures.
HWY_INLINE void multiply_tiles(float *tiles, size_t size)
{
    const DF32 d;
    for (size_t i = 0; i < size; i += kLanes32) {
        const VF32 reference = hn::Load(d, tiles + i);
        const VF32 distorted = hn::Load(d, tiles + size + i);
        hn::Store(hn::Mul(reference, reference), d, tiles + 2 * size + i);
        hn::Store(hn::Mul(distorted, distorted), d, tiles + 3 * size + i);
        hn::Store(hn::Mul(reference, distorted), d, tiles + 4 * size + i);
    }
}

inline void run_strip(const Strip &strip)
{
    const int length = static_cast<int>(strip.taps->size());
    const int half = length / 2;
    const int width = strip.reference.width;
    const int rows = kStripRows + 2 * half;
    const size_t pitch =
        round_up(static_cast<size_t>(kTileColumns) + 2 * static_cast<size_t>(half), size_t{16});
    const size_t tile_size = rows * pitch;
    const size_t columns_size = pitch * kStripRows;
    const AlignedFloats work(kKinds * (tile_size + columns_size));
    float *tiles = work.get();
    float *columns = tiles + kKinds * tile_size;
    HWY_ALIGN float sums[2][kStripRows] = {};
    for (int x0 = 0; x0 < width; x0 += kTileColumns) {
        const int count = HWY_MIN(kTileColumns, width - x0);
        const TileArea area = {x0 - half, count + 2 * half,      strip.first - half,
                               rows,      strip.last - 1 + half, pitch,
                               false};
        load_tile(strip.reference, area, tiles);
        load_tile(strip.distorted, area, tiles + tile_size);
        multiply_tiles(tiles, tile_size);
        for (int p = 0; p < kKinds; ++p)
            filter_down<1>(tiles + p * tile_size, pitch, area.count, kStripRows, strip.taps->data(),
                           length, columns + p * columns_size);
        add_tile(columns, columns_size, count, strip, sums[0], sums[1]);
    }
    for (int y = strip.first; y < strip.last; ++y) {
        strip.num_rows[y] = sums[0][y - strip.first];
        strip.den_rows[y] = sums[1][y - strip.first];
    }
}

/// One tile of halved samples, whose filtered rows lie side by side in `columns`.
HWY_INLINE void write_halved(const float *columns, int x0, int count, int length,
                             const Halving &task, float *to)
{
    HWY_ALIGN float rows[kLanes32 * kLanes32];
    HWY_ALIGN float turned[kLanes32 * kLanes32];
    for (int y = 0; y < task.last - task.first; y += kLanes32) {
        const int valid = HWY_MIN(kLanes32, task.last - task.first - y);
        for (int x = 0; x < count; x += kLanes32) {
            filter_vectors<2>(columns + 2 * x * kStripRows + y, kStripRows, kLanes32,
                              task.taps->data(), length, rows, kLanes32);
            transpose_square(rows, kLanes32, turned, kLanes32);
            for (int i = 0; i < valid; ++i)
                hn::Store(hn::Load(DF32(), turned + i * kLanes32), DF32(),
                          to + (task.first + y + i) * task.pitch + x0 + x);
        }
    }
}

inline void halve_strip(const Halving &task)
{
    const int length = static_cast<int>(task.taps->size());
    const int half = length / 2;
    const int width = task.from[0].width / 2;
    const int rows = 2 * kStripRows + 2 * half;
    const size_t pitch = round_up(
        2 * static_cast<size_t>(kTileHalfColumns) + 2 * static_cast<size_t>(half), size_t{16});
    const AlignedFloats work(rows * pitch + pitch * kStripRows);
    float *columns = work.get() + rows * pitch;
    for (int p = 0; p < 2; ++p)
        for (int x0 = 0; x0 < width; x0 += kTileHalfColumns) {
            const int count = HWY_MIN(kTileHalfColumns, width - x0);
            const TileArea area = {2 * x0 - half, 2 * count - 1 + 2 * half,   2 * task.first - half,
                                   rows,          2 * (task.last - 1) + half, pitch,
                                   false};
            load_tile(task.from[p], area, work.get());
            filter_down<2>(work.get(), pitch, static_cast<int>(pitch), kStripRows,
                           task.taps->data(), length, columns);
            write_halved(columns, x0, count, length, task, task.to[p]);
        }
}

} // namespace vmafgpu::float_vif::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
