// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_ansnr in plain loops: the reference code for float_ansnr_cpu.cpp.
#include "base/numeric.h"
#include "features/float_ansnr/float_ansnr.h"
#include "features/float_ansnr/float_ansnr_tables.h"

namespace vmafgpu::float_ansnr {

namespace {

/// A sample as libvmaf's float plane has it, which mirrors repeat on the high side only.
float level_at(const Plane &plane, const Format &format, int x, int y)
{
    const int column = mirror_high_repeat(x, format.width);
    const int row = mirror_high_repeat(y, format.height);
    const int sample = format.depth > 8 ? plane_row<uint16_t>(plane, row)[column]
                                        : plane_row<uint8_t>(plane, row)[column];
    return static_cast<float>(sample) / static_cast<float>(1 << (format.depth - 8)) - 128;
}

template <int size> float filtered(const Plane &plane, const Format &format, int x, int y,
                                   const float (&taps)[size][size])
{
    constexpr int kReach = size / 2;
    float sum = 0;
    for (int v = -kReach; v <= kReach; ++v) {
        float row = 0;
        for (int u = -kReach; u <= kReach; ++u)
            row += taps[v + kReach][u + kReach] * level_at(plane, format, x + u, y + v);
        sum += row;
    }
    return sum;
}

} // namespace

void Forms::reference(const Format &format, const PairView &pair, Sums &sums)
{
    sums = {};
    for (int y = 0; y < format.height; ++y) {
        float signal = 0;
        float noise = 0;
        for (int x = 0; x < format.width; ++x) {
            const float reference = filtered(pair.reference[0], format, x, y, kReferenceTaps);
            const float distorted = filtered(pair.distorted[0], format, x, y, kDistortedTaps);
            const float error = reference - distorted;
            signal += reference * reference;
            noise += error * error;
        }
        sums.signal += signal;
        sums.noise += noise;
    }
}

} // namespace vmafgpu::float_ansnr
