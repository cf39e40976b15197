// SPDX-License-Identifier: BSD-2-Clause-Patent
// One HIP device with our kernels loaded onto it: what a Device, its Queues and its
// Events share and keep alive together. Not here: errors, pinned memory and the rule for
// lost devices (cuda_hip/driver_context.h), streams and events (cuda_hip/driver_queue.h),
// memory (cuda_hip/driver_device.h).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/log.h"
#include "device/kernel_blob.h"
#include "hip/hip_image.h"
#include "hip/hip_policy.h"
#include "hip/hip_targets.h"

namespace vmafgpu {

class HipContext final : public DriverContext<HipPolicy> {
public:
    /// Loads the modules of `kernels` that were compiled for the device's architecture.
    /// Throws Error.
    HipContext(const HipRuntime &runtime, int device, const KernelLibrary &kernels, const Log &log);
    ~HipContext() override;

    /// Lanes of a wave, as the loaded code objects say.
    int wave_size() const { return wave_size_; }

    /// The size of the arguments is compared with what the code object says.
    HipFunctionHandle function(const char *name, size_t argument_bytes) override;

protected:
    Step make_current(int &former) noexcept override;
    Step make_former_current(int former) noexcept override;

private:
    struct Function {
        HipFunctionHandle handle = nullptr;
        HipKernelInfo info;
    };

    void load_modules(const KernelLibrary &kernels, const std::string &arch);
    void release_all() noexcept;
    Function find_function(const char *name);

    int device_;
    int wave_size_ = 0;
    std::vector<HipModuleHandle> modules_;
    std::vector<HipImage> images_; ///< the code of modules_
    std::map<std::string, Function, std::less<>> functions_;
};

/// The architecture's name as the runtime gives it, "gfx90a:sramecc+:xnack-";
/// HSA_OVERRIDE_GFX_VERSION changes it. Throws Error.
std::string hip_arch(const HipRuntime &runtime, int device);

/// "AMD X is a gfx1033 ...; this build has kernels for gfx900 ... made by clang 19 (...)"
std::string hip_image_text(const HipRuntime &runtime, int device, const std::string &arch,
                           const KernelLibrary &kernels);

} // namespace vmafgpu
