// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs of one row of blocks, a block in each lane. simd_targets.h compiles it once per level
// for psnr_hvs_cpu.cpp. Every operation is the one of the reference code, so the floats are equal.
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::psnr_hvs::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

/// Samples or coefficients of as many blocks as a vector has lanes.
struct Blocks {
    alignas(64) int32_t x[kTerms][kLanes32];
};

HWY_INLINE V32 half(V32 a)
{
    return hn::ShiftRight<1>(hn::Add(a, shift_right_unsigned<31>(a)));
}

/// a * c / 2^bits, rounded.
template <int bits> HWY_INLINE V32 scaled(V32 a, int c)
{
    const D32 d;
    return hn::ShiftRight<bits>(hn::Add(hn::Mul(a, hn::Set(d, c)), hn::Set(d, 1 << (bits - 1))));
}
/// The same for a that fits into 16 bits: products of halves are cheaper.
template <int bits> HWY_INLINE V32 scaled_narrow(V32 a, int c)
{
    return hn::ShiftRight<bits>(
        multiply_add_pairs(as16(a), pair_of(c, 0), hn::Set(D32(), 1 << (bits - 1))));
}
/// Values that are multiplied reach 8.0001 times the largest sample, so that 10 bits are narrow.
constexpr int kNarrowDepth = 10;

/// Computes one DCT of 8 points in place: x[0], x[step] ...
template <int step, bool is_narrow> HWY_INLINE void transform(int32_t (*x)[kLanes32])
{
    const D32 d;
    const auto times = [](auto bits, V32 a, int c) HWY_ATTR {
        constexpr int kBits = decltype(bits)::value;
        return is_narrow ? scaled_narrow<kBits>(a, c) : scaled<kBits>(a, c);
    };
    constexpr std::integral_constant<int, 13> k13;
    constexpr std::integral_constant<int, 14> k14;
    constexpr std::integral_constant<int, 15> k15;
    V32 t0 = hn::Load(d, x[0]);
    V32 t4 = hn::Load(d, x[step]);
    V32 t2 = hn::Load(d, x[2 * step]);
    V32 t6 = hn::Load(d, x[3 * step]);
    V32 t7 = hn::Load(d, x[4 * step]);
    V32 t3 = hn::Load(d, x[5 * step]);
    V32 t5 = hn::Load(d, x[6 * step]);
    V32 t1 = hn::Load(d, x[7 * step]);
    t1 = hn::Sub(t0, t1);
    const V32 u = half(t1);
    t0 = hn::Sub(t0, u);
    t4 = hn::Add(t4, t5);
    const V32 v = half(t4);
    t5 = hn::Sub(t5, v);
    t3 = hn::Sub(t2, t3);
    t2 = hn::Sub(t2, half(t3));
    t6 = hn::Add(t6, t7);
    const V32 z = half(t6);
    t7 = hn::Sub(z, t7);
    t0 = hn::Add(t0, z);
    t6 = hn::Sub(t0, t6);
    t2 = hn::Sub(v, t2);
    t4 = hn::Sub(t2, t4);
    t0 = hn::Sub(t0, times(k15, t4, 13573));
    t4 = hn::Add(t4, times(k14, t0, 11585));
    t0 = hn::Sub(t0, times(k15, t4, 13573));
    t6 = hn::Sub(t6, times(k15, t2, 21895));
    t2 = hn::Add(t2, times(k14, t6, 15137));
    t6 = hn::Sub(t6, times(k15, t2, 21895));
    t3 = hn::Add(t3, times(k15, t5, 19195));
    t5 = hn::Add(t5, times(k14, t3, 11585));
    t3 = hn::Sub(t3, times(k13, t5, 7489));
    t7 = hn::Sub(half(t5), t7);
    t5 = hn::Sub(t5, t7);
    t3 = hn::Sub(u, t3);
    t1 = hn::Sub(t1, t3);
    t7 = hn::Add(t7, times(k15, t1, 3227));
    t1 = hn::Sub(t1, times(k15, t7, 6393));
    t7 = hn::Add(t7, times(k15, t1, 3227));
    t5 = hn::Add(t5, times(k13, t3, 2485));
    t3 = hn::Sub(t3, times(k15, t5, 18205));
    t5 = hn::Add(t5, times(k13, t3, 2485));
    const V32 out[8] = {t0, t1, t2, t3, t4, t5, t6, t7};
    for (int i = 0; i < 8; ++i)
        hn::Store(out[i], d, x[i * step]);
}

/// Blocks first, first + 1 ... of a row; lanes beyond the last block repeat it.
template <typename Sample>
HWY_INLINE void hvs_load(const Plane &plane, const Row &row, int first, Blocks &blocks)
{
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    // A word has some samples.
    constexpr int kBits = 8 * sizeof(Sample), kOfWord = 4 / sizeof(Sample);
    const D32 d;
    const V32 block =
        hn::Min(hn::Add(hn::Iota(d, 0), hn::Set(d, first)), hn::Set(d, row.blocks - 1));
    const V32 place = hn::Mul(block, hn::Set(d, kStep * static_cast<int>(sizeof(Sample))));
    for (int i = 0; i < kBlock; ++i) {
        const Sample *samples = plane_row<Sample>(plane, row.y + i);
        for (int j = 0; j < kBlock; j += kOfWord) {
            V32 word = hn::GatherOffset(d, reinterpret_cast<const int32_t *>(samples + j), place);
            for (int k = 0; k < kOfWord; ++k) {
                hn::Store(hn::And(word, hn::Set(d, (1 << kBits) - 1)), d,
                          blocks.x[kBlock * i + j + k]);
                word = shift_right_unsigned<kBits>(word);
            }
        }
    }
#else
    for (int i = 0; i < kBlock; ++i) {
        const Sample *samples = plane_row<Sample>(plane, row.y + i);
        for (int lane = 0; lane < kLanes32; ++lane) {
            const Sample *from = samples + kStep * HWY_MIN(first + lane, row.blocks - 1);
            for (int j = 0; j < kBlock; ++j)
                blocks.x[kBlock * i + j][lane] = from[j];
        }
    }
#endif
}

/// Sum of variances of the quarters, in relation to that of the block.
HWY_INLINE VF32 hvs_contrast(const Blocks &blocks)
{
    const D32 d;
    const DF32 f;
    V32 sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    const auto quarter = [](int i) HWY_ATTR {
        return (i / 8 >= 4 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0);
    };
    for (int i = 0; i < kTerms; ++i)
        sums[quarter(i)] = hn::Add(sums[quarter(i)], hn::Load(d, blocks.x[i]));
    const V32 sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    // Divisions by 64 and 16 are exact.
    const VF32 mean = hn::Mul(hn::ConvertTo(f, sum), hn::Set(f, 1.0F / 64));
    VF32 means[4];
    VF32 variances[4];
    for (int k = 0; k < 4; ++k) {
        means[k] = hn::Mul(hn::ConvertTo(f, sums[k]), hn::Set(f, 1.0F / 16));
        variances[k] = hn::Zero(f);
    }
    VF32 variance = hn::Zero(f);
    for (int i = 0; i < kTerms; ++i) {
        const VF32 sample = hn::ConvertTo(f, hn::Load(d, blocks.x[i]));
        const VF32 whole = hn::Sub(sample, mean);
        const VF32 part = hn::Sub(sample, means[quarter(i)]);
        variance = hn::Add(variance, hn::Mul(whole, whole));
        variances[quarter(i)] = hn::Add(variances[quarter(i)], hn::Mul(part, part));
    }
    variance = hn::Mul(variance, hn::Set(f, kBlockVariance));
    for (VF32 &of_quarter : variances)
        of_quarter = hn::Mul(of_quarter, hn::Set(f, kQuarterVariance));
    const VF32 all =
        hn::Add(hn::Add(hn::Add(variances[0], variances[1]), variances[2]), variances[3]);
    return hn::IfThenElse(hn::Gt(variance, hn::Zero(f)), hn::Div(all, variance), variance);
}

/// Transforms the blocks; returns how much they mask errors.
template <bool is_narrow> HWY_INLINE VF32 hvs_mask(Blocks &blocks, const Weights &weights)
{
    const DF32 f;
    const VF32 contrast = hvs_contrast(blocks);
    for (int j = 0; j < 8; ++j)
        transform<8, is_narrow>(blocks.x + j);
    for (int i = 0; i < 8; ++i)
        transform<1, is_narrow>(blocks.x + 8 * i);
    VF32 mask = hn::Zero(f);
    for (int i = 1; i < kTerms; ++i) {
        // The product of floats is rounded as the integer product is when it becomes a float.
        const VF32 x = hn::ConvertTo(f, hn::Load(D32(), blocks.x[i]));
        mask = hn::Add(mask, hn::Mul(hn::Mul(x, x), hn::Set(f, weights.mask[i])));
    }
    return hn::Mul(hn::Sqrt(hn::Mul(mask, contrast)), hn::Set(f, 1.0F / 32));
}

/// v / weight. With a fused multiply-add, the quotient by the reciprocal is corrected: a test has
/// all fractions of v and all weights.
HWY_INLINE VF32 hvs_divide(VF32 v, float weight)
{
    const VF32 divisor = hn::Set(DF32(), weight);
#if HWY_NATIVE_FMA
    const VF32 reciprocal = hn::Set(DF32(), 1 / weight);
    const VF32 quotient = hn::Mul(v, reciprocal);
    return hn::MulAdd(hn::NegMulAdd(quotient, divisor, v), reciprocal, quotient);
#else
    return hn::Div(v, divisor);
#endif
}

/// The terms of blocks: those of a block in each lane, or in each row.
struct HvsTerms {
    alignas(64) float of_lanes[kTerms][kLanes32];
    alignas(64) float of_blocks[kLanes32][kTerms];
};

HWY_INLINE void hvs_terms(const Blocks &reference, const Blocks &distorted, VF32 mask,
                          const Weights &weights, HvsTerms &terms)
{
    const D32 d;
    const DF32 f;
    for (int i = 0; i < kTerms; ++i) {
        const V32 difference = hn::Sub(hn::Load(d, reference.x[i]), hn::Load(d, distorted.x[i]));
        VF32 error = hn::ConvertTo(f, hn::Abs(difference));
        if (i > 0) {
            const VF32 threshold = hvs_divide(mask, weights.mask[i]);
            error =
                hn::IfThenElse(hn::Lt(error, threshold), hn::Zero(f), hn::Sub(error, threshold));
        }
        const VF32 weighted = hn::Mul(error, hn::Set(f, weights.sensitivity[i]));
        hn::Store(hn::Mul(weighted, weighted), f, terms.of_lanes[i]);
    }
    for (int i = 0; i < kTerms; i += kLanes32)
        transpose_square(terms.of_lanes[i], kLanes32, terms.of_blocks[0] + i, kTerms);
}

#if HWY_TARGET == HWY_AVX2
/// For each set of lanes: their numbers, then any.
struct LaneLists {
    uint8_t lanes[256][8] = {};

    constexpr LaneLists()
    {
        for (int set = 0; set < 256; ++set)
            for (int lane = 0, i = 0; lane < 8; ++lane)
                if ((set >> lane & 1) != 0)
                    lanes[set][i++] = static_cast<uint8_t>(lane);
    }
};
constexpr LaneLists kLaneLists;
#endif

/// Stores the lanes above 0 one behind the other; then any. Returns how many there are.
HWY_INLINE size_t store_positive(VF32 v, float *to)
{
    const DF32 f;
    const auto is_positive = hn::Gt(v, hn::Zero(f));
#if HWY_TARGET == HWY_AVX2 // Highway copies its table each time
    uint8_t set[8];
    hn::StoreMaskBits(f, is_positive, set);
    const hn::Rebind<uint8_t, D32> bytes;
    const V32 lanes = hn::PromoteTo(D32(), hn::LoadU(bytes, kLaneLists.lanes[set[0]]));
    hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(f, lanes)), f, to);
    return static_cast<size_t>(__builtin_popcount(set[0]));
#else
    return hn::CompressStore(v, is_positive, f, to);
#endif
}

/// Appends what is not 0, block by block. Behind it, kSlack floats may be overwritten.
HWY_INLINE float *hvs_append(const HvsTerms &terms, int blocks, float *to)
{
    for (int block = 0; block < blocks; ++block)
        for (int i = 0; i < kTerms; i += kLanes32)
            to += store_positive(hn::Load(DF32(), terms.of_blocks[block] + i), to);
    return to;
}

template <typename Sample, bool is_narrow> HWY_INLINE void hvs_row(const Row &row)
{
    Blocks reference;
    Blocks distorted;
    HvsTerms terms;
    float *to = row.terms;
    for (int first = 0; first < row.blocks; first += kLanes32) {
        hvs_load<Sample>(row.reference, row, first, reference);
        hvs_load<Sample>(row.distorted, row, first, distorted);
        const VF32 of_reference = hvs_mask<is_narrow>(reference, *row.weights);
        const VF32 of_distorted = hvs_mask<is_narrow>(distorted, *row.weights);
        const VF32 mask =
            hn::IfThenElse(hn::Gt(of_distorted, of_reference), of_distorted, of_reference);
        hvs_terms(reference, distorted, mask, *row.weights, terms);
        to = hvs_append(terms, HWY_MIN(kLanes32, row.blocks - first), to);
    }
    *row.count = static_cast<int>(to - row.terms);
}

inline void run_row(const Row &row)
{
    if (row.depth > kNarrowDepth)
        return hvs_row<uint16_t, false>(row);
    return row.depth > 8 ? hvs_row<uint16_t, true>(row) : hvs_row<uint8_t, true>(row);
}

} // namespace vmafgpu::psnr_hvs::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
