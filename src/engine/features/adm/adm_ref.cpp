// SPDX-License-Identifier: BSD-2-Clause-Patent
// See adm_ref.h: the readable definition of ADM's Sums. Every other implementation must produce the
// same bytes. tests/golden shows that this one equals libvmaf. Formulas per sample: adm_math.h.
#include "features/adm/adm_ref.h"

#include <algorithm>

#include "base/numeric.h"
#include "features/adm/adm_math.h"

namespace vmafgpu::adm {

RefPlane ref_load(const Plane &luma, const Format &format)
{
    RefPlane plane(format.width, format.height);
    for (int y = 0; y < format.height; ++y)
        for (int x = 0; x < format.width; ++x)
            plane.at(y, x) =
                format.depth > 8 ? plane_row<uint16_t>(luma, y)[x] : plane_row<uint8_t>(luma, y)[x];
    return plane;
}

namespace {

int64_t filter_down(const RefPlane &input, const int32_t (&taps)[4], int row, int x)
{
    int64_t sum = 0;
    for (int t = 0; t < 4; ++t)
        sum += static_cast<int64_t>(taps[t]) *
               input.at(mirror_high_repeat(2 * row - 1 + t, input.height), x);
    return sum;
}

/// A vertically filtered plane, and the column in front of it that the horizontal filter reads.
struct Filtered {
    RefPlane plane;
    RefPlane front;

    int32_t at(int y, int x) const
    {
        return x < 0 ? front.at(y, 0) : plane.at(y, mirror_high_repeat(x, plane.width));
    }
};

int64_t filter_across(const Filtered &input, const int32_t (&taps)[4], int y, int column)
{
    int64_t sum = 0;
    for (int t = 0; t < 4; ++t)
        sum += static_cast<int64_t>(taps[t]) * input.at(y, 2 * column - 1 + t);
    return sum;
}

/// Vertical filter. At scale 0, samples count from mid-grey: 46342 is the sum of the low-pass taps.
/// The high-pass taps add up to 0.
RefPlane wavelet_down(const RefPlane &input, const int32_t (&taps)[4], int scale, int depth)
{
    const int32_t tap_sum = taps[0] + taps[1] + taps[2] + taps[3];
    const int64_t offset = scale == 0 ? static_cast<int64_t>(tap_sum) << (depth - 1) : 0;
    const int shift = scale == 0 ? depth : kVerticalShift[scale];
    RefPlane out(input.width, (input.height + 1) / 2);
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
            const int64_t value = round_shift(filter_down(input, taps, y, x) - offset, shift);
            out.at(y, x) = scale == 0 ? wrap16(value) : wrap32(value);
        }
    return out;
}

RefPlane wavelet_across(const Filtered &input, const int32_t (&taps)[4], int scale)
{
    RefPlane out((input.plane.width + 1) / 2, input.plane.height);
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
            const int64_t value =
                round_shift(filter_across(input, taps, y, x), kHorizontalShift[scale]);
            out.at(y, x) = scale == 0 ? wrap16(value) : wrap32(value);
        }
    return out;
}

RefPlane column_of(const RefPlane &plane, int x)
{
    RefPlane column(1, plane.height);
    for (int y = 0; y < plane.height; ++y)
        column.at(y, 0) = plane.at(y, x);
    return column;
}

RefBands bands_of(const Filtered &low, const Filtered &high, int scale)
{
    RefBands bands;
    bands.approximation = wavelet_across(low, kLowTaps, scale);
    bands.detail[0] = wavelet_across(high, kLowTaps, scale);
    bands.detail[1] = wavelet_across(low, kHighTaps, scale);
    bands.detail[2] = wavelet_across(high, kHighTaps, scale);
    return bands;
}

} // namespace

RefBandPair ref_wavelet(const RefPlane &ref_input, const RefPlane &dis_input, int scale, int depth)
{
    Filtered filtered[4]; // filtered rows in the order of libvmaf's rows
    for (int i = 0; i < 4; ++i)
        filtered[i].plane = wavelet_down(i < 2 ? ref_input : dis_input,
                                         i % 2 == 0 ? kLowTaps : kHighTaps, scale, depth);
    for (int i = 0; i < 4; ++i) {
        const RefPlane &own = filtered[i].plane;
        if (!takes_no_mirror(scale, ref_input.width, ref_input.height))
            filtered[i].front = column_of(own, 1);
        else if (i == 0)
            filtered[i].front = RefPlane(1, own.height);
        else
            filtered[i].front = column_of(filtered[i - 1].plane, own.width - 1);
    }
    return {bands_of(filtered[0], filtered[1], scale), bands_of(filtered[2], filtered[3], scale)};
}

namespace {

/// The angle test of the gradient (h, v) holds for all three orientations.
bool same_angle_at(const RefBands &ref, const RefBands &dis, int y, int x)
{
    const int64_t oh = ref.detail[0].at(y, x);
    const int64_t ov = ref.detail[1].at(y, x);
    const int64_t th = dis.detail[0].at(y, x);
    const int64_t tv = dis.detail[1].at(y, x);
    return has_same_angle(oh * th + ov * tv, oh * oh + ov * ov, th * th + tv * tv);
}

int32_t restored_at(int32_t o, int32_t t, bool same_angle, int scale, double gain_limit)
{
    const int32_t k = scale == 0 ? gain_first(o, t) : gain_next(o, t);
    const int32_t r0 = scale == 0 ? restored_first(k, o) : restored_next(k, o);
    return enhanced(r0, k, o, t, same_angle, gain_limit);
}

} // namespace

RefSplit ref_split(const RefBands &ref, const RefBands &dis, int scale, double gain_limit)
{
    const int width = ref.approximation.width;
    const int height = ref.approximation.height;
    RefSplit split;
    for (int b = 0; b < kOrientations; ++b) {
        split.restored[b] = RefPlane(width, height);
        split.additive[b] = RefPlane(width, height);
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool same_angle = same_angle_at(ref, dis, y, x);
            for (int b = 0; b < kOrientations; ++b) {
                const int32_t t = dis.detail[b].at(y, x);
                const int32_t r =
                    restored_at(ref.detail[b].at(y, x), t, same_angle, scale, gain_limit);
                const int64_t rest = static_cast<int64_t>(t) - r;
                split.restored[b].at(y, x) = r;
                split.additive[b].at(y, x) = scale == 0 ? wrap16(rest) : wrap32(rest);
            }
        }
    return split;
}

RefWeightedPlanes ref_weight(const RefPlane (&planes)[kOrientations], const Scale &config,
                             int scale)
{
    RefWeightedPlanes out;
    for (int b = 0; b < kOrientations; ++b) {
        const int width = planes[b].width;
        const int height = planes[b].height;
        for (RefPlane *plane : {&out.contrast[b], &out.y[b], &out.f[b], &out.centre[b]})
            *plane = RefPlane(width, height);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const int32_t sample = planes[b].at(y, x);
                const Weighted w = scale == 0 ? weight_first(sample, config.multiplier[b], b == 2)
                                              : weight_next(sample, config.multiplier[b]);
                out.contrast[b].at(y, x) = w.contrast;
                out.y[b].at(y, x) = w.y;
                out.f[b].at(y, x) = w.f;
                out.centre[b].at(y, x) = w.centre;
            }
    }
    return out;
}

int32_t ref_threshold(const RefWeightedPlanes &masker, int y, int x)
{
    const int width = masker.f[0].width;
    const int height = masker.f[0].height;
    const int rows[3] = {mirror_high_repeat(y - 1, height), y, mirror_high_repeat(y + 1, height)};
    const int columns[3] = {mirror_high_repeat(x - 1, width), x, mirror_high_repeat(x + 1, width)};
    int64_t threshold = 0;
    for (int b = 0; b < kOrientations; ++b) {
        for (const int row : rows)
            for (const int column : columns)
                threshold += masker.f[b].at(row, column);
        threshold += static_cast<int64_t>(masker.centre[b].at(y, x)) - masker.f[b].at(y, x);
    }
    return wrap32(threshold);
}

void ref_mask(const RefWeightedPlanes &signal, const RefWeightedPlanes &masker, const Scale &config,
              int scale, int64_t (&sums)[kOrientations])
{
    std::fill(sums, sums + kOrientations, 0);
    for (int y = config.top; y < config.height - config.top; ++y) {
        int64_t row[kOrientations] = {};
        for (int x = config.left; x < config.width - config.left; ++x) {
            const int32_t threshold = ref_threshold(masker, y, x);
            for (int b = 0; b < kOrientations; ++b)
                row[b] += masked_cube(signal.contrast[b].at(y, x), threshold,
                                      threshold_shift_of(scale, b), square_shift_of(scale, b),
                                      config.num_cube_shift[b]);
        }
        // Only sums of complete rows are rounded.
        for (int b = 0; b < kOrientations; ++b)
            sums[b] += round_shift(row[b], config.num_row_shift);
    }
}

void ref_energy(const RefBands &ref, const Scale &config, int scale,
                uint64_t (&sums)[kOrientations])
{
    for (int b = 0; b < kOrientations; ++b) {
        sums[b] = 0;
        for (int y = config.top; y < config.height - config.top; ++y) {
            uint64_t row = 0;
            for (int x = config.left; x < config.width - config.left; ++x) {
                const int32_t sample = ref.detail[b].at(y, x);
                row += scale == 0
                           ? energy_first(sample)
                           : energy_next(sample, kEnergySquareShift[scale], config.den_cube_shift);
            }
            sums[b] += round_shift(row, config.den_row_shift);
        }
    }
}

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    sums = {};
    RefPlane ref_input = ref_load(pair.reference[0], config.format);
    RefPlane dis_input = ref_load(pair.distorted[0], config.format);
    for (int scale = 0; scale < kScales; ++scale) {
        const Scale &layout = config.scale[scale];
        ScaleSums &out = sums.scale[scale];
        const auto [ref, dis] = ref_wavelet(ref_input, dis_input, scale, config.format.depth);
        ref_input = ref.approximation;
        dis_input = dis.approximation;
        if (scale == 0 && config.skip_scale0)
            continue;
        ref_energy(ref, layout, scale, out.den);
        for (int g = 0; g < config.gains; ++g) {
            const RefSplit split = ref_split(ref, dis, scale, config.gain_limit[g]);
            const RefWeightedPlanes restored = ref_weight(split.restored, layout, scale);
            const RefWeightedPlanes additive = ref_weight(split.additive, layout, scale);
            ref_mask(restored, additive, layout, scale, out.num[g]);
            if (!config.skip_aim)
                ref_mask(additive, restored, layout, scale, out.aim[g]);
        }
    }
}

} // namespace vmafgpu::adm
