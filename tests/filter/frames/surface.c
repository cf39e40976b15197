/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * See surface.h. */
#define _GNU_SOURCE
#include "surface.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OFFSET = 4096, PITCH = 256, ROWS = SURFACE_HEIGHT + SURFACE_HEIGHT / 2 };

void picture_row(unsigned char *to, int is_deep, int n, int is_distorted, int y)
{
    for (int x = 0; x < SURFACE_WIDTH; x++) {
        unsigned noise = (unsigned)(x * 7919 + y * 104729 + n * 1299709) * 2654435761u >> 24;
        unsigned value = (unsigned)((x + 3 * n) * (y + n)) / 8 % 160 + noise / 4;

        if (is_distorted)
            value = (value & ~7u) + (noise & 15);
        if (is_deep) {
            unsigned sample = (value << 2 | (noise & 3)) << 6; /* P010 */

            to[2 * x] = (unsigned char)(sample & 0xff);
            to[2 * x + 1] = (unsigned char)(sample >> 8);
        } else {
            to[x] = (unsigned char)value;
        }
    }
}

int surface_make(Surface *surface, int is_deep, int is_tiled)
{
    memset(surface, 0, sizeof(*surface));
    surface->is_deep = is_deep;
    surface->is_tiled = is_tiled;
    surface->pending = -1;
    surface->bytes = OFFSET + (size_t)PITCH * ROWS;
    surface->fd = memfd_create("surface", MFD_CLOEXEC);
    if (surface->fd < 0 || ftruncate(surface->fd, (off_t)surface->bytes) < 0)
        return -1;
    surface->memory =
        mmap(NULL, surface->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, surface->fd, 0);
    return surface->memory == MAP_FAILED ? -1 : 0;
}

void surface_free(Surface *surface)
{
    munmap(surface->memory, surface->bytes);
    close(surface->fd);
    surface->fd = -1;
}

size_t surface_pitch(const Surface *surface)
{
    (void)surface;
    return PITCH;
}

size_t surface_offset(const Surface *surface, int plane)
{
    return OFFSET + (plane ? SURFACE_HEIGHT * surface_pitch(surface) : 0);
}

static unsigned char *row(const Surface *surface, int plane, int y)
{
    return surface->memory + surface_offset(surface, plane) +
           (size_t)(surface->is_tiled ? y ^ 1 : y) * PITCH;
}

void surface_decode(Surface *surface, int n, int is_distorted)
{
    memset(surface->memory, 0x80 + n % 32, surface->bytes);
    surface->pending = n;
    surface->is_distorted = is_distorted;
}

void surface_sync(Surface *surface)
{
    if (surface->pending < 0)
        return;
    for (int y = 0; y < SURFACE_HEIGHT; y++)
        picture_row(row(surface, 0, y), surface->is_deep, surface->pending, surface->is_distorted,
                    y);
    surface->pending = -1;
}

void surface_read(const Surface *surface, int plane, unsigned char *to, size_t to_pitch)
{
    const size_t bytes = (size_t)SURFACE_WIDTH * (surface->is_deep ? 2 : 1);

    for (int y = 0; y < SURFACE_HEIGHT / (plane ? 2 : 1); y++)
        memcpy(to + (size_t)y * to_pitch, row(surface, plane, y), bytes);
}
