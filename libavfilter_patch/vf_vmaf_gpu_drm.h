/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by vf_vmaf_gpu_drm.c (which surfaces are read in place, downloads) and
 * vf_vmaf_gpu_import.c (which GPU a surface is on, its memory in the engine).
 * Functions for the rest of the filter are declared in vf_vmaf_gpu.h.
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

/* Reading in place uses Linux system calls. Elsewhere, frames are downloaded. */
#if CONFIG_LIBDRM && defined(__linux__)
#define VMAF_GPU_CAN_IMPORT 1
#else
#define VMAF_GPU_CAN_IMPORT 0
#endif

/* More than the pools of two decoders hold. */
#define VMAF_GPU_MAX_IMPORTS 64
#define VMAF_GPU_REASON_SIZE 256

/** A surface's memory, imported into the engine. */
typedef struct VmafGpuImport {
    uint64_t device, inode, bytes; /* identify the memory */
    int fd; /* keeps the dma-buf alive, so that its next export has the same inode */
    int is_cached;
    int users; /* pictures in the engine that read it */
    int64_t last_use;
    void *memory;
} VmafGpuImport;

struct VmafGpuDrm {
    int is_cpu;          /* the engine's device */
    char engine_pci[16]; /* empty if the device is not on a bus */
    struct {
        int path, said[3];
        char pci[16];   /* empty if not known */
        AVFrame *spare; /* buffer of a downloaded frame, to be reused */
    } input[VMAF_GPU_NB_INPUTS];
    VmafGpuImport *imports[VMAF_GPU_MAX_IMPORTS];
    int import_count;
    int64_t imported; /* number of imports so far */
    int64_t uses;     /* number of pictures that read one */
};

/* ------------------------------------------------- vf_vmaf_gpu_import.c */

/** Write why a frame cannot be read in place. Returns 0, for the caller to return. */
int ff_vmafgpu_reason(char *reason, const char *format, ...) av_printf_format(2, 3);

/** The PCI address of the GPU of a VAAPI or DRM device, or an empty text. */
void ff_vmafgpu_find_pci(const AVHWDeviceContext *device, char *pci, size_t size);

#if VMAF_GPU_CAN_IMPORT
/** 1: *out is the object's memory; 0: not importable, see reason; or an error. */
int ff_vmafgpu_import(VmafGpuFilter *s, const AVDRMObjectDescriptor *object, VmafGpuImport **out,
                      char *reason);
#endif

/** Drop unused imports: all of them, or those that the cache cannot find again. */
void ff_vmafgpu_drop_imports(VmafGpuFilter *s, int all);

#endif /* AVFILTER_VF_VMAF_GPU_DRM_H */
