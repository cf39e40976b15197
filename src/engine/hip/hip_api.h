// SPDX-License-Identifier: BSD-2-Clause-Patent
// The entry points, types and numbers of AMD's HIP runtime that this backend uses. They
// are declared here, so that building needs no ROCm header, and each means the same in
// versions 5, 6 and 7; tests/device/test_hip_abi.cpp compares them with hip_runtime_api.h
// where there is one. Not here: loading them (hip_loader.h).
#pragma once

#include <cstddef>

#include "cuda_hip/call_name.h"

namespace vmafgpu {

/// The results that the backend distinguishes: hipSuccess, hipError...
enum HipResult : int {
    kHipSuccess = 0,
    kHipInvalidValue = 1,
    kHipOutOfMemory = 2,
    kHipNotInitialized = 3,
    kHipInvalidConfiguration = 9,
    kHipInvalidPitchValue = 12,
    kHipInvalidDevicePointer = 17,
    kHipInvalidMemcpyDirection = 21,
    kHipInsufficientDriver = 35,
    kHipInvalidDeviceFunction = 98,
    kHipNoDevice = 100,
    kHipInvalidDevice = 101,
    kHipInvalidImage = 200,
    kHipInvalidContext = 201,
    kHipNoBinaryForGpu = 209,
    kHipInvalidKernelFile = 218,
    kHipSharedObjectInitFailed = 303,
    kHipInvalidHandle = 400,
    kHipNotFound = 500,
    kHipNotReady = 600,
    kHipIllegalAddress = 700,
    kHipLaunchOutOfResources = 701,
    kHipLaunchFailure = 719,
    kHipNotSupported = 801,
    kHipUnknown = 999,
};

using HipModuleHandle = struct HipModuleTag *;
using HipFunctionHandle = struct HipFunctionTag *;
using HipStreamHandle = struct HipStreamTag *;
using HipEventHandle = struct HipEventTag *;
using HipImportHandle = void *;

// hipDeviceAttribute_t
constexpr int kHipAttributeIntegrated = 16;
constexpr int kHipAttributeMultiprocessors = 63;

constexpr unsigned kHipStreamNonBlocking = 1;
constexpr unsigned kHipEventBlockingSync = 1;
constexpr unsigned kHipEventDisableTiming = 2;
constexpr int kHipImportOpaqueFd = 1;

/// hipExternalMemoryHandleDesc; 6.0 made it longer, with the same fields.
struct HipImportDescription {
    int type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
    } handle;
    unsigned long long bytes;
    unsigned flags;
    unsigned reserved[16];
};

/// hipExternalMemoryBufferDesc; 6.0 made it longer, with the same fields.
struct HipImportRange {
    unsigned long long offset, bytes;
    unsigned flags;
    unsigned reserved[16];
};

// hipDeviceProp_t has two layouts. hipGetDeviceProperties fills that of 5.x, in 6 and 7
// too, for old programs; hipGetDevicePropertiesR0600 fills that of 6.0. The backend reads
// only gcnArchName, which no other call gives; it has 256 characters in both.
constexpr size_t kHipArchOffset5 = 396;
constexpr size_t kHipArchOffset6 = 1160;
/// More than any version's hipDeviceProp_t (792 and 1,472 bytes).
struct alignas(16) HipProperties {
    char bytes[8192];
};

/// X(member, exported symbol, parameters): every entry point that must exist.
#define VMAFGPU_HIP_CALLS(X)                                                                       \
    X(init, hipInit, (unsigned flags))                                                             \
    X(runtime_version, hipRuntimeGetVersion, (int *version))                                       \
    X(device_count, hipGetDeviceCount, (int *count))                                               \
    X(device_name, hipDeviceGetName, (char *name, int size, int device))                           \
    X(device_memory, hipDeviceTotalMem, (size_t * bytes, int device))                              \
    X(device_pci_id, hipDeviceGetPCIBusId, (char *id, int size, int device))                       \
    X(device_attribute, hipDeviceGetAttribute, (int *value, int attribute, int device))            \
    X(device_properties, hipGetDeviceProperties, (HipProperties * properties, int device))         \
    X(get_device, hipGetDevice, (int *device))                                                     \
    X(set_device, hipSetDevice, (int device))                                                      \
    X(module_load, hipModuleLoadData, (HipModuleHandle * module, const void *image))               \
    X(module_unload, hipModuleUnload, (HipModuleHandle module))                                    \
    X(module_function, hipModuleGetFunction,                                                       \
      (HipFunctionHandle * function, HipModuleHandle module, const char *name))                    \
    X(launch, hipModuleLaunchKernel,                                                               \
      (HipFunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,              \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
       HipStreamHandle stream, void **parameters, void **extra))                                   \
    X(mem_alloc, hipMalloc, (void **memory, size_t bytes))                                         \
    X(mem_free, hipFree, (void *memory))                                                           \
    X(host_alloc, hipHostMalloc, (void **memory, size_t bytes, unsigned flags))                    \
    X(host_free, hipHostFree, (void *memory))                                                      \
    X(upload, hipMemcpyHtoDAsync, (void *to, void *from, size_t bytes, HipStreamHandle stream))    \
    X(download, hipMemcpyDtoHAsync, (void *to, void *from, size_t bytes, HipStreamHandle stream))  \
    X(fill, hipMemsetAsync, (void *to, int byte, size_t bytes, HipStreamHandle stream))            \
    X(stream_create, hipStreamCreateWithPriority,                                                  \
      (HipStreamHandle * stream, unsigned flags, int priority))                                    \
    X(stream_destroy, hipStreamDestroy, (HipStreamHandle stream))                                  \
    X(stream_sync, hipStreamSynchronize, (HipStreamHandle stream))                                 \
    X(stream_wait, hipStreamWaitEvent,                                                             \
      (HipStreamHandle stream, HipEventHandle event, unsigned flags))                              \
    X(event_create, hipEventCreateWithFlags, (HipEventHandle * event, unsigned flags))             \
    X(event_destroy, hipEventDestroy, (HipEventHandle event))                                      \
    X(event_record, hipEventRecord, (HipEventHandle event, HipStreamHandle stream))                \
    X(event_query, hipEventQuery, (HipEventHandle event))                                          \
    X(event_sync, hipEventSynchronize, (HipEventHandle event))                                     \
    X(import, hipImportExternalMemory,                                                             \
      (HipImportHandle * import, const HipImportDescription *description))                         \
    X(import_map, hipExternalMemoryGetMappedBuffer,                                                \
      (void **memory, HipImportHandle import, const HipImportRange *range))                        \
    X(import_destroy, hipDestroyExternalMemory, (HipImportHandle import))

/// The runtime's entry points.
struct HipApi {
#define VMAFGPU_HIP_MEMBER(member, symbol, parameters) HipResult(*member) parameters = nullptr;
    VMAFGPU_HIP_CALLS(VMAFGPU_HIP_MEMBER)
#undef VMAFGPU_HIP_MEMBER
    const char *(*error_name)(HipResult result) = nullptr;   ///< hipGetErrorName
    const char *(*error_string)(HipResult result) = nullptr; ///< hipGetErrorString
    /// hipGetDevicePropertiesR0600. Null before 6.0.
    HipResult (*device_properties6)(HipProperties *properties, int device) = nullptr;
};

/// What error texts call them.
struct HipCalls {
#define VMAFGPU_HIP_NAME(member, symbol, parameters)                                               \
    static constexpr std::string_view member = call_name(#symbol);
    VMAFGPU_HIP_CALLS(VMAFGPU_HIP_NAME)
#undef VMAFGPU_HIP_NAME
};

} // namespace vmafgpu
