// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of float_psnr and float_moment: sums of samples, or of differences, and of their
// squares rounded to float. float_sums_record.cpp launches it; the sum in raster order that large
// pictures of 16 bits may need is the host's.
#include "features/float_sums/float_sums.h"
#include "simt/quad.h"
#include "simt/reduce.h"

namespace vmafgpu::float_sums {
namespace {

/// Samples x .. x + 3 of a row; 0 beyond its end.
template <typename Sample>
SIMT_DEVICE Quad<Sample> quad_at(const Sample *row, int x, int width, bool is_aligned)
{
    if (is_aligned && x + 4 <= width)
        return load_readonly(reinterpret_cast<const Quad<Sample> *>(row + x));
    Quad<Sample> quad = 0;
    SIMT_UNROLL
    for (int i = 0; i < 4; ++i)
        if (x + i < width)
            quad |= static_cast<Quad<Sample>>(load_readonly(row + x + i))
                    << (8 * static_cast<int>(sizeof(Sample)) * i);
    return quad;
}

/// The square rounded to float, which is a whole number below 2^32.
template <typename Sample> SIMT_DEVICE uint64_t rounded_square(int32_t value)
{
    if (sizeof(Sample) == 1)
        return static_cast<uint64_t>(value * value);
    const auto sample = static_cast<float>(value);
    return static_cast<uint64_t>(sample * sample);
}

template <typename Sample> SIMT_DEVICE bool is_aligned(const void *data, int64_t pitch)
{
    constexpr uint64_t kMask = sizeof(Quad<Sample>) - 1;
    return ((reinterpret_cast<uint64_t>(data) | static_cast<uint64_t>(pitch)) & kMask) == 0;
}

template <typename Sample> SIMT_DEVICE void add_up(const Args &args)
{
    const PictureArgs &picture = args.pictures[block_id_z()];
    const bool has_second = picture.second != nullptr;
    const bool aligned = is_aligned<Sample>(picture.first, picture.first_pitch) &&
                         (!has_second || is_aligned<Sample>(picture.second, picture.second_pitch));
    const auto *first = static_cast<const char *>(picture.first);
    const auto *second = static_cast<const char *>(picture.second);
    uint64_t sum = 0;
    uint64_t squares = 0;
    for (int row = 0; row < kBlockRows; ++row) {
        const int y = block_id_y() * kBlockRows + row;
        if (y >= args.height)
            break;
        const auto *p = reinterpret_cast<const Sample *>(first + picture.first_pitch * y);
        const auto *q = reinterpret_cast<const Sample *>(second + picture.second_pitch * y);
        for (int x = 4 * thread_id(); x < args.width; x += 4 * kThreads) {
            const Quad<Sample> of_first = quad_at(p, x, args.width, aligned);
            const Quad<Sample> of_second = has_second ? quad_at(q, x, args.width, aligned) : 0;
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i) {
                const int32_t value =
                    sample_of<Sample>(of_first, i) - sample_of<Sample>(of_second, i);
                sum += static_cast<uint64_t>(value);
                squares += rounded_square<Sample>(value);
            }
        }
    }
    squares = block_sum(squares);
    sum = block_sum(sum);
    if (thread_id() == 0) {
        atomic_add(picture.squares, squares);
        if (picture.sum != nullptr)
            atomic_add(picture.sum, sum);
    }
}

} // namespace

SIMT_KERNEL(float_sums_u8, Args, kThreads)
{
    add_up<uint8_t>(args);
}

SIMT_KERNEL(float_sums_u16, Args, kThreads)
{
    add_up<uint16_t>(args);
}

} // namespace vmafgpu::float_sums
