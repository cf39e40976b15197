/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * See surface.h. STANDIN_DARK=N: the first N frames are of one grey. */
#define _GNU_SOURCE
#include "surface.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    OFFSET = 4096,
    PITCH = (2 * SURFACE_WIDTH + 255) / 256 * 256,
    ROWS = SURFACE_HEIGHT + SURFACE_HEIGHT / 2
};
enum { TILE_WIDTH = 16, TILE_HEIGHT = 4 }; /* bytes, rows */
enum { DARK = 20 };

static void put_sample(unsigned char *to, int is_deep, unsigned value, unsigned noise)
{
    unsigned sample = (value << 2 | (noise & 3)) << 6; /* P010 */

    if (!is_deep) {
        *to = (unsigned char)value;
        return;
    }
    to[0] = (unsigned char)(sample & 0xff);
    to[1] = (unsigned char)(sample >> 8);
}

/* The first frames may be of one grey, as in films that begin in the dark. */
static int is_dark(int n)
{
    const char *frames = getenv("STANDIN_DARK");

    return frames && n < atoi(frames);
}

void picture_row(unsigned char *to, int is_deep, int n, int is_distorted, int y)
{
    for (int x = 0; x < SURFACE_WIDTH; x++) {
        unsigned noise = (unsigned)(x * 7919 + y * 104729 + n * 1299709) * 2654435761u >> 24;
        unsigned value = (unsigned)((x + 3 * n) * (y + n)) / 8 % 160 + noise / 4;

        if (is_distorted)
            value = (value & ~7u) + (noise & 15);
        if (is_dark(n))
            value = noise = DARK;
        put_sample(to + (is_deep ? 2 * x : x), is_deep, value, noise);
    }
}

void picture_chroma_row(unsigned char *to, int is_deep, int n, int is_distorted, int y)
{
    for (int x = 0; x < SURFACE_WIDTH; x++) { /* Cb and Cr in turn */
        unsigned noise = (unsigned)(x * 6151 + y * 98317 + n * 786433 + 7) * 2654435761u >> 24;
        unsigned value = x % 2 ? (unsigned)(200 - y - n % 16) : (unsigned)(40 + x + n % 16);

        value += noise / (is_distorted ? 8 : 16);
        put_sample(to + (is_deep ? 2 * x : x), is_deep, value, noise);
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

/* A byte of a plane. Tiles of the whole plane follow one another, and rows within a tile. */
static unsigned char *byte_at(const Surface *surface, int plane, size_t x, int y)
{
    unsigned char *begin = surface->memory + surface_offset(surface, plane);
    const size_t tile = (size_t)(y / TILE_HEIGHT) * (PITCH / TILE_WIDTH) + x / TILE_WIDTH;

    if (!surface->is_tiled)
        return begin + (size_t)y * PITCH + x;
    return begin + tile * TILE_WIDTH * TILE_HEIGHT + (size_t)(y % TILE_HEIGHT) * TILE_WIDTH +
           x % TILE_WIDTH;
}

static size_t row_bytes(const Surface *surface)
{
    return (size_t)SURFACE_WIDTH * (surface->is_deep ? 2 : 1); /* also of interleaved chroma */
}

static void write_row(Surface *surface, int plane, int y, const unsigned char *from)
{
    for (size_t x = 0; x < row_bytes(surface); x++)
        *byte_at(surface, plane, x, y) = from[x];
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
    if (is_dark(surface->pending)) /* also beside the picture, as in 8 bits */
        memset(surface->memory, DARK, surface->bytes);
    for (int plane = 0; plane < 2; plane++)
        for (int y = 0; y < SURFACE_HEIGHT >> plane; y++) {
            unsigned char row[2 * SURFACE_WIDTH];

            (plane ? picture_chroma_row : picture_row)(row, surface->is_deep, surface->pending,
                                                       surface->is_distorted, y);
            write_row(surface, plane, y, row);
        }
    surface->pending = -1;
}

void surface_read(const Surface *surface, int plane, unsigned char *to, size_t to_pitch)
{
    for (int y = 0; y < SURFACE_HEIGHT >> plane; y++)
        for (size_t x = 0; x < row_bytes(surface); x++)
            to[(size_t)y * to_pitch + x] = *byte_at(surface, plane, x, y);
}

void surface_copy(Surface *to, const Surface *from)
{
    unsigned char picture[SURFACE_HEIGHT * 2 * SURFACE_WIDTH];

    for (int plane = 0; plane < 2; plane++) {
        surface_read(from, plane, picture, 2 * SURFACE_WIDTH);
        for (int y = 0; y < SURFACE_HEIGHT >> plane; y++)
            write_row(to, plane, y, picture + (size_t)y * 2 * SURFACE_WIDTH);
    }
}

void surface_spoil_sample(Surface *surface, int plane)
{
    const size_t last = row_bytes(surface) - (surface->is_deep ? 2 : 1);

    *byte_at(surface, plane, last, (SURFACE_HEIGHT >> plane) - 1) ^= surface->is_deep ? 0x40 : 1;
}
