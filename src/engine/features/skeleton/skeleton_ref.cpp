// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain code of skeleton: what skeleton_cpu.cpp and skeleton_kernels.cpp must equal.
#include "features/skeleton/skeleton.h"

namespace vmafgpu::skeleton {

namespace {

template <typename Sample> uint64_t sum_of_differences(const Config &config, const PairView &pair)
{
    uint64_t sum = 0;
    for (int y = 0; y < config.height; ++y) {
        const auto *reference = plane_row<Sample>(pair.reference[0], y);
        const auto *distorted = plane_row<Sample>(pair.distorted[0], y);
        for (int x = 0; x < config.width; ++x)
            sum += difference_of(reference[x], distorted[x]);
    }
    return sum;
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    sums.difference = config.depth > 8 ? sum_of_differences<uint16_t>(config, pair)
                                       : sum_of_differences<uint8_t>(config, pair);
}

} // namespace vmafgpu::skeleton
