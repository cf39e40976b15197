/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: what a DRM_PRIME description says of a surface: where its planes are, and
 * whether they can be read as they lie. Looks at no memory and calls no driver.
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

#include <inttypes.h>

#include "vf_vmaf_gpu_drm.h"

#include "libavutil/avutil.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"

#define MODIFIER_LINEAR UINT64_C(0)
#define MODIFIER_UNKNOWN UINT64_C(0x00ffffffffffffff)

#if VMAF_GPU_CAN_IMPORT
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

const AVDRMPlaneDescriptor *ff_vmafgpu_find_plane(const AVDRMFrameDescriptor *desc, int number)
{
    for (int i = 0; i < desc->nb_layers; i++) {
        if (number < desc->layers[i].nb_planes) {
            const AVDRMPlaneDescriptor *plane = &desc->layers[i].planes[number];

            return plane->object_index >= 0 && plane->object_index < desc->nb_objects ? plane
                                                                                      : NULL;
        }
        number -= desc->layers[i].nb_planes;
    }
    return NULL;
}

/* Whether every row of a component lies inside its object. */
static int is_inside(const AVDRMFrameDescriptor *desc, const AVFrame *frame,
                     const AVPixFmtDescriptor *format, int component)
{
    const AVComponentDescriptor *comp = &format->comp[component];
    const AVDRMPlaneDescriptor *plane = ff_vmafgpu_find_plane(desc, comp->plane);
    const int is_chroma = component > 0;
    int64_t row, end, height;

    if (!plane || plane->offset < 0)
        return 0;
    row = (int64_t)AV_CEIL_RSHIFT(frame->width, is_chroma ? format->log2_chroma_w : 0) * comp->step;
    height = AV_CEIL_RSHIFT(frame->height, is_chroma ? format->log2_chroma_h : 0);
    if (plane->pitch < row)
        return 0;
    end = plane->offset + (int64_t)plane->pitch * (height - 1) + row;
    return (uint64_t)end <= ff_vmafgpu_object_bytes(&desc->objects[plane->object_index]);
}

int ff_vmafgpu_is_linear(const AVFrame *frame, const AVDRMFrameDescriptor *desc,
                         const AVPixFmtDescriptor *format, int components, char *reason)
{
    for (int i = 0; i < components; i++) {
        const AVDRMPlaneDescriptor *plane = ff_vmafgpu_find_plane(desc, format->comp[i].plane);
        uint64_t modifier;

        if (!is_inside(desc, frame, format, i))
            return ff_vmafgpu_reason(reason, "described with sizes that exceed their memory");
        modifier = desc->objects[plane->object_index].format_modifier;
        if (modifier == MODIFIER_UNKNOWN)
            return ff_vmafgpu_reason(reason, "of unknown layout (no modifier)");
        if (modifier != MODIFIER_LINEAR)
            return ff_vmafgpu_reason(reason, "tiled (modifier 0x%" PRIx64 ")", modifier);
    }
    if (luma_bytes(desc->layers[0].format) != format->comp[0].step)
        return ff_vmafgpu_reason(reason, "of an unsupported layout (%s)",
                                 av_fourcc2str(desc->layers[0].format));
    return 1;
}

/*
 * FFmpeg downloads DRM_PRIME frames by copying bytes. That is wrong for tiles, and
 * it reads beyond the mapping if the descriptor exceeds the memory.
 */
int ff_vmafgpu_check_layout(AVFilterContext *ctx, const AVFrame *frame,
                            const AVPixFmtDescriptor *format)
{
    const AVDRMFrameDescriptor *desc = (const AVDRMFrameDescriptor *)frame->data[0];

    if (frame->format != AV_PIX_FMT_DRM_PRIME)
        return 0;
    for (int i = 0; i < FFMIN(format->nb_components, VMAF_GPU_MOST_PLANES); i++)
        if (!is_inside(desc, frame, format, i)) {
            av_log(ctx, AV_LOG_ERROR, "a DRM_PRIME frame's %s does not fit into its memory\n",
                   i ? "chroma" : "luma");
            return AVERROR(EINVAL);
        }
    for (int i = 0; i < desc->nb_objects; i++) {
        uint64_t modifier = desc->objects[i].format_modifier;

        if (modifier == MODIFIER_LINEAR)
            continue;
        av_log(ctx, AV_LOG_ERROR, "DRM_PRIME frames are %s (modifier 0x%" PRIx64 "), which neither "
               "this filter nor hwdownload can convert: pass VAAPI frames to vmaf_gpu (no hwmap), "
               "or have Mesa's driver make them linear (AMD_DEBUG=novideotiling)\n",
               modifier == MODIFIER_UNKNOWN ? "of unknown layout" : "tiled", modifier);
        return AVERROR(EINVAL);
    }
    return 0;
}
#else
int ff_vmafgpu_check_layout(AVFilterContext *ctx, const AVFrame *frame,
                            const AVPixFmtDescriptor *format)
{
    return 0;
}
#endif
