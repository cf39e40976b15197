// SPDX-License-Identifier: BSD-2-Clause-Patent
// The entry points of the CUDA driver that src/engine/cuda uses, and some that tests use
// as an application would. Contexts are as the driver has them: primary ones are counted,
// each thread has a stack, and what is left in a context goes with it. What is the same
// in HIP is in entry.cpp. See standin.h.

#include "cuda/cuda_api.h"
#include "cuda/cuda_policy.h"
#include "cuda_code.h"
#include "cuda_import.h"
#include "entry.h"
#include "simt/kernel_registry.h"

using namespace vmafgpu;
using namespace vmafgpu::standin;

namespace {

constexpr int kWave = 32;
// A driver's numbers of devices are not their ordinals by any promise.
constexpr int kFirstDeviceId = 40;

struct Context {
    int place;
    int ordinal;
    int retained; ///< how often a primary context is retained
};

struct Contexts {
    std::map<int, Context *> primary; ///< primary contexts by ordinal
    int next_place = 0;
};

Contexts &contexts()
{
    static auto *const instance = new Contexts;
    return *instance;
}

std::vector<Context *> &stack()
{
    thread_local std::vector<Context *> instance;
    return instance;
}

template <typename Handle> void **out(Handle *handle)
{
    return reinterpret_cast<void **>(handle);
}

CudaResult result(int code)
{
    return static_cast<CudaResult>(code);
}

Context *context_of(CudaContextHandle handle)
{
    return place_of(Kind::kContext, handle) != kNowhere ? reinterpret_cast<Context *>(handle)
                                                        : nullptr;
}

Context *new_context(int ordinal)
{
    auto *context = new Context{contexts().next_place++, ordinal, 0};
    state().places[context->place].ordinal = ordinal;
    add(Kind::kContext, context, context->place);
    return context;
}

void end_context(Context *context)
{
    remove(Kind::kContext, context);
    const auto place = state().places.find(context->place);
    for (const auto &[kind, handle] : take_all_of(context->place))
        destroy(kind, handle, device_at(context->place));
    place->second.null_stream.reset();
    state().places.erase(place);
    delete context;
}

int ordinal_of(CudaDeviceId id)
{
    return id - kFirstDeviceId;
}

int load(void **module, const void *image, int place)
{
    const char *name = "cuModuleLoadData";
    const size_t bytes = image_bytes(image);
    if (bytes == 0)
        return kInvalidImage;
    // The kernels that will run are this library's: those of another build may be others.
    const KernelBlob *blob = blob_of(image, bytes);
    if (!blob)
        return misused(name, "code of another build than the stand-in's", kInvalidImage);
    const int capability = capability_of(state().places.at(place).ordinal);
    if (!runs(*blob, capability))
        return misused(name, std::string(blob->name) + ": no code for this device",
                       kNoBinaryForGpu);
    auto loaded = std::make_unique<Module>();
    loaded->place = place;
    for (const auto *kernel = emu::first_kernel(); kernel != nullptr; kernel = kernel->next)
        if (cuda_source_name(*blob) == kernel->module)
            loaded->functions[kernel->name] = {place, kernel->name, kernel->args_bytes};
    if (loaded->functions.empty())
        return misused(name, std::string(blob->name) + ": no kernel in it", kInvalidImage);
    add(Kind::kModule, loaded.get(), place);
    *module = loaded.release();
    return kSuccess;
}

} // namespace

int vmafgpu::standin::here()
{
    return stack().empty() ? kNowhere : stack().back()->place;
}

int vmafgpu::standin::wave_size()
{
    return kWave;
}

STANDIN_ENTRY CudaResult cuInit(unsigned)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    const int code = initialise("cuInit");
    return result(code == kSuccess && state().devices.empty() ? kNoDevice : code);
}

STANDIN_ENTRY CudaResult cuDriverGetVersion(int *version)
{
    return result(call("cuDriverGetVersion", [&] {
        *version = number_setting("VMAFGPU_STANDIN_CUDA_VERSION", 13000);
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuGetErrorName(CudaResult code, const char **text)
{
    switch (static_cast<int>(code)) {
    case kInvalidValue:
        *text = "CUDA_ERROR_INVALID_VALUE";
        break;
    case kOutOfMemory:
        *text = "CUDA_ERROR_OUT_OF_MEMORY";
        break;
    case kNoDevice:
        *text = "CUDA_ERROR_NO_DEVICE";
        break;
    case kLaunchFailure:
        *text = "CUDA_ERROR_LAUNCH_FAILED";
        break;
    default:
        *text = "CUDA_ERROR_OTHER";
    }
    return kCudaSuccess;
}

STANDIN_ENTRY CudaResult cuGetErrorString(CudaResult code, const char **text)
{
    thread_local char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "stand-in's error %d", static_cast<int>(code));
    *text = buffer;
    return kCudaSuccess;
}

STANDIN_FORWARD(CudaResult, cuDeviceGetCount, (int *count), device_count("cuDeviceGetCount", count))

STANDIN_ENTRY CudaResult cuDeviceGet(CudaDeviceId *id, int ordinal)
{
    return result(call_about("cuDeviceGet", ordinal,
                             [&](const VmafGpuDevice &) { *id = kFirstDeviceId + ordinal; }));
}

STANDIN_FORWARD(CudaResult, cuDeviceGetName, (char *name, int size, CudaDeviceId id),
                device_name("cuDeviceGetName", name, size, ordinal_of(id)))
STANDIN_FORWARD(CudaResult, cuDeviceTotalMem_v2, (size_t * bytes, CudaDeviceId id),
                device_memory("cuDeviceTotalMem", bytes, ordinal_of(id)))

STANDIN_ENTRY CudaResult cuDeviceGetAttribute(int *value, int attribute, CudaDeviceId id)
{
    const char *name = "cuDeviceGetAttribute";
    return result(call_about(name, ordinal_of(id), [&](const VmafGpuDevice &) {
        switch (attribute) {
        case kCudaAttributeWarpSize:
            *value = kWave;
            break;
        case kCudaAttributeMultiprocessors:
            *value = units_of(ordinal_of(id));
            break;
        case kCudaAttributeIntegrated:
            *value = is_integrated(ordinal_of(id));
            break;
        case kCudaAttributeMajor:
            *value = capability_of(ordinal_of(id)) / 10;
            break;
        case kCudaAttributeMinor:
            *value = capability_of(ordinal_of(id)) % 10;
            break;
        case kCudaAttributeSingleToDouble: // as real devices answer: 8.0 and 9.0 are for computing
            *value = capability_of(ordinal_of(id)) % 10 == 0 ? 2 : 64;
            break;
        default:
            misused(name, "unexpected attribute", kInvalidValue);
        }
    }));
}

STANDIN_FORWARD(CudaResult, cuDeviceGetPCIBusId, (char *id, int size, CudaDeviceId device),
                device_pci_id("cuDeviceGetPCIBusId", id, size, ordinal_of(device)))

STANDIN_ENTRY CudaResult cuDevicePrimaryCtxRetain(CudaContextHandle *handle, CudaDeviceId id)
{
    const int ordinal = ordinal_of(id);
    return result(call_about("cuDevicePrimaryCtxRetain", ordinal, [&](const VmafGpuDevice &) {
        Context *&context = contexts().primary[ordinal];
        if (context == nullptr)
            context = new_context(ordinal);
        ++context->retained;
        *handle = reinterpret_cast<CudaContextHandle>(context);
    }));
}

STANDIN_ENTRY CudaResult cuDevicePrimaryCtxRelease_v2(CudaDeviceId id)
{
    const char *name = "cuDevicePrimaryCtxRelease";
    return result(call(
        name,
        [&]() -> int {
            Context *&context = contexts().primary[ordinal_of(id)];
            if (context == nullptr)
                return misused(name, "released more often than retained", kInvalidContext);
            if (--context->retained == 0) {
                end_context(context);
                context = nullptr;
            }
            return kSuccess;
        },
        true));
}

STANDIN_ENTRY CudaResult cuCtxPushCurrent_v2(CudaContextHandle handle)
{
    return result(call("cuCtxPushCurrent", [&]() -> int {
        Context *context = context_of(handle);
        if (context == nullptr)
            return misused("cuCtxPushCurrent", "no such context", kInvalidContext);
        stack().push_back(context);
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuCtxPopCurrent_v2(CudaContextHandle *handle)
{
    return result(call(
        "cuCtxPopCurrent",
        [&]() -> int {
            if (stack().empty())
                return misused("cuCtxPopCurrent", "no current context", kInvalidContext);
            *handle = reinterpret_cast<CudaContextHandle>(stack().back());
            stack().pop_back();
            return kSuccess;
        },
        true));
}

STANDIN_ENTRY CudaResult cuCtxGetDevice(CudaDeviceId *id)
{
    return result(call_here("cuCtxGetDevice", [&](int place) {
        *id = kFirstDeviceId + state().places.at(place).ordinal;
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuModuleLoadData(CudaModuleHandle *module, const void *image)
{
    return result(
        call_here("cuModuleLoadData", [&](int place) { return load(out(module), image, place); }));
}

STANDIN_FORWARD(CudaResult, cuModuleUnload, (CudaModuleHandle module),
                module_unload("cuModuleUnload", module))
STANDIN_FORWARD(CudaResult, cuModuleGetFunction,
                (CudaFunctionHandle * function, CudaModuleHandle module, const char *name),
                module_function("cuModuleGetFunction", out(function), module, name))

STANDIN_ENTRY CudaResult cuFuncGetParamInfo(CudaFunctionHandle function, size_t index,
                                            size_t *offset, size_t *bytes)
{
    return result(call_here("cuFuncGetParamInfo", [&](int /*place*/) -> int {
        const size_t own = reinterpret_cast<const Function *>(function)->argument_bytes;
        if (index > 1)
            return kInvalidValue;
        *offset = index == 0 ? 0 : own;
        *bytes = index == 0 ? own : sizeof(void *);
        return kSuccess;
    }));
}

STANDIN_FORWARD(CudaResult, cuLaunchKernel,
                (CudaFunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                 CudaStreamHandle stream, void **parameters, void **),
                launch("cuLaunchKernel", function, {grid_x, grid_y, grid_z},
                       {block_x, block_y, block_z}, shared, stream, parameters))
STANDIN_FORWARD(CudaResult, cuMemAlloc_v2, (CudaPointer * memory, size_t bytes),
                mem_alloc("cuMemAlloc", out(memory), bytes))

STANDIN_ENTRY CudaResult cuMemFree_v2(CudaPointer memory)
{
    if (!is_import(CudaPolicy::memory(memory)))
        return result(mem_free("cuMemFree", CudaPolicy::memory(memory)));
    return result(unmap_import(CudaPolicy::memory(memory)));
}

STANDIN_FORWARD(CudaResult, cuMemHostAlloc, (void **memory, size_t bytes, unsigned),
                host_alloc("cuMemHostAlloc", memory, bytes))
STANDIN_FORWARD(CudaResult, cuMemFreeHost, (void *memory), host_free("cuMemFreeHost", memory))
STANDIN_FORWARD(CudaResult, cuMemcpyHtoDAsync_v2,
                (CudaPointer to, const void *from, size_t bytes, CudaStreamHandle stream),
                upload("cuMemcpyHtoDAsync", CudaPolicy::memory(to), from, bytes, stream))
STANDIN_FORWARD(CudaResult, cuMemcpyDtoHAsync_v2,
                (void *to, CudaPointer from, size_t bytes, CudaStreamHandle stream),
                download("cuMemcpyDtoHAsync", to, CudaPolicy::memory(from), bytes, stream))
STANDIN_FORWARD(CudaResult, cuMemsetD8Async,
                (CudaPointer to, unsigned char byte, size_t bytes, CudaStreamHandle stream),
                fill("cuMemsetD8Async", CudaPolicy::memory(to), byte, bytes, stream))
STANDIN_FORWARD(CudaResult, cuStreamCreateWithPriority,
                (CudaStreamHandle * stream, unsigned flags, int priority),
                stream_create("cuStreamCreateWithPriority", out(stream),
                              flags == kCudaStreamNonBlocking, priority, -5, 0))
STANDIN_FORWARD(CudaResult, cuStreamDestroy_v2, (CudaStreamHandle stream),
                stream_destroy("cuStreamDestroy", stream))
STANDIN_FORWARD(CudaResult, cuStreamSynchronize, (CudaStreamHandle stream),
                stream_sync("cuStreamSynchronize", stream))
STANDIN_FORWARD(CudaResult, cuStreamWaitEvent,
                (CudaStreamHandle stream, CudaEventHandle event, unsigned),
                stream_wait("cuStreamWaitEvent", stream, event))
STANDIN_FORWARD(CudaResult, cuEventCreate, (CudaEventHandle * event, unsigned flags),
                event_create("cuEventCreate", out(event),
                             flags == (kCudaEventBlockingSync | kCudaEventDisableTiming)))
STANDIN_FORWARD(CudaResult, cuEventDestroy_v2, (CudaEventHandle event),
                event_destroy("cuEventDestroy", event))
STANDIN_FORWARD(CudaResult, cuEventRecord, (CudaEventHandle event, CudaStreamHandle stream),
                event_record("cuEventRecord", event, stream))
STANDIN_FORWARD(CudaResult, cuEventQuery, (CudaEventHandle event),
                event_query("cuEventQuery", event))
STANDIN_FORWARD(CudaResult, cuEventSynchronize, (CudaEventHandle event),
                event_sync("cuEventSynchronize", event))

// ---- what only an application calls

STANDIN_ENTRY CudaResult cuCtxCreate_v2(CudaContextHandle *handle, unsigned, CudaDeviceId id)
{
    return result(call_about("cuCtxCreate", ordinal_of(id), [&](const VmafGpuDevice &) {
        stack().push_back(new_context(ordinal_of(id)));
        *handle = reinterpret_cast<CudaContextHandle>(stack().back());
    }));
}

STANDIN_ENTRY CudaResult cuCtxDestroy_v2(CudaContextHandle handle)
{
    return result(call("cuCtxDestroy", [&]() -> int {
        Context *context = context_of(handle);
        if (context == nullptr)
            return misused("cuCtxDestroy", "no such context", kInvalidContext);
        if (!stack().empty() && stack().back() == context)
            stack().pop_back();
        end_context(context);
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuCtxGetCurrent(CudaContextHandle *handle)
{
    *handle = stack().empty() ? nullptr : reinterpret_cast<CudaContextHandle>(stack().back());
    return kCudaSuccess;
}
