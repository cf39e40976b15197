// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds the device of a backend that a selector means, and says which one is the best. The GPU
// backends share it; it knows no vendor.
#pragma once

#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// A device as its backend found it.
struct FoundDevice {
    VmafGpuDevice info = {};
    bool is_integrated = false;
    int multiprocessors = 0; ///< compute units of AMD's GPUs
    std::string why_not;     ///< reason why it cannot be used; empty: it can
};

/// Best first: discrete before integrated, more multiprocessors first, else in the driver's order.
void rank_devices(std::vector<FoundDevice> &devices);

/// What is opened where none is named: the index of the best of `devices`, in the driver's order,
/// that is usable and whose selector is not in `except`. Else of the first that is not in it; -1 if
/// all are.
int best_device(const std::vector<FoundDevice> &devices, const std::vector<std::string> &except);

/// The usable ones, in the same order.
std::vector<VmafGpuDevice> usable_devices(const std::vector<FoundDevice> &devices);

/// Returns the descriptions of all devices, in the same order.
std::vector<VmafGpuDevice> infos_of(const std::vector<FoundDevice> &devices);

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
