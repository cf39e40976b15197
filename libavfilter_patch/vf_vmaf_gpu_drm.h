/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between vf_vmaf_gpu_drm.c (which surfaces are read in place, downloads) and
 * vf_vmaf_gpu_import.c (whose GPU they are on, their memory as the engine sees
 * it). What the rest of the filter calls is in vf_vmaf_gpu.h.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */
#ifndef AVFILTER_VF_VMAF_GPU_DRM_H
#define AVFILTER_VF_VMAF_GPU_DRM_H

#include "config.h"

#include <stdint.h>

#include "libavutil/hwcontext.h"
#if CONFIG_LIBDRM
#include "libavutil/hwcontext_drm.h"
#endif

#include "vf_vmaf_gpu.h"

/* Reading in place needs parts of Linux; elsewhere frames are downloaded. */
#if CONFIG_LIBDRM && defined(__linux__)
#define VMAF_GPU_CAN_IMPORT 1
#else
#define VMAF_GPU_CAN_IMPORT 0
#endif

/* More surfaces than the pools of two decoders have. */
#define VMAF_GPU_MAX_IMPORTS 64
#define VMAF_GPU_REASON_SIZE 256

/** A surface's memory as the engine sees it. */
typedef struct VmafGpuImport {
    uint64_t device, inode, bytes; /* whose memory it is */
    int fd; /* keeps the dma-buf: when its surface is exported again, it is this one */
    int is_cached;
    int users; /* pictures in the engine */
    int64_t last_use;
    void *memory;
} VmafGpuImport;

struct VmafGpuDrm {
    int is_cpu;          /* the engine's device */
    char engine_pci[16]; /* empty: a device that is on no bus */
    struct {
        int path, said[3];
        char pci[16];   /* empty: not known */
        AVFrame *spare; /* a downloaded frame's buffer, to be used again */
    } input[VMAF_GPU_NB_INPUTS];
    VmafGpuImport *imports[VMAF_GPU_MAX_IMPORTS];
    int import_count;
    int64_t imported; /* imports ever made */
    int64_t uses;     /* pictures that used one */
};

/* ------------------------------------------------- vf_vmaf_gpu_import.c */

/** Why a frame cannot be read in place, in words; returns 0 for the caller to return. */
int ff_vmafgpu_reason(char *reason, const char *format, ...) av_printf_format(2, 3);

/** The PCI address of the GPU behind VAAPI or DRM, or an empty text. */
void ff_vmafgpu_find_pci(const AVHWDeviceContext *device, char *pci, size_t size);

#if VMAF_GPU_CAN_IMPORT
/** 1: *out is the object's memory; 0: reason says why there is none; or an error. */
int ff_vmafgpu_import(VmafGpuFilter *s, const AVDRMObjectDescriptor *object, VmafGpuImport **out,
                      char *reason);
#endif

/** Drop imports that nobody reads: those that cannot be found again, or all. */
void ff_vmafgpu_drop_imports(VmafGpuFilter *s, int all);

#endif /* AVFILTER_VF_VMAF_GPU_DRM_H */
