// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion in plain loops: the reference code for motion_cpu.cpp and for the kernels.
#include "features/motion/motion.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/numeric.h"
#include "features/motion/motion_tables.h"

namespace vmafgpu::motion {

namespace {

/// Reflection of an index; the two rules of libvmaf differ in it.
using Mirror = int (*)(int i, int n);

/// Filter `plane` (packed rows) down the columns, then along the rows, with
/// rounding after each. Rounding of a negative half goes up.
std::vector<int32_t> blur(const std::vector<int32_t> &plane, const Format &format, Mirror reflect)
{
    const int width = format.width;
    const int height = format.height;
    const auto at = [width](const std::vector<int32_t> &p, int x, int y) {
        return p[static_cast<size_t>(y) * width + x];
    };
    std::vector<int32_t> columns;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int64_t sum = 0;
            for (int t = -kHalf; t <= kHalf; ++t)
                sum += int64_t{kFilter[t + kHalf]} * at(plane, x, reflect(y + t, height));
            columns.push_back(static_cast<int32_t>(round_shift(sum, format.depth)));
        }
    }
    std::vector<int32_t> result;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            int64_t sum = 0;
            for (int t = -kHalf; t <= kHalf; ++t)
                sum += int64_t{kFilter[t + kHalf]} * at(columns, reflect(x + t, width), y);
            result.push_back(static_cast<int32_t>(round_shift(sum, 16)));
        }
    }
    return result;
}

std::vector<int32_t> load(const Plane &plane, const Format &format)
{
    std::vector<int32_t> samples;
    for (int y = 0; y < format.height; ++y)
        for (int x = 0; x < format.width; ++x)
            samples.push_back(format.depth > 8 ? plane_row<uint16_t>(plane, y)[x]
                                               : plane_row<uint8_t>(plane, y)[x]);
    return samples;
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    const Format &format = config.format;
    std::memset(&sums, 0, sizeof(sums));
    const Plane &previous = pair.previous[config.distance - 1];
    if (config.skip || !previous.data)
        return;
    std::vector<int32_t> earlier = load(previous, format);
    std::vector<int32_t> later = load(pair.reference[0], format);
    if (config.blur_first) {
        earlier = blur(earlier, format, mirror_high_repeat);
        later = blur(later, format, mirror_high_repeat);
    }
    // Earlier minus later: the blur rounds negative values otherwise than positive ones.
    for (size_t i = 0; i < earlier.size(); ++i)
        earlier[i] -= later[i];
    if (!config.blur_first)
        earlier = blur(earlier, format, mirror);
    for (const int32_t value : earlier)
        sums.sad += static_cast<uint64_t>(std::abs(value));
}

} // namespace vmafgpu::motion
