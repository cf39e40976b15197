/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by vf_vmaf_gpu_vulkan.c (device, buffers) and
 * vf_vmaf_gpu_vulkan_copy.c (images, the copy on the GPU). What the rest of the
 * filter calls is declared in vf_vmaf_gpu_surface.h.
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
#ifndef AVFILTER_VMAF_GPU_VULKAN_H
#define AVFILTER_VMAF_GPU_VULKAN_H

#include "vf_vmaf_gpu_surface.h"

#if VG_HAS_VULKAN
#include "libavutil/hwcontext_vulkan.h"

/* The engine holds two device pictures at a time. */
#define VMAF_GPU_MOST_BUFFERS 6

/* clang-format off */
#define VMAF_GPU_VULKAN_CALLS(X)                                              \
    X(AllocateCommandBuffers) X(AllocateMemory) X(BeginCommandBuffer)         \
    X(BindBufferMemory) X(CmdCopyImageToBuffer) X(CmdPipelineBarrier2)        \
    X(CreateBuffer) X(CreateCommandPool) X(CreateFence) X(DestroyBuffer)      \
    X(DestroyCommandPool) X(DestroyFence) X(EndCommandBuffer) X(FreeMemory)   \
    X(GetBufferMemoryRequirements) X(GetDeviceQueue2) X(GetMemoryFdKHR)       \
    X(QueueSubmit2) X(ResetFences) X(WaitForFences)
/* clang-format on */

/** A linear buffer that Vulkan writes and the engine reads. */
typedef struct VmafGpuLinear {
    VkBuffer buffer;
    VkDeviceMemory allocation;
    VkCommandBuffer commands;
    void *memory;   /* in the engine */
    int is_used;    /* by the engine */
    int is_written; /* once at least, so that another driver owns it */
} VmafGpuLinear;

/** Where a plane is in a buffer. */
typedef struct VmafGpuPlanePlace {
    VkDeviceSize offset, pitch;
    uint32_t width, height, texel; /* texels, bytes of one */
} VmafGpuPlanePlace;

struct VmafGpuVulkan {
    AVBufferRef *device_ref; /* outlives its pools */
    AVHWDeviceContext *device;
    AVVulkanDeviceContext *vulkan;
#define MEMBER(name) PFN_vk##name name;
    VMAF_GPU_VULKAN_CALLS(MEMBER)
#undef MEMBER
    PFN_vkGetPhysicalDeviceMemoryProperties GetPhysicalDeviceMemoryProperties;
    PFN_vkGetPhysicalDeviceExternalBufferProperties
        GetPhysicalDeviceExternalBufferProperties;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkFence fence; /* one copy runs at a time */
    VmafGpuPlanePlace plane[VMAF_GPU_MOST_PLANES];
    int planes; /* that are copied */
    VkDeviceSize bytes;
    AVFrame *layout; /* what a buffer looks like: pitches */
    VmafGpuLinear buffers[VMAF_GPU_MOST_BUFFERS];
    int buffer_count;
    int64_t copied;
};

/* -------------------------------------------- vf_vmaf_gpu_vulkan_copy.c */

/** Write that Vulkan refused something. Returns 0, for the caller to return. */
int ff_vmafgpu_refuse_vulkan(char *reason, const char *what, VkResult result);

/**
 * 1 if the frame's images are of a layout that can be copied; 0: they are not,
 * see reason.
 */
int ff_vmafgpu_is_vulkan_copyable(const VmafGpuVulkan *v, const AVFrame *frame,
                                  char *reason);

/**
 * Copy the planes of a frame into a buffer, once the frame is ready, and wait
 * for that. 1: copied; 0: not, see reason; or an error, after which the buffer
 * may still be written.
 */
int ff_vmafgpu_copy_vulkan(VmafGpuVulkan *v, VmafGpuLinear *to,
                           const AVFrame *frame, char *reason);
#endif

#endif /* AVFILTER_VMAF_GPU_VULKAN_H */
