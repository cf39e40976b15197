// SPDX-License-Identifier: BSD-2-Clause-Patent
// One HIP device with our kernels loaded onto it: what a Device, its Queues and
// its Events share and keep alive together. Makes the device current around every
// use, so any thread may call. Streams and events themselves are in hip_queue.h,
// memory in hip_device.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "device/kernel_blob.h"
#include "hip/hip_image.h"
#include "hip/hip_loader.h"

namespace vmafgpu {

class HipContext {
public:
    /// Loads the modules of `kernels` that were compiled for the device's architecture.
    HipContext(const HipRuntime &runtime, int device, const KernelLibrary &kernels, const Log &log);
    ~HipContext(); // NOLINT(bugprone-exception-escape)
    HipContext(const HipContext &) = delete;
    HipContext &operator=(const HipContext &) = delete;

    const HipApi &api() const { return runtime_.api; }

    /// Lanes of a wave, as the loaded code objects say.
    int wave_size() const { return wave_size_; }
    std::string describe(HipResult result) const { return runtime_.describe(result); }

    /// Throws Error if the call failed. `what` names the call and, where it
    /// helps, its arguments. An error of code EIO marks the device as lost.
    void check(HipResult result, const std::string &what);
    void check(HipResult result, const char *what)
    {
        if (result != kHipSuccess)
            check(result, std::string(what));
    }
    /// For destructors: reports instead of throwing; silent once the device is lost.
    void report(HipResult result, const char *what) noexcept;

    /// A kernel by name, checked against what its code object says: that many bytes of
    /// arguments and of dynamic shared memory fit.
    HipFunctionHandle function(const char *name, unsigned dynamic_shared, size_t argument_bytes);

    /// Pinned memory of this context; all other host memory counts as pageable.
    void add_pinned(void *memory, size_t bytes);
    void remove_pinned(void *memory);
    bool is_pinned(const void *memory, size_t bytes) const;

private:
    friend class HipScope;

    struct Function {
        HipFunctionHandle handle = nullptr;
        HipKernelInfo info;
    };

    void load_modules(const KernelLibrary &kernels, const std::string &arch);
    void release() noexcept; // NOLINT(bugprone-exception-escape)
    Function find_function(const char *name);
    unsigned max_shared();

    const HipRuntime &runtime_;
    int device_;
    int wave_size_ = 0;
    unsigned max_shared_ = 0; ///< 0 = not yet asked
    std::string failure_;     ///< not empty: lost, and why
    std::vector<HipModuleHandle> modules_;
    std::vector<HipImage> images_; ///< of modules_
    std::map<std::string, Function, std::less<>> functions_;
    std::map<const char *, size_t> pinned_;
    Log log_;
};

/// Makes the device current while it lives, and the former one again afterwards.
class HipScope {
public:
    enum Purpose { kUse, kRelease };

    /// kUse throws Error(EIO) if the device has been lost, which is how a failed device
    /// stays failed. kRelease never throws: what was acquired is given back even then.
    explicit HipScope(HipContext &context, Purpose purpose = kUse);
    ~HipScope();
    HipScope(const HipScope &) = delete;
    HipScope &operator=(const HipScope &) = delete;

private:
    HipContext &context_;
    int previous_ = -1; ///< to be made current again; -1 = nothing to do
};

/// The architecture's name as the runtime gives it, "gfx90a:sramecc+:xnack-";
/// HSA_OVERRIDE_GFX_VERSION shows in it. Throws Error.
std::string hip_arch(const HipRuntime &runtime, int device);

/// True if the images ("gfx90a gfx1030") hold code for that architecture.
bool hip_images_cover(const std::string &images, const std::string &arch);

/// "AMD X is a gfx1033 ...; this build has kernels for gfx900 ... made by clang 19 (...)"
std::string hip_image_text(const HipRuntime &runtime, int device, const std::string &arch,
                           const KernelLibrary &kernels);

} // namespace vmafgpu
