// SPDX-License-Identifier: BSD-2-Clause-Patent
// See sketch.h.
#include "picture/sketch.h"

#include <cstring>

namespace vmafgpu {
namespace {

/// Samples are read at the picture's own depth. Those of a promoted picture have the same upper
/// 8 bits, so the executors that promote pictures first get the same sketch.
template <typename Sample> void sketch_luma(const VmafGpuPicture &picture, uint8_t *sketch)
{
    const VmafGpuPlane &luma = picture.plane[0];
    const ptrdiff_t step = luma.step == 0 ? static_cast<ptrdiff_t>(sizeof(Sample)) : luma.step;
    const unsigned mask = (1U << picture.depth) - 1;
    for (int row = 0; row < kSketchHeight; ++row) {
        const int top = sketch_begin(row, kSketchHeight, picture.height);
        for (int column = 0; column < kSketchWidth; ++column) {
            const int left = sketch_begin(column, kSketchWidth, picture.width);
            unsigned sum = 0;
            for (int y = top; y < top + kSketchBlock; ++y) {
                const char *from = static_cast<const char *>(luma.data) + luma.pitch * y;
                for (int x = left; x < left + kSketchBlock; ++x) {
                    Sample sample; // memcpy: rows of foreign buffers need not be aligned
                    std::memcpy(&sample, from + step * x, sizeof(sample));
                    sum += (static_cast<unsigned>(sample) >> picture.shift) & mask;
                }
            }
            *sketch++ = static_cast<uint8_t>(sum >> (4 + picture.depth - 8));
        }
    }
}

} // namespace

void make_sketch(const VmafGpuPicture &picture, uint8_t *sketch)
{
    if (picture.depth == 8)
        sketch_luma<uint8_t>(picture, sketch);
    else
        sketch_luma<uint16_t>(picture, sketch);
}

} // namespace vmafgpu
