// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the entry points of the stand-ins have in common: the lock, the objects behind the
// handles, how an action becomes a call that is counted and may be made to fail, and the
// calls that mean the same in CUDA and HIP (entry.cpp). Included by entry_*.cpp.
#pragma once

#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>

#include "base/error.h"
#include "standin.h"

#define STANDIN_ENTRY extern "C" STANDIN_SHOWN
/// An entry point that is one of the calls below.
#define STANDIN_FORWARD(Result, entry, parameters, call)                                           \
    STANDIN_ENTRY Result entry parameters                                                          \
    {                                                                                              \
        return static_cast<Result>(call);                                                          \
    }

namespace vmafgpu {
namespace standin {

struct Stream {
    int place;
    std::unique_ptr<Queue> queue;
    std::unique_ptr<Event> finished;
};
struct EventBox {
    int place;
    std::unique_ptr<Event> event;
};
struct Function {
    int place;
    std::string name;
    size_t argument_bytes; ///< size of its argument struct
};
struct Module {
    int place;
    std::map<std::string, Function> functions;
};

/// The owner of streams, memory and modules: a device of HIP, a context of CUDA.
struct Place {
    int ordinal;                    ///< number of the device
    std::unique_ptr<Device> device; ///< opened at first use
    std::unique_ptr<Stream> null_stream;
};

struct State {
    std::recursive_mutex mutex;
    std::vector<VmafGpuDevice> devices;
    std::map<int, Place> places;
    bool is_initialised = false;
};

inline State &state()
{
    static State *const instance = new State; // outlives every static of the program
    return *instance;
}

constexpr int kNowhere = -1;

/// The calling thread's place, or kNowhere; in entry_hip.cpp or entry_cuda.cpp.
int here();

inline int result_of(int code)
{
    switch (code) {
    case ENOMEM:
        return kOutOfMemory;
    case EINVAL:
        return kInvalidValue;
    case ENODEV:
        return kNoDevice;
    case ENOTSUP:
        return kNotSupported;
    default:
        return kLaunchFailure;
    }
}

/// Runs one entry point: lock, count, fail if asked to. `releases`: do it even then.
template <typename Action> int call(const char *name, Action action, bool releases = false)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    const int forced = enter(name);
    if (forced != kSuccess && !releases)
        return forced;
    int result = kSuccess;
    try {
        result = action();
    } catch (const Error &error) {
        std::fprintf(stderr, "standin: %s: %s\n", name, error.what());
        result = result_of(error.code());
    }
    return forced != kSuccess ? forced : result;
}

/// call() for functions that need a current place: action(place).
template <typename Action> int call_here(const char *name, Action action, bool releases = false)
{
    return call(
        name,
        [&] {
            const int place = here();
            if (place == kNowhere)
                return misused(name, "no current context", kInvalidContext);
            return action(place);
        },
        releases);
}

/// call() for functions that ask about a device: action(device).
template <typename Action> int call_about(const char *name, int ordinal, Action action)
{
    return call(name, [&]() -> int {
        if (ordinal < 0 || static_cast<size_t>(ordinal) >= state().devices.size())
            return kInvalidDevice;
        action(state().devices[static_cast<size_t>(ordinal)]);
        return kSuccess;
    });
}

Device &device_at(int place);
/// Frees a handle's object, whose place has been ended.
void destroy(Kind kind, void *handle, Device &device);

// ---- the calls; `name` is the entry point's

int initialise(const char *name);
int device_count(const char *name, int *count);
int device_name(const char *name, char *text, int size, int ordinal);
int device_memory(const char *name, size_t *bytes, int ordinal);
int device_pci_id(const char *name, char *id, int size, int ordinal);

int module_unload(const char *name, void *handle);
int module_function(const char *name, void **out, void *handle, const char *kernel);
int launch(const char *name, void *function, const unsigned (&grid)[3], const unsigned (&block)[3],
           unsigned shared, void *stream, void **parameters);

int mem_alloc(const char *name, void **memory, size_t bytes);
int mem_free(const char *name, void *memory);
int host_alloc(const char *name, void **memory, size_t bytes);
int host_free(const char *name, void *memory);
int upload(const char *name, void *to, const void *from, size_t bytes, void *stream);
int download(const char *name, void *to, const void *from, size_t bytes, void *stream);
int fill(const char *name, void *to, int byte, size_t bytes, void *stream);

/// Priorities from `highest`, below 0, to `lowest`; a driver would cut what is beyond.
int stream_create(const char *name, void **stream, bool are_flags_right, int priority, int highest,
                  int lowest);
int stream_destroy(const char *name, void *stream);
int stream_sync(const char *name, void *stream);
int stream_wait(const char *name, void *stream, void *event);
int event_create(const char *name, void **event, bool are_flags_right);
int event_destroy(const char *name, void *event);
int event_record(const char *name, void *event, void *stream);
int event_query(const char *name, void *event);
int event_sync(const char *name, void *event);

} // namespace standin
} // namespace vmafgpu
