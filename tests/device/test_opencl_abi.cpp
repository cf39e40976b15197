// SPDX-License-Identifier: BSD-2-Clause-Patent
// Our own declarations of OpenCL (opencl_api.h) against Khronos' header, at compile time. Built
// only where that is found (Debian: opencl-c-headers).
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <type_traits>

#include "opencl/opencl_api.h"

namespace vmafgpu {

#define SAME(ours, theirs) static_assert(static_cast<int64_t>(ours) == static_cast<int64_t>(theirs))
SAME(kClSuccess, CL_SUCCESS);
SAME(kClDeviceNotFound, CL_DEVICE_NOT_FOUND);
SAME(kClDeviceNotAvailable, CL_DEVICE_NOT_AVAILABLE);
SAME(kClMemObjectAllocationFailure, CL_MEM_OBJECT_ALLOCATION_FAILURE);
SAME(kClOutOfResources, CL_OUT_OF_RESOURCES);
SAME(kClOutOfHostMemory, CL_OUT_OF_HOST_MEMORY);
SAME(kClBuildProgramFailure, CL_BUILD_PROGRAM_FAILURE);
SAME(kClFirstInvalidArgument, CL_INVALID_VALUE);
SAME(kClPlatformNotFound, CL_PLATFORM_NOT_FOUND_KHR);
SAME(kClDeviceTypeAll, CL_DEVICE_TYPE_ALL);
SAME(kClDeviceTypeCpu, CL_DEVICE_TYPE_CPU);
SAME(kClMemReadWrite, CL_MEM_READ_WRITE);
SAME(kClMemReadOnly, CL_MEM_READ_ONLY);
SAME(kClMemCopyHostPtr, CL_MEM_COPY_HOST_PTR);
#ifdef cl_ext_buffer_device_address // headers of 2025 and later
SAME(kClMemDevicePrivateAddressExt, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT);
SAME(kClMemDeviceAddressExt, CL_MEM_DEVICE_ADDRESS_EXT);
SAME(kClKernelExecInfoDevicePtrsExt, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT);
#endif
SAME(kClSvmCoarseBuffer, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
SAME(kClSvmFineSystem, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
SAME(kClFpDenorm, CL_FP_DENORM);
SAME(kClContextPlatform, CL_CONTEXT_PLATFORM);
SAME(kClDeviceType, CL_DEVICE_TYPE);
SAME(kClDeviceMaxComputeUnits, CL_DEVICE_MAX_COMPUTE_UNITS);
SAME(kClDeviceGlobalMemSize, CL_DEVICE_GLOBAL_MEM_SIZE);
SAME(kClDeviceLocalMemSize, CL_DEVICE_LOCAL_MEM_SIZE);
SAME(kClDeviceName, CL_DEVICE_NAME);
SAME(kClDeviceExtensions, CL_DEVICE_EXTENSIONS);
SAME(kClDeviceDoubleFpConfig, CL_DEVICE_DOUBLE_FP_CONFIG);
SAME(kClDeviceHostUnifiedMemory, CL_DEVICE_HOST_UNIFIED_MEMORY);
SAME(kClDeviceSvmCapabilities, CL_DEVICE_SVM_CAPABILITIES);
SAME(kClDeviceIlVersion, CL_DEVICE_IL_VERSION);
SAME(kClDeviceMaxNumSubGroups, CL_DEVICE_MAX_NUM_SUB_GROUPS);
SAME(kClDeviceSubGroupSizesIntel, CL_DEVICE_SUB_GROUP_SIZES_INTEL);
SAME(kClDevicePciBusInfoKhr, CL_DEVICE_PCI_BUS_INFO_KHR);
SAME(kClKernelWorkGroupSize, CL_KERNEL_WORK_GROUP_SIZE);
SAME(kClKernelLocalMemSize, CL_KERNEL_LOCAL_MEM_SIZE);
SAME(kClKernelMaxSubGroupSize, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE);
SAME(kClKernelExecInfoSvmPtrs, CL_KERNEL_EXEC_INFO_SVM_PTRS);
SAME(kClEventExecutionStatus, CL_EVENT_COMMAND_EXECUTION_STATUS);
SAME(kClProgramBuildLog, CL_PROGRAM_BUILD_LOG);
static_assert(sizeof(ClPciBusInfo) == sizeof(cl_device_pci_bus_info_khr));

// Handles have other names over there; the sizes of all parameters in order, and of the result, are
// what the calling convention sees.
template <typename T> constexpr size_t size_of()
{
    if constexpr (std::is_void_v<T>)
        return 0;
    else
        return sizeof(T);
}
template <typename R, typename... A, typename S, typename... B>
constexpr bool same_call(R (*)(A...), S (*)(B...))
{
    if constexpr (sizeof...(A) != sizeof...(B))
        return false;
    else
        return size_of<R>() == size_of<S>() &&
               ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>)&&...);
}
#define SAME_CALL(result, member, symbol, parameters)                                              \
    static_assert(same_call(decltype(ClApi::member){}, decltype(&::symbol){}), #symbol);
VMAFGPU_OPENCL_CALLS(SAME_CALL)

} // namespace vmafgpu
