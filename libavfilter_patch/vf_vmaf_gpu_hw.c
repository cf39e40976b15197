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

#include "vf_vmaf_gpu_hw.h"

#include "libavutil/avstring.h"
#include "libavutil/common.h"
#include "libavutil/mem.h"

/* What a picture keeps until the engine has read it. */
typedef struct DrmPicture {
    AVFrame *frame;
    VmafGpuImport *imports[VMAF_GPU_MOST_PLANES]; /* one for each plane */
} DrmPicture;

/* ------------------------------------------------------------------ on GPU */

/* 1: the frame may be read on the engine's GPU; 0: it may not, see reason. */
static int is_near(const VmafGpuDrm *drm, int input, const AVFrame *frame,
                   char *reason)
{
    const char *pci = drm->input[input].pci;

    if (drm->is_cpu)
        return vg_reason(reason, "not readable by backend cpu");
    if (frame->format == AV_PIX_FMT_D3D11)
        return vg_reason(reason, "not readable by backend cuda or hip");
    if (*drm->engine_pci && !*pci)
        return vg_reason(reason, "on a GPU that has no PCI address");
    if (*drm->engine_pci && strcmp(drm->engine_pci, pci))
        return vg_reason(reason, "on GPU %s, but the engine is on %s", pci,
                         drm->engine_pci);
    return 1;
}

#if VMAF_GPU_DMABUF
static void release_picture(void *opaque)
{
    DrmPicture *held = opaque;

    for (int i = 0; i < VMAF_GPU_MOST_PLANES; i++)
        if (held->imports[i])
            held->imports[i]->users--;
    av_frame_free(&held->frame);
    av_free(held);
}

/* Import the memory of every component. As wrap_surface(). */
static int import_planes(VmafGpuFilter *s, VmafGpuPicture *picture,
                         const AVPixFmtDescriptor *format, int components,
                         DrmPicture *held, char *reason)
{
    const AVDRMFrameDescriptor *desc =
        (const AVDRMFrameDescriptor *)held->frame->data[0];

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
    picture->opaque = held;
    picture->release = release_picture;
    return 1;
}

/*
 * 1: the picture is ready; 0: the surface cannot be read in place, see reason;
 * or an error. *is_layout: only because of its layout.
 */
static int wrap_surface(VmafGpuFilter *s, VmafGpuPicture *picture,
                        const AVFrame *frame, int *is_layout, char *reason)
{
    const AVPixFmtDescriptor *format =
        av_pix_fmt_desc_get(vg_pool(frame)->sw_format);
    const int components =
        vmafgpu_needs_chroma(s->engine) > 0
            ? FFMIN(format->nb_components, VMAF_GPU_MOST_PLANES)
            : 1;
    DrmPicture *held = av_mallocz(sizeof(*held));
    int ret = 0;

    *is_layout = 0;
    if (!held)
        return AVERROR(ENOMEM);
    held->frame = ff_vmafgpu_export_surface(frame, reason);
    if (!held->frame)
        ret = *reason ? 0 : AVERROR(ENOMEM);
    else if (!ff_vmafgpu_is_linear(held->frame, format, components, reason))
        *is_layout = 1;
    else
        ret = import_planes(s, picture, format, components, held, reason);
    if (ret <= 0)
        release_picture(held);
    return ret;
}

/* wrap_surface() for a linear copy. The reason names the layout, too. */
static int wrap_copy(VmafGpuFilter *s, VmafGpuPicture *picture, int input,
                     const AVFrame *frame, char *reason)
{
    char why[VMAF_GPU_REASON_SIZE] = "";
    AVFrame *copy = NULL;
    int is_layout;
    int ret = ff_vmafgpu_copy_to_linear(&s->drm->input[input].copier, frame,
                                        &copy, why);

    if (ret > 0)
        ret = wrap_surface(s, picture, copy, &is_layout, why);
    av_frame_free(&copy); /* the export keeps the surface */
    if (!ret)
        vg_reason(reason, "%.100s, and linear copies of them are %.140s",
                  s->drm->input[input].layout, why);
    return ret;
}
#endif

/* The path on which the picture is ready; 0: none, see reason; or an error. */
static int wrap_on_gpu(VmafGpuFilter *s, VmafGpuPicture *picture, int input,
                       const AVFrame *frame, char *reason)
{
    VmafGpuDrm *drm = s->drm;
    int ret = 0;
#if VMAF_GPU_DMABUF
    int is_layout;
#endif

    if (!is_near(drm, input, frame, reason))
        return 0;
#if VG_HAS_VULKAN
    if (frame->format == AV_PIX_FMT_VULKAN) {
        ret = ff_vmafgpu_wrap_vulkan(s, &drm->input[input].vulkan, picture,
                                     frame, reason);
        return ret > 0 ? VMAF_GPU_COPIED : ret;
    }
#endif
#if VMAF_GPU_DMABUF
    if (drm->input[input].path != VMAF_GPU_COPIED) {
        ret = wrap_surface(s, picture, frame, &is_layout, reason);
        if (ret || !is_layout || frame->format != AV_PIX_FMT_VAAPI)
            return ret > 0 ? VMAF_GPU_IN_PLACE : ret;
        av_strlcpy(drm->input[input].layout, reason,
                   sizeof(drm->input[input].layout));
    }
    ret = wrap_copy(s, picture, input, frame, reason);
    return ret > 0 ? VMAF_GPU_COPIED : ret;
#else
    return vg_reason(reason, "not exported (FFmpeg has no libdrm)");
#endif
}

/* ---------------------------------------------------------------- download */

static int download(const AVFrame *frame, AVFrame **copy)
{
    int ret;

    if (!(*copy = av_frame_alloc()))
        return AVERROR(ENOMEM);
    (*copy)->format = vg_pool(frame)->sw_format;
    if ((ret = av_hwframe_transfer_data(*copy, frame, 0)) < 0)
        av_frame_free(copy);
    return ret;
}

static int wrap_download(AVFilterContext *ctx, VmafGpuPicture *picture,
                         const AVFrame *frame)
{
    AVFrame *copy;
    int ret;

#if VMAF_GPU_DMABUF
    if ((ret = ff_vmafgpu_check_layout(ctx, frame)) < 0)
        return ret;
#endif
    if ((ret = download(frame, &copy)) < 0)
        av_log(ctx, AV_LOG_ERROR, "downloading a frame failed: %s\n",
               av_err2str(ret));
    else
        ff_vmafgpu_describe_frame(picture, copy, copy->format);
    return ret;
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

/* Log how pictures are read, and what helps if they are downloaded. */
static void log_path(AVFilterContext *ctx, int input, const AVFrame *frame,
                     const char *reason)
{
    const VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    const int path = drm->input[input].path;
    const char *kind = frame->format == AV_PIX_FMT_VAAPI    ? "VAAPI surfaces"
                       : frame->format == AV_PIX_FMT_VULKAN ? "Vulkan frames"
                       : frame->format == AV_PIX_FMT_D3D11  ? "D3D11 frames"
                                                           : "DRM_PRIME frames";
    const char *then = "";

    if (path == VMAF_GPU_IN_PLACE)
        reason = "linear: reading them in place";
    else if (path == VMAF_GPU_COPIED && frame->format == AV_PIX_FMT_VULKAN)
        reason = "copied to linear memory on the GPU";
    else if (path == VMAF_GPU_COPIED) {
        reason = drm->input[input].layout;
        then = ": copying them to linear ones on the GPU";
    } else
        then = !strncmp(reason, "tiled", 5)
                   ? ": downloading; with Mesa, AMD_DEBUG=novideotiling makes "
                     "them linear"
                   : ": downloading";
    av_log(ctx, AV_LOG_INFO, "%s: %s are %s%s\n", ctx->input_pads[input].name,
           kind, reason, then);
}

/* The input is read that way from now on; its first picture is compared. */
static void begin_path(VmafGpuDrm *drm, int input, int path)
{
    drm->input[input].path = path;
    drm->input[input].unverified = path != VMAF_GPU_DOWNLOADED;
#if VMAF_GPU_DMABUF
    if (path == VMAF_GPU_DOWNLOADED)
        ff_vmafgpu_free_copier(&drm->input[input].copier);
#endif
}

static int wrap_once(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                     const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    char reason[VMAF_GPU_REASON_SIZE] = "";
    int path = s->drm->input[input].path;

    if (path != VMAF_GPU_DOWNLOADED) {
        path = wrap_on_gpu(s, picture, input, frame, reason);
        if (path < 0)
            return path;
        if (!path)
            path = VMAF_GPU_DOWNLOADED;
    }
    if (path != s->drm->input[input].path) {
        begin_path(s->drm, input, path);
        log_path(ctx, input, frame, reason);
    }
    return path == VMAF_GPU_DOWNLOADED ? wrap_download(ctx, picture, frame) : 0;
}

/*
 * Compare the first picture that was read in a way, if it is not flat, with a
 * download of its frame. If they differ, frames are downloaded. 1: the picture
 * was released; 0: it was not compared; or an error, after which it is
 * released.
 */
static int verify(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                  const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuDrm *drm = s->drm;
    const char *name = ctx->input_pads[input].name;
    const char *how = drm->input[input].path == VMAF_GPU_IN_PLACE
                          ? "read in place"
                          : "copied on the GPU";
    VmafGpuPicture other = { frame->width, frame->height };
    char text[200];
    uint64_t differing = 0;
    AVFrame *copy;
    int is_telling = 0, ret;

    if (!drm->input[input].unverified)
        return 0;
    if ((ret = download(frame, &copy)) < 0 && ret != AVERROR(ENOMEM)) {
        drm->input[input].unverified = 0;
        av_log(ctx, AV_LOG_INFO,
               "%s: frames, %s, cannot be compared with a download\n", name,
               how);
        return 0;
    }
    if (ret >= 0) {
        is_telling = !is_flat(copy);
        ff_vmafgpu_describe_frame(&other, copy, copy->format);
        ret = vmafgpu_compare(s->engine, picture, &other, &differing);
        if (ret < 0)
            other.release(other.opaque);
    }
    if (ret < 0) {
        picture->release(picture->opaque);
        return ret;
    }
    if (differing) {
        snprintf(text, sizeof(text),
                 "%s: frames, %s, differ from a download in %" PRIu64
                 " samples: downloading",
                 name, how, differing);
        vmafgpu_log(s->engine, VMAFGPU_LOG_WARNING, text);
        begin_path(drm, input, VMAF_GPU_DOWNLOADED);
    } else if (is_telling) {
        drm->input[input].unverified = 0;
        av_log(ctx, AV_LOG_VERBOSE, "%s: frames, %s, equal a download\n", name,
               how);
    }
    return 1;
}

/* ----------------------------------------------------------- begin and end */

static void find_pci(AVFilterLink *link, char *pci, size_t size)
{
    const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(link);

    *pci = '\0';
    if (!frames)
        return;
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
    uses = s->drm->uses;
    if ((ret = wrap_once(ctx, picture, input, frame)) < 0 ||
        (ret = verify(ctx, picture, input, frame)) <= 0)
        return ret;
    /* A picture that was only compared does not count. */
    s->drm->uses = uses;
    return wrap_once(ctx, picture, input, frame);
}

static int probe(AVFilterContext *ctx, int input, char *selector, size_t size)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *backend = s->opt.backend.constant->name;
    VmafGpuDevice devices[16];
    const int count = FFMIN(vmafgpu_devices(devices, FF_ARRAY_ELEMS(devices)),
                            (int)FF_ARRAY_ELEMS(devices));
    char pci[16];

    find_pci(ctx->inputs[input], pci, sizeof(pci));
    if (!*pci)
        return 0;
    for (int i = 0; i < count; i++) {
        if (strcmp(devices[i].pci_id, pci) ||
            (strcmp(backend, "auto") && strcmp(backend, devices[i].backend)))
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
    ff_vmafgpu_drop_imports(s);
#endif
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
#if VMAF_GPU_DMABUF
        ff_vmafgpu_free_copier(&s->drm->input[i].copier);
#endif
#if VG_HAS_VULKAN
        ff_vmafgpu_free_vulkan(s, &s->drm->input[i].vulkan);
#endif
    }
    av_freep(&s->drm);
}

const struct VmafGpuFrames ff_vmafgpu_surfaces = {
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
