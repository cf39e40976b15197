// SPDX-License-Identifier: BSD-2-Clause-Patent
// Queue and Event (device.h) over CUDA streams and events. Made by
// cuda_device.cpp only.
#pragma once

#include <memory>

#include "cuda/cuda_context.h"
#include "device/device.h"

namespace vmafgpu {

/// An event without timing. Before its first record() it counts as done.
class CudaEvent final : public Event {
public:
    explicit CudaEvent(std::shared_ptr<CudaContext> context);
    ~CudaEvent() override;

    bool done() override;
    void sync() override;

    CudaEventHandle handle() const { return handle_; }

private:
    std::shared_ptr<CudaContext> context_;
    CudaEventHandle handle_ = nullptr;
};

/// A stream that does not wait for the default stream.
class CudaQueue final : public Queue {
public:
    explicit CudaQueue(std::shared_ptr<CudaContext> context);
    ~CudaQueue() override;

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
    DeviceTraits traits() const override { return context_->traits(); }

protected:
    void launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                    const LaunchArgs &args) override;

private:
    void finish_pageable(const void *first, size_t bytes);

    std::shared_ptr<CudaContext> context_;
    CudaStreamHandle stream_ = nullptr;
    CudaEvent native_done_; ///< what wait_native() records on the other stream
};

} // namespace vmafgpu
