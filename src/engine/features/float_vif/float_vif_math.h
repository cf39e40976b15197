// SPDX-License-Identifier: BSD-2-Clause-Patent
// What float_vif's reference code and its fast code compute alike before they begin.
#pragma once

#include "base/libm.h"
#include "features/float_vif/float_vif_tables.h"

namespace vmafgpu {

/// Factor of the distorted variance where the reference is flat: the noise squared over 255
/// squared.
inline float float_vif_flat(double noise)
{
    return static_cast<float>(static_cast<double>(libm::powf(static_cast<float>(noise), 2.0F)) /
                              (255.0 * 255.0));
}

} // namespace vmafgpu
