// SPDX-License-Identifier: BSD-2-Clause-Patent
// What v0.6.1 costs on a device with matrix_u8(), kernel by kernel: instructions as the
// profiler counts them on sm_90, bytes as the algorithm reads and writes them. The share of
// a ceiling in bench's table comes from here; docs/history/performance-log.md has the same table,
// and the command that counts. A kernel that changes must be counted again.
#pragma once

namespace vmafgpu {

/// What a kernel does for one pair, by luma pixel.
struct Counted {
    double instructions; ///< instructions of single lanes
    double bytes;        ///< read and written in device memory, every sample once
};

Counted counted_per_pixel(int depth);

/// A line for each kernel, and the sum.
void print_counted();

} // namespace vmafgpu
