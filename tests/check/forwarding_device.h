// SPDX-License-Identifier: BSD-2-Clause-Patent
// A Device and a Queue that pass every call on to another. Tests and tools derive from
// them and override what they are about: lose a launch, spoil a download, look at memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "device/device.h"

namespace vmafgpu {

class ForwardingQueue : public Queue {
public:
    explicit ForwardingQueue(std::unique_ptr<Queue> queue) : queue_(std::move(queue)) {}

    void download(void *host, const void *device, size_t bytes) override
    {
        queue_->download(host, device, bytes);
    }
    void upload(void *device, const void *host, size_t bytes) override
    {
        queue_->upload(device, host, bytes);
    }
    void fill(void *device, int byte, size_t bytes) override { queue_->fill(device, byte, bytes); }
    void record(Event &event) override { queue_->record(event); }
    void wait(Event &event) override { queue_->wait(event); }
    void wait_native(void *stream) override { queue_->wait_native(stream); }
    DeviceTraits traits() const override { return queue_->traits(); }

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override
    {
        (queue_.get()->*(&Access::launch_raw))(name, threads, grid, args);
    }

private:
    /// launch_raw() is for launch() only; a Queue that forwards has the same right.
    struct Access : Queue {
        using Queue::launch_raw;
    };

    std::unique_ptr<Queue> queue_;
};

/// Derived classes wrap what ForwardingDevice::make_queue() returns.
class ForwardingDevice : public Device {
public:
    explicit ForwardingDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

    const VmafGpuDevice &info() const override { return device_->info(); }
    void *alloc(size_t bytes) override { return device_->alloc(bytes); }
    void free(void *memory) override { device_->free(memory); }
    void *alloc_host(size_t bytes) override { return device_->alloc_host(bytes); }
    void free_host(void *memory) override { device_->free_host(memory); }
    void *import_memory(int fd, size_t bytes) override { return device_->import_memory(fd, bytes); }
    void *import_vulkan(int fd, size_t bytes) override { return device_->import_vulkan(fd, bytes); }
    void release_import(void *memory) override { device_->release_import(memory); }
    std::string refusal(const char *kernel, unsigned threads) override
    {
        return device_->refusal(kernel, threads);
    }
    std::unique_ptr<Queue> make_queue() override { return device_->make_queue(); }
    std::unique_ptr<Event> make_event() override { return device_->make_event(); }

private:
    std::unique_ptr<Device> device_;
};

} // namespace vmafgpu
