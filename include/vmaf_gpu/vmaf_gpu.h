/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * vmaf_gpu computes VMAF scores of video. Scores are equal to the last bit on every backend.
 *
 * This is the public header; it is plain C99. It includes aggregate.h (values per run), inputs.h
 * (what has to be converted before), pairing.h (which frames meet) and report.h (logs, pages and
 * their files). docs/user/api.md names a complete program. In short:
 *
 *     VmafGpuModel *model = NULL;
 *     VmafGpuContext *ctx = NULL;
 *     VmafGpuSettings s;
 *     vmafgpu_settings_default(&s);
 *     vmafgpu_model_load(&model, "vmaf_v0.6.1", NULL);
 *     s.width = 1920; s.height = 1080; s.depth = 8;
 *     s.models = &model; s.model_count = 1;
 *     vmafgpu_open(&ctx, &s, NULL);
 *     for each pair:
 *         while (vmafgpu_submit(ctx, &reference, &distorted, tag) == -EAGAIN)
 *             vmafgpu_collect(ctx, &result, 1);
 *     vmafgpu_flush(ctx);
 *     while (vmafgpu_collect(ctx, &result, 1) == 0)
 *         use(result.scores[0 .. vmafgpu_score_count(ctx) - 1]);
 *     vmafgpu_close(&ctx);
 *     vmafgpu_model_free(&model);
 *
 * Where frames have to be paired first, by their times, settings.pairing and vmafgpu_push() take
 * the place of vmafgpu_submit().
 *
 * Errors: a function that returns int returns 0 (or a count, or an index) on success and a
 * negative errno value on failure. vmafgpu_strerror() gives a short text for the value.
 * VmafGpuError, vmafgpu_error_text() and the log callback give the full text. After -EIO (the
 * device is lost) and -ENOMEM (but that of vmafgpu_import_memory()) only vmafgpu_finish(),
 * vmafgpu_write_log() and vmafgpu_close() work.
 *
 * Threads: several threads may use a context, one at a time. Separate
 * contexts are independent. Log and release callbacks run inside a vmafgpu_ call, on the
 * thread that made it, never on a thread of the engine. A callback must not call vmafgpu_
 * functions on the same context.
 */
#ifndef VMAF_GPU_VMAF_GPU_H
#define VMAF_GPU_VMAF_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define VMAFGPU_API
#else
#define VMAFGPU_API __attribute__((visibility("default")))
#endif

/** Version of this interface. It grows by one when a function or a field is added. */
#define VMAFGPU_API_VERSION 19

/** Smallest width and height, in luma samples. Some features need more: docs/user/models.md. */
#define VMAFGPU_MIN_SIZE 17

typedef struct VmafGpuContext VmafGpuContext;
typedef struct VmafGpuModel VmafGpuModel;

/** Full text of a failure. A caller that does not want it passes NULL. */
typedef struct VmafGpuError {
    int code;       /**< the negative errno value that the call returned */
    char text[508]; /**< one line: what was wrong and what is allowed */
} VmafGpuError;

/* -------------------------------------------------------------- versions */

/** Version of the library as text, e.g. "0.1.0". The text is never freed. */
VMAFGPU_API const char *vmafgpu_version(void);

/** VMAFGPU_API_VERSION of the library that the program runs with. */
VMAFGPU_API int vmafgpu_api_version(void);

/** Short text of an error code. Never NULL; the text is never freed. */
VMAFGPU_API const char *vmafgpu_strerror(int error);

/* --------------------------------------------------------------- devices */

typedef struct VmafGpuDevice {
    char backend[16];  /**< "cpu", "cuda", "hip", "opencl" or "emu" */
    char selector[48]; /**< text for VmafGpuSettings.device, e.g. "cuda:0" */
    char name[128];    /**< as the driver reports it */
    char pci_id[16];   /**< "0000:41:00.0"; empty if the device has none */
    int wave_size;     /**< threads of a warp or wavefront; 1 for the CPU */
    int unused;
    uint64_t memory_bytes; /**< device memory in bytes; 0 if unknown */
} VmafGpuDevice;

/**
 * List the usable devices, best first. The CPU comes after all GPUs; devices that "auto" never
 * takes, OpenCL's and emulated ones in builds that have them, come after the CPU. Writes at most
 * max entries to out; out may be NULL if max is 0. Returns how many devices there are, which may
 * be more than max.
 */
VMAFGPU_API int vmafgpu_devices(VmafGpuDevice *out, int max);

/**
 * Describe an unusable GPU: a driver lists it, but this library cannot use it. i counts these GPUs
 * from 0. Writes the device to *out, and to reason one line that says why it cannot be used, cut
 * to size bytes with the final NUL. Both may be NULL. Returns 0; -ENODEV: there is no such GPU;
 * -EINVAL: i is negative.
 */
VMAFGPU_API int vmafgpu_unusable_device(int i, VmafGpuDevice *out, char *reason, size_t size);

/* ---------------------------------------------------------------- models */

/**
 * Load a model. name_or_path is either the name of a built-in model ("vmaf_v0.6.1",
 * "vmaf_v0.6.1neg", "vmaf_b_v0.6.3", "vmaf_v1.0.16_3d0h" ...) or the path of a JSON file in
 * libvmaf's format, which may hold a single model or a bootstrap collection. A text that
 * contains '/' or ends in ".json" is a path. No device is needed. Free *model with
 * vmafgpu_model_free(). On failure *model is NULL.
 */
VMAFGPU_API int vmafgpu_model_load(VmafGpuModel **model, const char *name_or_path,
                                   VmafGpuError *error);

/**
 * Change an option of a loaded model. Contexts that are already open are not affected.
 *   "name"              name of its score in logs and metadata (default "vmaf")
 *   "disable_clip"      "true" or "false": do not limit the score to the model's range
 *   "enable_transform"  "true" or "false"; no effect if the model has no transform
 *   "FEATURE.OPTION"    option of one of the model's features, e.g.
 *                       "adm.adm_enhn_gain_limit" = "1.2"
 */
VMAFGPU_API int vmafgpu_model_option(VmafGpuModel *model, const char *key, const char *value,
                                     VmafGpuError *error);

/** Free a model and set *model to NULL. Contexts opened with it have their own copy. */
VMAFGPU_API void vmafgpu_model_free(VmafGpuModel **model);

/** Name of built-in model i, from 0; NULL if there is no such model. Never freed. */
VMAFGPU_API const char *vmafgpu_model_builtin(int i);

/* --------------------------------------------------------------- context */

typedef enum VmafGpuLogLevel {
    VMAFGPU_LOG_ERROR = 0,
    VMAFGPU_LOG_WARNING,
    VMAFGPU_LOG_INFO,
    VMAFGPU_LOG_VERBOSE
} VmafGpuLogLevel;

typedef enum VmafGpuChroma {
    VMAFGPU_CHROMA_400 = 0, /**< luma only; chroma planes of pictures are ignored */
    VMAFGPU_CHROMA_420,
    VMAFGPU_CHROMA_422,
    VMAFGPU_CHROMA_444
} VmafGpuChroma;

/** Which libvmaf the motion feature equals. VIF and ADM are the same in both. */
typedef enum VmafGpuCompat {
    VMAFGPU_COMPAT_3_2 = 0, /**< libvmaf 3.2.0 and later */
    VMAFGPU_COMPAT_3_1      /**< libvmaf up to 3.1 */
} VmafGpuCompat;

/** A feature to compute in addition to those that the models need. */
typedef struct VmafGpuFeature {
    const char *name; /**< as in libvmaf: "vif", "psnr" ...; docs/user/models.md has them all */
    /** "key=value:key=value" as in libvmaf, or NULL for the defaults. A backslash takes the next
     * character as it is: "heatmaps_path=a\\:b" means the folder a:b. */
    const char *options;
} VmafGpuFeature;

/**
 * The part of a run that a context computes. Pairs are counted from 0 in the whole run. The caller
 * submits pairs first, first + 1, ...; those from begin to end - 1 count, for pooled values and
 * logs. Others are only looked at: vmafgpu_history() says how many are needed, or the scores at the
 * borders are not those of the whole run. docs/user/api.md, "Chunks".
 */
typedef struct VmafGpuChunk {
    int64_t first; /**< index of the first pair that is submitted; a multiple of subsample */
    int64_t begin; /**< first pair that counts; first 0, or at most begin - before */
    int64_t end;   /**< first pair that no longer counts; 0: there is none */
    int64_t total; /**< pairs of the whole run; 0: not known */
} VmafGpuChunk;

typedef struct VmafGpuSettings {
    uint32_t struct_size; /**< set by vmafgpu_settings_default() */

    int width, height; /**< luma samples, VMAFGPU_MIN_SIZE to 65535 each */
    int depth;         /**< bits per sample, 8 to 16; the deeper one if the inputs differ */
    int chroma;        /**< VmafGpuChroma of both inputs */

    /**
     * Backend, or backend and device: "auto" (also NULL), "cpu", "cuda", "hip", "cuda:1",
     * "hip:0000:41:00.0". Builds with the emulator also know "emu32" and "emu64" (or "emu:32",
     * "emu:64"). "auto" opens the first of cuda, hip, cpu that works, "auto:1" and
     * "auto:0000:41:00.0" the first that has such a device. A backend that is named is used, or
     * vmafgpu_open() fails.
     */
    const char *device;
    void *native_context; /**< CUDA: the CUcontext of device pictures, or NULL. HIP: NULL */
    void *native_stream;  /**< the stream that writes device pictures, or NULL */

    VmafGpuModel *const *models; /**< model_count models; copied by vmafgpu_open() */
    int model_count;
    int feature_count;
    const VmafGpuFeature *features; /**< feature_count features; copied by vmafgpu_open() */

    int ring_depth; /**< pairs in flight, 1 to 64; default 4 */
    int threads;    /**< worker threads of features on the CPU; 0 (default): as many as allowed */
    int subsample;  /**< score every n-th pair; default 1. Motion still sees every pair */
    int compat;     /**< VmafGpuCompat */
    int self_test;  /**< 1 (default): vmafgpu_open() checks the device's arithmetic */

    int log_level; /**< most verbose VmafGpuLogLevel to report; default INFO */
    void (*log)(void *opaque, int level, const char *text); /**< one line, no '\n'; or NULL */
    void *log_opaque;                                       /**< passed to log */

    int first_features; /**< so many entries of features have their series before models' */
    int features_only;  /**< 1: compute what the models read, but no score of a model; default 0 */
    int frame_rate;     /**< frame rate for xpsnr, whole frames per second, rounded down; 0
                             (default): that of pairing, else unknown */
    /** Pictures in device memory that a device may read at a time; default 32. A call that brings
     * one more waits. Less for pictures of a decoder that has few: 2 for a pool that cannot grow.
     */
    int most_held;
    const VmafGpuChunk *chunk; /**< copied by vmafgpu_open(); NULL (default): the whole run */
    /**
     * Size of distorted pictures, in luma samples, if it is another than width and height; 0
     * (default): it is not. The engine then scales each distorted picture to width and height when
     * it takes it, on the context's device. Samples are equal to those of FFmpeg's filter
     * scale=W:H:flags=bicubic+accurate_rnd+bitexact; docs/numerics/scale.md. -EINVAL of
     * vmafgpu_open(): sides below VMAFGPU_MIN_SIZE, or a side that would grow or shrink more than
     * 16 times. Pictures of 11, 13 and 15 bits are refused.
     */
    int distorted_width, distorted_height;
    /** How vmafgpu_next() pairs frames; copied. NULL (default): by vmafgpu_submit(), the caller,
     * whom nobody tells that pictures do not belong together. */
    const struct VmafGpuPairingSettings *pairing;
    /**
     * Which pairs begin a shot, for logs in JSON and HTML. "1": found from the pictures. Else the
     * path of a file: each line begins with the number of a pair, and lines from '#' on are left
     * out. NULL (default) or "0": logs have no shots. docs/user/pairing.md, "Shots".
     */
    const char *shots;
    uint64_t reserved[10]; /**< leave as vmafgpu_settings_default() set it */
} VmafGpuSettings;

/** Fill in every default. Call this first, then change what differs. */
VMAFGPU_API void vmafgpu_settings_default(VmafGpuSettings *settings);

/**
 * Open a context: choose the device and allocate its memory. Memory for pictures is allocated with
 * the first pictures. Texts and arrays of settings are copied; the caller may free them afterwards.
 * On failure *ctx is NULL. -ENODEV: no such device. -ENOSYS: the backend is not in this build.
 * -EINVAL: a setting is not allowed.
 */
VMAFGPU_API int vmafgpu_open(VmafGpuContext **ctx, const VmafGpuSettings *settings,
                             VmafGpuError *error);

/** Wait for work in flight, release all pictures, free the context, set *ctx to NULL. */
VMAFGPU_API void vmafgpu_close(VmafGpuContext **ctx);

/** The device that the context runs on, also if "auto" chose it. */
VMAFGPU_API int vmafgpu_device_info(const VmafGpuContext *ctx, VmafGpuDevice *out);

/**
 * Number of score series. A series has one number per pair: an output of a feature, or the
 * score of a model. The number does not change after vmafgpu_open(). Order: outputs of
 * features in order of first use, then outputs that need later frames (motion2, motion3),
 * then models.
 */
VMAFGPU_API int vmafgpu_score_count(const VmafGpuContext *ctx);

/** Name of series i as in logs ("integer_adm2", "vmaf"); NULL if there is no such series. */
VMAFGPU_API const char *vmafgpu_score_name(const VmafGpuContext *ctx, int i);

/** Index of the series that is the score of settings.models[i]. -EINVAL: there is none. */
VMAFGPU_API int vmafgpu_model_score(const VmafGpuContext *ctx, int i);

/** 1 if a feature reads chroma planes, so that pictures must have them; else 0; or -EINVAL. */
VMAFGPU_API int vmafgpu_needs_chroma(const VmafGpuContext *ctx);

/**
 * How many pairs the scores of one pair depend on, and whether it begins a shot: those of `*before`
 * earlier and `*after` later ones. Motion looks at pictures around its own, and so do shots.
 */
VMAFGPU_API int vmafgpu_history(const VmafGpuContext *ctx, int64_t *before, int64_t *after);

/** Text of the last failed call on this context, "" if none failed. Valid until the next call. */
VMAFGPU_API const char *vmafgpu_error_text(const VmafGpuContext *ctx);

/* -------------------------------------------------------------- pictures */

typedef enum VmafGpuMemory {
    VMAFGPU_MEMORY_HOST = 0,
    VMAFGPU_MEMORY_DEVICE /**< addresses in native_context, or imported ones; even for 16 bits */
} VmafGpuMemory;

/**
 * For VmafGpuPicture.flags, with VMAFGPU_MEMORY_DEVICE: the caller leaves the samples as they are
 * until release. The engine then reads them where they are, which saves a copy. Depth and size must
 * be the context's, the depth 8 or 16, samples adjacent, address and pitch of each plane multiples
 * of 16, and each row readable up to the next multiple of 16 bytes. Other pictures are copied all
 * the same, and released soon.
 *
 * What is read in place is released with the scores of the last pair that needs it: motion needs
 * references of one or two pairs earlier. vmafgpu_flush() ends that need. So do not wait for a
 * release before more pairs or a flush. most_held does not limit these pictures.
 */
#define VMAFGPU_PICTURE_HOLD 1

typedef struct VmafGpuPlane {
    const void *data; /**< first sample of the top row */
    ptrdiff_t pitch;  /**< bytes from one row to the next; negative: rows in reverse order */
    int step;         /**< bytes from one sample to the next; 0: samples are adjacent */
    int unused;
} VmafGpuPlane;

/**
 * One picture. A sample is stored in one byte if depth is 8, else in two bytes in native byte
 * order. Its value is (stored >> shift) & (2^depth - 1). If depth is less than the context's,
 * values are shifted left by the difference. Chroma planes have the size that the context's
 * VmafGpuChroma implies; odd luma sizes round up.
 */
typedef struct VmafGpuPicture {
    int width, height;     /**< luma samples; the context's, or those of its distorted pictures */
    int depth;             /**< bits per sample, 8 to the context's depth */
    int shift;             /**< unused low bits of a stored sample: P010 6, P012 4, else 0 */
    int memory;            /**< VmafGpuMemory */
    int flags;             /**< VMAFGPU_PICTURE_HOLD or 0 */
    VmafGpuPlane plane[3]; /**< luma, Cb, Cr; chroma data may be NULL if no feature needs it */
    /** Called exactly once, when the engine no longer reads the samples; may be NULL. */
    void (*release)(void *opaque);
    void *opaque;         /**< passed to release */
    uint64_t reserved[4]; /**< zero */
} VmafGpuPicture;

/**
 * Start one pair of pictures and return without waiting for its scores. tag is the caller's
 * and comes back with the result. On 0 the samples belong to the engine until it calls
 * release; the two structs themselves are copied. -EAGAIN: as many pairs are in flight as the
 * context holds; call vmafgpu_collect() first. On -EAGAIN and on every failure the pictures
 * remain the caller's, and release is not called. A GPU on which a launch failed scores nothing
 * more: -EIO from then on, but for pairs that were launched before. The first pair after
 * vmafgpu_flush() begins a new segment: motion is not measured across the gap.
 */
VMAFGPU_API int vmafgpu_submit(VmafGpuContext *ctx, const VmafGpuPicture *reference,
                               const VmafGpuPicture *distorted, uint64_t tag);

/**
 * Make memory that another driver allocated (a video decoder's surface) readable for the
 * context's device. fd is a dma-buf or opaque file descriptor; its first `bytes` bytes are
 * mapped. *memory then serves as VmafGpuPlane.data of pictures in VMAFGPU_MEMORY_DEVICE. The
 * memory must be linear: the engine does not undo tiles. The engine does not wait for the writer,
 * which must have finished before such a picture is submitted.
 *
 * fd stays the caller's, who may close it at once. On failure *memory is NULL. -ENOTSUP: the
 * backend cannot import these (cpu, cuda). -EINVAL: the fd cannot be mapped, or holds fewer bytes.
 * -ENOMEM: no memory. The context stays usable after these three; they are logged at VERBOSE
 * only, since a caller can still copy the picture. Importing is slow: keep the result as long
 * as its surface lives.
 */
VMAFGPU_API int vmafgpu_import_memory(VmafGpuContext *ctx, int fd, size_t bytes, void **memory);

/**
 * vmafgpu_import_memory() for an allocation of Vulkan on the context's GPU. fd is what
 * vkGetMemoryFdKHR() gives for VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT; bytes is the
 * allocationSize of its VkMemoryAllocateInfo. The allocation must not be a dedicated one. It may be
 * freed in Vulkan while it is imported. That it is on the same GPU is for the caller to check: the
 * driver may not. fd, *memory, errors and vmafgpu_release_import() are as there, except that
 * backend cuda can. The emulator takes the descriptors of Mesa's llvmpipe.
 */
VMAFGPU_API int vmafgpu_import_vulkan(VmafGpuContext *ctx, int fd, size_t bytes, void **memory);

/**
 * Unmap imported memory and set *memory to NULL. Does nothing if *memory is NULL. The engine
 * must have released every picture that uses the memory. vmafgpu_close() unmaps what is left.
 */
VMAFGPU_API int vmafgpu_release_import(VmafGpuContext *ctx, void **memory);

/* --------------------------------------------------------------- results */

/** End the segment, e.g. at the end of the clip. Scores that wait for a next pair become final. */
VMAFGPU_API int vmafgpu_flush(VmafGpuContext *ctx);

typedef struct VmafGpuResult {
    uint64_t tag;           /**< as given to vmafgpu_submit() */
    int64_t index;          /**< counts pairs from 0 since vmafgpu_open() or vmafgpu_reset() */
    int scored;             /**< 0: left out by settings.subsample, and scores is NULL; else 1 */
    int score_count;        /**< vmafgpu_score_count() */
    const double *scores;   /**< one per series; owned by ctx, valid until the next call on it */
    int64_t time;           /**< VmafGpuMatch.time of the pair; 0 without settings.pairing */
    uint64_t reference_tag; /**< tag of its reference frame; 0 without settings.pairing */
    /** Number of its shot, from 0; -1: without settings.shots, in a chunk behind the first one, or
     * not known yet: that takes the next three pairs, or the end of the segment. */
    int64_t shot;
} VmafGpuResult;

/**
 * Get the next pair, in order of submission. wait != 0: block until its scores are final.
 * -EAGAIN: they are not final yet; with wait != 0 this means that they depend on a pair that
 * has not been submitted, so submit another pair or call vmafgpu_flush(). -ENODATA: every
 * submitted pair has been collected, and the segment was flushed or cut (or is empty).
 */
VMAFGPU_API int vmafgpu_collect(VmafGpuContext *ctx, VmafGpuResult *result, int wait);

/**
 * Drop all pairs and their scores, as if the context had just been opened. -EBUSY: a log is
 * streamed (vmafgpu_stream_log()).
 */
VMAFGPU_API int vmafgpu_reset(VmafGpuContext *ctx);

/**
 * End the segment behind the last collected pair, e.g. because the consumer of the results
 * stopped early. Pairs that are not yet collected are dropped. Scores of collected pairs that had
 * looked at dropped ones (motion2, motion3, and models that use them) are computed again without
 * those, and replaced for vmafgpu_pooled() and vmafgpu_write_log(). The next pair begins a segment;
 * its index follows that of the last collected one.
 */
VMAFGPU_API int vmafgpu_cut(VmafGpuContext *ctx);

/* ------------------------------------------------- pooled values and logs */

typedef enum VmafGpuPool {
    VMAFGPU_POOL_MIN = 0,
    VMAFGPU_POOL_MAX,
    VMAFGPU_POOL_MEAN,
    VMAFGPU_POOL_HARMONIC_MEAN,
    VMAFGPU_POOL_PERC1, /**< percentiles 1, 5, 10, 20; linear between two neighbours */
    VMAFGPU_POOL_PERC5,
    VMAFGPU_POOL_PERC10,
    VMAFGPU_POOL_PERC20
} VmafGpuPool;

/** VmafGpuPool of a name ("min", "mean", "harmonic_mean", "perc5" ...), or -EINVAL. */
VMAFGPU_API int vmafgpu_pool_by_name(const char *name);

/** Pool series `score` over the pairs collected so far. -ENODATA: none was scored. */
VMAFGPU_API int vmafgpu_pooled(VmafGpuContext *ctx, int score, int pool, double *value);

/**
 * Lower and upper end of the 95 % interval of the mean of all pairs, if VmafGpuSettings.subsample
 * left pairs out: as if those that were scored had been drawn at random. Those of a model are
 * within the range that it clips its scores to. -ENODATA: none was left out, or less than two were
 * scored.
 */
VMAFGPU_API int vmafgpu_mean_interval(VmafGpuContext *ctx, int score, double interval[2]);

/** A precision is 6 to 17 digits after the point, or this value: the shortest text that reads
 *  back to the same double. */
#define VMAFGPU_PRECISION_MAX 0

/**
 * Print a score to out, at most size bytes with the NUL, as logs do: plain decimal, no
 * exponent, '.' in every locale, never "-0.000000"; "inf" or "nan", with their sign, if not
 * finite. Returns the
 * length without the NUL; -ENOSPC: out is too small; -EINVAL: precision is not allowed.
 */
VMAFGPU_API int vmafgpu_format_score(char *out, size_t size, double value, int precision);

#ifdef __cplusplus
}
#endif

#include "aggregate.h"
#include "inputs.h"
#include "report.h"

#include "pairing.h"

#endif /* VMAF_GPU_VMAF_GPU_H */
