// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP backend as the table of backends sees it. Everything else of this
// folder is private to it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/select.h"

namespace vmafgpu {

/// Devices that this build has kernels for, best first. Never throws; if there
/// is none, *why_none (unless null) says why.
std::vector<VmafGpuDevice> hip_devices(std::string *why_none);
/// All devices, with what speaks against them.
std::vector<FoundDevice> find_hip_devices(std::string *why_none);

/// Opens the selected device. Throws Error:
/// ENODEV (no runtime, no such device, no kernels for it), EINVAL (bad
/// selector, or a native context, which HIP does not have), ENOMEM, EIO.
std::unique_ptr<Device> open_hip(const DeviceRequest &request);

} // namespace vmafgpu
