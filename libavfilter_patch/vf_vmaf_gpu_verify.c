/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: compares a picture that was read from a GPU surface with a download of the
 * same frame. A driver may call a tiled surface linear, or convert colours where it
 * should copy. Then the scores would be wrong without a message. This file decides
 * nothing: its callers know when to compare, and what to do about a difference.
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

#include <string.h>

#include "libavutil/error.h"
#include "libavutil/hwcontext.h"
#include "libavutil/log.h"

#include "vf_vmaf_gpu.h"

int ff_vmafgpu_make_copy(const AVFrame *frame, AVFrame **copy)
{
    const AVHWFramesContext *frames = (const AVHWFramesContext *)frame->hw_frames_ctx->data;
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

int ff_vmafgpu_download(const AVFrame *frame, AVFrame **copy)
{
    const int ret = ff_vmafgpu_make_copy(frame, copy);

    return ret < 0 ? ret : av_hwframe_transfer_data(*copy, frame, 0);
}

static void release_frame(void *opaque)
{
    AVFrame *frame = opaque;

    av_frame_free(&frame);
}

/* The frame is freed with the picture. */
static void wrap_download(VmafGpuPicture *picture, AVFrame *frame)
{
    memset(picture, 0, sizeof(*picture));
    picture->width = frame->width;
    picture->height = frame->height;
    picture->memory = VMAFGPU_MEMORY_HOST;
    picture->opaque = frame;
    picture->release = release_frame;
    ff_vmafgpu_describe_planes(picture, frame, av_pix_fmt_desc_get(frame->format));
}

/*
 * Whether all luma samples are equal. Such a picture, black at the beginning of many
 * films, is the same in every layout.
 */
static int is_flat(const AVFrame *frame)
{
    const AVComponentDescriptor *luma = &av_pix_fmt_desc_get(frame->format)->comp[0];
    const int bytes = luma->depth > 8 ? 2 : 1;
    const uint8_t *first = frame->data[luma->plane] + luma->offset;

    for (int y = 0; y < frame->height; y++) {
        const uint8_t *row = first + (ptrdiff_t)y * frame->linesize[luma->plane];

        for (int x = 0; x < frame->width; x++)
            if (memcmp(row + (ptrdiff_t)x * luma->step, first, bytes))
                return 0;
    }
    return 1;
}

int ff_vmafgpu_verify_picture(AVFilterContext *ctx, const AVFrame *frame, VmafGpuPicture *picture,
                              uint64_t *differing)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuPicture download;
    AVFrame *copy = NULL;
    int is_telling, ret;

    *differing = 0;
    ret = ff_vmafgpu_download(frame, &copy);
    if (ret < 0) {
        av_frame_free(&copy);
        if (ret != AVERROR(ENOMEM))
            return VMAF_GPU_UNVERIFIED;
        picture->release(picture->opaque);
        return ret;
    }
    is_telling = !is_flat(copy);
    wrap_download(&download, copy);
    ret = vmafgpu_compare(s->engine, picture, &download, differing);
    if (ret < 0) {
        release_frame(copy);
        picture->release(picture->opaque);
        return ret;
    }
    return *differing ? VMAF_GPU_DIFFERENT : is_telling ? VMAF_GPU_EQUAL : VMAF_GPU_FLAT;
}
