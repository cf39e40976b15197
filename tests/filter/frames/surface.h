/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Stand-ins for a decoder's surfaces: NV12 or P010 pictures in memfds, which
 * take the place of dma-bufs, linear or in tiles of 16 bytes by 4 rows. Filled
 * late, as decoders do it. Used by sources.c and va_standin.c.
 */
#ifndef SURFACE_H
#define SURFACE_H

#include <stddef.h>

#ifndef SURFACE_WIDTH /* some features need larger pictures */
#define SURFACE_WIDTH 80
#define SURFACE_HEIGHT 64
#endif

#define SURFACE_MODIFIER_LINEAR UINT64_C(0)
#define SURFACE_MODIFIER_TILED UINT64_C(0x200000018601b04) /* one of AMD's */
#define SURFACE_MODIFIER_UNKNOWN UINT64_C(0x00ffffffffffffff)

typedef struct Surface {
    int fd;
    size_t bytes;
    unsigned char *memory;
    int is_deep, is_tiled;
    int pending; /* frame that is "being decoded", or -1 */
    int is_distorted;
} Surface;

/* 0, or -1. Luma comes first, at an offset, chroma behind it. */
int surface_make(Surface *surface, int is_deep, int is_tiled);
void surface_free(Surface *surface);

/* Begin to decode frame n; until surface_sync() the memory holds something else. */
void surface_decode(Surface *surface, int n, int is_distorted);
void surface_sync(Surface *surface);

/* Byte offset and pitch of plane 0 or 1. */
size_t surface_offset(const Surface *surface, int plane);
size_t surface_pitch(const Surface *surface);

/* Rows of a plane in picture order, whatever the layout. */
void surface_read(const Surface *surface, int plane, unsigned char *to, size_t to_pitch);

/* The picture of one surface in the layout of the other. */
void surface_copy(Surface *to, const Surface *from);

/* Change the lowest bit of the last sample of a plane. */
void surface_spoil_sample(Surface *surface, int plane);

/* The picture itself: row y of frame n, in one or two bytes a sample. Luma; Cb and Cr. */
void picture_row(unsigned char *to, int is_deep, int n, int is_distorted, int y);
void picture_chroma_row(unsigned char *to, int is_deep, int n, int is_distorted, int y);

#endif
