// SPDX-License-Identifier: BSD-2-Clause-Patent
// Entry points of the stand-in runtimes: memory, imports, streams, events, copies.
// See standin.h.
#include "entry.h"

using namespace vmafgpu;
using namespace vmafgpu::standin;

namespace {

HipResult new_stream(HipStreamHandle *out)
{
    auto stream = std::make_unique<Stream>();
    stream->device = current_device();
    stream->queue = device(current_device()).make_queue();
    stream->finished = device(current_device()).make_event();
    *out = reinterpret_cast<HipStreamHandle>(stream.release());
    return kHipSuccess;
}

/// Both the mapping and the object hold the memory.
void drop_import(Import *import)
{
    if (import->is_mapped || import->is_alive)
        return;
    remove(Kind::kImport, import);
    delete import;
}

} // namespace

/// Null for an unknown handle; the null handle is the device's default stream.
Stream *vmafgpu::standin::stream_of(HipStreamHandle handle)
{
    if (!handle) {
        HipStreamHandle &null_stream = state().null_streams[current_device()];
        if (!null_stream)
            new_stream(&null_stream);
        return reinterpret_cast<Stream *>(null_stream);
    }
    return as<Stream>(Kind::kStream, handle);
}

STANDIN_ENTRY HipResult hipMalloc(void **memory, size_t bytes)
{
    return call("hipMalloc", [&] {
        *memory = device(current_device()).alloc(bytes);
        state().owner[*memory] = current_device();
        add(Kind::kDeviceMemory, *memory);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipFree(void *memory)
{
    return call(
        "hipFree",
        [&] {
            if (memory == nullptr)
                return kHipSuccess;
            const auto mapped = state().mapped.find(memory);
            if (mapped != state().mapped.end()) {
                Import *import = mapped->second;
                state().mapped.erase(mapped);
                device(import->device).release_import(memory);
                import->is_mapped = false;
                drop_import(import);
                return kHipSuccess;
            }
            if (!remove(Kind::kDeviceMemory, memory))
                return misused("hipFree", "not from hipMalloc", kHipInvalidValue);
            device(state().owner[memory]).free(memory);
            return kHipSuccess;
        },
        true);
}

STANDIN_ENTRY HipResult hipHostMalloc(void **memory, size_t bytes, unsigned)
{
    return call("hipHostMalloc", [&] {
        *memory = device(current_device()).alloc_host(bytes);
        state().owner[*memory] = current_device();
        add(Kind::kHostMemory, *memory);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipHostFree(void *memory)
{
    return call(
        "hipHostFree",
        [&] {
            if (!remove(Kind::kHostMemory, memory))
                return misused("hipHostFree", "not from hipHostMalloc", kHipInvalidValue);
            device(state().owner[memory]).free_host(memory);
            return kHipSuccess;
        },
        true);
}

STANDIN_ENTRY HipResult hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                         size_t from_pitch, size_t width, size_t height, int kind,
                                         HipStreamHandle stream)
{
    return on_stream("hipMemcpy2DAsync", stream, [&](Stream &on) {
        const int rows = static_cast<int>(height);
        if (to_pitch < width || from_pitch < width)
            return misused("hipMemcpy2DAsync", "pitch less than the width", kHipInvalidPitchValue);
        if (kind == kHipHostToDevice)
            on.queue->upload2d(to, to_pitch, from, static_cast<ptrdiff_t>(from_pitch), width, rows);
        else if (kind == kHipDeviceToDevice)
            on.queue->copy2d(to, to_pitch, from, from_pitch, width, rows);
        else
            return misused("hipMemcpy2DAsync", "unexpected direction", kHipInvalidMemcpyDirection);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipMemcpyHtoDAsync(void *to, void *from, size_t bytes,
                                           HipStreamHandle stream)
{
    return on_stream("hipMemcpyHtoDAsync", stream, [&](Stream &on) {
        on.queue->upload(to, from, bytes);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipMemcpyDtoHAsync(void *to, void *from, size_t bytes,
                                           HipStreamHandle stream)
{
    return on_stream("hipMemcpyDtoHAsync", stream, [&](Stream &on) {
        on.queue->download(to, from, bytes);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipMemsetAsync(void *to, int byte, size_t bytes, HipStreamHandle stream)
{
    return on_stream("hipMemsetAsync", stream, [&](Stream &on) {
        on.queue->fill(to, byte, bytes);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipStreamCreateWithFlags(HipStreamHandle *stream, unsigned flags)
{
    return call("hipStreamCreateWithFlags", [&] {
        if (flags != kHipStreamNonBlocking)
            return misused("hipStreamCreateWithFlags", "unexpected flags", kHipInvalidValue);
        const HipResult result = new_stream(stream);
        add(Kind::kStream, *stream);
        return result;
    });
}

STANDIN_ENTRY HipResult hipStreamDestroy(HipStreamHandle handle)
{
    return call(
        "hipStreamDestroy",
        [&] {
            auto *stream = as<Stream>(Kind::kStream, handle);
            if (!stream)
                return misused("hipStreamDestroy", "no such stream", kHipInvalidHandle);
            remove(Kind::kStream, stream);
            delete stream;
            return kHipSuccess;
        },
        true);
}

STANDIN_ENTRY HipResult hipStreamSynchronize(HipStreamHandle stream)
{
    return on_stream("hipStreamSynchronize", stream, [&](Stream &on) {
        on.queue->record(*on.finished);
        on.finished->sync();
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipStreamWaitEvent(HipStreamHandle stream, HipEventHandle handle, unsigned)
{
    return on_stream("hipStreamWaitEvent", stream, [&](Stream &on) {
        auto *box = as<EventBox>(Kind::kEvent, handle);
        if (!box)
            return misused("hipStreamWaitEvent", "no such event", kHipInvalidHandle);
        on.queue->wait(*box->event);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipEventCreateWithFlags(HipEventHandle *event, unsigned flags)
{
    return call("hipEventCreateWithFlags", [&] {
        if (flags != (kHipEventBlockingSync | kHipEventDisableTiming))
            return misused("hipEventCreateWithFlags", "unexpected flags", kHipInvalidValue);
        auto box = std::make_unique<EventBox>();
        box->device = current_device();
        box->event = device(current_device()).make_event();
        add(Kind::kEvent, box.get());
        *event = reinterpret_cast<HipEventHandle>(box.release());
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipEventDestroy(HipEventHandle handle)
{
    return call(
        "hipEventDestroy",
        [&] {
            auto *box = as<EventBox>(Kind::kEvent, handle);
            if (!box)
                return misused("hipEventDestroy", "no such event", kHipInvalidHandle);
            remove(Kind::kEvent, box);
            delete box;
            return kHipSuccess;
        },
        true);
}

STANDIN_ENTRY HipResult hipEventRecord(HipEventHandle handle, HipStreamHandle stream)
{
    return on_stream("hipEventRecord", stream, [&](Stream &on) {
        auto *box = as<EventBox>(Kind::kEvent, handle);
        if (!box || box->device != on.device)
            return misused("hipEventRecord", "no such event on this device", kHipInvalidHandle);
        on.queue->record(*box->event);
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipEventQuery(HipEventHandle handle)
{
    return call("hipEventQuery", [&] {
        auto *box = as<EventBox>(Kind::kEvent, handle);
        if (!box)
            return misused("hipEventQuery", "no such event", kHipInvalidHandle);
        return box->event->done() ? kHipSuccess : kHipNotReady;
    });
}

STANDIN_ENTRY HipResult hipEventSynchronize(HipEventHandle handle)
{
    return call("hipEventSynchronize", [&] {
        auto *box = as<EventBox>(Kind::kEvent, handle);
        if (!box)
            return misused("hipEventSynchronize", "no such event", kHipInvalidHandle);
        box->event->sync();
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipImportExternalMemory(HipImportHandle *out,
                                                const HipImportDescription *description)
{
    return call("hipImportExternalMemory", [&] {
        if (description->type != kHipImportOpaqueFd || description->flags != 0 ||
            description->bytes == 0)
            return misused("hipImportExternalMemory", "bad description", kHipInvalidValue);
        auto *import = new Import{
            current_device(), description->handle.fd, description->bytes, nullptr, false, true};
        add(Kind::kImport, import);
        *out = import;
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipExternalMemoryGetMappedBuffer(void **memory, HipImportHandle handle,
                                                         const HipImportRange *range)
{
    return call("hipExternalMemoryGetMappedBuffer", [&] {
        auto *import = as<Import>(Kind::kImport, handle);
        if (!import || import->is_mapped || range->offset != 0 || range->bytes > import->bytes ||
            range->flags != 0)
            return misused("hipExternalMemoryGetMappedBuffer", "bad range", kHipInvalidValue);
        import->memory = device(import->device).import_memory(import->fd, import->bytes);
        import->is_mapped = true;
        state().mapped[import->memory] = import;
        *memory = import->memory;
        return kHipSuccess;
    });
}

STANDIN_ENTRY HipResult hipDestroyExternalMemory(HipImportHandle handle)
{
    return call(
        "hipDestroyExternalMemory",
        [&] {
            auto *import = as<Import>(Kind::kImport, handle);
            if (!import || !import->is_alive)
                return misused("hipDestroyExternalMemory", "no such import", kHipInvalidHandle);
            import->is_alive = false;
            drop_import(import);
            return kHipSuccess;
        },
        true);
}
