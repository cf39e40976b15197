/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of one vmaf_gpu filter, and what its source files offer each other:
 * vf_vmaf_gpu.c (the life of a frame; read it first), _options.c (texts to
 * values), _engine.c (opening the engine), _picture.c (AVFrame to engine
 * picture), _hw.c and _drm.c (frames on a GPU), _report.c (metadata, stats
 * file, log, score line). Scores are computed by libvmaf_gpu, not here.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */
#ifndef AVFILTER_VF_VMAF_GPU_H
#define AVFILTER_VF_VMAF_GPU_H

#include <stdint.h>
#include <stdio.h>

#include <vmaf_gpu/vmaf_gpu.h>

#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/pixdesc.h"
#include "libavutil/pixfmt.h"

#include "vf_vmaf_gpu_shim.h"

/* More would exhaust the fixed surface pools of hardware decoders. */
#define VMAF_GPU_MAX_INFLIGHT 16

#define VMAF_GPU_DEFAULT_MODEL "vmaf_v0.6.1"
#define VMAF_GPU_DEFAULT_MODEL_CFG "version=" VMAF_GPU_DEFAULT_MODEL

enum { VMAF_GPU_MAIN, VMAF_GPU_REFERENCE, VMAF_GPU_NB_INPUTS };

/** Options as the user wrote them; checked by ff_vmafgpu_parse_options(). */
typedef struct VmafGpuOptions {
    char *model, *feature;
    char *log_path, *log_fmt, *stats_path;
    char *pool, *precision, *compat;
    char *backend, *device;
    int n_threads, n_subsample;
    int inflight, metadata;
    char *model_path;                       /* deprecated, still understood */
    int enable_transform, phone_model;      /* deprecated, still understood */
    int psnr, ssim, ms_ssim, conf_interval; /* refused with a hint */
} VmafGpuOptions;

/* VAAPI and DRM_PRIME inputs: see vf_vmaf_gpu_drm.h. */
typedef struct VmafGpuDrm VmafGpuDrm;

typedef struct VmafGpuFilter {
    const AVClass *class;
    FFFrameSync fs;
    VmafGpuOptions opt;

    /* Made from the options by init(). */
    VmafGpuModel **models;
    int model_count;
    VmafGpuFeature *features;
    int feature_count;
    const char *log_format, *backend; /* as the engine spells them */
    int pool, precision, compat;

    /* Made by config_output(). */
    VmafGpuContext *engine;
    VmafGpuDrm *drm;
    char **metadata_keys; /* one per score series */
    int score_count;
    double *times;       /* seconds of the pairs collected, for log_fmt=html */
    unsigned times_size; /* bytes of it */
    int64_t time_count;
    FILE *stats_file;
    char *stats_name; /* what stats_file is called after avoiding clashes */

    /* Output frames that wait for their scores, oldest first. */
    AVFrame *held[VMAF_GPU_MAX_INFLIGHT + 1];
    int held_count;
    int segment_open; /* pairs were submitted since the last flush */
    int64_t last_pts; /* of the output */

    /* Counters. events and outputs tell activate() whether to go on. */
    int64_t events, outputs;
    int64_t pairs;     /* submitted */
    int64_t collected; /* final */
    int64_t scored;    /* final, and not left out by n_subsample */
    int64_t repeated_main, repeated_reference;
    int64_t repeated_ended; /* part of repeated_reference: it had no more frames */
    int64_t previous_pts[VMAF_GPU_NB_INPUTS];
    AVRational time_base[VMAF_GPU_NB_INPUTS]; /* of the links, which may be gone in uninit() */
    int64_t start_time; /* of the first pair, in microseconds */
    int warned_range;

    int error;      /* what activate() failed with: no score after that */
    int drained;    /* the end of the stream was handled */
    int finished;   /* the log was written */
    double *pooled; /* final score of each model, once there is one */
} VmafGpuFilter;

/* ------------------------------------------------- vf_vmaf_gpu_options.c */

/** Check every option, load the models. Needs no device; one message per error. */
int ff_vmafgpu_parse_options(AVFilterContext *ctx);

/** Free what ff_vmafgpu_parse_options() made. */
void ff_vmafgpu_free_options(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_engine.c */

/** Open the engine for pictures of the size of the main link. */
int ff_vmafgpu_open_engine(AVFilterContext *ctx, int depth);

/* -------------------------------------------------- vf_vmaf_gpu_format.c */

/** Formats: one list for main and output, one for the reference. */
int ff_vmafgpu_query_formats(AVFilterContext *ctx);

/** Luma is a plane of its own, of 8 to 16 bits, in native byte order. */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc);

/** VAAPI or DRM_PRIME. */
int ff_vmafgpu_is_drm(enum AVPixelFormat format);

/** The pool of the link's hardware frames, or NULL. */
const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link);

/** The link's format, or what its hardware frames hold. */
enum AVPixelFormat ff_vmafgpu_software_format(AVFilterLink *link);

/** Bits per luma sample of a configured link. */
int ff_vmafgpu_link_depth(AVFilterLink *link);

/** VmafGpuChroma of both inputs; 400 if they differ or the engine cannot read it. */
int ff_vmafgpu_common_chroma(AVFilterContext *ctx);

/** Depth, shift and planes of a picture whose samples lie as desc says. */
void ff_vmafgpu_describe_planes(VmafGpuPicture *picture, const AVFrame *frame,
                                const AVPixFmtDescriptor *desc);

/* ------------------------------------------------- vf_vmaf_gpu_picture.c */

/** The frame must be what its link was configured for. */
int ff_vmafgpu_check_frame(AVFilterContext *ctx, int input, const AVFrame *frame);

/** Describe a frame to the engine; the picture holds a reference of its own. */
int ff_vmafgpu_wrap_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                          const AVFrame *frame);

/** Give up a picture that the engine did not take. */
void ff_vmafgpu_unwrap(VmafGpuPicture *picture);

/* ------------------------------------------------------ vf_vmaf_gpu_hw.c */

/** Frames pass through the filter: so does their pool. */
int ff_vmafgpu_pass_hw_frames(AVFilterLink *from, AVFilterLink *to);

/**
 * Point the settings at the device that the inputs' CUDA frames (or, failing those,
 * -filter_hw_device) lie on. 1: frames decide the backend, 0: they do not.
 */
int ff_vmafgpu_use_hw_device(AVFilterContext *ctx, VmafGpuSettings *settings);

/** Refuse an input of hardware frames that says nothing of them. */
int ff_vmafgpu_check_hw_link(AVFilterContext *ctx, int input);

/** Refuse a hardware frame that is not of its input's kind and device. */
int ff_vmafgpu_check_hw_frame(AVFilterContext *ctx, int input, const AVFrame *frame);

/** Memory, layout and depth of a CUDA frame. */
void ff_vmafgpu_describe_hw_frame(VmafGpuPicture *picture, const AVFrame *frame);

/* ----------------------------- vf_vmaf_gpu_drm.c, vf_vmaf_gpu_import.c */

/** Where backend= and device= leave it open: prefer the GPU that such frames are on. */
void ff_vmafgpu_choose_drm_device(AVFilterContext *ctx, char *selector, size_t size);

/** Prepare for such frames, once the engine is open. */
int ff_vmafgpu_init_drm(AVFilterContext *ctx);

/** Describe such a frame to the engine, in place or as a download, and hold it. */
int ff_vmafgpu_wrap_drm_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                              const AVFrame *frame);

/** Free what ff_vmafgpu_init_drm() made, after the engine is closed. */
void ff_vmafgpu_free_drm(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_report.c */

/** Name the metadata, open the stats file, see whether the log can be written. */
int ff_vmafgpu_open_reports(AVFilterContext *ctx);

/** One pair became final: stats line, and metadata on frame unless NULL. */
int ff_vmafgpu_report_result(AVFilterContext *ctx, const VmafGpuResult *result, AVFrame *frame);

/** End of the run: summary, warnings, log, pooled scores. Only the first call acts. */
int ff_vmafgpu_finish(AVFilterContext *ctx);

/** The score lines: the last thing to be printed, so not before uninit(). */
void ff_vmafgpu_print_scores(AVFilterContext *ctx);

/** Free what ff_vmafgpu_open_reports() made. */
void ff_vmafgpu_close_reports(VmafGpuFilter *s);

#endif /* AVFILTER_VF_VMAF_GPU_H */
