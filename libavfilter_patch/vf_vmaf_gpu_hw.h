/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: shared by vf_vmaf_gpu_hw.c, which decides how frames of other
 * drivers are read, vf_vmaf_gpu_dmabuf.c (VAAPI and DRM_PRIME: memory that the
 * engine imports) and vf_vmaf_gpu_vulkan.c (copies).
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

#ifndef AVFILTER_VMAF_GPU_SURFACE_H
#define AVFILTER_VMAF_GPU_SURFACE_H

#include "config.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#if CONFIG_LIBDRM
#include "libavutil/hwcontext_drm.h"
#endif

#include "vf_vmaf_gpu.h"

/* Reading in place uses system calls of Linux. Others download. */
#if CONFIG_LIBDRM && defined(__linux__)
#define VMAF_GPU_DMABUF 1
#else
#define VMAF_GPU_DMABUF 0
#endif

/* More than the pools of two decoders hold. */
#define VMAF_GPU_MAX_IMPORTS 64
#define VMAF_GPU_REASON_SIZE 256
#define VMAF_GPU_MOST_PLANES 3

/** A surface's memory, imported into the engine. */
typedef struct VmafGpuImport {
    uint64_t device, inode, bytes; /* identify the memory */
    /* keeps the dma-buf alive, so that its next export has the same inode */
    int fd;
    int users; /* pictures in the engine that read it */
    int64_t last_use;
    void *memory;
} VmafGpuImport;

typedef struct VmafGpuDrm VmafGpuDrm;
typedef struct VmafGpuCopier VmafGpuCopier;

/** The copies of an input's Vulkan frames. */
typedef struct VmafGpuVulkan VmafGpuVulkan;

/* How the surfaces of an input are read. It only goes down this list. */
enum {
    VMAF_GPU_UNDECIDED,
    VMAF_GPU_IN_PLACE,
    VMAF_GPU_COPIED, /* to linear memory on the GPU, which is read in place */
    VMAF_GPU_DOWNLOADED
};

struct VmafGpuDrm {
    int is_cpu;          /* the engine's device */
    char engine_pci[16]; /* empty if the device is not on a bus */
    struct {
        int path;
        /* no picture of this path was compared with a download */
        int unverified;
        char pci[16];                      /* empty if not known */
        char layout[VMAF_GPU_REASON_SIZE]; /* why surfaces are copied */
        VmafGpuCopier *copier;
        VmafGpuVulkan *vulkan;
    } input[VMAF_GPU_NB_INPUTS];
    VmafGpuImport *imports[VMAF_GPU_MAX_IMPORTS];
    int import_count;
    int64_t imported; /* number of imports so far */
    int64_t uses;     /* number of pictures that read one */
};

/** The pool of a hardware frame. */
static inline const AVHWFramesContext *vg_pool(const AVFrame *frame)
{
    return (const AVHWFramesContext *)frame->hw_frames_ctx->data;
}

/** Write why a frame cannot be read in place. Returns 0, to be returned. */
static inline int av_printf_format(2, 3)
    vg_reason(char *reason, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(reason, VMAF_GPU_REASON_SIZE, format, args);
    va_end(args);
    return 0;
}

/* ------------------------------------------------- vf_vmaf_gpu_dmabuf.c */

#if VMAF_GPU_DMABUF
/** The PCI address of the GPU of a VAAPI or DRM device, or an empty text. */
void ff_vmafgpu_find_node_pci(const AVHWDeviceContext *device, char *pci,
                              size_t size);

/** 1: *out is its memory; 0: not importable, see reason; or an error. */
int ff_vmafgpu_import(VmafGpuFilter *s, const AVDRMObjectDescriptor *object,
                      VmafGpuImport **out, char *reason);

/** Drop all imports. No picture reads them any more. */
void ff_vmafgpu_drop_imports(VmafGpuFilter *s);

/** A plane of the software format, in the order of layers; or NULL. */
const AVDRMPlaneDescriptor *ff_vmafgpu_find_plane(
    const AVDRMFrameDescriptor *desc, int number);

/** Whether `components` of a DRM_PRIME frame can be read; else see reason. */
int ff_vmafgpu_is_linear(const AVFrame *frame, const AVPixFmtDescriptor *format,
                         int components, char *reason);

/** Fail if FFmpeg's download of a DRM_PRIME frame would be wrong. */
int ff_vmafgpu_check_layout(AVFilterContext *ctx, const AVFrame *frame);

/** The frame as DRM_PRIME. NULL: see reason, or no memory. */
AVFrame *ff_vmafgpu_export_surface(const AVFrame *frame, char *reason);

/**
 * Have the driver copy a VAAPI surface to a linear one. 1: *copy is its frame;
 * 0: see reason; or an error. The first call makes *copier, also if it fails.
 */
int ff_vmafgpu_copy_to_linear(VmafGpuCopier **copier, const AVFrame *frame,
                              AVFrame **copy, char *reason);

/** Free *copier; it may be NULL. Frames that it made stay valid. */
void ff_vmafgpu_free_copier(VmafGpuCopier **copier);
#endif

/* ------------------------------------------------- vf_vmaf_gpu_vulkan.c */

#if VG_HAS_VULKAN
/** The PCI address of the GPU of a Vulkan device, or an empty text. */
void ff_vmafgpu_find_vulkan_pci(AVBufferRef *device, char *pci, size_t size);

/**
 * Copy a Vulkan frame on the GPU. 1: the picture is one of the copy; 0: see
 * reason; or an error. The first call makes *vulkan, also if it fails.
 */
int ff_vmafgpu_wrap_vulkan(VmafGpuFilter *s, VmafGpuVulkan **vulkan,
                           VmafGpuPicture *picture, const AVFrame *frame,
                           char *reason);

/** Free *vulkan; it may be NULL. The engine has released all pictures. */
void ff_vmafgpu_free_vulkan(VmafGpuFilter *s, VmafGpuVulkan **vulkan);
#endif

#endif /* AVFILTER_VMAF_GPU_SURFACE_H */
