// SPDX-License-Identifier: BSD-2-Clause-Patent
// The emulator's list of kernels by name, like the symbol table of a module on a GPU. SIMT_KERNEL
// adds entries (emu_dialect.h); the emulated device looks them up.
#pragma once

#include <cstddef>

namespace vmafgpu {
namespace emu {

/// One kernel; links itself into the list when it is constructed and lives as
/// long as the program (entries are static objects).
struct KernelEntry {
    KernelEntry(const char *kernel_name, const char *of_module,
                void (*kernel_run)(const void *args), size_t bytes, unsigned threads);

    const char *name;
    const char *module;            ///< source that it is compiled from, "vif_kernels"; "" in tests
    void (*run)(const void *args); ///< the whole kernel for the current thread
    size_t args_bytes;
    unsigned max_threads;
    const KernelEntry *next;
};

/// Returns the first kernel, linked to the others by `next`; nullptr if there is none.
const KernelEntry *first_kernel();

/// The kernel of that name, or nullptr.
const KernelEntry *find_kernel(const char *name);

/// Makes a static link keep the library's kernels; generated (emu/meson.build).
void require_modules();

} // namespace emu
} // namespace vmafgpu
