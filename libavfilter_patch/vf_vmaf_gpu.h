/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of one vmaf_gpu filter, and what its files share. vf_vmaf_gpu.c
 * gives frames to libvmaf_gpu, which pairs and scores them, and sends them on;
 * vf_vmaf_gpu_setup.c has everything before the first frame. Other files are
 * optional: they add kinds of frames (VmafGpuFrames) and conversions.
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

#ifndef AVFILTER_VMAF_GPU_H
#define AVFILTER_VMAF_GPU_H

#include <stdint.h>

#include <vmaf_gpu/run.h>

#include "libavutil/frame.h"
#include "libavutil/hwcontext.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"

#include "avfilter.h"
#include "filters.h"
#include "formats.h"

/* More would exhaust the fixed surface pools of hardware decoders. */
#define VMAF_GPU_MAX_INFLIGHT 16

/* VMAFGPU_MAIN and VMAFGPU_REFERENCE. */
#define VMAF_GPU_NB_INPUTS 2

/* A text that names one of its option's constants, in any case. */
typedef struct VmafGpuWord {
    char *text;
    const AVOption *constant; /* set by init() */
} VmafGpuWord;

typedef struct VmafGpuOptions {
    char *model, *feature, *device, *offset, *chunk, *shots;
    VmafGpuWord log_fmt, pool, compat, backend;
    int scales;
#if VMAF_GPU_FORMATS
    int as_is, deeper, csv_strict;
#endif
    VmafGpuPairingSettings pairing; /* not only from options */
    VmafGpuRunSettings run;         /* likewise */
    int n_threads, n_subsample;
    int inflight, metadata;
#if VMAF_GPU_OLD_OPTIONS /* deprecated, still accepted */
    char *model_path;
    int enable_transform, phone_model;
    int psnr, ssim, ms_ssim, conf_interval;
#endif
} VmafGpuOptions;

typedef struct VmafGpuFilter {
    const AVClass *class;
    VmafGpuOptions opt;

    /* Set by init(), from the options. */
    VmafGpuChoice *choice; /* models and features */
    char *options;         /* the options that are not at their defaults */
    VmafGpuChunk range;    /* value of chunk= */

    /* Set by ff_vmafgpu_configure(). */
    VmafGpuContext *engine;
#if VMAF_GPU_SURFACES
    struct VmafGpuDrm *drm; /* vf_vmaf_gpu_hw.c's */
#endif
    VmafGpuInputs inputs; /* what links and frames say */
    VmafGpuPlace place;   /* place of the run, in the ffmpeg tool */
    const char *label;    /* name of the scores, if the graph has more such
                             filters */

    int64_t seen[VMAF_GPU_NB_INPUTS]; /* frames of each input */
    /* Main's frames, the oldest first: nb_held wait for scores, the rest for a
     * partner. */
    AVFrame **frames;
    int nb_frames, nb_held;
    int64_t main_frames; /* that went to the engine */
    int has_pairs;

    int is_wanted; /* activate() ends by asking for a frame */
    int error;     /* what activate() failed with; no score is printed then */
    int failure;   /* a status to end with, once all frames are sent */
    int finished;  /* the log was written */
} VmafGpuFilter;

/* ------------------------------------------------------ vf_vmaf_gpu_setup.c */

extern const AVOption ff_vmafgpu_options[];

/** Check every option and load the models. Logs one message on error. */
int ff_vmafgpu_read_options(AVFilterContext *ctx);

int ff_vmafgpu_query_formats(AVFilterContext *ctx);

/** Check the inputs, configure the output, open the engine and its files. */
int ff_vmafgpu_configure(AVFilterLink *outlink);

/**
 * Describe a frame to the engine, and hold it. A main frame of CUDA becomes a
 * copy in the output's own pool. Fails if the frame is not as its link says.
 * Call picture->release() if the engine does not take it.
 */
int ff_vmafgpu_wrap(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                    AVFrame **frame);

/** Whether luma is a plane of its own, 8 to 16 bits, in native byte order. */
int ff_vmafgpu_is_supported(const AVPixFmtDescriptor *desc);

/** Every format that can be read, hardware frames, too. NULL: no memory. */
AVFilterFormats *ff_vmafgpu_supported_formats(void);

/** The pool of the link's hardware frames, or NULL. */
const AVHWFramesContext *ff_vmafgpu_hw_frames(AVFilterLink *link);

/** The link's format, or the software format of its hardware frames. */
enum AVPixelFormat ff_vmafgpu_software_format(AVFilterLink *link);

/** A picture of a frame with samples of that format. It frees the frame. */
void ff_vmafgpu_describe_frame(VmafGpuPicture *picture, AVFrame *frame,
                               enum AVPixelFormat format);

#if VMAF_GPU_SURFACES
/** Frames in memory that needs more than a pointer. */
extern const struct VmafGpuFrames {
    /** Their formats; AV_PIX_FMT_NONE ends the list. */
    enum AVPixelFormat formats[5];
    /** Select the device of the frames, if backend= allows it. 1: selected. */
    int (*probe)(AVFilterContext *ctx, int input, char *selector, size_t size);
    /** As ff_vmafgpu_wrap(), which has set the size. */
    int (*wrap)(AVFilterContext *ctx, VmafGpuPicture *picture, int input,
                const AVFrame *frame);
    /** Free the state of the frames of both inputs. */
    void (*free)(VmafGpuFilter *s);
} ff_vmafgpu_surfaces;
#endif

#if VMAF_GPU_FORMATS
extern const struct VmafGpuConversion {
    /** As formats= and depth= say. 0: every format that can be read will do. */
    int (*set_formats)(AVFilterContext *ctx);
    /** What a link's frames were before conversions. *input: what they are. */
    void (*describe_original)(AVFilterLink *link, VmafGpuInput *input);
} ff_vmafgpu_conversion;
#endif

#endif /* AVFILTER_VMAF_GPU_H */
