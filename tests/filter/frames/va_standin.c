/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * See va_standin.h. Knows just the calls that FFmpeg makes for frames. */
#define _GNU_SOURCE
#include "va_standin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>

enum { MAX_SURFACES = 64, MAX_IMAGES = 8, IMAGE_PITCH = 2 * SURFACE_WIDTH };

static Surface surfaces[MAX_SURFACES];
static int surface_count;
static unsigned char *images[MAX_IMAGES];
static uint64_t surface_modifier;

#define TAG(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

Surface *va_standin_surface(unsigned id)
{
    return id >= 1 && (int)id <= surface_count ? &surfaces[id - 1] : NULL;
}

static int is_valid(VADisplayContextP display)
{
    return display->vadpy_magic == VA_DISPLAY_MAGIC;
}

static VAStatus query_image_formats(VADriverContextP ctx, VAImageFormat *list, int *count)
{
    (void)ctx;
    memset(list, 0, 2 * sizeof(*list));
    list[0].fourcc = VA_FOURCC_NV12;
    list[0].byte_order = list[1].byte_order = VA_LSB_FIRST;
    list[0].bits_per_pixel = 12;
    list[1].fourcc = VA_FOURCC_P010;
    list[1].bits_per_pixel = 24;
    *count = 2;
    return VA_STATUS_SUCCESS;
}

static VAStatus create_surfaces(VADriverContextP ctx, unsigned format, unsigned width,
                                unsigned height, VASurfaceID *ids, unsigned count,
                                VASurfaceAttrib *attributes, unsigned attribute_count)
{
    (void)ctx;
    (void)attributes;
    (void)attribute_count;
    if (width != SURFACE_WIDTH || height != SURFACE_HEIGHT)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    for (unsigned i = 0; i < count; i++) {
        if (surface_count == MAX_SURFACES ||
            surface_make(&surfaces[surface_count], format == VA_RT_FORMAT_YUV420_10,
                         surface_modifier == SURFACE_MODIFIER_TILED) < 0)
            return VA_STATUS_ERROR_ALLOCATION_FAILED;
        ids[i] = (VASurfaceID)++surface_count;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_surfaces(VADriverContextP ctx, VASurfaceID *ids, int count)
{
    (void)ctx;
    for (int i = 0; i < count; i++)
        surface_free(va_standin_surface(ids[i]));
    return VA_STATUS_SUCCESS;
}

static VAStatus sync_surface(VADriverContextP ctx, VASurfaceID id)
{
    Surface *surface = va_standin_surface(id);

    (void)ctx;
    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    surface_sync(surface);
    return VA_STATUS_SUCCESS;
}

static VAStatus derive_image(VADriverContextP ctx, VASurfaceID id, VAImage *image)
{
    (void)ctx;
    (void)id;
    (void)image;
    return VA_STATUS_ERROR_OPERATION_FAILED; /* as AMD's driver for tiled surfaces */
}

static VAStatus create_image(VADriverContextP ctx, VAImageFormat *format, int width, int height,
                             VAImage *image)
{
    int slot = 0;

    (void)ctx;
    while (slot < MAX_IMAGES && images[slot])
        slot++;
    if (slot == MAX_IMAGES)
        return VA_STATUS_ERROR_ALLOCATION_FAILED;
    memset(image, 0, sizeof(*image));
    image->image_id = image->buf = (VAImageID)slot + 1;
    image->format = *format;
    image->width = (uint16_t)width;
    image->height = (uint16_t)height;
    image->data_size = IMAGE_PITCH * (SURFACE_HEIGHT + SURFACE_HEIGHT / 2);
    image->num_planes = 2;
    image->pitches[0] = image->pitches[1] = IMAGE_PITCH;
    image->offsets[1] = IMAGE_PITCH * SURFACE_HEIGHT;
    images[slot] = calloc(1, image->data_size);
    return VA_STATUS_SUCCESS;
}

static VAStatus get_image(VADriverContextP ctx, VASurfaceID id, int x, int y, unsigned width,
                          unsigned height, VAImageID image)
{
    const Surface *surface = va_standin_surface(id);

    (void)ctx;
    if (!surface || x || y || width != SURFACE_WIDTH || height != SURFACE_HEIGHT)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    surface_read(surface, 0, images[image - 1], IMAGE_PITCH);
    surface_read(surface, 1, images[image - 1] + IMAGE_PITCH * SURFACE_HEIGHT, IMAGE_PITCH);
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_image(VADriverContextP ctx, VAImageID image)
{
    (void)ctx;
    free(images[image - 1]);
    images[image - 1] = NULL;
    return VA_STATUS_SUCCESS;
}

static VAStatus map_buffer(VADriverContextP ctx, VABufferID buffer, void **data)
{
    (void)ctx;
    *data = images[buffer - 1];
    return VA_STATUS_SUCCESS;
}

static VAStatus unmap_buffer(VADriverContextP ctx, VABufferID buffer)
{
    (void)ctx;
    (void)buffer;
    return VA_STATUS_SUCCESS;
}

/* Does not wait for the decoder, like the real ones. */
static VAStatus export_surface(VADriverContextP ctx, VASurfaceID id, uint32_t memory_type,
                               uint32_t flags, void *descriptor)
{
    VADRMPRIMESurfaceDescriptor *desc = descriptor;
    const Surface *surface = va_standin_surface(id);

    (void)ctx;
    if (!surface || memory_type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 ||
        !(flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS))
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    memset(desc, 0, sizeof(*desc));
    desc->fourcc = surface->is_deep ? VA_FOURCC_P010 : VA_FOURCC_NV12;
    desc->width = SURFACE_WIDTH;
    desc->height = SURFACE_HEIGHT;
    desc->num_objects = 1;
    desc->objects[0].fd = dup(surface->fd);
    desc->objects[0].size = (uint32_t)surface->bytes;
    desc->objects[0].drm_format_modifier = surface_modifier;
    desc->num_layers = 2;
    for (int i = 0; i < 2; i++) {
        desc->layers[i].num_planes = 1;
        desc->layers[i].offset[0] = (uint32_t)surface_offset(surface, i);
        desc->layers[i].pitch[0] = (uint32_t)surface_pitch(surface);
    }
    desc->layers[0].drm_format =
        surface->is_deep ? TAG('R', '1', '6', ' ') : TAG('R', '8', ' ', ' ');
    desc->layers[1].drm_format =
        surface->is_deep ? TAG('G', 'R', '3', '2') : TAG('G', 'R', '8', '8');
    return VA_STATUS_SUCCESS;
}

void *va_standin_display(uint64_t modifier, int drm_fd)
{
    static struct VADriverVTable calls;
    static struct drm_state drm;
    static struct VADriverContext driver;
    static struct VADisplayContext display;

    surface_modifier = modifier;
    calls.vaQueryImageFormats = query_image_formats;
    calls.vaCreateSurfaces2 = create_surfaces;
    calls.vaDestroySurfaces = destroy_surfaces;
    calls.vaSyncSurface = sync_surface;
    calls.vaDeriveImage = derive_image;
    calls.vaCreateImage = create_image;
    calls.vaGetImage = get_image;
    calls.vaDestroyImage = destroy_image;
    calls.vaMapBuffer = map_buffer;
    calls.vaUnmapBuffer = unmap_buffer;
    calls.vaExportSurfaceHandle = export_surface;
    drm.fd = drm_fd;
    driver.vtable = &calls;
    driver.max_image_formats = 2;
    driver.str_vendor = "stand-in";
    driver.drm_state = &drm;
    display.vadpy_magic = VA_DISPLAY_MAGIC;
    display.pDriverContext = &driver;
    display.vaIsValid = is_valid;
    driver.pDisplayContext = &display;
    return &display;
}
