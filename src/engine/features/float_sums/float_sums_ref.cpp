// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr and float_moment in plain loops: the reference code for float_sums_cpu.cpp and for the
// kernels.
#include "features/float_sums/float_sums.h"

namespace vmafgpu::float_sums {

namespace {

/// Returns the sum of squares of `value(x, y)` over the picture.
template <typename Value> SquareSum squares(const Format &format, const Value &value)
{
    SquareSum sum = {};
    double in_order = 0;
    for (int y = 0; y < format.height; ++y) {
        for (int x = 0; x < format.width; ++x) {
            const auto sample = static_cast<float>(value(x, y));
            const float square = sample * sample;
            sum.exact += static_cast<uint64_t>(square);
            in_order += static_cast<double>(square);
        }
    }
    sum.in_order = sum.exact > kExactSum ? in_order : 0;
    return sum;
}

} // namespace

void PsnrForms::reference(const Format &format, const PairView &pair, PsnrSums &sums)
{
    sums.noise = squares(format, [&](int x, int y) {
        return sample_at(pair.reference[0], format, x, y) -
               sample_at(pair.distorted[0], format, x, y);
    });
}

void MomentForms::reference(const Format &format, const PairView &pair, MomentSums &sums)
{
    const Plane *const planes[2] = {&pair.reference[0], &pair.distorted[0]};
    for (int picture = 0; picture < 2; ++picture) {
        const auto sample = [&](int x, int y) {
            return sample_at(*planes[picture], format, x, y);
        };
        sums.second[picture] = squares(format, sample);
        sums.first[picture] = 0;
        for (int y = 0; y < format.height; ++y)
            for (int x = 0; x < format.width; ++x)
                sums.first[picture] += static_cast<uint64_t>(sample(x, y));
    }
}

} // namespace vmafgpu::float_sums
