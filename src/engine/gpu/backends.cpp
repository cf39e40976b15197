// SPDX-License-Identifier: BSD-2-Clause-Patent
// See backends.h. The only file that names all backends; the macros come from
// src/engine/{cuda,hip,opencl,emu}/meson.build.
#include "gpu/backends.h"

#include <cerrno>
#include <exception>

#include "base/error.h"
#include "gpu/selftest.h"
#ifdef VMAFGPU_HAVE_CUDA
#include "cuda/cuda_device.h"
#endif
#ifdef VMAFGPU_HAVE_HIP
#include "hip/hip_device.h"
#endif
#ifdef VMAFGPU_HAVE_OPENCL
#include "opencl/opencl_device.h"
#endif
#ifdef VMAFGPU_HAVE_EMU
#include "emu/emu_device.h"
#endif

namespace vmafgpu {

namespace {

/// Returns true if the device cannot run. Failures of calls do not count: the user has to know
/// them, also if another device would do.
bool cannot_run(const Error &error)
{
    return error.code() == ENODEV || dynamic_cast<const SelfTestError *>(&error) != nullptr;
}

} // namespace

std::unique_ptr<Device> Backend::open(const DeviceRequest &request) const
{
    DeviceRequest next = request;
    std::string chosen;
    next.chosen = &chosen;
    std::vector<std::string> passed_over;
    std::exception_ptr latest;
    for (;;) {
        chosen.clear();
        try {
            std::unique_ptr<Device> device = open_untested(next);
            if (request.self_test)
                run_selftest(*device);
            for (const std::string &text : passed_over)
                request.log(VMAFGPU_LOG_WARNING, text);
            return device;
        } catch (const Error &error) {
            if (chosen.empty() && latest != nullptr) // no other device is left to try
                std::rethrow_exception(latest);
            if (!request.selector.empty() || request.native_context != nullptr || chosen.empty() ||
                !cannot_run(error))
                throw;
            latest = std::current_exception();
            next.except.push_back(chosen);
            passed_over.push_back(chosen + " is passed over: " + error.what());
        }
    }
}

const std::vector<Backend> &backends()
{
    static const std::vector<Backend> list = {
#ifdef VMAFGPU_HAVE_CUDA
        {"cuda", find_cuda_devices, open_cuda, true},
#endif
#ifdef VMAFGPU_HAVE_HIP
        {"hip", find_hip_devices, open_hip, true},
#endif
#ifdef VMAFGPU_HAVE_OPENCL
        {"opencl", find_opencl_devices, open_opencl, false},
#endif
#ifdef VMAFGPU_HAVE_EMU
        {"emu32", find_emu32, open_emu32, false},
        {"emu64", find_emu64, open_emu64, false},
#endif
    };
    return list;
}

} // namespace vmafgpu
