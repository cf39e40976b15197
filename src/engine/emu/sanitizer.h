// SPDX-License-Identifier: BSD-2-Clause-Patent
// Calls of AddressSanitizer and ThreadSanitizer that the emulator needs; empty in other builds.
// Used by fiber.cpp (stack switches) and by the guard zones.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VMAFGPU_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define VMAFGPU_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define VMAFGPU_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define VMAFGPU_TSAN 1
#endif

#ifdef VMAFGPU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef VMAFGPU_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace vmafgpu {
namespace emu {

#ifdef VMAFGPU_ASAN
constexpr bool kHasAsan = true;
#else
constexpr bool kHasAsan = false;
#endif

/// Make every access to the bytes an error (8-byte granules; the last one partly).
inline void forbid_access(const void *memory, size_t bytes)
{
#ifdef VMAFGPU_ASAN
    __asan_poison_memory_region(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}

inline void allow_access(const void *memory, size_t bytes)
{
#ifdef VMAFGPU_ASAN
    __asan_unpoison_memory_region(memory, bytes);
#else
    (void)memory;
    (void)bytes;
#endif
}

} // namespace emu
} // namespace vmafgpu
