// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device (device.h) over the memory calls of CUDA or HIP, and the list of the devices
// that a build can use. Finding and opening devices is the vendor's (cuda_device.cpp,
// hip_device.cpp). Policy: see driver_context.h.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cuda_hip/driver_queue.h"
#include "device/select.h"

namespace vmafgpu {

template <typename Policy> class DriverDevice : public Device {
public:
    DriverDevice(const VmafGpuDevice &info, std::shared_ptr<DriverContext<Policy>> context)
        : info_(info), context_(std::move(context))
    {
    }

    const VmafGpuDevice &info() const override { return info_; }

    void *alloc(size_t bytes) override
    {
        const DriverScope<Policy> scope(*context_);
        typename Policy::Pointer memory = {};
        context_->check(context_->api().mem_alloc(&memory, std::max<size_t>(bytes, 1)),
                        Calls::mem_alloc, of_bytes(bytes));
        return Policy::memory(memory);
    }

    void free(void *memory) override
    {
        if (!memory)
            return;
        context_->release([&] {
            context_->report(context_->api().mem_free(Policy::pointer(memory)), Calls::mem_free);
        });
    }

    void *alloc_host(size_t bytes) override
    {
        const DriverScope<Policy> scope(*context_);
        void *memory = nullptr;
        context_->check(context_->api().host_alloc(&memory, std::max<size_t>(bytes, 1), 0),
                        Calls::host_alloc, of_bytes(bytes));
        try {
            context_->pinned().add(memory, bytes);
        } catch (...) { // no memory for the list
            context_->report(context_->api().host_free(memory), Calls::host_free);
            throw;
        }
        return memory;
    }

    void free_host(void *memory) override
    {
        if (!memory)
            return;
        context_->pinned().remove(memory);
        context_->release(
            [&] { context_->report(context_->api().host_free(memory), Calls::host_free); });
    }

    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<DriverQueue<Policy>>(context_, kNormalPriority);
    }
    std::unique_ptr<Queue> make_copy_queue() override
    {
        return std::make_unique<DriverQueue<Policy>>(context_, kCopyPriority);
    }
    std::unique_ptr<Event> make_event() override
    {
        return std::make_unique<DriverEvent<Policy>>(context_);
    }

protected:
    DriverContext<Policy> &context() { return *context_; }
    static std::string of_bytes(size_t bytes) { return " of " + std::to_string(bytes) + " bytes"; }

private:
    using Calls = typename Policy::Calls;

    /// CUDA's and HIP's. Kernels that unpack pictures are small, and much waits for them. All
    /// drivers know -1; HIP's runtime cuts what is beyond its range of -1 to 1.
    static constexpr int kNormalPriority = 0, kCopyPriority = -1;

    VmafGpuDevice info_;
    std::shared_ptr<DriverContext<Policy>> context_;
};

/// A device with what its rank depends on. ask(int *value, int attribute) asks the driver, which
/// has these numbers for the attributes.
template <typename Ask>
FoundDevice with_rank(const VmafGpuDevice &info, int integrated, int multiprocessors, Ask ask)
{
    FoundDevice found;
    found.info = info;
    int is_integrated = 0;
    ask(&is_integrated, integrated);
    ask(&found.multiprocessors, multiprocessors);
    found.is_integrated = is_integrated != 0;
    return found;
}

/// Returns all devices, also those that this build has no kernels for; index = ordinal. Throws what
/// the two functions throw.
template <typename Describe, typename WhyNot>
std::vector<FoundDevice> all_devices(int count, Describe describe, WhyNot why_not)
{
    std::vector<FoundDevice> devices;
    devices.reserve(static_cast<size_t>(count));
    for (int ordinal = 0; ordinal < count; ++ordinal)
        devices.push_back(describe(ordinal));
    for (FoundDevice &device : devices)
        device.why_not = why_not(static_cast<int>(&device - devices.data()));
    return devices;
}

/// The ordinal of the device that a request without a native context means.
inline size_t choose_device(const char *backend, const DeviceRequest &request,
                            const std::vector<FoundDevice> &devices)
{
    const int ordinal = request.selector.empty()
                            ? best_device(devices, request.except)
                            : select_device(backend, request.selector, infos_of(devices));
    if (ordinal < 0)
        throw Error(ENODEV, std::string("no other ") + backend + " device");
    if (request.chosen != nullptr)
        *request.chosen = devices[static_cast<size_t>(ordinal)].info.selector;
    return static_cast<size_t>(ordinal);
}

/// What a backend lists, best first: count() devices, with what why_not(ordinal) has against them.
/// One that describe(ordinal) cannot describe hides no other. Never throws. If none is usable,
/// *why_none (unless null) says why, at first `none`: the reason of the driver's first device.
template <typename Count, typename Describe, typename WhyNot>
std::vector<FoundDevice> find_devices(std::string *why_none, const char *backend, const char *none,
                                      Count count, Describe describe, WhyNot why_not)
{
    std::string why = none;
    std::vector<FoundDevice> found;
    int devices = 0;
    try {
        devices = count();
    } catch (const std::exception &error) {
        why = error.what();
    }
    for (int ordinal = 0; ordinal < devices; ++ordinal) {
        FoundDevice device;
        std::snprintf(device.info.backend, sizeof(device.info.backend), "%s", backend);
        std::snprintf(device.info.selector, sizeof(device.info.selector), "%s:%d", backend,
                      ordinal);
        try {
            device = describe(ordinal);
            device.why_not = why_not(ordinal);
        } catch (const std::exception &error) {
            device.why_not = error.what();
        }
        found.push_back(device);
    }
    if (!found.empty())
        why = found.front().why_not;
    rank_devices(found);
    if (why_none && usable_devices(found).empty())
        *why_none = why;
    return found;
}

} // namespace vmafgpu
