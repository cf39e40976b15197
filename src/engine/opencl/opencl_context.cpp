// SPDX-License-Identifier: BSD-2-Clause-Patent
// See opencl_context.h.
#include "opencl/opencl_context.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <iterator>

#include "base/error.h"
#include "base/numeric.h"
#include "opencl/opencl_image.h"

namespace vmafgpu {

namespace {

constexpr size_t kAlignment = 256;
/// What the kernels of sources without "@32" in their name need at least.
constexpr int kLeastWave = 8, kMostWave = 64;
constexpr size_t kAskedWave = 32;
constexpr const char *kFirstKernel = "selftest_waves";
constexpr unsigned kFirstThreads = 256;
/// Divisions of floats are made of those of doubles (tools/lower_opencl.py), so nothing has to be
/// asked of the device's own.
constexpr const char *kBuildOptions = "";

int needed_wave(const KernelBlob &blob)
{
    const char *at = std::strchr(blob.name, '@');
    return at == nullptr ? kLeastWave : std::atoi(at + 1);
}

} // namespace

ClContext::ClContext(const ClDeviceRef &device, const KernelLibrary &kernels, const Log &log)
    : api_(ClLoader::get().api), device_(device), log_(log),
      has_shared_memory_(device.has_shared_memory())
{
    knows_all_memory_ = (device.get<uint64_t>(kClDeviceSvmCapabilities) & kClSvmFineSystem) != 0;
    const intptr_t properties[] = {kClContextPlatform, reinterpret_cast<intptr_t>(device.platform),
                                   0};
    ClResult result = kClSuccess;
    handle_ = api_.create_context(properties, 1, &device.device, nullptr, nullptr, &result);
    cl_check(result, ClCalls::create_context);
    try {
        read_modules(kernels);
        const std::string why_not = refusal(kFirstKernel, kFirstThreads);
        if (!why_not.empty())
            throw Error(ENODEV, "the device runs no kernels of this library: " + why_not);
    } catch (...) {
        release_all();
        throw;
    }
}

ClContext::~ClContext()
{
    release_all();
}

void ClContext::release_all() noexcept
{
    for (const auto &[name, kernel] : kernels_)
        if (kernel.handle != nullptr)
            report(api_.release_kernel(kernel.handle), ClCalls::release_kernel);
    for (const Module &module : modules_)
        if (module.program != nullptr)
            report(api_.release_program(module.program), ClCalls::release_program);
    report(api_.release_context(handle_), ClCalls::release_context);
}

/// What kernels ask for: 32 lanes where a device has several sizes and takes wishes.
int ClContext::asked_wave_size() const
{
    if (!device_.has_extension("cl_intel_required_subgroup_size"))
        return 0;
    const std::vector<size_t> sizes = device_.sizes(kClDeviceSubGroupSizesIntel);
    return std::count(sizes.begin(), sizes.end(), kAskedWave) != 0 ? int{kAskedWave} : 0;
}

void ClContext::read_modules(const KernelLibrary &kernels)
{
    modules_.resize(kernels.count);
    for (size_t i = 0; i < kernels.count; ++i) {
        modules_[i].blob = &kernels.blobs[i];
        modules_[i].names = read_spirv(kernels.blobs[i].data, kernels.blobs[i].bytes, 0).kernels;
        for (const std::string &name : modules_[i].names)
            kernels_[name].module = i;
    }
}

void ClContext::build(Module &module)
{
    const SpirvImage image = read_spirv(module.blob->data, module.blob->bytes, asked_wave_size());
    ClResult result = kClSuccess;
    module.program = api_.create_program(handle_, image.words.data(),
                                         image.words.size() * sizeof(uint32_t), &result);
    std::string_view call = ClCalls::create_program;
    if (result == kClSuccess) {
        result =
            api_.build_program(module.program, 1, &device_.device, kBuildOptions, nullptr, nullptr);
        call = ClCalls::build_program;
    }
    for (const std::string &name : module.names) {
        if (result != kClSuccess)
            break;
        kernels_[name].handle = api_.create_kernel(module.program, name.c_str(), &result);
        call = ClCalls::create_kernel;
    }
    if (result == kClSuccess)
        return;
    char log[512] = "";
    if (module.program != nullptr)
        api_.build_info(module.program, device_.device, kClProgramBuildLog, sizeof(log) - 1, log,
                        nullptr);
    module.why_not = std::string(call) + " of " + module.blob->name + ": " + cl_error_text(result) +
                     (log[0] ? " (" + std::string(log) + ")" : "");
}

ClContext::Kernel &ClContext::find(const char *name)
{
    const auto found = kernels_.find(name);
    if (found == kernels_.end())
        throw Error(EINVAL, std::string("no kernel ") + name);
    Module &module = modules_[found->second.module];
    if (found->second.handle == nullptr && module.why_not.empty())
        build(module);
    return found->second;
}

size_t ClContext::lanes_of(ClKernel kernel, unsigned threads) const
{
    const size_t block[] = {threads, 1, 1};
    size_t lanes = 0;
    // pocl's answer does not know of the wish that it follows; the self-test sees the truth.
    if (asked_wave_size() != 0)
        return kAskedWave;
    if (api_.sub_group_info(kernel, device_.device, kClKernelMaxSubGroupSize, sizeof(block), block,
                            sizeof(lanes), &lanes, nullptr) != kClSuccess)
        return 0;
    return lanes;
}

const std::string &ClContext::refusal(const char *name, unsigned threads)
{
    Kernel &kernel = find(name);
    if (kernel.known_threads != threads)
        kernel.why_not = judge(kernel, threads);
    kernel.known_threads = threads;
    return kernel.why_not;
}

std::string ClContext::judge(const Kernel &kernel, unsigned threads)
{
    const Module &module = modules_[kernel.module];
    if (!module.why_not.empty())
        return module.why_not;
    const size_t lanes = lanes_of(kernel.handle, threads);
    if (wave_size_ == 0) // the first kernel that is asked for
        wave_size_ = static_cast<int>(lanes);
    const int needed = needed_wave(*module.blob);
    if (lanes < static_cast<size_t>(needed) || lanes > kMostWave || (lanes & (lanes - 1)) != 0)
        return "waves of " + std::to_string(lanes) + " lanes, needed are " +
               std::to_string(needed) + " to 64";
    size_t most_threads = 0;
    uint64_t shared = 0;
    cl_check(api_.kernel_info(kernel.handle, device_.device, kClKernelWorkGroupSize,
                              sizeof(most_threads), &most_threads, nullptr),
             ClCalls::kernel_info);
    cl_check(api_.kernel_info(kernel.handle, device_.device, kClKernelLocalMemSize, sizeof(shared),
                              &shared, nullptr),
             ClCalls::kernel_info);
    if (most_threads < threads)
        return "blocks of " + std::to_string(most_threads) + " threads, needed are " +
               std::to_string(threads);
    const auto offered = device_.get<uint64_t>(kClDeviceLocalMemSize);
    if (offered < shared)
        return std::to_string(offered) + " bytes of local memory, needed are " +
               std::to_string(shared);
    return "";
}

/// Says which memory a kernel may find behind pointers in its arguments.
void ClContext::tell_memory(Kernel &kernel)
{
    if (knows_all_memory_ || kernel.known_memory == memory_version_)
        return;
    std::vector<void *> memory;
    for (const auto &[address, given] : allocations_)
        memory.push_back(given.given);
    check(api_.set_exec_info(kernel.handle,
                             has_shared_memory_ ? kClKernelExecInfoSvmPtrs
                                                : kClKernelExecInfoDevicePtrsExt,
                             memory.size() * sizeof(void *), memory.data()),
          ClCalls::set_exec_info);
    kernel.known_memory = memory_version_;
}

void ClContext::launch(ClQueueHandle queue, const char *name, unsigned threads, Grid grid,
                       const void *arguments, size_t bytes)
{
    if (const std::string &why_not = refusal(name, threads); !why_not.empty())
        throw Error(ENOTSUP, std::string(name) + ": " + why_not);
    Kernel &kernel = find(name);
    tell_memory(kernel);
    ClResult result = kClSuccess;
    ClMemory buffer = api_.create_buffer(handle_, kClMemReadOnly | kClMemCopyHostPtr, bytes,
                                         const_cast<void *>(arguments), &result);
    check(result, ClCalls::create_buffer);
    const size_t block[] = {threads, 1, 1};
    const size_t all[] = {size_t{threads} * grid.x, grid.y, grid.z};
    std::string_view call = ClCalls::set_argument;
    result = api_.set_argument(kernel.handle, 0, sizeof(ClMemory), &buffer);
    if (result == kClSuccess) {
        call = ClCalls::launch;
        result = api_.launch(queue, kernel.handle, 3, nullptr, all, block, 0, nullptr, nullptr);
    }
    report(api_.release_memory(buffer), ClCalls::release_memory); // the launch keeps it
    if (result != kClSuccess)
        check(result, call,
              std::string(" of ") + name + ", grid " + std::to_string(grid.x) + "x" +
                  std::to_string(grid.y) + "x" + std::to_string(grid.z) + ", " +
                  std::to_string(threads) + " threads");
}

ClContext::Allocation ClContext::allocate(size_t bytes)
{
    if (has_shared_memory_) {
        void *given = api_.svm_alloc(handle_, kClMemReadWrite, bytes, 0);
        if (given == nullptr)
            throw Error(ENOMEM, "clSVMAlloc of " + std::to_string(bytes) + " bytes failed");
        return {given, nullptr};
    }
    const uint64_t properties[] = {kClMemDevicePrivateAddressExt, 1, 0};
    ClResult result = kClSuccess;
    Allocation made = {};
    made.buffer =
        api_.create_buffer_with(handle_, properties, kClMemReadWrite, bytes, nullptr, &result);
    check(result, ClCalls::create_buffer_with);
    result = api_.memory_info(made.buffer, kClMemDeviceAddressExt, sizeof(made.given), &made.given,
                              nullptr);
    if (result != kClSuccess)
        release(made);
    check(result, ClCalls::memory_info);
    return made;
}

void ClContext::release(const Allocation &allocation) noexcept
{
    if (allocation.buffer == nullptr)
        api_.svm_free(handle_, allocation.given);
    else
        report(api_.release_memory(allocation.buffer), ClCalls::release_memory);
}

void *ClContext::alloc(size_t bytes)
{
    check_alive();
    const Allocation made = allocate(bytes + kAlignment);
    const auto address = round_up(reinterpret_cast<uintptr_t>(made.given), uintptr_t{kAlignment});
    void *memory = reinterpret_cast<void *>(address); // NOLINT(performance-no-int-to-ptr)
    try {
        allocations_[memory] = made;
    } catch (...) { // no memory for the list
        release(made);
        throw;
    }
    ++memory_version_;
    return memory;
}

void ClContext::free(void *memory) noexcept
{
    const auto found = allocations_.find(memory);
    if (found == allocations_.end())
        return;
    release(found->second);
    allocations_.erase(found);
    ++memory_version_;
}

std::pair<ClMemory, size_t> ClContext::place_of(const void *address) const
{
    auto behind = allocations_.upper_bound(address);
    if (behind == allocations_.begin())
        return {nullptr, 0};
    const Allocation &its = std::prev(behind)->second;
    return {its.buffer, static_cast<size_t>(static_cast<const char *>(address) -
                                            static_cast<const char *>(its.given))};
}

void ClContext::download(ClQueueHandle queue, void *host, const void *device, size_t bytes)
{
    if (const auto [buffer, at] = place_of(device); buffer != nullptr)
        check(api_.read_buffer(queue, buffer, 0, at, bytes, host, 0, nullptr, nullptr),
              ClCalls::read_buffer);
    else
        check(api_.svm_copy(queue, 0, host, device, bytes, 0, nullptr, nullptr), ClCalls::svm_copy);
}

void ClContext::upload(ClQueueHandle queue, void *device, const void *host, size_t bytes)
{
    const uint32_t is_blocking = pinned_.contains(host, bytes) ? 0 : 1;
    if (const auto [buffer, at] = place_of(device); buffer != nullptr)
        check(api_.write_buffer(queue, buffer, is_blocking, at, bytes, host, 0, nullptr, nullptr),
              ClCalls::write_buffer);
    else
        check(api_.svm_copy(queue, is_blocking, device, host, bytes, 0, nullptr, nullptr),
              ClCalls::svm_copy);
}

void ClContext::fill(ClQueueHandle queue, void *device, int byte, size_t bytes)
{
    const auto pattern = static_cast<unsigned char>(byte);
    if (const auto [buffer, at] = place_of(device); buffer != nullptr)
        check(api_.fill_buffer(queue, buffer, &pattern, sizeof(pattern), at, bytes, 0, nullptr,
                               nullptr),
              ClCalls::fill_buffer);
    else
        check(api_.svm_fill(queue, device, &pattern, sizeof(pattern), bytes, 0, nullptr, nullptr),
              ClCalls::svm_fill);
}

ClQueueHandle ClContext::make_queue()
{
    check_alive();
    ClResult result = kClSuccess;
    ClQueueHandle queue = api_.create_queue(handle_, device_.device, nullptr, &result);
    check(result, ClCalls::create_queue);
    return queue;
}

void ClContext::check_alive() const
{
    if (!failure_.empty())
        throw Error(EIO, "the OpenCL device has failed before: " + failure_);
}

void ClContext::check(ClResult result, std::string_view call, std::string_view details)
{
    try {
        cl_check(result, call, details);
    } catch (const Error &error) {
        if (error.code() == EIO && failure_.empty())
            failure_ = error.what();
        throw;
    }
}

void ClContext::report(ClResult result, std::string_view call) noexcept
{
    if (result == kClSuccess || !failure_.empty())
        return;
    try {
        log_(VMAFGPU_LOG_WARNING,
             "OpenCL: while releasing: " + std::string(call) + ": " + cl_error_text(result));
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
    }
}

} // namespace vmafgpu
