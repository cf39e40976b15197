// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cuda_import.h.
#include "cuda_import.h"

#include <unistd.h>

#include <map>

#include "cuda/cuda_api.h"
#include "cuda/cuda_policy.h"
#include "entry.h"

using namespace vmafgpu;
using namespace vmafgpu::standin;

namespace {

/// Memory of Vulkan. The driver owns the descriptor of an import that succeeded.
struct Import {
    int place;
    int fd;
    size_t bytes;
    bool is_mapped, is_alive;
};

std::map<const void *, Import *> &mapped()
{
    static auto *const instance = new std::map<const void *, Import *>;
    return *instance;
}

/// Both the mapping and the object hold the memory.
void drop_import(Import *import)
{
    if (import->is_mapped || import->is_alive)
        return;
    remove(Kind::kImport, import);
    close(import->fd);
    delete import;
}

Import *import_of(CudaImportHandle handle)
{
    return place_of(Kind::kImport, handle) != kNowhere ? reinterpret_cast<Import *>(handle)
                                                       : nullptr;
}

CudaResult result(int code)
{
    return static_cast<CudaResult>(code);
}

} // namespace

bool vmafgpu::standin::is_import(const void *memory)
{
    const std::lock_guard<std::recursive_mutex> lock(state().mutex);
    return mapped().count(memory) != 0;
}

int vmafgpu::standin::unmap_import(void *memory)
{
    return call(
        "cuMemFree",
        [&] {
            const auto found = mapped().find(memory);
            Import *import = found->second;
            mapped().erase(found);
            device_at(import->place).release_import(memory);
            import->is_mapped = false;
            drop_import(import);
            return kSuccess;
        },
        true);
}

STANDIN_ENTRY CudaResult cuImportExternalMemory(CudaImportHandle *handle,
                                                const CudaImportDescription *description)
{
    const char *name = "cuImportExternalMemory";
    return result(call_here(name, [&](int place) -> int {
        if (description->type != kCudaImportOpaqueFd || description->flags != 0 ||
            description->bytes == 0)
            return misused(name, "bad description", kInvalidValue);
        auto *import = new Import{place, description->handle.fd, description->bytes, false, true};
        add(Kind::kImport, import, place);
        *handle = reinterpret_cast<CudaImportHandle>(import);
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuExternalMemoryGetMappedBuffer(CudaPointer *memory,
                                                         CudaImportHandle handle,
                                                         const CudaImportRange *range)
{
    const char *name = "cuExternalMemoryGetMappedBuffer";
    return result(call(name, [&]() -> int {
        Import *import = import_of(handle);
        if (import == nullptr || import->is_mapped || range->offset != 0 ||
            range->bytes > import->bytes || range->flags != 0)
            return misused(name, "bad range", kInvalidValue);
        void *mapping = device_at(import->place).import_vulkan(import->fd, import->bytes);
        import->is_mapped = true;
        mapped()[mapping] = import;
        *memory = CudaPolicy::pointer(mapping);
        return kSuccess;
    }));
}

STANDIN_ENTRY CudaResult cuDestroyExternalMemory(CudaImportHandle handle)
{
    const char *name = "cuDestroyExternalMemory";
    return result(call(
        name,
        [&]() -> int {
            Import *import = import_of(handle);
            if (import == nullptr || !import->is_alive)
                return misused(name, "no such import", kInvalidHandle);
            import->is_alive = false;
            drop_import(import);
            return kSuccess;
        },
        true));
}
