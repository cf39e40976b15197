/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: VAAPI, DRM_PRIME, Vulkan and D3D11 frames. A surface is read where
 * it lies if it is linear and on the engine's GPU; else it is copied there,
 * else downloaded. The first picture of each way is compared with a download of
 * the same frame: a driver may call a tiled surface linear, or convert colours
 * where it should copy.
 *
 * This file is part of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * FFmpeg is distributed in the hope that it will be useful,
 * but WITHOUT ANY WARRANTY; without even the implied warranty of
 * MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
 * Lesser General Public License for more details.
 *
 * You should have received a copy of the GNU Lesser General Public
 * License along with FFmpeg; if not, write to the Free Software
 * Foundation, Inc., 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vf_vmaf_gpu_surface.h"

#include "libavutil/avstring.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/imgutils.h"
#include "libavutil/log.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"

/* What a picture keeps until the engine has read it. */
typedef struct DrmPicture {
    AVFrame *frame;
    /* of the planes; NULL for a downloaded frame */
    VmafGpuImport *imports[VMAF_GPU_MOST_PLANES];
    AVFrame **spare;
} DrmPicture;

static const char *const names[VMAF_GPU_NB_INPUTS] = { "main", "reference" };

static int is_surface(enum AVPixelFormat format)
{
    return format == AV_PIX_FMT_VAAPI || format == AV_PIX_FMT_DRM_PRIME ||
           format == AV_PIX_FMT_VULKAN || format == AV_PIX_FMT_D3D11;
}

static const char *frames_are(int format)
{
    return format == AV_PIX_FMT_VAAPI    ? "VAAPI surfaces are"
           : format == AV_PIX_FMT_VULKAN ? "Vulkan frames are"
           : format == AV_PIX_FMT_D3D11  ? "D3D11 frames are"
                                         : "DRM_PRIME frames are";
}

/* Log once for each input and path. */
static void say(AVFilterContext *ctx, int input, const AVFrame *frame,
                const char *what, const char *then)
{
    VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    int path = drm->input[input].path;

    if (!drm->input[input].said[path]++)
        av_log(ctx, AV_LOG_INFO, "%s: %s %s%s\n", names[input],
               frames_are(frame->format), what, then);
}

/*
 * From now on the input is read that way, and its first picture is to be
 * compared.
 */
static void begin_path(VmafGpuDrm *drm, int input, int path)
{
    if (drm->input[input].path == path)
        return;
    drm->input[input].path = path;
    drm->input[input].unverified = 1;
#if VMAF_GPU_DMABUF
    if (path == VMAF_GPU_DOWNLOADED)
        ff_vmafgpu_free_copier(&drm->input[input].copier);
#endif
}

/* ----------------------------------------------------------------- pictures */

static void release_picture(void *opaque)
{
    DrmPicture *held = opaque;

    /* The engine is calling: unused imports are dropped with the next frame. */
    for (int i = 0; i < VMAF_GPU_MOST_PLANES; i++)
        if (held->imports[i])
            held->imports[i]->users--;
    if (held->spare && !*held->spare)
        FFSWAP(AVFrame *, *held->spare, held->frame);
    av_frame_free(&held->frame);
    av_free(held);
}

/* The picture owns the frame afterwards. */
static DrmPicture *hold(VmafGpuPicture *picture, AVFrame *frame,
                        AVFrame **spare)
{
    DrmPicture *held = av_mallocz(sizeof(*held));

    if (!held)
        return NULL;
    held->frame = frame;
    held->spare = spare;
    picture->opaque = held;
    picture->release = release_picture;
    return held;
}

/* ---------------------------------------------------------------- in place */

/* 1: the surfaces are on the engine's GPU; 0: they are not, see reason. */
static int is_near(const VmafGpuDrm *drm, int input, char *reason)
{
    const char *pci = drm->input[input].pci;

    if (*drm->engine_pci && !*pci)
        return vg_reason(reason, "on a GPU that has no PCI address");
    if (*drm->engine_pci && strcmp(drm->engine_pci, pci))
        return vg_reason(reason, "on GPU %s, but the engine is on %s", pci,
                         drm->engine_pci);
    return 1;
}

#if VG_HAS_VULKAN
/* As wrap_on_gpu(). */
static int wrap_vulkan(VmafGpuFilter *s, VmafGpuPicture *picture, int input,
                       const AVFrame *frame, char *reason)
{
    int ret = is_near(s->drm, input, reason);

    if (ret)
        ret = ff_vmafgpu_wrap_vulkan(s, &s->drm->input[input].vulkan, picture,
                                     frame, reason);
    if (ret > 0)
        begin_path(s->drm, input, VMAF_GPU_COPIED);
    return ret;
}
#else
static int wrap_vulkan(VmafGpuFilter *s, VmafGpuPicture *picture, int input,
                       const AVFrame *frame, char *reason)
{
    return vg_reason(
        reason, "not shareable (FFmpeg has no Vulkan, or is older than 7.1)");
}
#endif

#if VMAF_GPU_DMABUF

/* Components that the engine reads. */
static int count_components(const VmafGpuFilter *s,
                            const AVPixFmtDescriptor *format)
{
    return vmafgpu_needs_chroma(s->engine) > 0
               ? FFMIN(format->nb_components, VMAF_GPU_MOST_PLANES)
               : 1;
}

/* Import the memory of every component. As wrap_surface(). */
static int import_planes(VmafGpuFilter *s, VmafGpuPicture *picture,
                         const AVDRMFrameDescriptor *desc,
                         const AVPixFmtDescriptor *format, int components,
                         DrmPicture *held, char *reason)
{
    for (int i = 0; i < components; i++) {
        const AVComponentDescriptor *comp = &format->comp[i];
        const AVDRMPlaneDescriptor *plane =
            ff_vmafgpu_find_plane(desc, comp->plane);
        VmafGpuImport *import;
        int ret = ff_vmafgpu_import(s, &desc->objects[plane->object_index],
                                    &import, reason);

        if (ret <= 0)
            return ret;
        import->users++; /* now: the next import may drop unused ones */
        held->imports[i] = import;
        picture->plane[i].data =
            (const char *)import->memory + plane->offset + comp->offset;
        picture->plane[i].pitch = plane->pitch;
        picture->plane[i].step = comp->step;
    }
    picture->memory = VMAFGPU_MEMORY_DEVICE;
    picture->depth = format->comp[0].depth;
    picture->shift = format->comp[0].shift;
    return 1;
}

/*
 * 1: the picture is ready; 0: the surface cannot be read in place, see reason;
 * or an error. *is_layout: only because of its layout.
 */
static int wrap_surface(VmafGpuFilter *s, VmafGpuPicture *picture,
                        const AVFrame *frame, const AVPixFmtDescriptor *format,
                        int *is_layout, char *reason)
{
    const int components = count_components(s, format);
    AVFrame *mapped = ff_vmafgpu_export_surface(frame, reason);
    const AVDRMFrameDescriptor *desc;
    DrmPicture *held;
    int ret;

    *is_layout = 0;
    if (!mapped)
        return *reason ? 0 : AVERROR(ENOMEM);
    desc = (const AVDRMFrameDescriptor *)mapped->data[0];
    if (!ff_vmafgpu_is_linear(frame, desc, format, components, reason)) {
        *is_layout = 1;
        av_frame_free(&mapped);
        return 0;
    }
    held = hold(picture, mapped, NULL);
    if (!held) {
        av_frame_free(&mapped);
        return AVERROR(ENOMEM);
    }
    ret = import_planes(s, picture, desc, format, components, held, reason);
    if (ret <= 0) {
        release_picture(held);
        picture->opaque = NULL;
        picture->release = NULL;
    }
    return ret;
}

/*
 * wrap_surface() for a linear copy of a VAAPI surface. The reason names the
 * layout, too.
 */
static int wrap_copy(VmafGpuFilter *s, VmafGpuPicture *picture, int input,
                     const AVFrame *frame, const AVPixFmtDescriptor *format,
                     char *reason)
{
    char why[VMAF_GPU_REASON_SIZE] = "";
    AVFrame *copy = NULL;
    int is_layout;
    int ret = ff_vmafgpu_copy_to_linear(&s->drm->input[input].copier, frame,
                                        &copy, why);

    if (ret > 0)
        ret = wrap_surface(s, picture, copy, format, &is_layout, why);
    av_frame_free(&copy); /* the export keeps the surface */
    if (!ret)
        vg_reason(reason, "%.100s, and linear copies of them are %.140s",
                  s->drm->input[input].layout, why);
    return ret;
}

/*
 * 1: the picture is ready, and the path is known; 0: download it, see reason;
 * or an error.
 */
static int wrap_on_gpu(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                       const AVFrame *frame, const AVPixFmtDescriptor *format,
                       char *reason)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuDrm *drm = s->drm;
    int ret, is_layout;

    if (!is_near(drm, input, reason))
        return 0;
    if (drm->input[input].path != VMAF_GPU_COPIED) {
        ret = wrap_surface(s, picture, frame, format, &is_layout, reason);
        if (ret > 0)
            begin_path(drm, input, VMAF_GPU_IN_PLACE);
        if (ret || !is_layout || frame->format != AV_PIX_FMT_VAAPI)
            return ret;
        av_strlcpy(drm->input[input].layout, reason,
                   sizeof(drm->input[input].layout));
    }
    ret = wrap_copy(s, picture, input, frame, format, reason);
    if (ret > 0)
        begin_path(drm, input, VMAF_GPU_COPIED);
    return ret;
}

#else
static int wrap_on_gpu(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                       const AVFrame *frame, const AVPixFmtDescriptor *format,
                       char *reason)
{
    return vg_reason(reason, "not exported (FFmpeg has no libdrm)");
}
#endif

/* ---------------------------------------------------------------- download */

/*
 * Make a software frame of the size and format of a hardware frame, unless
 * *copy is one.
 */
static int make_copy(const AVFrame *frame, AVFrame **copy)
{
    const AVHWFramesContext *frames =
        (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    int ret;

    if (*copy)
        return 0;
    *copy = av_frame_alloc();
    if (!*copy)
        return AVERROR(ENOMEM);
    (*copy)->format = frames->sw_format;
    (*copy)->width = frame->width;
    (*copy)->height = frame->height;
    ret = av_frame_get_buffer(*copy, 0);
    if (ret < 0)
        av_frame_free(copy);
    return ret;
}

/* Download a frame to *copy, which is made if it is NULL. */
static int download(const AVFrame *frame, AVFrame **copy)
{
    const int ret = make_copy(frame, copy);

    return ret < 0 ? ret : av_hwframe_transfer_data(*copy, frame, 0);
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

/* The frame is freed with the picture. */
static void describe_download(VmafGpuPicture *picture, AVFrame *frame)
{
    memset(picture, 0, sizeof(*picture));
    picture->width = frame->width;
    picture->height = frame->height;
    picture->memory = VMAFGPU_MEMORY_HOST;
    picture->opaque = frame;
    picture->release = release_frame;
    ff_vmafgpu_describe_planes(picture, frame,
                               av_pix_fmt_desc_get(frame->format));
}

/*
 * Whether all luma samples are equal. Such a picture, black at the beginning of
 * many films, is the same in every layout.
 */
static int is_flat(const AVFrame *frame)
{
    const AVComponentDescriptor *luma =
        &av_pix_fmt_desc_get(frame->format)->comp[0];
    const int bytes = luma->depth > 8 ? 2 : 1;
    const uint8_t *first = frame->data[luma->plane] + luma->offset;

    for (int y = 0; y < frame->height; y++) {
        const uint8_t *row =
            first + (ptrdiff_t)y * frame->linesize[luma->plane];

        for (int x = 0; x < frame->width; x++)
            if (memcmp(row + (ptrdiff_t)x * luma->step, first, bytes))
                return 0;
    }
    return 1;
}

enum {
    VMAF_GPU_EQUAL,
    VMAF_GPU_FLAT,       /* equal, but of one grey: the same in every layout */
    VMAF_GPU_UNVERIFIED, /* not compared: the picture is as it was */
    VMAF_GPU_DIFFERENT
};

/*
 * Compare the picture of a frame with a download of the frame. It is released
 * then: wrap the frame again, unless the result is VMAF_GPU_UNVERIFIED.
 * *differing: samples.
 */
static int verify_picture(AVFilterContext *ctx, const AVFrame *frame,
                          VmafGpuPicture *picture, uint64_t *differing)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPicture other;
    AVFrame *copy = NULL;
    int is_telling, ret;

    *differing = 0;
    ret = download(frame, &copy);
    if (ret < 0) {
        av_frame_free(&copy);
        if (ret != AVERROR(ENOMEM))
            return VMAF_GPU_UNVERIFIED;
        picture->release(picture->opaque);
        return ret;
    }
    is_telling = !is_flat(copy);
    describe_download(&other, copy);
    ret = vmafgpu_compare(s->engine, picture, &other, differing);
    if (ret < 0) {
        release_frame(copy);
        picture->release(picture->opaque);
        return ret;
    }
    return *differing   ? VMAF_GPU_DIFFERENT
           : is_telling ? VMAF_GPU_EQUAL
                        : VMAF_GPU_FLAT;
}

/*
 * Mesa maps a surface in a fraction of the time that vaGetImage takes. The
 * samples are copied out of the mapping with loads made for memory that is not
 * cached. 0: it is not possible here.
 */
static int download_mapped(const AVFrame *frame, AVFrame *copy)
{
    AVFrame *mapped = av_frame_alloc();
    ptrdiff_t to[4], from[4];
    int ret;

    if (!mapped)
        return AVERROR(ENOMEM);
    mapped->format = copy->format;
    ret = av_hwframe_map(mapped, frame,
                         AV_HWFRAME_MAP_READ | AV_HWFRAME_MAP_DIRECT);
    if (ret >= 0) {
        for (int i = 0; i < 4; i++) {
            to[i] = copy->linesize[i];
            from[i] = mapped->linesize[i];
        }
        av_image_copy_uc_from(copy->data, to, (const uint8_t **)mapped->data,
                              from, copy->format, copy->width, copy->height);
    }
    av_frame_free(&mapped);
    return ret == AVERROR(ENOMEM) ? ret : ret >= 0;
}

static int wrap_download(AVFilterContext *ctx, VmafGpuPicture *picture,
                         int input, const AVFrame *frame)
{
    VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    AVFrame *copy = drm->input[input].spare;
    int is_done = 0, ret = 0;

    drm->input[input].spare = NULL;
    if (frame->format != AV_PIX_FMT_VAAPI)
        drm->input[input].cannot_map = 1;
    if (!drm->input[input].cannot_map) {
        if ((ret = make_copy(frame, &copy)) >= 0)
            ret = is_done = download_mapped(frame, copy);
        drm->input[input].cannot_map = is_done <= 0;
    }
    if (ret >= 0 && is_done <= 0)
        ret = download(frame, &copy);
    if (ret >= 0 && !hold(picture, copy, &drm->input[input].spare))
        ret = AVERROR(ENOMEM);
    if (ret < 0) {
        av_log(ctx, AV_LOG_ERROR, "downloading a frame failed: %s\n",
               av_err2str(ret));
        av_frame_free(&copy);
        return ret;
    }
    picture->memory = VMAFGPU_MEMORY_HOST;
    ff_vmafgpu_describe_planes(picture, copy,
                               av_pix_fmt_desc_get(copy->format));
    return 0;
}

/* Why no surface of the input can be read on the GPU. NULL: some may. */
static const char *find_obstacle(const VmafGpuDrm *drm, const AVFrame *frame)
{
    return drm->is_cpu ? "not readable by backend cpu"
           : frame->format == AV_PIX_FMT_D3D11
               ? "not readable by backend cuda or hip"
               : NULL;
}

/*
 * Say how pictures are read, and what helps if they are downloaded for their
 * layout.
 */
static void say_path(AVFilterContext *ctx, int input, const AVFrame *frame,
                     const char *reason)
{
    const VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;

    if (drm->input[input].path == VMAF_GPU_IN_PLACE)
        say(ctx, input, frame, "linear: reading them in place", "");
    else if (drm->input[input].path == VMAF_GPU_COPIED &&
             frame->format == AV_PIX_FMT_VULKAN)
        say(ctx, input, frame, "copied to linear memory on the GPU", "");
    else if (drm->input[input].path == VMAF_GPU_COPIED)
        say(ctx, input, frame, drm->input[input].layout,
            ": copying them to linear ones on the GPU");
    else
        say(ctx, input, frame, reason,
            !strncmp(reason, "tiled", 5)
                ? ": downloading; with Mesa, AMD_DEBUG=novideotiling makes "
                  "them linear"
                : ": downloading");
}

static int wrap_once(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                     const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    const AVHWFramesContext *frames =
        (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames->sw_format);
    const char *obstacle = find_obstacle(s->drm, frame);
    char reason[VMAF_GPU_REASON_SIZE] = "";
    int ret = 0;

#if VMAF_GPU_DMABUF
    ff_vmafgpu_drop_imports(s, 0);
#endif
    if (obstacle)
        vg_reason(reason, "%s", obstacle);
    else if (s->drm->input[input].path != VMAF_GPU_DOWNLOADED)
        ret = frame->format == AV_PIX_FMT_VULKAN
                  ? wrap_vulkan(s, picture, input, frame, reason)
                  : wrap_on_gpu(ctx, picture, input, frame, desc, reason);
    if (ret < 0)
        return ret;
    if (!ret) {
        begin_path(s->drm, input, VMAF_GPU_DOWNLOADED);
#if VMAF_GPU_DMABUF
        if ((ret = ff_vmafgpu_check_layout(ctx, frame, desc)) < 0)
            return ret;
#endif
    }
    say_path(ctx, input, frame, reason);
    return ret ? 0 : wrap_download(ctx, picture, input, frame);
}

/*
 * verify_picture() if the frame is the first one that was read in that way,
 * else VMAF_GPU_UNVERIFIED. VMAF_GPU_DIFFERENT: a warning is given, and frames
 * are read otherwise.
 */
static int verify(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                  const AVFrame *frame)
{
    static const char *const how[VMAF_GPU_NB_PATHS] = {
        [VMAF_GPU_IN_PLACE] = "read in place",
        [VMAF_GPU_COPIED] = "copied on the GPU",
        [VMAF_GPU_DOWNLOADED] = "mapped",
    };
    VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    const int path = drm->input[input].path;
    uint64_t differing;
    int ret;

    if (!drm->input[input].unverified ||
        (path == VMAF_GPU_DOWNLOADED && drm->input[input].cannot_map))
        return VMAF_GPU_UNVERIFIED;
    ret = verify_picture(ctx, frame, picture, &differing);
    if (ret < 0 || ret == VMAF_GPU_FLAT)
        return ret;
    drm->input[input].unverified = 0;
    if (ret != VMAF_GPU_DIFFERENT) {
        av_log(ctx, ret == VMAF_GPU_EQUAL ? AV_LOG_VERBOSE : AV_LOG_INFO,
               "%s: frames, %s, %s a download\n", names[input], how[path],
               ret == VMAF_GPU_EQUAL ? "equal" : "cannot be compared with");
        return ret;
    }
    ff_vmafgpu_warn(ctx,
                    "%s: frames, %s, differ from a download in %" PRIu64
                    " samples: "
                    "downloading%s",
                    names[input], how[path], differing,
                    path == VMAF_GPU_DOWNLOADED ? " without a mapping" : "");
    drm->input[input].said[VMAF_GPU_DOWNLOADED]++;
    if (path == VMAF_GPU_DOWNLOADED)
        drm->input[input].cannot_map = 1;
    begin_path(drm, input, VMAF_GPU_DOWNLOADED);
    return ret;
}

/* ----------------------------------------------------------- begin and end */

static void find_pci(AVFilterLink *link, char *pci, size_t size)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    *pci = '\0';
#if VG_HAS_VULKAN
    if (frames->format == AV_PIX_FMT_VULKAN)
        ff_vmafgpu_find_vulkan_pci(frames->device_ref, pci, size);
#endif
#if VMAF_GPU_DMABUF
    if (frames->format != AV_PIX_FMT_VULKAN)
        ff_vmafgpu_find_node_pci(frames->device_ctx, pci, size);
#endif
}

static int begin(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice device;
    int ret;

    if (s->drm)
        return 0;
    s->drm = av_mallocz(sizeof(*s->drm));
    if (!s->drm)
        return AVERROR(ENOMEM);
    ret = vmafgpu_device_info(s->engine, &device);
    if (ret < 0)
        return ret;
    s->drm->is_cpu = !strcmp(device.backend, "cpu");
    av_strlcpy(s->drm->engine_pci, device.pci_id, sizeof(s->drm->engine_pci));
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (is_surface(ctx->inputs[i]->format))
            find_pci(ctx->inputs[i], s->drm->input[i].pci,
                     sizeof(s->drm->input[i].pci));
    return 0;
}

static int wrap(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    int64_t uses;
    int ret = begin(ctx);

    if (ret < 0)
        return ret;
    do {
        uses = s->drm->uses;
        if ((ret = wrap_once(ctx, picture, input, frame)) < 0)
            return ret;
        ret = verify(ctx, picture, input, frame);
    } while (ret == VMAF_GPU_DIFFERENT);
    if (ret < 0 || ret == VMAF_GPU_UNVERIFIED)
        return FFMIN(ret, 0);
    /* A picture that was only compared does not count. */
    s->drm->uses = uses;
    return wrap_once(ctx, picture, input, frame);
}

static int probe(AVFilterContext *ctx, int input, char *selector, size_t size)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice devices[16];
    const int count = FFMIN(vmafgpu_devices(devices, FF_ARRAY_ELEMS(devices)),
                            (int)FF_ARRAY_ELEMS(devices));
    char pci[16];

    find_pci(ctx->inputs[input], pci, sizeof(pci));
    if (!*pci)
        return 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(devices[i].pci_id, pci) ||
            (strcmp(s->backend, "auto") &&
             strcmp(s->backend, devices[i].backend)))
            continue;
        av_strlcpy(selector, devices[i].selector, size);
        break;
    }
    return 1;
}

static void free_surfaces(VmafGpuFilter *s)
{
    if (!s->drm)
        return;
    if (s->drm->uses)
        av_log(s, AV_LOG_VERBOSE,
               "%" PRId64 " pictures read in place, %" PRId64 " imports\n",
               s->drm->uses, s->drm->imported);
#if VMAF_GPU_DMABUF
    ff_vmafgpu_drop_imports(s, 1);
#endif
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        av_frame_free(&s->drm->input[i].spare);
#if VMAF_GPU_DMABUF
        ff_vmafgpu_free_copier(&s->drm->input[i].copier);
#endif
#if VG_HAS_VULKAN
        ff_vmafgpu_free_vulkan(s, &s->drm->input[i].vulkan);
#endif
    }
    av_freep(&s->drm);
}

const VmafGpuFrames ff_vmafgpu_surfaces = {
    .formats = {
#if CONFIG_VAAPI
        AV_PIX_FMT_VAAPI,
#endif
#if CONFIG_LIBDRM
        AV_PIX_FMT_DRM_PRIME,
#endif
#if VG_HAS_VULKAN
        AV_PIX_FMT_VULKAN,
#endif
#if CONFIG_D3D11VA
        AV_PIX_FMT_D3D11,
#endif
        AV_PIX_FMT_NONE,
    },
    .probe = probe,
    .wrap = wrap,
    .free = free_surfaces,
};
