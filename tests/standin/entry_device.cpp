// SPDX-License-Identifier: BSD-2-Clause-Patent
// Entry points of the stand-in runtimes: start, devices, modules, launches. Images
// must be what a real runtime would load on the reported device. See standin.h.
#include <cstring>
#include <elf.h>

#include "device/kernel_blob.h"
#include "entry.h"

namespace vmafgpu {
extern const KernelLibrary kHipKernels;
}

using namespace vmafgpu;
using namespace vmafgpu::standin;

namespace {

constexpr int kMaxShared = 64 * 1024;
constexpr int kVersion = 60443484; // 6.4.43484, say

/// Access to the launch by name, which Queue keeps for its template.
struct Launch : Queue {
    static constexpr auto kPointer = &Launch::launch_raw;
};

/// Size as a real runtime finds it, which is given no length.
size_t elf_bytes(const void *image)
{
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof(header));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return 0;
    return header.e_shoff + size_t{header.e_shnum} * header.e_shentsize;
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

HipResult load(HipModuleHandle *out, const void *bytes)
{
    const char *name = "hipModuleLoadData";
    const size_t size = bytes ? elf_bytes(bytes) : 0;
    if (size == 0)
        return misused(name, "not an ELF file", kHipInvalidImage);
    // The kernels that will run are this library's: those of another build may be others.
    if (!is_ours(bytes, size))
        return misused(name, "code of another build than the stand-in's", kHipInvalidImage);
    auto module = std::make_unique<Module>();
    module->device = current_device();
    module->image = read_hip_image(bytes, size);
    const std::string arch = arch_of(current_device());
    if (hip_base_target(module->image.target) != hip_base_target(arch)) {
        return misused(name, "code for " + module->image.target + " on a " + arch,
                       kHipNoBinaryForGpu);
    }
    for (const HipKernelInfo &kernel : module->image.kernels) {
        if (kernel.wave_size != state().devices[static_cast<size_t>(current_device())].wave_size)
            return misused(name, kernel.name + ": other waves than the device's", kHipInvalidImage);
        if (argument_bytes(kernel) == 0)
            return misused(name, kernel.name + ": not a kernel of this project", kHipInvalidImage);
    }
    add(Kind::kModule, module.get());
    *out = reinterpret_cast<HipModuleHandle>(module.release());
    return kHipSuccess;
}

HipResult launch(HipFunctionHandle handle, const unsigned (&grid)[3], const unsigned (&block)[3],
                 unsigned shared, Stream &stream, void **parameters)
{
    const char *name = "hipModuleLaunchKernel";
    const auto *function = as<Function>(Kind::kFunction, handle);
    if (!function || function->device != stream.device)
        return misused(name, "no such function on this device", kHipInvalidHandle);
    const std::string &kernel = function->info.name;
    if (!parameters || !parameters[0] || !parameters[1])
        return misused(name, kernel + ": no arguments", kHipInvalidValue);
    if (block[1] != 1 || block[2] != 1 || block[0] == 0 || block[0] > 1024)
        return misused(name, kernel + ": bad block", kHipInvalidConfiguration);
    for (const unsigned blocks : grid)
        if (blocks == 0 || uint64_t{blocks} * block[0] >> 32 != 0)
            return misused(name, kernel + ": bad grid", kHipInvalidConfiguration);
    if (function->info.shared_bytes + shared > kMaxShared)
        return misused(name, kernel + ": more shared memory than there is", kHipInvalidValue);
    auto *counter = *static_cast<uint32_t **>(parameters[1]);
    (stream.queue.get()->*Launch::kPointer)(kernel.c_str(), block[0], shared,
                                            {grid[0], grid[1], grid[2]},
                                            {parameters[0], function->argument_bytes, counter});
    return kHipSuccess;
}

HipResult properties(HipProperties *out, int ordinal, size_t arch_offset, size_t struct_bytes)
{
    if (!is_device(ordinal))
        return kHipInvalidDevice;
    // Nothing but the name where only the name is wanted: what is read elsewhere shows.
    std::memset(out->bytes, 0x5a, struct_bytes);
    std::snprintf(out->bytes, 256, "%s", state().devices[static_cast<size_t>(ordinal)].name);
    std::snprintf(out->bytes + arch_offset, 256, "%s", arch_of(ordinal).c_str());
    return kHipSuccess;
}

HipResult initialise()
{
    State &all = state();
    if (!all.is_initialised) {
        all.devices = list_devices();
        all.open.resize(all.devices.size());
        all.is_initialised = true;
    }
    // As the real one: it does not even start without a device.
    return all.devices.empty() ? kHipNoDevice : kHipSuccess;
}

} // namespace

int &vmafgpu::standin::current_device()
{
    thread_local int ordinal = 0;
    return ordinal;
}

STANDIN_ENTRY HipResult hipInit(unsigned)
{
    return call("hipInit", initialise);
}

STANDIN_ENTRY HipResult hipRuntimeGetVersion(int *version)
{
    return call("hipRuntimeGetVersion", [&] {
        *version = kVersion;
        return kHipSuccess;
    });
}

STANDIN_ENTRY const char *hipGetErrorName(HipResult result)
{
    switch (result) {
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

STANDIN_ENTRY const char *hipGetErrorString(HipResult result)
{
    thread_local char text[64];
    std::snprintf(text, sizeof(text), "stand-in's error %d", static_cast<int>(result));
    return text;
}

STANDIN_ENTRY HipResult hipGetDeviceCount(int *count)
{
    return call("hipGetDeviceCount", [&] {
        *count = static_cast<int>(state().devices.size());
        return *count > 0 ? kHipSuccess : kHipNoDevice;
    });
}

STANDIN_ENTRY HipResult hipDeviceGetName(char *name, int size, int ordinal)
{
    return call("hipDeviceGetName", [&] {
        if (!is_device(ordinal))
            return kHipInvalidDevice;
        std::snprintf(name, static_cast<size_t>(size), "%s",
                      state().devices[static_cast<size_t>(ordinal)].name);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipDeviceTotalMem(size_t *bytes, int ordinal)
{
    return call("hipDeviceTotalMem", [&] {
        if (!is_device(ordinal))
            return kHipInvalidDevice;
        *bytes = state().devices[static_cast<size_t>(ordinal)].memory_bytes;
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    return call("hipDeviceGetAttribute", [&] {
        if (!is_device(ordinal))
            return kHipInvalidDevice;
        if (attribute != kHipAttributeMaxShared)
            return misused("hipDeviceGetAttribute", "unexpected attribute", kHipInvalidValue);
        *value = kMaxShared;
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipDeviceGetPCIBusId(char *id, int size, int ordinal)
{
    return call("hipDeviceGetPCIBusId", [&] {
        if (!is_device(ordinal))
            return kHipInvalidDevice;
        std::snprintf(id, static_cast<size_t>(size), "%s",
                      state().devices[static_cast<size_t>(ordinal)].pci_id);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipGetDeviceProperties(HipProperties *out, int ordinal)
{
    return call("hipGetDeviceProperties",
                [&] { return properties(out, ordinal, kHipArchOffset5, 792); });
}

#ifndef STANDIN_VERSION_5
STANDIN_ENTRY HipResult hipGetDevicePropertiesR0600(HipProperties *out, int ordinal)
{
    return call("hipGetDevicePropertiesR0600",
                [&] { return properties(out, ordinal, kHipArchOffset6, 1472); });
}
#endif

STANDIN_ENTRY HipResult hipGetDevice(int *ordinal)
{
    return call("hipGetDevice", [&] {
        *ordinal = current_device();
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipSetDevice(int ordinal)
{
    return call("hipSetDevice", [&] {
        if (!is_device(ordinal))
            return kHipInvalidDevice;
        current_device() = ordinal;
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipModuleLoadData(HipModuleHandle *module, const void *image)
{
    return call("hipModuleLoadData", [&] { return load(module, image); });
}

STANDIN_ENTRY HipResult hipModuleUnload(HipModuleHandle handle)
{
    return call(
        "hipModuleUnload",
        [&] {
            auto *module = as<Module>(Kind::kModule, handle);
            if (!module || module->device != current_device())
                return misused("hipModuleUnload", "no such module here", kHipInvalidHandle);
            remove(Kind::kModule, module);
            delete module;
            return kHipSuccess;
        },
        true);
}

STANDIN_ENTRY HipResult hipModuleGetFunction(HipFunctionHandle *out, HipModuleHandle handle,
                                             const char *name)
{
    return call("hipModuleGetFunction", [&] {
        const auto *module = as<Module>(Kind::kModule, handle);
        if (!module)
            return misused("hipModuleGetFunction", "no such module", kHipInvalidHandle);
        const HipKernelInfo *info = module->image.find(name);
        if (!info)
            return kHipNotFound;
        auto *function = new Function{module->device, *info, argument_bytes(*info)};
        add(Kind::kFunction, function); // the runtime's own, for as long as it lives
        *out = reinterpret_cast<HipFunctionHandle>(function);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipModuleLaunchKernel(HipFunctionHandle function, unsigned grid_x,
                                              unsigned grid_y, unsigned grid_z, unsigned block_x,
                                              unsigned block_y, unsigned block_z, unsigned shared,
                                              HipStreamHandle stream, void **parameters, void **)
{
    return on_stream("hipModuleLaunchKernel", stream, [&](Stream &on) {
        return launch(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, on,
                      parameters);
    });
}
