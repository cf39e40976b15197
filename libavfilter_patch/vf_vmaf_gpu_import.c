/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: imports surfaces of other drivers into the engine. Finds the GPU that
 * a surface is on, and keeps a bounded cache of imports, since importing is slow.
 * vf_vmaf_gpu_drm.c decides whether a surface can be read in place.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
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

#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vf_vmaf_gpu_drm.h"

#if VMAF_GPU_CAN_IMPORT
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#if CONFIG_VAAPI
#include <va/va_backend.h>
#include <va/va_drmcommon.h>

#include "libavutil/hwcontext_vaapi.h"
#endif
#endif

#if VG_HAS_VULKAN
#include "libavutil/hwcontext_vulkan.h"
#endif
#include "libavutil/avstring.h"
#include "libavutil/common.h"
#include "libavutil/error.h"

/* The file system of dma-bufs before Linux 5.3. All of its files share one inode. */
#define ANONYMOUS_INODES 0x09041934

int ff_vmafgpu_reason(char *reason, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(reason, VMAF_GPU_REASON_SIZE, format, args);
    va_end(args);
    return 0;
}

/* --------------------------------------------------------------- which GPU */

#if VMAF_GPU_CAN_IMPORT
static int device_fd(const AVHWDeviceContext *device)
{
    if (device->type == AV_HWDEVICE_TYPE_DRM)
        return ((const AVDRMDeviceContext *)device->hwctx)->fd;
#if CONFIG_VAAPI
    if (device->type == AV_HWDEVICE_TYPE_VAAPI) {
        const AVVAAPIDeviceContext *vaapi = device->hwctx;
        const struct VADisplayContext *display = vaapi->display;
        const struct drm_state *state =
            display && display->pDriverContext ? display->pDriverContext->drm_state : NULL;

        return state ? state->fd : -1;
    }
#endif
    return -1;
}

static void find_node_pci(const AVHWDeviceContext *device, char *pci, size_t size)
{
    char path[64], target[256];
    const char *name;
    struct stat status;
    ssize_t length;
    int fd = device_fd(device);

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode))
        return;
    snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(status.st_rdev),
             minor(status.st_rdev));
    length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return;
    target[length] = '\0';
    name = av_basename(target);
    if (strlen(name) == strlen("0000:00:00.0") && name[4] == ':')
        av_strlcpy(pci, name, size);
}
#endif

#if VG_HAS_VULKAN
/* The extension need not be enabled, but without it the answer means nothing. */
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
        found |= !strcmp(extensions[i].extensionName, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME);
    av_free(extensions);
    return found;
}

static void find_vulkan_pci(const AVHWDeviceContext *device, char *pci, size_t size)
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
    snprintf(pci, size, "%04x:%02x:%02x.%x", bus.pciDomain & 0xffff, bus.pciBus & 0xff,
             bus.pciDevice & 0xff, bus.pciFunction & 0xf);
}
#endif

void ff_vmafgpu_find_pci(const AVHWDeviceContext *device, char *pci, size_t size)
{
    *pci = '\0';
#if VG_HAS_VULKAN
    if (device->type == AV_HWDEVICE_TYPE_VULKAN)
        find_vulkan_pci(device, pci, size);
#endif
#if VMAF_GPU_CAN_IMPORT
    if (device->type != AV_HWDEVICE_TYPE_VULKAN)
        find_node_pci(device, pci, size);
#endif
}

void ff_vmafgpu_choose_drm_device(AVFilterContext *ctx, char *selector, size_t size)
{
    const VmafGpuFilter *s = ctx->priv;
    VmafGpuDevice devices[16];
    char pci[16] = "";
    int count;

    for (int i = 0; i < VMAF_GPU_NB_INPUTS && !*pci; i++)
        if (ff_vmafgpu_is_drm(ctx->inputs[i]->format) && ff_vmafgpu_hw_frames(ctx->inputs[i]))
            ff_vmafgpu_find_pci(ff_vmafgpu_hw_frames(ctx->inputs[i])->device_ctx, pci, sizeof(pci));
    if (!*pci || s->opt.device)
        return;
    count = FFMIN(vmafgpu_devices(devices, FF_ARRAY_ELEMS(devices)),
                  (int)FF_ARRAY_ELEMS(devices));
    for (int i = 0; i < count; i++) {
        if (strcmp(devices[i].pci_id, pci) ||
            (strcmp(s->backend, "auto") && strcmp(s->backend, devices[i].backend)))
            continue;
        av_strlcpy(selector, devices[i].selector, size);
        return;
    }
}

/* ----------------------------------------------------------------- imports */

#if VMAF_GPU_CAN_IMPORT
/* A closed engine has already released its imports. */
static void drop_import(VmafGpuFilter *s, int i)
{
    VmafGpuImport *import = s->drm->imports[i];

    if (s->engine)
        vmafgpu_release_import(s->engine, &import->memory);
    close(import->fd);
    av_free(import);
    s->drm->imports[i] = s->drm->imports[--s->drm->import_count];
}

/* Make room for one more import. 0 if the engine reads all of them. */
static int make_room(VmafGpuFilter *s)
{
    VmafGpuDrm *drm = s->drm;
    int oldest = -1;

    if (drm->import_count < VMAF_GPU_MAX_IMPORTS)
        return 1;
    for (int i = 0; i < drm->import_count; i++)
        if (!drm->imports[i]->users &&
            (oldest < 0 || drm->imports[i]->last_use < drm->imports[oldest]->last_use))
            oldest = i;
    if (oldest >= 0)
        drop_import(s, oldest);
    return oldest >= 0;
}

uint64_t ff_vmafgpu_object_bytes(const AVDRMObjectDescriptor *object)
{
    off_t bytes;

    if (object->size)
        return object->size;
    /* A dma-buf tells its size by seeking. */
    bytes = lseek(object->fd, 0, SEEK_END);
    lseek(object->fd, 0, SEEK_SET);
    return bytes < 0 ? 0 : bytes;
}

/* Identify the memory behind an fd: one surface may be exported under many fds. */
static int identify(const AVDRMObjectDescriptor *object, VmafGpuImport *key)
{
    struct statfs file_system;
    struct stat status;

    if (fstat(object->fd, &status) < 0 || fstatfs(object->fd, &file_system) < 0)
        return AVERROR(errno);
    key->device = status.st_dev;
    key->inode = status.st_ino;
    key->bytes = ff_vmafgpu_object_bytes(object);
    key->is_cached = (uint32_t)file_system.f_type != ANONYMOUS_INODES;
    return 0;
}

static VmafGpuImport *find_import(const VmafGpuDrm *drm, const VmafGpuImport *key)
{
    for (int i = 0; i < drm->import_count && key->is_cached; i++) {
        VmafGpuImport *import = drm->imports[i];

        if (import->device == key->device && import->inode == key->inode &&
            import->bytes == key->bytes)
            return import;
    }
    return NULL;
}

/* ff_vmafgpu_import() for new memory. On failure the caller still owns key->fd. */
static int add_import(VmafGpuFilter *s, const VmafGpuImport *key, VmafGpuImport **out,
                      char *reason)
{
    VmafGpuImport *import = av_memdup(key, sizeof(*key));
    int ret;

    if (!import)
        return AVERROR(ENOMEM);
    ret = vmafgpu_import_memory(s->engine, import->fd, import->bytes, &import->memory);
    if (ret < 0) {
        av_free(import);
        ff_vmafgpu_reason(reason, "not importable (%s)", vmafgpu_error_text(s->engine));
        return ret == AVERROR(EIO) ? ret : 0;
    }
    s->drm->imported++;
    *out = s->drm->imports[s->drm->import_count++] = import;
    return 1;
}

int ff_vmafgpu_import(VmafGpuFilter *s, const AVDRMObjectDescriptor *object, VmafGpuImport **out,
                      char *reason)
{
    VmafGpuImport key = {0};
    int ret = identify(object, &key);

    if (ret < 0)
        return ff_vmafgpu_reason(reason, "not accessible (%s)", av_err2str(ret));
    *out = find_import(s->drm, &key);
    if (!*out) {
        if (!make_room(s))
            return ff_vmafgpu_reason(reason, "too many");
        key.fd = fcntl(object->fd, F_DUPFD_CLOEXEC, 0);
        if (key.fd < 0)
            return ff_vmafgpu_reason(reason, "not accessible (%s)", strerror(errno));
        ret = add_import(s, &key, out, reason);
        if (ret <= 0) {
            close(key.fd);
            return ret;
        }
    }
    (*out)->last_use = ++s->drm->uses;
    return 1;
}

void ff_vmafgpu_drop_imports(VmafGpuFilter *s, int all)
{
    for (int i = s->drm->import_count - 1; i >= 0; i--)
        if ((all || !s->drm->imports[i]->is_cached) && !s->drm->imports[i]->users)
            drop_import(s, i);
}
#else
void ff_vmafgpu_drop_imports(VmafGpuFilter *s, int all)
{
}
#endif
