// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reference code of the scaler: first all rows across, then all columns down. Plain and slow;
// scale_cpu.cpp and scale_kernels.cpp equal it.
#include <vector>

#include "scaler/scale.h"
#include "scaler/scale_numeric.h"

namespace vmafgpu {
namespace {

template <typename Sample>
void scale(const PlaneScale &plane, int depth, const Plane &from, char *to, ptrdiff_t to_pitch)
{
    const ScaleFilter &across = plane.across;
    const ScaleFilter &down = plane.down;
    const auto width = static_cast<size_t>(across.to);
    std::vector<int32_t> middle(width * static_cast<size_t>(down.from));
    for (int y = 0; y < down.from; ++y) {
        const auto *row = plane_row<Sample>(from, y);
        for (int x = 0; x < across.to; ++x) {
            const int first = across.first[static_cast<size_t>(x)];
            int32_t sum = 0;
            for (int tap = 0; tap < across.taps; ++tap)
                sum += row[first + tap] * across.at(x, tap);
            middle[static_cast<size_t>(y) * width + static_cast<size_t>(x)] =
                scale_across(sum, depth);
        }
    }
    for (int y = 0; y < down.to; ++y) {
        auto *row = reinterpret_cast<Sample *>(to + to_pitch * y);
        const int first = down.first[static_cast<size_t>(y)];
        for (size_t x = 0; x < width; ++x) {
            uint32_t sum = 0;
            for (int tap = 0; tap < down.taps; ++tap)
                sum += static_cast<uint32_t>(middle[static_cast<size_t>(first + tap) * width + x]) *
                       static_cast<uint32_t>(down.at(y, tap));
            row[x] = static_cast<Sample>(scale_down(sum, depth));
        }
    }
}

} // namespace

void scale_plane_ref(const PlaneScale &plane, int depth, const Plane &from, void *to,
                     ptrdiff_t to_pitch)
{
    if (depth > 8)
        scale<uint16_t>(plane, depth, from, static_cast<char *>(to), to_pitch);
    else
        scale<uint8_t>(plane, depth, from, static_cast<char *>(to), to_pitch);
}

} // namespace vmafgpu
