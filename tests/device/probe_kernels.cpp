// SPDX-License-Identifier: BSD-2-Clause-Patent
// Kernels that let the tests see what the CUDA backend does: write, take
// time, fail. Not part of the engine.
#include "probe_kernels.h"
#include "simt/simt.h"

namespace vmafgpu {

SIMT_KERNEL(probe_add, ProbeAddArgs, 256)
{
    const int i = block_id_x() * block_threads() + thread_id();
    if (i < args.count)
        args.values[i] += args.addend;
}

// A chain that no compiler can shorten.
SIMT_KERNEL(probe_spin, ProbeSpinArgs, 64)
{
    uint32_t state = static_cast<uint32_t>(thread_id());
    for (int64_t i = 0; i < args.rounds; ++i)
        state = state * 1664525u + (state >> 16) + 1013904223u;
    if (thread_id() == 0)
        *args.out = state | 1u;
}

// Reverses up to 1024 words through shared memory.
SIMT_KERNEL(probe_reverse, ProbeReverseArgs, 256)
{
    SIMT_SHARED(uint32_t, words, 1024);
    for (int i = thread_id(); i < args.count; i += block_threads())
        words[i] = args.in[i];
    barrier();
    for (int i = thread_id(); i < args.count; i += block_threads())
        args.out[i] = words[args.count - 1 - i];
}

} // namespace vmafgpu
