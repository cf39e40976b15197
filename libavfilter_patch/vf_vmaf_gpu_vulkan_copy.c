/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: the copy of a Vulkan frame's planes into a linear buffer, on the
 * GPU: which images can be copied, barriers, and the frame's semaphores, as
 * FFmpeg's hwcontext_vulkan.h asks for. vf_vmaf_gpu_vulkan.c has the buffers
 * and calls this.
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

#include "vf_vmaf_gpu_vulkan.h"

#if VG_HAS_VULKAN
#include "libavutil/internal.h"
#include "libavutil/log.h"
#include "libavutil/pixdesc.h"

int ff_vmafgpu_refuse_vulkan(char *reason, const char *what, VkResult result)
{
    return vg_reason(reason, "not copied on the GPU (%s: Vulkan error %d)",
                     what, result);
}

/* -------------------------------------------------------------------- images
 */

/* Bytes of a texel of the planes of a format; 0: not a format of video. */
static uint32_t luma_bytes(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R8_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_420_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_422_UNORM:
    case VK_FORMAT_G8_B8R8_2PLANE_444_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM:
    case VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM:
        return 1;
    case VK_FORMAT_R16_UNORM:
    case VK_FORMAT_R10X6_UNORM_PACK16:
    case VK_FORMAT_R12X4_UNORM_PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_422_UNORM_3PACK16:
    case VK_FORMAT_G12X4_B12X4R12X4_2PLANE_444_UNORM_3PACK16:
    case VK_FORMAT_G16_B16R16_2PLANE_420_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_422_UNORM:
    case VK_FORMAT_G16_B16R16_2PLANE_444_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_420_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_422_UNORM:
    case VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM:
        return 2;
    default:
        return 0;
    }
}

static int count_images(const AVVkFrame *vk)
{
    int count = 0;

    while (count < FF_ARRAY_ELEMS(vk->img) && vk->img[count])
        count++;
    return count;
}

int ff_vmafgpu_is_vulkan_copyable(const VmafGpuVulkan *v, const AVFrame *frame,
                                  char *reason)
{
    const AVHWFramesContext *frames =
        (const AVHWFramesContext *)frame->hw_frames_ctx->data;
    const AVVulkanFramesContext *pool = frames->hwctx;
    const int planes = av_pix_fmt_count_planes(frames->sw_format);
    const int images = count_images((const AVVkFrame *)frame->data[0]);

    if (images != 1 && images != planes)
        return vg_reason(reason,
                         "of an unsupported layout (%d images of %d planes)",
                         images, planes);
    if (luma_bytes(pool->format[0]) != v->plane[0].texel)
        return vg_reason(reason, "of an unsupported layout (VkFormat %d)",
                         pool->format[0]);
    if (!(pool->usage & VK_IMAGE_USAGE_TRANSFER_SRC_BIT))
        return vg_reason(reason,
                         "not copied on the GPU (no source of transfers)");
    return 1;
}

/* ---------------------------------------------------------------------- copy
 */

/* Images become readable by the copy; another queue family may own them. */
static void record_acquire(const VmafGpuVulkan *v, const VmafGpuLinear *to,
                           const AVVkFrame *vk)
{
    VkImageMemoryBarrier2 images[AV_NUM_DATA_POINTERS] = { 0 };
    const VkBufferMemoryBarrier2 buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
        .dstStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
        .dstAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
        .dstQueueFamilyIndex = v->family,
        .buffer = to->buffer,
        .size = VK_WHOLE_SIZE,
    };
    const VkDependencyInfo all = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .bufferMemoryBarrierCount = to->is_written,
        .pBufferMemoryBarriers = &buffer,
        .imageMemoryBarrierCount = count_images(vk),
        .pImageMemoryBarriers = images,
    };

    for (int i = 0; i < all.imageMemoryBarrierCount; i++) {
        const uint32_t owner = vk->queue_family[i];
        const int moves =
            owner != VK_QUEUE_FAMILY_IGNORED && owner != v->family;

        images[i] = (VkImageMemoryBarrier2) {
            .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
            .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
            .srcAccessMask = vk->access[i],
            .dstStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
            .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT,
            .oldLayout = vk->layout[i],
            .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
            .srcQueueFamilyIndex = moves ? owner : VK_QUEUE_FAMILY_IGNORED,
            .dstQueueFamilyIndex = moves ? v->family : VK_QUEUE_FAMILY_IGNORED,
            .image = vk->img[i],
            .subresourceRange = {
                .aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                .levelCount = 1,
                .layerCount = 1,
            },
        };
    }
    v->CmdPipelineBarrier2(to->commands, &all);
}

static void record_copy(const VmafGpuVulkan *v, const VmafGpuLinear *to,
                        const AVVkFrame *vk, int planes)
{
    static const VkImageAspectFlags aspects[VMAF_GPU_MOST_PLANES] = {
        VK_IMAGE_ASPECT_PLANE_0_BIT,
        VK_IMAGE_ASPECT_PLANE_1_BIT,
        VK_IMAGE_ASPECT_PLANE_2_BIT,
    };
    const int is_one = planes > 1 && count_images(vk) == 1;

    for (int i = 0; i < v->planes; i++) {
        const VmafGpuPlanePlace *plane = &v->plane[i];
        const VkBufferImageCopy copy = {
            .bufferOffset = plane->offset,
            .bufferRowLength = plane->pitch / plane->texel,
            .bufferImageHeight = plane->height,
            .imageSubresource = {
                .aspectMask = is_one ? aspects[i] : VK_IMAGE_ASPECT_COLOR_BIT,
                .layerCount = 1,
            },
            .imageExtent = {plane->width, plane->height, 1},
        };

        v->CmdCopyImageToBuffer(to->commands, vk->img[is_one ? 0 : i],
                                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                to->buffer, 1, &copy);
    }
}

/* What was written is for another driver, the engine's. */
static void record_release(const VmafGpuVulkan *v, const VmafGpuLinear *to)
{
    const VkBufferMemoryBarrier2 buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
        .srcStageMask = VK_PIPELINE_STAGE_2_TRANSFER_BIT,
        .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
        .srcQueueFamilyIndex = v->family,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_EXTERNAL,
        .buffer = to->buffer,
        .size = VK_WHOLE_SIZE,
    };
    const VkDependencyInfo all = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
        .bufferMemoryBarrierCount = 1,
        .pBufferMemoryBarriers = &buffer,
    };

    v->CmdPipelineBarrier2(to->commands, &all);
}

static VkResult record(const VmafGpuVulkan *v, const VmafGpuLinear *to,
                       const AVVkFrame *vk, int planes)
{
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkResult result = v->BeginCommandBuffer(to->commands, &begin);

    if (result != VK_SUCCESS)
        return result;
    record_acquire(v, to, vk);
    record_copy(v, to, vk, planes);
    record_release(v, to);
    return v->EndCommandBuffer(to->commands);
}

/* Queue 0 of the family is FFmpeg's too. */
static VkResult submit(const VmafGpuVulkan *v, const VkSubmitInfo2 *info)
{
    VkResult result;

#if VG_VULKAN_QUEUE_LOCKS
    FF_DISABLE_DEPRECATION_WARNINGS
    v->vulkan->lock_queue(v->device, v->family, 0);
    result = v->QueueSubmit2(v->queue, 1, info, v->fence);
    v->vulkan->unlock_queue(v->device, v->family, 0);
    FF_ENABLE_DEPRECATION_WARNINGS
#else
    result = v->QueueSubmit2(v->queue, 1, info, v->fence);
#endif
    return result;
}

/*
 * The copy waits for what is done to the images, and others wait for the copy.
 */
static VkResult submit_copy(const VmafGpuVulkan *v, const VmafGpuLinear *to,
                            AVVkFrame *vk)
{
    const int images = count_images(vk);
    const VkCommandBufferSubmitInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
        .commandBuffer = to->commands,
    };
    VkSemaphoreSubmitInfo waits[AV_NUM_DATA_POINTERS] = { 0 };
    VkSemaphoreSubmitInfo signals[AV_NUM_DATA_POINTERS] = { 0 };
    const VkSubmitInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .waitSemaphoreInfoCount = images,
        .pWaitSemaphoreInfos = waits,
        .commandBufferInfoCount = 1,
        .pCommandBufferInfos = &commands,
        .signalSemaphoreInfoCount = images,
        .pSignalSemaphoreInfos = signals,
    };
    VkResult result;

    for (int i = 0; i < images; i++) {
        waits[i] = (VkSemaphoreSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = vk->sem[i],
            .value = vk->sem_value[i],
            .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        };
        signals[i] = waits[i];
        signals[i].value++;
    }
    result = submit(v, &info);
    for (int i = 0; i < images && result == VK_SUCCESS; i++) {
        vk->sem_value[i]++;
        vk->layout[i] = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        vk->access[i] = VK_ACCESS_TRANSFER_READ_BIT;
        if (vk->queue_family[i] != VK_QUEUE_FAMILY_IGNORED)
            vk->queue_family[i] = v->family;
    }
    return result;
}

int ff_vmafgpu_copy_vulkan(VmafGpuVulkan *v, VmafGpuLinear *to,
                           const AVFrame *frame, char *reason)
{
    AVHWFramesContext *frames = (AVHWFramesContext *)frame->hw_frames_ctx->data;
    AVVulkanFramesContext *pool = frames->hwctx;
    AVVkFrame *vk = (AVVkFrame *)frame->data[0];
    VkResult result;

    pool->lock_frame(frames, vk);
    result = record(v, to, vk, av_pix_fmt_count_planes(frames->sw_format));
    if (result == VK_SUCCESS)
        result = submit_copy(v, to, vk);
    pool->unlock_frame(frames, vk);
    if (result != VK_SUCCESS)
        return ff_vmafgpu_refuse_vulkan(reason, "the copy", result);
    result =
        v->WaitForFences(v->vulkan->act_dev, 1, &v->fence, VK_TRUE, UINT64_MAX);
    if (result == VK_SUCCESS)
        result = v->ResetFences(v->vulkan->act_dev, 1, &v->fence);
    if (result == VK_SUCCESS) {
        to->is_written = 1;
        v->copied++;
        return 1;
    }
    av_log(v->device, AV_LOG_ERROR,
           "a copy on the GPU failed: Vulkan error %d\n", result);
    return AVERROR_EXTERNAL;
}
#endif
