/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vmaf_gpu: the rule that says which reference frame a main frame is compared with.
 * It knows times, numbers and sketches of frames, no AVFrame and no FFmpeg: a test
 * compiles it alone. vf_vmaf_gpu_queue.c fills and empties its two queues.
 *
 * Times are nanoseconds. A sketch is a small picture of the luma plane, which the
 * engine makes (vmafgpu_image_sketch()). docs/pairing.md explains the rule.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */
#ifndef AVFILTER_VF_VMAF_GPU_PAIR_H
#define AVFILTER_VF_VMAF_GPU_PAIR_H

#include <stdint.h>

enum { VMAF_GPU_MAIN, VMAF_GPU_REFERENCE, VMAF_GPU_NB_INPUTS };

/* Bytes of a sketch. */
#define VMAF_GPU_SKETCH_SIZE (64 * 36)

/* Frames that a queue can hold. */
#define VMAF_GPU_QUEUE 64

#define VMAF_GPU_NO_TIME INT64_MIN
#define VMAF_GPU_MILLISECOND 1000000
/*
 * Times further from 0 (69 years) are taken for errors of the container. Four of them can be
 * added. Longer intervals (18 minutes) are gaps.
 */
#define VMAF_GPU_MOST_TIME INT64_C(2200000000000000000)
#define VMAF_GPU_MOST_INTERVAL (INT64_C(1) << 40)

/* Main frames that pictures look at: before the first pair, and after it. */
#define VMAF_GPU_LOOK_AHEAD_FIRST 14
#define VMAF_GPU_LOOK_AHEAD 6
/* Frames that a correction moves at most, likewise. */
#define VMAF_GPU_SHIFT_FIRST 8
#define VMAF_GPU_SHIFT 2

/* Half would do for times; 0.55 gives ties to what "-r" writes. */
#define VMAF_GPU_TOLERANCE(interval) ((interval) * 11 / 20)

#define VG_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define VG_MOST(a, b) ((a) > (b) ? (a) : (b))

typedef enum VmafGpuPairMode {
    VMAF_GPU_PAIR_AUTO,
    VMAF_GPU_PAIR_TIME,
    VMAF_GPU_PAIR_INDEX,
    VMAF_GPU_PAIR_FRAMESYNC, /* not of this rule */
} VmafGpuPairMode;

/* How the time shift between the inputs was found. */
typedef enum VmafGpuPairStart {
    VMAF_GPU_START_TOGETHER,       /* both begin within one frame */
    VMAF_GPU_START_PICTURES_FIRST, /* the pictures say: first with first */
    VMAF_GPU_START_PICTURES_TIME,  /* the pictures say: the times hold */
    VMAF_GPU_START_UNDECIDED,      /* by time, but nothing confirms it */
    VMAF_GPU_START_BY_OPTION,      /* by the user's offset */
} VmafGpuPairStart;

typedef struct VmafGpuPairItem {
    int64_t time;          /* greater than that of the item before */
    int64_t number;        /* in its input, from 0 */
    const uint8_t *sketch; /* NULL: not asked for yet */
    void *frame;           /* the caller's */
} VmafGpuPairItem;

typedef struct VmafGpuPairInput {
    VmafGpuPairItem item[VMAF_GPU_QUEUE]; /* the oldest first */
    int count;
    int ended;            /* no more frames will come */
    int64_t nominal;      /* interval that the stream declares; 0: unknown */
    int64_t frames;       /* that came so far */
    int64_t without_time; /* of these */
    int64_t backward;     /* of these: their time was not after that of the frame before */
    int64_t last_time, last_interval;
} VmafGpuPairInput;

/* A difference of two sketches that was computed before. */
typedef struct VmafGpuPairDifference {
    int64_t main, reference; /* numbers of the frames */
    int value;
} VmafGpuPairDifference;

typedef struct VmafGpuPairRule {
    /* Set by the caller. */
    VmafGpuPairMode mode;
    int64_t offset; /* of the first main frame, in reference frames */
    int has_offset;
    int most_main;      /* main frames to hold before the first pair */
    int most_reference; /* reference frames to hold */
    /* The sketch of an item's frame, or NULL on failure. */
    const uint8_t *(*get_sketch)(void *opaque, VmafGpuPairItem *item);
    void *opaque;

    /* Set by the rule. */
    VmafGpuPairInput in[VMAF_GPU_NB_INPUTS];
    int is_started;
    VmafGpuPairStart start;
    int is_start_compared; /* pictures had a say in it */
    int64_t start_offset; /* first main time - first reference time */
    int64_t shift;        /* main time - time of the partner that is wanted */
    int64_t first_frame_offset; /* start_offset in frames, rounded */
    int has_pair;         /* the first item of the reference was used */
    int64_t last_used;    /* number of the last reference frame used */
    int64_t corrections;  /* times that pictures moved shift */
    int64_t first_correction; /* main time of the first one */
    int failed;           /* a sketch could not be had */
    uint8_t previous[VMAF_GPU_SKETCH_SIZE]; /* of the main frame before */
    int has_previous;
    VmafGpuPairDifference cache[VMAF_GPU_QUEUE][VMAF_GPU_QUEUE];
} VmafGpuPairRule;

typedef enum VmafGpuPairStatus {
    VMAF_GPU_PAIR_DECIDED,        /* about the oldest main frame */
    VMAF_GPU_PAIR_NEEDS_FRAMES,   /* of inputs that have not ended */
    VMAF_GPU_PAIR_END,            /* no main frame is left, and none will come */
    VMAF_GPU_PAIR_FAILED,         /* no sketch */
} VmafGpuPairStatus;

typedef struct VmafGpuPairChoice {
    int reference; /* index of the partner in its queue, -1: none */
    int unused;    /* index up to which reference frames can be dropped; the partner stays */
    unsigned needs; /* bit i: input i must bring a frame first */
    int64_t distance; /* main time - shift - time of the partner */
} VmafGpuPairChoice;

/* --------------------------------------------- vf_vmaf_gpu_pair_times.c */

/** Set the caller's part to its defaults and everything else to the beginning. */
void ff_vmafgpu_pair_init(VmafGpuPairRule *rule, VmafGpuPairMode mode);

/**
 * Add a frame. The rule must have asked for it. time is within VMAF_GPU_MOST_TIME, or
 * VMAF_GPU_NO_TIME.
 */
void ff_vmafgpu_pair_add(VmafGpuPairRule *rule, int input, int64_t time, void *frame);

/** The oldest main frame is done: drop it, and count its partner as used. */
void ff_vmafgpu_pair_drop_main(VmafGpuPairRule *rule, const VmafGpuPairChoice *choice);

/** Drop the oldest reference frame. 1 if no pair used it. */
int ff_vmafgpu_pair_drop_reference(VmafGpuPairRule *rule);

/** Time from frame k of the queue to the next one, at most VMAF_GPU_MOST_INTERVAL. */
int64_t ff_vmafgpu_pair_interval(const VmafGpuPairInput *in, int k);

/** Mean over the queue, 0 if it is too short. */
int64_t ff_vmafgpu_pair_mean_interval(const VmafGpuPairInput *in);

/** Whether two intervals differ by over half_per_mille / 2000 and slack. 0 is unknown. */
int ff_vmafgpu_pair_differ(int64_t a, int64_t b, int64_t half_per_mille, int64_t slack);

/* ------------------------------------------ vf_vmaf_gpu_pair_pictures.c */

/** Sum of absolute differences of the sketches of two frames, by their places in the queues. */
int ff_vmafgpu_pair_difference(VmafGpuPairRule *rule, int main, int reference);

/** Whether times are in doubt, so that less evidence corrects them. */
int ff_vmafgpu_pair_in_doubt(const VmafGpuPairRule *rule);

/**
 * How many frames the partners of the first main frames have to move, 0: not at all.
 * partner: their places in the queue by time.
 */
int ff_vmafgpu_pair_find_correction(VmafGpuPairRule *rule, const int *partner, int frames);

/** Place r, or that of a frame nearby which is clearly closer to the first main frame. */
int ff_vmafgpu_pair_closer_neighbour(VmafGpuPairRule *rule, int r);

/** Let the shift follow clocks that drift. r: the partner of the first main frame. */
void ff_vmafgpu_pair_follow_clock(VmafGpuPairRule *rule, int r);

/* --------------------------------------------------- vf_vmaf_gpu_pair.c */

/** Decide about the oldest main frame. Returns a VmafGpuPairStatus. */
int ff_vmafgpu_pair_decide(VmafGpuPairRule *rule, VmafGpuPairChoice *choice);

#endif /* AVFILTER_VF_VMAF_GPU_PAIR_H */
