// SPDX-License-Identifier: BSD-2-Clause-Patent
// The CUDA backend as the shared tests of tests/driver see it.
#include "../driver/driver_fixture.h"
#include "cuda/cuda_device.h"
#include "cuda/cuda_loader.h"

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
                                "cuCtxPushCurrent"};
    return cuda;
}

} // namespace vmafgpu
