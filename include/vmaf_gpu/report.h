/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Logs, pages that compare several logs, and the files that both are written to. vmaf_gpu.h
 * includes this; how scores are computed is there.
 */
#ifndef VMAF_GPU_REPORT_H
#define VMAF_GPU_REPORT_H

#include "inputs.h"
#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An output file. It is written under a temporary name, and gets its own name when it is complete.
 * docs/user/api.md, "Output files", has the exceptions.
 */
typedef struct VmafGpuOutput VmafGpuOutput;

enum {
    VMAFGPU_OUTPUT_OVERWRITE = 1, /**< path may be an input of this process, or no log */
    VMAFGPU_OUTPUT_LIVE = 2       /**< each write is visible at once */
};
/**
 * Open a file; kind is for messages ("log"). On failure *output is NULL. -EEXIST: this process has
 * the file open, or it is no log.
 */
VMAFGPU_API int vmafgpu_output_open(VmafGpuOutput **output, const char *path, const char *kind,
                                    int flags, VmafGpuError *error);
/**
 * The name in use: "name.1.ext" if another output has the file. Ask again after
 * vmafgpu_output_finish(): a file of the user may have come to the name since.
 */
VMAFGPU_API const char *vmafgpu_output_path(const VmafGpuOutput *output);
/** Append text. After a failure every later call for this output fails, too. */
VMAFGPU_API int vmafgpu_output_write(VmafGpuOutput *output, const char *text, size_t size,
                                     VmafGpuError *error);
/**
 * Write all data to the disk, and give the file its name. is_complete 0: later outputs of this
 * process do not replace it.
 */
VMAFGPU_API int vmafgpu_output_finish(VmafGpuOutput *output, int is_complete, VmafGpuError *error);
/** Free it and set *output to NULL. Without vmafgpu_output_finish() an older file of that name
 * stays. */
VMAFGPU_API void vmafgpu_output_close(VmafGpuOutput **output);

/** What became of the frames of an input. */
typedef struct VmafGpuInputCounts {
    int64_t frames;        /**< decoded */
    int64_t repeated;      /**< pairs whose frame of this input was used before */
    int64_t unpaired[3];   /**< in no pair: before the first one, between pairs, after the last */
    int64_t disabled;      /**< left out by timeline editing, FFmpeg's `enable` */
    int64_t without_time;  /**< frames without a time */
    int64_t backward_time; /**< frames whose time did not grow */
    int64_t damaged;       /**< frames that the decoder flagged */
    int64_t film_grain;    /**< frames whose film grain the decoder left off */
} VmafGpuInputCounts;

/** How frames were paired, for the log. Times are in seconds. Set struct_size to
 * sizeof(VmafGpuPairing). */
typedef struct VmafGpuPairing {
    uint32_t struct_size;
    int at_least;     /**< 1: the stream was stopped from outside, there may be more frames */
    const char *rule; /**< "auto", "auto-without-pictures", "time", "index", "framesync" */
    const char
        *start; /**< "together", "pictures_first", "pictures_time", "undecided", "by_number" ... */
    VmafGpuInputCounts of[2]; /**< VMAFGPU_MAIN, VMAFGPU_REFERENCE */
    int64_t pairs;
    int64_t by_number;      /**< pairs of the n-th main with the n-th reference frame */
    int64_t corrections;    /**< times that pictures overruled the times */
    double start_offset;    /**< first time of main - first time of reference */
    double shift;           /**< what was subtracted from main's times in the end */
    double distance_median; /**< |main - shift - reference| of the pairs */
    double distance_largest;
    int warnings;      /**< number of warnings that were given */
    int has_offset;    /**< 1: offset is in the log */
    int64_t offset;    /**< reference frame that the first main frame is compared with */
    int64_t elsewhere; /**< pairs whose pictures agree clearly better with other reference frames */
    int64_t unrelated; /**< pairs whose pictures agree with no reference frame around */
    int64_t mismatch_pair;   /**< index of the first pair of either kind; -1: there is none */
    int64_t mismatch_offset; /**< frames that its main picture comes later in the reference than
                                  the pairing has it; 0: not known */
    double mismatch_time;    /**< time of that pair's main frame */
} VmafGpuPairing;

/** A picture for a page. Every width and height is allowed; pages show at most 320 pixels. */
typedef struct VmafGpuThumbnail {
    int64_t pair;         /**< given: the pair that is pictured */
    int video;            /**< given: 0: the reference; 1: the distorted video */
    int width, height;    /**< to be set: size of the picture */
    int unused;           /**< 0 */
    const void *png;      /**< to be set: a PNG file, valid until the page is written; NULL: none */
    size_t png_size;      /**< to be set: bytes of png */
    uint64_t reserved[2]; /**< zero */
} VmafGpuThumbnail;

/**
 * Make a picture for a page, of at most 320 pixels a side: sets width, height, png and png_size,
 * until vmafgpu_thumbnail_free(). chroma: VmafGpuChroma of the picture, which is in host memory and
 * is not released. Of tags, matrix and range are used; a matrix that is not known is guessed by the
 * size. -ENOSYS: the build has no zlib. Any thread may call it.
 */
VMAFGPU_API int vmafgpu_thumbnail_make(VmafGpuThumbnail *thumbnail, const VmafGpuPicture *picture,
                                       int chroma, const VmafGpuInput *tags, VmafGpuError *error);
/** Write how the picture becomes RGB: "converted by BT.709 (as the file says), limited range". At
 * most size bytes, with the NUL. */
VMAFGPU_API int vmafgpu_thumbnail_note(char *text, size_t size, const VmafGpuPicture *picture,
                                       const VmafGpuInput *tags);
/** Free the file, and set png to NULL. */
VMAFGPU_API void vmafgpu_thumbnail_free(VmafGpuThumbnail *thumbnail);

/**
 * What only the caller knows of a run, for logs in JSON, XML and HTML. The engine adds versions,
 * device, pictures and models. Every pointer may be NULL. Set struct_size to sizeof(VmafGpuRun).
 */
typedef struct VmafGpuRun {
    uint32_t struct_size;
    int warning_count;
    const char *main_format;      /**< pixel format as it was compared, e.g. "yuv420p" */
    const char *reference_format; /**< pixel format of the reference as it was compared */
    const char *options;          /**< what the user asked for, as one line */
    const char *const *warnings;  /**< warning_count texts that the user was given */
    /** json, html, part: time of main in pair pts_first + i; INT64_MIN: unknown */
    const int64_t *pts;
    int64_t pts_count; /**< entries of pts; later pairs have no time */
    int time_base_num; /**< pts * num / den is in seconds */
    int time_base_den;
    /**
     * html: makes pictures of the pairs that the page lists as the worst ones. It is called at most
     * once, before the page is written. list has count entries, in order of pair, then of video. An
     * entry whose png stays NULL is not shown. It returns a sentence for the page: what the
     * pictures show, or why there are none; or NULL. The sentence is valid as long as the pictures.
     * If thumbnails is NULL, the page has no pictures.
     */
    const char *(*thumbnails)(void *opaque, VmafGpuThumbnail *list, int count);
    void *thumbnails_opaque; /**< passed to thumbnails */
    int64_t pts_first; /**< index of the pair that pts begins with; of a chunk it may be above 0 */
} VmafGpuRun;

typedef struct VmafGpuLog {
    const char *path; /**< file, or "-" for standard output; not used if there is an output */
    const char
        *format;   /**< libvmaf's "xml", "json", "csv", "sub"; or "csv_strict", "html", "part" */
    int precision; /**< 6 to 17, or VMAFGPU_PRECISION_MAX */
    int overwrite; /**< 1: path may be an input of this process, or no log */
    double fps;    /**< scoring speed, for the log's fps field */
    const char *title; /**< json, xml, html: in UTF-8; html without: of what it reports */
    const VmafGpuPairing *pairing; /**< xml, json, html; NULL: not in the log */
    const VmafGpuRun *run;         /**< json, xml, html; NULL: not in the log */
    VmafGpuOutput *output;         /**< where to write; the caller finishes it. NULL: path */
    const char *incomplete;        /**< why scores are missing, for the log; NULL: none is */
    uint64_t reserved[2];          /**< zero */
} VmafGpuLog;

/**
 * Write the log while the run goes on, so that memory does not grow; docs/user/api.md, "Long runs".
 * Call it before the first pair. log: "csv", "csv_strict" or "sub" to an output; nothing happens
 * with other formats. NULL: older pairs are dropped, and no log can be written. The output must
 * outlive the context. If it cannot be written, the log callback gets an error at once, and the log
 * is lost. -EINVAL: a log is streamed already, or pairs were dropped.
 */
VMAFGPU_API int vmafgpu_stream_log(VmafGpuContext *ctx, const VmafGpuLog *log);

/**
 * Write a log of the pairs collected so far: to an output, or to a path as vmafgpu_output_open()
 * does, but -EBUSY if another output has its name. Any failed write is an error. While a log is
 * streamed: only that log, else -EINVAL.
 */
VMAFGPU_API int vmafgpu_write_log(VmafGpuContext *ctx, const VmafGpuLog *log);

/* ---------------------------------------------------------------- chunks */

/**
 * The parts of a run, put together: logs in the format "part", one of each chunk
 * (VmafGpuSettings.chunk). They need not come in order. The result has the whole run's doubles, and
 * its logs are those of a run in one piece, byte for byte, but for fps, slowed_by_host and
 * pictures.
 */
typedef struct VmafGpuMerge VmafGpuMerge;

/**
 * Read and check `count` parts. On failure *merge is NULL. -EINVAL: a part is malformed or
 * incomplete, or they are not all parts of one run, each pair once. -EBADMSG: two neighbours that
 * have both computed a pair disagree on a score of a feature that looks at no other pair, so one of
 * them is wrong. Needs no device.
 */
VMAFGPU_API int vmafgpu_merge_open(VmafGpuMerge **merge, const char *const *parts, int count,
                                   VmafGpuError *error);
/**
 * Number of scores that two neighbouring parts both had, and that were equal. 0: no parts overlap,
 * so that there was nothing to compare.
 */
VMAFGPU_API int64_t vmafgpu_merge_compared(const VmafGpuMerge *merge);
/** The run's warnings, as its log has them; NULL behind the last one. Valid as long as *merge. */
VMAFGPU_API const char *vmafgpu_merge_warning(const VmafGpuMerge *merge, int i);
/** As vmafgpu_score_count(), vmafgpu_score_name(), vmafgpu_model_score() and vmafgpu_pooled(). */
VMAFGPU_API int vmafgpu_merge_score_count(const VmafGpuMerge *merge);
VMAFGPU_API const char *vmafgpu_merge_score_name(const VmafGpuMerge *merge, int i);
VMAFGPU_API int vmafgpu_merge_model_score(const VmafGpuMerge *merge, int i);
VMAFGPU_API int vmafgpu_merge_pooled(const VmafGpuMerge *merge, int score, int pool, double *value);
/** As vmafgpu_mean_interval(). */
VMAFGPU_API int vmafgpu_merge_mean_interval(const VmafGpuMerge *merge, int score,
                                            double interval[2]);
/**
 * Tell a merge what its inputs are: parts whose pictures came through a pipe or a filter graph do
 * not know their streams. input: VMAFGPU_MAIN, VMAFGPU_REFERENCE.
 */
VMAFGPU_API int vmafgpu_merge_set_input(VmafGpuMerge *merge, int input, const VmafGpuInput *tags);
/** Write a log; of log only path, format, precision, overwrite and output are used. */
VMAFGPU_API int vmafgpu_merge_write_log(VmafGpuMerge *merge, const VmafGpuLog *log,
                                        VmafGpuError *error);
/** Free it and set *merge to NULL. */
VMAFGPU_API void vmafgpu_merge_free(VmafGpuMerge **merge);

/** A log for vmafgpu_write_report(). */
typedef struct VmafGpuReportLog {
    const char *path;  /**< JSON log of vmaf_gpu or of libvmaf */
    const char *label; /**< NULL: the title in the log, or the name of the file */
    double rate; /**< kbit/s of the distorted video, for the rate-distortion plot; 0: unknown */
} VmafGpuReportLog;

/** Set struct_size to sizeof(VmafGpuReport). */
typedef struct VmafGpuReport {
    uint32_t struct_size;
    int log_count;                /**< 1 to 16 */
    const VmafGpuReportLog *logs; /**< in the order of the legend */
    const char *title;            /**< in UTF-8; NULL: of what it reports */
    VmafGpuOutput *output;        /**< where to write; the caller finishes it */
} VmafGpuReport;

/**
 * Write a page that compares several logs: curves over each other, pooled values, and a
 * rate-distortion plot if two logs have a rate. Needs no device. -EINVAL: a file is not such a log.
 */
VMAFGPU_API int vmafgpu_write_report(const VmafGpuReport *report, VmafGpuError *error);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_REPORT_H */
