/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: Vulkan frames. The GPU copies their planes from images, which are
 * tiled, into linear buffers, which the engine has imported. A few buffers are
 * used again and again. vf_vmaf_gpu_hw.c calls this, and downloads where
 * it cannot work. If FFmpeg has no Vulkan, or is older than 7.1, there are no
 * such frames.
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

#include "vf_vmaf_gpu_hw.h"

#if VG_HAS_VULKAN
#include "libavutil/imgutils.h"
#include "libavutil/mem.h"
#include "libavutil/vulkan.h"

/* Rows, of chroma too, begin at multiples of half of it. */
#define ALIGNMENT 512
/* The engine holds two device pictures at a time. */
#define MOST_BUFFERS 6

/* A linear buffer that Vulkan writes and the engine reads. */
typedef struct LinearBuffer {
    FFVkBuffer buffer;
    void *memory;   /* the memory as the engine has imported it */
    int is_used;    /* the engine reads it */
    int is_written; /* it was written once at least, so that another driver owns
                       it */
} LinearBuffer;

struct VmafGpuVulkan {
    FFVulkanContext vk;
    FFVkExecPool pool; /* a pool of one: one copy runs at a time */
    int is_open;
    AVFrame *layout; /* what a buffer looks like */
    int planes;      /* planes that are copied */
    int bytes;
    LinearBuffer buffers[MOST_BUFFERS];
    int buffer_count;
    int64_t copied;
};

static int refuse(char *reason, const char *what, VkResult result)
{
    return vg_reason(reason, "not copied on the GPU (%s: Vulkan error %d)",
                     what, result);
}

/* ----------------------------------------------------------- begin and end */

void ff_vmafgpu_find_vulkan_pci(AVBufferRef *device, char *pci, size_t size)
{
    /* A driver that knows no such addresses leaves the struct alone. */
    VkPhysicalDevicePCIBusInfoPropertiesEXT bus = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT,
        .pciDomain = UINT32_MAX,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &bus,
    };
    FFVulkanContext vk;

    if (ff_vk_init(&vk, NULL, device, NULL) < 0)
        return;
    vk.vkfn.GetPhysicalDeviceProperties2(vk.hwctx->phys_dev, &properties);
    ff_vk_uninit(&vk);
    if (bus.pciDomain != UINT32_MAX)
        snprintf(pci, size, "%04x:%02x:%02x.%x", bus.pciDomain & 0xffff,
                 bus.pciBus & 0xff, bus.pciDevice & 0xff,
                 bus.pciFunction & 0xf);
}

/* Queues for computing copy any part of an image, unlike some others. */
static int make_pool(VmafGpuVulkan *v)
{
#if VG_VULKAN_QUEUE_FIND
    AVVulkanDeviceQueueFamily *family =
        ff_vk_qf_find(&v->vk, VK_QUEUE_COMPUTE_BIT, 0);

    if (!family)
        return AVERROR(ENOTSUP);
#else
    FFVkQueueFamilyCtx found, *family = &found;

    ff_vk_qf_init(&v->vk, family, VK_QUEUE_COMPUTE_BIT);
#endif
    return ff_vk_exec_pool_init(&v->vk, family, &v->pool, 1, 0, 0, 0, NULL);
}

/* 1: *out can copy; 0: see reason; or an error. */
static int open_vulkan(const AVFrame *frame, VmafGpuVulkan **out, char *reason)
{
    const AVHWFramesContext *frames = vg_pool(frame);
    VmafGpuVulkan *v = *out = av_mallocz(sizeof(*v));
    int ret;

    if (!v || !(v->layout = av_frame_alloc()))
        return AVERROR(ENOMEM);
    v->planes =
        FFMIN(av_pix_fmt_count_planes(frames->sw_format), VMAF_GPU_MOST_PLANES);
    if ((ret = ff_vk_init(&v->vk, NULL, frames->device_ref, NULL)) >= 0 &&
        !(v->vk.extensions & FF_VK_EXT_EXTERNAL_FD_MEMORY))
        return vg_reason(reason, "not shareable (their device has no %s)",
                         VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    if (ret < 0 ||
        (ret = av_image_fill_linesizes(v->layout->linesize, frames->sw_format,
                                       FFALIGN(frame->width, ALIGNMENT))) < 0 ||
        (ret = v->bytes =
             av_image_fill_pointers(v->layout->data, frames->sw_format,
                                    frame->height, NULL, v->layout->linesize)) <
            0 ||
        (ret = make_pool(v)) < 0)
        return vg_reason(reason, "not copied on the GPU (%s)", av_err2str(ret));
    v->is_open = 1;
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
        ff_vk_free_buf(&v->vk, &v->buffers[i].buffer);
    }
    if (v->is_open)
        ff_vk_exec_pool_free(&v->vk, &v->pool);
    ff_vk_uninit(&v->vk);
    av_frame_free(&v->layout);
    av_freep(vulkan);
}

/* ----------------------------------------------------------------- buffers */

/* Unlike ff_vk_create_buf() it never makes a dedicated allocation. */
static int allocate(VmafGpuVulkan *v, FFVkBuffer *out, char *reason)
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
    VkExportMemoryAllocateInfo exported = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkBufferMemoryRequirementsInfo2 asked = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
    };
    VkMemoryRequirements2 needs = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
    };
    const AVVulkanDeviceContext *device = v->vk.hwctx;
    const FFVulkanFunctions *vk = &v->vk.vkfn;
    VkResult result =
        vk->CreateBuffer(device->act_dev, &create, device->alloc, &out->buf);

    if (result != VK_SUCCESS)
        return refuse(reason, "a buffer", result);
    asked.buffer = out->buf;
    vk->GetBufferMemoryRequirements2(device->act_dev, &asked, &needs);
    if (ff_vk_alloc_mem(&v->vk, &needs.memoryRequirements,
                        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &exported,
                        &out->flags, &out->mem) < 0)
        return vg_reason(reason, "not copied on the GPU (no memory)");
    out->size = needs.memoryRequirements.size;
    result = vk->BindBufferMemory(device->act_dev, out->buf, out->mem, 0);
    return result == VK_SUCCESS ? 1 : refuse(reason, "its memory", result);
}

/* Sets memory. 1; 0: see reason; or an error if the device is lost. */
static int import(VmafGpuFilter *s, const VmafGpuVulkan *v,
                  LinearBuffer *linear, char *reason)
{
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = linear->buffer.mem,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    int fd = -1, ret;
    const VkResult result =
        v->vk.vkfn.GetMemoryFdKHR(v->vk.hwctx->act_dev, &info, &fd);

    if (result != VK_SUCCESS)
        return vg_reason(reason,
                         "not exported by their driver (Vulkan error %d)",
                         result);
    ret = vmafgpu_import_vulkan(s->engine, fd, linear->buffer.size,
                                &linear->memory);
    close(fd);
    if (ret >= 0)
        return 1;
    vg_reason(reason, "not importable (%s)", vmafgpu_error_text(s->engine));
    return ret == AVERROR(EIO) ? ret : 0;
}

static int take_buffer(VmafGpuFilter *s, VmafGpuVulkan *v, LinearBuffer **out,
                       char *reason)
{
    int ret;

    for (int i = 0; i < v->buffer_count; i++) {
        *out = &v->buffers[i];
        if ((*out)->memory && !(*out)->is_used)
            return 1;
    }
    if (v->buffer_count == MOST_BUFFERS)
        return vg_reason(reason, "too many at a time");
    *out = &v->buffers[v->buffer_count++];
    ret = allocate(v, &(*out)->buffer, reason);
    return ret <= 0 ? ret : import(s, v, *out, reason);
}

/* -------------------------------------------------------------------- copy */

/* The buffer goes from one driver to the other. */
static void record_transfer(const VmafGpuVulkan *v, const FFVkExecContext *e,
                            const LinearBuffer *to, int is_release,
                            const VkImageMemoryBarrier2 *images, int count)
{
    const VkAccessFlags2 written = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    const VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_TRANSFER_BIT;
    const VkBufferMemoryBarrier2 buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
        .srcStageMask = is_release ? stage : 0,
        .srcAccessMask = is_release ? written : 0,
        .dstStageMask = is_release ? 0 : stage,
        .dstAccessMask = is_release ? 0 : written,
        .srcQueueFamilyIndex = is_release ? e->qf : VK_QUEUE_FAMILY_EXTERNAL,
        .dstQueueFamilyIndex = is_release ? VK_QUEUE_FAMILY_EXTERNAL : e->qf,
        .buffer = to->buffer.buf,
        .size = VK_WHOLE_SIZE,
    };
    const VkDependencyInfo all = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .bufferMemoryBarrierCount = is_release || to->is_written,
        .pBufferMemoryBarriers = &buffer,
        .imageMemoryBarrierCount = count,
        .pImageMemoryBarriers = images,
    };

    v->vk.vkfn.CmdPipelineBarrier2(e->buf, &all);
}

static void record_planes(const VmafGpuVulkan *v, const FFVkExecContext *e,
                          const LinearBuffer *to, const AVFrame *frame)
{
    AVVkFrame *image = (AVVkFrame *)frame->data[0];
    const AVPixFmtDescriptor *desc =
        av_pix_fmt_desc_get(vg_pool(frame)->sw_format);
    const int is_one = v->planes > 1 && ff_vk_count_images(image) == 1;

    for (int i = 0; i < v->planes; i++) {
        const VkBufferImageCopy copy = {
            .bufferOffset = v->layout->data[i] - v->layout->data[0],
            .bufferRowLength =
                v->layout->linesize[i] / desc->comp[FFMIN(i, 1)].step,
            .imageSubresource = {
                .aspectMask = is_one ? VK_IMAGE_ASPECT_PLANE_0_BIT << i
                                     : VK_IMAGE_ASPECT_COLOR_BIT,
                .layerCount = 1,
            },
            .imageExtent = {
                AV_CEIL_RSHIFT(frame->width, i ? desc->log2_chroma_w : 0),
                AV_CEIL_RSHIFT(frame->height, i ? desc->log2_chroma_h : 0),
                1,
            },
        };

        v->vk.vkfn.CmdCopyImageToBuffer(e->buf, image->img[is_one ? 0 : i],
                                        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                        to->buffer.buf, 1, &copy);
    }
}

/* The copy waits for what is done to the images, and others wait for it. */
static int record(VmafGpuVulkan *v, FFVkExecContext *e, const LinearBuffer *to,
                  AVFrame *frame)
{
    const AVVkFrame *image = (const AVVkFrame *)frame->data[0];
    VkImageMemoryBarrier2 images[AV_NUM_DATA_POINTERS];
    int count = 0;
    int ret = ff_vk_exec_add_dep_frame(&v->vk, e, frame,
                                       VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                                       VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);

    if (ret < 0)
        return ret;
    ff_vk_frame_barrier(&v->vk, e, frame, images, &count,
                        VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                        VK_ACCESS_TRANSFER_READ_BIT,
                        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        image->queue_family[0] == VK_QUEUE_FAMILY_IGNORED
                            ? VK_QUEUE_FAMILY_IGNORED
                            : (uint32_t)e->qf);
    record_transfer(v, e, to, 0, images, count);
    record_planes(v, e, to, frame);
    record_transfer(v, e, to, 1, NULL, 0);
    return 0;
}

/*
 * Copy a frame, once it is ready, and wait for that. 1: copied; 0: see reason;
 * or an error, after which the buffer may still be written.
 */
static int copy(VmafGpuVulkan *v, LinearBuffer *to, const AVFrame *frame,
                char *reason)
{
    FFVkExecContext *e = &v->pool.contexts[0];
    VkResult result;
    int ret = ff_vk_exec_start(&v->vk, e), recorded;

    if (ret >= 0) {
        /* What was begun is submitted in any case: its fence is waited for. */
        recorded = record(v, e, to, (AVFrame *)frame);
        ret = ff_vk_exec_submit(&v->vk, e);
        ret = FFMIN(ret, recorded);
    }
    if (ret < 0)
        return vg_reason(reason, "not copied on the GPU (%s)", av_err2str(ret));
    result = v->vk.vkfn.WaitForFences(v->vk.hwctx->act_dev, 1, &e->fence,
                                      VK_TRUE, UINT64_MAX);
    ff_vk_exec_discard_deps(&v->vk, e);
    if (result != VK_SUCCESS) {
        av_log(v->vk.device, AV_LOG_ERROR,
               "a copy on the GPU failed: Vulkan error %d\n", result);
        return AVERROR_EXTERNAL;
    }
    to->is_written = 1;
    v->copied++;
    return 1;
}

/* ------------------------------------------------------------------ frames */

static void release_buffer(void *opaque)
{
    LinearBuffer *linear = opaque;

    linear->is_used = 0;
}

int ff_vmafgpu_wrap_vulkan(VmafGpuFilter *s, VmafGpuVulkan **vulkan,
                           VmafGpuPicture *picture, const AVFrame *frame,
                           char *reason)
{
    const AVHWFramesContext *frames = vg_pool(frame);
    const AVVulkanFramesContext *pool = frames->hwctx;
    LinearBuffer *linear = NULL;
    VmafGpuVulkan *v;
    int ret;

    if (!(pool->usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT))
        return vg_reason(reason,
                         "not copied on the GPU (no source of transfers)");
    if (!*vulkan && (ret = open_vulkan(frame, vulkan, reason)) <= 0)
        return ret;
    v = *vulkan;
    if ((ret = take_buffer(s, v, &linear, reason)) <= 0)
        return ret;
    av_image_fill_pointers(v->layout->data, frames->sw_format, frame->height,
                           linear->memory, v->layout->linesize);
    if ((ret = copy(v, linear, frame, reason)) <= 0)
        return ret;
    ff_vmafgpu_describe_frame(picture, v->layout, frames->sw_format);
    linear->is_used = 1;
    picture->memory = VMAFGPU_MEMORY_DEVICE;
    picture->opaque = linear;
    picture->release = release_buffer;
    return 1;
}
#endif
