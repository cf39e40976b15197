// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device (device.h) over the memory calls of CUDA or HIP, and the list of the devices
// that a build can use. Finding and opening devices is the vendor's (cuda_device.cpp,
// hip_device.cpp). Policy: see driver_context.h.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "driver/driver_queue.h"

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
        context_->pinned().add(memory, bytes);
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
        return std::make_unique<DriverQueue<Policy>>(context_);
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

    VmafGpuDevice info_;
    std::shared_ptr<DriverContext<Policy>> context_;
};

/// All devices, also those that this build has no kernels for; index = ordinal.
template <typename Describe> std::vector<VmafGpuDevice> all_devices(int count, Describe describe)
{
    std::vector<VmafGpuDevice> devices;
    devices.reserve(static_cast<size_t>(count));
    for (int ordinal = 0; ordinal < count; ++ordinal)
        devices.push_back(describe(ordinal));
    return devices;
}

/// What a backend lists: of count() devices those that describe(ordinal) can describe and that
/// why_not(ordinal) has nothing against. A device that fails hides no other. Never throws. If there
/// is none, *why_none (unless null) says why, at first `none`.
template <typename Count, typename Describe, typename WhyNot>
std::vector<VmafGpuDevice> usable_devices(std::string *why_none, const char *none, Count count,
                                          Describe describe, WhyNot why_not)
{
    std::string why = none;
    std::vector<VmafGpuDevice> usable;
    const auto attempt = [&](auto action) {
        try {
            action();
        } catch (const std::exception &error) {
            why = error.what();
        }
    };
    int devices = 0;
    attempt([&] { devices = count(); });
    for (int ordinal = 0; ordinal < devices; ++ordinal) {
        attempt([&] {
            const VmafGpuDevice device = describe(ordinal);
            const std::string reason = why_not(ordinal);
            if (reason.empty())
                usable.push_back(device);
            else
                why = reason;
        });
    }
    if (usable.empty() && why_none)
        *why_none = why;
    return usable;
}

} // namespace vmafgpu
