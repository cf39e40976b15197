// SPDX-License-Identifier: BSD-2-Clause-Patent
// Refuses accesses of kernels whose address is no multiple of what the type asks for. The compiler
// calls the handler for each such access of a file built with -fsanitize=alignment; the structs are
// those of its interface. In builds with a sanitizer, that one's runtime has the handler.
#include <cstdint>
#include <cstdio>

#include "simt/emu_dialect.h"

namespace vmafgpu {
namespace emu {
namespace {

struct SourceLocation {
    const char *file;
    uint32_t line, column;
};

struct Access {
    SourceLocation where;
    const void *type;
    unsigned char log_alignment;
    unsigned char kind;
};

/// Host code that shares an inline function with a kernel may come here, too: `current` is null.
void check_alignment(const Access &access, uintptr_t address)
{
    const uintptr_t alignment = uintptr_t{1} << access.log_alignment;
    if (current == nullptr || address % alignment == 0)
        return;
    char text[64]; // misuse() does not come back to free one
    std::snprintf(text, sizeof(text), "an address that is no multiple of %d bytes",
                  static_cast<int>(alignment));
    misuse(text, static_cast<int>(access.where.line));
}

} // namespace
} // namespace emu
} // namespace vmafgpu

// The compiler's name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __ubsan_handle_type_mismatch_v1(void *access, uintptr_t address);
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __ubsan_handle_type_mismatch_v1(void *access, uintptr_t address)
{
    vmafgpu::emu::check_alignment(*static_cast<const vmafgpu::emu::Access *>(access), address);
}
