/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The differences between FFmpeg releases 5.1 to 9.0, in one place: headers, type
 * and layout of a filter definition, where a link keeps its frame rate, what links
 * and frames say about colour and fields. Only the files of this filter include it.
 * It holds no code of the filter itself.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */
#ifndef AVFILTER_VF_VMAF_GPU_SHIM_H
#define AVFILTER_VF_VMAF_GPU_SHIM_H

#include "config.h"

#include <locale.h>

#include "libavutil/frame.h"
#include "libavutil/mem.h"
#include "libavutil/version.h"
#include "libavfilter/version.h"

#include "avfilter.h"
#include "filters.h"
#include "formats.h"
#include "video.h"

#if LIBAVFILTER_VERSION_INT < AV_VERSION_INT(10, 4, 100) /* before 7.1 */
#include "internal.h"
#define VG_LINK(link) (link)
#else
#define VG_LINK(link) ff_filter_link(link)
#endif

#if LIBAVFILTER_VERSION_MAJOR >= 11 /* 8.0 */
#define VG_FILTER FFFilter
#define VG_PUB p.
#else
#define VG_FILTER AVFilter
#define VG_PUB
#endif

/*
 * The ffmpeg tool before 7.0 has an exit status for a filter's failure only while it
 * feeds the filter. Later versions lose frames that the filter has sent before.
 */
#define VG_FAIL_AT_ONCE (LIBAVFILTER_VERSION_MAJOR < 10)

#if LIBAVFILTER_VERSION_MAJOR >= 11 /* 8.0 */
#define VG_INTERNAL_FLAGS(filter) (fffilter(filter)->flags_internal)
#else
#define VG_INTERNAL_FLAGS(filter) ((filter)->flags_internal)
#endif

/* 6.1 and later */
#ifdef AV_FRAME_FLAG_INTERLACED
#define VG_IS_INTERLACED(frame) (!!((frame)->flags & AV_FRAME_FLAG_INTERLACED))
#else
#define VG_IS_INTERLACED(frame) ((frame)->interlaced_frame)
#endif

/*
 * Frames of Vulkan as 7.1 has them: every image has a semaphore, and planes may be those
 * of one image. They are shared by file descriptors, as Linux has them.
 */
#if CONFIG_VULKAN && LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(59, 39, 100) && defined(__linux__)
#define VG_HAS_VULKAN 1
#else
#define VG_HAS_VULKAN 0
#endif

/* 9.0: drivers may lock queues by themselves, which FFmpeg then has them do. */
#define VG_VULKAN_QUEUE_FLAGS (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(60, 32, 100))
#ifdef FF_API_VULKAN_SYNC_QUEUES
#define VG_VULKAN_QUEUE_LOCKS FF_API_VULKAN_SYNC_QUEUES
#else
#define VG_VULKAN_QUEUE_LOCKS 1
#endif

/* What FFmpeg's own filter libvmaf accepts. */
#define VG_LIBVMAF_HAS_12_AND_16_BITS (LIBAVFILTER_VERSION_MAJOR >= 9) /* 6.0 */

/* From 7.0 on links negotiate colour range and matrix, as they do formats. */
#if LIBAVFILTER_VERSION_MAJOR >= 10
#define VG_CONVERTS_TAGGED_RANGES 1
#define VG_RANGES(config) ((config)->color_ranges)
#define VG_MATRICES(config) ((config)->color_spaces)
#define VG_LINK_RANGE(link) ((link)->color_range)
#define VG_LINK_MATRIX(link) ((link)->colorspace)

/* Accept every range and matrix; the second link, if any, gets the ones of the first. */
static inline int vg_accept_all_colors(AVFilterFormatsConfig *first, AVFilterFormatsConfig *second)
{
    AVFilterFormats *list = ff_all_color_ranges();
    int ret;

    if ((ret = ff_formats_ref(list, &first->color_ranges)) < 0 ||
        (second && (ret = ff_formats_ref(list, &second->color_ranges)) < 0))
        return ret;
    list = ff_all_color_spaces();
    if ((ret = ff_formats_ref(list, &first->color_spaces)) < 0)
        return ret;
    return second ? ff_formats_ref(list, &second->color_spaces) : 0;
}
#else
#define VG_CONVERTS_TAGGED_RANGES 0
#define VG_RANGES(config) ((const AVFilterFormats *)NULL)
#define VG_MATRICES(config) ((const AVFilterFormats *)NULL)
#define VG_LINK_RANGE(link) AVCOL_RANGE_UNSPECIFIED
#define VG_LINK_MATRIX(link) AVCOL_SPC_UNSPECIFIED

static inline int vg_accept_all_colors(AVFilterFormatsConfig *first, AVFilterFormatsConfig *second)
{
    return 0;
}
#endif

/*
 * Numbers in metadata, files and messages have a decimal point in every locale: that of
 * the thread is changed for a call. A file that uses this asks for POSIX 2008 before its
 * includes, as FFmpeg does not.
 */
#ifdef LC_NUMERIC_MASK
static inline void *vg_use_c_locale(void **own)
{
    if (!*own) {
        const locale_t copy = duplocale(uselocale((locale_t)0));

        if (copy && !(*own = newlocale(LC_NUMERIC_MASK, "C", copy)))
            freelocale(copy);
    }
    return *own ? uselocale(*own) : NULL;
}

static inline void vg_restore_locale(void *before)
{
    if (before)
        uselocale(before);
}

static inline void vg_free_c_locale(void **own)
{
    if (*own)
        freelocale(*own);
    *own = NULL;
}
#else
#define vg_use_c_locale(own) (*(own))
#define vg_restore_locale(before) (void)(before)
#define vg_free_c_locale(own) (void)(own)
#endif

#define VG_IN_C_LOCALE(own, call)             \
    do {                                      \
        void *before = vg_use_c_locale(own);  \
                                              \
        call;                                 \
        vg_restore_locale(before);            \
    } while (0)

#endif /* AVFILTER_VF_VMAF_GPU_SHIM_H */
