/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: Vulkan frames. The GPU copies the planes that features read from
 * the images, which are tiled, into linear buffers, which the engine has
 * imported. A few buffers are used again and again. The copy itself is in
 * vf_vmaf_gpu_vulkan_copy.c. vf_vmaf_gpu_surface.c calls this, and downloads
 * where it cannot work. If FFmpeg has no Vulkan, or is older than 7.1, there
 * are no such frames.
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

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "vf_vmaf_gpu_vulkan.h"

#if VG_HAS_VULKAN
#include "libavutil/log.h"
#include "libavutil/macros.h"
#include "libavutil/mem.h"
#include "libavutil/pixdesc.h"

/* Rows and planes begin at multiples of this, which suits every copy engine. */
#define ALIGNMENT 256

/* ----------------------------------------------------------------- which GPU
 */

/*
 * The extension need not be enabled, but without it the answer means nothing.
 */
static int tells_pci(const AVVulkanDeviceContext *vulkan)
{
    const PFN_vkEnumerateDeviceExtensionProperties list =
        (PFN_vkEnumerateDeviceExtensionProperties)vulkan->get_proc_addr(
            vulkan->inst, "vkEnumerateDeviceExtensionProperties");
    VkExtensionProperties *extensions = NULL;
    uint32_t count = 0;
    int found = 0;

    if (!list || list(vulkan->phys_dev, NULL, &count, NULL) != VK_SUCCESS ||
        !(extensions = av_calloc(count, sizeof(*extensions))) ||
        list(vulkan->phys_dev, NULL, &count, extensions) != VK_SUCCESS)
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        found |= !strcmp(extensions[i].extensionName,
                         VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    av_free(extensions);
    return found;
}

void ff_vmafgpu_find_vulkan_pci(const AVHWDeviceContext *device, char *pci,
                                size_t size)
{
    const AVVulkanDeviceContext *vulkan = device->hwctx;
    const PFN_vkGetPhysicalDeviceProperties2 get =
        (PFN_vkGetPhysicalDeviceProperties2)vulkan->get_proc_addr(
            vulkan->inst, "vkGetPhysicalDeviceProperties2");
    VkPhysicalDevicePCIBusInfoPropertiesEXT bus = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &bus,
    };

    if (!get || !tells_pci(vulkan))
        return;
    get(vulkan->phys_dev, &properties);
    snprintf(pci, size, "%04x:%02x:%02x.%x", bus.pciDomain & 0xffff,
             bus.pciBus & 0xff, bus.pciDevice & 0xff, bus.pciFunction & 0xf);
}

/* ------------------------------------------------------------- begin and end
 */

static int load_calls(VmafGpuVulkan *v, char *reason)
{
    const PFN_vkGetInstanceProcAddr of_instance = v->vulkan->get_proc_addr;
    const PFN_vkGetDeviceProcAddr get =
        (PFN_vkGetDeviceProcAddr)of_instance(v->vulkan->inst,
                                             "vkGetDeviceProcAddr");
    int is_complete = !!get;

    for (int i = 0; i < v->vulkan->nb_enabled_dev_extensions; i++)
        if (!strcmp(v->vulkan->enabled_dev_extensions[i],
                    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME))
            goto load;
    return vg_reason(reason, "not shareable (their device has no %s)",
                     VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
load:
#define LOAD(name)                                                             \
    if (is_complete &&                                                         \
        !(v->name = (PFN_vk##name)get(v->vulkan->act_dev, "vk" #name)))        \
        is_complete = 0;
    VMAF_GPU_VULKAN_CALLS(LOAD)
#undef LOAD
#define LOAD(name)                                                             \
    if (is_complete &&                                                         \
        !(v->name = (PFN_vk##name)of_instance(v->vulkan->inst, "vk" #name)))   \
        is_complete = 0;
    LOAD(GetPhysicalDeviceMemoryProperties)
    LOAD(GetPhysicalDeviceExternalBufferProperties)
#undef LOAD
    return is_complete
               ? 1
               : vg_reason(reason, "not copied on the GPU (a call is missing)");
}

static int can_export(const VmafGpuVulkan *v, char *reason)
{
    const VkPhysicalDeviceExternalBufferInfo wanted = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkExternalBufferProperties got = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
    };
    VkExternalMemoryFeatureFlags features;

    v->GetPhysicalDeviceExternalBufferProperties(v->vulkan->phys_dev, &wanted,
                                                 &got);
    features = got.externalMemoryProperties.externalMemoryFeatures;
    if (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT &&
        !(features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT))
        return 1;
    return vg_reason(reason, "not shareable (their driver exports no buffers)");
}

/*
 * Queues for graphics or computing copy any part of an image, those for
 * transfers alone may not.
 */
static int choose_queue(VmafGpuVulkan *v, char *reason)
{
    VkDeviceQueueInfo2 info = { .sType =
                                    VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2 };
    const AVVulkanDeviceQueueFamily *chosen = NULL;

    for (int i = 0; i < v->vulkan->nb_qf && !chosen; i++)
        if (v->vulkan->qf[i].flags &
                (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT) &&
            v->vulkan->qf[i].num > 0)
            chosen = &v->vulkan->qf[i];
    if (!chosen)
        return vg_reason(reason, "not copied on the GPU (no queue for it)");
    info.queueFamilyIndex = v->family = chosen->idx;
#if VG_VULKAN_QUEUE_FLAGS
    info.flags = v->vulkan->queue_flags;
#endif
    v->GetDeviceQueue2(v->vulkan->act_dev, &info, &v->queue);
    return 1;
}

static int make_pool(VmafGpuVulkan *v, char *reason)
{
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = v->family,
    };
    const VkFenceCreateInfo fence = { .sType =
                                          VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    VkResult result = v->CreateCommandPool(v->vulkan->act_dev, &pool,
                                           v->vulkan->alloc, &v->pool);

    if (result == VK_SUCCESS)
        result = v->CreateFence(v->vulkan->act_dev, &fence, v->vulkan->alloc,
                                &v->fence);
    return result == VK_SUCCESS
               ? 1
               : ff_vmafgpu_refuse_vulkan(reason, "a command pool", result);
}

/* Where the planes go. Only luma if no feature reads chroma. */
static void place_planes(VmafGpuVulkan *v, const AVHWFramesContext *frames,
                         const AVFrame *frame, int needs_chroma)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frames->sw_format);
    const int count = av_pix_fmt_count_planes(frames->sw_format);

    v->planes = needs_chroma ? FFMIN(count, VMAF_GPU_MOST_PLANES) : 1;
    for (int i = 0; i < v->planes; i++) {
        const int is_chroma = i == 1 || i == 2;
        VmafGpuPlanePlace *plane = &v->plane[i];

        plane->width =
            AV_CEIL_RSHIFT(frame->width, is_chroma ? desc->log2_chroma_w : 0);
        plane->height =
            AV_CEIL_RSHIFT(frame->height, is_chroma ? desc->log2_chroma_h : 0);
        for (int c = 0; c < desc->nb_components; c++)
            if (desc->comp[c].plane == i)
                plane->texel = desc->comp[c].step;
        plane->pitch =
            FFALIGN((VkDeviceSize)plane->width * plane->texel, ALIGNMENT);
        plane->offset = v->bytes;
        v->bytes += plane->pitch * plane->height;
        v->layout->linesize[i] = plane->pitch;
    }
}

/* 1: *out can copy; 0: see reason; or an error. */
static int open_vulkan(VmafGpuFilter *s, const AVFrame *frame,
                       VmafGpuVulkan **out, char *reason)
{
    const AVHWFramesContext *frames =
        (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    VmafGpuVulkan *v = *out = av_mallocz(sizeof(*v));
    int ret;

    if (!v || !(v->device_ref = av_buffer_ref(frames->device_ref)) ||
        !(v->layout = av_frame_alloc()))
        return AVERROR(ENOMEM);
    v->device = (AVHWDeviceContext *)v->device_ref->data;
    v->vulkan = v->device->hwctx;
    if ((ret = load_calls(v, reason)) <= 0 ||
        (ret = can_export(v, reason)) <= 0 ||
        (ret = choose_queue(v, reason)) <= 0 ||
        (ret = make_pool(v, reason)) <= 0)
        return ret;
    place_planes(v, frames, frame, vmafgpu_needs_chroma(s->engine) > 0);
    return 1;
}

void ff_vmafgpu_free_vulkan(VmafGpuFilter *s, VmafGpuVulkan **vulkan)
{
    VmafGpuVulkan *v = *vulkan;

    if (!v)
        return;
    if (v->copied)
        av_log(s, AV_LOG_VERBOSE,
               "%" PRId64 " Vulkan frames copied on the GPU, %d buffers\n",
               v->copied, v->buffer_count);
    /* A closed engine has already released its imports. No copy is running. */
    for (int i = 0; i < v->buffer_count; i++) {
        if (s->engine)
            vmafgpu_release_import(s->engine, &v->buffers[i].memory);
        v->DestroyBuffer(v->vulkan->act_dev, v->buffers[i].buffer,
                         v->vulkan->alloc);
        v->FreeMemory(v->vulkan->act_dev, v->buffers[i].allocation,
                      v->vulkan->alloc);
    }
    if (v->fence)
        v->DestroyFence(v->vulkan->act_dev, v->fence, v->vulkan->alloc);
    if (v->pool)
        v->DestroyCommandPool(v->vulkan->act_dev, v->pool, v->vulkan->alloc);
    av_frame_free(&v->layout);
    av_buffer_unref(&v->device_ref);
    av_freep(vulkan);
}

/* ------------------------------------------------------------------- buffers
 */

/* The first type that is on the GPU, else the first allowed one; -1: none. */
static int memory_type(const VmafGpuVulkan *v, uint32_t allowed)
{
    VkPhysicalDeviceMemoryProperties memory;
    int found = -1;

    v->GetPhysicalDeviceMemoryProperties(v->vulkan->phys_dev, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        if (!(allowed & (UINT32_C(1) << i)))
            continue;
        if (memory.memoryTypes[i].propertyFlags &
            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)
            return i;
        if (found < 0)
            found = i;
    }
    return found;
}

/* Sets buffer and allocation. */
static int allocate(const VmafGpuVulkan *v, VmafGpuLinear *linear,
                    VkDeviceSize *bytes, char *reason)
{
    const VkExternalMemoryBufferCreateInfo shared = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    const VkBufferCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = &shared,
        .size = v->bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    const VkExportMemoryAllocateInfo exported = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &exported,
    };
    VkMemoryRequirements needs;
    int type;
    VkResult result = v->CreateBuffer(v->vulkan->act_dev, &create,
                                      v->vulkan->alloc, &linear->buffer);

    if (result != VK_SUCCESS)
        return ff_vmafgpu_refuse_vulkan(reason, "a buffer", result);
    v->GetBufferMemoryRequirements(v->vulkan->act_dev, linear->buffer, &needs);
    type = memory_type(v, needs.memoryTypeBits);
    if (type < 0)
        return vg_reason(reason,
                         "not copied on the GPU (no memory for buffers)");
    info.memoryTypeIndex = type;
    *bytes = info.allocationSize = needs.size;
    result = v->AllocateMemory(v->vulkan->act_dev, &info, v->vulkan->alloc,
                               &linear->allocation);
    if (result == VK_SUCCESS)
        result = v->BindBufferMemory(v->vulkan->act_dev, linear->buffer,
                                     linear->allocation, 0);
    return result == VK_SUCCESS
               ? 1
               : ff_vmafgpu_refuse_vulkan(reason, "its memory", result);
}

/*
 * Sets memory. 1, 0 with a reason, or an error if the engine's device is lost.
 */
static int import(VmafGpuFilter *s, const VmafGpuVulkan *v,
                  VmafGpuLinear *linear, VkDeviceSize bytes, char *reason)
{
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = linear->allocation,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    int fd = -1, ret;
    const VkResult result = v->GetMemoryFdKHR(v->vulkan->act_dev, &info, &fd);

    if (result != VK_SUCCESS)
        return vg_reason(reason,
                         "not exported by their driver (Vulkan error %d)",
                         result);
    ret = vmafgpu_import_vulkan(s->engine, fd, bytes, &linear->memory);
    close(fd);
    if (ret >= 0)
        return 1;
    vg_reason(reason, "not importable (%s)", vmafgpu_error_text(s->engine));
    return ret == AVERROR(EIO) ? ret : 0;
}

static int add_buffer(VmafGpuFilter *s, VmafGpuVulkan *v, VmafGpuLinear **out,
                      char *reason)
{
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = v->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VmafGpuLinear *linear = &v->buffers[v->buffer_count];
    VkDeviceSize bytes = 0;
    VkResult result;
    int ret;

    if (v->buffer_count == VMAF_GPU_MOST_BUFFERS)
        return vg_reason(reason, "too many at a time");
    result =
        v->AllocateCommandBuffers(v->vulkan->act_dev, &info, &linear->commands);
    if (result != VK_SUCCESS)
        return ff_vmafgpu_refuse_vulkan(reason, "commands", result);
    v->buffer_count++; /* from here on it is freed with the others */
    if ((ret = allocate(v, linear, &bytes, reason)) <= 0 ||
        (ret = import(s, v, linear, bytes, reason)) <= 0)
        return ret;
    *out = linear;
    return 1;
}

static int take_buffer(VmafGpuFilter *s, VmafGpuVulkan *v, VmafGpuLinear **out,
                       char *reason)
{
    for (int i = 0; i < v->buffer_count; i++)
        if (v->buffers[i].memory && !v->buffers[i].is_used) {
            *out = &v->buffers[i];
            return 1;
        }
    return add_buffer(s, v, out, reason);
}

/* -------------------------------------------------------------------- frames
 */

static void release_buffer(void *opaque)
{
    VmafGpuLinear *linear = opaque;

    linear->is_used = 0;
}

int ff_vmafgpu_wrap_vulkan(VmafGpuFilter *s, VmafGpuVulkan **vulkan,
                           VmafGpuPicture *picture, const AVFrame *frame,
                           char *reason)
{
    const AVHWFramesContext *frames =
        (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    VmafGpuLinear *linear = NULL;
    VmafGpuVulkan *v;
    int ret;

    if (!*vulkan && (ret = open_vulkan(s, frame, vulkan, reason)) <= 0)
        return ret;
    v = *vulkan;
    if ((ret = ff_vmafgpu_is_vulkan_copyable(v, frame, reason)) <= 0 ||
        (ret = take_buffer(s, v, &linear, reason)) <= 0 ||
        (ret = ff_vmafgpu_copy_vulkan(v, linear, frame, reason)) <= 0)
        return ret;
    for (int i = 0; i < VMAF_GPU_MOST_PLANES; i++)
        v->layout->data[i] = (uint8_t *)linear->memory + v->plane[i].offset;
    picture->memory = VMAFGPU_MEMORY_DEVICE;
    ff_vmafgpu_describe_planes(picture, v->layout,
                               av_pix_fmt_desc_get(frames->sw_format));
    for (int i = 1; i < VMAF_GPU_MOST_PLANES && v->planes == 1; i++)
        picture->plane[i].data = NULL;
    linear->is_used = 1;
    picture->opaque = linear;
    picture->release = release_buffer;
    return 1;
}
#endif
