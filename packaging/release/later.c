/*
 * SPDX-License-Identifier: BSD-2-Clause-Patent
 * What libraries of Debian 12 want of the C library that glibc 2.31 lacks. old-glibc.sh adds it to
 * the part of glibc that is always linked statically. Not here: anything that vmaf_gpu calls.
 */
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* 0: libstdc++ counts references atomically, as it does in programs with threads. */
extern HIDDEN char __libc_single_threaded;
HIDDEN char __libc_single_threaded;

/* expat; getentropy gives 256 bytes at most. */
HIDDEN void arc4random_buf(void *data, size_t size)
{
    unsigned char *bytes = data;
    while (size) {
        size_t part = size < 256 ? size : 256;
        if (getentropy(bytes, part))
            abort();
        bytes += part;
        size -= part;
    }
}

/* std::random_device. */
HIDDEN unsigned arc4random(void)
{
    unsigned value;
    arc4random_buf(&value, sizeof(value));
    return value;
}
