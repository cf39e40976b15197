/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of one vmaf_gpu filter, and the functions that its files share:
 * vf_vmaf_gpu.c (frames, pairs and scores; read it first), _options.c (option texts to
 * values), _chunk.c (a part of a run), _engine.c (opening the engine), _picture.c (AVFrame
 * to engine picture), _hw.c and _drm.c (frames on a GPU), _layout.c (where their samples
 * are), _import.c (memory of another driver), _vaapi.c, _vulkan.c and _vulkan_copy.c
 * (copies on the GPU), _verify.c (surfaces against their downloads), _format.c (pixel
 * formats), _compare.c and _colour.c (comparisons that mean little), _report.c (metadata,
 * stats file, log, score line). libvmaf_gpu pairs the frames and computes the scores.
 *
 * Calls go in one direction only (tests/lint/filter_files.py): vf_vmaf_gpu.c calls all;
 * _end.c calls _report.c; _engine.c and _picture.c call _hw.c and _drm.c; _drm.c calls
 * _layout.c, _import.c, _vaapi.c, _vulkan.c and _verify.c; that and _picture.c call
 * _format.c; _picture.c calls _colour.c, that _compare.c, that _format.c and _options.c;
 * these two and _chunk.c call no other file; others call _chunk.c.
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

#include <limits.h>
#include <stdint.h>

#include <vmaf_gpu/vmaf_gpu.h>

#include "libavfilter/avfilter.h"

#include "libavutil/attributes.h"
#include "libavutil/bprint.h"
#include "libavutil/fifo.h"
#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/pixdesc.h"
#include "libavutil/pixfmt.h"

#include "vf_vmaf_gpu_chunk.h"
#include "vf_vmaf_gpu_shim.h"

/* More would exhaust the fixed surface pools of hardware decoders. */
#define VMAF_GPU_MAX_INFLIGHT 16

#define VMAF_GPU_DEFAULT_MODEL "vmaf_v0.6.1"
#define VMAF_GPU_DEFAULT_MODEL_CFG "version=" VMAF_GPU_DEFAULT_MODEL

enum { VMAF_GPU_MAIN = VMAFGPU_MAIN, VMAF_GPU_REFERENCE = VMAFGPU_REFERENCE, VMAF_GPU_NB_INPUTS };

/** Options as the user wrote them. ff_vmafgpu_parse_options() checks them. */
typedef struct VmafGpuOptions {
    char *model, *feature;
    char *log_path, *log_fmt, *csv, *title, *stats_path;
    char *log_written; /* exported: the name in use, if log_path was taken */
    char *pool, *precision, *compat;
    char *formats, *depth, *scale;
    char *backend, *device;
    char *pair, *fail_below;
    char *offset, *chunk;
    int eof_action, shortest, repeatlast, ts_sync_mode; /* as framesync has them */
    int strict, overwrite;
    int n_threads, n_subsample;
    int inflight, metadata;
    char *model_path;                       /* deprecated, still accepted */
    int enable_transform, phone_model;      /* deprecated, still accepted */
    int psnr, ssim, ms_ssim, conf_interval; /* likewise */
} VmafGpuOptions;

/* VAAPI, DRM_PRIME and Vulkan inputs: see vf_vmaf_gpu_drm.h. */
typedef struct VmafGpuDrm VmafGpuDrm;

/* What a frame says of its samples. */
typedef struct VmafGpuTags {
    int is_known, is_interlaced;
    enum AVColorRange range;
    enum AVColorPrimaries primaries;
    enum AVColorTransferCharacteristic transfer;
    enum AVColorSpace matrix;
} VmafGpuTags;

/* A main frame that the engine has not returned yet. */
typedef struct VmafGpuWaiting {
    AVFrame *frame;
    int64_t number; /* in its input, from 0 */
} VmafGpuWaiting;

typedef struct VmafGpuFilter {
    const AVClass *class;
    VmafGpuOptions opt;

    /* Set by init(), from the options. */
    VmafGpuModel **models;
    const char **builtin_names; /* of each model; NULL if it is not a built-in one */
    int model_count;
    VmafGpuFeature *features;
    int feature_count;
    int first_features;                     /* of features: those of old options */
    const char *log_format, *backend; /* as the engine spells them */
    int pool, precision, compat;
    int csv_strict;
    int as_is, deeper; /* formats=asis, depth=deeper */
    int scales;        /* scale=bicubic */
    int pair; /* VmafGpuPairingRule */
    int offset, has_offset;
    VmafGpuChunkState chunk;
    char *fail_name;       /* score that fail_below= is about; NULL: the first model's */
    double fail_limit;     /* NAN: none */

    void *c_locale; /* with a decimal point; NULL until it is needed */

    /* Set by config_output(). */
    VmafGpuContext *engine;
    int depth; /* of the engine */
    VmafGpuDrm *drm;
    AVBufferRef *main_pool; /* hardware frames that leave the filter; see _hw.c */
    int has_fixed_pool;     /* main's surfaces are few, so that hardly any may wait */
    char **metadata_keys; /* one per score series */
    int score_count;
    const char *format_names[VMAF_GPU_NB_INPUTS]; /* of the links */
    int64_t *pts;       /* of the pairs collected, the chunk's first one first; for logs that have times */
    unsigned pts_size;  /* bytes of it */
    int64_t pts_count;
    char **warnings;    /* that were given, without those of pairs */
    int warning_count;
    VmafGpuOutput *log, *stats;
    int stats_error; /* of the first line that could not be written */

    AVFifo *waiting;   /* VmafGpuWaiting, the oldest first */
    int64_t main_frames; /* that went to the engine */
    int is_stopped;    /* from outside, so that frames may be missing in the counts */
    int is_finishing;  /* the engine speaks about the pairs */

    /* Output frames that wait for their scores, oldest first. */
    AVFrame *held[VMAF_GPU_MAX_INFLIGHT + 1];
    int held_count;

    int64_t outputs;   /* frames sent */
    int64_t submitted; /* pairs */
    int64_t collected; /* final */
    int64_t scored;    /* final, and not left out by n_subsample */
    /* Of the links, which may be gone in uninit(). */
    AVRational time_base[VMAF_GPU_NB_INPUTS], frame_rate[VMAF_GPU_NB_INPUTS];
    int64_t start_time; /* of the first pair, in microseconds */
    VmafGpuTags tags[VMAF_GPU_NB_INPUTS]; /* of the first frames */

    int is_wanted;  /* at the end of activate(): a frame is asked for */
    int error;      /* the error of activate(); no score is printed after one */
    int failure;    /* a status to end with, once all frames are sent */
    int drained;    /* the end of the stream was handled */
    int finished;   /* the log was written */
    int number;     /* of the filter in its graph: greater than those before it */
    AVFilterGraph *graph; /* in uninit() the filter is no longer in it */
    int is_lone;    /* no other filter of this kind is in the graph */
    int is_printed; /* the score lines */
    double *pooled; /* final score of each model, once there is one */
} VmafGpuFilter;

/* ------------------------------------------------- vf_vmaf_gpu_options.c */

/** Check every option and load the models. Needs no device. Logs one message on error. */
int ff_vmafgpu_parse_options(AVFilterContext *ctx);

/** The engine's own text of the name of a built-in model, or NULL if there is none. */
const char *ff_vmafgpu_find_builtin(const char *version);

/** Free what ff_vmafgpu_parse_options() allocated. */
void ff_vmafgpu_free_options(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_engine.c */

/** Open the engine for pictures of the size of the main link. */
int ff_vmafgpu_open_engine(AVFilterContext *ctx, int depth);

/* -------------------------------------------------- vf_vmaf_gpu_format.c */

/** Set the formats, so that libavfilter converts as formats= and depth= say. */
int ff_vmafgpu_query_formats(AVFilterContext *ctx);

/** Whether luma is a plane of its own, of 8 to 16 bits, in native byte order. */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc);

/** The link before the converters that libavfilter inserted by itself. */
AVFilterLink *ff_vmafgpu_unconverted(AVFilterLink *link);

/** Whether main frames cannot wait: their decoder has a fixed number of surfaces. */
int ff_vmafgpu_has_fixed_pool(AVFilterLink *link);

/** Whether the format is VAAPI, DRM_PRIME or Vulkan, or D3D11, which is always downloaded. */
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

/* ------------------------------------------------- vf_vmaf_gpu_compare.c */

/**
 * Fail if the inputs cannot be compared, and warn if that means little. The depth at
 * which they are compared is that of the deeper input; the engine promotes the other.
 */
int ff_vmafgpu_compare_links(AVFilterContext *ctx, int *depth);

/**
 * Add ", e.g. GRAPH" to a message: a filter graph with these filters before main and
 * reference, NULL for none. Filters for pictures in memory do not help hardware frames,
 * which get no example.
 */
void ff_vmafgpu_add_example(AVBPrint *text, AVFilterContext *ctx, const char *const filters[]);

/* -------------------------------------------------- vf_vmaf_gpu_colour.c */

/**
 * Note what a frame says. Once the first frames of both inputs are known: warn of what
 * only frames tell, ranges, fields and colours.
 */
void ff_vmafgpu_compare_frame(AVFilterContext *ctx, int input, const AVFrame *frame);

/* ------------------------------------------------- vf_vmaf_gpu_picture.c */

/**
 * Describe a frame to the engine, and hold it. Fails if its size or format is not that of its
 * link. Call picture->release() if the engine does not take it.
 */
int ff_vmafgpu_wrap_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                          const AVFrame *frame);

/* ------------------------------------------------------ vf_vmaf_gpu_hw.c */

/**
 * Give the output a pool of hardware frames: that of main, or for CUDA one of its own,
 * since a decoder has few surfaces and frames wait in the filter.
 */
int ff_vmafgpu_pass_hw_frames(AVFilterContext *ctx);

/** Replace a main frame of a decoder's pool by a copy in the output's own pool. */
int ff_vmafgpu_leave_pool(AVFilterContext *ctx, AVFrame **frame);

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

/**
 * ff_vmafgpu_verify_picture() if such a frame is the first one that was read in that way, else
 * VMAF_GPU_UNVERIFIED. VMAF_GPU_DIFFERENT: a warning is given, and frames are read otherwise.
 */
int ff_vmafgpu_verify_drm_frame(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                                const AVFrame *frame);

/** Free what ff_vmafgpu_init_drm() allocated. The engine must be closed. */
void ff_vmafgpu_free_drm(VmafGpuFilter *s);

/* -------------------------------------------------- vf_vmaf_gpu_verify.c */

enum {
    VMAF_GPU_EQUAL,
    VMAF_GPU_FLAT,       /* equal, but of one grey: the same in every layout */
    VMAF_GPU_UNVERIFIED, /* not compared: the picture is as it was */
    VMAF_GPU_DIFFERENT
};

/**
 * Compare the picture of a hardware frame with a download of the frame. It is released then: wrap
 * the frame again, unless the result is VMAF_GPU_UNVERIFIED. *differing: samples.
 */
int ff_vmafgpu_verify_picture(AVFilterContext *ctx, const AVFrame *frame, VmafGpuPicture *picture,
                              uint64_t *differing);

/** Make a software frame of the size and format of a hardware frame, unless *copy is one. */
int ff_vmafgpu_make_copy(const AVFrame *frame, AVFrame **copy);

/** Download a frame to *copy, which is made if it is NULL. */
int ff_vmafgpu_download(const AVFrame *frame, AVFrame **copy);

/* ----------------------------------------------------- vf_vmaf_gpu_log.c */

/** Log a warning, and keep it for the log of the run. The format has no newline. */
void ff_vmafgpu_warn(AVFilterContext *ctx, const char *format, ...) av_printf_format(2, 3);

/** Keep a warning for the log of the run only. */
void ff_vmafgpu_keep_warning(VmafGpuFilter *s, const char *text);

/** Keep the time of a pair, if the log has times. */
int ff_vmafgpu_keep_time(VmafGpuFilter *s, const VmafGpuResult *result);

/** The engine's name of the format of the log. */
const char *ff_vmafgpu_log_format(const VmafGpuFilter *s);

/** Have the engine write the log to the output that is open for it. */
int ff_vmafgpu_write_log(AVFilterContext *ctx, const VmafGpuPairing *pairing, double fps);

/** Free what these functions allocated. */
void ff_vmafgpu_free_log(VmafGpuFilter *s);

/* ----------------------------------------------------- vf_vmaf_gpu_end.c */

/** The engine logs its own failures. Only "nothing to collect" gets a message here. */
int ff_vmafgpu_engine_error(AVFilterContext *ctx, const char *doing, int ret);

/** Collect the scores of pairs whose frames are not held. */
int ff_vmafgpu_collect_ready(AVFilterContext *ctx, int wait);

/** The filter is about to be freed: report what was scored, unless that was done. */
void ff_vmafgpu_conclude(AVFilterContext *ctx);

/* -------------------------------------------------- vf_vmaf_gpu_report.c */

/** Whether FFmpeg 5.1 or 6.0 took "/x" of log_path=C:/x for the value of log_fmt. An error says how to write it. */
int ff_vmafgpu_check_log_path(AVFilterContext *ctx);

/** Name the metadata, open the log and the stats file. */
int ff_vmafgpu_open_reports(AVFilterContext *ctx);

/** A pair is final: write its stats line, and attach metadata to frame if not NULL. */
int ff_vmafgpu_report_result(AVFilterContext *ctx, const VmafGpuResult *result, AVFrame *frame);

/** End of the run: summary, warnings, log, pooled scores. Only the first call does it. */
int ff_vmafgpu_finish(AVFilterContext *ctx);

/** Whether a filter is a vmaf_gpu, too. */
int ff_vmafgpu_is_vmaf_gpu(const AVFilterContext *filter);

/** Note the graph of the filter. It must be complete. */
void ff_vmafgpu_note_graph(AVFilterContext *ctx);

/**
 * Print the score lines of all vmaf_gpu filters in the graph that have finished, in the
 * order of the graph. They must be the last output, so only uninit() calls this.
 */
void ff_vmafgpu_print_scores(AVFilterContext *ctx);

/** Free what ff_vmafgpu_open_reports() allocated. */
void ff_vmafgpu_close_reports(VmafGpuFilter *s);

#endif /* AVFILTER_VF_VMAF_GPU_H */
