// SPDX-License-Identifier: BSD-2-Clause-Patent
// Our own declarations of the HIP runtime (hip_api.h) against AMD's header, at
// compile time. Built only where that is found; scripts/ci/test-rocm.sh does it with
// those of several versions.
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DISABLE_CPP_FUNCTIONS__ 1 // the C functions alone
#include <cstddef>
#include <hip/hip_runtime_api.h>
#include <type_traits>

#include "hip/hip_api.h"

namespace vmafgpu {

#define SAME(ours, theirs) static_assert(static_cast<int>(ours) == static_cast<int>(theirs))
SAME(kHipSuccess, hipSuccess);
SAME(kHipInvalidValue, hipErrorInvalidValue);
SAME(kHipOutOfMemory, hipErrorOutOfMemory);
SAME(kHipNotInitialized, hipErrorNotInitialized);
SAME(kHipInvalidConfiguration, hipErrorInvalidConfiguration);
SAME(kHipInvalidPitchValue, hipErrorInvalidPitchValue);
SAME(kHipInvalidDevicePointer, hipErrorInvalidDevicePointer);
SAME(kHipInvalidMemcpyDirection, hipErrorInvalidMemcpyDirection);
SAME(kHipInsufficientDriver, hipErrorInsufficientDriver);
SAME(kHipInvalidDeviceFunction, hipErrorInvalidDeviceFunction);
SAME(kHipNoDevice, hipErrorNoDevice);
SAME(kHipInvalidDevice, hipErrorInvalidDevice);
SAME(kHipInvalidImage, hipErrorInvalidImage);
SAME(kHipInvalidContext, hipErrorInvalidContext);
SAME(kHipNoBinaryForGpu, hipErrorNoBinaryForGpu);
SAME(kHipInvalidKernelFile, hipErrorInvalidKernelFile);
SAME(kHipSharedObjectInitFailed, hipErrorSharedObjectInitFailed);
SAME(kHipInvalidHandle, hipErrorInvalidHandle);
SAME(kHipNotFound, hipErrorNotFound);
SAME(kHipNotReady, hipErrorNotReady);
SAME(kHipIllegalAddress, hipErrorIllegalAddress);
SAME(kHipLaunchOutOfResources, hipErrorLaunchOutOfResources);
SAME(kHipLaunchFailure, hipErrorLaunchFailure);
SAME(kHipNotSupported, hipErrorNotSupported);
SAME(kHipUnknown, hipErrorUnknown);
SAME(kHipStreamNonBlocking, hipStreamNonBlocking);
SAME(kHipEventBlockingSync, hipEventBlockingSync);
SAME(kHipEventDisableTiming, hipEventDisableTiming);
SAME(kHipAttributeIntegrated, hipDeviceAttributeIntegrated);
SAME(kHipAttributeMultiprocessors, hipDeviceAttributeMultiprocessorCount);
SAME(kHipImportOpaqueFd, hipExternalMemoryHandleTypeOpaqueFd);

static_assert(sizeof(HipImportDescription) >= sizeof(hipExternalMemoryHandleDesc));
static_assert(sizeof(HipImportRange) >= sizeof(hipExternalMemoryBufferDesc));
#define SAME_FIELD(type, ours, theirs_type, theirs)                                                \
    SAME(offsetof(type, ours), offsetof(theirs_type, theirs))
SAME_FIELD(HipImportDescription, type, hipExternalMemoryHandleDesc, type);
SAME_FIELD(HipImportDescription, handle, hipExternalMemoryHandleDesc, handle);
SAME_FIELD(HipImportDescription, bytes, hipExternalMemoryHandleDesc, size);
SAME_FIELD(HipImportDescription, flags, hipExternalMemoryHandleDesc, flags);
SAME_FIELD(HipImportRange, offset, hipExternalMemoryBufferDesc, offset);
SAME_FIELD(HipImportRange, bytes, hipExternalMemoryBufferDesc, size);
SAME_FIELD(HipImportRange, flags, hipExternalMemoryBufferDesc, flags);

// The header gives the layout of its own version.
constexpr size_t kArchOffset = offsetof(hipDeviceProp_t, gcnArchName);
#if HIP_VERSION_MAJOR >= 6
static_assert(kArchOffset == kHipArchOffset6);
#else
static_assert(kArchOffset == kHipArchOffset5);
#endif
static_assert(sizeof(hipDeviceProp_t::gcnArchName) == 256);
static_assert(sizeof(HipProperties) >= 2 * sizeof(hipDeviceProp_t));

// Handles and enumerations have other names over there; the sizes of all
// parameters in order are what the calling convention sees.
template <typename... A, typename... B>
constexpr bool same_call(HipResult (*)(A...), hipError_t (*)(B...))
{
    if constexpr (sizeof...(A) != sizeof...(B))
        return false;
    else
        return ((sizeof(A) == sizeof(B) && std::is_pointer_v<A> == std::is_pointer_v<B>)&&...);
}
#define SAME_CALL(member, symbol, parameters)                                                      \
    static_assert(same_call(decltype(HipApi::member){}, decltype(&::symbol){}), #symbol);
VMAFGPU_HIP_CALLS(SAME_CALL)

} // namespace vmafgpu
