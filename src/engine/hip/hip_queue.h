// SPDX-License-Identifier: BSD-2-Clause-Patent
// Queue and Event (device.h) over HIP streams and events. Made by
// hip_device.cpp only.
#pragma once

#include <memory>

#include "device/device.h"
#include "hip/hip_context.h"

namespace vmafgpu {

/// An event without timing. Before its first record() it counts as done.
class HipEvent final : public Event {
public:
    explicit HipEvent(std::shared_ptr<HipContext> context);
    ~HipEvent() override;

    bool done() override;
    void sync() override;

    HipEventHandle handle() const { return handle_; }

private:
    std::shared_ptr<HipContext> context_;
    HipEventHandle handle_ = nullptr;
};

/// A stream that does not wait for the default stream.
class HipQueue final : public Queue {
public:
    explicit HipQueue(std::shared_ptr<HipContext> context);
    ~HipQueue() override;

    void upload2d(void *device, size_t device_pitch, const void *host, ptrdiff_t host_pitch,
                  size_t row_bytes, int rows) override;
    void copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                int rows) override;
    void download(void *host, const void *device, size_t bytes) override;
    void upload(void *device, const void *host, size_t bytes) override;
    void fill(void *device, int byte, size_t bytes) override;
    void record(Event &event) override;
    void wait(Event &event) override;
    void wait_native(void *stream) override;

protected:
    void launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                    const LaunchArgs &args) override;

private:
    void finish_pageable(const void *first, size_t bytes);

    std::shared_ptr<HipContext> context_;
    HipStreamHandle stream_ = nullptr;
    HipEvent native_done_; ///< what wait_native() records on the other stream
};

} // namespace vmafgpu
