// SPDX-License-Identifier: BSD-2-Clause-Patent
// A device that imports the memory of other drivers, over the calls of CUDA or HIP. Both take
// Vulkan's; the policy says whether they take dma-bufs. Policy: see driver_context.h.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "cuda_hip/driver_device.h"
#include "system/imported_file.h"

namespace vmafgpu {

/// The vendors' types, from their calls that import and map.
template <typename Import, typename Map> struct ImportTypes;
template <typename Result, typename Handle_, typename Description_, typename Pointer_,
          typename Range_>
struct ImportTypes<Result (*)(Handle_ *, const Description_ *),
                   Result (*)(Pointer_ *, Handle_, const Range_ *)> {
    using Handle = Handle_;
    using Description = Description_;
    using Range = Range_;
};

template <typename Policy> class ImportingDevice : public DriverDevice<Policy> {
public:
    using DriverDevice<Policy>::DriverDevice;

    void *import_memory(int fd, size_t bytes) override
    {
        return Policy::kImportsDmaBufs ? import_opaque(fd, bytes)
                                       : Device::import_memory(fd, bytes);
    }
    void *import_vulkan(int fd, size_t bytes) override { return import_opaque(fd, bytes); }

    void release_import(void *memory) override
    {
        const auto found = imports_.find(memory);
        if (found == imports_.end())
            return;
        this->context().release([&] {
            // The mapped buffer and the import each hold the memory.
            report(api().mem_free(Policy::pointer(memory)), Calls::mem_free);
            report(api().import_destroy(found->second), Calls::import_destroy);
        });
        imports_.erase(found);
    }

private:
    using Calls = typename Policy::Calls;
    using Api = decltype(Policy::Driver::api);
    using Types = ImportTypes<decltype(Api::import), decltype(Api::import_map)>;
    using Handle = typename Types::Handle;

    /// Maps the first `bytes` of what an opaque descriptor stands for.
    void *import_opaque(int fd, size_t bytes)
    {
        const DriverScope<Policy> scope(this->context());
        ImportedFile own(fd);
        typename Types::Description description = {};
        description.type = Policy::kImportOpaqueFd;
        description.handle.fd = own.fd();
        description.bytes = bytes;
        Handle import = nullptr;
        const auto result = api().import(&import, &description);
        if (const int code = Policy::import_refusal(result); code != 0)
            throw Error(code, std::string(Calls::import) + ": " +
                                  this->context().driver().describe(result));
        this->context().check(result, Calls::import, this->of_bytes(bytes));
        if (Policy::kOwnsImportedFd)
            own.release();
        return map_import(import, bytes);
    }

    const auto &api() { return this->context().api(); }
    void report(typename Policy::Result result, std::string_view call)
    {
        this->context().report(result, call);
    }

    void *map_import(Handle import, size_t bytes)
    {
        typename Policy::Pointer mapped = {};
        typename Types::Range range = {};
        range.bytes = bytes;
        const auto result = api().import_map(&mapped, import, &range);
        if (result != Policy::kSuccess) {
            report(api().import_destroy(import), Calls::import_destroy);
            this->context().check(result, Calls::import_map, this->of_bytes(bytes));
        }
        void *memory = Policy::memory(mapped);
        try {
            imports_[memory] = import;
        } catch (...) { // no memory for the list
            report(api().mem_free(mapped), Calls::mem_free);
            report(api().import_destroy(import), Calls::import_destroy);
            throw;
        }
        return memory;
    }

    std::map<void *, Handle> imports_;
};

} // namespace vmafgpu
