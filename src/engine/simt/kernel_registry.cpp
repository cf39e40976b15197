// SPDX-License-Identifier: BSD-2-Clause-Patent
// The list behind SIMT_KERNEL in emulator builds. Static constructors fill it; afterwards it is
// only read.
#include "simt/kernel_registry.h"

#include <cstring>

namespace vmafgpu {
namespace emu {

namespace {

// Constant-initialised, hence ready before any entry's constructor runs.
const KernelEntry *list = nullptr;

} // namespace

KernelEntry::KernelEntry(const char *kernel_name, const char *of_module,
                         void (*kernel_run)(const void *args), size_t bytes, unsigned threads)
    : name(kernel_name), module(of_module), run(kernel_run), args_bytes(bytes),
      max_threads(threads), next(list)
{
    list = this;
}

const KernelEntry *first_kernel()
{
    return list;
}

const KernelEntry *find_kernel(const char *name)
{
    for (const KernelEntry *kernel = list; kernel != nullptr; kernel = kernel->next) {
        if (std::strcmp(kernel->name, name) == 0)
            return kernel;
    }
    return nullptr;
}

} // namespace emu
} // namespace vmafgpu
