/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opens the engine of a vmaf_gpu filter: the device for backend= and device=, the
 * settings, the log callback. Called by config_output() of vf_vmaf_gpu.c, which
 * also submits pairs and collects scores.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <string.h>

#include "libavutil/avstring.h"
#include "libavutil/bprint.h"
#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"

#include "vf_vmaf_gpu.h"

/* device= without a backend: the first device with that number or PCI address. */
static int find_device(AVFilterContext *ctx, const char *wanted, char *out, size_t size)
{
    VmafGpuDevice devices[16];
    int count = FFMIN(vmafgpu_devices(devices, FF_ARRAY_ELEMS(devices)),
                      (int)FF_ARRAY_ELEMS(devices));
    AVBPrint known;

    av_bprint_init(&known, 0, AV_BPRINT_SIZE_AUTOMATIC);
    for (int i = 0; i < count; i++) {
        const char *ordinal = strchr(devices[i].selector, ':');

        if (!strcmp(devices[i].selector, wanted) || !strcmp(devices[i].pci_id, wanted) ||
            (ordinal && !strcmp(ordinal + 1, wanted))) {
            av_strlcpy(out, devices[i].selector, size);
            return 0;
        }
        av_bprintf(&known, " %s", devices[i].selector);
    }
    av_log(ctx, AV_LOG_ERROR, "no device '%s' (present:%s)\n", wanted, known.str);
    return AVERROR(ENODEV);
}

/* The engine's selector for backend= and device=. */
static int device_selector(AVFilterContext *ctx, char *out, size_t size)
{
    const VmafGpuFilter *s = ctx->priv;
    const char *device = s->opt.device;

    if (!device) {
        av_strlcpy(out, s->backend, size);
        return 0;
    }
    if (!strcmp(device, "all")) { /* the decoders, of one process, would be the limit */
        av_log(ctx, AV_LOG_ERROR, "device=all: a filter computes on one device; "
               "'vmaf-gpu score MAIN REFERENCE --devices all' uses all GPUs\n");
        return AVERROR(EINVAL);
    }
    if (!strcmp(s->backend, "auto"))
        return find_device(ctx, device, out, size);
    if (!strcmp(s->backend, "cpu")) {
        av_log(ctx, AV_LOG_ERROR, "backend=cpu has no device '%s'\n", device);
        return AVERROR(EINVAL);
    }
    snprintf(out, size, "%s:%s", s->backend, device);
    return 0;
}

static void engine_log(void *opaque, int level, const char *text)
{
    static const int levels[] = {AV_LOG_ERROR, AV_LOG_WARNING, AV_LOG_INFO, AV_LOG_VERBOSE};

    if (level == VMAFGPU_LOG_WARNING)
        ff_vmafgpu_warn(opaque, "%s", text);
    else
        av_log(opaque, levels[av_clip(level, 0, FF_ARRAY_ELEMS(levels) - 1)], "%s\n", text);
}

/* As FFmpeg's filter xpsnr takes it: of main, else of the reference; 0 if both are unknown. */
static int whole_frame_rate(const VmafGpuFilter *s)
{
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVRational rate = s->frame_rate[i == 0 ? VMAF_GPU_MAIN : VMAF_GPU_REFERENCE];

        if (rate.num > 0 && rate.den > 0)
            return rate.num / rate.den;
    }
    return 0;
}

static void fill_settings(AVFilterContext *ctx, VmafGpuSettings *settings, int depth)
{
    const VmafGpuFilter *s = ctx->priv;

    vmafgpu_settings_default(settings);
    settings->width = ctx->inputs[VMAF_GPU_REFERENCE]->w;
    settings->height = ctx->inputs[VMAF_GPU_REFERENCE]->h;
    settings->distorted_width = ctx->inputs[VMAF_GPU_MAIN]->w;
    settings->distorted_height = ctx->inputs[VMAF_GPU_MAIN]->h;
    settings->depth = depth;
    settings->chroma = ff_vmafgpu_common_chroma(ctx);
    settings->models = s->models;
    settings->model_count = s->model_count;
    settings->features = s->features;
    settings->feature_count = s->feature_count;
    settings->first_features = s->first_features;
    settings->frame_rate = whole_frame_rate(s);
    /* The oldest held pair and `inflight` pairs after it. */
    settings->ring_depth = s->opt.inflight + 1;
    settings->threads = s->opt.n_threads;
    /* A decoder has few surfaces to spare: NVDEC four in FFmpeg 5.1, and it fails without one. */
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++) {
        const AVHWFramesContext *frames = ff_vmafgpu_hw_frames(ctx->inputs[i]);

        if (frames && frames->initial_pool_size > 0)
            settings->most_held = 2;
    }
    settings->subsample = s->opt.n_subsample;
    settings->compat = s->compat;
    settings->chunk = ff_vmafgpu_chunk_settings(s);
    settings->log = engine_log;
    settings->log_opaque = ctx;
    if (av_log_get_level() >= AV_LOG_VERBOSE)
        settings->log_level = VMAFGPU_LOG_VERBOSE;
}

int ff_vmafgpu_open_engine(AVFilterContext *ctx, int depth)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuSettings settings;
    VmafGpuError error = {0};
    char selector[64];
    int ret;

    ret = device_selector(ctx, selector, sizeof(selector));
    if (ret < 0)
        return ret;
    fill_settings(ctx, &settings, depth);
    settings.device = selector;
    ret = ff_vmafgpu_use_hw_device(ctx, &settings);
    if (ret < 0)
        return ret;
    if (ret > 0 && !strcmp(s->backend, "auto") && !s->opt.device)
        settings.device = "cuda";
    else if (!ret && !settings.native_context)
        ff_vmafgpu_choose_drm_device(ctx, selector, sizeof(selector));
    ret = vmafgpu_open(&s->engine, &settings, &error);
    if (ret < 0) {
        /* A setting that no backend takes is not this backend's fault. */
        if (ret == AVERROR(EINVAL))
            av_log(ctx, AV_LOG_ERROR, "%s\n", error.text);
        else
            av_log(ctx, AV_LOG_ERROR, "backend=%s: %s\n", s->backend, error.text);
        if (settings.chroma == VMAFGPU_CHROMA_400)
            av_log(ctx, AV_LOG_VERBOSE, "only luma of main (%s) and reference (%s) can be "
                   "compared\n",
                   av_get_pix_fmt_name(ff_vmafgpu_software_format(ctx->inputs[VMAF_GPU_MAIN])),
                   av_get_pix_fmt_name(ff_vmafgpu_software_format(ctx->inputs[VMAF_GPU_REFERENCE])));
        return ret;
    }
    for (int i = 0; i < VMAF_GPU_NB_INPUTS; i++)
        if (ff_vmafgpu_is_drm(ctx->inputs[i]->format))
            return ff_vmafgpu_init_drm(ctx);
    return 0;
}
