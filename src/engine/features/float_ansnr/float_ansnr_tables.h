// SPDX-License-Identifier: BSD-2-Clause-Patent
// The filters of float_ansnr, as libvmaf has them: for the reference 3 x 3, for the distorted
// picture 5 x 5.
#pragma once

namespace vmafgpu {

constexpr float kAnsnrReference[3][3] = {{1 / 16.0F, 2 / 16.0F, 1 / 16.0F},
                                         {2 / 16.0F, 4 / 16.0F, 2 / 16.0F},
                                         {1 / 16.0F, 2 / 16.0F, 1 / 16.0F}};

/// In 571ths.
constexpr int kAnsnrDistortedParts[5][5] = {{2, 7, 12, 7, 2},
                                            {7, 31, 52, 31, 7},
                                            {12, 52, 127, 52, 12},
                                            {7, 31, 52, 31, 7},
                                            {2, 7, 12, 7, 2}};

struct AnsnrTaps {
    float at[5][5];
};

constexpr AnsnrTaps ansnr_distorted_taps()
{
    AnsnrTaps taps = {};
    for (int v = 0; v < 5; ++v)
        for (int u = 0; u < 5; ++u)
            taps.at[v][u] = static_cast<float>(kAnsnrDistortedParts[v][u] / 571.0);
    return taps;
}

constexpr AnsnrTaps kAnsnrDistorted = ansnr_distorted_taps();

} // namespace vmafgpu
