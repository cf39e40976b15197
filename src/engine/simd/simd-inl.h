// SPDX-License-Identifier: BSD-2-Clause-Patent
// SIMD operations that Highway lacks or that are faster here, for files that simd_targets.h
// compiles once per level. Only those files include it, so it has no include guard. All vectors are
// full ones.
#if !VMAFGPU_SIMD_VNNI // that level shares the AVX-512 copy of Highway
#include <hwy/highway.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<int16_t>;
using DU16 = hn::ScalableTag<uint16_t>;
using D32 = hn::ScalableTag<int32_t>;
using DU32 = hn::ScalableTag<uint32_t>;
using D64 = hn::ScalableTag<int64_t>;
using DU64 = hn::ScalableTag<uint64_t>;
using DF32 = hn::ScalableTag<float>;
using DF64 = hn::ScalableTag<double>;
using D32Half = hn::Half<D32>;
using V16 = hn::Vec<D16>;
using VU16 = hn::Vec<DU16>;
using V32 = hn::Vec<D32>;
using VU32 = hn::Vec<DU32>;
using V64 = hn::Vec<D64>;
using VU64 = hn::Vec<DU64>;
using VF32 = hn::Vec<DF32>;
using VF64 = hn::Vec<DF64>;

constexpr int kLanes16 = static_cast<int>(hn::MaxLanes(D16()));
constexpr int kLanes32 = kLanes16 / 2;
constexpr int kLanes64 = kLanes16 / 4;

HWY_INLINE void prefetch(const void *address)
{
    __builtin_prefetch(address);
}

HWY_INLINE V16 as16(V32 v)
{
    return hn::BitCast(D16(), v);
}
HWY_INLINE V32 as32(V16 v)
{
    return hn::BitCast(D32(), v);
}
template <int bits> HWY_INLINE V32 shift_right_unsigned(V32 v)
{
    return hn::BitCast(D32(), hn::ShiftRight<bits>(hn::BitCast(DU32(), v)));
}

/// Lane k: a[2k] * b[2k] + a[2k + 1] * b[2k + 1] + sum[k], modulo 2^32.
HWY_INLINE V32 multiply_add_pairs(V16 a, V16 b, V32 sum)
{
#if VMAFGPU_SIMD_VNNI
    return V32{_mm512_dpwssd_epi32(sum.raw, a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX3
    return hn::Add(sum, V32{_mm512_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_AVX2
    return hn::Add(sum, V32{_mm256_madd_epi16(a.raw, b.raw)});
#elif HWY_TARGET == HWY_SSE4
    return hn::Add(sum, V32{_mm_madd_epi16(a.raw, b.raw)});
#else
    const V32 even = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(as32(a))),
                             hn::ShiftRight<16>(hn::ShiftLeft<16>(as32(b))));
    const V32 odd = hn::Mul(hn::ShiftRight<16>(as32(a)), hn::ShiftRight<16>(as32(b)));
    return hn::Add(sum, hn::Add(even, odd));
#endif
}

/// Returns operand b of multiply_add_pairs(): the same two factors in all lanes.
HWY_INLINE V16 pair_of(int first, int second)
{
    const auto low = static_cast<uint32_t>(first) & 65535;
    return as16(hn::Set(D32(), static_cast<int32_t>(low | static_cast<uint32_t>(second) << 16)));
}

/// The low 16 bits of each lane of both: even[0], odd[0], even[1], ...
HWY_INLINE V16 merge_low(V32 even, V32 odd)
{
    return hn::OddEven(as16(hn::ShiftLeft<16>(odd)), as16(even));
}
/// The high 16 bits likewise.
HWY_INLINE V16 merge_high(V32 even, V32 odd)
{
    return hn::OddEven(as16(odd), as16(shift_right_unsigned<16>(even)));
}

/// Unsigned products of the odd lanes; hn::MulEven() is that of the even ones.
HWY_INLINE VU64 multiply_odd(VU32 a, VU32 b)
{
    const DU64 d;
    return hn::MulEven(hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(d, a))),
                       hn::BitCast(DU32(), hn::ShiftRight<32>(hn::BitCast(d, b))));
}

/// The 64-bit lanes' high halves: even ones from `even`, odd ones from `odd`.
HWY_INLINE VU32 merge_high_halves(VU64 even, VU64 odd)
{
    return hn::OddEven(hn::BitCast(DU32(), odd), hn::BitCast(DU32(), hn::ShiftRight<32>(even)));
}

/// Sum of unsigned lanes in each pair.
HWY_INLINE VU64 add_pairs(VU32 v)
{
    const VU64 wide = hn::BitCast(DU64(), v);
    return hn::Add(hn::ShiftRight<32>(wide), hn::And(wide, hn::Set(DU64(), 0xffffffffu)));
}

/// The lanes whose number is below `count`. hn::Iota() from a variable is built by the
/// compiler in memory, lane by lane.
HWY_INLINE hn::Mask<D32> first_lanes(int count)
{
    return hn::Lt(hn::Iota(D32(), 0), hn::Set(D32(), count));
}

/// The integer part; |v| < 2^31.
HWY_INLINE hn::Vec<D32Half> truncate(VF64 v)
{
#if HWY_TARGET == HWY_AVX3
    return hn::Vec<D32Half>{_mm512_cvttpd_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return hn::Vec<D32Half>{_mm256_cvttpd_epi32(v.raw)};
#else
    return hn::DemoteTo(D32Half(), v);
#endif
}

/// The integer part, and the nearest integer; |v| < 2^31.
HWY_INLINE V32 truncate(VF32 v)
{
#if HWY_TARGET == HWY_AVX3
    return V32{_mm512_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_cvttps_epi32(v.raw)};
#elif HWY_TARGET == HWY_SSE4
    return V32{_mm_cvttps_epi32(v.raw)};
#else
    return hn::ConvertTo(D32(), v);
#endif
}
HWY_INLINE V32 nearest(VF32 v)
{
#if HWY_TARGET == HWY_AVX3
    return V32{_mm512_cvtps_epi32(v.raw)};
#elif HWY_TARGET == HWY_AVX2
    return V32{_mm256_cvtps_epi32(v.raw)};
#else
    return hn::NearestInt(v);
#endif
}

/// v >= 0 with its 16 leading bits at least: they are not rounded up.
HWY_INLINE VF32 leading_bits(V32 v)
{
#if HWY_TARGET == HWY_AVX3
    return VF32{_mm512_cvt_roundepi32_ps(v.raw, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
#else // without the bit below the leading ones, the conversion does not carry
    return hn::ConvertTo(DF32(), hn::AndNot(hn::ShiftRight<16>(v), v));
#endif
}

HWY_INLINE V32 combine(hn::Vec<D32Half> low, hn::Vec<D32Half> high)
{
    return hn::Combine(D32(), high, low);
}
HWY_INLINE VF64 low_to_double(V32 v)
{
    return hn::PromoteTo(DF64(), hn::LowerHalf(v));
}
HWY_INLINE VF64 high_to_double(V32 v)
{
    return hn::PromoteTo(DF64(), hn::UpperHalf(D32Half(), v));
}

#undef VMAFGPU_SIMD_HAS_TABLES
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
#define VMAFGPU_SIMD_HAS_TABLES 1
/// table[index % 16] in every lane.
HWY_INLINE VF32 look_up_16(const float *table, V32 index)
{
#if HWY_TARGET == HWY_AVX3
    return VF32{_mm512_permutexvar_ps(index.raw, _mm512_load_ps(table))};
#else
    const __m256 low = _mm256_permutevar8x32_ps(_mm256_load_ps(table), index.raw);
    const __m256 high = _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), index.raw);
    const __m256i is_high = _mm256_slli_epi32(index.raw, 28);
    return VF32{_mm256_blendv_ps(low, high, _mm256_castsi256_ps(is_high))};
#endif
}
#else
#define VMAFGPU_SIMD_HAS_TABLES 0
#endif

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
