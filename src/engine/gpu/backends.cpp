// SPDX-License-Identifier: BSD-2-Clause-Patent
// See backends.h. The only file that names all backends; the macros come from
// src/engine/{cuda,hip,emu}/meson.build.
#include "gpu/backends.h"

#ifdef VMAFGPU_HAVE_CUDA
#include "cuda/cuda_device.h"
#endif
#ifdef VMAFGPU_HAVE_HIP
#include "hip/hip_device.h"
#endif
#ifdef VMAFGPU_HAVE_EMU
#include "emu/emu_device.h"
#endif
#if defined(VMAFGPU_HAVE_CUDA) || defined(VMAFGPU_HAVE_HIP) || defined(VMAFGPU_HAVE_EMU)
#define VMAFGPU_HAVE_DEVICE
#include "gpu/selftest.h"
#endif

namespace vmafgpu {

#ifdef VMAFGPU_HAVE_DEVICE
namespace {

/// A backend's open function with the known-answer test behind it, so that no
/// backend can forget it.
template <std::unique_ptr<Device> (*Open)(const DeviceRequest &)>
std::unique_ptr<Device> open_tested(const DeviceRequest &request)
{
    std::unique_ptr<Device> device = Open(request);
    if (request.self_test)
        run_selftest(*device);
    return device;
}

} // namespace
#endif

const std::vector<Backend> &backends()
{
    static const std::vector<Backend> list = {
#ifdef VMAFGPU_HAVE_CUDA
        {"cuda", cuda_devices, open_tested<open_cuda>, true},
#endif
#ifdef VMAFGPU_HAVE_HIP
        {"hip", hip_devices, open_tested<open_hip>, true},
#endif
#ifdef VMAFGPU_HAVE_EMU
        {"emu32", emu32_devices, open_tested<open_emu32>, false},
        {"emu64", emu64_devices, open_tested<open_emu64>, false},
#endif
    };
    return list;
}

const std::array<KnownBackend, 4> &known_backends()
{
    static constexpr std::array<KnownBackend, 4> kList = {{
        {"cuda", "cuda", "build with -Dcuda=enabled (needs nvcc)", true},
        {"hip", "hip", "build with -Dhip=enabled (needs clang and lld)", true},
        {"emu32", "emu", "build with -Demu=true", false},
        {"emu64", "emu", "build with -Demu=true", false},
    }};
    return kList;
}

} // namespace vmafgpu
