// SPDX-License-Identifier: BSD-2-Clause-Patent
// One CUDA context with our kernels loaded into it: what a Device, its Queues
// and its Events share and keep alive together. Makes the context current
// around every use, so any thread may call. Streams and events themselves are
// in cuda_queue.h, memory in cuda_device.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "cuda/cuda_loader.h"
#include "device/device.h"
#include "device/kernel_blob.h"

namespace vmafgpu {

class CudaContext {
public:
    /// Adopts `native` or, if that is null, retains the device's primary
    /// context. Loads every module of `kernels`.
    CudaContext(const CudaDriver &driver, CudaDeviceId device, void *native,
                const KernelLibrary &kernels, const Log &log);
    ~CudaContext();
    CudaContext(const CudaContext &) = delete;
    CudaContext &operator=(const CudaContext &) = delete;

    const CudaApi &api() const { return driver_.api; }
    const DeviceTraits &traits() const { return traits_; }

    /// Throws Error if the call failed. `what` names the call and, where it
    /// helps, its arguments. An error of code EIO marks the context as lost.
    void check(CudaResult result, const std::string &what);
    void check(CudaResult result, const char *what)
    {
        if (result != kCudaSuccess)
            check(result, std::string(what));
    }
    /// For destructors: reports instead of throwing; silent once the context is lost.
    void report(CudaResult result, const char *what) noexcept;

    /// A kernel by name, ready for that much dynamic shared memory and (where
    /// the driver can tell) taking exactly argument_bytes.
    CudaFunctionHandle function(const char *name, unsigned dynamic_shared, size_t argument_bytes);

    /// Pinned memory of this context, so that uploads know it without asking the driver.
    void add_pinned(void *memory, size_t bytes);
    void remove_pinned(void *memory);
    /// True if the driver may read all of it after the call that asks for it.
    bool is_pinned(const void *memory, size_t bytes);

private:
    friend class CudaScope;

    struct Function {
        CudaFunctionHandle handle = nullptr;
        unsigned dynamic_shared = 0; ///< what the attribute was set to, 0 = never
        size_t argument_bytes = 0;   ///< 0 = unknown
    };

    void load_modules(const KernelLibrary &kernels);
    void release() noexcept;
    Function find_function(const char *name);
    void allow_shared(Function &function, const char *name, unsigned bytes);

    const CudaDriver &driver_;
    CudaDeviceId device_;
    DeviceTraits traits_;
    CudaContextHandle handle_ = nullptr;
    bool is_primary_ = false;
    std::string failure_; ///< not empty: lost, and why
    std::vector<CudaModuleHandle> modules_;
    std::map<std::string, Function, std::less<>> functions_;
    std::map<const char *, size_t> pinned_;
    Log log_;
};

/// Makes the context current while it lives. Throws Error(EIO) if the context
/// has been lost, which is how a failed device stays failed.
class CudaScope {
public:
    explicit CudaScope(CudaContext &context);
    ~CudaScope();
    CudaScope(const CudaScope &) = delete;
    CudaScope &operator=(const CudaScope &) = delete;

private:
    CudaContext &context_;
};

/// Compute capability as 10 * major + minor.
int cuda_capability(const CudaApi &api, CudaDeviceId device);

/// True if the images ("sm_80 compute_120") hold code for that capability:
/// machine code of the same major and no later minor version, or PTX of an
/// earlier or equal one.
bool cuda_images_cover(const std::string &images, int capability);

/// "NVIDIA X has compute capability 7.0; this build has sm_75 ... (nvcc 13.0)"
std::string cuda_image_text(const CudaDriver &driver, CudaDeviceId device,
                            const KernelLibrary &kernels);

} // namespace vmafgpu
