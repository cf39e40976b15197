// SPDX-License-Identifier: BSD-2-Clause-Patent
// In-order work of the emulated device. Normally each call does its work at once;
// a deferred device keeps it until somebody needs the result.
#include "emu/emu_queue.h"

#include <cstring>
#include <exception>
#include <utility>

#include "base/error.h"

namespace vmafgpu {
namespace emu {

namespace {

uint64_t launch_seed(uint64_t seed, uint64_t launch)
{
    return (seed + UINT64_C(0x632be59bd9b4e019)) * (2 * launch + 1);
}

/// Throws Error(EINVAL) for a launch that no device would take; `what` begins the text.
void check_launch(const std::string &what, const KernelEntry *kernel, unsigned threads, Grid grid,
                  const LaunchArgs &args)
{
    if (kernel == nullptr)
        throw Error(EINVAL, what + "no such kernel in this build");
    if (threads == 0 || threads % 64 != 0 || threads > kernel->max_threads) {
        throw Error(EINVAL, what + std::to_string(threads) +
                                " threads; allowed: multiples of 64 up to " +
                                std::to_string(kernel->max_threads));
    }
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 ||
        grid.z > 65535) {
        throw Error(EINVAL, what + "grid " + std::to_string(grid.x) + "x" + std::to_string(grid.y) +
                                "x" + std::to_string(grid.z) +
                                "; allowed: 1..2147483647 x 1..65535 x 1..65535");
    }
    if (args.bytes != kernel->args_bytes) {
        throw Error(EINVAL, what + std::to_string(args.bytes) + " bytes of arguments; it takes " +
                                std::to_string(kernel->args_bytes));
    }
}

} // namespace

void Stream::run_until(uint64_t position)
{
    while (completed < position && !pending.empty()) {
        const std::function<void()> work = std::move(pending.front());
        pending.pop_front();
        ++completed;
        work();
    }
}

// ------------------------------------------------------------------- event

bool EmuEvent::done()
{
    if (!stream_ || stream_->completed >= position_)
        return true;
    state_->enter("event query");
    // A device takes its time; whoever polls must come back.
    if (polls_ < state_->settings.deferred_polls) {
        ++polls_;
        return false;
    }
    stream_->run_until(position_);
    return true;
}

void EmuEvent::sync()
{
    state_->enter("event synchronize");
    if (stream_)
        stream_->run_until(position_);
}

// ------------------------------------------------------------------- queue

EmuQueue::EmuQueue(std::shared_ptr<DeviceState> state)
    : state_(std::move(state)), stream_(std::make_shared<Stream>())
{
    state_->streams.push_back(stream_);
}

EmuQueue::~EmuQueue()
{
    try {
        stream_->run_until(stream_->submitted);
    } catch (const std::exception &e) {
        state_->report(e.what());
        stream_->pending.clear();
        stream_->completed = stream_->submitted;
    }
}

void EmuQueue::submit(std::function<void()> work)
{
    stream_->pending.push_back(std::move(work));
    ++stream_->submitted;
    if (state_->settings.deferred_polls == 0)
        stream_->run_until(stream_->submitted);
}

void EmuQueue::require_device(const char *call, const void *memory, size_t bytes) const
{
    if (!state_->device.contains(memory, bytes)) {
        throw Error(EINVAL, state_->name + ": " + call + ": " + std::to_string(bytes) +
                                " bytes that are not inside one device buffer");
    }
}

void EmuQueue::download(void *host, const void *device, size_t bytes)
{
    state_->enter("download");
    require_device("download", device, bytes);
    if (!state_->host.contains(host, bytes)) {
        throw Error(EINVAL, state_->name + ": download: " + std::to_string(bytes) +
                                " bytes to memory that is not from alloc_host()");
    }
    submit([=] { std::memcpy(host, device, bytes); });
}

void EmuQueue::upload(void *device, const void *host, size_t bytes)
{
    state_->enter("upload");
    require_device("upload", device, bytes);
    // Pageable memory is the caller's again on return: a deferred copy needs its own.
    std::shared_ptr<char[]> copy;
    if (state_->settings.deferred_polls != 0 && !state_->host.contains(host, bytes)) {
        copy.reset(new char[bytes]);
        std::memcpy(copy.get(), host, bytes);
        host = copy.get();
    }
    // `copy` lives until the work is done.
    submit([device, host, bytes, copy] { std::memcpy(device, host, bytes); });
}

void EmuQueue::fill(void *device, int byte, size_t bytes)
{
    state_->enter("fill");
    require_device("fill", device, bytes);
    submit([=] { std::memset(device, byte, bytes); });
}

void EmuQueue::record(Event &event)
{
    state_->enter("event record");
    auto &emu_event = static_cast<EmuEvent &>(event);
    emu_event.stream_ = stream_;
    emu_event.position_ = stream_->submitted;
    emu_event.polls_ = 0;
}

void EmuQueue::wait(Event &event)
{
    state_->enter("wait for event");
    // The event's present state counts, not a later recording.
    const auto &emu_event = static_cast<EmuEvent &>(event);
    const std::shared_ptr<Stream> other = emu_event.stream_;
    const uint64_t position = emu_event.position_;
    if (other && other != stream_)
        submit([=] { other->run_until(position); });
}

void EmuQueue::wait_native(void *stream)
{
    state_->enter("wait for native stream");
    if (stream != nullptr)
        throw Error(EINVAL, state_->name + ": the emulator has no native streams");
}

// Few multiprocessors, so that small pictures are divided as large ones are elsewhere.
DeviceTraits EmuQueue::traits() const
{
    return {matrix_is_wanted() ? state_->settings.wave_size : 0, 1};
}

void EmuQueue::launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args)
{
    state_->enter("launch");
    const KernelEntry *kernel = find_kernel(name);
    check_launch(state_->name + ": kernel " + name + ": ", kernel, threads, grid, args);
    struct Arguments {
        alignas(16) char bytes[kMaxArgumentBytes];
    };
    auto copy = std::make_shared<Arguments>();
    std::memcpy(copy->bytes, args.data, args.bytes);
    uint32_t *counter = args.counter;
    DeviceState *state = state_.get();
    submit([=] {
        LaunchView launch{};
        launch.kernel = kernel;
        launch.args = copy->bytes;
        launch.threads = static_cast<int>(threads);
        launch.wave_size = state->settings.wave_size;
        launch.is_strict = state->settings.is_strict;
        const uint64_t seed = launch_seed(state->settings.seed, state->launches++);
        const std::string failure = state->launcher.run(launch, grid, seed);
        if (!failure.empty())
            state->fail(failure);
        if (counter != nullptr)
            ++*counter;
        state->check_guards(std::string("kernel ") + kernel->name);
    });
}

} // namespace emu
} // namespace vmafgpu
