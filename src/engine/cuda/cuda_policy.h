// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the shared driver code (cuda_hip/driver_context.h) must know of CUDA: types, flags,
// error codes. Nothing here calls the driver.
#pragma once

#include <cerrno>

#include "cuda/cuda_loader.h"
#include "cuda_hip/driver_queue.h"

namespace vmafgpu {

struct CudaPolicy {
    using Driver = CudaDriver;
    using Result = CudaResult;
    using Stream = CudaStreamHandle;
    using Event = CudaEventHandle;
    using Function = CudaFunctionHandle;
    using Pointer = CudaPointer;
    using Calls = CudaCalls;

    static constexpr const char *kName = "CUDA";
    static constexpr Result kSuccess = kCudaSuccess;
    static constexpr Result kNotReady = kCudaNotReady;
    static constexpr unsigned kStreamFlags = kCudaStreamNonBlocking;
    static constexpr unsigned kEventFlags = kCudaEventBlockingSync | kCudaEventDisableTiming;
    /// No limit: the driver maps more streams than we make to queues of their own.
    static constexpr int kMostQueues = 0;
    /// Handles belong to a context: a call in another one could hit something else.
    static constexpr bool kReleasesAnywhere = false;

    static constexpr bool kImportsDmaBufs = false;
    static constexpr int kImportOpaqueFd = kCudaImportOpaqueFd;
    /// The driver keeps the descriptor, and closes it, if the import succeeds.
    static constexpr bool kOwnsImportedFd = true;
    /// The code of a refusal that is no fault of the device; 0: it is something else. A descriptor
    /// that is not Vulkan's, or of another GPU, has the first two.
    static int import_refusal(Result result)
    {
        return result == kCudaUnknown || result == kCudaOperatingSystem ? EINVAL
               : result == kCudaNotSupported                            ? ENOTSUP
                                                                        : 0;
    }

    static int error_code(Result result) { return cuda_error_code(result); }
    static Pointer pointer(const void *memory) { return reinterpret_cast<Pointer>(memory); }
    static void *memory(Pointer pointer)
    {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's type
        return reinterpret_cast<void *>(pointer);
    }
};

using CudaScope = DriverScope<CudaPolicy>;
using CudaEvent = DriverEvent<CudaPolicy>;
using CudaQueue = DriverQueue<CudaPolicy>;

} // namespace vmafgpu
