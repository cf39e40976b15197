// SPDX-License-Identifier: BSD-2-Clause-Patent
// Converts pictures in the caller's layouts to the engine's planes: shifts, bit depth promotion,
// interleaved chroma, samples above the bit depth. Host memory only; gpu/unpack_args.h is the same
// for device memory.
#pragma once

#include "picture/picture.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// True if the plane can be used where it lies: right depth and layout, and no
/// sample above 2^depth - 1 (which would take the arithmetic out of its proven range).
bool is_usable_in_place(const VmafGpuPicture &picture, int plane, const Format &format);

/// Copy one plane into rows of `pitch` bytes, as (stored >> shift) masked to
/// the picture's depth and promoted to the format's.
void unpack_plane(const VmafGpuPicture &picture, int plane, const Format &format, void *to,
                  size_t pitch);

/// Rows begin .. end - 1 of it; `to` is where row 0 goes.
void unpack_rows(const VmafGpuPicture &picture, int plane, const Format &format, void *to,
                 size_t pitch, int begin, int end);

} // namespace vmafgpu
