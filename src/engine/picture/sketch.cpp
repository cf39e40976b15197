// SPDX-License-Identifier: BSD-2-Clause-Patent
// See sketch.h.
#include "picture/sketch.h"

#include <cstring>

namespace vmafgpu {
namespace {

/// Where samples of a plane are, and what is a sample of them.
struct Samples {
    ptrdiff_t pitch, step;
    int shift;
    unsigned mask;
};

template <typename Sample> unsigned sum_of_block(const char *from, const Samples &samples)
{
    unsigned sum = 0;
    for (int y = 0; y < kSketchBlock; ++y, from += samples.pitch)
        for (int x = 0; x < kSketchBlock; ++x) {
            Sample sample; // memcpy: rows of foreign buffers need not be aligned
            std::memcpy(&sample, from + samples.step * x, sizeof(sample));
            sum += (static_cast<unsigned>(sample) >> samples.shift) & samples.mask;
        }
    return sum;
}

/// Most pictures have bytes that stand side by side.
unsigned sum_of_bytes(const char *from, const Samples &samples)
{
    constexpr uint32_t kEven = 0x00ff00ff;
    uint32_t sums = 0; // two of them, 16 bits each
    for (int y = 0; y < kSketchBlock; ++y, from += samples.pitch) {
        uint32_t four;
        static_assert(sizeof(four) == kSketchBlock);
        std::memcpy(&four, from, sizeof(four));
        sums += (four & kEven) + (four >> 8 & kEven);
    }
    return (sums & 0xffff) + (sums >> 16);
}

/// Samples are read at the picture's own depth. Those of a promoted picture have the same upper
/// 8 bits, so the executors that promote pictures first get the same sketch.
template <unsigned sum_of(const char *, const Samples &)>
void sketch_luma(const VmafGpuPicture &picture, const Samples &samples, uint8_t *sketch)
{
    std::array<ptrdiff_t, kSketchWidth> left;
    for (int column = 0; column < kSketchWidth; ++column)
        left[static_cast<size_t>(column)] =
            samples.step * sketch_begin(column, kSketchWidth, picture.width);
    for (int row = 0; row < kSketchHeight; ++row) {
        const int top = sketch_begin(row, kSketchHeight, picture.height);
        const char *from = static_cast<const char *>(picture.plane[0].data) + samples.pitch * top;
        for (const ptrdiff_t at : left)
            *sketch++ = static_cast<uint8_t>(sum_of(from + at, samples) >> (4 + picture.depth - 8));
    }
}

} // namespace

void make_sketch(const VmafGpuPicture &picture, uint8_t *sketch)
{
    const VmafGpuPlane &luma = picture.plane[0];
    const ptrdiff_t size = picture.depth == 8 ? sizeof(uint8_t) : sizeof(uint16_t);
    const Samples samples = {luma.pitch, luma.step == 0 ? size : luma.step, picture.shift,
                             (1U << picture.depth) - 1};
    if (picture.depth > 8)
        sketch_luma<sum_of_block<uint16_t>>(picture, samples, sketch);
    else if (samples.step != size || samples.shift != 0)
        sketch_luma<sum_of_block<uint8_t>>(picture, samples, sketch);
    else
        sketch_luma<sum_of_bytes>(picture, samples, sketch);
}

} // namespace vmafgpu
