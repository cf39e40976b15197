// SPDX-License-Identifier: BSD-2-Clause-Patent
// Rows of windows of ffmpeg_ssim: sums of blocks and values of windows are vectors, the sum of a
// row is in order. simd_targets.h compiles it once per level for ffmpeg_ssim_cpu.cpp.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ffmpeg_ssim::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

/// Sums of a row of blocks: one array for each of these.
enum BlockSum { kSumReference, kSumDistorted, kSumSquares, kSumProducts, kBlockSums };

HWY_INLINE V16 load_as_16(const uint8_t *from)
{
    return hn::PromoteTo(D16(), hn::LoadU(hn::Rebind<uint8_t, D16>(), from));
}
HWY_INLINE V16 load_as_16(const uint16_t *from)
{
    return hn::BitCast(D16(), hn::LoadU(DU16(), from));
}

/// Sums of two neighbouring lanes: those of `low`, then those of `high`.
HWY_INLINE V32 add_neighbours(V32 low, V32 high)
{
    const D32 d;
    return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
}

template <typename Sample> HWY_INLINE void
add_blocks(const Sample *const *a, const Sample *const *b, int block, int stride, int32_t *sums)
{
    const V16 one = pair_of(1, 1);
    V32 halves[kBlockSums][2];
    for (auto &half : halves)
        half[0] = half[1] = hn::Zero(D32());
    for (int y = 0; y < 4; ++y) {
        for (int i = 0; i < 2; ++i) {
            const V16 r = load_as_16(a[y] + 4 * block + i * kLanes16);
            const V16 d = load_as_16(b[y] + 4 * block + i * kLanes16);
            halves[kSumReference][i] = multiply_add_pairs(r, one, halves[kSumReference][i]);
            halves[kSumDistorted][i] = multiply_add_pairs(d, one, halves[kSumDistorted][i]);
            halves[kSumSquares][i] =
                multiply_add_pairs(d, d, multiply_add_pairs(r, r, halves[kSumSquares][i]));
            halves[kSumProducts][i] = multiply_add_pairs(r, d, halves[kSumProducts][i]);
        }
    }
    for (int s = 0; s < kBlockSums; ++s)
        hn::StoreU(add_neighbours(halves[s][0], halves[s][1]), D32(), sums + s * stride + block);
}

/// The sums of row `row` of blocks.
template <typename Sample> HWY_INLINE void sum_blocks(const Strip &strip, int row, int32_t *sums)
{
    const Sample *a[4];
    const Sample *b[4];
    for (int y = 0; y < 4; ++y) {
        a[y] = plane_row<Sample>(strip.reference, 4 * row + y);
        b[y] = plane_row<Sample>(strip.distorted, 4 * row + y);
    }
    int block = 0;
    for (; block + kLanes32 <= strip.blocks; block += kLanes32)
        add_blocks(a, b, block, strip.stride, sums);
    for (; block < strip.blocks; ++block) {
        int32_t own[kBlockSums] = {};
        for (int i = 0; i < 16; ++i) {
            const int32_t r = a[i / 4][4 * block + i % 4];
            const int32_t d = b[i / 4][4 * block + i % 4];
            own[kSumReference] += r;
            own[kSumDistorted] += d;
            own[kSumSquares] += r * r + d * d;
            own[kSumProducts] += r * d;
        }
        for (int s = 0; s < kBlockSums; ++s)
            sums[s * strip.stride + block] = own[s];
    }
}

/// The four factors of the quotients of a vector of windows, each rounded once.
struct SsimFactors {
    VF32 luminance, contrast, squares, variances;
};

/// 8 bits: everything fits 32 bits.
HWY_INLINE SsimFactors narrow_factors(const Strip &strip, const V32 *sum)
{
    const D32 d;
    const DF32 df;
    const V32 mean = hn::Set(d, strip.mean);
    const V32 variance = hn::Set(d, strip.variance);
    const V32 product = hn::Mul(sum[kSumReference], sum[kSumDistorted]);
    const V32 squares = hn::Add(hn::Mul(sum[kSumReference], sum[kSumReference]),
                                hn::Mul(sum[kSumDistorted], sum[kSumDistorted]));
    const V32 covariance = hn::Sub(hn::ShiftLeft<6>(sum[kSumProducts]), product);
    const V32 variances = hn::Sub(hn::ShiftLeft<6>(sum[kSumSquares]), squares);
    return {hn::ConvertTo(df, hn::Add(hn::ShiftLeft<1>(product), mean)),
            hn::ConvertTo(df, hn::Add(hn::ShiftLeft<1>(covariance), variance)),
            hn::ConvertTo(df, hn::Add(squares, mean)),
            hn::ConvertTo(df, hn::Add(variances, variance))};
}

/// Whole numbers below 2^53, exact in double.
HWY_INLINE SsimFactors wide_factors(const Strip &strip, const V32 *sum)
{
    const DF64 d;
    const hn::Half<DF32> half;
    const VF64 mean = hn::Set(d, strip.mean);
    const VF64 variance = hn::Set(d, strip.variance);
    const VF64 two = hn::Set(d, 2.0);
    const VF64 samples = hn::Set(d, 64.0);
    hn::Vec<hn::Half<DF32>> parts[4][2];
    for (int i = 0; i < 2; ++i) {
        VF64 of[kBlockSums];
        for (int s = 0; s < kBlockSums; ++s)
            of[s] = i == 0 ? low_to_double(sum[s]) : high_to_double(sum[s]);
        const VF64 product = hn::Mul(of[kSumReference], of[kSumDistorted]);
        const VF64 squares = hn::Add(hn::Mul(of[kSumReference], of[kSumReference]),
                                     hn::Mul(of[kSumDistorted], of[kSumDistorted]));
        const VF64 covariance = hn::Sub(hn::Mul(samples, of[kSumProducts]), product);
        const VF64 variances = hn::Sub(hn::Mul(samples, of[kSumSquares]), squares);
        parts[0][i] = hn::DemoteTo(half, hn::Add(hn::Mul(two, product), mean));
        parts[1][i] = hn::DemoteTo(half, hn::Add(hn::Mul(two, covariance), variance));
        parts[2][i] = hn::DemoteTo(half, hn::Add(squares, mean));
        parts[3][i] = hn::DemoteTo(half, hn::Add(variances, variance));
    }
    const DF32 df;
    return {hn::Combine(df, parts[0][1], parts[0][0]), hn::Combine(df, parts[1][1], parts[1][0]),
            hn::Combine(df, parts[2][1], parts[2][0]), hn::Combine(df, parts[3][1], parts[3][0])};
}

/// The values of the windows between two rows of blocks. Those behind the last one are not used.
HWY_INLINE void window_values(const Strip &strip, const int32_t *upper, const int32_t *lower)
{
    const D32 d;
    for (int x = 0; x < strip.blocks - 1; x += kLanes32) {
        V32 sum[kBlockSums];
        for (int s = 0; s < kBlockSums; ++s) {
            const int32_t *const above = upper + s * strip.stride + x;
            const int32_t *const below = lower + s * strip.stride + x;
            sum[s] = hn::Add(hn::Add(hn::LoadU(d, above), hn::LoadU(d, above + 1)),
                             hn::Add(hn::LoadU(d, below), hn::LoadU(d, below + 1)));
        }
        const SsimFactors f =
            strip.depth == 8 ? narrow_factors(strip, sum) : wide_factors(strip, sum);
        const VF32 value =
            hn::Div(hn::Mul(f.luminance, f.contrast), hn::Mul(f.squares, f.variances));
        hn::StoreU(value, DF32(), strip.values + x);
    }
}

template <typename Sum> HWY_INLINE double sum_in_order(const float *values, int count)
{
    Sum sum = 0;
    for (int i = 0; i < count; ++i)
        sum += static_cast<Sum>(values[i]);
    return static_cast<double>(sum);
}

inline void run_strip(const Strip &strip)
{
    int32_t *upper = strip.sums;
    int32_t *lower = upper + kBlockSums * strip.stride;
    for (int row = strip.first; row <= strip.last; ++row) {
        int32_t *const sums = row == strip.first ? upper : lower;
        if (strip.depth == 8)
            sum_blocks<uint8_t>(strip, row, sums);
        else
            sum_blocks<uint16_t>(strip, row, sums);
        if (row == strip.first)
            continue;
        window_values(strip, upper, lower);
        strip.row_sums[row - 1] = strip.depth == 8
                                      ? sum_in_order<double>(strip.values, strip.blocks - 1)
                                      : sum_in_order<float>(strip.values, strip.blocks - 1);
        int32_t *const spare = upper;
        upper = lower;
        lower = spare;
    }
}

} // namespace vmafgpu::ffmpeg_ssim::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
