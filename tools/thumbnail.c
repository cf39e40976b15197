/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See thumbnail.h.
 */
#include "thumbnail.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* ---------------------------------------------------------------- colours */

Colours thumbnail_colours(const VideoFormat *format, const char *matrix)
{
    static const struct {
        const char *ffmpeg;
        Colours colours;
    } known[] = {
        {"bt709", {"BT.709", 0.2126, 0.0722, 1, 0}},
        {"smpte170m", {"BT.601", 0.299, 0.114, 1, 0}},
        {"bt470bg", {"BT.601", 0.299, 0.114, 1, 0}},
        {"gbr", {"BT.601", 0.299, 0.114, 1, 0}}, /* ffmpeg makes such YUV of RGB */
        {"fcc", {"FCC", 0.30, 0.11, 1, 0}},
        {"smpte240m", {"SMPTE 240M", 0.212, 0.087, 1, 0}},
        {"bt2020nc", {"BT.2020", 0.2627, 0.0593, 1, 0}},
    };
    const int is_high = format->width >= 1280 || format->height > 576;
    Colours colours = known[is_high ? 0 : 1].colours;
    colours.is_from_file = 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); ++i)
        if (strcmp(matrix, known[i].ffmpeg) == 0)
            colours = known[i].colours;
    colours.is_full_range = format->range != NULL && strcmp(format->range, "pc") == 0;
    return colours;
}

/* A pixel of three means, in units of a sample. */
static void to_rgb(const Colours *colours, int depth, const double mean[3], unsigned char *rgb)
{
    const double one = (double)(1 << (depth - 8));
    const double full = (double)((1 << depth) - 1);
    const double red = colours->red;
    const double blue = colours->blue;
    const double y = colours->is_full_range ? mean[0] / full : (mean[0] - 16 * one) / (219 * one);
    const double range = colours->is_full_range ? full : 224 * one;
    const double cb = (mean[1] - 128 * one) / range;
    const double cr = (mean[2] - 128 * one) / range;
    const double more_red = 2 * (1 - red) * cr;
    const double more_blue = 2 * (1 - blue) * cb;
    const double less_green = (red * more_red + blue * more_blue) / (1 - red - blue);
    const double values[3] = {y + more_red, y - less_green, y + more_blue};
    for (int i = 0; i < 3; ++i)
        rgb[i] = (unsigned char)floor(fmin(fmax(values[i], 0), 1) * 255 + 0.5);
}

/* --------------------------------------------------------------- sampling */

/* Column or row at which pixel i of count begins, where there are `samples`. */
static size_t begin_of(size_t i, size_t count, size_t samples)
{
    return i * samples / count;
}

/* Takes at least one sample for each pixel, also of a plane that is smaller than the thumbnail. */
static size_t end_of(size_t i, size_t count, size_t samples)
{
    const size_t begin = begin_of(i, count, samples);
    const size_t end = begin_of(i + 1, count, samples);
    return end > begin ? end : begin + 1;
}

static double mean_of(const VmafGpuPlane *plane, int depth, const size_t box[4])
{
    const unsigned char *data = plane->data;
    uint64_t sum = 0;
    for (size_t y = box[1]; y < box[3]; ++y) {
        const unsigned char *row = data + y * (size_t)plane->pitch;
        for (size_t x = box[0]; x < box[2]; ++x) {
            uint16_t sample = row[x];
            if (depth > 8)
                memcpy(&sample, row + 2 * x, sizeof(sample));
            sum += sample;
        }
    }
    return (double)sum / (double)((box[2] - box[0]) * (box[3] - box[1]));
}

/* Rows of RGB, each behind a byte for PNG. */
static void draw(const VideoFormat *format, const Colours *colours, const unsigned char *data,
                 size_t width, size_t height, unsigned char *out)
{
    VmafGpuPicture picture;
    const int planes = format->chroma == VMAFGPU_CHROMA_400 ? 1 : 3;
    const double grey = (double)(128 << (format->depth - 8));
    video_picture(format, data, &picture);
    for (size_t y = 0; y < height; ++y) {
        *out++ = 0;
        for (size_t x = 0; x < width; ++x, out += 3) {
            double mean[3] = {0, grey, grey};
            for (int p = 0; p < planes; ++p) {
                size_t w;
                size_t h;
                video_plane_size(format, p, &w, &h);
                const size_t box[4] = {begin_of(x, width, w), begin_of(y, height, h),
                                       end_of(x, width, w), end_of(y, height, h)};
                mean[p] = mean_of(&picture.plane[p], format->depth, box);
            }
            to_rgb(colours, format->depth, mean, out);
        }
    }
}

/* -------------------------------------------------------------------- PNG */

#ifdef HAVE_ZLIB

static void put_number(unsigned char *out, size_t value)
{
    for (int i = 0; i < 4; ++i)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* Adds a chunk around `size` bytes that are at *end + 8 already. */
static void put_chunk(unsigned char **end, const char *type, size_t size)
{
    unsigned char *chunk = *end;
    put_number(chunk, size);
    memcpy(chunk + 4, type, 4);
    put_number(chunk + 8 + size, crc32(0, chunk + 4, (uInt)size + 4));
    *end = chunk + 12 + size;
}

/* Differences from the pixel to the left are smaller. */
static void filter_rows(unsigned char *rows, size_t width, size_t height)
{
    const size_t pitch = 1 + 3 * width;
    for (size_t y = 0; y < height; ++y) {
        unsigned char *row = rows + y * pitch;
        row[0] = 1;
        for (size_t x = pitch - 1; x > 3; --x)
            row[x] = (unsigned char)(row[x] - row[x - 3]);
    }
}

static unsigned char *make_png(unsigned char *rows, size_t width, size_t height, size_t *size)
{
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const unsigned char kind[] = {8, 2, 0, 0, 0}; /* 8 bit, RGB, not interlaced */
    const uLong bytes = (uLong)((1 + 3 * width) * height);
    uLongf packed = compressBound(bytes);
    unsigned char *file = malloc(sizeof(signature) + 3 * 12 + 13 + packed);
    if (file == NULL)
        return NULL;
    unsigned char *end = file + sizeof(signature);
    memcpy(file, signature, sizeof(signature));
    put_number(end + 8, width);
    put_number(end + 12, height);
    memcpy(end + 16, kind, sizeof(kind));
    put_chunk(&end, "IHDR", 13);
    filter_rows(rows, width, height);
    if (compress2(end + 8, &packed, rows, bytes, Z_BEST_COMPRESSION) != Z_OK) {
        free(file);
        return NULL;
    }
    put_chunk(&end, "IDAT", packed);
    put_chunk(&end, "IEND", 0);
    *size = (size_t)(end - file);
    return file;
}

#else

static unsigned char *make_png(unsigned char *rows, size_t width, size_t height, size_t *size)
{
    (void)rows, (void)width, (void)height, (void)size;
    return NULL;
}

#endif

/* A side, when the longer one is reduced to kThumbnailSize. */
static int reduced(int side, int longer)
{
    if (longer <= kThumbnailSize)
        return side;
    const int size = (int)(((long long)side * kThumbnailSize + longer / 2) / longer);
    return size > 0 ? size : 1;
}

unsigned char *thumbnail_make(const VideoFormat *format, const Colours *colours,
                              const unsigned char *data, int *width, int *height, size_t *size)
{
    const int longer = format->width > format->height ? format->width : format->height;
    *width = reduced(format->width, longer);
    *height = reduced(format->height, longer);
    const size_t w = (size_t)*width;
    const size_t h = (size_t)*height;
    unsigned char *rows = malloc((1 + 3 * w) * h);
    if (rows == NULL)
        return NULL;
    draw(format, colours, data, w, h, rows);
    unsigned char *file = make_png(rows, w, h, size);
    free(rows);
    return file;
}
