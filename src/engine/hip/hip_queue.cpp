// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_queue.h: copies, launches and events on one stream. Nothing here waits
// for the device but Event::sync() and uploads of pageable memory.
#include "hip/hip_queue.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr size_t kMaxArgumentBytes = 4000; // what device.h promises every backend can pass

// Most waits end within a frame's work, and a sleeping thread wakes late: look
// for this long before sleeping.
constexpr std::chrono::microseconds kSpin{50};

} // namespace

HipEvent::HipEvent(std::shared_ptr<HipContext> context) : context_(std::move(context))
{
    const HipScope scope(*context_);
    context_->check(
        context_->api().event_create(&handle_, kHipEventBlockingSync | kHipEventDisableTiming),
        "hipEventCreateWithFlags");
}

HipEvent::~HipEvent()
{
    const HipScope scope(*context_, HipScope::kRelease);
    context_->report(context_->api().event_destroy(handle_), "hipEventDestroy");
}

bool HipEvent::done()
{
    const HipScope scope(*context_);
    const HipResult result = context_->api().event_query(handle_);
    if (result == kHipNotReady)
        return false;
    context_->check(result, "hipEventQuery");
    return true;
}

void HipEvent::sync()
{
    const HipScope scope(*context_);
    const auto until = std::chrono::steady_clock::now() + kSpin;
    do {
        const HipResult result = context_->api().event_query(handle_);
        if (result != kHipNotReady) {
            context_->check(result, "hipEventQuery");
            return;
        }
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < until);
    context_->check(context_->api().event_sync(handle_), "hipEventSynchronize");
}

HipQueue::HipQueue(std::shared_ptr<HipContext> context)
    : context_(std::move(context)), native_done_(context_)
{
    const HipScope scope(*context_);
    context_->check(context_->api().stream_create(&stream_, kHipStreamNonBlocking),
                    "hipStreamCreateWithFlags");
}

HipQueue::~HipQueue()
{
    const HipScope scope(*context_, HipScope::kRelease);
    // Work in flight may still use memory that the owner frees after us.
    context_->report(context_->api().stream_sync(stream_), "hipStreamSynchronize");
    context_->report(context_->api().stream_destroy(stream_), "hipStreamDestroy");
}

// The runtime promises nothing about when it has read pageable memory; device.h
// promises that it is free on return, so wait. Slow: meant for set-up and tests;
// the engine uploads pictures from its own pinned memory.
void HipQueue::finish_pageable(const void *first, size_t bytes)
{
    if (!context_->is_pinned(first, bytes))
        context_->check(context_->api().stream_sync(stream_), "hipStreamSynchronize");
}

void HipQueue::upload2d(void *device, size_t device_pitch, const void *host, ptrdiff_t host_pitch,
                        size_t row_bytes, int rows)
{
    if (rows <= 0 || row_bytes == 0)
        return;
    const HipScope scope(*context_);
    const char *top = static_cast<const char *>(host);
    const char *bottom = top + host_pitch * (rows - 1);
    if (host_pitch >= static_cast<ptrdiff_t>(row_bytes) || rows == 1) {
        const size_t to_pitch = rows == 1 ? row_bytes : device_pitch;
        const size_t from_pitch = rows == 1 ? row_bytes : static_cast<size_t>(host_pitch);
        context_->check(context_->api().copy2d(device, to_pitch, host, from_pitch, row_bytes,
                                               static_cast<size_t>(rows), kHipHostToDevice,
                                               stream_),
                        "hipMemcpy2DAsync");
    } else {
        // The runtime has no negative (or overlapping) pitches.
        for (int y = 0; y < rows; ++y) {
            char *to = static_cast<char *>(device) + device_pitch * static_cast<size_t>(y);
            context_->check(context_->api().upload(to, const_cast<char *>(top + host_pitch * y),
                                                   row_bytes, stream_),
                            "hipMemcpyHtoDAsync");
        }
    }
    const char *first = std::min(top, bottom);
    finish_pageable(first, static_cast<size_t>(std::max(top, bottom) - first) + row_bytes);
}

void HipQueue::copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t row_bytes, int rows)
{
    if (rows <= 0 || row_bytes == 0)
        return;
    const HipScope scope(*context_);
    context_->check(context_->api().copy2d(to, rows == 1 ? row_bytes : to_pitch, from,
                                           rows == 1 ? row_bytes : from_pitch, row_bytes,
                                           static_cast<size_t>(rows), kHipDeviceToDevice, stream_),
                    "hipMemcpy2DAsync");
}

void HipQueue::download(void *host, const void *device, size_t bytes)
{
    if (bytes == 0)
        return;
    const HipScope scope(*context_);
    context_->check(context_->api().download(host, const_cast<void *>(device), bytes, stream_),
                    "hipMemcpyDtoHAsync");
}

void HipQueue::upload(void *device, const void *host, size_t bytes)
{
    if (bytes == 0)
        return;
    const HipScope scope(*context_);
    context_->check(context_->api().upload(device, const_cast<void *>(host), bytes, stream_),
                    "hipMemcpyHtoDAsync");
    finish_pageable(host, bytes);
}

void HipQueue::fill(void *device, int byte, size_t bytes)
{
    if (bytes == 0)
        return;
    const HipScope scope(*context_);
    context_->check(context_->api().fill(device, byte, bytes, stream_), "hipMemsetAsync");
}

void HipQueue::record(Event &event)
{
    const HipScope scope(*context_);
    const auto &ours = static_cast<HipEvent &>(event);
    context_->check(context_->api().event_record(ours.handle(), stream_), "hipEventRecord");
}

void HipQueue::wait(Event &event)
{
    const HipScope scope(*context_);
    const auto &ours = static_cast<HipEvent &>(event);
    context_->check(context_->api().stream_wait(stream_, ours.handle(), 0), "hipStreamWaitEvent");
}

void HipQueue::wait_native(void *stream)
{
    const HipScope scope(*context_);
    // One event serves every call: the wait takes the state that the event has now.
    context_->check(
        context_->api().event_record(native_done_.handle(), static_cast<HipStreamHandle>(stream)),
        "hipEventRecord on the caller's stream");
    context_->check(context_->api().stream_wait(stream_, native_done_.handle(), 0),
                    "hipStreamWaitEvent");
}

void HipQueue::launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                          const LaunchArgs &args)
{
    if (args.bytes > kMaxArgumentBytes) {
        throw Error(EINVAL, std::string("kernel ") + name + ": arguments of " +
                                std::to_string(args.bytes) + " bytes, allowed are " +
                                std::to_string(kMaxArgumentBytes));
    }
    const HipScope scope(*context_);
    HipFunctionHandle function = context_->function(name, dynamic_shared, args.bytes);
    uint32_t *counter = args.counter;
    void *parameters[] = {const_cast<void *>(args.data), &counter};
    const HipResult result = context_->api().launch(function, grid.x, grid.y, grid.z, threads, 1, 1,
                                                    dynamic_shared, stream_, parameters, nullptr);
    if (result != kHipSuccess) {
        context_->check(result, std::string("hipModuleLaunchKernel of ") + name + ", grid " +
                                    std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" +
                                    std::to_string(grid.z) + ", " + std::to_string(threads) +
                                    " threads");
    }
}

} // namespace vmafgpu
