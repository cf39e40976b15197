/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of one vmaf_gpu filter, and the functions that its files share:
 * vf_vmaf_gpu.c (pairing and holding frames; read it first), _options.c (option
 * texts to values), _engine.c (opening the engine), _picture.c (AVFrame to engine
 * picture), _hw.c and _drm.c (frames on a GPU), _import.c (memory of another
 * driver), _format.c (pixel formats), _report.c (metadata, stats file, log, score
 * line). libvmaf_gpu computes the scores.
 *
 * Calls go in one direction only (tests/lint/filter_files.py): vf_vmaf_gpu.c calls
 * all; _engine.c and _picture.c call _hw.c and _drm.c; _drm.c calls _import.c;
 * _format.c calls no other file.
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

/** Options as the user wrote them. ff_vmafgpu_parse_options() checks them. */
typedef struct VmafGpuOptions {
    char *model, *feature;
    char *log_path, *log_fmt, *stats_path;
    char *pool, *precision, *compat;
    char *backend, *device;
    int n_threads, n_subsample;
    int inflight, metadata;
    char *model_path;                       /* deprecated, still accepted */
    int enable_transform, phone_model;      /* deprecated, still accepted */
    int psnr, ssim, ms_ssim, conf_interval; /* an error with a hint */
} VmafGpuOptions;

/* VAAPI and DRM_PRIME inputs: see vf_vmaf_gpu_drm.h. */
typedef struct VmafGpuDrm VmafGpuDrm;

typedef struct VmafGpuFilter {
    const AVClass *class;
    FFFrameSync fs;
    VmafGpuOptions opt;

    /* Set by init(), from the options. */
    VmafGpuModel **models;
    int model_count;
    VmafGpuFeature *features;
    int feature_count;
    const char *log_format, *backend; /* as the engine spells them */
    int pool, precision, compat;

    /* Set by config_output(). */
    VmafGpuContext *engine;
    VmafGpuDrm *drm;
    char **metadata_keys; /* one per score series */
    int score_count;
    double *times;       /* seconds of the pairs collected, for log_fmt=html */
    unsigned times_size; /* bytes of it */
    int64_t time_count;
    FILE *stats_file;
    char *stats_name; /* the name in use; differs from the option if that was taken */

    /* Output frames that wait for their scores, oldest first. */
    AVFrame *held[VMAF_GPU_MAX_INFLIGHT + 1];
    int held_count;
    int segment_open; /* pairs were submitted since the last flush */
    int64_t last_pts; /* of the output */

    /* Counters. activate() repeats while events grow and outputs do not. */
    int64_t events, outputs;
    int64_t pairs;     /* submitted */
    int64_t collected; /* final */
    int64_t scored;    /* final, and not left out by n_subsample */
    int64_t repeated_main, repeated_reference;
    int64_t repeated_ended; /* those of repeated_reference after the input's end */
    int64_t previous_pts[VMAF_GPU_NB_INPUTS];
    AVRational time_base[VMAF_GPU_NB_INPUTS]; /* of the links, which may be gone in uninit() */
    int64_t start_time; /* of the first pair, in microseconds */
    int warned_range;

    int error;      /* the error of activate(); no score is printed after one */
    int drained;    /* the end of the stream was handled */
    int finished;   /* the log was written */
    double *pooled; /* final score of each model, once there is one */
} VmafGpuFilter;

/* ------------------------------------------------- vf_vmaf_gpu_options.c */

/** Check every option and load the models. Needs no device. Logs one message on error. */
int ff_vmafgpu_parse_options(AVFilterContext *ctx);

/** Free what ff_vmafgpu_parse_options() allocated. */
void ff_vmafgpu_free_options(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_engine.c */

/** Open the engine for pictures of the size of the main link. */
int ff_vmafgpu_open_engine(AVFilterContext *ctx, int depth);

/* -------------------------------------------------- vf_vmaf_gpu_format.c */

/** Set the formats: one list for main and output, one for the reference. */
int ff_vmafgpu_query_formats(AVFilterContext *ctx);

/** Whether luma is a plane of its own, of 8 to 16 bits, in native byte order. */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc);

/** Whether the format is VAAPI or DRM_PRIME. */
int ff_vmafgpu_is_drm(enum AVPixelFormat format);

/** The pool of the link's hardware frames, or NULL. */
const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link);

/** The link's format, or the software format of its hardware frames. */
enum AVPixelFormat ff_vmafgpu_software_format(AVFilterLink *link);

/** Bits per luma sample of a configured link. */
int ff_vmafgpu_link_depth(AVFilterLink *link);

/** VmafGpuChroma of both inputs; 400 if they differ or the engine cannot read it. */
int ff_vmafgpu_common_chroma(AVFilterContext *ctx);

/** Set depth, shift and planes of a picture whose samples are laid out as desc says. */
void ff_vmafgpu_describe_planes(VmafGpuPicture *picture, const AVFrame *frame,
                                const AVPixFmtDescriptor *desc);

/* ------------------------------------------------- vf_vmaf_gpu_picture.c */

/** Fail if the frame's size or format is not that of its link. */
int ff_vmafgpu_check_frame(AVFilterContext *ctx, int input, const AVFrame *frame);

/** Describe a frame to the engine. The picture holds its own reference to the frame. */
int ff_vmafgpu_wrap_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                          const AVFrame *frame);

/** Release a picture that the engine did not accept. */
void ff_vmafgpu_unwrap(VmafGpuPicture *picture);

/* ------------------------------------------------------ vf_vmaf_gpu_hw.c */

/** Hand the pool of hardware frames on, since the frames pass through the filter. */
int ff_vmafgpu_pass_hw_frames(AVFilterLink *from, AVFilterLink *to);

/**
 * Set the device of the settings to that of the inputs' CUDA frames, or else to that
 * of -filter_hw_device. 1: the frames decide the backend, 0: they do not.
 */
int ff_vmafgpu_use_hw_device(AVFilterContext *ctx, VmafGpuSettings *settings);

/** Fail if the input has hardware frames but no hw_frames_ctx. */
int ff_vmafgpu_check_hw_link(AVFilterContext *ctx, int input);

/** Fail if a hardware frame is not of its input's pool and device. */
int ff_vmafgpu_check_hw_frame(AVFilterContext *ctx, int input, const AVFrame *frame);

/** Set memory, layout and depth of a picture from a CUDA frame. */
void ff_vmafgpu_describe_hw_frame(VmafGpuPicture *picture, const AVFrame *frame);

/* -------------------------------------------------- vf_vmaf_gpu_import.c */

/** If backend= and device= allow it, select the GPU of the VAAPI or DRM_PRIME frames. */
void ff_vmafgpu_choose_drm_device(AVFilterContext *ctx, char *selector, size_t size);

/* ----------------------------------------------------- vf_vmaf_gpu_drm.c */

/** Prepare for VAAPI and DRM_PRIME frames. The engine must be open. */
int ff_vmafgpu_init_drm(AVFilterContext *ctx);

/** Describe such a frame to the engine, in place or downloaded, and hold it. */
int ff_vmafgpu_wrap_drm_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                              const AVFrame *frame);

/** Free what ff_vmafgpu_init_drm() allocated. The engine must be closed. */
void ff_vmafgpu_free_drm(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_report.c */

/** Name the metadata, open the stats file, check that the log can be written. */
int ff_vmafgpu_open_reports(AVFilterContext *ctx);

/** A pair is final: write its stats line, and attach metadata to frame if not NULL. */
int ff_vmafgpu_report_result(AVFilterContext *ctx, const VmafGpuResult *result, AVFrame *frame);

/** End of the run: summary, warnings, log, pooled scores. Only the first call does it. */
int ff_vmafgpu_finish(AVFilterContext *ctx);

/** Print the score lines. They must be the last output, so only uninit() calls this. */
void ff_vmafgpu_print_scores(AVFilterContext *ctx);

/** Free what ff_vmafgpu_open_reports() allocated. */
void ff_vmafgpu_close_reports(VmafGpuFilter *s);

#endif /* AVFILTER_VF_VMAF_GPU_H */
