// SPDX-License-Identifier: BSD-2-Clause-Patent
// See imported_memory.h. Windows: the engine imports no memory of other drivers there.
#include "emu/imported_memory.h"

#include <cerrno>

#include "base/error.h"

namespace vmafgpu {
namespace emu {

ImportedMemory::~ImportedMemory() = default;

void *ImportedMemory::import(int, size_t)
{
    throw Error(EINVAL, "memory of another driver cannot be imported on Windows");
}

bool ImportedMemory::release(void *)
{
    return false;
}

} // namespace emu
} // namespace vmafgpu
