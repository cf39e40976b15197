// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr_hvs of one row of blocks, a block in each lane. simd_targets.h compiles it once per level
// for psnr_hvs_cpu.cpp. Every operation is the one of the reference code, so the floats are equal.
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::psnr_hvs::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

/// Samples or coefficients of some blocks. Up to 10 bits they are 16 bits wide: block `lane` of
/// half 0 and of half 1 are neighbours, the low and the high half of a 32-bit lane.
template <bool is_narrow> struct Blocks {
    using Value = int32_t;
    using D = D32;
    static constexpr int kHalves = 1;
    alignas(64) int32_t x[kTerms][kLanes32];

    HWY_INLINE static V32 of_half(V32 v, int) { return v; }
    HWY_INLINE V32 value(int half, int i) const { return of_half(hn::Load(D32(), x[i]), half); }
};
template <> struct Blocks<true> {
    using Value = int16_t;
    using D = D16;
    static constexpr int kHalves = 2;
    alignas(64) int16_t x[kTerms][kLanes16];

    /// The lanes of a half.
    HWY_INLINE static V32 of_half(V16 v, int half)
    {
        return hn::ShiftRight<16>(half == 0 ? hn::ShiftLeft<16>(as32(v)) : as32(v));
    }
    HWY_INLINE V32 value(int half, int i) const { return of_half(hn::Load(D16(), x[i]), half); }
};
/// Values of a DCT reach 8.0001 times the largest sample.
constexpr int kNarrowDepth = 10;

HWY_INLINE V32 half_of(V32 a)
{
    return hn::ShiftRight<1>(hn::Add(a, shift_right_unsigned<31>(a)));
}
HWY_INLINE V16 half_of(V16 a)
{
    const DU16 u;
    const V16 sign = hn::BitCast(D16(), hn::ShiftRight<15>(hn::BitCast(u, a)));
    return hn::ShiftRight<1>(hn::Add(a, sign));
}

/// a * c / 2^bits, rounded.
template <int bits> HWY_INLINE V32 scaled(V32 a, int c)
{
    const D32 d;
    return hn::ShiftRight<bits>(hn::Add(hn::Mul(a, hn::Set(d, c)), hn::Set(d, 1 << (bits - 1))));
}
template <int bits> HWY_INLINE V16 scaled(V16 a, int c)
{
    return hn::MulFixedPoint15(a, hn::Set(D16(), static_cast<int16_t>(c << (15 - bits))));
}

/// Computes one DCT of 8 points in place: x[0], x[step] ...
template <int step, class D, typename Row> HWY_INLINE void transform(D d, Row *x)
{
    using V = hn::Vec<D>;
    V t0 = hn::Load(d, x[0]);
    V t4 = hn::Load(d, x[step]);
    V t2 = hn::Load(d, x[2 * step]);
    V t6 = hn::Load(d, x[3 * step]);
    V t7 = hn::Load(d, x[4 * step]);
    V t3 = hn::Load(d, x[5 * step]);
    V t5 = hn::Load(d, x[6 * step]);
    V t1 = hn::Load(d, x[7 * step]);
    t1 = hn::Sub(t0, t1);
    const V u = half_of(t1);
    t0 = hn::Sub(t0, u);
    t4 = hn::Add(t4, t5);
    const V v = half_of(t4);
    t5 = hn::Sub(t5, v);
    t3 = hn::Sub(t2, t3);
    t2 = hn::Sub(t2, half_of(t3));
    t6 = hn::Add(t6, t7);
    const V z = half_of(t6);
    t7 = hn::Sub(z, t7);
    t0 = hn::Add(t0, z);
    t6 = hn::Sub(t0, t6);
    t2 = hn::Sub(v, t2);
    t4 = hn::Sub(t2, t4);
    t0 = hn::Sub(t0, scaled<15>(t4, 13573));
    t4 = hn::Add(t4, scaled<14>(t0, 11585));
    t0 = hn::Sub(t0, scaled<15>(t4, 13573));
    t6 = hn::Sub(t6, scaled<15>(t2, 21895));
    t2 = hn::Add(t2, scaled<14>(t6, 15137));
    t6 = hn::Sub(t6, scaled<15>(t2, 21895));
    t3 = hn::Add(t3, scaled<15>(t5, 19195));
    t5 = hn::Add(t5, scaled<14>(t3, 11585));
    t3 = hn::Sub(t3, scaled<13>(t5, 7489));
    t7 = hn::Sub(half_of(t5), t7);
    t5 = hn::Sub(t5, t7);
    t3 = hn::Sub(u, t3);
    t1 = hn::Sub(t1, t3);
    t7 = hn::Add(t7, scaled<15>(t1, 3227));
    t1 = hn::Sub(t1, scaled<15>(t7, 6393));
    t7 = hn::Add(t7, scaled<15>(t1, 3227));
    t5 = hn::Add(t5, scaled<13>(t3, 2485));
    t3 = hn::Sub(t3, scaled<15>(t5, 18205));
    t5 = hn::Add(t5, scaled<13>(t3, 2485));
    const V out[8] = {t0, t1, t2, t3, t4, t5, t6, t7};
    for (int i = 0; i < 8; ++i)
        hn::Store(out[i], d, x[i * step]);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
/// Bytes from a row's place to the blocks first, first + 1 ...; the last block again beyond it.
template <typename Sample> HWY_INLINE V32 hvs_places(const Row &row, int first)
{
    const D32 d;
    const V32 block = hn::Add(hn::Iota(d, 0), hn::Set(d, first));
    return hn::Mul(hn::Min(block, hn::Set(d, row.blocks - 1)),
                   hn::Set(d, kStep * static_cast<int>(sizeof(Sample))));
}

HWY_INLINE void store_both(V16 v, Blocks<true> &blocks, int i)
{
    hn::Store(v, D16(), blocks.x[i]);
}

/// Samples i, i + 1 ... of the blocks of both halves, whose words these are.
HWY_INLINE void hvs_spread(uint8_t, V32 low, V32 high, Blocks<true> &blocks, int i)
{
    const DU16 u;
    const V16 words[2] = {merge_low(low, high), merge_high(low, high)};
    for (int k = 0; k < 2; ++k) {
        const VU16 word = hn::BitCast(u, words[k]);
        store_both(hn::BitCast(D16(), hn::And(word, hn::Set(u, 255))), blocks, i + 2 * k);
        store_both(hn::BitCast(D16(), hn::ShiftRight<8>(word)), blocks, i + 2 * k + 1);
    }
}
HWY_INLINE void hvs_spread(uint16_t, V32 low, V32 high, Blocks<true> &blocks, int i)
{
    store_both(merge_low(low, high), blocks, i);
    store_both(merge_high(low, high), blocks, i + 1);
}
HWY_INLINE void hvs_spread(uint16_t, V32 low, V32, Blocks<false> &blocks, int i)
{
    hn::Store(hn::And(low, hn::Set(D32(), 65535)), D32(), blocks.x[i]);
    hn::Store(shift_right_unsigned<16>(low), D32(), blocks.x[i + 1]);
}
#endif

/// Blocks first, first + 1 ... of a row; lanes beyond the last block repeat it.
template <typename Sample, bool is_narrow>
HWY_INLINE void hvs_load(const Plane &plane, const Row &row, int first, Blocks<is_narrow> &blocks)
{
    constexpr int kHalves = Blocks<is_narrow>::kHalves;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
    const D32 d;
    const V32 low = hvs_places<Sample>(row, first);
    const V32 high = hvs_places<Sample>(row, first + (kHalves - 1) * kLanes32);
    for (int i = 0; i < kBlock; ++i) {
        const Sample *samples = plane_row<Sample>(plane, row.y + i);
        for (int j = 0; j < kBlock; j += 4 / static_cast<int>(sizeof(Sample))) {
            const auto *words = reinterpret_cast<const int32_t *>(samples + j);
            hvs_spread(Sample(), hn::GatherOffset(d, words, low), hn::GatherOffset(d, words, high),
                       blocks, kBlock * i + j);
        }
    }
#else
    for (int i = 0; i < kBlock; ++i) {
        const Sample *samples = plane_row<Sample>(plane, row.y + i);
        for (int block = 0; block < kHalves * kLanes32; ++block) {
            const Sample *from = samples + kStep * HWY_MIN(first + block, row.blocks - 1);
            const int lane = block % kLanes32 * kHalves + block / kLanes32;
            for (int j = 0; j < kBlock; ++j)
                blocks.x[kBlock * i + j][lane] =
                    static_cast<typename Blocks<is_narrow>::Value>(from[j]);
        }
    }
#endif
}

constexpr int quarter_of(int i)
{
    return (i / 8 >= 4 ? 1 : 0) + (i % 8 >= 4 ? 2 : 0);
}

/// Sums of the samples of the quarters; 10 bits fit into 16.
template <bool is_narrow, class V> HWY_INLINE void hvs_add(const Blocks<is_narrow> &blocks, V *sums)
{
    const typename Blocks<is_narrow>::D d;
    for (int k = 0; k < 4; ++k)
        sums[k] = hn::Zero(d);
    for (int i = 0; i < kTerms; ++i)
        sums[quarter_of(i)] = hn::Add(sums[quarter_of(i)], hn::Load(d, blocks.x[i]));
}

/// Sum of variances of the quarters, in relation to that of the block. `quarters`: of hvs_add().
template <bool is_narrow, class V>
HWY_INLINE VF32 hvs_contrast(const Blocks<is_narrow> &blocks, const V *quarters, int half)
{
    const DF32 f;
    V32 sums[4];
    for (int k = 0; k < 4; ++k)
        sums[k] = Blocks<is_narrow>::of_half(quarters[k], half);
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
        const VF32 sample = hn::ConvertTo(f, blocks.value(half, i));
        const VF32 whole = hn::Sub(sample, mean);
        const VF32 part = hn::Sub(sample, means[quarter_of(i)]);
        variance = hn::Add(variance, hn::Mul(whole, whole));
        variances[quarter_of(i)] = hn::Add(variances[quarter_of(i)], hn::Mul(part, part));
    }
    variance = hn::Mul(variance, hn::Set(f, kBlockVariance));
    for (VF32 &of_quarter : variances)
        of_quarter = hn::Mul(of_quarter, hn::Set(f, kQuarterVariance));
    const VF32 all =
        hn::Add(hn::Add(hn::Add(variances[0], variances[1]), variances[2]), variances[3]);
    return hn::IfThenElse(hn::Gt(variance, hn::Zero(f)), hn::Div(all, variance), variance);
}

/// Transforms the blocks; returns how much those of each half mask errors.
template <bool is_narrow>
HWY_INLINE void hvs_masks(Blocks<is_narrow> &blocks, const Weights &weights, VF32 *masks)
{
    using Form = Blocks<is_narrow>;
    const DF32 f;
    hn::Vec<typename Form::D> quarters[4];
    hvs_add(blocks, quarters);
    VF32 contrasts[Form::kHalves];
    for (int half = 0; half < Form::kHalves; ++half) {
        contrasts[half] = hvs_contrast(blocks, quarters, half);
        masks[half] = hn::Zero(f);
    }
    for (int j = 0; j < 8; ++j)
        transform<8>(typename Form::D(), blocks.x + j);
    for (int i = 0; i < 8; ++i)
        transform<1>(typename Form::D(), blocks.x + 8 * i);
    for (int i = 1; i < kTerms; ++i)
        for (int half = 0; half < Form::kHalves; ++half) {
            // The product of floats is rounded as the integer product is when it becomes a float.
            const VF32 x = hn::ConvertTo(f, blocks.value(half, i));
            masks[half] = hn::Add(masks[half], hn::Mul(hn::Mul(x, x), hn::Set(f, weights.mask[i])));
        }
    for (int half = 0; half < Form::kHalves; ++half)
        masks[half] =
            hn::Mul(hn::Sqrt(hn::Mul(masks[half], contrasts[half])), hn::Set(f, 1.0F / 32));
}

/// v / weight. With a fused multiply-add, the product with the reciprocal is corrected: equal for
/// all fractions of v and all weights (tests/unit/test_other_tables.cpp).
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

template <bool is_narrow>
HWY_INLINE void hvs_terms(const Blocks<is_narrow> &reference, const Blocks<is_narrow> &distorted,
                          int half, VF32 mask, const Weights &weights, HvsTerms &terms)
{
    const DF32 f;
    for (int i = 0; i < kTerms; ++i) {
        const V32 difference = hn::Sub(reference.value(half, i), distorted.value(half, i));
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
    constexpr int kHalves = Blocks<is_narrow>::kHalves;
    Blocks<is_narrow> reference;
    Blocks<is_narrow> distorted;
    HvsTerms terms;
    float *to = row.terms;
    for (int first = 0; first < row.blocks; first += kHalves * kLanes32) {
        hvs_load<Sample>(row.reference, row, first, reference);
        hvs_load<Sample>(row.distorted, row, first, distorted);
        VF32 of_reference[kHalves], of_distorted[kHalves];
        hvs_masks(reference, *row.weights, of_reference);
        hvs_masks(distorted, *row.weights, of_distorted);
        for (int half = 0; half < kHalves; ++half) {
            const int left = row.blocks - first - half * kLanes32;
            const auto is_more = hn::Gt(of_distorted[half], of_reference[half]);
            hvs_terms(reference, distorted, half,
                      hn::IfThenElse(is_more, of_distorted[half], of_reference[half]), *row.weights,
                      terms);
            to = hvs_append(terms, HWY_MIN(kLanes32, left), to);
        }
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
