// SPDX-License-Identifier: BSD-2-Clause-Patent
// Queue and Event (device.h) over the streams and events of CUDA or HIP. Nothing here
// waits for the device but Event::sync() and uploads of memory that is not pinned.
// Policy: see driver_context.h.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cuda_hip/driver_context.h"
#include "system/poll.h"

namespace vmafgpu {

/// An event without timing. Before its first record() it counts as done.
template <typename Policy> class DriverEvent final : public Event {
public:
    explicit DriverEvent(std::shared_ptr<DriverContext<Policy>> context)
        : context_(std::move(context))
    {
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().event_create(&handle_, Policy::kEventFlags),
                        Calls::event_create);
    }
    ~DriverEvent() override
    {
        context_->release([this] {
            context_->report(context_->api().event_destroy(handle_), Calls::event_destroy);
        });
    }
    DriverEvent(const DriverEvent &) = delete;
    DriverEvent &operator=(const DriverEvent &) = delete;

    bool done() override
    {
        const DriverScope<Policy> scope(*context_);
        return is_done();
    }

    void sync() override
    {
        const DriverScope<Policy> scope(*context_);
        if (poll_for(kSpin, [this] { return is_done(); }))
            return;
        context_->check(context_->api().event_sync(handle_), Calls::event_sync);
    }

    typename Policy::Event handle() const { return handle_; }

private:
    using Calls = typename Policy::Calls;

    // Most waits end within a frame's work: poll for this long before sleeping.
    static constexpr std::chrono::microseconds kSpin{50};

    bool is_done()
    {
        const auto result = context_->api().event_query(handle_);
        if (result == Policy::kNotReady)
            return false;
        context_->check(result, Calls::event_query);
        return true;
    }

    std::shared_ptr<DriverContext<Policy>> context_;
    typename Policy::Event handle_ = nullptr;
};

/// A stream that does not wait for the default stream.
template <typename Policy> class DriverQueue final : public Queue {
public:
    explicit DriverQueue(std::shared_ptr<DriverContext<Policy>> context, int priority = 0)
        : context_(std::move(context)), native_done_(context_)
    {
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().stream_create(&stream_, Policy::kStreamFlags, priority),
                        Calls::stream_create);
    }
    ~DriverQueue() override
    {
        context_->release([this] {
            // Work in flight may still use memory that the owner frees after this.
            context_->report(context_->api().stream_sync(stream_), Calls::stream_sync);
            context_->report(context_->api().stream_destroy(stream_), Calls::stream_destroy);
        });
    }
    DriverQueue(const DriverQueue &) = delete;
    DriverQueue &operator=(const DriverQueue &) = delete;

    void download(void *host, const void *device, size_t bytes) override
    {
        if (bytes == 0)
            return;
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().download(host, Policy::pointer(device), bytes, stream_),
                        Calls::download);
    }

    // A driver does not promise when it has read pageable memory, and device.h promises
    // that it is free on return: so wait. That is slow; the engine uploads pictures from
    // pinned memory.
    void upload(void *device, const void *host, size_t bytes) override
    {
        if (bytes == 0)
            return;
        const DriverScope<Policy> scope(*context_);
        // HIP's declaration lacks the const.
        context_->check(context_->api().upload(Policy::pointer(device), const_cast<void *>(host),
                                               bytes, stream_),
                        Calls::upload);
        if (!context_->pinned().contains(host, bytes))
            context_->check(context_->api().stream_sync(stream_), Calls::stream_sync);
    }

    void fill(void *device, int byte, size_t bytes) override
    {
        if (bytes == 0)
            return;
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().fill(Policy::pointer(device),
                                             static_cast<unsigned char>(byte), bytes, stream_),
                        Calls::fill);
    }

    void record(Event &event) override
    {
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().event_record(handle_of(event), stream_),
                        Calls::event_record);
    }

    void wait(Event &event) override
    {
        const DriverScope<Policy> scope(*context_);
        context_->check(context_->api().stream_wait(stream_, handle_of(event), 0),
                        Calls::stream_wait);
    }

    void wait_native(void *stream) override
    {
        const DriverScope<Policy> scope(*context_);
        // One event serves every call: the wait takes the state that the event has now.
        context_->check(context_->api().event_record(native_done_.handle(),
                                                     static_cast<typename Policy::Stream>(stream)),
                        Calls::event_record, " on the caller's stream");
        context_->check(context_->api().stream_wait(stream_, native_done_.handle(), 0),
                        Calls::stream_wait);
    }

    DeviceTraits traits() const override { return context_->traits(); }

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override
    {
        const DriverScope<Policy> scope(*context_);
        const auto function = context_->function(name, args.bytes);
        uint32_t *counter = args.counter;
        void *parameters[] = {const_cast<void *>(args.data), &counter};
        const auto result = context_->api().launch(function, grid.x, grid.y, grid.z, threads, 1, 1,
                                                   0, stream_, parameters, nullptr);
        if (result != Policy::kSuccess) {
            context_->check(result, Calls::launch,
                            std::string(" of ") + name + ", grid " + std::to_string(grid.x) + "x" +
                                std::to_string(grid.y) + "x" + std::to_string(grid.z) + ", " +
                                std::to_string(threads) + " threads");
        }
    }

private:
    using Calls = typename Policy::Calls;

    static typename Policy::Event handle_of(Event &event)
    {
        return static_cast<DriverEvent<Policy> &>(event).handle();
    }

    std::shared_ptr<DriverContext<Policy>> context_;
    typename Policy::Stream stream_ = nullptr;
    DriverEvent<Policy> native_done_; ///< event that wait_native() records on the other stream
};

} // namespace vmafgpu
