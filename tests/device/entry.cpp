// SPDX-License-Identifier: BSD-2-Clause-Patent
// The calls that mean the same in CUDA and HIP, on a Device of this project. They refuse
// what a real driver would refuse. See entry.h.
#include "entry.h"

namespace vmafgpu {
namespace standin {

namespace {

/// Access to the launch by name, which Queue keeps for its template.
struct Launch : Queue {
    static constexpr auto kPointer = &Launch::launch_raw;
};

template <typename T> T *as(Kind kind, void *handle)
{
    return place_of(kind, handle) != kNowhere ? static_cast<T *>(handle) : nullptr;
}

std::unique_ptr<Stream> new_stream(int place)
{
    auto stream = std::make_unique<Stream>();
    stream->place = place;
    stream->queue = device_at(place).make_queue();
    stream->finished = device_at(place).make_event();
    return stream;
}

/// Runs action(stream); the null handle is the default stream. Streams must belong to the
/// current place.
template <typename Action> int on_stream(const char *name, void *handle, Action action)
{
    return call_here(name, [&](int place) {
        std::unique_ptr<Stream> &null_stream = state().places.at(place).null_stream;
        if (!handle && !null_stream)
            null_stream = new_stream(place);
        Stream *stream = handle ? as<Stream>(Kind::kStream, handle) : null_stream.get();
        if (!stream)
            return misused(name, "no such stream", kInvalidHandle);
        if (stream->place != place)
            return misused(name, "a stream of another device or context", kInvalidHandle);
        return action(*stream);
    });
}

/// Runs action(event).
template <typename Action>
int on_event(const char *name, void *handle, Action action, bool releases = false)
{
    return call_here(
        name,
        [&](int /*place*/) -> int {
            auto *event = as<EventBox>(Kind::kEvent, handle);
            return event ? action(*event) : misused(name, "no such event", kInvalidHandle);
        },
        releases);
}

} // namespace

Device &device_at(int place)
{
    Place &at = state().places.at(place);
    if (!at.device)
        at.device = open_device(at.ordinal);
    return *at.device;
}

void destroy(Kind kind, void *handle, Device &device)
{
    switch (kind) {
    case Kind::kModule:
        delete static_cast<Module *>(handle);
        break;
    case Kind::kStream:
        delete static_cast<Stream *>(handle);
        break;
    case Kind::kEvent:
        delete static_cast<EventBox *>(handle);
        break;
    case Kind::kDeviceMemory:
        device.free(handle);
        break;
    case Kind::kHostMemory:
        device.free_host(handle);
        break;
    case Kind::kContext:
    case Kind::kImport:
        break;
    }
}

int initialise(const char *name)
{
    return call(name, [] {
        State &all = state();
        if (!all.is_initialised)
            all.devices = list_devices();
        all.is_initialised = true;
        return kSuccess;
    });
}

int device_count(const char *name, int *count)
{
    return call(name, [&] {
        *count = static_cast<int>(state().devices.size());
        return kSuccess;
    });
}

int device_name(const char *name, char *text, int size, int ordinal)
{
    return call_about(name, ordinal, [&](const VmafGpuDevice &device) {
        std::snprintf(text, static_cast<size_t>(size), "%s", device.name);
    });
}

int device_memory(const char *name, size_t *bytes, int ordinal)
{
    return call_about(name, ordinal,
                      [&](const VmafGpuDevice &device) { *bytes = device.memory_bytes; });
}

int device_pci_id(const char *name, char *id, int size, int ordinal)
{
    return call_about(name, ordinal, [&](const VmafGpuDevice &device) {
        std::snprintf(id, static_cast<size_t>(size), "%s", device.pci_id);
    });
}

int module_unload(const char *name, void *handle)
{
    return call_here(
        name,
        [&](int place) -> int {
            if (place_of(Kind::kModule, handle) != place)
                return misused(name, "no such module here", kInvalidHandle);
            remove(Kind::kModule, handle);
            delete static_cast<Module *>(handle);
            return kSuccess;
        },
        true);
}

int module_function(const char *name, void **out, void *handle, const char *kernel)
{
    return call_here(name, [&](int /*place*/) -> int {
        auto *module = as<Module>(Kind::kModule, handle);
        if (!module)
            return misused(name, "no such module", kInvalidHandle);
        const auto found = module->functions.find(kernel);
        if (found == module->functions.end())
            return kNotFound;
        *out = &found->second;
        return kSuccess;
    });
}

int launch(const char *name, void *handle, const unsigned (&grid)[3], const unsigned (&block)[3],
           unsigned shared, void *stream, void **parameters)
{
    return on_stream(name, stream, [&](Stream &on) -> int {
        const auto *function = static_cast<const Function *>(handle);
        if (!function || function->place != on.place)
            return misused(name, "no such function here", kInvalidHandle);
        const std::string &kernel = function->name;
        if (!parameters || !parameters[0] || !parameters[1])
            return misused(name, kernel + ": no arguments", kInvalidValue);
        if (block[1] != 1 || block[2] != 1 || block[0] == 0 || block[0] > 1024)
            return misused(name, kernel + ": bad block", kInvalidValue);
        for (const unsigned blocks : grid)
            if (blocks == 0 || uint64_t{blocks} * block[0] >> 32 != 0)
                return misused(name, kernel + ": bad grid", kInvalidValue);
        if (shared != 0)
            return misused(name, kernel + ": dynamic shared memory", kInvalidValue);
        auto *counter = *static_cast<uint32_t **>(parameters[1]);
        (on.queue.get()->*Launch::kPointer)(kernel.c_str(), block[0], {grid[0], grid[1], grid[2]},
                                            {parameters[0], function->argument_bytes, counter});
        return kSuccess;
    });
}

int mem_alloc(const char *name, void **memory, size_t bytes)
{
    return call_here(name, [&](int place) {
        *memory = device_at(place).alloc(bytes);
        add(Kind::kDeviceMemory, *memory, place);
        return kSuccess;
    });
}

int mem_free(const char *name, void *memory)
{
    return call_here(
        name,
        [&](int /*place*/) -> int {
            const int owner = place_of(Kind::kDeviceMemory, memory);
            if (!remove(Kind::kDeviceMemory, memory))
                return misused(name, "not device memory from here", kInvalidValue);
            device_at(owner).free(memory);
            return kSuccess;
        },
        true);
}

int host_alloc(const char *name, void **memory, size_t bytes)
{
    return call_here(name, [&](int place) {
        *memory = device_at(place).alloc_host(bytes);
        add(Kind::kHostMemory, *memory, place);
        return kSuccess;
    });
}

int host_free(const char *name, void *memory)
{
    return call_here(
        name,
        [&](int /*place*/) -> int {
            const int owner = place_of(Kind::kHostMemory, memory);
            if (!remove(Kind::kHostMemory, memory))
                return misused(name, "not pinned memory from here", kInvalidValue);
            device_at(owner).free_host(memory);
            return kSuccess;
        },
        true);
}

int upload(const char *name, void *to, const void *from, size_t bytes, void *stream)
{
    return on_stream(name, stream, [&](Stream &on) {
        on.queue->upload(to, from, bytes);
        return kSuccess;
    });
}

int download(const char *name, void *to, const void *from, size_t bytes, void *stream)
{
    return on_stream(name, stream, [&](Stream &on) {
        on.queue->download(to, from, bytes);
        return kSuccess;
    });
}

int fill(const char *name, void *to, int byte, size_t bytes, void *stream)
{
    return on_stream(name, stream, [&](Stream &on) {
        on.queue->fill(to, byte, bytes);
        return kSuccess;
    });
}

int stream_create(const char *name, void **stream, bool are_flags_right, int priority, int highest,
                  int lowest)
{
    return call_here(name, [&](int place) -> int {
        if (!are_flags_right)
            return misused(name, "unexpected flags", kInvalidValue);
        if (priority < highest || priority > lowest)
            return misused(name, "no such priority", kInvalidValue);
        *stream = new_stream(place).release();
        add(Kind::kStream, *stream, place);
        count_stream(priority < 0);
        return kSuccess;
    });
}

int stream_destroy(const char *name, void *handle)
{
    return call_here(
        name,
        [&](int /*place*/) -> int {
            if (!remove(Kind::kStream, handle))
                return misused(name, "no such stream", kInvalidHandle);
            delete static_cast<Stream *>(handle);
            return kSuccess;
        },
        true);
}

int stream_sync(const char *name, void *stream)
{
    return on_stream(name, stream, [&](Stream &on) {
        on.queue->record(*on.finished);
        on.finished->sync();
        return kSuccess;
    });
}

int stream_wait(const char *name, void *stream, void *handle)
{
    return on_stream(name, stream, [&](Stream &on) -> int {
        auto *event = as<EventBox>(Kind::kEvent, handle);
        if (!event)
            return misused(name, "no such event", kInvalidHandle);
        on.queue->wait(*event->event);
        return kSuccess;
    });
}

int event_create(const char *name, void **event, bool are_flags_right)
{
    return call_here(name, [&](int place) -> int {
        if (!are_flags_right)
            return misused(name, "unexpected flags", kInvalidValue);
        *event = new EventBox{place, device_at(place).make_event()};
        add(Kind::kEvent, *event, place);
        return kSuccess;
    });
}

int event_destroy(const char *name, void *handle)
{
    return on_event(
        name, handle,
        [&](EventBox &event) {
            remove(Kind::kEvent, handle);
            delete &event;
            return kSuccess;
        },
        true);
}

int event_record(const char *name, void *handle, void *stream)
{
    return on_stream(name, stream, [&](Stream &on) -> int {
        auto *event = as<EventBox>(Kind::kEvent, handle);
        if (!event || event->place != on.place)
            return misused(name, "no such event here", kInvalidHandle);
        on.queue->record(*event->event);
        return kSuccess;
    });
}

int event_query(const char *name, void *handle)
{
    return on_event(name, handle,
                    [](EventBox &event) { return event.event->done() ? kSuccess : kNotReady; });
}

int event_sync(const char *name, void *handle)
{
    return on_event(name, handle, [](EventBox &event) {
        event.event->sync();
        return kSuccess;
    });
}

} // namespace standin
} // namespace vmafgpu
