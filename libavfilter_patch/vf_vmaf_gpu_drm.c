/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: VAAPI and DRM_PRIME frames. A linear surface on the engine's GPU is
 * imported (vf_vmaf_gpu_import.c) and read in place; FFmpeg downloads any other.
 * D3D11 frames of Windows are always downloaded. Called by vf_vmaf_gpu_picture.c and
 * _engine.c. If FFmpeg has none of libdrm, VAAPI and D3D11, there are no such frames.
 * CUDA frames are in vf_vmaf_gpu_hw.c.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
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

#include "vf_vmaf_gpu_drm.h"

#if CONFIG_VAAPI && VMAF_GPU_CAN_IMPORT
#include "libavutil/hwcontext_vaapi.h"
#endif

#include "libavutil/avstring.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"

#define MODIFIER_LINEAR UINT64_C(0)
#define MODIFIER_UNKNOWN UINT64_C(0x00ffffffffffffff)

enum { UNDECIDED, IN_PLACE, DOWNLOAD };

/* What a picture keeps until the engine has read it. */
typedef struct DrmPicture {
    AVFrame *frame;
    VmafGpuImport *import; /* NULL for a downloaded frame */
    AVFrame **spare;
} DrmPicture;

static const char *frames_are(int format)
{
    return format == AV_PIX_FMT_VAAPI ? "VAAPI surfaces are"
           : format == AV_PIX_FMT_D3D11 ? "D3D11 frames are"
                                        : "DRM_PRIME frames are";
}

/* Log once for each input and path. */
static void say(AVFilterContext *ctx, int input, const AVFrame *frame, const char *what,
                const char *then)
{
    static const char *const names[VMAF_GPU_NB_INPUTS] = {"main", "reference"};
    VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    int path = drm->input[input].path;

    if (!drm->input[input].said[path]++)
        av_log(ctx, AV_LOG_INFO, "%s: %s %s%s\n", names[input], frames_are(frame->format), what, then);
}

/* ----------------------------------------------------------------- pictures */

static void release_picture(void *opaque)
{
    DrmPicture *held = opaque;

    /* The engine is calling: unused imports are dropped with the next frame. */
    if (held->import)
        held->import->users--;
    if (held->spare && !*held->spare)
        FFSWAP(AVFrame *, *held->spare, held->frame);
    av_frame_free(&held->frame);
    av_free(held);
}

static int hold(VmafGpuPicture *picture, AVFrame *frame, VmafGpuImport *import, AVFrame **spare)
{
    DrmPicture *held = av_mallocz(sizeof(*held));

    if (!held)
        return AVERROR(ENOMEM);
    held->frame = frame;
    held->import = import;
    held->spare = spare;
    if (import)
        import->users++;
    picture->opaque = held;
    picture->release = release_picture;
    return 0;
}

#if VMAF_GPU_CAN_IMPORT
static void describe_luma(VmafGpuPicture *picture, const AVComponentDescriptor *luma,
                          const void *data, ptrdiff_t pitch)
{
    picture->depth = luma->depth;
    picture->shift = luma->shift;
    picture->plane[0].data = data;
    picture->plane[0].pitch = pitch;
    picture->plane[0].step = luma->step;
}

/* ---------------------------------------------------------------- in place */

/* Bytes per luma sample of layouts whose first plane is luma; 0 for any other. */
static int luma_bytes(uint32_t format)
{
    static const char one[][5] = {"R8  ", "NV12", "NV21", "NV16", "NV61", "NV24", "NV42",
                                  "YU12", "YV12", "YU16", "YV16", "YU24", "YV24"};
    static const char two[][5] = {"R16 ", "P010", "P012", "P016", "P210"};

    for (int i = 0; i < FF_ARRAY_ELEMS(one); i++)
        if (format == MKTAG(one[i][0], one[i][1], one[i][2], one[i][3]))
            return 1;
    for (int i = 0; i < FF_ARRAY_ELEMS(two); i++)
        if (format == MKTAG(two[i][0], two[i][1], two[i][2], two[i][3]))
            return 2;
    return 0;
}

/* Whether every row of luma lies inside its object. */
static int is_inside(const AVDRMFrameDescriptor *desc, const AVFrame *frame, int step)
{
    const AVDRMPlaneDescriptor *plane = &desc->layers[0].planes[0];
    int64_t row = (int64_t)frame->width * step, end;

    if (desc->nb_layers < 1 || desc->layers[0].nb_planes < 1 || plane->object_index < 0 ||
        plane->object_index >= desc->nb_objects || plane->offset < 0 || plane->pitch < row)
        return 0;
    end = plane->offset + (int64_t)plane->pitch * (frame->height - 1) + row;
    return (uint64_t)end <= desc->objects[plane->object_index].size;
}

/* 1: the engine can read it; 0: it cannot, see reason. */
static int is_readable(const VmafGpuDrm *drm, int input, const AVFrame *frame,
                       const AVDRMFrameDescriptor *desc, const AVComponentDescriptor *luma,
                       char *reason)
{
    const char *pci = drm->input[input].pci;
    uint64_t modifier;

    if (!is_inside(desc, frame, luma->step))
        return ff_vmafgpu_reason(reason, "described with sizes that exceed their memory");
    modifier = desc->objects[desc->layers[0].planes[0].object_index].format_modifier;
    if (modifier == MODIFIER_UNKNOWN)
        return ff_vmafgpu_reason(reason, "of unknown layout (no modifier)");
    if (modifier != MODIFIER_LINEAR)
        return ff_vmafgpu_reason(reason, "tiled (modifier 0x%" PRIx64 ")", modifier);
    if (luma_bytes(desc->layers[0].format) != luma->step)
        return ff_vmafgpu_reason(reason, "of an unsupported layout (%s)",
                         av_fourcc2str(desc->layers[0].format));
    if (*drm->engine_pci && !*pci)
        return ff_vmafgpu_reason(reason, "on a GPU that has no PCI address");
    if (*drm->engine_pci && strcmp(drm->engine_pci, pci))
        return ff_vmafgpu_reason(reason, "on GPU %s, but the engine is on %s", pci,
                                 drm->engine_pci);
    return 1;
}

/* The frame, or a VAAPI surface's export, as DRM_PRIME. */
static AVFrame *map_frame(const AVFrame *frame, char *reason)
{
    AVFrame *mapped;
    int ret = AVERROR(ENOSYS);

    if (frame->format == AV_PIX_FMT_DRM_PRIME)
        return av_frame_clone(frame);
    mapped = av_frame_alloc();
    if (!mapped)
        return NULL;
    mapped->format = AV_PIX_FMT_DRM_PRIME;
#if CONFIG_VAAPI && LIBAVUTIL_VERSION_MAJOR < 59
    /* FFmpeg 5.1 and 6.0 export without waiting for the decoder. */
    {
        const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
        const AVVAAPIDeviceContext *vaapi = frames->device_ctx->hwctx;

        if (vaSyncSurface(vaapi->display, (VASurfaceID)(uintptr_t)frame->data[3]) !=
            VA_STATUS_SUCCESS) {
            ff_vmafgpu_reason(reason, "not synchronised (vaSyncSurface failed)");
            av_frame_free(&mapped);
            return NULL;
        }
    }
#endif
    ret = av_hwframe_map(mapped, frame, AV_HWFRAME_MAP_READ);
    if (ret < 0) {
        ff_vmafgpu_reason(reason, "not exported by their driver (%s)", av_err2str(ret));
        av_frame_free(&mapped);
    }
    return mapped;
}

/* 1: the picture is ready; 0: download it, see reason; or an error. */
static int wrap_in_place(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                         const AVFrame *frame, const AVComponentDescriptor *luma, char *reason)
{
    VmafGpuFilter *s = ctx->priv;
    const AVDRMPlaneDescriptor *plane;
    const AVDRMFrameDescriptor *desc;
    VmafGpuImport *import = NULL;
    AVFrame *mapped = map_frame(frame, reason);
    int ret;

    if (!mapped)
        return *reason ? 0 : AVERROR(ENOMEM);
    desc = (const AVDRMFrameDescriptor *)mapped->data[0];
    ret = is_readable(s->drm, input, frame, desc, luma, reason);
    plane = &desc->layers[0].planes[0];
    if (ret > 0)
        ret = ff_vmafgpu_import(s, &desc->objects[plane->object_index], &import, reason);
    if (ret > 0 && (ret = hold(picture, mapped, import, NULL)) >= 0) {
        picture->memory = VMAFGPU_MEMORY_DEVICE;
        describe_luma(picture, luma, (const char *)import->memory + plane->offset, plane->pitch);
        return 1;
    }
    av_frame_free(&mapped);
    return ret;
}

/*
 * FFmpeg downloads DRM_PRIME frames by copying bytes. That is wrong for tiles, and
 * it reads beyond the mapping if the descriptor exceeds the memory.
 */
static int check_download(AVFilterContext *ctx, const AVFrame *frame,
                          const AVComponentDescriptor *luma)
{
    const AVDRMFrameDescriptor *desc = (const AVDRMFrameDescriptor *)frame->data[0];

    if (frame->format != AV_PIX_FMT_DRM_PRIME)
        return 0;
    if (!is_inside(desc, frame, luma->step)) {
        av_log(ctx, AV_LOG_ERROR, "a DRM_PRIME frame's luma does not fit into its memory\n");
        return AVERROR(EINVAL);
    }
    for (int i = 0; i < desc->nb_objects; i++) {
        uint64_t modifier = desc->objects[i].format_modifier;

        if (modifier == MODIFIER_LINEAR)
            continue;
        av_log(ctx, AV_LOG_ERROR, "DRM_PRIME frames are %s (modifier 0x%" PRIx64 "), which neither "
               "this filter nor hwdownload can convert: pass VAAPI frames to vmaf_gpu (no hwmap), "
               "or make them linear (AMD_DEBUG=novideotiling, scale_vaapi)\n",
               modifier == MODIFIER_UNKNOWN ? "of unknown layout" : "tiled", modifier);
        return AVERROR(EINVAL);
    }
    return 0;
}
#else
static int wrap_in_place(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                         const AVFrame *frame, const AVComponentDescriptor *luma, char *reason)
{
    return ff_vmafgpu_reason(reason, "not exported (FFmpeg has no libdrm)");
}

static int check_download(AVFilterContext *ctx, const AVFrame *frame,
                          const AVComponentDescriptor *luma)
{
    return 0;
}
#endif

/* ---------------------------------------------------------------- download */

static int wrap_download(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                         const AVFrame *frame)
{
    VmafGpuDrm *drm = ((VmafGpuFilter *)ctx->priv)->drm;
    const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    AVFrame *copy = drm->input[input].spare;
    int ret = 0;

    drm->input[input].spare = NULL;
    if (!copy) {
        copy = av_frame_alloc();
        if (!copy)
            return AVERROR(ENOMEM);
        copy->format = frames->sw_format;
        copy->width = frame->width;
        copy->height = frame->height;
        ret = av_frame_get_buffer(copy, 0);
    }
    if (ret >= 0) {
        ret = av_hwframe_transfer_data(copy, frame, 0);
        if (ret < 0)
            av_log(ctx, AV_LOG_ERROR, "downloading a frame failed: %s\n", av_err2str(ret));
    }
    if (ret >= 0)
        ret = hold(picture, copy, NULL, &drm->input[input].spare);
    if (ret < 0) {
        av_frame_free(&copy);
        return ret;
    }
    picture->memory = VMAFGPU_MEMORY_HOST;
    ff_vmafgpu_describe_planes(picture, copy, av_pix_fmt_desc_get(copy->format));
    return 0;
}

int ff_vmafgpu_wrap_drm_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                              const AVFrame *frame)
{
    VmafGpuFilter *s = ctx->priv;
    const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames->sw_format);
    char reason[VMAF_GPU_REASON_SIZE] = "";
    int *path = &s->drm->input[input].path;
    int ret = 0;

    ff_vmafgpu_drop_imports(s, 0);
    if (*path != DOWNLOAD) {
        ret = s->drm->is_cpu
                  ? ff_vmafgpu_reason(reason, "not readable by backend cpu")
              : frame->format == AV_PIX_FMT_D3D11
                  ? ff_vmafgpu_reason(reason, "not readable by backend cuda or hip")
              : vmafgpu_needs_chroma(s->engine) > 0
                  ? ff_vmafgpu_reason(reason, "needed with chroma, but only luma can be read in place")
                  : wrap_in_place(ctx, picture, input, frame, &desc->comp[0], reason);
        if (ret < 0)
            return ret;
        *path = ret ? IN_PLACE : DOWNLOAD;
        if (ret)
            say(ctx, input, frame, "linear: reading them in place", "");
    }
    if (ret > 0)
        return 0;
    if ((ret = check_download(ctx, frame, &desc->comp[0])) < 0)
        return ret;
    say(ctx, input, frame, reason,
        !strncmp(reason, "tiled", 5) && frame->format == AV_PIX_FMT_VAAPI
            ? ": downloading; set AMD_DEBUG=novideotiling or use scale_vaapi" : ": downloading");
    return wrap_download(ctx, picture, input, frame);
}

/* ----------------------------------------------------------- begin and end */

int ff_vmafgpu_init_drm(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice device;
    int ret;

    s->drm = av_mallocz(sizeof(*s->drm));
    if (!s->drm)
        return AVERROR(ENOMEM);
    ret = vmafgpu_device_info(s->engine, &device);
    if (ret < 0)
        return ret;
    s->drm->is_cpu = !strcmp(device.backend, "cpu");
    av_strlcpy(s->drm->engine_pci, device.pci_id, sizeof(s->drm->engine_pci));
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (ff_vmafgpu_is_drm(ctx->inputs[i]->format) && ff_vmafgpu_hw_frames(ctx->inputs[i]))
            ff_vmafgpu_find_pci(ff_vmafgpu_hw_frames(ctx->inputs[i])->device_ctx,
                                s->drm->input[i].pci, sizeof(s->drm->input[i].pci));
    return 0;
}

void ff_vmafgpu_free_drm(VmafGpuFilter *s)
{
    if (!s->drm)
        return;
    if (s->drm->uses)
        av_log(s, AV_LOG_VERBOSE, "%" PRId64 " pictures read in place, %" PRId64 " imports\n",
               s->drm->uses, s->drm->imported);
    ff_vmafgpu_drop_imports(s, 1);
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        av_frame_free(&s->drm->input[i].spare);
    av_freep(&s->drm);
}
