// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HIP backend as test_driver_*.cpp sees it.
#include "driver_fixture.h"
#include "hip/hip_device.h"
#include "hip/hip_loader.h"

namespace vmafgpu {

const Vendor &vendor()
{
    static const Vendor hip = {"hip",
                               "HIP",
                               [] { return HipRuntime::get().library; },
                               hip_devices,
                               open_hip,
                               "hipGetDeviceCount",
                               "hipDeviceTotalMem",
                               "hipModuleLoadData",
                               "hipMalloc",
                               "hipHostMalloc",
                               "",
                               &Device::import_memory,
                               "hipImportExternalMemory",
                               "hipExternalMemoryGetMappedBuffer",
                               0,
                               {1}};
    return hip;
}

} // namespace vmafgpu
