// SPDX-License-Identifier: BSD-2-Clause-Patent
// The filters of float_ansnr, as libvmaf has them: for the reference 3 x 3, for the distorted
// picture 5 x 5.
#pragma once

#include "simt/simt.h"

namespace vmafgpu {

SIMT_TABLE float kAnsnrReference[3][3] = {{1 / 16.0F, 2 / 16.0F, 1 / 16.0F},
                                          {2 / 16.0F, 4 / 16.0F, 2 / 16.0F},
                                          {1 / 16.0F, 2 / 16.0F, 1 / 16.0F}};

constexpr float ansnr_tap(int part)
{
    return static_cast<float>(part / 571.0);
}

SIMT_TABLE float kAnsnrDistorted[5][5] = {
    {ansnr_tap(2), ansnr_tap(7), ansnr_tap(12), ansnr_tap(7), ansnr_tap(2)},
    {ansnr_tap(7), ansnr_tap(31), ansnr_tap(52), ansnr_tap(31), ansnr_tap(7)},
    {ansnr_tap(12), ansnr_tap(52), ansnr_tap(127), ansnr_tap(52), ansnr_tap(12)},
    {ansnr_tap(7), ansnr_tap(31), ansnr_tap(52), ansnr_tap(31), ansnr_tap(7)},
    {ansnr_tap(2), ansnr_tap(7), ansnr_tap(12), ansnr_tap(7), ansnr_tap(2)}};

} // namespace vmafgpu
