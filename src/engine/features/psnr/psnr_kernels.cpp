// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of psnr: the sum of squared differences of one plane of each pair. A thread loads 16
// bytes of both pictures at once; the last ones of a row may lie behind its end, in the padding.
// psnr_record.cpp launches it.
#include "features/psnr/psnr.h"
#include "simt/reduce.h"

namespace vmafgpu::psnr {
namespace {

/// Samples that are loaded together.
struct alignas(kItemBytes) Item {
    uint32_t words[kItemBytes / 4];
};

template <typename Sample> SIMT_DEVICE uint32_t sample_of(const Item &item, int i)
{
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(Sample));
    constexpr int kBits = 8 * static_cast<int>(sizeof(Sample));
    return item.words[i / kPerWord] >> (kBits * (i % kPerWord)) & ((UINT32_C(1) << kBits) - 1);
}

/// The squared differences of the first `count` samples of two items.
template <typename Sample> SIMT_DEVICE uint64_t squares_of(const Item &a, const Item &b, int count)
{
    constexpr int kSamples = kItemBytes / static_cast<int>(sizeof(Sample));
    uint64_t sum = 0;
    SIMT_UNROLL
    for (int i = 0; i < kSamples; ++i) {
        const uint32_t x = sample_of<Sample>(a, i);
        const uint32_t y = sample_of<Sample>(b, i);
        const uint32_t distance = x > y ? x - y : y - x;
        sum += i < count ? distance * distance : 0; // at most 65535 squared: fits 32 bits
    }
    return sum;
}

template <typename Sample> SIMT_DEVICE void sum_squares(const Args &args)
{
    constexpr int kSamples = kItemBytes / static_cast<int>(sizeof(Sample));
    const PlaneArgs &pair = args.pairs[block_id_z()];
    uint64_t sum = 0;
    for (int k = 0; k < kItems; ++k) {
        const int index = (block_id_x() * kItems + k) * kThreads + thread_id();
        const int row = index / args.items_per_row;
        const int column = index % args.items_per_row;
        if (row >= args.height)
            continue;
        const auto *a = reinterpret_cast<const Item *>(static_cast<const char *>(pair.reference) +
                                                       pair.reference_pitch * row);
        const auto *b = reinterpret_cast<const Item *>(static_cast<const char *>(pair.distorted) +
                                                       pair.distorted_pitch * row);
        sum += squares_of<Sample>(load_readonly(a + column), load_readonly(b + column),
                                  args.width - column * kSamples);
    }
    sum = block_sum(sum);
    if (thread_id() == 0)
        atomic_add(reinterpret_cast<uint64_t *>(args.squares + args.squares_stride * block_id_z()),
                   sum);
}

} // namespace

SIMT_KERNEL(psnr_u8, Args, kThreads)
{
    sum_squares<uint8_t>(args);
}

SIMT_KERNEL(psnr_u16, Args, kThreads)
{
    sum_squares<uint16_t>(args);
}

} // namespace vmafgpu::psnr
