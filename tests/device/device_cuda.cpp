// SPDX-License-Identifier: BSD-2-Clause-Patent
// The stand-in's devices are CUDA GPUs: what the HIP backend asks for is done by
// CUDA's driver, with the CUDA image of the kernel of the same name. See standin.h.
#include <cstdio>

#include "cuda/cuda_device.h"
#include "standin.h"

namespace vmafgpu {
namespace standin {

std::vector<VmafGpuDevice> list_devices()
{
    std::string why;
    std::vector<VmafGpuDevice> devices = cuda_devices(&why);
    if (devices.empty())
        std::fprintf(stderr, "standin: %s\n", why.c_str());
    return devices;
}

std::unique_ptr<Device> open_device(int ordinal)
{
    DeviceRequest request;
    request.selector = std::to_string(ordinal);
    return open_cuda(request);
}

size_t argument_bytes(const std::string &, size_t declared)
{
    return declared;
}

} // namespace standin
} // namespace vmafgpu
