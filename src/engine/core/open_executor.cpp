// SPDX-License-Identifier: BSD-2-Clause-Patent
// See open_executor.h.
#include "core/open_executor.h"

#include <utility>

#include "base/error.h"
#include "cpu/cpu_executor.h"
#include "gpu/backends.h"
#include "gpu/device_executor.h"
#include "system/processors.h"

namespace vmafgpu {
namespace {

std::unique_ptr<Executor> open_cpu(const EngineSettings &settings, const ScorePlan &plan)
{
    const int wanted = settings.threads > 0 ? settings.threads : available_processors();
    auto executor = std::make_unique<CpuExecutor>(settings.format, plan, wanted,
                                                  CpuExecutor::Features::kAll, settings.scale);
    if (executor->threads() < wanted)
        settings.log(VMAFGPU_LOG_WARNING, "only " + std::to_string(executor->threads()) + " of " +
                                              std::to_string(wanted) + " threads could be started");
    return executor;
}

std::unique_ptr<Executor> open_backend(const Backend &backend, const std::string &selector,
                                       const EngineSettings &settings, ScorePlan &plan)
{
    DeviceRequest request;
    request.selector = selector;
    request.native_context = settings.native_context;
    request.native_stream = settings.native_stream;
    request.self_test = settings.self_test;
    request.log = settings.log;
    return std::make_unique<DeviceExecutor>(settings, plan, backend.open(request));
}

void log_backend(const EngineSettings &settings, const Executor &executor, const std::string &why)
{
    const VmafGpuDevice &info = executor.info();
    std::string text = std::string("backend ") + info.backend + " (" + info.name;
    if (info.wave_size > 1)
        text += ", wave " + std::to_string(info.wave_size);
    if (info.memory_bytes > 0)
        text += ", " + std::to_string(info.memory_bytes >> 20) + " MiB";
    settings.log(VMAFGPU_LOG_INFO, text + ")" + why);
}

/// Backends that a build may lack, and how to build them.
constexpr std::pair<const char *, const char *> kBuildHints[] = {
    {"cuda", "build with -Dcuda=enabled (needs nvcc)"},
    {"hip", "build with -Dhip=enabled (needs clang and lld)"},
    {"opencl", "build with -Dopencl=enabled (needs clang-19, llvm-19 and llvm-spirv-19)"},
    {"emu32", "build with -Demu=true"},
    {"emu64", "build with -Demu=true"},
};

const Backend *find_backend(const std::string &name)
{
    for (const Backend &backend : backends())
        if (name == backend.name)
            return &backend;
    return nullptr;
}

std::unique_ptr<Executor> open_automatic(const EngineSettings &settings, ScorePlan &plan)
{
    std::string passed_over;
    const auto pass_over = [&](const std::string &backend, const std::string &why) {
        // Errors say first what is missing, then where it was looked for and how to get it.
        passed_over +=
            (passed_over.empty() ? "" : "; ") + backend + ": " + why.substr(0, why.find(": "));
        settings.log(VMAFGPU_LOG_VERBOSE, "auto passes over " + backend + ": " + why);
    };
    for (const Backend &backend : backends()) {
        if (!backend.is_automatic)
            continue;
        std::string why;
        try {
            if (!usable_devices(backend.find(&why)).empty()) {
                auto executor = open_backend(backend, "", settings, plan);
                log_backend(settings, *executor, ", chosen by auto");
                return executor;
            }
        } catch (const Error &error) {
            why = error.what();
            settings.log(VMAFGPU_LOG_WARNING,
                         std::string("auto: ") + backend.name + " failed: " + why);
        }
        pass_over(backend.name, why);
    }
    for (const char *name : {"cuda", "hip"})
        if (find_backend(name) == nullptr)
            pass_over(name, "not in this build");
    auto executor = open_cpu(settings, plan);
    log_backend(settings, *executor, ", chosen by auto (" + passed_over + ")");
    return executor;
}

[[noreturn]] void reject(const std::string &name)
{
    for (const auto &[known, hint] : kBuildHints)
        if (name == known)
            throw Error(ENOSYS, "backend " + name + " is not in this build; " + hint);
    std::string list = "auto, cpu";
    for (const Backend &backend : backends())
        list += std::string(", ") + backend.name;
    throw Error(EINVAL, "unknown device '" + name + "' (known here: " + list + ")");
}

/// "0" or a PCI address, of the first backend that has it, as that backend's own text.
std::string find_device(const std::string &wanted)
{
    std::string present;
    for (const VmafGpuDevice &device : list_devices()) {
        const Backend *backend = find_backend(device.backend);
        if (backend != nullptr && !backend->is_automatic)
            continue;
        std::string text = device.selector;
        const size_t colon = text.find(':');
        if (wanted == text || wanted == device.pci_id ||
            (colon != text.npos && wanted == text.substr(colon + 1)))
            return text;
        present += " " + text;
    }
    throw Error(ENODEV, "no device '" + wanted + "' (present:" + present + ")");
}

} // namespace

std::unique_ptr<Executor> open_executor(const EngineSettings &settings, ScorePlan &plan)
{
    std::string text = settings.device;
    if (text.empty() || text == "auto")
        return open_automatic(settings, plan);
    if (text.substr(0, 5) == "auto:")
        text = find_device(text.substr(5));
    const size_t colon = text.find(':');
    std::string name = text.substr(0, colon);
    std::string selector = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (name == "cpu" && !selector.empty())
        throw Error(EINVAL, "device cpu takes no number, but '" + text + "' was given");
    // Emulated devices are numbered by their wave size.
    if (name == "emu")
        name += selector.empty() ? "64" : std::exchange(selector, "");
    const Backend *backend = find_backend(name);
    if (backend == nullptr && name != "cpu")
        reject(name);
    auto executor = backend == nullptr ? open_cpu(settings, plan)
                                       : open_backend(*backend, selector, settings, plan);
    log_backend(settings, *executor, "");
    return executor;
}

std::vector<VmafGpuDevice> list_devices()
{
    std::vector<VmafGpuDevice> list;
    std::vector<VmafGpuDevice> emulated;
    for (const Backend &backend : backends())
        for (const VmafGpuDevice &device : usable_devices(backend.find(nullptr)))
            (backend.is_automatic ? list : emulated).push_back(device);
    list.push_back(cpu_device_info());
    list.insert(list.end(), emulated.begin(), emulated.end());
    return list;
}

std::vector<FoundDevice> list_unusable_devices()
{
    std::vector<FoundDevice> list;
    for (const Backend &backend : backends())
        for (FoundDevice &device : backend.find(nullptr))
            if (!device.why_not.empty())
                list.push_back(std::move(device));
    return list;
}

} // namespace vmafgpu
