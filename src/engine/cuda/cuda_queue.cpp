// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cuda_queue.h: copies, launches and events on one stream. Nothing here
// waits for the device but Event::sync() and uploads of pageable memory.
#include "cuda/cuda_queue.h"

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

CudaPointer device_pointer(const void *memory)
{
    return reinterpret_cast<CudaPointer>(memory);
}

} // namespace

CudaEvent::CudaEvent(std::shared_ptr<CudaContext> context) : context_(std::move(context))
{
    const CudaScope scope(*context_);
    context_->check(
        context_->api().event_create(&handle_, kCudaEventBlockingSync | kCudaEventDisableTiming),
        "cuEventCreate");
}

CudaEvent::~CudaEvent()
{
    try {
        const CudaScope scope(*context_);
        context_->report(context_->api().event_destroy(handle_), "cuEventDestroy");
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): lost with its context
    }
}

bool CudaEvent::done()
{
    const CudaScope scope(*context_);
    const CudaResult result = context_->api().event_query(handle_);
    if (result == kCudaNotReady)
        return false;
    context_->check(result, "cuEventQuery");
    return true;
}

void CudaEvent::sync()
{
    const CudaScope scope(*context_);
    const auto until = std::chrono::steady_clock::now() + kSpin;
    do {
        const CudaResult result = context_->api().event_query(handle_);
        if (result != kCudaNotReady) {
            context_->check(result, "cuEventQuery");
            return;
        }
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < until);
    context_->check(context_->api().event_sync(handle_), "cuEventSynchronize");
}

CudaQueue::CudaQueue(std::shared_ptr<CudaContext> context)
    : context_(std::move(context)), native_done_(context_)
{
    const CudaScope scope(*context_);
    context_->check(context_->api().stream_create(&stream_, kCudaStreamNonBlocking),
                    "cuStreamCreate");
}

CudaQueue::~CudaQueue()
{
    try {
        const CudaScope scope(*context_);
        // Work in flight may still use memory that the owner frees after us.
        context_->report(context_->api().stream_sync(stream_), "cuStreamSynchronize");
        context_->report(context_->api().stream_destroy(stream_), "cuStreamDestroy");
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): lost with its context
    }
}

// The driver promises nothing about when it has read pageable memory, and on
// systems where the GPU reads it in place it indeed reads it late. device.h
// promises that it is free on return, so wait. Slow: meant for set-up and
// tests; the engine uploads pictures from its own pinned memory.
void CudaQueue::finish_pageable(const void *first, size_t bytes)
{
    if (!context_->is_pinned(first, bytes))
        context_->check(context_->api().stream_sync(stream_), "cuStreamSynchronize");
}

void CudaQueue::upload2d(void *device, size_t device_pitch, const void *host, ptrdiff_t host_pitch,
                         size_t row_bytes, int rows)
{
    if (rows <= 0 || row_bytes == 0)
        return;
    const CudaScope scope(*context_);
    const char *top = static_cast<const char *>(host);
    const char *bottom = top + host_pitch * (rows - 1);
    if (host_pitch >= static_cast<ptrdiff_t>(row_bytes) || rows == 1) {
        CudaCopy2d copy = {};
        copy.source_type = kCudaMemoryHost;
        copy.source_host = host;
        copy.source_pitch = rows == 1 ? row_bytes : static_cast<size_t>(host_pitch);
        copy.target_type = kCudaMemoryDevice;
        copy.target_device = device_pointer(device);
        copy.target_pitch = rows == 1 ? row_bytes : device_pitch;
        copy.width_bytes = row_bytes;
        copy.height = static_cast<size_t>(rows);
        context_->check(context_->api().copy2d(&copy, stream_), "cuMemcpy2DAsync");
    } else {
        // The driver has no negative (or overlapping) pitches.
        for (int y = 0; y < rows; ++y) {
            const CudaPointer to = device_pointer(device) + device_pitch * static_cast<size_t>(y);
            context_->check(context_->api().upload(to, top + host_pitch * y, row_bytes, stream_),
                            "cuMemcpyHtoDAsync");
        }
    }
    const char *first = std::min(top, bottom);
    finish_pageable(first, static_cast<size_t>(std::max(top, bottom) - first) + row_bytes);
}

void CudaQueue::copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                       size_t row_bytes, int rows)
{
    if (rows <= 0 || row_bytes == 0)
        return;
    const CudaScope scope(*context_);
    CudaCopy2d copy = {};
    copy.source_type = kCudaMemoryDevice;
    copy.source_device = device_pointer(from);
    copy.source_pitch = rows == 1 ? row_bytes : from_pitch;
    copy.target_type = kCudaMemoryDevice;
    copy.target_device = device_pointer(to);
    copy.target_pitch = rows == 1 ? row_bytes : to_pitch;
    copy.width_bytes = row_bytes;
    copy.height = static_cast<size_t>(rows);
    context_->check(context_->api().copy2d(&copy, stream_), "cuMemcpy2DAsync");
}

void CudaQueue::download(void *host, const void *device, size_t bytes)
{
    if (bytes == 0)
        return;
    const CudaScope scope(*context_);
    context_->check(context_->api().download(host, device_pointer(device), bytes, stream_),
                    "cuMemcpyDtoHAsync");
}

void CudaQueue::upload(void *device, const void *host, size_t bytes)
{
    if (bytes == 0)
        return;
    const CudaScope scope(*context_);
    context_->check(context_->api().upload(device_pointer(device), host, bytes, stream_),
                    "cuMemcpyHtoDAsync");
    finish_pageable(host, bytes);
}

void CudaQueue::fill(void *device, int byte, size_t bytes)
{
    if (bytes == 0)
        return;
    const CudaScope scope(*context_);
    context_->check(context_->api().fill(device_pointer(device), static_cast<unsigned char>(byte),
                                         bytes, stream_),
                    "cuMemsetD8Async");
}

void CudaQueue::record(Event &event)
{
    const CudaScope scope(*context_);
    const auto &ours = static_cast<CudaEvent &>(event);
    context_->check(context_->api().event_record(ours.handle(), stream_), "cuEventRecord");
}

void CudaQueue::wait(Event &event)
{
    const CudaScope scope(*context_);
    const auto &ours = static_cast<CudaEvent &>(event);
    context_->check(context_->api().stream_wait(stream_, ours.handle(), 0), "cuStreamWaitEvent");
}

void CudaQueue::wait_native(void *stream)
{
    const CudaScope scope(*context_);
    // One event serves every call: the wait takes the state that the event has now.
    context_->check(
        context_->api().event_record(native_done_.handle(), static_cast<CudaStreamHandle>(stream)),
        "cuEventRecord on the caller's stream");
    context_->check(context_->api().stream_wait(stream_, native_done_.handle(), 0),
                    "cuStreamWaitEvent");
}

void CudaQueue::launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                           const LaunchArgs &args)
{
    if (args.bytes > kMaxArgumentBytes) {
        throw Error(EINVAL, std::string("kernel ") + name + ": arguments of " +
                                std::to_string(args.bytes) + " bytes, allowed are " +
                                std::to_string(kMaxArgumentBytes));
    }
    const CudaScope scope(*context_);
    CudaFunctionHandle function = context_->function(name, dynamic_shared, args.bytes);
    uint32_t *counter = args.counter;
    void *parameters[] = {const_cast<void *>(args.data), &counter};
    const CudaResult result =
        context_->api().launch(function, grid.x, grid.y, grid.z, threads, 1, 1, dynamic_shared,
                               stream_, parameters, nullptr);
    if (result != kCudaSuccess) {
        context_->check(result, std::string("cuLaunchKernel of ") + name + ", grid " +
                                    std::to_string(grid.x) + "x" + std::to_string(grid.y) + "x" +
                                    std::to_string(grid.z) + ", " + std::to_string(threads) +
                                    " threads");
    }
}

} // namespace vmafgpu
