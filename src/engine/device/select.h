// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds the device of a backend that a selector means. The GPU backends share it; it knows no
// vendor.
#pragma once

#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// Index into `devices` (a backend's devices in the driver's order) of the one
/// that `selector` names: "" = the first, an ordinal ("1"), or a PCI id
/// ("0000:41:00.0"; the domain may be left out, upper case is accepted).
/// Throws Error: EINVAL if the text is neither, ENODEV if there is no such
/// device; the text lists those there are.
int select_device(const std::string &backend, const std::string &selector,
                  const std::vector<VmafGpuDevice> &devices);

/// The PCI id in the form that VmafGpuDevice has: lower case, four-digit
/// domain. Empty if the text is not a PCI id.
std::string canonical_pci_id(const std::string &text);

} // namespace vmafgpu
