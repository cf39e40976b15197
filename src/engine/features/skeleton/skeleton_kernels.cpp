// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels of skeleton, in the device language (simt/simt.h). skeleton_record.cpp launches them.
#include "simt/reduce.h"
#include "skeleton.h"

namespace vmafgpu::skeleton {
namespace {

template <typename Sample> SIMT_DEVICE void sum_rows(const Args &args)
{
    const PairArgs &pair = args.pairs[block_id_z()];
    const auto *reference = static_cast<const char *>(pair.reference);
    const auto *distorted = static_cast<const char *>(pair.distorted);
    uint64_t sum = 0;
    for (int row = 0; row < kRows; ++row) {
        const int y = block_id_x() * kRows + row;
        if (y >= args.height)
            break;
        const auto *p = reinterpret_cast<const Sample *>(reference + pair.reference_pitch * y);
        const auto *q = reinterpret_cast<const Sample *>(distorted + pair.distorted_pitch * y);
        for (int x = thread_id(); x < args.width; x += kThreads)
            sum += difference_of(load_readonly(p + x), load_readonly(q + x));
    }
    sum = block_sum(sum);
    if (thread_id() == 0)
        atomic_add(
            &reinterpret_cast<Sums *>(args.sums + args.sums_stride * block_id_z())->difference,
            sum);
}

} // namespace

SIMT_KERNEL(skeleton_u8, Args, kThreads)
{
    sum_rows<uint8_t>(args);
}

SIMT_KERNEL(skeleton_u16, Args, kThreads)
{
    sum_rows<uint16_t>(args);
}

} // namespace vmafgpu::skeleton
