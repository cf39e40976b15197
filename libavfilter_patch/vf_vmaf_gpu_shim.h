/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu in FFmpeg 5.1 to 9.0: the differences between these releases, and
 * which optional files the filter has. libavfilter_patch/apply.sh adds this
 * file, and its line to vf_vmaf_gpu.h; the part for FFmpeg itself goes without.
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
#ifndef AVFILTER_VMAF_GPU_SHIM_H
#define AVFILTER_VMAF_GPU_SHIM_H

#include "config.h"

#include "libavutil/version.h"
#include "libavfilter/version.h"

#define VMAF_GPU_SURFACES 1
#define VMAF_GPU_FORMATS 1
#define VMAF_GPU_OLD_OPTIONS 1

#if LIBAVFILTER_VERSION_INT < AV_VERSION_INT(10, 4, 100) /* before 7.1 */
#include "internal.h"
#define ff_filter_link(link) (link)
#define FilterLink AVFilterLink
#endif

#if LIBAVFILTER_VERSION_MAJOR >= 11 /* 8.0 */
#define VG_INTERNAL_FLAGS(filter) (fffilter(filter)->flags_internal)
#else
#define VG_INTERNAL_FLAGS(filter) ((filter)->flags_internal)
#endif

/* The ffmpeg tool of 7.1 and later crops what a container says. */
#define VG_LACKS_OPTION(option)                                                \
    (LIBAVFILTER_VERSION_INT < AV_VERSION_INT(10, 4, 100) &&                   \
     av_strstart(option, "-apply_cropping", NULL))

/* 6.1 and later */
#ifdef AV_FRAME_FLAG_INTERLACED
#define VG_IS_INTERLACED(frame) (!!((frame)->flags & AV_FRAME_FLAG_INTERLACED))
#define VG_IS_TOP_FIRST(frame)                                                 \
    (!!((frame)->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST))
#else
#define VG_IS_INTERLACED(frame) ((frame)->interlaced_frame)
#define VG_IS_TOP_FIRST(frame) ((frame)->top_field_first)
#endif

/*
 * Frames of Vulkan as 7.1 has them: every image has a semaphore, and planes may
 * be those of one image. They are shared by file descriptors of Linux.
 */
#if CONFIG_VULKAN && LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(59, 39, 100) &&   \
    defined(__linux__)
#define VG_HAS_VULKAN 1
#else
#define VG_HAS_VULKAN 0
#endif

/* Before 6.1 surfaces are exported without waiting for the decoder. */
#define VG_OLD_VAAPI (CONFIG_VAAPI && LIBAVUTIL_VERSION_MAJOR < 59)

/* 8.0 and later have ff_vk_qf_find(). */
#define VG_VULKAN_QUEUE_FIND (LIBAVUTIL_VERSION_MAJOR >= 60)

/* What FFmpeg's own filter libvmaf accepts, from 6.0 on. */
#define VG_LIBVMAF_HAS_12_AND_16_BITS (LIBAVFILTER_VERSION_MAJOR >= 9)

/* From 7.0 on links negotiate colour range and matrix, as they do formats. */
#if LIBAVFILTER_VERSION_MAJOR >= 10
#define VG_RANGES(config) ((config)->color_ranges)
#define VG_MATRICES(config) ((config)->color_spaces)
#else
#define VG_NO_COLORS
#define VG_RANGES(config) ((const AVFilterFormats *)NULL)
#define VG_MATRICES(config) ((const AVFilterFormats *)NULL)

/*
 * The ffmpeg tool before 7.0 has an exit status for a filter's failure only
 * while it feeds the filter, so that at the end all is done at once. Later
 * versions would lose frames that the filter has sent before.
 */
#define FAILS_AT_ONCE 1

/* Whether a filter behind this one has frames that nobody has taken. */
static inline int vg_is_frame_waiting(const AVFilterContext *filter)
{
    for (unsigned i = 0; i < filter->nb_outputs; i++)
        if (filter->outputs[i] &&
            (ff_inlink_queued_frames(filter->outputs[i]) ||
             vg_is_frame_waiting(filter->outputs[i]->dst)))
            return 1;
    return 0;
}

/* If nobody wants a frame and all were taken, the program stopped early. */
#define IS_WANTED(ctx)                                                         \
    (ff_outlink_frame_wanted((ctx)->outputs[0]) ||                             \
     (ff_outlink_get_status((ctx)->inputs[0]) &&                               \
      ff_outlink_get_status((ctx)->inputs[1]) && vg_is_frame_waiting(ctx)))
#endif

#endif /* AVFILTER_VMAF_GPU_SHIM_H */
