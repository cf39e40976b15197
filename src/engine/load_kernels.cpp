// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of load_kernel.h. A thread copies kLoadRun neighbours of a row.
#include "load_kernel.h"
#include "simt.h"

namespace vmafgpu {
namespace {

SIMT_DEVICE uint32_t load_sample(const LoadPlaneArgs &args, const char *row, int x)
{
    const char *at = row + static_cast<int64_t>(x) * args.step;
    uint32_t sample = 0;
    if (args.from_bytes == 1)
        sample = *reinterpret_cast<const uint8_t *>(at);
    else
        sample = *reinterpret_cast<const uint16_t *>(at);
    return ((sample >> args.shift) & static_cast<uint32_t>(args.mask)) << args.promote;
}

} // namespace

SIMT_KERNEL(load_plane_kernel, LoadPlaneArgs, 256)
{
    const int y = block_id_y();
    const int begin = (block_id_x() * 256 + thread_id()) * kLoadRun;
    const char *from = static_cast<const char *>(args.from) + args.from_pitch * y;
    char *to = static_cast<char *>(args.to) + args.to_pitch * y;
    for (int i = 0; i < kLoadRun; ++i) {
        const int x = begin + i;
        if (x >= args.width)
            break;
        const uint32_t sample = load_sample(args, from, x);
        if (args.to_bytes == 1)
            reinterpret_cast<uint8_t *>(to)[x] = static_cast<uint8_t>(sample);
        else
            reinterpret_cast<uint16_t *>(to)[x] = static_cast<uint16_t>(sample);
    }
}

} // namespace vmafgpu
