// SPDX-License-Identifier: BSD-2-Clause-Patent
// The entry points of AMD's HIP runtime that src/engine/hip uses. Images must be what a
// real runtime would load on the reported device. What is the same in CUDA is in
// entry.cpp. See standin.h.
#include <cstring>

#include "device/kernel_blob.h"
#include "entry.h"
#include "hip/elf64.h"
#include "hip/hip_api.h"
#include "hip/hip_image.h"
#include "hip/hip_targets.h"

namespace vmafgpu {
extern const KernelLibrary kHipKernels;
}

using namespace vmafgpu;
using namespace vmafgpu::standin;

namespace {

constexpr size_t kMaxShared = 64 * 1024;
constexpr int kVersion = 60443484; // 6.4.43484, say

int standin_version()
{
    return number_setting("VMAFGPU_STANDIN_HIP_VERSION", kVersion);
}

/// An external memory object; maps its fd late, as AMD's runtime does.
struct Import {
    int device;
    int fd;
    size_t bytes;
    void *memory;
    bool is_mapped, is_alive;
};

std::map<const void *, Import *> &mapped()
{
    static auto *const instance = new std::map<const void *, Import *>;
    return *instance;
}

int &current_device()
{
    thread_local int ordinal = 0;
    return ordinal;
}

template <typename Handle> void **out(Handle *handle)
{
    return reinterpret_cast<void **>(handle);
}

HipResult result(int code)
{
    return static_cast<HipResult>(code);
}

/// Returns the architecture that the runtime reports, with features.
std::string arch_of(int ordinal)
{
    const bool is_wide = state().devices[static_cast<size_t>(ordinal)].wave_size == 64;
    return list_setting("VMAFGPU_STANDIN_ARCH", ordinal,
                        is_wide ? "gfx90a:sramecc+:xnack-" : "gfx1030");
}

/// Size as a real runtime finds it, which is given no length.
size_t elf_bytes(const void *image)
{
    ElfHeader header;
    std::memcpy(&header, image, sizeof(header));
    if (std::memcmp(header.ident, kElfMagic, sizeof(kElfMagic)) != 0)
        return 0;
    return header.sections_at + size_t{header.section_count} * header.section_bytes;
}

bool is_ours(const void *image, size_t size)
{
    for (size_t i = 0; i < kHipKernels.count; ++i) {
        const KernelBlob &blob = kHipKernels.blobs[i];
        if (blob.bytes == size && std::memcmp(blob.data, image, size) == 0)
            return true;
    }
    return false;
}

int load(void **module, const void *bytes)
{
    const char *name = "hipModuleLoadData";
    const size_t size = bytes ? elf_bytes(bytes) : 0;
    if (size == 0)
        return misused(name, "not an ELF file", kInvalidImage);
    // The kernels that will run are this library's: those of another build may be others.
    if (!is_ours(bytes, size))
        return misused(name, "code of another build than the stand-in's", kInvalidImage);
    const HipImage image = read_hip_image(bytes, size);
    const std::string arch = arch_of(here());
    const bool is_exact = hip_base_target(image.target) == hip_base_target(arch);
    const bool is_family =
        image.target == hip_generic_target(arch) && standin_version() >= kHipGenericVersion;
    if (!is_exact && !is_family)
        return misused(name, "code for " + image.target + " on a " + arch, kNoBinaryForGpu);
    auto loaded = std::make_unique<Module>();
    loaded->place = here();
    for (const HipKernelInfo &kernel : image.kernels) {
        if (kernel.wave_size != state().devices[static_cast<size_t>(here())].wave_size)
            return misused(name, kernel.name + ": other waves than the device's", kInvalidImage);
        if (kernel.shared_bytes > kMaxShared)
            return misused(name, kernel.name + ": too much shared memory", kInvalidImage);
        const size_t arguments =
            argument_bytes(kernel.name, kernel.kernarg_bytes - sizeof(uint32_t *));
        if (arguments == 0)
            return misused(name, kernel.name + ": not a kernel of this project", kInvalidImage);
        loaded->functions[kernel.name] = {here(), kernel.name, arguments};
    }
    add(Kind::kModule, loaded.get(), here());
    *module = loaded.release();
    return kSuccess;
}

HipResult properties(const char *name, HipProperties *to, int ordinal, size_t arch_offset,
                     size_t struct_bytes)
{
    return result(call_about(name, ordinal, [&](const VmafGpuDevice &device) {
        // Nothing but the name where only the name is wanted: what is read elsewhere shows.
        std::memset(to->bytes, 0x5a, struct_bytes);
        std::snprintf(to->bytes, 256, "%s", device.name);
        std::snprintf(to->bytes + arch_offset, 256, "%s", arch_of(ordinal).c_str());
    }));
}

/// Both the mapping and the object hold the memory.
void drop_import(Import *import)
{
    if (import->is_mapped || import->is_alive)
        return;
    remove(Kind::kImport, import);
    delete import;
}

Import *import_of(HipImportHandle handle)
{
    return place_of(Kind::kImport, handle) != kNowhere ? static_cast<Import *>(handle) : nullptr;
}

} // namespace

int vmafgpu::standin::here()
{
    return current_device();
}

int vmafgpu::standin::wave_size()
{
    return number_setting("VMAFGPU_STANDIN_WAVE", 32);
}

STANDIN_ENTRY HipResult hipInit(unsigned)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    const int code = initialise("hipInit");
    if (code != kSuccess)
        return result(code);
    for (int i = 0; static_cast<size_t>(i) < state().devices.size(); ++i)
        state().places[i].ordinal = i;
    // The real library does not even start without a device.
    return result(state().devices.empty() ? kNoDevice : kSuccess);
}

STANDIN_ENTRY HipResult hipRuntimeGetVersion(int *version)
{
    return result(call("hipRuntimeGetVersion", [&] {
        *version = standin_version();
        return kSuccess;
    }));
}

STANDIN_ENTRY const char *hipGetErrorName(HipResult code)
{
    switch (code) {
    case kHipSuccess:
        return "hipSuccess";
    case kHipInvalidValue:
        return "hipErrorInvalidValue";
    case kHipOutOfMemory:
        return "hipErrorOutOfMemory";
    case kHipNoDevice:
        return "hipErrorNoDevice";
    case kHipIllegalAddress:
        return "hipErrorIllegalAddress";
    case kHipLaunchFailure:
        return "hipErrorLaunchFailure";
    default:
        return "hipErrorOther";
    }
}

STANDIN_ENTRY const char *hipGetErrorString(HipResult code)
{
    thread_local char text[64];
    std::snprintf(text, sizeof(text), "stand-in's error %d", static_cast<int>(code));
    return text;
}

STANDIN_ENTRY HipResult hipGetDeviceCount(int *count)
{
    const int code = device_count("hipGetDeviceCount", count);
    return result(code == kSuccess && *count == 0 ? kNoDevice : code);
}

STANDIN_FORWARD(HipResult, hipDeviceGetName, (char *name, int size, int ordinal),
                device_name("hipDeviceGetName", name, size, ordinal))
STANDIN_FORWARD(HipResult, hipDeviceTotalMem, (size_t * bytes, int ordinal),
                device_memory("hipDeviceTotalMem", bytes, ordinal))
STANDIN_FORWARD(HipResult, hipDeviceGetPCIBusId, (char *id, int size, int ordinal),
                device_pci_id("hipDeviceGetPCIBusId", id, size, ordinal))

STANDIN_ENTRY HipResult hipDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    const char *name = "hipDeviceGetAttribute";
    return result(call_about(name, ordinal, [&](const VmafGpuDevice &) {
        if (attribute == kHipAttributeMultiprocessors)
            *value = units_of(ordinal);
        else if (attribute == kHipAttributeIntegrated)
            *value = is_integrated(ordinal);
        else
            misused(name, "unexpected attribute", kInvalidValue);
    }));
}

STANDIN_ENTRY HipResult hipGetDeviceProperties(HipProperties *to, int ordinal)
{
    return properties("hipGetDeviceProperties", to, ordinal, kHipArchOffset5, 792);
}

STANDIN_ENTRY HipResult hipGetDevicePropertiesR0600(HipProperties *to, int ordinal)
{
    return properties("hipGetDevicePropertiesR0600", to, ordinal, kHipArchOffset6, 1472);
}

STANDIN_ENTRY HipResult hipGetDevice(int *ordinal)
{
    return result(call("hipGetDevice", [&] {
        *ordinal = current_device();
        return kSuccess;
    }));
}

STANDIN_ENTRY HipResult hipSetDevice(int ordinal)
{
    return result(call_about("hipSetDevice", ordinal,
                             [&](const VmafGpuDevice &) { current_device() = ordinal; }));
}

STANDIN_ENTRY HipResult hipModuleLoadData(HipModuleHandle *module, const void *image)
{
    return result(
        call_here("hipModuleLoadData", [&](int /*place*/) { return load(out(module), image); }));
}

STANDIN_FORWARD(HipResult, hipModuleUnload, (HipModuleHandle module),
                module_unload("hipModuleUnload", module))
STANDIN_FORWARD(HipResult, hipModuleGetFunction,
                (HipFunctionHandle * function, HipModuleHandle module, const char *name),
                module_function("hipModuleGetFunction", out(function), module, name))
STANDIN_FORWARD(HipResult, hipModuleLaunchKernel,
                (HipFunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                 HipStreamHandle stream, void **parameters, void **),
                launch("hipModuleLaunchKernel", function, {grid_x, grid_y, grid_z},
                       {block_x, block_y, block_z}, shared, stream, parameters))
STANDIN_FORWARD(HipResult, hipMalloc, (void **memory, size_t bytes),
                mem_alloc("hipMalloc", memory, bytes))

STANDIN_ENTRY HipResult hipFree(void *memory)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    const auto found = mapped().find(memory);
    if (found == mapped().end())
        return result(mem_free("hipFree", memory));
    return result(call(
        "hipFree",
        [&] {
            Import *import = found->second;
            mapped().erase(found);
            device_at(import->device).release_import(memory);
            import->is_mapped = false;
            drop_import(import);
            return kSuccess;
        },
        true));
}

STANDIN_FORWARD(HipResult, hipHostMalloc, (void **memory, size_t bytes, unsigned),
                host_alloc("hipHostMalloc", memory, bytes))
STANDIN_FORWARD(HipResult, hipHostFree, (void *memory), host_free("hipHostFree", memory))
STANDIN_FORWARD(HipResult, hipMemcpyHtoDAsync,
                (void *to, void *from, size_t bytes, HipStreamHandle stream),
                upload("hipMemcpyHtoDAsync", to, from, bytes, stream))
STANDIN_FORWARD(HipResult, hipMemcpyDtoHAsync,
                (void *to, void *from, size_t bytes, HipStreamHandle stream),
                download("hipMemcpyDtoHAsync", to, from, bytes, stream))
STANDIN_FORWARD(HipResult, hipMemsetAsync,
                (void *to, int byte, size_t bytes, HipStreamHandle stream),
                fill("hipMemsetAsync", to, byte, bytes, stream))
STANDIN_FORWARD(HipResult, hipStreamCreateWithPriority,
                (HipStreamHandle * stream, unsigned flags, int priority),
                stream_create("hipStreamCreateWithPriority", out(stream),
                              flags == kHipStreamNonBlocking, priority, -1, 1))
STANDIN_FORWARD(HipResult, hipStreamDestroy, (HipStreamHandle stream),
                stream_destroy("hipStreamDestroy", stream))
STANDIN_FORWARD(HipResult, hipStreamSynchronize, (HipStreamHandle stream),
                stream_sync("hipStreamSynchronize", stream))
STANDIN_FORWARD(HipResult, hipStreamWaitEvent,
                (HipStreamHandle stream, HipEventHandle event, unsigned),
                stream_wait("hipStreamWaitEvent", stream, event))
STANDIN_FORWARD(HipResult, hipEventCreateWithFlags, (HipEventHandle * event, unsigned flags),
                event_create("hipEventCreateWithFlags", out(event),
                             flags == (kHipEventBlockingSync | kHipEventDisableTiming)))
STANDIN_FORWARD(HipResult, hipEventDestroy, (HipEventHandle event),
                event_destroy("hipEventDestroy", event))
STANDIN_FORWARD(HipResult, hipEventRecord, (HipEventHandle event, HipStreamHandle stream),
                event_record("hipEventRecord", event, stream))
STANDIN_FORWARD(HipResult, hipEventQuery, (HipEventHandle event),
                event_query("hipEventQuery", event))
STANDIN_FORWARD(HipResult, hipEventSynchronize, (HipEventHandle event),
                event_sync("hipEventSynchronize", event))

STANDIN_ENTRY HipResult hipImportExternalMemory(HipImportHandle *handle,
                                                const HipImportDescription *description)
{
    const char *name = "hipImportExternalMemory";
    return result(call_here(name, [&](int place) -> int {
        if (description->type != kHipImportOpaqueFd || description->flags != 0 ||
            description->bytes == 0)
            return misused(name, "bad description", kInvalidValue);
        auto *import =
            new Import{place, description->handle.fd, description->bytes, nullptr, false, true};
        add(Kind::kImport, import, place);
        *handle = import;
        return kSuccess;
    }));
}

STANDIN_ENTRY HipResult hipExternalMemoryGetMappedBuffer(void **memory, HipImportHandle handle,
                                                         const HipImportRange *range)
{
    const char *name = "hipExternalMemoryGetMappedBuffer";
    return result(call(name, [&]() -> int {
        Import *import = import_of(handle);
        if (!import || import->is_mapped || range->offset != 0 || range->bytes > import->bytes ||
            range->flags != 0)
            return misused(name, "bad range", kInvalidValue);
        import->memory = device_at(import->device).import_vulkan(import->fd, import->bytes);
        import->is_mapped = true;
        mapped()[import->memory] = import;
        *memory = import->memory;
        return kSuccess;
    }));
}

STANDIN_ENTRY HipResult hipDestroyExternalMemory(HipImportHandle handle)
{
    const char *name = "hipDestroyExternalMemory";
    return result(call(
        name,
        [&]() -> int {
            Import *import = import_of(handle);
            if (!import || !import->is_alive)
                return misused(name, "no such import", kInvalidHandle);
            import->is_alive = false;
            drop_import(import);
            return kSuccess;
        },
        true));
}
