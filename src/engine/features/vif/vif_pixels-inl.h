// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif_add_pixel() of vif_math.h for vectors of pixels, without branches on single pixels. Part of
// vif_strip-inl.h, compiled once per SIMD level.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

/// Sums of vif_log2() in two parts: 128 * index + rest + kLogOffset per value.
struct LogSum {
    V32 index, rest;
};

#if VMAFGPU_SIMD_HAS_TABLES

/// See vif_log2_fit.h; exponents here include the bias of binary32.
constexpr int64_t kLogOffset = kVifFitOffset - 2048 * (127 + 15);

HWY_INLINE void add_log(V32 v, LogSum &sum)
{
    const DF32 df;
    const D32 d;
    // The bit below the 16 leading ones is cleared, so that the conversion cannot round them up.
    const VF32 value = hn::ConvertTo(df, hn::AndNot(hn::ShiftRight<16>(v), v));
    const V32 bits = hn::BitCast(d, value);
    const V32 index = shift_right_unsigned<19>(bits);
    const V32 low = hn::And(bits, hn::Set(d, 0x7ff00));
    const VF32 one_more = hn::BitCast(df, hn::Or(low, hn::Set(d, 0x3f800000)));
    const VF32 x = hn::Sub(one_more, hn::Set(df, 1.0F + 1.0F / 32));
    VF32 fit = look_up_16(kVifFit[3], index);
    fit = hn::MulAdd(fit, x, look_up_16(kVifFit[2], index));
    fit = hn::MulAdd(fit, x, look_up_16(kVifFit[1], index));
    fit = hn::MulAdd(fit, x, look_up_16(kVifFit[0], index));
    sum.index = hn::Add(sum.index, index);
    sum.rest = hn::Add(sum.rest, nearest(fit));
}

#else

constexpr int64_t kLogOffset = 0;

inline void add_log(V32 v, LogSum &sum)
{
    HWY_ALIGN int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    for (int32_t &lane : lanes)
        lane = vif_log2(static_cast<uint32_t>(lane), vif_log2_table());
    sum.rest = hn::Add(sum.rest, hn::Load(D32(), lanes));
}

#endif

/// 32-bit lanes are enough for the sums of one tile of a strip: at most 64 * 256 values below 2^16.
struct PixelSums {
    LogSum den, noise, num[kVifMaxLimits];
    VU64 flat_variance;
    V32 flat_count;       ///< negative
    int64_t left_out = 0; ///< flat pixels that are not in den: their logarithm is the noise's

    PixelSums()
    {
        const V32 zero = hn::Zero(D32());
        den = noise = num[0] = num[1] = {zero, zero};
        flat_variance = hn::Zero(DU64());
        flat_count = zero;
    }
};

HWY_INLINE int64_t sum_lanes(V32 v)
{
    HWY_ALIGN int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    int64_t sum = 0;
    for (const int32_t lane : lanes)
        sum += lane;
    return sum;
}

HWY_INLINE int64_t sum_log(const LogSum &sum)
{
    return 128 * sum_lanes(sum.index) + sum_lanes(sum.rest);
}

/// Adds the sums of `pixels` pixels; any number of zero pixels may follow them.
inline void add_totals(const PixelSums &from, int64_t pixels, int64_t zeros, int limits,
                       VifScaleSums &to)
{
    for (int i = 0; i < limits; ++i)
        to.num_log[i] += sum_log(from.num[i]) - sum_log(from.noise);
    to.den_log +=
        sum_log(from.den) + (kLogOffset - kVifLog2Noise) * (pixels + zeros - from.left_out);
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(from.flat_variance, DU64(), lanes);
    for (const uint64_t lane : lanes)
        to.num_nl += static_cast<int64_t>(lane);
    to.den_nl += -sum_lanes(from.flat_count) - zeros;
}

/// Half a vector in binary64. Pixels that add nothing have 0 in both.
struct Gain {
    VF64 gain, variance;
    hn::Vec<D32Half> residual;

    HWY_INLINE void set(VF64 reference, VF64 distorted, VF64 both)
    {
        const DF64 d;
        variance = reference;
        // vif_math.h explains these steps.
        gain = hn::Div(both, hn::Add(reference, hn::Set(d, 65536 * 1e-10)));
        residual = truncate(hn::Sub(distorted, hn::Mul(gain, both)));
    }
    HWY_INLINE hn::Vec<D32Half> signal(double limit) const
    {
        const VF64 limited = hn::Min(gain, hn::Set(DF64(), limit));
        return truncate(hn::Mul(hn::Mul(limited, limited), variance));
    }
};

template <int limits> HWY_INLINE void add_textured(V32 reference, V32 distorted, V32 both,
                                                   const double *limit, LogSum &noise_sum,
                                                   LogSum *num)
{
    const D32 d;
    Gain low, high;
    low.set(low_to_double(reference), low_to_double(distorted), low_to_double(both));
    high.set(high_to_double(reference), high_to_double(distorted), high_to_double(both));
    const V32 residual = hn::Max(combine(low.residual, high.residual), hn::Zero(d));
    const V32 noise = hn::Add(residual, hn::Set(d, kVifNoise));
    add_log(noise, noise_sum);
    for (int i = 0; i < limits; ++i)
        add_log(hn::Add(noise, combine(low.signal(limit[i]), high.signal(limit[i]))), num[i]);
}

template <int limits>
void add_row(const VifSigmaRow &row, int count, const double *limit, PixelSums &sums)
{
    const D32 d;
    const V32 zero = hn::Zero(d);
    const V32 threshold = hn::Set(d, kVifNoise - 1);
    PixelSums local = sums;
    for (int x = 0; x < count; x += kLanes32) {
        const V32 reference = hn::Load(d, row.reference + x);
        const V32 distorted = hn::Max(hn::Load(d, row.distorted + x), zero);
        V32 both = hn::Load(d, row.both + x);
        const auto textured = hn::Gt(reference, threshold);
        if (!hn::AllTrue(d, textured)) {
            const V32 flat = hn::IfThenZeroElse(textured, distorted);
            const VU64 pairs = add_pairs(hn::BitCast(DU32(), flat));
            local.flat_variance = hn::Add(local.flat_variance, pairs);
            local.flat_count =
                hn::Add(local.flat_count, hn::IfThenZeroElse(textured, hn::Set(d, -1)));
            if (hn::AllFalse(d, textured)) {
                local.left_out += kLanes32;
                continue;
            }
        }
        const V32 variance = hn::IfThenElseZero(textured, reference);
        add_log(hn::Add(variance, hn::Set(d, kVifNoise)), local.den);
        const auto adds = hn::And(textured, hn::And(hn::Gt(distorted, zero), hn::Gt(both, zero)));
        both = hn::IfThenElseZero(adds, both);
        add_textured<limits>(variance, distorted, both, limit, local.noise, local.num);
    }
    sums = local;
}

inline void add_pixels(const VifSigmaRow &row, int count, const VifConfig &config, PixelSums &sums)
{
    if (config.limit_count == 1)
        add_row<1>(row, count, config.limits, sums);
    else
        add_row<2>(row, count, config.limits, sums);
}

/// vif_add_pixels() of vif_simd.h.
inline void add_pixels_once(const VifSigmaRow &row, int count, const VifConfig &config,
                            VifScaleSums &sums)
{
    PixelSums parts;
    add_pixels(row, count, config, parts);
    const int all = (count + kLanes32 - 1) / kLanes32 * kLanes32;
    add_totals(parts, count, all - count, config.limit_count, sums);
}

} // namespace VMAFGPU_SIMD
} // namespace vmafgpu
HWY_AFTER_NAMESPACE();
