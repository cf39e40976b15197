/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * Controls of fail_malloc.c. Calls are counted over all threads; a failing realloc leaves
 * its block alone. As a preloaded library it reads, at the start, FAIL_MALLOC_FIRST and
 * FAIL_MALLOC_LAST (the calls that fail), and writes the number of calls to the file
 * FAIL_MALLOC_COUNT at the end.
 */
#ifndef FAIL_MALLOC_H
#define FAIL_MALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Counts from 1 again; calls first ... last fail. first = 0: none. */
void fail_malloc_arm(long first, long last);
/* Called where an allocation fails; must not allocate. NULL: nothing is. */
void fail_malloc_notify(void (*function)(void));
/*
 * From now on only what is called on the caller's stack counts and fails: not other threads,
 * and not the emulator's fibers, which have no memory of their own for such a case.
 */
void fail_malloc_on_this_stack(void);
/* Undo that. */
void fail_malloc_on_all_stacks(void);
/* Calls since then. */
long fail_malloc_calls(void);
/* Blocks that are allocated now. */
long fail_malloc_alive(void);

#ifdef __cplusplus
}
#endif

#endif
