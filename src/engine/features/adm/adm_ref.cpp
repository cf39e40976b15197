// SPDX-License-Identifier: BSD-2-Clause-Patent
// See adm_ref.h: the readable definition of ADM's Sums. Every other implementation must produce the
// same bytes. tests/golden shows that this one equals libvmaf. Formulas per sample: adm_math.h.
#include "features/adm/adm_ref.h"

#include <algorithm>

#include "base/numeric.h"
#include "features/adm/adm_math.h"

namespace vmafgpu {

AdmPlane adm_ref_load(const Plane &luma, const Format &format)
{
    AdmPlane plane(format.width, format.height);
    for (int y = 0; y < format.height; ++y)
        for (int x = 0; x < format.width; ++x)
            plane.at(y, x) =
                format.depth > 8 ? plane_row<uint16_t>(luma, y)[x] : plane_row<uint8_t>(luma, y)[x];
    return plane;
}

namespace {

int64_t filter_down(const AdmPlane &input, const int32_t (&taps)[4], int row, int x)
{
    int64_t sum = 0;
    for (int t = 0; t < 4; ++t)
        sum += static_cast<int64_t>(taps[t]) *
               input.at(mirror_high_repeat(2 * row - 1 + t, input.height), x);
    return sum;
}

/// A vertically filtered plane, and the column in front of it that the horizontal filter reads.
struct Filtered {
    AdmPlane plane;
    AdmPlane front;

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
AdmPlane wavelet_down(const AdmPlane &input, const int32_t (&taps)[4], int scale, int depth)
{
    const int32_t tap_sum = taps[0] + taps[1] + taps[2] + taps[3];
    const int64_t offset = scale == 0 ? static_cast<int64_t>(tap_sum) << (depth - 1) : 0;
    const int shift = scale == 0 ? depth : kAdmVerticalShift[scale];
    AdmPlane out(input.width, (input.height + 1) / 2);
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
            const int64_t value = round_shift(filter_down(input, taps, y, x) - offset, shift);
            out.at(y, x) = scale == 0 ? adm_wrap16(value) : adm_wrap32(value);
        }
    return out;
}

AdmPlane wavelet_across(const Filtered &input, const int32_t (&taps)[4], int scale)
{
    AdmPlane out((input.plane.width + 1) / 2, input.plane.height);
    for (int y = 0; y < out.height; ++y)
        for (int x = 0; x < out.width; ++x) {
            const int64_t value =
                round_shift(filter_across(input, taps, y, x), kAdmHorizontalShift[scale]);
            out.at(y, x) = scale == 0 ? adm_wrap16(value) : adm_wrap32(value);
        }
    return out;
}

AdmPlane column_of(const AdmPlane &plane, int x)
{
    AdmPlane column(1, plane.height);
    for (int y = 0; y < plane.height; ++y)
        column.at(y, 0) = plane.at(y, x);
    return column;
}

AdmBands bands_of(const Filtered &low, const Filtered &high, int scale)
{
    AdmBands bands;
    bands.approximation = wavelet_across(low, kAdmLowTaps, scale);
    bands.detail[0] = wavelet_across(high, kAdmLowTaps, scale);
    bands.detail[1] = wavelet_across(low, kAdmHighTaps, scale);
    bands.detail[2] = wavelet_across(high, kAdmHighTaps, scale);
    return bands;
}

} // namespace

AdmBandPair adm_ref_wavelet(const AdmPlane &ref_input, const AdmPlane &dis_input, int scale,
                            int depth)
{
    Filtered filtered[4]; // in the order of libvmaf's rows
    for (int i = 0; i < 4; ++i)
        filtered[i].plane = wavelet_down(i < 2 ? ref_input : dis_input,
                                         i % 2 == 0 ? kAdmLowTaps : kAdmHighTaps, scale, depth);
    for (int i = 0; i < 4; ++i) {
        const AdmPlane &own = filtered[i].plane;
        if (!adm_is_narrow(scale, ref_input.width, ref_input.height))
            filtered[i].front = column_of(own, 1);
        else if (i == 0)
            filtered[i].front = AdmPlane(1, own.height);
        else
            filtered[i].front = column_of(filtered[i - 1].plane, own.width - 1);
    }
    return {bands_of(filtered[0], filtered[1], scale), bands_of(filtered[2], filtered[3], scale)};
}

namespace {

/// The angle test of the gradient (h, v) holds for all three orientations.
bool same_angle_at(const AdmBands &ref, const AdmBands &dis, int y, int x)
{
    const int64_t oh = ref.detail[0].at(y, x);
    const int64_t ov = ref.detail[1].at(y, x);
    const int64_t th = dis.detail[0].at(y, x);
    const int64_t tv = dis.detail[1].at(y, x);
    return adm_same_angle(oh * th + ov * tv, oh * oh + ov * ov, th * th + tv * tv);
}

int32_t restored_at(int32_t o, int32_t t, bool same_angle, int scale, double gain_limit)
{
    const int32_t k = scale == 0 ? adm_gain_first(o, t) : adm_gain_next(o, t);
    const int32_t r0 = scale == 0 ? adm_restore_first(k, o) : adm_restore_next(k, o);
    return adm_enhance(r0, k, o, t, same_angle, gain_limit);
}

} // namespace

AdmSplit adm_ref_split(const AdmBands &ref, const AdmBands &dis, int scale, double gain_limit)
{
    const int width = ref.approximation.width;
    const int height = ref.approximation.height;
    AdmSplit split;
    for (int b = 0; b < kAdmOrientations; ++b) {
        split.restored[b] = AdmPlane(width, height);
        split.additive[b] = AdmPlane(width, height);
    }
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool same_angle = same_angle_at(ref, dis, y, x);
            for (int b = 0; b < kAdmOrientations; ++b) {
                const int32_t t = dis.detail[b].at(y, x);
                const int32_t r =
                    restored_at(ref.detail[b].at(y, x), t, same_angle, scale, gain_limit);
                const int64_t rest = static_cast<int64_t>(t) - r;
                split.restored[b].at(y, x) = r;
                split.additive[b].at(y, x) = scale == 0 ? adm_wrap16(rest) : adm_wrap32(rest);
            }
        }
    return split;
}

AdmWeightedPlanes adm_ref_weight(const AdmPlane (&planes)[kAdmOrientations], const AdmScale &config,
                                 int scale)
{
    AdmWeightedPlanes out;
    for (int b = 0; b < kAdmOrientations; ++b) {
        const int width = planes[b].width;
        const int height = planes[b].height;
        for (AdmPlane *plane : {&out.contrast[b], &out.y[b], &out.f[b], &out.centre[b]})
            *plane = AdmPlane(width, height);
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const int32_t sample = planes[b].at(y, x);
                const AdmWeighted w = scale == 0
                                          ? adm_weight_first(sample, config.multiplier[b], b == 2)
                                          : adm_weight_next(sample, config.multiplier[b]);
                out.contrast[b].at(y, x) = w.contrast;
                out.y[b].at(y, x) = w.y;
                out.f[b].at(y, x) = w.f;
                out.centre[b].at(y, x) = w.centre;
            }
    }
    return out;
}

int32_t adm_ref_threshold(const AdmWeightedPlanes &masker, int y, int x)
{
    const int width = masker.f[0].width;
    const int height = masker.f[0].height;
    const int rows[3] = {mirror_high_repeat(y - 1, height), y, mirror_high_repeat(y + 1, height)};
    const int columns[3] = {mirror_high_repeat(x - 1, width), x, mirror_high_repeat(x + 1, width)};
    int64_t threshold = 0;
    for (int b = 0; b < kAdmOrientations; ++b) {
        for (const int row : rows)
            for (const int column : columns)
                threshold += masker.f[b].at(row, column);
        threshold += static_cast<int64_t>(masker.centre[b].at(y, x)) - masker.f[b].at(y, x);
    }
    return adm_wrap32(threshold);
}

void adm_ref_mask(const AdmWeightedPlanes &signal, const AdmWeightedPlanes &masker,
                  const AdmScale &config, int scale, int64_t (&sums)[kAdmOrientations])
{
    std::fill(sums, sums + kAdmOrientations, 0);
    for (int y = config.top; y < config.height - config.top; ++y) {
        int64_t row[kAdmOrientations] = {};
        for (int x = config.left; x < config.width - config.left; ++x) {
            const int32_t threshold = adm_ref_threshold(masker, y, x);
            for (int b = 0; b < kAdmOrientations; ++b)
                row[b] += adm_masked_cube(signal.contrast[b].at(y, x), threshold,
                                          adm_threshold_shift(scale, b), adm_square_shift(scale, b),
                                          config.num_cube_shift[b]);
        }
        // Only sums of complete rows are rounded.
        for (int b = 0; b < kAdmOrientations; ++b)
            sums[b] += round_shift(row[b], config.num_row_shift);
    }
}

void adm_ref_energy(const AdmBands &ref, const AdmScale &config, int scale,
                    uint64_t (&sums)[kAdmOrientations])
{
    for (int b = 0; b < kAdmOrientations; ++b) {
        sums[b] = 0;
        for (int y = config.top; y < config.height - config.top; ++y) {
            uint64_t row = 0;
            for (int x = config.left; x < config.width - config.left; ++x) {
                const int32_t sample = ref.detail[b].at(y, x);
                row += scale == 0 ? adm_energy_first(sample)
                                  : adm_energy_next(sample, kAdmEnergySquareShift[scale],
                                                    config.den_cube_shift);
            }
            sums[b] += round_shift(row, config.den_row_shift);
        }
    }
}

void adm_reference(const AdmConfig &config, const PairView &pair, AdmSums *sums)
{
    *sums = {};
    AdmPlane ref_input = adm_ref_load(pair.reference[0], config.format);
    AdmPlane dis_input = adm_ref_load(pair.distorted[0], config.format);
    for (int scale = 0; scale < kAdmScales; ++scale) {
        const AdmScale &layout = config.scale[scale];
        AdmScaleSums &out = sums->scale[scale];
        const auto [ref, dis] = adm_ref_wavelet(ref_input, dis_input, scale, config.format.depth);
        ref_input = ref.approximation;
        dis_input = dis.approximation;
        if (scale == 0 && config.skip_scale0)
            continue;
        adm_ref_energy(ref, layout, scale, out.den);
        for (int g = 0; g < config.gains; ++g) {
            const AdmSplit split = adm_ref_split(ref, dis, scale, config.gain_limit[g]);
            const AdmWeightedPlanes restored = adm_ref_weight(split.restored, layout, scale);
            const AdmWeightedPlanes additive = adm_ref_weight(split.additive, layout, scale);
            adm_ref_mask(restored, additive, layout, scale, out.num[g]);
            if (!config.skip_aim)
                adm_ref_mask(additive, restored, layout, scale, out.aim[g]);
        }
    }
}

} // namespace vmafgpu
