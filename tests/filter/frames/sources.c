/* SPDX-License-Identifier: BSD-2-Clause-Patent
 * See sources.h. */
#define _GNU_SOURCE
#include "sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavutil/buffer.h>
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_drm.h>
#include <libavutil/hwcontext_vaapi.h>
#include <libavutil/mem.h>

#include "config.h"
#if CONFIG_CUDA
#include <libavutil/hwcontext_cuda.h>
#endif

#include "surface.h"
#include "va_standin.h"

enum Kind { SOFTWARE, DRM, VAAPI, CUDA };

/* A DRM_PRIME frame's memory and its descriptor; free ones are used again, the last first. */
typedef struct Buffer {
    AVDRMFrameDescriptor desc;
    Surface surface;
    struct Buffer *next;
    Source *source;
} Buffer;

/* One for the decoder, one between, and what inflight=4 holds. */
enum { FEW_SURFACES = 8 };

struct Source {
    enum Kind kind;
    int is_deep, is_distorted;
    int is_short, is_large, is_fresh, is_unlinked, is_bare;
    int most_surfaces, made; /* 0: any number */
    VaTraits traits;         /* also the modifier of other frames */
    AVBufferRef *device, *frames;
    AVBufferRef *other_device, *other_frames; /* if frames move to them */
    Buffer *free_buffers;
};

static int has(const char *kind, const char *variant)
{
    const size_t length = strlen(variant);

    for (const char *dash = kind; (dash = strchr(dash, '-')); dash++)
        if (!strncmp(dash + 1, variant, length) && strchr("-/", dash[1 + length]))
            return 1; /* the end of the text counts as found */
    return 0;
}

static AVBufferRef *make_device(Source *source, int drm_fd)
{
    static const enum AVHWDeviceType types[] = {AV_HWDEVICE_TYPE_NONE, AV_HWDEVICE_TYPE_DRM,
                                                AV_HWDEVICE_TYPE_VAAPI, AV_HWDEVICE_TYPE_CUDA};
    AVBufferRef *ref = av_hwdevice_ctx_alloc(types[source->kind]);
    AVHWDeviceContext *device = ref ? (AVHWDeviceContext *)ref->data : NULL;

    if (!device)
        return NULL;
    if (source->kind == DRM)
        ((AVDRMDeviceContext *)device->hwctx)->fd = drm_fd;
#if CONFIG_CUDA
    else if (source->kind == CUDA) /* any address: nobody looks behind it */
        ((AVCUDADeviceContext *)device->hwctx)->cuda_ctx = (CUcontext)source;
#endif
    else
        ((AVVAAPIDeviceContext *)device->hwctx)->display =
            va_standin_display(&source->traits, drm_fd);
    if (av_hwdevice_ctx_init(ref) < 0)
        av_buffer_unref(&ref);
    return ref;
}

static AVBufferRef *make_frames(Source *source, AVBufferRef *device)
{
    AVBufferRef *ref = device ? av_hwframe_ctx_alloc(device) : NULL;
    AVHWFramesContext *frames = ref ? (AVHWFramesContext *)ref->data : NULL;

    if (!frames)
        return NULL;
    frames->format = source_format(source);
    frames->sw_format = source->is_deep ? AV_PIX_FMT_P010 : AV_PIX_FMT_NV12;
    frames->width = SURFACE_WIDTH;
    frames->height = SURFACE_HEIGHT;
    if (source->kind == VAAPI) /* FFmpeg limits a pool of VAAPI to this size */
        frames->initial_pool_size = source->most_surfaces;
    if (av_hwframe_ctx_init(ref) < 0)
        av_buffer_unref(&ref);
    else
        frames->initial_pool_size = source->most_surfaces;
    return ref;
}

static VaTraits read_traits(const char *kind)
{
    VaTraits traits = {0};

    traits.modifier = has(kind, "tiled")     ? SURFACE_MODIFIER_TILED
                      : has(kind, "unknown") ? SURFACE_MODIFIER_UNKNOWN
                                             : SURFACE_MODIFIER_LINEAR;
    traits.lies = has(kind, "lies");
    traits.has_no_size = has(kind, "sizeless");
    traits.export_limit = has(kind, "export6") ? 6 : 0;
    traits.has_no_processor = has(kind, "novpp");
    traits.ignores_modifiers = has(kind, "stubborn");
    traits.linear_limit = has(kind, "dry") ? 1 : has(kind, "narrow") ? 2 : 0;
    traits.process_limit = has(kind, "vpp6") ? 6 : 0;
    traits.spoils_plane = has(kind, "spoilt") ? 1 : has(kind, "tinted") ? 2 : 0;
    traits.has_no_images = has(kind, "noimage");
    return traits;
}

Source *source_open(const char *kind, int is_distorted, int drm_fd)
{
    Source *source = av_mallocz(sizeof(*source));

    source->kind = !strncmp(kind, "vaapi", 5)  ? VAAPI
                   : !strncmp(kind, "drm", 3)  ? DRM
                   : !strncmp(kind, "cuda", 4) ? CUDA
                                               : SOFTWARE;
    source->is_deep = strstr(kind, "/p010") != NULL;
    source->is_distorted = is_distorted;
    source->is_short = has(kind, "short");
    source->is_large = has(kind, "large");
    source->is_fresh = has(kind, "fresh");
    source->is_unlinked = has(kind, "unlinked");
    source->is_bare = has(kind, "bare");
    source->most_surfaces = has(kind, "few") ? FEW_SURFACES : 0;
    source->traits = read_traits(kind);
    if (source->kind == SOFTWARE)
        return source;
    source->device = make_device(source, drm_fd);
    source->frames = make_frames(source, source->device);
    if (has(kind, "moved")) {
        source->other_device = make_device(source, drm_fd);
        source->other_frames = make_frames(source, source->other_device);
    }
    if (!source->frames || !source->other_device != !source->other_frames) {
        fprintf(stderr, "no frames of kind %s\n", kind);
        exit(2);
    }
    return source;
}

static void free_buffer(Buffer *buffer)
{
    surface_free(&buffer->surface);
    av_free(buffer);
}

void source_close(Source **source)
{
    while ((*source)->free_buffers) {
        Buffer *buffer = (*source)->free_buffers;

        (*source)->free_buffers = buffer->next;
        free_buffer(buffer);
    }
    av_buffer_unref(&(*source)->other_frames);
    av_buffer_unref(&(*source)->other_device);
    av_buffer_unref(&(*source)->frames);
    av_buffer_unref(&(*source)->device);
    av_freep(source);
}

enum AVPixelFormat source_format(const Source *source)
{
    if (source->kind == DRM)
        return AV_PIX_FMT_DRM_PRIME;
    if (source->kind == VAAPI)
        return AV_PIX_FMT_VAAPI;
    if (source->kind == CUDA)
        return AV_PIX_FMT_CUDA;
    return source->is_deep ? AV_PIX_FMT_P010 : AV_PIX_FMT_NV12;
}

AVBufferRef *source_frames(const Source *source)
{
    return source->is_unlinked ? NULL : source->frames;
}

/* ------------------------------------------------------------- DRM_PRIME */

static void describe(Buffer *buffer, uint64_t modifier, int is_short, int is_large)
{
    static const char *const formats[] = {"NV12", "P010"};
    const char *format = formats[buffer->surface.is_deep];
    AVDRMFrameDescriptor *desc = &buffer->desc;

    desc->nb_objects = 1;
    desc->objects[0].fd = buffer->surface.fd;
    desc->objects[0].size = buffer->surface.bytes;
    desc->objects[0].format_modifier = modifier;
    if (is_short)
        desc->objects[0].size =
            surface_offset(&buffer->surface, 1) - surface_pitch(&buffer->surface);
    if (is_large)
        desc->objects[0].size += 8192;
    desc->nb_layers = 1;
    desc->layers[0].format = MKTAG(format[0], format[1], format[2], format[3]);
    desc->layers[0].nb_planes = 2;
    for (int i = 0; i < 2; i++) {
        desc->layers[0].planes[i].offset = (ptrdiff_t)surface_offset(&buffer->surface, i);
        desc->layers[0].planes[i].pitch = (ptrdiff_t)surface_pitch(&buffer->surface);
    }
}

/* The next picture goes where this one was: who still reads it gets wrong scores. */
static void recycle(void *opaque, uint8_t *data)
{
    Buffer *buffer = (Buffer *)data;
    Source *source = opaque;

    if (source->is_fresh) {
        free_buffer(buffer);
        return;
    }
    surface_decode(&buffer->surface, 0, 0);
    buffer->next = source->free_buffers;
    source->free_buffers = buffer;
}

static int fill_drm(Source *source, AVFrame *frame, int n)
{
    Buffer *buffer = source->free_buffers;

    if (buffer) {
        source->free_buffers = buffer->next;
    } else if (source->most_surfaces && source->made >= source->most_surfaces) {
        fprintf(stderr, "no surface is left\n");
        return -1;
    } else {
        source->made++;
        buffer = av_mallocz(sizeof(*buffer));
        if (surface_make(&buffer->surface, source->is_deep,
                         source->traits.modifier != SURFACE_MODIFIER_LINEAR) < 0)
            return -1;
        describe(buffer, source->traits.modifier, source->is_short, source->is_large);
    }
    surface_decode(&buffer->surface, n, source->is_distorted);
    surface_sync(&buffer->surface); /* these frames carry no fence */
    frame->format = AV_PIX_FMT_DRM_PRIME;
    frame->data[0] = (uint8_t *)&buffer->desc;
    frame->buf[0] = av_buffer_create((uint8_t *)buffer, sizeof(*buffer), recycle, source, 0);
    frame->hw_frames_ctx = av_buffer_ref(source->frames);
    return frame->buf[0] && frame->hw_frames_ctx ? 0 : -1;
}

/* ---------------------------------------------------------------- others */

static int fill_vaapi(const Source *source, AVFrame *frame, int n)
{
    if (av_hwframe_get_buffer(source->frames, frame, 0) < 0)
        return -1;
    surface_decode(va_standin_surface((unsigned)(uintptr_t)frame->data[3]), n,
                   source->is_distorted);
    return 0;
}

static int fill_software(const Source *source, AVFrame *frame, int n)
{
    frame->format = source_format(source);
    if (av_frame_get_buffer(frame, 0) < 0)
        return -1;
    for (int y = 0; y < SURFACE_HEIGHT; y++)
        picture_row(frame->data[0] + y * frame->linesize[0], source->is_deep, n,
                    source->is_distorted, y);
    for (int y = 0; y < SURFACE_HEIGHT / 2; y++)
        picture_chroma_row(frame->data[1] + y * frame->linesize[1], source->is_deep, n,
                           source->is_distorted, y);
    return 0;
}

AVFrame *source_frame(Source *source, int n)
{
    AVFrame *frame = av_frame_alloc();
    int ret;

    frame->width = SURFACE_WIDTH;
    frame->height = SURFACE_HEIGHT;
    ret = source->kind == DRM     ? fill_drm(source, frame, n)
          : source->kind == VAAPI ? fill_vaapi(source, frame, n)
                                  : fill_software(source, frame, n);
    frame->pts = n;
    if (n >= 2 && (source->is_bare || source->other_frames)) {
        av_buffer_unref(&frame->hw_frames_ctx);
        if (source->other_frames)
            frame->hw_frames_ctx = av_buffer_ref(source->other_frames);
    }
    if (ret < 0)
        av_frame_free(&frame);
    return frame;
}
