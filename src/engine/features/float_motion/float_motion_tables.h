// SPDX-License-Identifier: BSD-2-Clause-Patent
// Constants of float_motion: the blurs, by motion_filter_size. float_motion.cpp reads them.
#pragma once

namespace vmafgpu::float_motion {

/// These taps differ from those of float_vif at scale 2 in their last bits.
constexpr float kBlur5[5] = {0.054488685F, 0.244201342F, 0.402619947F, 0.244201342F, 0.054488685F};
constexpr float kBlur3[3] = {0.166378498F, 0.667243004F, 0.166378498F};

} // namespace vmafgpu::float_motion
