// SPDX-License-Identifier: BSD-2-Clause-Patent
// One CUDA context with our kernels loaded into it: what a Device, its Queues and its
// Events share and keep alive together. Not here: errors, pinned memory and the rule for
// lost devices (cuda_hip/driver_context.h), streams and events (cuda_hip/driver_queue.h),
// memory (cuda_hip/driver_device.h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "cuda/cuda_image.h"
#include "cuda/cuda_policy.h"
#include "device/kernel_blob.h"

namespace vmafgpu {

class CudaContext final : public DriverContext<CudaPolicy> {
public:
    /// Adopts `native` or, if that is null, retains the device's primary context. Loads those
    /// modules of `kernels` that are for the device. Throws Error.
    CudaContext(const CudaDriver &driver, CudaDeviceId device, void *native,
                const KernelLibrary &kernels, const Log &log);
    ~CudaContext() override;

    /// The size of the arguments is compared where the driver can tell it.
    CudaFunctionHandle function(const char *name, size_t argument_bytes) override;

protected:
    Step make_current(int &former) noexcept override;
    Step make_former_current(int former) noexcept override;

private:
    struct Function {
        CudaFunctionHandle handle = nullptr;
        size_t argument_bytes = 0; ///< 0 = unknown
    };

    /// kernels: what the blobs are of, for texts of errors.
    void load_modules(const std::vector<const KernelBlob *> &blobs, const KernelLibrary &kernels);
    void release_all() noexcept;
    Function find_function(const char *name);
    size_t argument_bytes(CudaFunctionHandle function); ///< 0 = the driver cannot tell

    CudaDeviceId device_;
    CudaContextHandle handle_;
    bool is_primary_ = false;
    std::vector<CudaModuleHandle> modules_;
    std::map<std::string, Function, std::less<>> functions_;
};

/// Compute capability as 10 * major + minor. Throws Error.
int cuda_capability(const CudaDriver &driver, CudaDeviceId device);

/// "NVIDIA X has compute capability 7.0; this build has sm_75 ... (nvcc 13.0)"
std::string cuda_image_text(const CudaDriver &driver, CudaDeviceId device,
                            const KernelLibrary &kernels);

} // namespace vmafgpu
