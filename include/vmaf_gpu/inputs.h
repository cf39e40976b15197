/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * What the two inputs are, before their pictures become samples: which of them has to be converted,
 * and what makes their comparison doubtful. The rules are those of FFmpeg from 7.0 on for its
 * filter libvmaf, so that a score does not depend on the program that asks. docs/user/inputs.md has
 * them. Plain C99; no context is needed. vmaf_gpu.h includes this file.
 *
 *     VmafGpuInputs inputs;
 *     vmafgpu_inputs_default(&inputs);
 *     inputs.input[i] = what the decoder says of input i;
 *     vmafgpu_inputs_plan(&inputs);
 *     let FFmpeg convert input i by inputs.filter[i], unless that is "";
 *     inputs.advise = a function that words advice for the users of the program;
 *     if (vmafgpu_inputs_check(&inputs, &error) < 0)
 *         fail(error.text);
 */
#ifndef VMAF_GPU_INPUTS_H
#define VMAF_GPU_INPUTS_H

#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The first frame of an input. Texts are FFmpeg's names; NULL, "" and "unknown": there is no tag.
 */
typedef struct VmafGpuInput {
    char format[32];                              /**< pixel format, as in "yuv420p10le" */
    char range[16];                               /**< "tv" or "pc" */
    char matrix[32], primaries[32], transfer[32]; /**< "bt709" */
    int width, height;
    int stored_width, stored_height; /**< before the container's cropping; 0: not known */
    int sar_num, sar_den;            /**< shape of a pixel; 0: not known */
    int is_interlaced;
    int is_turned;   /**< FFmpeg turns or mirrors the pictures: a filter of its own comes first */
    int is_hardware; /**< the frames are a decoder's surfaces: FFmpeg cannot convert them */
    int has_grain;   /**< the decoder adds film grain that the stream describes */
    int is_bottom_first;    /**< 1 if the frame is interlaced and its lower field is the earlier one
                             */
    int rate_num, rate_den; /**< frames per second; 0: not known */
    int has_own_colours; /**< Dolby Vision of profile 5 or 10.0: no other decoder has its colours */
    char streams[64]; /**< videos of the file that are no covers, "0,1"; "": not known, or a pipe */
    int stream;       /**< which of them the frames are from, as ffmpeg counts all streams */
    int is_named;     /**< the user named it */
} VmafGpuInput;

/**
 * What is wrong with the inputs, and what helps: all that is not "" helps by itself, except that
 * filters of both inputs belong together.
 */
typedef struct VmafGpuAdvice {
    int level;             /**< VmafGpuLogLevel; VMAFGPU_LOG_ERROR: the inputs are refused */
    const char *text;      /**< in words, for every program */
    const char *filter[2]; /**< FFmpeg's filters for an input, behind those that it has */
    const char *option[2]; /**< FFmpeg's options for an input, before its -i */
    const char *model;     /**< name of the built-in model to take instead */
    int is_scaling_enough; /**< 1: the program may scale main to the size of the reference */
} VmafGpuAdvice;

typedef struct VmafGpuInputs {
    uint32_t struct_size;
    int is_as_is;   /**< 1: nothing is converted, as with the filter's formats=asis; default 0 */
    int is_scaling; /**< 1: sizes may differ; default 0 */
    int depth;      /**< set by plan: bits of the samples that are compared */
    VmafGpuInput input[2];     /**< VMAFGPU_MAIN, VMAFGPU_REFERENCE */
    VmafGpuInput compared[2];  /**< set by plan, or by a caller that converts by itself */
    char filter[2][128];       /**< set by plan: FFmpeg's filter that converts, or "" */
    int needs_ffmpeg_7;        /**< set by plan: 1 if `filter` needs FFmpeg 7.0 */
    int model_count;           /**< length of `models` */
    const char *const *models; /**< names of the built-in models that are used */
    void (*advise)(void *opaque, const VmafGpuAdvice *advice); /**< called by check; or NULL */
    void *advise_opaque;
} VmafGpuInputs;

VMAFGPU_API void vmafgpu_inputs_default(VmafGpuInputs *inputs);

/** Decide what is converted. */
VMAFGPU_API int vmafgpu_inputs_plan(VmafGpuInputs *inputs);

/**
 * Refuse sizes that cannot be compared (-EINVAL), and advise on what makes a score doubtful or is
 * left out. A refusal is advice, too, with the same text as in `error`.
 */
VMAFGPU_API int vmafgpu_inputs_check(const VmafGpuInputs *inputs, VmafGpuError *error);

/**
 * Tell a context what its pictures are, before the first pair. Features that read colours, which is
 * ssimulacra2, take matrix and range of `compared` where their options leave them open, and log it.
 * Without this call there are no tags. Later calls, for tags that change in mid-stream, must ask
 * for the same reading. -EINVAL: they do not; a feature cannot take these colours (HDR, BT.2020,
 * alpha); or the first call came after a pair.
 */
VMAFGPU_API int vmafgpu_set_inputs(VmafGpuContext *ctx, const VmafGpuInputs *inputs,
                                   VmafGpuError *error);

/** Read "format=yuv420p:range=tv:size=640x360:sar=1/1:streams=0,1:stream=1": fields as in
 * VmafGpuInput. -EINVAL. */
VMAFGPU_API int vmafgpu_input_parse(VmafGpuInput *input, const char *text);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_INPUTS_H */
