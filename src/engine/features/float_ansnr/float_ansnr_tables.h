// SPDX-License-Identifier: BSD-2-Clause-Patent
// The filters of float_ansnr, as libvmaf has them: for the reference 3 x 3, for the distorted
// picture 5 x 5.
#pragma once

#include "simt/simt.h"

namespace vmafgpu::float_ansnr {

SIMT_TABLE float kReferenceTaps[3][3] = {{1 / 16.0F, 2 / 16.0F, 1 / 16.0F},
                                         {2 / 16.0F, 4 / 16.0F, 2 / 16.0F},
                                         {1 / 16.0F, 2 / 16.0F, 1 / 16.0F}};

constexpr float tap(int part)
{
    return static_cast<float>(part / 571.0);
}

SIMT_TABLE float kDistortedTaps[5][5] = {{tap(2), tap(7), tap(12), tap(7), tap(2)},
                                         {tap(7), tap(31), tap(52), tap(31), tap(7)},
                                         {tap(12), tap(52), tap(127), tap(52), tap(12)},
                                         {tap(7), tap(31), tap(52), tap(31), tap(7)},
                                         {tap(2), tap(7), tap(12), tap(7), tap(2)}};

} // namespace vmafgpu::float_ansnr
