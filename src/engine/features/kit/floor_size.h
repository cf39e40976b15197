// SPDX-License-Identifier: BSD-2-Clause-Patent
// The size of chroma planes as libvmaf has it. The engine's planes have a column or row more where
// the luma's size is odd.
#pragma once

#include "picture/picture.h"

namespace vmafgpu {

/// Half of an odd size is rounded down.
inline int floor_width(const Format &format, int plane)
{
    return plane == 0 || format.chroma == Chroma::k444 ? format.width : format.width / 2;
}
inline int floor_height(const Format &format, int plane)
{
    return plane == 0 || format.chroma != Chroma::k420 ? format.height : format.height / 2;
}

} // namespace vmafgpu
