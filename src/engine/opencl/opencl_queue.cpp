// SPDX-License-Identifier: BSD-2-Clause-Patent
// See opencl_queue.h.
#include "opencl/opencl_queue.h"

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"
#include "base/numeric.h"
#include "system/poll.h"

namespace vmafgpu {

namespace {

// Most waits end within a frame's work: poll for this long before sleeping.
constexpr std::chrono::microseconds kSpin{50};

} // namespace

void ClEvent::set(ClEventHandle handle) noexcept
{
    if (handle_ != nullptr)
        context_->report(context_->api().release_event(handle_), ClCalls::release_event);
    handle_ = handle;
}

bool ClEvent::done()
{
    context_->check_alive();
    if (handle_ == nullptr)
        return true;
    int32_t status = 0;
    context_->check(context_->api().event_info(handle_, kClEventExecutionStatus, sizeof(status),
                                               &status, nullptr),
                    ClCalls::event_info);
    if (status < 0) // work before the marker has failed, which is the end of the device
        context_->check(kClOutOfResources, "OpenCL",
                        " work ended with error " + std::to_string(status));
    return status == 0;
}

void ClEvent::sync()
{
    if (poll_for(kSpin, [this] { return done(); }))
        return;
    context_->check(context_->api().event_sync(1, &handle_), ClCalls::event_sync);
    done();
}

ClQueue::ClQueue(std::shared_ptr<ClContext> context)
    : context_(std::move(context)), handle_(context_->make_queue())
{
}

ClQueue::~ClQueue()
{
    // Work in flight may still use memory that the owner frees after this.
    context_->report(context_->api().finish(handle_), ClCalls::finish);
    context_->report(context_->api().release_queue(handle_), ClCalls::release_queue);
}

void ClQueue::download(void *host, const void *device, size_t bytes)
{
    context_->check_alive();
    if (bytes != 0)
        context_->download(handle_, host, device, bytes);
}

void ClQueue::upload(void *device, const void *host, size_t bytes)
{
    context_->check_alive();
    if (bytes != 0)
        context_->upload(handle_, device, host, bytes);
}

void ClQueue::fill(void *device, int byte, size_t bytes)
{
    context_->check_alive();
    if (bytes != 0)
        context_->fill(handle_, device, byte, bytes);
}

/// Flushes, since other queues wait only for what has been given to the device.
void ClQueue::record(Event &event)
{
    context_->check_alive();
    ClEventHandle marker = nullptr;
    context_->check(context_->api().marker(handle_, 0, nullptr, &marker), ClCalls::marker);
    static_cast<ClEvent &>(event).set(marker);
    context_->check(context_->api().flush(handle_), ClCalls::flush);
}

void ClQueue::wait(Event &event)
{
    context_->check_alive();
    ClEventHandle marker = static_cast<ClEvent &>(event).handle();
    if (marker != nullptr)
        context_->check(context_->api().wait(handle_, 1, &marker, nullptr), ClCalls::wait);
}

void ClQueue::wait_native(void * /*stream*/)
{
    throw Error(EINVAL, "backend opencl takes no stream of another library");
}

void ClQueue::launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args)
{
    context_->check_alive();
    // opencl::Launch of the dialect: the arguments, then where the launch is counted.
    char memory[kMaxArgumentBytes + 2 * sizeof(uint64_t)];
    const size_t counter_at = round_up(args.bytes, sizeof(uint64_t));
    std::memcpy(memory, args.data, args.bytes);
    std::memcpy(memory + counter_at, &args.counter, sizeof(args.counter));
    context_->launch(handle_, name, threads, grid, memory, counter_at + sizeof(args.counter));
}

} // namespace vmafgpu
