// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA backend as test_driver_*.cpp sees it.
#include "cuda/cuda_device.h"
#include "cuda/cuda_loader.h"
#include "driver_fixture.h"

namespace vmafgpu {

const Vendor &vendor()
{
    static const Vendor cuda = {"cuda",
                                "CUDA",
                                [] { return CudaDriver::get().library; },
                                cuda_devices,
                                open_cuda,
                                "",
                                "cuDeviceTotalMem",
                                "cuModuleLoadData",
                                "cuMemAlloc",
                                "cuMemHostAlloc",
                                "cuCtxPushCurrent",
                                &Device::import_vulkan,
                                "cuImportExternalMemory",
                                "cuExternalMemoryGetMappedBuffer",
                                1,
                                {1, 304, 999}};
    return cuda;
}

} // namespace vmafgpu
