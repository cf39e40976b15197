// SPDX-License-Identifier: BSD-2-Clause-Patent
// The OpenCL backend as the table of backends sees it. Everything else of this folder is private to
// it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/select.h"

namespace vmafgpu {

/// All devices of all drivers, with what speaks against them; as find_hip_devices().
std::vector<FoundDevice> find_opencl_devices(std::string *why_none);

/// Opens the selected device. Throws Error: ENODEV, EINVAL, ENOMEM, EIO.
std::unique_ptr<Device> open_opencl(const DeviceRequest &request);

} // namespace vmafgpu
