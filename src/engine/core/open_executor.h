// SPDX-License-Identifier: BSD-2-Clause-Patent
// Opens the Executor that the settings' device text asks for, and lists devices.
#pragma once

#include <memory>
#include <vector>

#include "device/select.h"
#include "plan/executor.h"
#include "plan/score_plan.h"
#include "plan/settings.h"

namespace vmafgpu {

/// "auto" tries the automatic backends in order and says why one was passed
/// over; a named backend is taken or throws.
std::unique_ptr<Executor> open_executor(const EngineSettings &settings, ScorePlan &plan);

/// Returns the devices that vmafgpu_devices() lists.
std::vector<VmafGpuDevice> list_devices();
/// The devices that vmafgpu_unusable_device() reports.
std::vector<FoundDevice> list_unusable_devices();

} // namespace vmafgpu
