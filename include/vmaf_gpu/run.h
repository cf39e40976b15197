/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * For programs that show the scores of a run as they come, such as the filter of FFmpeg: models
 * and features from text, numbers and lines as text, warnings, a score that the run has to reach,
 * parts of a run. Plain C99. Include it where it is used: vmaf_gpu.h does not.
 */
#ifndef VMAF_GPU_RUN_H
#define VMAF_GPU_RUN_H

#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Models and features, from texts as FFmpeg's filter libvmaf takes them. Made by the functions
 * below. */
typedef struct VmafGpuChoice {
    VmafGpuModel *const *models;
    int model_count;
    const char *const *builtins; /**< names of the built-in ones among the models, for inputs.h */
    int builtin_count;
    const VmafGpuFeature *features;
    int feature_count;
} VmafGpuChoice;

/**
 * Add the models of "version=NAME:name=NAME:KEY=VALUE|path=FILE". ':' and '|' have no meaning
 * behind '\\' or between two '\''. *choice is NULL before the first call. -EINVAL, or as
 * vmafgpu_model_load(): what was added before stays.
 */
VMAFGPU_API int vmafgpu_choose_models(VmafGpuChoice **choice, const char *text,
                                      VmafGpuError *error);

/** Likewise the features of "name=NAME:OPTION=VALUE|name=NAME". */
VMAFGPU_API int vmafgpu_choose_features(VmafGpuChoice **choice, const char *text,
                                        VmafGpuError *error);

/** Free a choice and set *choice to NULL. Contexts that were opened with it stay. */
VMAFGPU_API void vmafgpu_choice_free(VmafGpuChoice **choice);

/**
 * Print a number to out, at most size bytes with the NUL. digits, 0 to 17, is the number of digits
 * after the '.', which is the same in every locale. Returns the length without the NUL; -ENOSPC:
 * out is too small.
 */
VMAFGPU_API int vmafgpu_format_number(char *out, size_t size, double value, int digits);

/**
 * Print score i of a result as it stands in the metadata of frames: as vmafgpu_format_score() does,
 * but precision 6 always gives six digits.
 */
VMAFGPU_API int vmafgpu_format_result(char *out, size_t size, const VmafGpuResult *result, int i,
                                      int precision);

/**
 * A result as a line of statistics, "n:1 pts:512 ref_pts:512 vmaf:93.123456 ...\n". pts is its
 * time, ref_pts its reference_tag unless that is VMAFGPU_NO_TIME. *line is valid until the next
 * call on ctx.
 */
VMAFGPU_API int vmafgpu_stats_line(VmafGpuContext *ctx, const VmafGpuResult *result, int precision,
                                   const char **line);

/** Add a warning of the caller to those that vmafgpu_describe_run() gives. */
VMAFGPU_API void vmafgpu_keep_warning(VmafGpuContext *ctx, const char *text);

/**
 * Set the fields of *run that the context knows. These are the warnings that the log callback got,
 * and with VmafGpuPairingSettings.is_part also those that count 0 frames, because merging adds up
 * the counts of all parts. With settings.pairing they are also the times of the pairs and their
 * time base, unless the log is streamed. Valid until the next call on ctx. After vmafgpu_reset()
 * the warnings are those of opening and of the new run. -EINVAL: struct_size is not set.
 */
VMAFGPU_API int vmafgpu_describe_run(VmafGpuContext *ctx, VmafGpuRun *run);

/**
 * The run fails if a pooled score is less than a limit: "93", of the first model, or "NAME:93".
 * -EINVAL: it is neither, or there is no such score.
 */
VMAFGPU_API int vmafgpu_set_limit(VmafGpuContext *ctx, const char *text, VmafGpuError *error);

/** 0: the score is not below the limit, or there is no limit. -ERANGE: it is, or there is no score.
 */
VMAFGPU_API int vmafgpu_check_limit(VmafGpuContext *ctx, int pool, VmafGpuError *error);

/**
 * Read a chunk from text: FIRST-BEGIN, FIRST-BEGIN-END or FIRST-BEGIN-END-TOTAL. END and TOTAL may
 * be 0 or left out. -EINVAL: the text is none of these.
 */
VMAFGPU_API int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error);

/**
 * Which pairs of settings.chunk are missing, as a sentence. NULL: none is, or there is no chunk.
 * Only with settings.pairing; call vmafgpu_finish() first. Valid until the next call on ctx.
 */
VMAFGPU_API const char *vmafgpu_chunk_lacks(VmafGpuContext *ctx);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_RUN_H */
