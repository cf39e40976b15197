// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the entry points of the stand-in runtimes have in common: the lock, the
// objects behind the handles, how an action becomes a call that is counted and may
// be made to fail. Included by entry_device.cpp and entry_stream.cpp.
#pragma once

#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>

#include "base/error.h"
#include "standin.h"

// What is not static in the two sources is the library's interface.
#define STANDIN_ENTRY extern "C" __attribute__((visibility("default")))

namespace vmafgpu {
namespace standin {

struct Module {
    int device;
    HipImage image;
};
struct Function {
    int device;
    HipKernelInfo info;
    size_t argument_bytes;
};
struct Stream {
    int device;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Event> finished;
};
struct EventBox {
    int device;
    std::unique_ptr<Event> event;
};
/// An external memory object; maps its fd late, as AMD's runtime does.
struct Import {
    int device;
    int fd;
    size_t bytes;
    void *memory;
    bool is_mapped, is_alive;
};

struct State {
    std::recursive_mutex mutex;
    std::vector<VmafGpuDevice> devices;
    std::vector<std::unique_ptr<Device>> open;
    std::map<const void *, int> owner;       ///< memory -> device
    std::map<const void *, Import *> mapped; ///< memory -> import
    std::map<int, HipStreamHandle> null_streams;
    bool is_initialised = false;
};

inline State &state()
{
    static State *const instance = new State; // outlives every static of the program
    return *instance;
}

/// The calling thread's device; in entry_device.cpp.
int &current_device();

inline HipResult result_of(int code)
{
    switch (code) {
    case ENOMEM:
        return kHipOutOfMemory;
    case EINVAL:
        return kHipInvalidValue;
    case ENODEV:
        return kHipNoDevice;
    case ENOTSUP:
        return kHipNotSupported;
    default:
        return kHipLaunchFailure;
    }
}

/// Runs one entry point: lock, count, fail if asked to. `releases`: do it even then.
template <typename Action> HipResult call(const char *name, Action action, bool releases = false)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    const HipResult forced = enter(name);
    if (forced != kHipSuccess && !releases)
        return forced;
    HipResult result = kHipSuccess;
    try {
        result = action();
    } catch (const Error &error) {
        std::fprintf(stderr, "standin: %s: %s\n", name, error.what());
        result = result_of(error.code());
    }
    return forced != kHipSuccess ? forced : result;
}

inline bool is_device(int ordinal)
{
    return ordinal >= 0 && static_cast<size_t>(ordinal) < state().devices.size();
}

/// Opened at first use.
inline Device &device(int ordinal)
{
    auto &slot = state().open.at(static_cast<size_t>(ordinal));
    if (!slot)
        slot = open_device(ordinal);
    return *slot;
}

template <typename T, typename Handle> T *as(Kind kind, Handle handle)
{
    return is_known(kind, handle) ? reinterpret_cast<T *>(handle) : nullptr;
}

/// Null for an unknown handle; the null handle is the device's default stream.
Stream *stream_of(HipStreamHandle handle);

/// Runs an action on a stream, which must belong to the current device.
template <typename Action>
HipResult on_stream(const char *name, HipStreamHandle handle, Action action)
{
    return call(name, [&] {
        Stream *stream = stream_of(handle);
        if (!stream)
            return misused(name, "no such stream", kHipInvalidHandle);
        if (stream->device != current_device())
            return misused(name, "stream of another device", kHipInvalidHandle);
        return action(*stream);
    });
}

} // namespace standin
} // namespace vmafgpu
