// SPDX-License-Identifier: BSD-2-Clause-Patent
// The entry points, types and numbers of the CUDA driver API that this backend uses.
// They are declared here, so that building needs no CUDA header;
// tests/device/test_cuda_abi.cpp compares them with cuda.h where there is one. Not here:
// loading them (cuda_loader.h).
#pragma once

#include <cstddef>

#include "cuda_hip/call_name.h"

namespace vmafgpu {

/// The results that the backend distinguishes: CUDA_SUCCESS, CUDA_ERROR_...
enum CudaResult : int {
    kCudaSuccess = 0,
    kCudaInvalidValue = 1,
    kCudaOutOfMemory = 2,
    kCudaNotInitialized = 3,
    kCudaStubLibrary = 34,
    kCudaNeedsNewerDriver = 36,
    kCudaDeviceUnavailable = 46,
    kCudaNoDevice = 100,
    kCudaInvalidDevice = 101,
    kCudaInvalidImage = 200,
    kCudaInvalidContext = 201,
    kCudaNoBinaryForGpu = 209,
    kCudaInvalidPtx = 218,
    kCudaJitCompilerNotFound = 221,
    kCudaUnsupportedPtxVersion = 222,
    kCudaJitCompilationDisabled = 223,
    kCudaOperatingSystem = 304,
    kCudaInvalidHandle = 400,
    kCudaNotFound = 500,
    kCudaNotReady = 600,
    kCudaLaunchOutOfResources = 701,
    kCudaNotSupported = 801,
    kCudaSystemNotReady = 802,
    kCudaSystemDriverMismatch = 803,
    kCudaCompatNotSupportedOnDevice = 804,
    kCudaUnknown = 999,
};

using CudaDeviceId = int;
using CudaPointer = unsigned long long;
using CudaContextHandle = struct CudaContextTag *;
using CudaModuleHandle = struct CudaModuleTag *;
using CudaFunctionHandle = struct CudaFunctionTag *;
using CudaStreamHandle = struct CudaStreamTag *;
using CudaEventHandle = struct CudaEventTag *;
using CudaImportHandle = struct CudaImportTag *;

constexpr int kCudaAttributeWarpSize = 10;
constexpr int kCudaAttributeMultiprocessors = 16;
constexpr int kCudaAttributeIntegrated = 18;
constexpr int kCudaAttributeMajor = 75;
constexpr int kCudaAttributeMinor = 76;
constexpr int kCudaAttributeSingleToDouble = 87; ///< how many times as fast float arithmetic is
constexpr unsigned kCudaStreamNonBlocking = 1;
constexpr unsigned kCudaEventBlockingSync = 1;
constexpr unsigned kCudaEventDisableTiming = 2;
constexpr int kCudaImportOpaqueFd = 1;

/// CUDA_EXTERNAL_MEMORY_HANDLE_DESC
struct CudaImportDescription {
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

/// CUDA_EXTERNAL_MEMORY_BUFFER_DESC
struct CudaImportRange {
    unsigned long long offset, bytes;
    unsigned flags;
    unsigned reserved[16];
};

/// X(member, exported symbol, parameters): every entry point that must exist.
/// The _v2 names are those that the 64-bit headers of CUDA 11 and later use.
#define VMAFGPU_CUDA_CALLS(X)                                                                      \
    X(init, cuInit, (unsigned flags))                                                              \
    X(driver_version, cuDriverGetVersion, (int *version))                                          \
    X(error_name, cuGetErrorName, (CudaResult result, const char **text))                          \
    X(error_string, cuGetErrorString, (CudaResult result, const char **text))                      \
    X(device_count, cuDeviceGetCount, (int *count))                                                \
    X(device_get, cuDeviceGet, (CudaDeviceId * device, int ordinal))                               \
    X(device_name, cuDeviceGetName, (char *name, int size, CudaDeviceId device))                   \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, CudaDeviceId device))                   \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, CudaDeviceId device))    \
    X(device_pci_id, cuDeviceGetPCIBusId, (char *id, int size, CudaDeviceId device))               \
    X(primary_retain, cuDevicePrimaryCtxRetain, (CudaContextHandle * ctx, CudaDeviceId device))    \
    X(primary_release, cuDevicePrimaryCtxRelease_v2, (CudaDeviceId device))                        \
    X(context_push, cuCtxPushCurrent_v2, (CudaContextHandle ctx))                                  \
    X(context_pop, cuCtxPopCurrent_v2, (CudaContextHandle * ctx))                                  \
    X(context_device, cuCtxGetDevice, (CudaDeviceId * device))                                     \
    X(module_load, cuModuleLoadData, (CudaModuleHandle * module, const void *image))               \
    X(module_unload, cuModuleUnload, (CudaModuleHandle module))                                    \
    X(module_function, cuModuleGetFunction,                                                        \
      (CudaFunctionHandle * function, CudaModuleHandle module, const char *name))                  \
    X(launch, cuLaunchKernel,                                                                      \
      (CudaFunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,                \
       CudaStreamHandle stream, void **parameters, void **extra))                                  \
    X(mem_alloc, cuMemAlloc_v2, (CudaPointer * memory, size_t bytes))                              \
    X(mem_free, cuMemFree_v2, (CudaPointer memory))                                                \
    X(host_alloc, cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                   \
    X(host_free, cuMemFreeHost, (void *memory))                                                    \
    X(upload, cuMemcpyHtoDAsync_v2,                                                                \
      (CudaPointer to, const void *from, size_t bytes, CudaStreamHandle stream))                   \
    X(download, cuMemcpyDtoHAsync_v2,                                                              \
      (void *to, CudaPointer from, size_t bytes, CudaStreamHandle stream))                         \
    X(fill, cuMemsetD8Async,                                                                       \
      (CudaPointer to, unsigned char byte, size_t bytes, CudaStreamHandle stream))                 \
    X(stream_create, cuStreamCreateWithPriority,                                                   \
      (CudaStreamHandle * stream, unsigned flags, int priority))                                   \
    X(stream_destroy, cuStreamDestroy_v2, (CudaStreamHandle stream))                               \
    X(stream_sync, cuStreamSynchronize, (CudaStreamHandle stream))                                 \
    X(stream_wait, cuStreamWaitEvent,                                                              \
      (CudaStreamHandle stream, CudaEventHandle event, unsigned flags))                            \
    X(event_create, cuEventCreate, (CudaEventHandle * event, unsigned flags))                      \
    X(event_destroy, cuEventDestroy_v2, (CudaEventHandle event))                                   \
    X(event_record, cuEventRecord, (CudaEventHandle event, CudaStreamHandle stream))               \
    X(event_query, cuEventQuery, (CudaEventHandle event))                                          \
    X(event_sync, cuEventSynchronize, (CudaEventHandle event))                                     \
    X(import, cuImportExternalMemory,                                                              \
      (CudaImportHandle * import, const CudaImportDescription *description))                       \
    X(import_map, cuExternalMemoryGetMappedBuffer,                                                 \
      (CudaPointer * memory, CudaImportHandle import, const CudaImportRange *range))               \
    X(import_destroy, cuDestroyExternalMemory, (CudaImportHandle import))

/// The driver's entry points.
struct CudaApi {
#define VMAFGPU_CUDA_MEMBER(member, symbol, parameters) CudaResult(*member) parameters = nullptr;
    VMAFGPU_CUDA_CALLS(VMAFGPU_CUDA_MEMBER)
#undef VMAFGPU_CUDA_MEMBER
    /// Byte offset and size of a kernel's parameter. Null before driver 550.
    CudaResult (*parameter_info)(CudaFunctionHandle function, size_t index, size_t *offset,
                                 size_t *size) = nullptr;
};

/// Names of the calls in error texts.
struct CudaCalls {
#define VMAFGPU_CUDA_NAME(member, symbol, parameters)                                              \
    static constexpr std::string_view member = call_name(#symbol);
    VMAFGPU_CUDA_CALLS(VMAFGPU_CUDA_NAME)
#undef VMAFGPU_CUDA_NAME
};

} // namespace vmafgpu
