// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_context.h: which images fit a device, its modules and kernels. Called by
// hip_device.cpp and by the shared driver code.
#include "hip/hip_context.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace vmafgpu {

namespace {

std::string arch_at(const HipProperties &properties, size_t offset)
{
    const char *text = properties.bytes + offset;
    return {text, strnlen(text, 256)};
}

bool is_arch(const std::string &text)
{
    return text.compare(0, 3, "gfx") == 0 && text.size() > 5;
}

} // namespace

std::string hip_arch(const HipRuntime &runtime, int device)
{
    const HipApi &api = runtime.api;
    const bool is_new = api.device_properties6 != nullptr;
    HipProperties properties = {};
    const HipResult result = is_new ? api.device_properties6(&properties, device)
                                    : api.device_properties(&properties, device);
    const char *call = is_new ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties";
    if (result != kHipSuccess)
        throw Error(hip_error_code(result), std::string(call) + ": " + runtime.describe(result));
    std::string arch = arch_at(properties, is_new ? kHipArchOffset6 : kHipArchOffset5);
    // A later version may fill the new layout under the old symbol. So both places are
    // tried, and a text counts only if it looks like an architecture's name.
    if (!is_arch(arch))
        arch = arch_at(properties, is_new ? kHipArchOffset5 : kHipArchOffset6);
    if (!is_arch(arch))
        throw Error(ENODEV, std::string(call) + " of " + runtime.library + " (version " +
                                hip_version_text(runtime.version) +
                                ") gives no architecture name where one is expected");
    return arch;
}

std::string hip_image_text(const HipRuntime &runtime, int device, const std::string &arch,
                           const KernelLibrary &kernels)
{
    char name[256] = "";
    if (runtime.api.device_name(name, sizeof(name), device) != kHipSuccess || !name[0])
        std::strcpy(name, "the device");
    const std::string base = hip_base_target(arch);
    const std::string family = hip_generic_target(arch);
    std::string text = std::string(name) + " is a " + arch + " and the HIP runtime is " +
                       hip_version_text(runtime.version) + "; this build has kernels for " +
                       kernels.images + " made by " + kernels.tool;
    // A newer runtime would run this image.
    if (!family.empty() && !hip_image_for(kernels.images, family, kHipGenericVersion).empty() &&
        runtime.version < kHipGenericVersion)
        text += "; those for " + family + " need ROCm 6.3 or later";
    return text + "; AMD_ARCHS=" + base + " scripts/demo.sh builds those for " + base +
           " (Meson: -Dhip_archs=" + base + ")";
}

HipContext::Step HipContext::make_current(int &former) noexcept
{
    int current = -1;
    HipResult result = api().get_device(&current);
    if (result != kHipSuccess || current == device_)
        return {result, HipCalls::get_device};
    result = api().set_device(device_);
    if (result == kHipSuccess)
        former = current;
    return {result, HipCalls::set_device};
}

HipContext::Step HipContext::make_former_current(int former) noexcept
{
    return {api().set_device(former), HipCalls::set_device};
}

HipContext::HipContext(const HipRuntime &runtime, int device, const KernelLibrary &kernels,
                       const Log &log)
    : DriverContext(runtime, log), device_(device)
{
    const std::string arch = hip_arch(runtime, device);
    const std::string target = hip_image_for(kernels.images, arch, runtime.version);
    if (target.empty())
        throw Error(ENODEV,
                    "no kernels for this GPU: " + hip_image_text(runtime, device, arch, kernels));
    if (matrix_is_wanted() && hip_has_matrix_s8(target))
        traits_.matrix_lanes = 64;
    try {
        check(
            api().device_attribute(&traits_.multiprocessors, kHipAttributeMultiprocessors, device_),
            HipCalls::device_attribute);
        load_modules(kernels, arch);
    } catch (...) {
        release_all();
        throw;
    }
}

HipContext::~HipContext()
{
    release_all();
}

void HipContext::release_all() noexcept
{
    release([this] {
        for (HipModuleHandle module : modules_)
            report(api().module_unload(module), HipCalls::module_unload);
    });
    modules_.clear();
}

void HipContext::load_modules(const KernelLibrary &kernels, const std::string &arch)
{
    const HipScope scope(*this);
    const std::string target = hip_image_for(kernels.images, arch, driver().version);
    for (size_t i = 0; i < kernels.count; ++i) {
        const KernelBlob &blob = kernels.blobs[i];
        const char *at = std::strchr(blob.name, '@');
        if (!at || target != at + 1)
            continue;
        HipImage image = read_hip_image(blob.data, blob.bytes);
        if (hip_base_target(image.target) != target)
            throw Error(EINVAL, std::string(blob.name) + " holds code for " + image.target);
        for (const HipKernelInfo &kernel : image.kernels) {
            if (wave_size_ != 0 && kernel.wave_size != wave_size_)
                throw Error(EINVAL, std::string(blob.name) + ": waves of different sizes");
            wave_size_ = kernel.wave_size;
        }
        HipModuleHandle module = nullptr;
        const HipResult result = api().module_load(&module, blob.data);
        if (result != kHipSuccess && hip_error_code(result) == ENODEV) {
            throw Error(ENODEV, std::string("the HIP runtime rejects the kernels of ") + blob.name +
                                    ": hipModuleLoadData: " + driver().describe(result) + "; " +
                                    hip_image_text(driver(), device_, arch, kernels));
        }
        check(result, HipCalls::module_load, std::string(" of ") + blob.name);
        modules_.push_back(module);
        images_.push_back(std::move(image));
    }
}

HipContext::Function HipContext::find_function(const char *name)
{
    for (size_t i = 0; i < modules_.size(); ++i) {
        const HipKernelInfo *info = images_[i].find(name);
        if (!info)
            continue;
        Function found;
        found.info = *info;
        check(api().module_function(&found.handle, modules_[i], name), HipCalls::module_function,
              std::string(" of ") + name);
        return found;
    }
    throw Error(EINVAL, std::string("no HIP kernel '") + name + "' in this build");
}

HipFunctionHandle HipContext::function(const char *name, size_t argument_bytes)
{
    auto at = functions_.find(name);
    if (at == functions_.end())
        at = functions_.emplace(name, find_function(name)).first;
    const Function &function = at->second;
    // The launch counter's address is the last argument: kernels use no hidden arguments.
    const size_t own_bytes = function.info.kernarg_bytes - sizeof(uint32_t *);
    if (argument_bytes != own_bytes) {
        throw Error(EINVAL, std::string("HIP kernel ") + name + " takes " +
                                std::to_string(own_bytes) + " bytes of arguments, it was given " +
                                std::to_string(argument_bytes));
    }
    return function.handle;
}

} // namespace vmafgpu
