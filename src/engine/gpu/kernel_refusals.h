// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which features of a plan a device cannot compute: those with a kernel that it refuses
// (Device::refusal). The host computes them.
#pragma once

#include <string>

#include "base/log.h"
#include "device/device.h"
#include "picture/plane_layout.h"
#include "plan/score_plan.h"

namespace vmafgpu {

/// What the device has against the first kernel of a feature that it refuses, with the kernel's
/// name; empty: it runs them all.
std::string refused_kernel(Device &device, const FeatureDevice &feature, const PlaneLayout &layout);

/// Marks these groups of the plan, all others not, and logs why.
void leave_refused_to_host(Device &device, const PlaneLayout &layout, const Log &log,
                           ScorePlan &plan);

} // namespace vmafgpu
