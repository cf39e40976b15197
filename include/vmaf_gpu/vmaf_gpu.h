/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * vmaf_gpu: VMAF scores of video, equal to the last bit on every backend.
 *
 * The only public header; plain C99. A session looks like this:
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
 * Errors: every function returning int returns 0 (or a count) on success and
 * a negative errno value on failure; vmafgpu_strerror() gives a short text and
 * VmafGpuError / the log callback the full one.
 *
 * Threads: one context is used by one thread at a time (any thread); separate
 * contexts are independent. Log and release callbacks run on the thread that
 * is inside a vmafgpu_ call, never on a thread of the engine's own.
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

/** Number of this interface: grows when a function or field is added. */
#define VMAFGPU_API_VERSION 4

/** Smallest width and height, in luma samples, that any feature accepts. */
#define VMAFGPU_MIN_SIZE 17

typedef struct VmafGpuContext VmafGpuContext;
typedef struct VmafGpuModel VmafGpuModel;

/** Full text of a failure; pass NULL where it is not wanted. */
typedef struct VmafGpuError {
    int code;       /**< the negative errno value that the call returned */
    char text[508]; /**< one line: what was wrong and what is allowed */
} VmafGpuError;

/* -------------------------------------------------------------- versions */

/** Version of the library as text, e.g. "0.1.0". Static storage. */
VMAFGPU_API const char *vmafgpu_version(void);

/** VMAFGPU_API_VERSION of the library in use. */
VMAFGPU_API int vmafgpu_api_version(void);

/** Short text of an error code. Static storage; never NULL. */
VMAFGPU_API const char *vmafgpu_strerror(int error);

/* --------------------------------------------------------------- devices */

typedef struct VmafGpuDevice {
    char backend[16];  /**< "cpu", "cuda", "hip" or "emu" */
    char selector[48]; /**< what VmafGpuSettings.device takes: "cuda:0" */
    char name[128];    /**< as the driver reports it */
    char pci_id[16];   /**< "0000:41:00.0", empty where there is none */
    int wave_size;     /**< threads that run in lockstep; 1 for the CPU */
    int unused;
    uint64_t memory_bytes; /**< device memory in bytes; 0 if unknown */
} VmafGpuDevice;

/**
 * List the usable devices, best first; the CPU is always the last of the
 * real ones. Writes at most max entries; out may be NULL if max is 0.
 * Returns how many there are.
 */
VMAFGPU_API int vmafgpu_devices(VmafGpuDevice *out, int max);

/**
 * Name of the i-th backend, or NULL past the last: "auto", then every value that
 * VmafGpuDevice.backend can have. The names do not depend on the build: opening a
 * backend that is not compiled in fails with -ENOSYS. Static storage.
 */
VMAFGPU_API const char *vmafgpu_backend_name(int i);

/* ---------------------------------------------------------------- models */

/**
 * Load a model: the name of a built-in one ("vmaf_v0.6.1",
 * "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_v1.0.16_3d0h" ...) or the path of a JSON file in
 * libvmaf's format (single models and bootstrap collections). A text with a '/' or ending in
 * ".json" is a path. Needs no device. *model is set to NULL on failure.
 */
VMAFGPU_API int vmafgpu_model_load(VmafGpuModel **model, const char *name_or_path,
                                   VmafGpuError *error);

/**
 * Change an option of a loaded model; only before vmafgpu_open() uses it.
 *   "name"              series name in logs and metadata (default "vmaf")
 *   "disable_clip"      "true"/"false"
 *   "enable_transform"  "true"/"false"; ignored if the model has no transform
 *   "FEATURE.OPTION"    option of one of the model's features, e.g.
 *                       "adm.adm_enhn_gain_limit" = "1.2"
 */
VMAFGPU_API int vmafgpu_model_option(VmafGpuModel *model, const char *key, const char *value,
                                     VmafGpuError *error);

/** Free a model and set *model to NULL; contexts opened with it keep a copy. */
VMAFGPU_API void vmafgpu_model_free(VmafGpuModel **model);

/** Name of the i-th built-in model, NULL past the last one. Static storage. */
VMAFGPU_API const char *vmafgpu_model_builtin(int i);

/* --------------------------------------------------------------- context */

typedef enum VmafGpuLogLevel {
    VMAFGPU_LOG_ERROR = 0,
    VMAFGPU_LOG_WARNING,
    VMAFGPU_LOG_INFO,
    VMAFGPU_LOG_VERBOSE
} VmafGpuLogLevel;

typedef enum VmafGpuChroma {
    VMAFGPU_CHROMA_400 = 0, /**< luma only; chroma of pictures is ignored */
    VMAFGPU_CHROMA_420,
    VMAFGPU_CHROMA_422,
    VMAFGPU_CHROMA_444
} VmafGpuChroma;

/** Whose motion numbers (VIF and ADM are the same in both). */
typedef enum VmafGpuCompat {
    VMAFGPU_COMPAT_3_2 = 0, /**< libvmaf 3.2.0 and later */
    VMAFGPU_COMPAT_3_1      /**< libvmaf up to 3.1 */
} VmafGpuCompat;

/** A feature wanted beside those that the models need. */
typedef struct VmafGpuFeature {
    const char *name;    /**< "vif", "adm", "motion", "speed_chroma" */
    const char *options; /**< "key=value:key=value", or NULL */
} VmafGpuFeature;

typedef struct VmafGpuSettings {
    uint32_t struct_size; /**< set by vmafgpu_settings_default() */

    int width, height; /**< luma samples, both >= VMAFGPU_MIN_SIZE */
    int depth;         /**< bits per sample, 8..16: the deeper input's */
    int chroma;        /**< VmafGpuChroma, the same of both inputs */

    /**
     * "auto" (also NULL), "cpu", "cuda", "hip", "cuda:1", "hip:0000:41:00.0";
     * builds with the emulator also "emu32" and "emu64" (or "emu:32", "emu:64").
     * "auto" takes the first that opens, in the order cuda, hip, cpu; a named
     * one that fails is an error.
     */
    const char *device;
    void *native_context; /**< CUcontext of device pictures, or NULL; NULL for HIP */
    void *native_stream;  /**< stream that produces them, or NULL */

    VmafGpuModel *const *models;
    int model_count;
    int feature_count;
    const VmafGpuFeature *features;

    int ring_depth; /**< pairs in flight, 1..64; default 4 */
    int threads;    /**< CPU worker threads; 0 = one per core */
    int subsample;  /**< score every n-th pair; default 1 */
    int compat;     /**< VmafGpuCompat */
    int self_test;  /**< default 1: check the device's arithmetic at open */

    int log_level; /**< most verbose VmafGpuLogLevel wanted; default INFO */
    void (*log)(void *opaque, int level, const char *text);
    void *log_opaque;

    uint64_t reserved[16]; /**< leave as vmafgpu_settings_default() made it */
} VmafGpuSettings;

/** Fill in every default. Call this first, then set what differs. */
VMAFGPU_API void vmafgpu_settings_default(VmafGpuSettings *settings);

/**
 * Open a context; allocates all memory it will ever need on the device. Texts
 * and arrays of settings are copied. *ctx is set to NULL on failure. -ENODEV:
 * no such device; -ENOSYS: backend not in this build; -EINVAL: bad setting.
 */
VMAFGPU_API int vmafgpu_open(VmafGpuContext **ctx, const VmafGpuSettings *settings,
                             VmafGpuError *error);

/** Wait for work in flight, release every picture, free, set *ctx to NULL. */
VMAFGPU_API void vmafgpu_close(VmafGpuContext **ctx);

/** What the context runs on (what "auto" became). */
VMAFGPU_API int vmafgpu_device_info(const VmafGpuContext *ctx, VmafGpuDevice *out);

/**
 * Number of score series; fixed after open. Order: features in order of first
 * use, then series that need later frames (motion2, motion3), models last.
 */
VMAFGPU_API int vmafgpu_score_count(const VmafGpuContext *ctx);

/** Name of series i as logs print it ("integer_adm2", "vmaf"); NULL if none. */
VMAFGPU_API const char *vmafgpu_score_name(const VmafGpuContext *ctx, int i);

/** Series index of the score of model i (in settings order), or -EINVAL. */
VMAFGPU_API int vmafgpu_model_score(const VmafGpuContext *ctx, int i);

/** 1 if pictures must have chroma planes, because a feature reads them; else 0, or -EINVAL. */
VMAFGPU_API int vmafgpu_needs_chroma(const VmafGpuContext *ctx);

/** Text of the last failure of a call on this context; "" if none. */
VMAFGPU_API const char *vmafgpu_error_text(const VmafGpuContext *ctx);

/* -------------------------------------------------------------- pictures */

typedef enum VmafGpuMemory {
    VMAFGPU_MEMORY_HOST = 0,
    VMAFGPU_MEMORY_DEVICE /**< pointers valid in the context's native_context */
} VmafGpuMemory;

typedef struct VmafGpuPlane {
    const void *data; /**< first sample of the top row */
    ptrdiff_t pitch;  /**< bytes from a row to the next; may be negative */
    int step;         /**< bytes from a sample to the next; 0 = tight */
    int unused;
} VmafGpuPlane;

/**
 * One picture. A sample is one byte if depth is 8, else two in native byte
 * order; its value is (stored >> shift) & (2^depth - 1). A picture whose depth is less than
 * the context's is promoted by a left shift of the difference.
 */
typedef struct VmafGpuPicture {
    int width, height; /**< luma samples; must equal the context's */
    int depth;         /**< 8 .. the context's depth */
    int shift;         /**< unused low bits of a sample: P010 6, P012 4, else 0 */
    int memory;        /**< VmafGpuMemory */
    int unused;
    VmafGpuPlane plane[3]; /**< luma, Cb, Cr; chroma may be NULL if no feature needs it */
    /** Called exactly once when the engine has read the picture; may be NULL. */
    void (*release)(void *opaque);
    void *opaque;
    uint64_t reserved[4]; /**< zero */
} VmafGpuPicture;

/**
 * Start one pair. 0: the engine owns both pictures until it calls their
 * release. -EAGAIN: ring full, collect first. After vmafgpu_flush() the next
 * submit begins a new segment: no motion across the gap.
 * On any failure the pictures remain the caller's (release is not called).
 */
VMAFGPU_API int vmafgpu_submit(VmafGpuContext *ctx, const VmafGpuPicture *reference,
                               const VmafGpuPicture *distorted, uint64_t tag);

/**
 * Make memory of the context's device that another driver allocated (a video
 * decoder's surface) readable: the first `bytes` bytes of what a dma-buf or
 * opaque fd stands for. *memory then serves as VmafGpuPlane.data of pictures in
 * VMAFGPU_MEMORY_DEVICE. Only linear memory makes sense: a tiled surface is read
 * as it lies. Writing must have ended before a picture is submitted; nothing
 * here waits for the writer.
 *
 * The fd stays the caller's and may be closed at once. *memory is NULL on
 * failure: -ENOTSUP: the backend cannot import (cpu, cuda). -EINVAL: an fd that
 * it cannot map, or of fewer bytes. -ENOMEM. All leave the context usable and
 * are logged at VERBOSE only, since a caller can still copy; the text is in
 * vmafgpu_error_text(). Importing is slow: keep the result while its surface lives.
 */
VMAFGPU_API int vmafgpu_import_memory(VmafGpuContext *ctx, int fd, size_t bytes, void **memory);

/**
 * Give up imported memory and set *memory to NULL; NULL is fine. Every picture
 * that uses it must have been released by the engine. vmafgpu_close() does it
 * for what is left.
 */
VMAFGPU_API int vmafgpu_release_import(VmafGpuContext *ctx, void **memory);

/** End of a segment: the delayed scores of its last pairs become final. */
VMAFGPU_API int vmafgpu_flush(VmafGpuContext *ctx);

typedef struct VmafGpuResult {
    uint64_t tag;  /**< as given to vmafgpu_submit() */
    int64_t index; /**< 0 for the first pair since open or reset */
    int scored;    /**< 0: left out by subsample, scores is NULL */
    int score_count;
    const double *scores; /**< owned by ctx, valid until the next call on it */
} VmafGpuResult;

/**
 * Next pair in submission order. wait != 0: block until it is final; pairs
 * that need a successor not yet submitted give -EAGAIN even so. -EAGAIN: not
 * ready. -ENODATA: nothing submitted remains to be collected and the segment
 * was flushed (or nothing was ever submitted).
 */
VMAFGPU_API int vmafgpu_collect(VmafGpuContext *ctx, VmafGpuResult *result, int wait);

/** Forget all pairs and scores (after a seek) but keep the memory. */
VMAFGPU_API int vmafgpu_reset(VmafGpuContext *ctx);

/* ------------------------------------------------- pooled values and logs */

typedef enum VmafGpuPool {
    VMAFGPU_POOL_MIN = 0,
    VMAFGPU_POOL_MAX,
    VMAFGPU_POOL_MEAN,
    VMAFGPU_POOL_HARMONIC_MEAN,
    VMAFGPU_POOL_PERC1, /**< percentiles, linear between the neighbours */
    VMAFGPU_POOL_PERC5,
    VMAFGPU_POOL_PERC10,
    VMAFGPU_POOL_PERC20
} VmafGpuPool;

/** VmafGpuPool of a name ("mean", "harmonic_mean", ...), or -EINVAL. */
VMAFGPU_API int vmafgpu_pool_by_name(const char *name);

/** Pooled value of a series over the pairs collected so far; -ENODATA if none. */
VMAFGPU_API int vmafgpu_pooled(VmafGpuContext *ctx, int score, int pool, double *value);

/** Digits after the point: 6 (the default of logs) .. 17, or this: the
 *  shortest text that reads back to the same double. */
#define VMAFGPU_PRECISION_MAX 0

/**
 * Print a score as logs do: plain decimal, no exponent, C locale, never
 * "-0.000000"; "nan"/"inf" for what is not finite. Returns the length
 * (without the NUL) or -ENOSPC / -EINVAL.
 */
VMAFGPU_API int vmafgpu_format_score(char *out, size_t size, double value, int precision);

typedef struct VmafGpuLog {
    const char *path;   /**< file, or "-" for standard output */
    const char *format; /**< "xml", "json", "csv", "sub" as libvmaf's, or "html" */
    int precision;      /**< 6..17 or VMAFGPU_PRECISION_MAX */
    int unused;
    double fps;                 /**< for the log's fps field */
    int64_t repeated_main;      /**< pairs that reuse a main picture; < 0: leave out */
    int64_t repeated_reference; /**< pairs that reuse a reference picture; < 0: leave out */
    const double *times;        /**< html: seconds of pair i; NULL: unknown, NaN: this one is */
    int64_t time_count;         /**< html: entries of times; pairs beyond have no time */
    const char *title;          /**< html: heading in UTF-8, NULL: "VMAF report" */
    uint64_t reserved[5];       /**< zero */
} VmafGpuLog;

/**
 * Write the log of the pairs collected so far. A regular file appears under
 * its name only when complete (temporary file and rename). Any failed write
 * is an error.
 */
VMAFGPU_API int vmafgpu_write_log(VmafGpuContext *ctx, const VmafGpuLog *log);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_VMAF_GPU_H */
