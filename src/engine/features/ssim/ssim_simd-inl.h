// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM of one strip of rows, tile by tile, and the planes of its scales. simd_targets.h compiles it
// once per level for ssim_cpu.cpp. Products are floats and sums doubles, as many of each at once as
// a vector has doubles. Each sum is one lane's, so the order within it is kept.
#include "simd/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vmafgpu::ssim::VMAFGPU_SIMD {

using namespace vmafgpu::VMAFGPU_SIMD;

using DHalf = hn::Rebind<float, DF64>;
using VHalf = hn::Vec<DHalf>;

constexpr int kTileColumns = 128; ///< columns done at once
constexpr int kWindowReach = kTaps - 1;
constexpr int kTileLine = kTileColumns + kWindowReach + 6; ///< columns of a line in whole vectors
constexpr int kMoments = 5;                                ///< members of Moments

/// Values first .. first+count-1 of row y; beyond the border, mirrored ones.
template <typename Sample> HWY_INLINE void load_line(const SourcePlane &from, int y, int first,
                                                     int count, float *__restrict to)
{
    const Sample *row = plane_row<Sample>(from.plane, mirror_repeat(y, from.height));
    const int begin = HWY_MAX(0, -first);
    const int end = HWY_MIN(count, from.width - first);
    const float unit = from.unit;
    for (int i = begin; i < end; ++i)
        to[i] = static_cast<float>(row[first + i]) * unit;
    const auto mirrored = [&](int i) {
        // Samples further out than the mirror image are not used.
        const int x = HWY_MIN(mirror_repeat(first + i, from.width), from.width - 1);
        return static_cast<float>(row[HWY_MAX(x, 0)]) * unit;
    };
    for (int i = 0; i < begin; ++i)
        to[i] = mirrored(i);
    for (int i = end; i < count; ++i)
        to[i] = mirrored(i);
}

HWY_INLINE void load_values(const SourcePlane &from, int y, int first, int count, float *to)
{
    if (from.sample_bytes == 1)
        load_line<uint8_t>(from, y, first, count, to);
    else if (from.sample_bytes == 2)
        load_line<uint16_t>(from, y, first, count, to);
    else
        load_line<float>(from, y, first, count, to);
}

HWY_INLINE VF64 product_of(VHalf value, float weight)
{
    return hn::PromoteTo(DF64(), hn::Mul(value, hn::Set(DHalf(), weight)));
}

/// Filters along one line. The second form filters down the columns of kTaps lines.
HWY_INLINE void blur_line(const float *__restrict from, int count, float *__restrict to)
{
    for (int x = 0; x < count; x += kLanes64) {
        VF64 sum = product_of(hn::LoadU(DHalf(), from + x), kGaussian[0]);
        HWY_UNROLL(10)
        for (int k = 1; k < kTaps; ++k)
            sum = hn::Add(sum, product_of(hn::LoadU(DHalf(), from + x + k), kGaussian[k]));
        hn::StoreU(hn::DemoteTo(DHalf(), sum), DHalf(), to + x);
    }
}
HWY_INLINE VHalf blur_column(const float *const (&lines)[kTaps], int at)
{
    VF64 sum = product_of(hn::LoadU(DHalf(), lines[0] + at), kGaussian[0]);
    HWY_UNROLL(10)
    for (int k = 1; k < kTaps; ++k)
        sum = hn::Add(sum, product_of(hn::LoadU(DHalf(), lines[k] + at), kGaussian[k]));
    return hn::DemoteTo(DHalf(), sum);
}

HWY_INLINE VHalf at_least_zero(VHalf v)
{
    return hn::IfThenZeroElse(hn::Lt(v, hn::Zero(DHalf())), v);
}
HWY_INLINE VF64 wide(VHalf v)
{
    return hn::PromoteTo(DF64(), v);
}

/// terms_of() of kLanes64 pixels, stored at `to`, `to` + pitch, ...
HWY_INLINE void store_terms(const VHalf (&m)[kMoments], double *to, size_t pitch, bool has_product)
{
    const DHalf d;
    const VHalf power1 = hn::Mul(m[0], m[0]);
    const VHalf power2 = hn::Mul(m[1], m[1]);
    const VHalf variance1 = at_least_zero(hn::Sub(m[2], power1));
    const VHalf variance2 = at_least_zero(hn::Sub(m[3], power2));
    const VHalf covariance = hn::Sub(m[4], hn::Mul(m[0], m[1]));
    const VHalf deviation = hn::Sqrt(hn::Mul(variance1, variance2));
    const VHalf joint = hn::IfThenZeroElse(
        hn::And(hn::Lt(covariance, hn::Zero(d)), hn::Le(deviation, hn::Zero(d))), covariance);
    const VF64 two = hn::Set(DF64(), 2.0);
    const VHalf c1 = hn::Set(d, kC1), c2 = hn::Set(d, kC2), c3 = hn::Set(d, kC3);
    const VF64 mean_product = hn::Mul(hn::Mul(two, wide(m[0])), wide(m[1]));
    const VF64 l =
        hn::Div(hn::Add(mean_product, wide(c1)), wide(hn::Add(hn::Add(power1, power2), c1)));
    const VF64 c = hn::Div(hn::Add(hn::Mul(two, wide(deviation)), wide(c2)),
                           wide(hn::Add(hn::Add(variance1, variance2), c2)));
    const VF64 s = wide(hn::Div(hn::Add(joint, c3), hn::Add(deviation, c3)));
    if (has_product)
        hn::StoreU(hn::Mul(hn::Mul(l, c), s), DF64(), to);
    hn::StoreU(l, DF64(), to + pitch);
    hn::StoreU(c, DF64(), to + 2 * pitch);
    hn::StoreU(s, DF64(), to + 3 * pitch);
}

struct Work {
    alignas(64) float values[kMoments][kTileLine];
    /// Line y, blurred along the row, is at y % kTaps.
    alignas(64) float lines[kTaps][kMoments][kTileColumns + 16];
};

/// Adds line y of both pictures to the filtered columns.
HWY_INLINE void push_line(const TermsStrip &strip, int y, int x0, int columns, Work &work)
{
    const int count = HWY_MIN(columns + kWindowReach, kTileLine);
    for (int i = 0; i < kPictures; ++i)
        load_values(strip.pictures[i], y, x0, count, work.values[i]);
    const float *__restrict a = work.values[0];
    const float *__restrict c = work.values[1];
    for (int x = 0; x < kTileLine; ++x) {
        work.values[2][x] = a[x] * a[x];
        work.values[3][x] = c[x] * c[x];
        work.values[4][x] = a[x] * c[x];
    }
    for (int q = 0; q < kMoments; ++q)
        blur_line(work.values[q], columns, work.lines[y % kTaps][q]);
}

inline void terms_strip(const TermsStrip &strip)
{
    Work work = {};
    const int pixels_x = strip.pictures[0].width - kWindowReach;
    for (int x0 = 0; x0 < pixels_x; x0 += kTileColumns) {
        const int columns = HWY_MIN(kTileColumns, pixels_x - x0);
        for (int y = strip.first; y < strip.first + kWindowReach; ++y)
            push_line(strip, y, x0, columns, work);
        for (int y = strip.first; y < strip.last; ++y) {
            push_line(strip, y + kWindowReach, x0, columns, work);
            double *to = strip.terms + static_cast<size_t>(y - strip.first) * 4 * strip.pitch + x0;
            const float *lines[kMoments][kTaps];
            for (int q = 0; q < kMoments; ++q)
                for (int k = 0; k < kTaps; ++k)
                    lines[q][k] = work.lines[(y + k) % kTaps][q];
            for (int x = 0; x < columns; x += kLanes64) {
                VHalf moments[kMoments];
                for (int q = 0; q < kMoments; ++q)
                    moments[q] = blur_column(lines[q], x);
                store_terms(moments, to + x, strip.pitch, strip.first_mean == kProduct);
            }
        }
    }
}

constexpr int kHalfTaps = 2 * kHalfReach + 1;
constexpr int kHalfLine = kTileColumns + 16;

/// Line y of the tile's input: even columns, then odd ones.
HWY_INLINE void split_line(const PlaneStrip &strip, int y, int x0, int columns,
                           float (*to)[kHalfLine])
{
    alignas(64) float values[2 * kHalfLine];
    const int count = 2 * (columns + kHalfReach);
    load_values(strip.from, y, 2 * x0 - kHalfReach, count, values);
    for (int i = 0; i < count / 2; ++i) {
        to[0][i] = values[2 * i];
        to[1][i] = values[2 * i + 1];
    }
}

inline void half_strip(const PlaneStrip &strip)
{
    alignas(64) float lines[kHalfTaps][2][kHalfLine] = {};
    const auto slot = [](int y) {
        return (y + kHalfTaps) % kHalfTaps;
    };
    for (int x0 = 0; x0 < strip.to.width; x0 += kTileColumns) {
        const int columns = HWY_MIN(kTileColumns, strip.to.width - x0);
        const int top = 2 * strip.first - kHalfReach;
        for (int y = top; y < top + kHalfTaps - 2; ++y)
            split_line(strip, y, x0, columns, lines[slot(y)]);
        for (int row = strip.first; row < strip.last; ++row) {
            for (int y = 2 * row + kHalfReach - 1; y <= 2 * row + kHalfReach; ++y)
                split_line(strip, y, x0, columns, lines[slot(y)]);
            auto *to = const_cast<float *>(plane_row<float>(strip.to.plane, row)) + x0;
            for (int x = 0; x < columns; x += kLanes64) {
                VF64 sum = hn::Zero(DF64());
                for (int v = -kHalfReach; v <= kHalfReach; ++v) {
                    const float(*line)[kHalfLine] = lines[slot(2 * row + v)];
                    HWY_UNROLL(9)
                    for (int u = 0; u < kHalfTaps; ++u)
                        sum = hn::Add(sum, product_of(hn::LoadU(DHalf(), line[u % 2] + x + u / 2),
                                                      kHalfWeights[v < 0 ? -v : v][HWY_MAX(
                                                          u - kHalfReach, kHalfReach - u)]));
                }
                hn::StoreU(hn::DemoteTo(DHalf(), sum), DHalf(), to + x);
            }
        }
    }
}

constexpr int kBoxColumns =
    1024; ///< input columns that are processed together; at least kExactFactor

template <typename Sample> HWY_INLINE void add_box_line(const Sample *__restrict row, int count,
                                                        float weight, double *__restrict sums)
{
    for (int i = 0; i < count; ++i)
        sums[i] += static_cast<double>(static_cast<float>(row[i]) * weight);
}

/// A row of boxes. The sums are exact, so each column is added up first.
template <typename Sample> HWY_INLINE void box_row(const PlaneStrip &strip, int row, int x0, int x1)
{
    const int factor = strip.factor;
    const SourcePlane &from = strip.from;
    // The unit is a power of 2: the product rounds as that of the scaled sample does.
    const float weight = 1.0F / static_cast<float>(factor * factor) * from.unit;
    double sums[kBoxColumns] = {};
    const int left = x0 * factor - factor / 2;
    const int begin = HWY_MAX(0, -left);
    const int end = HWY_MIN((x1 - x0) * factor, from.width - left);
    for (int v = 0; v < factor; ++v) {
        const auto *line = plane_row<Sample>(
            from.plane, mirror_repeat(row * factor - factor / 2 + v, from.height));
        add_box_line(line + left + begin, end - begin, weight, sums + begin);
        const auto add_mirrored = [&](int i) {
            const auto sample = static_cast<float>(line[mirror_repeat(left + i, from.width)]);
            sums[i] += static_cast<double>(sample * weight);
        };
        for (int i = 0; i < begin; ++i)
            add_mirrored(i);
        for (int i = end; i < (x1 - x0) * factor; ++i)
            add_mirrored(i);
    }
    auto *to = const_cast<float *>(plane_row<float>(strip.to.plane, row));
    for (int x = x0; x < x1; ++x) {
        double sum = 0;
        for (int u = 0; u < factor; ++u)
            sum += sums[(x - x0) * factor + u];
        to[x] = static_cast<float>(sum);
    }
}

inline void box_strip(const PlaneStrip &strip)
{
    const int boxes = kBoxColumns / strip.factor;
    for (int row = strip.first; row < strip.last; ++row)
        for (int x0 = 0; x0 < strip.to.width; x0 += boxes) {
            const int x1 = HWY_MIN(x0 + boxes, strip.to.width);
            if (strip.from.sample_bytes == 1)
                box_row<uint8_t>(strip, row, x0, x1);
            else
                box_row<uint16_t>(strip, row, x0, x1);
        }
}

} // namespace vmafgpu::ssim::VMAFGPU_SIMD
HWY_AFTER_NAMESPACE();
