/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Pairing: which reference frame is a main frame compared with? docs/user/pairing.md has the rules.
 * Plain C99. vmaf_gpu.h includes this file, and says what holds for all functions.
 * VmafGpuSettings.pairing turns pairing on; without it the functions of this file fail with
 * -EINVAL. With rule INDEX and no offset, vmafgpu_submit() may bring all pairs: pair i is at time i
 * of main's time base, and both of its tags are the pair's. With others it fails with -EINVAL.
 * vmafgpu_finish() then judges the clip that has ended. A run in short:
 *
 *     while ((status = vmafgpu_next(ctx, &match, 1)) != -ENODATA)
 *         if (status == 0)
 *             use(match);                        main frames, in the order of vmafgpu_push()
 *         else if (status == -EAGAIN && match.needs != 0)
 *             push a frame of each input in match.needs, or its end;
 *         else if (status == -EAGAIN)
 *             vmafgpu_collect(ctx, &result, 1);
 *         else
 *             fail();
 *     vmafgpu_flush(ctx);
 *     while (vmafgpu_collect(ctx, &result, 1) == 0)
 *         use(result);
 *     vmafgpu_finish(ctx, VMAFGPU_FINISH_END);
 *     vmafgpu_pairing(ctx, &pairing);
 */
#ifndef VMAF_GPU_PAIRING_H
#define VMAF_GPU_PAIRING_H

#include "report.h"
#include "vmaf_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The two inputs. Main is the distorted video. */
enum { VMAFGPU_MAIN = 0, VMAFGPU_REFERENCE = 1 };

/** Which reference frame a main frame is compared with; docs/user/pairing.md. */
typedef enum VmafGpuPairingRule {
    VMAFGPU_PAIR_AUTO = 0, /**< by times; by pictures where times mislead */
    VMAFGPU_PAIR_TIME,     /**< by times */
    VMAFGPU_PAIR_INDEX,    /**< the n-th with the n-th */
    VMAFGPU_PAIR_FRAMESYNC /**< as FFmpeg's filter libvmaf does */
} VmafGpuPairingRule;

/** What rule framesync does after the end of an input. */
typedef enum VmafGpuEofAction {
    VMAFGPU_EOF_REPEAT = 0, /**< its last frame */
    VMAFGPU_EOF_ENDALL,     /**< nothing: the run ends */
    VMAFGPU_EOF_PASS        /**< main frames without a partner */
} VmafGpuEofAction;

/** Where the comparison begins. */
typedef enum VmafGpuOffset {
    VMAFGPU_OFFSET_NONE = 0, /**< as the rule finds it */
    VMAFGPU_OFFSET_GIVEN,    /**< at VmafGpuPairingSettings.offset */
    VMAFGPU_OFFSET_AUTO /**< at the offset that the first pictures show; docs/user/pairing.md. The
                             run fails if they show none clearly */
} VmafGpuOffset;

/** What an input declares of itself. */
typedef struct VmafGpuPairingInput {
    int time_base_num,
        time_base_den;      /**< seconds that a unit of time lasts; default 1/1000000000 */
    int rate_num, rate_den; /**< frames per second; 0 (default): unknown */
} VmafGpuPairingInput;

#define VMAFGPU_MOST_OFFSET 1000000000

/** How vmafgpu_next() pairs frames. vmafgpu_pairing_default() sets every default. */
typedef struct VmafGpuPairingSettings {
    uint32_t struct_size;
    int rule;       /**< VmafGpuPairingRule; default AUTO */
    int has_offset; /**< VmafGpuOffset; default NONE, which FRAMESYNC needs */
    int shortest;   /**< 1: the output ends with the shorter input; default 0 */
    int64_t offset; /**< N: the first main frame meets reference frame N. -N: main frame N meets the
                         first reference frame, and main frames before it have no partner */
    int eof_action; /**< VmafGpuEofAction; other than REPEAT only with FRAMESYNC */
    int repeatlast; /**< 0: as eof_action PASS for the reference; only with FRAMESYNC. Default 1 */
    int nearest;    /**< 1: FFmpeg's ts_sync_mode=nearest; only with FRAMESYNC. Default 0 */
    /** 1: main's decoder has few pictures, so that they cannot wait. AUTO then pairs by times. */
    int has_fixed_pool;
    int is_part;       /**< 1: the log will be a part: see VmafGpuRunSettings. Default 0 */
    int offset_window; /**< how far OFFSET_AUTO looks, 1 to 60 seconds; default -1: 5 */
    VmafGpuPairingInput input[2]; /**< main, reference */
} VmafGpuPairingSettings;

/** Fill in every default. */
VMAFGPU_API void vmafgpu_pairing_default(VmafGpuPairingSettings *pairing);

/** A frame that has no time. */
#define VMAFGPU_NO_TIME INT64_MIN

enum {
    VMAFGPU_PUSH_DISABLED = 1, /**< a main frame that is not to be scored */
    VMAFGPU_PUSH_DAMAGED = 2,  /**< its decoder reported errors; only counted */
    VMAFGPU_PUSH_GRAIN = 4     /**< it has film grain, which the decoder left off; only counted */
};

/**
 * Add the next frame of an input, VMAFGPU_MAIN or VMAFGPU_REFERENCE. time: in units of the input's
 * time base, or VMAFGPU_NO_TIME. tag is the caller's and comes back with match and result: usually
 * time once more. On 0 the samples of picture belong to the engine until it calls release, soon
 * for a copy; on -EAGAIN and on failure they remain the caller's. -EAGAIN: enough frames of this
 * input wait; call vmafgpu_next() first. -EINVAL: the input has ended, or the picture is not one of
 * the context. A frame that comes after vmafgpu_next() returned -ENODATA is released and not
 * counted.
 */
VMAFGPU_API int vmafgpu_push(VmafGpuContext *ctx, int input, const VmafGpuPicture *picture,
                             int64_t time, int flags, uint64_t tag);

/** The input has no more frames. Further calls do nothing. */
VMAFGPU_API int vmafgpu_push_end(VmafGpuContext *ctx, int input);

typedef enum VmafGpuMatchKind {
    VMAFGPU_MATCH_PAIR = 1, /**< its scores come with vmafgpu_collect() */
    VMAFGPU_MATCH_UNPAIRED, /**< main has no partner */
    VMAFGPU_MATCH_DISABLED  /**< main was pushed with VMAFGPU_PUSH_DISABLED */
} VmafGpuMatchKind;

enum {
    VMAFGPU_NEEDS_MAIN = 1,      /**< 1 << VMAFGPU_MAIN */
    VMAFGPU_NEEDS_REFERENCE = 2, /**< 1 << VMAFGPU_REFERENCE */
    VMAFGPU_NEEDS_COUNT = 4      /**< the frames are only counted: their picture may be NULL */
};

/** A main frame, and what became of it. */
typedef struct VmafGpuMatch {
    int kind;          /**< VmafGpuMatchKind */
    int needs;         /**< with -EAGAIN: inputs that have to bring a frame, VMAFGPU_NEEDS_* */
    int64_t number[2]; /**< numbers of both frames in their inputs, from 0; -1: no reference frame.
                            Rule framesync may repeat a main frame: then number[0] is that of the
                            frame before */
    uint64_t tag[2];   /**< tags of both frames; 0 if there is none */
    int64_t index;     /**< VmafGpuResult.index of the pair; -1: no pair */
    int64_t time;      /**< time of the output, in main's time base: the frame's own, or with rule
                            framesync the event's; it then grows strictly */
} VmafGpuMatch;

/**
 * The next main frame. A pair was submitted: its result comes after those of the pairs before. Any
 * other frame ends the segment, as vmafgpu_flush() does.
 * -EAGAIN: if match->needs is 0, as many pairs are in flight as the context holds: collect one.
 * Else push a frame of each of these inputs, or vmafgpu_push_end(). With wait 0 the call does not
 * wait for the sketches of the latest frames; it may ask for a few more frames in place of that.
 * With wait 1 it waits for them, and decides every frame that can be decided. A program with a live
 * input passes 0, and 1 while the input has no frame. -ENODATA: every frame was decided and
 * counted.
 */
VMAFGPU_API int vmafgpu_next(VmafGpuContext *ctx, VmafGpuMatch *match, int wait);

typedef enum VmafGpuFinish {
    VMAFGPU_FINISH_END = 0, /**< all frames came; all pairs were collected, else -EBUSY */
    VMAFGPU_FINISH_STOPPED, /**< from outside: only what was collected counts */
    VMAFGPU_FINISH_FAILED   /**< likewise, after an error */
} VmafGpuFinish;

/**
 * End the counts, and pass the summary and the warnings about pairs to the log callback. Further
 * calls do nothing, unless vmafgpu_submit() has begun another clip in between. Call it before
 * vmafgpu_pairing(). It works also after -EIO.
 */
VMAFGPU_API int vmafgpu_finish(VmafGpuContext *ctx, int reason);

/** How the frames were paired, for a log. *out and its texts are valid until ctx is closed. */
VMAFGPU_API int vmafgpu_pairing(VmafGpuContext *ctx, VmafGpuPairing *out);

/**
 * Why a strict run has to fail: frames without a partner, repeated, without a time or damaged, or
 * an undecided beginning. "": it does not. Corrections by pictures that leave every frame with its
 * partner are no fault. Call vmafgpu_finish() first. Valid until ctx is closed.
 */
VMAFGPU_API const char *vmafgpu_pairing_fault(const VmafGpuContext *ctx);

/**
 * Count the samples in which two pictures differ, as the features see them: in luma, and in chroma
 * if a feature reads it. For checks, such as a surface of a decoder against a copy made otherwise.
 * It waits for the device and copies both pictures to the host, so it is slow. Both are taken as by
 * vmafgpu_submit(): on failure they remain the caller's, and release is not called.
 */
VMAFGPU_API int vmafgpu_compare(VmafGpuContext *ctx, const VmafGpuPicture *first,
                                const VmafGpuPicture *second, uint64_t *differing);

#ifdef __cplusplus
}
#endif

#endif /* VMAF_GPU_PAIRING_H */
