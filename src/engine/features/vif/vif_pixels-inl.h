// SPDX-License-Identifier: BSD-2-Clause-Patent
// vif_add_pixel() of vif_math.h for vectors of pixels, without branches on single pixels. Part of
// vif_strip-inl.h, compiled once per SIMD level.

HWY_BEFORE_NAMESPACE();
namespace vmafgpu {
namespace VMAFGPU_SIMD {

/// Sums of vif_log2() in two parts: 128 * index + rest - kLogUnit + kLogOffset per value. The sum
/// of `rest` wraps.
struct LogSum {
    V32 index, rest;
};

#if VMAFGPU_SIMD_HAS_TABLES

/// See vif_log2_fit.h; exponents here include the bias of binary32.
constexpr int64_t kLogOffset = 30720 - 2048 * (127 + 15);
constexpr uint32_t kLogUnit = kVifFitUnitBits;

HWY_INLINE void add_log(V32 v, LogSum &sum)
{
    const DF32 df;
    const D32 d;
    const V32 bits = hn::BitCast(d, leading_bits(v));
    const V32 index = shift_right_unsigned<19>(bits);
    const V32 x = hn::OrAnd(hn::Set(d, 0x3f800000), bits, hn::Set(d, 0x7fff00));
    const VF32 y =
        hn::MulSub(hn::BitCast(df, x), look_up_16(kVifFitScale, index), hn::Set(df, 1.0F));
    VF32 fit = hn::MulAdd(hn::Set(df, kVifFit[2]), y, hn::Set(df, kVifFit[1]));
    fit = hn::MulAdd(fit, y, hn::Set(df, kVifFit[0]));
    fit = hn::MulAdd(fit, y, look_up_16(kVifFitStart, index));
    sum.index = hn::Add(sum.index, index);
    sum.rest = hn::Add(sum.rest, hn::BitCast(d, fit));
}

#else

constexpr int64_t kLogOffset = 0;
constexpr uint32_t kLogUnit = 0;

inline void add_log(V32 v, LogSum &sum)
{
    HWY_ALIGN int32_t lanes[kLanes32];
    hn::Store(v, D32(), lanes);
    for (int32_t &lane : lanes)
        lane = vif_log2(static_cast<uint32_t>(lane), vif_log2_table());
    sum.rest = hn::Add(sum.rest, hn::Load(D32(), lanes));
}

#endif

/// Values of pixels whose logarithms are to be added. That is done one vector later, so that the
/// processor has work while it divides.
struct LogArguments {
    V32 den, noise, num_first, num_second;
};

/// 32-bit lanes are enough for the sums of one tile of a strip: at most 128 * 256 values below
/// 2^16.
struct PixelSums {
    LogSum den, noise, num[kVifMaxLimits];
    LogArguments waiting;
    VU64 flat_variance;
    V32 flat_count; ///< negative
    /// Flat pixels that are not in den: their logarithm is the noise's. The first pixels that wait
    /// are added to den without being any.
    int64_t left_out = -kLanes32;

    PixelSums()
    {
        const V32 zero = hn::Zero(D32());
        den = noise = num[0] = num[1] = {zero, zero};
        const V32 no_variance = hn::Set(D32(), kVifNoise);
        waiting = {no_variance, no_variance, no_variance, no_variance};
        flat_variance = hn::Zero(DU64());
        flat_count = zero;
    }
};

template <int limits> HWY_INLINE void add_logs(const LogArguments &of, PixelSums &sums)
{
    add_log(of.den, sums.den);
    add_log(of.noise, sums.noise);
    add_log(of.num_first, sums.num[0]);
    if (limits > 1)
        add_log(of.num_second, sums.num[1]);
}

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
inline void add_totals(PixelSums &from, int64_t pixels, int64_t zeros, int limits, VifScaleSums &to)
{
    add_logs<kVifMaxLimits>(from.waiting, from);
    const int64_t count = pixels + zeros - from.left_out;
    const auto units = static_cast<uint32_t>(count / kLanes32) * kLogUnit;
    for (LogSum *sum : {&from.den, &from.noise, &from.num[0], &from.num[1]})
        sum->rest = hn::Sub(sum->rest, hn::Set(D32(), static_cast<int32_t>(units)));
    for (int i = 0; i < limits; ++i)
        to.num_log[i] += sum_log(from.num[i]) - sum_log(from.noise);
    to.den_log += sum_log(from.den) + (kLogOffset - kVifLog2Noise) * count;
    HWY_ALIGN uint64_t lanes[kLanes64];
    hn::Store(from.flat_variance, DU64(), lanes);
    for (const uint64_t lane : lanes)
        to.num_nl += static_cast<int64_t>(lane);
    to.den_nl += -sum_lanes(from.flat_count) - zeros;
}

/// Half a vector in binary64. Pixels that add nothing have both = 0, and any other values.
struct Gain {
    VF64 gain, variance;
    hn::Vec<D32Half> residual;

    HWY_INLINE void set(const int32_t *reference, const int32_t *distorted, VF64 both)
    {
        const DF64 d;
        const D32Half half;
        variance = hn::PromoteTo(d, hn::Load(half, reference));
        // vif_math.h explains these steps.
        gain = hn::Div(both, hn::Add(variance, hn::Set(d, 65536 * 1e-10)));
        const VF64 total = hn::PromoteTo(d, hn::Load(half, distorted));
        residual = truncate(hn::Sub(total, hn::Mul(gain, both)));
    }
    HWY_INLINE hn::Vec<D32Half> signal(double limit) const
    {
        const VF64 limited = hn::Min(gain, hn::Set(DF64(), limit));
        return truncate(hn::Mul(hn::Mul(limited, limited), variance));
    }
};

/// variance: of the reference, 0 for flat pixels; both: 0 for pixels that add nothing.
template <int limits> HWY_INLINE LogArguments log_arguments(const int32_t *reference,
                                                            const int32_t *distorted, V32 variance,
                                                            V32 both, const double *limit)
{
    const D32 d;
    const V32 no_variance = hn::Set(d, kVifNoise);
    Gain low, high;
    low.set(reference, distorted, low_to_double(both));
    high.set(reference + kLanes64, distorted + kLanes64, high_to_double(both));
    const V32 residual = hn::Max(combine(low.residual, high.residual), hn::Zero(d));
    const V32 noise = hn::Add(residual, no_variance);
    const auto num = [&](double most) {
        return hn::Add(noise, combine(low.signal(most), high.signal(most)));
    };
    return {hn::Add(variance, no_variance), noise, num(limit[0]), num(limit[limits - 1])};
}

template <int limits>
void add_row(const VifSigmaRow &row, int count, const double *limit, PixelSums &sums)
{
    const D32 d;
    const V32 zero = hn::Zero(d);
    const V32 threshold = hn::Set(d, kVifNoise - 1);
    PixelSums local = sums;
    V32 den = sums.waiting.den; // GCC keeps the struct in memory, and writes it each time
    V32 noise = sums.waiting.noise;
    V32 num_first = sums.waiting.num_first;
    V32 num_second = sums.waiting.num_second;
    for (int x = 0; x < count; x += kLanes32) {
        const V32 reference = hn::Load(d, row.reference + x);
        const V32 distorted = hn::Load(d, row.distorted + x);
        const auto textured = hn::Gt(reference, threshold);
        if (!hn::AllTrue(d, textured)) {
            const V32 flat = hn::IfThenZeroElse(textured, hn::Max(distorted, zero));
            const VU64 pairs = add_pairs(hn::BitCast(DU32(), flat));
            local.flat_variance = hn::Add(local.flat_variance, pairs);
            local.flat_count =
                hn::Add(local.flat_count, hn::IfThenZeroElse(textured, hn::Set(d, -1)));
            if (hn::AllFalse(d, textured)) {
                local.left_out += kLanes32;
                continue;
            }
        }
        const V32 both = hn::Load(d, row.both + x);
        const auto adds = hn::And(textured, hn::Gt(hn::Min(distorted, both), zero));
        const LogArguments next = log_arguments<limits>(row.reference + x, row.distorted + x,
                                                        hn::IfThenElseZero(textured, reference),
                                                        hn::IfThenElseZero(adds, both), limit);
        add_logs<limits>({den, noise, num_first, num_second}, local);
        den = next.den;
        noise = next.noise;
        num_first = next.num_first;
        num_second = next.num_second;
    }
    sums = local;
    sums.waiting = {den, noise, num_first, num_second};
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
