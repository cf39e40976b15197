/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * malloc and its kin with an allocation that fails on demand, over glibc's own. Linked
 * into tests/unit/test_alloc.cpp, which says which; preloaded into ffmpeg by
 * tests/filter/alloc_failures.sh, where the environment does. See fail_malloc.h.
 */
#include "fail_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

static atomic_long calls, alive;
static atomic_long fail_first, fail_last; /* 0: none */

void fail_malloc_arm(long first, long last)
{
    atomic_store(&calls, 0);
    atomic_store(&fail_last, last);
    atomic_store(&fail_first, first);
}

long fail_malloc_calls(void)
{
    return atomic_load(&calls);
}

long fail_malloc_alive(void)
{
    return atomic_load(&alive);
}

static uintptr_t stack; /* an address of the only stack that counts; 0: all do */

void fail_malloc_on_this_stack(void)
{
    stack = (uintptr_t)__builtin_frame_address(0);
}

void fail_malloc_on_all_stacks(void)
{
    stack = 0;
}

static void (*on_failure)(void);

void fail_malloc_notify(void (*function)(void))
{
    on_failure = function;
}

/* Whether this call shall fail. */
static int fails(void)
{
    long call, first;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (stack && (here > stack + 65536 || here < stack - 1048576))
        return 0;
    call = atomic_fetch_add(&calls, 1) + 1;
    first = atomic_load(&fail_first);
    if (!first || call < first || call > atomic_load(&fail_last))
        return 0;
    if (on_failure)
        on_failure();
    errno = ENOMEM;
    return 1;
}

static void *count(void *memory)
{
    if (memory)
        atomic_fetch_add(&alive, 1);
    return memory;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : count(__libc_malloc(bytes));
}

void *calloc(size_t number, size_t bytes)
{
    return fails() ? NULL : count(__libc_calloc(number, bytes));
}

void *realloc(void *memory, size_t bytes)
{
    void *moved;

    if (memory && !bytes) {
        free(memory);
        return NULL;
    }
    moved = fails() ? NULL : __libc_realloc(memory, bytes);
    return memory ? moved : count(moved);
}

void *memalign(size_t alignment, size_t bytes)
{
    return fails() ? NULL : count(__libc_memalign(alignment, bytes));
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    void *memory = memalign(alignment, bytes);

    if (!memory)
        return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&alive, 1);
    __libc_free(memory);
}

/* Arms the failures for a program that knows nothing of this library. */
__attribute__((constructor)) static void arm_from_environment(void)
{
    const char *first = getenv("FAIL_MALLOC_FIRST"), *last = getenv("FAIL_MALLOC_LAST");

    if (first && last)
        fail_malloc_arm(atol(first), atol(last));
}

/* How many calls there were, for FAIL_MALLOC_FIRST of the next run. */
__attribute__((destructor)) static void print_calls(void)
{
    const char *path = getenv("FAIL_MALLOC_COUNT");
    char text[32];
    FILE *file;

    if (!path)
        return;
    snprintf(text, sizeof(text), "%ld\n", fail_malloc_calls());
    atomic_store(&fail_first, 0);
    file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}
