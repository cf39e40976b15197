// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the shared driver code (cuda_hip/driver_context.h) must know of HIP: types, flags,
// error codes. Nothing here calls the runtime.
#pragma once

#include <cerrno>

#include "cuda_hip/driver_queue.h"
#include "hip/hip_loader.h"

namespace vmafgpu {

struct HipPolicy {
    using Driver = HipRuntime;
    using Result = HipResult;
    using Stream = HipStreamHandle;
    using Event = HipEventHandle;
    using Function = HipFunctionHandle;
    using Pointer = void *;
    using Calls = HipCalls;

    static constexpr const char *kName = "HIP";
    static constexpr Result kSuccess = kHipSuccess;
    static constexpr Result kNotReady = kHipNotReady;
    static constexpr unsigned kStreamFlags = kHipStreamNonBlocking;
    static constexpr unsigned kEventFlags = kHipEventBlockingSync | kHipEventDisableTiming;
    /// The runtime maps all streams of one priority to four hardware queues (GPU_MAX_HW_QUEUES).
    /// Streams that share one wait for each other.
    static constexpr int kMostQueues = 4;
    /// Handles and addresses are valid in the whole process.
    static constexpr bool kReleasesAnywhere = true;

    static constexpr bool kImportsDmaBufs = true;
    static constexpr int kImportOpaqueFd = kHipImportOpaqueFd;
    static constexpr bool kOwnsImportedFd = false; ///< some drivers do, some do not
    static int import_refusal(Result result) { return result == kHipNotSupported ? ENOTSUP : 0; }

    static int error_code(Result result) { return hip_error_code(result); }
    static Pointer pointer(const void *memory) { return const_cast<void *>(memory); }
    static void *memory(Pointer pointer) { return pointer; }
};

using HipScope = DriverScope<HipPolicy>;

} // namespace vmafgpu
