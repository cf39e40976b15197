/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * See va_standin.h. Knows just the calls that FFmpeg and the filter make for frames. */
#define _GNU_SOURCE
#include "va_standin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>

enum { MAX_SURFACES = 128, MAX_IMAGES = 8, MAX_DISPLAYS = 4, IMAGE_PITCH = 2 * SURFACE_WIDTH };

typedef struct Display {
    struct VADriverVTable calls;
    struct drm_state drm;
    struct VADriverContext driver;
    struct VADisplayContext display;
    VaTraits traits;
    int exports, linear_surfaces, copies; /* counts of calls, for the limits */
    VASurfaceID target, source;           /* surfaces of the picture being processed */
} Display;

typedef struct VaSurface {
    Surface surface;
    uint64_t modifier;
    VASurfaceID copy_of; /* to be copied by the next synchronisation, or 0 */
} VaSurface;

static Display displays[MAX_DISPLAYS];
static VaSurface surfaces[MAX_SURFACES];
static int display_count, surface_count, left;
static unsigned char *images[MAX_IMAGES];
static VAProcPipelineParameterBuffer parameters;

#define TAG(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static Display *display_of(VADriverContextP ctx)
{
    return ctx->pDriverData;
}

int va_standin_left(void)
{
    return left;
}

/* ---------------------------------------------------------------- surfaces */

Surface *va_standin_surface(unsigned id)
{
    return id >= 1 && (int)id <= surface_count ? &surfaces[id - 1].surface : NULL;
}

static int is_valid(VADisplayContextP display)
{
    return display->vadpy_magic == VA_DISPLAY_MAGIC;
}

static uint64_t wanted_modifier(const Display *display, const VASurfaceAttrib *attributes,
                                unsigned count)
{
    for (unsigned i = 0; i < count && !display->traits.ignores_modifiers; i++)
        if (attributes[i].type == VASurfaceAttribDRMFormatModifiers) {
            const VADRMFormatModifierList *list = attributes[i].value.value.p;

            return list->modifiers[0];
        }
    return display->traits.modifier;
}

static VAStatus create_surfaces(VADriverContextP ctx, unsigned format, unsigned width,
                                unsigned height, VASurfaceID *ids, unsigned count,
                                VASurfaceAttrib *attributes, unsigned attribute_count)
{
    Display *display = display_of(ctx);
    const VaTraits *traits = &display->traits;
    const uint64_t modifier = wanted_modifier(display, attributes, attribute_count);

    if (width != SURFACE_WIDTH || height != SURFACE_HEIGHT)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    for (unsigned i = 0; i < count; i++) {
        VaSurface *made = &surfaces[surface_count];
        const int is_extra = modifier != traits->modifier;

        if (surface_count == MAX_SURFACES ||
            (is_extra && traits->linear_limit &&
             ++display->linear_surfaces >= traits->linear_limit) ||
            surface_make(&made->surface, format == VA_RT_FORMAT_YUV420_10,
                         (traits->lies && !is_extra) || modifier != SURFACE_MODIFIER_LINEAR) < 0)
            return VA_STATUS_ERROR_ALLOCATION_FAILED;
        made->modifier = modifier;
        ids[i] = (VASurfaceID)++surface_count;
        left++;
    }
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_surfaces(VADriverContextP ctx, VASurfaceID *ids, int count)
{
    (void)ctx;
    for (int i = 0; i < count; i++)
        surface_free(va_standin_surface(ids[i]));
    left -= count;
    return VA_STATUS_SUCCESS;
}

static VAStatus sync_surface(VADriverContextP ctx, VASurfaceID id)
{
    Surface *surface = va_standin_surface(id);
    Surface *source = surface ? va_standin_surface(surfaces[id - 1].copy_of) : NULL;
    const int spoils = display_of(ctx)->traits.spoils_plane;

    if (!surface)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    if (source) {
        surface_sync(source);
        surface_copy(surface, source);
        if (spoils)
            surface_spoil_sample(surface, spoils - 1);
        surfaces[id - 1].copy_of = 0;
    }
    surface_sync(surface);
    return VA_STATUS_SUCCESS;
}

/* Does not wait for the decoder, like the real ones. */
static VAStatus export_surface(VADriverContextP ctx, VASurfaceID id, uint32_t memory_type,
                               uint32_t flags, void *descriptor)
{
    VADRMPRIMESurfaceDescriptor *desc = descriptor;
    const Surface *surface = va_standin_surface(id);
    Display *display = display_of(ctx);

    if (!surface || memory_type != VA_SURFACE_ATTRIB_MEM_TYPE_DRM_PRIME_2 ||
        !(flags & VA_EXPORT_SURFACE_SEPARATE_LAYERS))
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    if (display->traits.export_limit && ++display->exports > display->traits.export_limit)
        return VA_STATUS_ERROR_INVALID_SURFACE;
    memset(desc, 0, sizeof(*desc));
    desc->fourcc = surface->is_deep ? VA_FOURCC_P010 : VA_FOURCC_NV12;
    desc->width = SURFACE_WIDTH;
    desc->height = SURFACE_HEIGHT;
    desc->num_objects = 1;
    desc->objects[0].fd = dup(surface->fd);
    desc->objects[0].size = display->traits.has_no_size ? 0 : (uint32_t)surface->bytes;
    desc->objects[0].drm_format_modifier = surfaces[id - 1].modifier;
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

/* ------------------------------------------------------------------ images */

static const VAImageFormat image_formats[] = {
    {.fourcc = VA_FOURCC_NV12, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 12},
    {.fourcc = VA_FOURCC_P010, .byte_order = VA_LSB_FIRST, .bits_per_pixel = 24},
};

static VAStatus query_image_formats(VADriverContextP ctx, VAImageFormat *list, int *count)
{
    (void)ctx;
    memcpy(list, image_formats, sizeof(image_formats));
    *count = 2;
    return VA_STATUS_SUCCESS;
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
    left++;
    return VA_STATUS_SUCCESS;
}

/* As AMD's older drivers for tiled surfaces. */
static VAStatus derive_image(VADriverContextP ctx, VASurfaceID id, VAImage *image)
{
    (void)ctx;
    (void)id;
    (void)image;
    return VA_STATUS_ERROR_OPERATION_FAILED;
}

static VAStatus get_image(VADriverContextP ctx, VASurfaceID id, int x, int y, unsigned width,
                          unsigned height, VAImageID image)
{
    const Surface *surface = va_standin_surface(id);

    if (display_of(ctx)->traits.has_no_images)
        return VA_STATUS_ERROR_OPERATION_FAILED;
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
    left--;
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

/* --------------------------------------------------------- video processor */

static VAStatus create_config(VADriverContextP ctx, VAProfile profile, VAEntrypoint entrypoint,
                              VAConfigAttrib *attributes, int count, VAConfigID *config)
{
    (void)attributes;
    (void)count;
    if (profile != VAProfileNone || entrypoint != VAEntrypointVideoProc ||
        display_of(ctx)->traits.has_no_processor)
        return VA_STATUS_ERROR_UNSUPPORTED_ENTRYPOINT;
    *config = 1;
    left++;
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_config(VADriverContextP ctx, VAConfigID config)
{
    (void)ctx;
    (void)config;
    left--;
    return VA_STATUS_SUCCESS;
}

static VAStatus create_context(VADriverContextP ctx, VAConfigID config, int width, int height,
                               int flags, VASurfaceID *targets, int count, VAContextID *context)
{
    (void)ctx;
    (void)flags;
    (void)targets;
    (void)count;
    if (config != 1 || width != SURFACE_WIDTH || height != SURFACE_HEIGHT)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    *context = 1;
    left++;
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_context(VADriverContextP ctx, VAContextID context)
{
    (void)ctx;
    (void)context;
    left--;
    return VA_STATUS_SUCCESS;
}

static VAStatus create_buffer(VADriverContextP ctx, VAContextID context, VABufferType type,
                              unsigned size, unsigned count, void *data, VABufferID *buffer)
{
    (void)ctx;
    (void)context;
    if (type != VAProcPipelineParameterBufferType || size != sizeof(parameters) || count != 1)
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    memcpy(&parameters, data, sizeof(parameters));
    *buffer = 1;
    left++;
    return VA_STATUS_SUCCESS;
}

static VAStatus destroy_buffer(VADriverContextP ctx, VABufferID buffer)
{
    (void)ctx;
    (void)buffer;
    left--;
    return VA_STATUS_SUCCESS;
}

static VAStatus begin_picture(VADriverContextP ctx, VAContextID context, VASurfaceID target)
{
    (void)context;
    display_of(ctx)->target = target;
    display_of(ctx)->source = 0;
    return va_standin_surface(target) ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_INVALID_SURFACE;
}

static int is_whole(const VARectangle *region)
{
    return region && !region->x && !region->y && region->width == SURFACE_WIDTH &&
           region->height == SURFACE_HEIGHT;
}

/* Anything but a copy is more than this processor can do. */
static VAStatus render_picture(VADriverContextP ctx, VAContextID context, VABufferID *buffers,
                               int count)
{
    (void)context;
    (void)buffers;
    if (count != 1 || !is_whole(parameters.surface_region) || !is_whole(parameters.output_region) ||
        parameters.num_filters || parameters.rotation_state || parameters.mirror_state ||
        parameters.filter_flags ||
        parameters.surface_color_standard != parameters.output_color_standard ||
        memcmp(&parameters.input_color_properties, &parameters.output_color_properties,
               sizeof(parameters.input_color_properties)))
        return VA_STATUS_ERROR_INVALID_PARAMETER;
    display_of(ctx)->source = parameters.surface;
    return VA_STATUS_SUCCESS;
}

/* Begins the copy: until it is synchronised, the target holds something else. */
static VAStatus end_picture(VADriverContextP ctx, VAContextID context)
{
    Display *display = display_of(ctx);
    Surface *target = va_standin_surface(display->target);

    (void)context;
    if (!target || !va_standin_surface(display->source))
        return VA_STATUS_ERROR_INVALID_SURFACE;
    if (display->traits.process_limit && ++display->copies > display->traits.process_limit)
        return VA_STATUS_ERROR_OPERATION_FAILED;
    memset(target->memory, 0x77, target->bytes);
    surfaces[display->target - 1].copy_of = display->source;
    return VA_STATUS_SUCCESS;
}

/* ----------------------------------------------------------------- display */

static void fill_calls(struct VADriverVTable *calls)
{
    calls->vaQueryImageFormats = query_image_formats;
    calls->vaCreateSurfaces2 = create_surfaces;
    calls->vaDestroySurfaces = destroy_surfaces;
    calls->vaSyncSurface = sync_surface;
    calls->vaDeriveImage = derive_image;
    calls->vaCreateImage = create_image;
    calls->vaGetImage = get_image;
    calls->vaDestroyImage = destroy_image;
    calls->vaMapBuffer = map_buffer;
    calls->vaUnmapBuffer = unmap_buffer;
    calls->vaExportSurfaceHandle = export_surface;
    calls->vaCreateConfig = create_config;
    calls->vaDestroyConfig = destroy_config;
    calls->vaCreateContext = create_context;
    calls->vaDestroyContext = destroy_context;
    calls->vaCreateBuffer = create_buffer;
    calls->vaDestroyBuffer = destroy_buffer;
    calls->vaBeginPicture = begin_picture;
    calls->vaRenderPicture = render_picture;
    calls->vaEndPicture = end_picture;
}

void *va_standin_display(const VaTraits *traits, int drm_fd)
{
    Display *made = &displays[display_count++];

    if (display_count > MAX_DISPLAYS)
        abort();
    fill_calls(&made->calls);
    made->traits = *traits;
    made->drm.fd = drm_fd;
    made->driver.vtable = &made->calls;
    made->driver.pDriverData = made;
    made->driver.max_image_formats = 2;
    made->driver.str_vendor = "stand-in";
    made->driver.drm_state = &made->drm;
    made->display.vadpy_magic = VA_DISPLAY_MAGIC;
    made->display.pDriverContext = &made->driver;
    made->display.vaIsValid = is_valid;
    made->driver.pDisplayContext = &made->display;
    return &made->display;
}
