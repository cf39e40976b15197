/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: shared by the files that give advice.
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

#ifndef AVFILTER_VMAF_GPU_ADVICE_H
#define AVFILTER_VMAF_GPU_ADVICE_H

#include "vf_vmaf_gpu.h"

/* ---------------------------------------------------- vf_vmaf_gpu_advice.c */

/** The link before the converters that libavfilter inserted by itself. */
AVFilterLink *ff_vmafgpu_unconverted(AVFilterLink *link);

/**
 * Add ", e.g. GRAPH" to a message: a filter graph with these filters before main and
 * reference, NULL for none. Filters for pictures in memory do not help hardware frames,
 * which get no example.
 */
void ff_vmafgpu_add_example(AVBPrint *text, AVFilterContext *ctx, const char *const filters[]);

/** The functions of VmafGpuAdvice of the same names. */
void ff_vmafgpu_advise_size(AVFilterContext *ctx, AVBPrint *text);
void ff_vmafgpu_advise_links(AVFilterContext *ctx);

#endif /* AVFILTER_VMAF_GPU_ADVICE_H */
