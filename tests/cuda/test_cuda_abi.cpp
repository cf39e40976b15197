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
SAME(kCudaInvalidHandle, CUDA_ERROR_INVALID_HANDLE);
SAME(kCudaNotFound, CUDA_ERROR_NOT_FOUND);
SAME(kCudaNotReady, CUDA_ERROR_NOT_READY);
SAME(kCudaLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME(kCudaNotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME(kCudaSystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
SAME(kCudaSystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME(kCudaCompatNotSupportedOnDevice, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME(kCudaAttributeWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(kCudaAttributeMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(kCudaAttributeMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(kCudaAttributeMaxSharedOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(kCudaFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(kCudaPointerMemoryType, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(kCudaMemoryHost, CU_MEMORYTYPE_HOST);
SAME(kCudaMemoryDevice, CU_MEMORYTYPE_DEVICE);
SAME(kCudaStreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME(kCudaEventBlockingSync, CU_EVENT_BLOCKING_SYNC);
SAME(kCudaEventDisableTiming, CU_EVENT_DISABLE_TIMING);

SAME(sizeof(CudaCopy2d), sizeof(CUDA_MEMCPY2D));
#define SAME_FIELD(ours, theirs) SAME(offsetof(CudaCopy2d, ours), offsetof(CUDA_MEMCPY2D, theirs))
SAME_FIELD(source_type, srcMemoryType);
SAME_FIELD(source_host, srcHost);
SAME_FIELD(source_device, srcDevice);
SAME_FIELD(source_pitch, srcPitch);
SAME_FIELD(target_x, dstXInBytes);
SAME_FIELD(target_type, dstMemoryType);
SAME_FIELD(target_host, dstHost);
SAME_FIELD(target_device, dstDevice);
SAME_FIELD(target_pitch, dstPitch);
SAME_FIELD(width_bytes, WidthInBytes);
SAME_FIELD(height, Height);

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
#define SAME_CALL(member, symbol, parameters)                                                      \
    static_assert(same_call(decltype(CudaApi::member){}, decltype(&::symbol){}), #symbol);
VMAFGPU_CUDA_CALLS(SAME_CALL)

} // namespace vmafgpu
