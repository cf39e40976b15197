// SPDX-License-Identifier: BSD-2-Clause-Patent
// Our own declarations of the driver API (cuda_api.h) against NVIDIA's header,
// at compile time. Built only where cuda.h is found; linked into the CUDA tests.
#include <cstddef>
#include <cuda.h>
#include <type_traits>

#include "cuda/cuda_api.h"

namespace vmafgpu {

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
SAME(kCudaSuccess, CUDA_SUCCESS);
SAME(kCudaInvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME(kCudaOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME(kCudaNotInitialized, CUDA_ERROR_NOT_INITIALIZED);
SAME(kCudaStubLibrary, CUDA_ERROR_STUB_LIBRARY);
SAME(kCudaDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME(kCudaNoDevice, CUDA_ERROR_NO_DEVICE);
SAME(kCudaInvalidDevice, CUDA_ERROR_INVALID_DEVICE);
SAME(kCudaInvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME(kCudaInvalidContext, CUDA_ERROR_INVALID_CONTEXT);
SAME(kCudaNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME(kCudaInvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME(kCudaJitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME(kCudaUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(kCudaJitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME(kCudaOperatingSystem, CUDA_ERROR_OPERATING_SYSTEM);
SAME(kCudaUnknown, CUDA_ERROR_UNKNOWN);
SAME(kCudaImportOpaqueFd, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD);
SAME(kCudaInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
SAME(kCudaNotFound, CUDA_ERROR_NOT_FOUND);
SAME(kCudaNotReady, CUDA_ERROR_NOT_READY);
SAME(kCudaLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(kCudaNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME(kCudaSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
SAME(kCudaSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(kCudaCompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME(kCudaAttributeWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(kCudaAttributeMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(kCudaAttributeIntegrated, CU_DEVICE_ATTRIBUTE_INTEGRATED);
SAME(kCudaAttributeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(kCudaAttributeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(kCudaAttributeSingleToDouble, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
SAME(kCudaStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(kCudaEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
SAME(kCudaEventDisableTiming, CU_EVENT_DISABLE_TIMING);

// Handles and enumerations have other names over there; the sizes of all
// parameters in order are what the calling convention sees.
template <typename... A, typename... B>
constexpr bool same_call(CudaResult (*)(A...), CUresult (*)(B...))
{
    if constexpr (sizeof...(A) != sizeof...(B))
        return false;
    else
        return ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>)&&...);
}
static_assert(std::is_same_v<CudaPointer, CUdeviceptr>);

#define SAME_FIELD(ours, field, theirs, other)                                                     \
    static_assert(offsetof(ours, field) == offsetof(theirs, other) &&                              \
                  sizeof(ours::field) == sizeof(theirs::other))
using TheirDescription = CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
using TheirRange = CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
static_assert(sizeof(CudaImportDescription) == sizeof(TheirDescription));
SAME_FIELD(CudaImportDescription, type, TheirDescription, type);
SAME_FIELD(CudaImportDescription, handle, TheirDescription, handle);
SAME_FIELD(CudaImportDescription, bytes, TheirDescription, size);
SAME_FIELD(CudaImportDescription, flags, TheirDescription, flags);
static_assert(sizeof(CudaImportRange) == sizeof(TheirRange));
SAME_FIELD(CudaImportRange, offset, TheirRange, offset);
SAME_FIELD(CudaImportRange, bytes, TheirRange, size);
SAME_FIELD(CudaImportRange, flags, TheirRange, flags);
#define SAME_CALL(member, symbol, parameters)                                                      \
    static_assert(same_call(decltype(CudaApi::member){}, decltype(&::symbol){}), #symbol);
VMAFGPU_CUDA_CALLS(SAME_CALL)

} // namespace vmafgpu
