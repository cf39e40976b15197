// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of unpack_args.h and device/clear_args.h. Grid of unpack_planes: x
// over the items of a plane, z = plane.
#include "simt/simt.h"

#include "device/clear_args.h"
#include "gpu/unpack_args.h"

namespace vmafgpu {
namespace {

struct alignas(16) Bytes16 {
    uint32_t words[4];
};

/// Sixteen bytes that lie inside the row.
SIMT_DEVICE void copy_bytes(const UnpackPlane &plane, const char *from, char *to, int item)
{
    Bytes16 bytes = load_readonly(reinterpret_cast<const Bytes16 *>(from) + item);
    const auto mask = static_cast<uint32_t>(plane.mask);
    const uint32_t word_mask = plane.from_bytes == 1 ? UINT32_C(0xffffffff) : mask << 16 | mask;
    for (uint32_t &word : bytes.words)
        word = (word >> plane.shift) & word_mask; // the mask drops the other half's bits
    reinterpret_cast<Bytes16 *>(to)[item] = bytes;
}

SIMT_DEVICE void convert_sample(const UnpackPlane &plane, const char *from, char *to, int x)
{
    const char *at = from + static_cast<int64_t>(x) * plane.step;
    uint32_t sample = 0;
    if (plane.from_bytes == 1)
        sample = *reinterpret_cast<const uint8_t *>(at);
    else
        sample = *reinterpret_cast<const uint16_t *>(at);
    sample = ((sample >> plane.shift) & static_cast<uint32_t>(plane.mask)) << plane.promote;
    if (plane.to_bytes == 1)
        reinterpret_cast<uint8_t *>(to)[x] = static_cast<uint8_t>(sample);
    else
        reinterpret_cast<uint16_t *>(to)[x] = static_cast<uint16_t>(sample);
}

/// Adds the samples of a sketch's block. One loop for both sizes of samples would load them one
/// after the other.
template <typename Sample> SIMT_DEVICE uint32_t block_sum(const SketchLuma &luma, int left, int top)
{
    const char *row = static_cast<const char *>(luma.data) + luma.pitch * top;
    uint32_t sum = 0;
    for (int y = 0; y < 4; ++y, row += luma.pitch)
        for (int x = 0; x < 4; ++x)
            sum += reinterpret_cast<const Sample *>(row)[left + x];
    return sum;
}

} // namespace

SIMT_KERNEL(unpack_planes, UnpackPlanesArgs, 256)
{
    const UnpackPlane &plane = args.plane[block_id_z()];
    // The largest plane has 65,535 x 65,535 items: more than an int counts.
    const auto index =
        static_cast<uint32_t>(block_id_x()) * 256 + static_cast<uint32_t>(thread_id());
    const auto per_row = static_cast<uint32_t>(plane.items_per_row);
    const auto row = static_cast<int>(index / per_row);
    const auto item = static_cast<int>(index % per_row);
    if (row < plane.height) {
        const char *from = static_cast<const char *>(plane.from) + plane.from_pitch * row;
        char *to = static_cast<char *>(plane.to) + plane.to_pitch * row;
        const int run = plane.is_plain != 0 ? 16 / plane.from_bytes : 1;
        if (plane.is_plain != 0 && (item + 1) * run <= plane.width)
            copy_bytes(plane, from, to, item);
        else
            for (int x = item * run; x < (item + 1) * run && x < plane.width; ++x)
                convert_sample(plane, from, to, x);
    }
}

SIMT_KERNEL(sketch_luma, SketchArgs, 256)
{
    const int index = block_id_x() * 256 + thread_id();
    if (index < args.columns * args.rows) {
        const int left = index % args.columns * (args.width - 4) / (args.columns - 1);
        const int top = index / args.columns * (args.height - 4) / (args.rows - 1);
        const SketchLuma &luma = args.luma[block_id_z()];
        const uint32_t sum = args.sample_bytes == 1 ? block_sum<uint8_t>(luma, left, top)
                                                    : block_sum<uint16_t>(luma, left, top);
        args.sketches[block_id_z() * args.columns * args.rows + index] =
            static_cast<uint8_t>(sum >> args.shift);
    }
}

SIMT_KERNEL(clear_words, ClearArgs, 256)
{
    const int64_t first =
        static_cast<int64_t>(block_id_x()) * 256 * kClearWordsPerThread + thread_id();
    for (int i = 0; i < kClearWordsPerThread; ++i) {
        const int64_t at = first + static_cast<int64_t>(256) * i;
        if (at < args.words)
            args.to[at] = 0;
    }
}

} // namespace vmafgpu
