// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA driver, loaded at run time, so that the library also runs on machines without
// it. Also what a driver's result means as an errno value. Used by the other files of
// this folder. Not here: devices and contexts.
#pragma once

#include <string>

#include "cuda/cuda_api.h"

namespace vmafgpu {

/// An initialised driver. Lives until the process ends: the driver keeps
/// threads and handlers of its own, so unloading it is not safe.
struct CudaDriver {
    CudaApi api;
    std::string library; ///< name of the loaded library, for texts
    int version = 0;     ///< 12040 = CUDA 12.4

    /// Loads the driver at the first call; any thread. A failure is not
    /// remembered, so a later call tries again. Throws Error(ENODEV) with the
    /// reason. VMAFGPU_CUDA_LIBRARY replaces the library's name (for tests).
    static const CudaDriver &get();

    /// "CUDA_ERROR_OUT_OF_MEMORY (out of memory)"
    std::string describe(CudaResult result) const;
};

/// What a failed call means to the engine, as an errno value: ENODEV (nothing
/// usable here), ENOMEM, EINVAL (this call's arguments) or EIO (the device or
/// its context is lost; whatever is not known to be harmless counts as that).
int cuda_error_code(CudaResult result);

/// "12.4" of 12040.
std::string cuda_version_text(int version);

} // namespace vmafgpu
