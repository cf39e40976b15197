// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain oracle of psnr: what psnr_cpu.cpp and psnr_kernels.cpp must equal.
#include <cstring>

#include "features/psnr/psnr.h"

namespace vmafgpu::psnr {

namespace {

template <typename Sample>
uint64_t sum_of_squares(const Plane &reference, const Plane &distorted, int width, int height)
{
    uint64_t sum = 0;
    for (int y = 0; y < height; ++y) {
        const auto *a = plane_row<Sample>(reference, y);
        const auto *b = plane_row<Sample>(distorted, y);
        for (int x = 0; x < width; ++x) {
            const int64_t difference = static_cast<int64_t>(a[x]) - b[x];
            sum += static_cast<uint64_t>(difference * difference);
        }
    }
    return sum;
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::memset(&sums, 0, sizeof(sums));
    for (int p = 0; p < config.planes; ++p) {
        const auto sum_plane =
            config.depth > 8 ? sum_of_squares<uint16_t> : sum_of_squares<uint8_t>;
        sums.squares[p] =
            sum_plane(pair.reference[p], pair.distorted[p], config.width[p], config.height[p]);
    }
}

} // namespace vmafgpu::psnr
