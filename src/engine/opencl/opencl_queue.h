// SPDX-License-Identifier: BSD-2-Clause-Patent
// Queue and Event (device.h) over OpenCL's. Nothing here waits for the device but Event::sync() and
// uploads of memory that is not pinned.
#pragma once

#include <memory>

#include "device/device.h"
#include "opencl/opencl_context.h"

namespace vmafgpu {

/// Before its first record() it counts as done.
class ClEvent final : public Event {
public:
    explicit ClEvent(std::shared_ptr<ClContext> context) : context_(std::move(context)) {}
    ~ClEvent() override { set(nullptr); }
    ClEvent(const ClEvent &) = delete;
    ClEvent &operator=(const ClEvent &) = delete;

    bool done() override;
    void sync() override;

    /// Takes a marker of OpenCL in place of the last one.
    void set(ClEventHandle handle) noexcept;
    ClEventHandle handle() const { return handle_; }

private:
    std::shared_ptr<ClContext> context_;
    ClEventHandle handle_ = nullptr;
};

class ClQueue final : public Queue {
public:
    explicit ClQueue(std::shared_ptr<ClContext> context);
    ~ClQueue() override;
    ClQueue(const ClQueue &) = delete;
    ClQueue &operator=(const ClQueue &) = delete;

    void download(void *host, const void *device, size_t bytes) override;
    void upload(void *device, const void *host, size_t bytes) override;
    void fill(void *device, int byte, size_t bytes) override;
    void record(Event &event) override;
    void wait(Event &event) override;
    void wait_native(void *stream) override;

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override;

private:
    std::shared_ptr<ClContext> context_;
    ClQueueHandle handle_;
};

} // namespace vmafgpu
