// SPDX-License-Identifier: BSD-2-Clause-Patent
// AMD's HIP runtime, loaded at run time, so that the library also runs on machines without
// it. Also what a runtime's result means as an errno value. Used by the other files of
// this folder. Not here: modules and streams.
#pragma once

#include <string>

#include "hip/hip_api.h"

namespace vmafgpu {

/// An initialised runtime. Lives until the process ends: it keeps threads and
/// handlers of its own, so unloading it is not safe.
struct HipRuntime {
    HipApi api;
    std::string library; ///< what was loaded, for texts
    int version = 0;     ///< 50221153 = 5.2.21153

    /// Loads the runtime at the first call; any thread. A failure is not
    /// remembered, so a later call tries again. Throws Error(ENODEV) with the
    /// reason. VMAFGPU_HIP_LIBRARY replaces the library's name (for tests).
    static const HipRuntime &get();

    /// "hipErrorOutOfMemory (out of memory)"
    std::string describe(HipResult result) const;
};

/// What a failed call means to the engine, as an errno value: ENODEV (nothing
/// usable here), ENOMEM, EINVAL (this call's arguments) or EIO (the device is
/// lost; whatever is not known to be harmless counts as that).
int hip_error_code(HipResult result);

/// Text of a version: "5.2.21153" for 50221153.
std::string hip_version_text(int version);

} // namespace vmafgpu
