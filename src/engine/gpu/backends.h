// SPDX-License-Identifier: BSD-2-Clause-Patent
// The backends of this build, in the order in which "auto" tries them. device/device.h defines what
// a Device is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/select.h"

namespace vmafgpu {

/// One backend of this build.
struct Backend {
    const char *name; ///< "cuda", "hip", "opencl", "emu32", "emu64"
    /// Returns all devices, best first, and a reason if none is usable. Never throws.
    std::vector<FoundDevice> (*find)(std::string *why_none);
    std::unique_ptr<Device> (*open_untested)(const DeviceRequest &request);
    bool is_automatic; ///< "auto" may choose it

    /// Without a selector: the best one that runs. One whose kernels cannot be loaded or fail the
    /// known-answer test is passed over, with a warning.
    std::unique_ptr<Device> open(const DeviceRequest &request) const;
};

/// Backends of this build in the order in which "auto" tries them.
const std::vector<Backend> &backends();

} // namespace vmafgpu
