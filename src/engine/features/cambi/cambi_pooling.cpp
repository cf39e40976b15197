// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI's mean of the k largest c of a scale: when it can be had from an exact
// integer sum, and libvmaf's own order of addition for when it cannot. Used by the
// plain and the fast CPU code and by cambi.cpp's scores().
#include <utility>

#include "cambi.h"

namespace vmafgpu {

bool cambi_is_exact(const CambiScaleSums &sums)
{
    // Every summand is a multiple of the last bit of the smallest one; so is every
    // partial sum, which fits a double as long as the total has 53 bits above it.
    return sums.units >> (sums.exponent + 1) <= UINT64_C(1) << 53;
}

double cambi_scale_score(const CambiScaleSums &sums, int64_t k)
{
    const double sum =
        sums.is_ordered != 0 ? sums.ordered : static_cast<double>(sums.units) * 0x1p-24;
    return sum / static_cast<double>(k);
}

double cambi_ordered_sum(float *c, int64_t n, int64_t k)
{
    if (n != k) {
        int64_t left = 0;
        int64_t right = n - 1;
        while (left < right) {
            const float pivot = c[k];
            int64_t i = left;
            int64_t j = right;
            do {
                while (c[i] > pivot)
                    ++i;
                while (c[j] < pivot)
                    --j;
                if (i <= j)
                    std::swap(c[i++], c[j--]);
            } while (i <= j);
            if (j < k)
                left = i;
            if (k < i)
                right = j;
        }
    }
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
        sum += static_cast<double>(c[i]);
    return sum;
}

} // namespace vmafgpu
