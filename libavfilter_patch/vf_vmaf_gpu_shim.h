/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The differences between FFmpeg releases 5.1 to 9.0, in one place: headers, type
 * and layout of a filter definition, and where a link keeps its frame rate. Only
 * the files of this filter include it. It holds no code of the filter itself.
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

#include "libavutil/mem.h"
#include "libavutil/version.h"
#include "libavfilter/version.h"

#include "avfilter.h"
#include "filters.h"
#include "formats.h"
#include "framesync.h"
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

/* Framesync has no ts_sync_mode yet, so that the filter has it. */
#if LIBAVFILTER_VERSION_MAJOR >= 9 /* 6.0 */
#define VG_OLD_FRAMESYNC 0
#define VG_TS_SYNC_MODE(s) ((s)->fs.opt_ts_sync_mode)
#else
#define VG_OLD_FRAMESYNC 1
#define VG_TS_SYNC_MODE(s) ((s)->sync_nearest)
#endif

/*
 * The ffmpeg tool before 7.0 has an exit status for a filter's failure only while it
 * feeds the filter. Later versions lose frames that the filter has sent before.
 */
#define VG_FAIL_AT_ONCE (LIBAVFILTER_VERSION_MAJOR < 10)

#if LIBAVUTIL_VERSION_MAJOR >= 58 /* 6.0 */
#include "libavutil/file_open.h"
#else
#include "libavutil/internal.h"
#endif

#endif /* AVFILTER_VF_VMAF_GPU_SHIM_H */
