// SPDX-License-Identifier: BSD-2-Clause-Patent
// The entry points, types and numbers of OpenCL 3.0 that this backend uses. They are declared here,
// so that building needs no header of Khronos; tests/device/test_opencl_abi.cpp compares them with
// CL/cl.h where there is one. Not here: loading them (opencl_loader.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_hip/call_name.h"

namespace vmafgpu {

/// The results that the backend distinguishes: CL_SUCCESS, CL_...
enum ClResult : int32_t {
    kClSuccess = 0,
    kClDeviceNotFound = -1,
    kClDeviceNotAvailable = -2,
    kClMemObjectAllocationFailure = -4,
    kClOutOfResources = -5,
    kClOutOfHostMemory = -6,
    kClBuildProgramFailure = -11,
    kClFirstInvalidArgument = -30, ///< CL_INVALID_VALUE; the codes below it are of the same kind
    kClPlatformNotFound = -1001,   ///< the loader finds no driver (CL_PLATFORM_NOT_FOUND_KHR)
};

using ClPlatform = struct ClPlatformTag *;
using ClDevice = struct ClDeviceTag *;
using ClContextHandle = struct ClContextTag *;
using ClQueueHandle = struct ClQueueTag *;
using ClProgram = struct ClProgramTag *;
using ClKernel = struct ClKernelTag *;
using ClMemory = struct ClMemoryTag *;
using ClEventHandle = struct ClEventTag *;

constexpr uint64_t kClDeviceTypeAll = 0xffffffff, kClDeviceTypeCpu = 1 << 1;
constexpr uint64_t kClMemReadWrite = 1 << 0, kClMemReadOnly = 1 << 2, kClMemCopyHostPtr = 1 << 5;
// cl_ext_buffer_device_address
constexpr uint64_t kClMemDevicePrivateAddressExt = 0x5000;
constexpr uint32_t kClMemDeviceAddressExt = 0x5001, kClKernelExecInfoDevicePtrsExt = 0x5002;
constexpr uint64_t kClSvmCoarseBuffer = 1 << 0, kClSvmFineSystem = 1 << 2;
constexpr uint64_t kClFpDenorm = 1 << 0;
constexpr intptr_t kClContextPlatform = 0x1084;
// What clGet...Info is asked for.
constexpr uint32_t kClDeviceType = 0x1000, kClDeviceMaxComputeUnits = 0x1002,
                   kClDeviceGlobalMemSize = 0x101f, kClDeviceLocalMemSize = 0x1023,
                   kClDeviceName = 0x102b, kClDeviceExtensions = 0x1030,
                   kClDeviceDoubleFpConfig = 0x1032, kClDeviceHostUnifiedMemory = 0x1035,
                   kClDeviceSvmCapabilities = 0x1053, kClDeviceIlVersion = 0x105b,
                   kClDeviceMaxNumSubGroups = 0x105c, kClDeviceSubGroupSizesIntel = 0x4108,
                   kClDevicePciBusInfoKhr = 0x410f;
constexpr uint32_t kClKernelWorkGroupSize = 0x11b0, kClKernelLocalMemSize = 0x11b2,
                   kClKernelMaxSubGroupSize = 0x2033, kClKernelExecInfoSvmPtrs = 0x11b6;
constexpr uint32_t kClEventExecutionStatus = 0x11d3;
constexpr uint32_t kClProgramBuildLog = 0x1183;

/// cl_device_pci_bus_info_khr
struct ClPciBusInfo {
    uint32_t domain, bus, device, function;
};

/// X(result, member, exported symbol, parameters): every entry point that must exist.
#define VMAFGPU_OPENCL_CALLS(X)                                                                    \
    X(ClResult, platform_ids, clGetPlatformIDs,                                                    \
      (uint32_t entries, ClPlatform * platforms, uint32_t * count))                                \
    X(ClResult, device_ids, clGetDeviceIDs,                                                        \
      (ClPlatform platform, uint64_t type, uint32_t entries, ClDevice * devices,                   \
       uint32_t * count))                                                                          \
    X(ClResult, device_info, clGetDeviceInfo,                                                      \
      (ClDevice device, uint32_t name, size_t bytes, void *value, size_t *needed))                 \
    X(ClContextHandle, create_context, clCreateContext,                                            \
      (const intptr_t *properties, uint32_t count, const ClDevice *devices, void *notify,          \
       void *user, ClResult *result))                                                              \
    X(ClResult, release_context, clReleaseContext, (ClContextHandle context))                      \
    X(ClQueueHandle, create_queue, clCreateCommandQueueWithProperties,                             \
      (ClContextHandle context, ClDevice device, const uint64_t *properties, ClResult *result))    \
    X(ClResult, release_queue, clReleaseCommandQueue, (ClQueueHandle queue))                       \
    X(ClResult, finish, clFinish, (ClQueueHandle queue))                                           \
    X(ClResult, flush, clFlush, (ClQueueHandle queue))                                             \
    X(ClProgram, create_program, clCreateProgramWithIL,                                            \
      (ClContextHandle context, const void *code, size_t bytes, ClResult *result))                 \
    X(ClResult, build_program, clBuildProgram,                                                     \
      (ClProgram program, uint32_t count, const ClDevice *devices, const char *options,            \
       void *notify, void *user))                                                                  \
    X(ClResult, build_info, clGetProgramBuildInfo,                                                 \
      (ClProgram program, ClDevice device, uint32_t name, size_t bytes, void *value,               \
       size_t *needed))                                                                            \
    X(ClResult, release_program, clReleaseProgram, (ClProgram program))                            \
    X(ClKernel, create_kernel, clCreateKernel,                                                     \
      (ClProgram program, const char *name, ClResult *result))                                     \
    X(ClResult, release_kernel, clReleaseKernel, (ClKernel kernel))                                \
    X(ClResult, kernel_info, clGetKernelWorkGroupInfo,                                             \
      (ClKernel kernel, ClDevice device, uint32_t name, size_t bytes, void *value,                 \
       size_t *needed))                                                                            \
    X(ClResult, sub_group_info, clGetKernelSubGroupInfo,                                           \
      (ClKernel kernel, ClDevice device, uint32_t name, size_t input_bytes, const void *input,     \
       size_t bytes, void *value, size_t *needed))                                                 \
    X(ClResult, set_argument, clSetKernelArg,                                                      \
      (ClKernel kernel, uint32_t index, size_t bytes, const void *value))                          \
    X(ClResult, set_exec_info, clSetKernelExecInfo,                                                \
      (ClKernel kernel, uint32_t name, size_t bytes, const void *value))                           \
    X(ClResult, launch, clEnqueueNDRangeKernel,                                                    \
      (ClQueueHandle queue, ClKernel kernel, uint32_t dimensions, const size_t *offset,            \
       const size_t *global, const size_t *local, uint32_t waits, const ClEventHandle *wait_list,  \
       ClEventHandle *event))                                                                      \
    X(ClMemory, create_buffer, clCreateBuffer,                                                     \
      (ClContextHandle context, uint64_t flags, size_t bytes, void *host, ClResult *result))       \
    X(ClMemory, create_buffer_with, clCreateBufferWithProperties,                                  \
      (ClContextHandle context, const uint64_t *properties, uint64_t flags, size_t bytes,          \
       void *host, ClResult *result))                                                              \
    X(ClResult, release_memory, clReleaseMemObject, (ClMemory memory))                             \
    X(ClResult, memory_info, clGetMemObjectInfo,                                                   \
      (ClMemory memory, uint32_t name, size_t bytes, void *value, size_t *needed))                 \
    X(ClResult, read_buffer, clEnqueueReadBuffer,                                                  \
      (ClQueueHandle queue, ClMemory buffer, uint32_t is_blocking, size_t offset, size_t bytes,    \
       void *to, uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event))            \
    X(ClResult, write_buffer, clEnqueueWriteBuffer,                                                \
      (ClQueueHandle queue, ClMemory buffer, uint32_t is_blocking, size_t offset, size_t bytes,    \
       const void *from, uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event))    \
    X(ClResult, fill_buffer, clEnqueueFillBuffer,                                                  \
      (ClQueueHandle queue, ClMemory buffer, const void *pattern, size_t pattern_bytes,            \
       size_t offset, size_t bytes, uint32_t waits, const ClEventHandle *wait_list,                \
       ClEventHandle *event))                                                                      \
    X(void *, svm_alloc, clSVMAlloc,                                                               \
      (ClContextHandle context, uint64_t flags, size_t bytes, uint32_t alignment))                 \
    X(void, svm_free, clSVMFree, (ClContextHandle context, void *memory))                          \
    X(ClResult, svm_copy, clEnqueueSVMMemcpy,                                                      \
      (ClQueueHandle queue, uint32_t is_blocking, void *to, const void *from, size_t bytes,        \
       uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event))                      \
    X(ClResult, svm_fill, clEnqueueSVMMemFill,                                                     \
      (ClQueueHandle queue, void *to, const void *pattern, size_t pattern_bytes, size_t bytes,     \
       uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event))                      \
    X(ClResult, marker, clEnqueueMarkerWithWaitList,                                               \
      (ClQueueHandle queue, uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event)) \
    X(ClResult, wait, clEnqueueBarrierWithWaitList,                                                \
      (ClQueueHandle queue, uint32_t waits, const ClEventHandle *wait_list, ClEventHandle *event)) \
    X(ClResult, event_info, clGetEventInfo,                                                        \
      (ClEventHandle event, uint32_t name, size_t bytes, void *value, size_t *needed))             \
    X(ClResult, event_sync, clWaitForEvents, (uint32_t count, const ClEventHandle *events))        \
    X(ClResult, release_event, clReleaseEvent, (ClEventHandle event))

/// The entry points of the ICD loader, libOpenCL.
struct ClApi {
#define VMAFGPU_OPENCL_MEMBER(result, member, symbol, parameters)                                  \
    result(*member) parameters = nullptr;
    VMAFGPU_OPENCL_CALLS(VMAFGPU_OPENCL_MEMBER)
#undef VMAFGPU_OPENCL_MEMBER
};

/// What error texts call them.
struct ClCalls {
#define VMAFGPU_OPENCL_NAME(result, member, symbol, parameters)                                    \
    static constexpr std::string_view member = call_name(#symbol);
    VMAFGPU_OPENCL_CALLS(VMAFGPU_OPENCL_NAME)
#undef VMAFGPU_OPENCL_NAME
};

} // namespace vmafgpu
