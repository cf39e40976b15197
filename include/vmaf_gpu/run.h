/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * For programs that show the scores of a run as they come, such as the filter of FFmpeg: models,
 * features and parts of a run from text; what a run writes and says at its end, and whether it
 * fails. Plain C99. Include it where it is used: vmaf_gpu.h does not.
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

/** As VmafGpuInputs.log, with the context as log_opaque: pass a line of the caller to the log
 * callback. Warnings stand in the log of the run. */
VMAFGPU_API void vmafgpu_log(void *ctx, int level, const char *text);

/**
 * Read a chunk from text: FIRST-BEGIN, FIRST-BEGIN-END or FIRST-BEGIN-END-TOTAL. END and TOTAL may
 * be 0 or left out. -EINVAL: the text is none of these.
 */
VMAFGPU_API int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error);

/** Set has_offset and offset from text: a whole number, or "auto". -EINVAL: it is neither. */
VMAFGPU_API int vmafgpu_read_offset(VmafGpuPairingSettings *pairing, const char *text,
                                    VmafGpuError *error);

/**
 * Where a run stands in a program that may tear a filter down in mid-stream and set it up again.
 * The ffmpeg tool does so when the frames of an input change, and drops those that wait in its
 * graph.
 */
typedef struct VmafGpuPlace {
    char name[160];     /**< name of graph and filter; "": the program does no such thing */
    char stream[2][32]; /**< what feeds VMAFGPU_MAIN and VMAFGPU_REFERENCE, in the user's words */
    VmafGpuInput source[2]; /**< its frames; only size, format and tags */
} VmafGpuPlace;

/**
 * Before anything else of a run. -EINVAL: a run that began in this place has not ended by
 * VMAFGPU_FINISH_END, and would go on here without the frames that were dropped. The text says what
 * changed and what helps; the log of that run, if it has one, becomes an incomplete one.
 */
VMAFGPU_API int vmafgpu_run_enter(const VmafGpuPlace *place, VmafGpuError *error);

/** Another job begins in this process: forget all places. */
VMAFGPU_API void vmafgpu_run_forget(void);

/** What a run writes, and what it has to reach. Texts may be NULL but for log_format. They have to
 * stay until vmafgpu_run_end(). Set struct_size to sizeof(VmafGpuRunSettings). */
typedef struct VmafGpuRunSettings {
    uint32_t struct_size;
    int precision; /**< digits of log and statistics: 6 to 17, or VMAFGPU_PRECISION_MAX */
    int pool;      /**< VmafGpuPool of the final scores */
    int strict;    /**< 1: the run fails for what vmafgpu_pairing_fault() says */
    int overwrite; /**< 1: files may replace an input of this process, or what is no log */
    /**
     * html: 1: the page shows pictures of its worst pairs, if the pictures are in host memory.
     * The engine then has those of the worst pairs so far until vmafgpu_run_end(), so do not wait
     * for a release: at most of 10 pairs beside those in flight, with up to 8 models of 42.
     */
    int keep_pictures;
    const char *log_path;   /**< NULL: no log, and only what pooling needs is kept */
    const char *log_format; /**< as VmafGpuLog.format */
    /** For a line per pair, "n:1 pts:512 ref_pts:512 vmaf:93.123456 ...": its time, and the tag of
     * its reference frame unless that is VMAFGPU_NO_TIME. NULL: none */
    const char *stats_path;
    /** The run fails if a pooled score is less than "93", of the first model, or "NAME:93". */
    const char *fail_below;
    const char *title;         /**< VmafGpuLog.title */
    const char *options;       /**< VmafGpuRun.options */
    const VmafGpuPlace *place; /**< that vmafgpu_run_enter() was called for */
} VmafGpuRunSettings;

/**
 * Open the files of a run, before the first pair; only with settings.pairing. From now on
 * vmafgpu_collect() writes the statistics. -EINVAL, or as vmafgpu_output_open().
 */
VMAFGPU_API int vmafgpu_run_begin(VmafGpuContext *ctx, const VmafGpuRunSettings *settings);

/**
 * Call sink for each entry of the metadata of a result's main frame: ref_pts, shot, then the
 * scores. Scores are plain decimals, of precision 6 always with six digits; others are left out.
 * Not called if the pair does not count or was not scored.
 */
VMAFGPU_API int vmafgpu_run_each(VmafGpuContext *ctx, const VmafGpuResult *result,
                                 void (*sink)(void *opaque, const char *name, const char *value),
                                 void *opaque);

/** How far a run is. */
typedef struct VmafGpuProgress {
    int64_t total; /**< given: pairs that will come; 0: not known */
    int64_t done;  /**< pairs that were collected */
    double rate;   /**< pairs per second since the first one */
    double left;   /**< seconds; -1: not known */
    char text[96]; /**< all of it: "12 of 300 frames, 25.31 FPS, 0:00:11 left" */
} VmafGpuProgress;

/** Needs no vmafgpu_run_begin(), and no pairing. */
VMAFGPU_API int vmafgpu_run_progress(VmafGpuContext *ctx, VmafGpuProgress *progress);

/**
 * Which pairs have to be submitted for a chunk, of which only begin and end are read: from *first
 * on, which is its VmafGpuChunk.first; *last is the first one that is not needed any more, or -1 if
 * all that are left are. settings: the context's; of its device, callbacks and pairing nothing is
 * used. Fails as vmafgpu_open().
 */
VMAFGPU_API int vmafgpu_run_window(const VmafGpuSettings *settings, const VmafGpuChunk *chunk,
                                   int64_t *first, int64_t *last, VmafGpuError *error);

/**
 * As vmafgpu_write_log(), with what the context knows of the run where log does not say it: speed,
 * warnings, pixel formats of vmafgpu_set_inputs(), and with pairing what it counted and the times
 * of the pairs. VmafGpuRun.time_base_num of -1 without pts: no times. Needs no vmafgpu_run_begin().
 */
VMAFGPU_API int vmafgpu_run_write(VmafGpuContext *ctx, const VmafGpuLog *log);

/**
 * End a run, once: log a summary, vmafgpu_finish(reason), write the files, pool. failure: with
 * VMAFGPU_FINISH_FAILED, why; else NULL. -ERANGE: all is written, but there is no score, or what
 * was asked for is not reached. Else the first failure, which was logged. VMAFGPU_FINISH_STOPPED: a
 * warning says which times were scored, and which options of ffmpeg end a run so.
 */
VMAFGPU_API int vmafgpu_run_end(VmafGpuContext *ctx, int reason, const char *failure);

/** Log the final scores, if there are any. label: comes before the only score of the name "vmaf";
 * or NULL. */
VMAFGPU_API void vmafgpu_run_print(VmafGpuContext *ctx, const char *label);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_RUN_H */
