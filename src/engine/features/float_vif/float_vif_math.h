// SPDX-License-Identifier: BSD-2-Clause-Patent
// What float_vif's reference code and its fast code compute alike before they begin.
#pragma once

#include "features/float_vif/float_vif_tables.h"

namespace vmafgpu {

/// Factor of the distorted variance where the reference is flat: the noise squared over 255
/// squared. Compilers make a product of libvmaf's powf(noise, 2), which rounds once.
inline float float_vif_flat(double noise)
{
    const auto single = static_cast<float>(noise);
    const float square = single * single;
    return static_cast<float>(static_cast<double>(square) / (255.0 * 255.0));
}

} // namespace vmafgpu
