// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_context.h: the device, its modules and kernels, and what happens to
// errors. Called by the queue and the device of this folder.
#include "hip/hip_context.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

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
    // A version may come whose plain symbol has the new layout: both are looked at, and
    // neither is believed without the name looking like one.
    if (!is_arch(arch))
        arch = arch_at(properties, is_new ? kHipArchOffset5 : kHipArchOffset6);
    if (!is_arch(arch))
        throw Error(ENODEV, std::string(call) + " of " + runtime.library + " (version " +
                                hip_version_text(runtime.version) +
                                ") gives no architecture name where one is expected");
    return arch;
}

bool hip_images_cover(const std::string &images, const std::string &arch)
{
    std::istringstream stream(images);
    const std::string wanted = hip_base_target(arch);
    std::string image;
    while (stream >> image)
        if (image == wanted)
            return true;
    return false;
}

std::string hip_image_text(const HipRuntime &runtime, int device, const std::string &arch,
                           const KernelLibrary &kernels)
{
    char name[256] = "";
    if (runtime.api.device_name(name, sizeof(name), device) != kHipSuccess || !name[0])
        std::strcpy(name, "the device");
    return std::string(name) + " is a " + arch + " and the HIP runtime is " +
           hip_version_text(runtime.version) + "; this build has kernels for " + kernels.images +
           " made by " + kernels.tool +
           ", others are added by -Dhip_archs=" + hip_base_target(arch);
}

HipScope::HipScope(HipContext &context, Purpose purpose) : context_(context)
{
    if (purpose == kUse && !context.failure_.empty())
        throw Error(EIO, "the HIP device has failed before: " + context.failure_);
    int current = -1;
    HipResult result = context.api().get_device(&current);
    const char *call = "hipGetDevice";
    if (result == kHipSuccess && current != context.device_) {
        result = context.api().set_device(context.device_);
        call = "hipSetDevice";
        if (result == kHipSuccess)
            previous_ = current;
    }
    if (purpose == kUse)
        context.check(result, call);
    else
        context.report(result, call);
}

HipScope::~HipScope()
{
    if (previous_ >= 0)
        context_.report(context_.api().set_device(previous_), "hipSetDevice");
}

HipContext::HipContext(const HipRuntime &runtime, int device, const KernelLibrary &kernels,
                       const Log &log)
    : runtime_(runtime), device_(device), log_(log)
{
    const std::string arch = hip_arch(runtime, device);
    if (!hip_images_cover(kernels.images, arch))
        throw Error(ENODEV,
                    "no kernels for this GPU: " + hip_image_text(runtime, device, arch, kernels));
    try {
        load_modules(kernels, arch);
    } catch (...) {
        release();
        throw;
    }
}

// A scope for releasing reports what fails and throws nothing.
// NOLINTNEXTLINE(bugprone-exception-escape)
HipContext::~HipContext()
{
    release();
}

// NOLINTNEXTLINE(bugprone-exception-escape)
void HipContext::release() noexcept
{
    const HipScope scope(*this, HipScope::kRelease);
    for (HipModuleHandle module : modules_)
        report(api().module_unload(module), "hipModuleUnload");
    modules_.clear();
}

void HipContext::load_modules(const KernelLibrary &kernels, const std::string &arch)
{
    const HipScope scope(*this);
    const std::string target = hip_base_target(arch);
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
                                    ": hipModuleLoadData: " + runtime_.describe(result) + "; " +
                                    hip_image_text(runtime_, device_, arch, kernels));
        }
        check(result, std::string("hipModuleLoadData of ") + blob.name);
        modules_.push_back(module);
        images_.push_back(std::move(image));
    }
}

void HipContext::check(HipResult result, const std::string &what)
{
    if (result == kHipSuccess)
        return;
    const int code = hip_error_code(result);
    const std::string text = what + ": " + runtime_.describe(result);
    if (code == EIO && failure_.empty())
        failure_ = text;
    throw Error(code, text);
}

void HipContext::report(HipResult result, const char *what) noexcept
{
    if (result == kHipSuccess || !failure_.empty())
        return;
    try {
        const std::string text = std::string(what) + ": " + runtime_.describe(result);
        if (hip_error_code(result) == EIO)
            failure_ = text;
        log_(VMAFGPU_LOG_WARNING, "HIP: while releasing: " + text);
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
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
        check(api().module_function(&found.handle, modules_[i], name),
              std::string("hipModuleGetFunction of ") + name);
        return found;
    }
    throw Error(EINVAL, std::string("no HIP kernel '") + name + "' in this build");
}

unsigned HipContext::max_shared()
{
    if (max_shared_ == 0) {
        int bytes = 0;
        check(api().device_attribute(&bytes, kHipAttributeMaxShared, device_),
              "hipDeviceGetAttribute");
        max_shared_ = static_cast<unsigned>(std::max(bytes, 0));
    }
    return max_shared_;
}

HipFunctionHandle HipContext::function(const char *name, unsigned dynamic_shared,
                                       size_t argument_bytes)
{
    auto at = functions_.find(name);
    if (at == functions_.end())
        at = functions_.emplace(name, find_function(name)).first;
    const Function &function = at->second;
    // The counter's address comes last: the kernels use no hidden arguments, which would follow.
    const size_t own_bytes = function.info.kernarg_bytes - sizeof(uint32_t *);
    if (argument_bytes != own_bytes) {
        throw Error(EINVAL, std::string("HIP kernel ") + name + " takes " +
                                std::to_string(own_bytes) + " bytes of arguments, it was given " +
                                std::to_string(argument_bytes));
    }
    const uint64_t shared = uint64_t{function.info.shared_bytes} + dynamic_shared;
    if (shared > max_shared()) {
        throw Error(ENODEV, std::string("HIP kernel ") + name + " needs " + std::to_string(shared) +
                                " bytes of shared memory per block, this device has " +
                                std::to_string(max_shared()));
    }
    return function.handle;
}

void HipContext::add_pinned(void *memory, size_t bytes)
{
    pinned_[static_cast<const char *>(memory)] = bytes;
}

void HipContext::remove_pinned(void *memory)
{
    pinned_.erase(static_cast<const char *>(memory));
}

bool HipContext::is_pinned(const void *memory, size_t bytes) const
{
    const char *first = static_cast<const char *>(memory);
    auto after = pinned_.upper_bound(first);
    if (after == pinned_.begin())
        return false;
    const auto &[start, size] = *std::prev(after);
    return first + bytes <= start + size;
}

} // namespace vmafgpu
