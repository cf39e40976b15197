// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA backend as the table of backends sees it. Everything else of this
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
std::vector<VmafGpuDevice> cuda_devices(std::string *why_none);
/// Returns all devices, each with the reason why it cannot be used, if there is one.
std::vector<FoundDevice> find_cuda_devices(std::string *why_none);

/// Opens the selected device, or the context of the request. Throws Error:
/// ENODEV (no driver, no such device, no kernels for it), EINVAL (bad
/// selector, or one that disagrees with the given context), ENOMEM, EIO.
std::unique_ptr<Device> open_cuda(const DeviceRequest &request);

} // namespace vmafgpu
