/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * A picture of a video, reduced and converted to RGB, as a PNG file in memory. Which picture, and
 * where it is read, is in thumbnails.h.
 */
#ifndef VMAF_GPU_TOOLS_THUMBNAIL_H
#define VMAF_GPU_TOOLS_THUMBNAIL_H

#include <stddef.h>

#include "video.h"

enum { kThumbnailSize = 320 }; /**< the longer side at most */

/** How the samples of a video become RGB. */
typedef struct Colours {
    const char *matrix; /**< its name */
    double red, blue;   /**< shares of luma: Kr and Kb of ITU-T H.273 */
    int is_from_file;   /**< 0: guessed by the size */
    int is_full_range;
} Colours;

/** matrix: FFmpeg's name of the video's matrix; "" or one that is not known: by the size. */
Colours thumbnail_colours(const VideoFormat *format, const char *matrix);

/**
 * data as video_read() fills it. Each pixel is the mean of the samples that it covers. Returns a
 * file of *size bytes for free(), or NULL: no memory, or a build without zlib (HAVE_ZLIB).
 */
unsigned char *thumbnail_make(const VideoFormat *format, const Colours *colours,
                              const unsigned char *data, int *width, int *height, size_t *size);

#endif
