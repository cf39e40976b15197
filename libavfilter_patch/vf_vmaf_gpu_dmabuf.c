/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: surfaces of other drivers in the engine's memory. Finds the GPU
 * that a surface is on, says whether it can be read as it lies, keeps a bounded
 * cache of imports, since importing is slow, and has libva copy a tiled surface
 * to a linear one.
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

#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "vf_vmaf_gpu_hw.h"

#if VMAF_GPU_DMABUF
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#if CONFIG_VAAPI
#include <va/va.h>
#include <va/va_backend.h>
#include <va/va_drmcommon.h>
#include <va/va_vpp.h>

#include "libavutil/hwcontext_vaapi.h"
#endif

#include "libavutil/avstring.h"
#include "libavutil/common.h"
#include "libavutil/mem.h"

#if CONFIG_VAAPI /* VADRMFormatModifierList came with libva 2.12 */
#define CAN_COPY VA_CHECK_VERSION(1, 12, 0)
#else
#define CAN_COPY 0
#endif

/* The file system of dma-bufs before Linux 5.3: its files share one inode. */
#define ANONYMOUS_INODES 0x09041934

/* --------------------------------------------------------------- which GPU */

static int device_fd(const AVHWDeviceContext *device)
{
    if (device->type == AV_HWDEVICE_TYPE_DRM)
        return ((const AVDRMDeviceContext *)device->hwctx)->fd;
#if CONFIG_VAAPI
    if (device->type == AV_HWDEVICE_TYPE_VAAPI) {
        const AVVAAPIDeviceContext *vaapi = device->hwctx;
        const struct VADisplayContext *display = vaapi->display;
        const struct drm_state *state = display && display->pDriverContext
                                            ? display->pDriverContext->drm_state
                                            : NULL;

        return state ? state->fd : -1;
    }
#endif
    return -1;
}

void ff_vmafgpu_find_node_pci(const AVHWDeviceContext *device, char *pci,
                              size_t size)
{
    char path[64], target[256];
    const char *name;
    struct stat status;
    ssize_t length;
    int fd = device_fd(device);

    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode))
        return;
    snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device",
             major(status.st_rdev), minor(status.st_rdev));
    length = readlink(path, target, sizeof(target) - 1);
    if (length < 0)
        return;
    target[length] = '\0';
    name = av_basename(target);
    if (strlen(name) == strlen("0000:00:00.0") && name[4] == ':')
        av_strlcpy(pci, name, size);
}
/* ----------------------------------------------------------------- imports */

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
            (oldest < 0 ||
             drm->imports[i]->last_use < drm->imports[oldest]->last_use))
            oldest = i;
    if (oldest >= 0)
        drop_import(s, oldest);
    return oldest >= 0;
}

/* AMD's driver leaves the size out of the description. */
static uint64_t object_bytes(const AVDRMObjectDescriptor *object)
{
    off_t bytes;

    if (object->size)
        return object->size;
    /* A dma-buf tells its size by seeking. */
    bytes = lseek(object->fd, 0, SEEK_END);
    lseek(object->fd, 0, SEEK_SET);
    return bytes < 0 ? 0 : bytes;
}

/* Identify the memory of an fd: one surface may be exported as many fds. */
static int identify(const AVDRMObjectDescriptor *object, VmafGpuImport *key,
                    char *reason)
{
    struct statfs file_system;
    struct stat status;

    if (fstat(object->fd, &status) < 0 || fstatfs(object->fd, &file_system) < 0)
        return vg_reason(reason, "not accessible (%s)", strerror(errno));
    if ((uint32_t)file_system.f_type == ANONYMOUS_INODES)
        return vg_reason(reason, "not told apart by Linux before 5.3");
    key->device = status.st_dev;
    key->inode = status.st_ino;
    key->bytes = object_bytes(object);
    return 1;
}

static VmafGpuImport *find_import(const VmafGpuDrm *drm,
                                  const VmafGpuImport *key)
{
    for (int i = 0; i < drm->import_count; i++) {
        VmafGpuImport *import = drm->imports[i];

        if (import->device == key->device && import->inode == key->inode &&
            import->bytes == key->bytes)
            return import;
    }
    return NULL;
}

/* ff_vmafgpu_import() for new memory. If it fails, key->fd is the caller's. */
static int add_import(VmafGpuFilter *s, const VmafGpuImport *key,
                      VmafGpuImport **out, char *reason)
{
    VmafGpuImport *import = av_memdup(key, sizeof(*key));
    int ret;

    if (!import)
        return AVERROR(ENOMEM);
    ret = vmafgpu_import_memory(s->engine, import->fd, import->bytes,
                                &import->memory);
    if (ret < 0) {
        av_free(import);
        vg_reason(reason, "not importable (%s)", vmafgpu_error_text(s->engine));
        return ret == AVERROR(EIO) ? ret : 0;
    }
    s->drm->imported++;
    *out = s->drm->imports[s->drm->import_count++] = import;
    return 1;
}

int ff_vmafgpu_import(VmafGpuFilter *s, const AVDRMObjectDescriptor *object,
                      VmafGpuImport **out, char *reason)
{
    VmafGpuImport key = { 0 };
    int ret = identify(object, &key, reason);

    if (!ret)
        return 0;
    *out = find_import(s->drm, &key);
    if (!*out) {
        if (!make_room(s))
            return vg_reason(reason, "too many");
        key.fd = fcntl(object->fd, F_DUPFD_CLOEXEC, 0);
        if (key.fd < 0)
            return vg_reason(reason, "not accessible (%s)", strerror(errno));
        ret = add_import(s, &key, out, reason);
        if (ret <= 0) {
            close(key.fd);
            return ret;
        }
    }
    (*out)->last_use = ++s->drm->uses;
    return 1;
}

void ff_vmafgpu_drop_imports(VmafGpuFilter *s)
{
    while (s->drm->import_count)
        drop_import(s, 0);
}

/* ----------------------------------------------------------------- layouts */

#define MODIFIER_LINEAR UINT64_C(0)
#define MODIFIER_UNKNOWN UINT64_C(0x00ffffffffffffff)

const AVDRMPlaneDescriptor *ff_vmafgpu_find_plane(
    const AVDRMFrameDescriptor *desc, int number)
{
    for (int i = 0; i < desc->nb_layers; i++) {
        if (number < desc->layers[i].nb_planes) {
            const AVDRMPlaneDescriptor *plane = &desc->layers[i].planes[number];

            return plane->object_index >= 0 &&
                           plane->object_index < desc->nb_objects
                       ? plane
                       : NULL;
        }
        number -= desc->layers[i].nb_planes;
    }
    return NULL;
}

/* Whether every row of a component lies inside its object. */
static int is_inside(const AVDRMFrameDescriptor *desc, const AVFrame *frame,
                     const AVPixFmtDescriptor *format, int component)
{
    const AVComponentDescriptor *comp = &format->comp[component];
    const AVDRMPlaneDescriptor *plane =
        ff_vmafgpu_find_plane(desc, comp->plane);
    const int is_chroma = component > 0;
    int64_t row, end, height;

    if (!plane || plane->offset < 0)
        return 0;
    row = (int64_t)AV_CEIL_RSHIFT(frame->width,
                                  is_chroma ? format->log2_chroma_w : 0) *
          comp->step;
    height =
        AV_CEIL_RSHIFT(frame->height, is_chroma ? format->log2_chroma_h : 0);
    if (plane->pitch < row)
        return 0;
    end = plane->offset + (int64_t)plane->pitch * (height - 1) + row;
    return (uint64_t)end <= object_bytes(&desc->objects[plane->object_index]);
}

int ff_vmafgpu_is_linear(const AVFrame *frame, const AVPixFmtDescriptor *format,
                         int components, char *reason)
{
    const AVDRMFrameDescriptor *desc =
        (const AVDRMFrameDescriptor *)frame->data[0];

    for (int i = 0; i < components; i++) {
        const AVDRMPlaneDescriptor *plane =
            ff_vmafgpu_find_plane(desc, format->comp[i].plane);
        uint64_t modifier;

        if (!is_inside(desc, frame, format, i))
            return vg_reason(reason,
                             "described with sizes that exceed their memory");
        modifier = desc->objects[plane->object_index].format_modifier;
        if (modifier == MODIFIER_UNKNOWN)
            return vg_reason(reason, "of unknown layout (no modifier)");
        if (modifier != MODIFIER_LINEAR)
            return vg_reason(reason, "tiled (modifier 0x%" PRIx64 ")",
                             modifier);
    }
    return 1;
}

/*
 * FFmpeg downloads DRM_PRIME frames by copying bytes: wrong for tiles, and
 * beyond the mapping if the descriptor exceeds the memory.
 */
int ff_vmafgpu_check_layout(AVFilterContext *ctx, const AVFrame *frame)
{
    const AVPixFmtDescriptor *format =
        av_pix_fmt_desc_get(vg_pool(frame)->sw_format);
    char reason[VMAF_GPU_REASON_SIZE];

    if (frame->format != AV_PIX_FMT_DRM_PRIME ||
        ff_vmafgpu_is_linear(frame, format,
                             FFMIN(format->nb_components, VMAF_GPU_MOST_PLANES),
                             reason))
        return 0;
    av_log(ctx, AV_LOG_ERROR,
           "DRM_PRIME frames are %s, which neither this filter nor hwdownload "
           "can convert: pass VAAPI frames to vmaf_gpu (no hwmap), or have "
           "Mesa's driver make them linear (AMD_DEBUG=novideotiling)\n",
           reason);
    return AVERROR(EINVAL);
}

/* ------------------------------------------------------------------ exports */

AVFrame *ff_vmafgpu_export_surface(const AVFrame *frame, char *reason)
{
    AVFrame *mapped;
    int ret;

    if (frame->format == AV_PIX_FMT_DRM_PRIME)
        return av_frame_clone(frame);
    mapped = av_frame_alloc();
    if (!mapped)
        return NULL;
    mapped->format = AV_PIX_FMT_DRM_PRIME;
#if VG_OLD_VAAPI
    /* FFmpeg 5.1 and 6.0 export without waiting for the decoder. */
    {
        const AVVAAPIDeviceContext *vaapi = vg_pool(frame)->device_ctx->hwctx;

        if (vaSyncSurface(vaapi->display,
                          (VASurfaceID)(uintptr_t)frame->data[3]) !=
            VA_STATUS_SUCCESS) {
            vg_reason(reason, "not synchronised (vaSyncSurface failed)");
            av_frame_free(&mapped);
            return NULL;
        }
    }
#endif
    ret = av_hwframe_map(mapped, frame, AV_HWFRAME_MAP_READ);
    if (ret < 0) {
        vg_reason(reason, "not exported by their driver (%s)", av_err2str(ret));
        av_frame_free(&mapped);
    }
    return mapped;
}

/* ------------------------------------------------------------------- copies */

#if CAN_COPY
struct VmafGpuCopier {
    AVBufferRef *pool; /* linear surfaces, on the source's device */
    VADisplay display;
    VAConfigID config;
    VAContextID context;
};

static int refuse(char *reason, const char *call, VAStatus status)
{
    return vg_reason(reason, "not possible (%s: %s)", call, vaErrorStr(status));
}

static int make_linear_pool(VmafGpuCopier *copier,
                            const AVHWFramesContext *like, char *reason)
{
    /* FFmpeg's pool keeps the pointers. */
    static uint64_t modifier; /* DRM_FORMAT_MOD_LINEAR */
    static VADRMFormatModifierList list = { 1, &modifier };
    VASurfaceAttrib attribute = {
        .type = VASurfaceAttribDRMFormatModifiers,
        .flags = VA_SURFACE_ATTRIB_SETTABLE,
        .value = { .type = VAGenericValueTypePointer, .value.p = &list },
    };
    AVVAAPIFramesContext *vaapi;
    AVHWFramesContext *frames;
    int ret;

    copier->pool = av_hwframe_ctx_alloc(like->device_ref);
    if (!copier->pool)
        return AVERROR(ENOMEM);
    frames = (AVHWFramesContext *)copier->pool->data;
    frames->format = like->format;
    frames->sw_format = like->sw_format;
    frames->width = like->width;
    frames->height = like->height;
    vaapi = frames->hwctx;
    vaapi->attributes = &attribute;
    vaapi->nb_attributes = 1;
    ret = av_hwframe_ctx_init(copier->pool);
    vaapi->attributes = NULL; /* FFmpeg has a copy */
    vaapi->nb_attributes = 0;
    if (ret < 0)
        return vg_reason(reason, "not possible (no linear surfaces: %s)",
                         av_err2str(ret));
    return 1;
}

static int open_processor(VmafGpuCopier *copier,
                          const AVHWFramesContext *frames, char *reason)
{
    const AVVAAPIDeviceContext *vaapi = frames->device_ctx->hwctx;
    VAStatus status;

    copier->display = vaapi->display;
    status = vaCreateConfig(copier->display, VAProfileNone,
                            VAEntrypointVideoProc, NULL, 0, &copier->config);
    if (status != VA_STATUS_SUCCESS)
        return refuse(reason, "vaCreateConfig", status);
    status = vaCreateContext(copier->display, copier->config, frames->width,
                             frames->height, VA_PROGRESSIVE, NULL, 0,
                             &copier->context);
    return status == VA_STATUS_SUCCESS
               ? 1
               : refuse(reason, "vaCreateContext", status);
}

static int open_copier(VmafGpuCopier **out, const AVHWFramesContext *frames,
                       char *reason)
{
    VmafGpuCopier *copier = av_mallocz(sizeof(*copier));
    int ret;

    if (!copier)
        return AVERROR(ENOMEM);
    copier->config = VA_INVALID_ID;
    copier->context = VA_INVALID_ID;
    *out = copier;
    ret = make_linear_pool(copier, frames,
                           reason); /* first: it keeps the display open */
    return ret > 0 ? open_processor(copier, frames, reason) : ret;
}

/*
 * Copies the same region of one surface to another. Zeros ask for the same
 * colours.
 */
static int process(const VmafGpuCopier *copier, VASurfaceID from,
                   VASurfaceID to, const VARectangle *all, char *reason)
{
    VAProcPipelineParameterBuffer parameters = {
        .surface = from,
        .surface_region = all,
        .output_region = all,
        .output_background_color = 0xff000000,
        .filter_flags = VA_FRAME_PICTURE,
    };
    VABufferID buffer = VA_INVALID_ID;
    VAStatus status, ended;

    status = vaCreateBuffer(copier->display, copier->context,
                            VAProcPipelineParameterBufferType,
                            sizeof(parameters), 1, &parameters, &buffer);
    if (status != VA_STATUS_SUCCESS)
        return refuse(reason, "vaCreateBuffer", status);
    status = vaBeginPicture(copier->display, copier->context, to);
    if (status == VA_STATUS_SUCCESS) {
        status = vaRenderPicture(copier->display, copier->context, &buffer, 1);
        ended =
            vaEndPicture(copier->display, copier->context); /* a picture that
                                                               was begun has to
                                                               be ended */
        if (status == VA_STATUS_SUCCESS)
            status = ended;
    }
    vaDestroyBuffer(copier->display, buffer);
    return status == VA_STATUS_SUCCESS
               ? 1
               : refuse(reason, "video processing", status);
}

int ff_vmafgpu_copy_to_linear(VmafGpuCopier **copier, const AVFrame *frame,
                              AVFrame **copy, char *reason)
{
    const AVHWFramesContext *frames = vg_pool(frame);
    const VARectangle all = { 0, 0, frames->width, frames->height };
    int ret = *copier ? 1 : open_copier(copier, frames, reason);

    if (ret <= 0)
        return ret;
    *copy = av_frame_alloc();
    if (!*copy)
        return AVERROR(ENOMEM);
    ret = av_hwframe_get_buffer((*copier)->pool, *copy, 0);
    if (ret < 0)
        ret = vg_reason(reason, "not possible (no linear surface is left)");
    else
        ret = process(*copier, (VASurfaceID)(uintptr_t)frame->data[3],
                      (VASurfaceID)(uintptr_t)(*copy)->data[3], &all, reason);
    if (ret <= 0) {
        av_frame_free(copy);
        return ret;
    }
    (*copy)->width = frame->width;
    (*copy)->height = frame->height;
    return 1;
}

void ff_vmafgpu_free_copier(VmafGpuCopier **out)
{
    VmafGpuCopier *copier = *out;

    if (!copier)
        return;
    if (copier->context != VA_INVALID_ID)
        vaDestroyContext(copier->display, copier->context);
    if (copier->config != VA_INVALID_ID)
        vaDestroyConfig(copier->display, copier->config);
    av_buffer_unref(&copier->pool);
    av_freep(out);
}
#else
int ff_vmafgpu_copy_to_linear(VmafGpuCopier **copier, const AVFrame *frame,
                              AVFrame **copy, char *reason)
{
    return vg_reason(reason, "not possible (libva 2.12 is needed)");
}

void ff_vmafgpu_free_copier(VmafGpuCopier **copier)
{
}
#endif
#endif /* VMAF_GPU_DMABUF */
