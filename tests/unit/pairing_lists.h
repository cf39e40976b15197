/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Random inputs of the rules auto, time and index: times, what the frames show, options. Plain C
 * and integers only, as framesync_lists.h: the program that recorded pairing_recorded.h, with the
 * rules of the FFmpeg filter of before, includes this as well.
 */
#ifndef VMAF_GPU_TESTS_PAIRING_LISTS_H
#define VMAF_GPU_TESTS_PAIRING_LISTS_H

#include "framesync_lists.h"

enum { PAIRING_LISTS = 2400, PAIRING_BLOCK = 100, PAIRING_MOST = 90, PAIRING_SKETCH = 64 * 36 };

typedef struct PairingCase {
    int mode; /* 0 auto, 1 time, 2 index */
    int has_offset, offset;
    int limit[2];
    int64_t nominal[2]; /* nanoseconds a frame; 0: unknown */
    int count[2];
    int64_t time[2][PAIRING_MOST]; /* nanoseconds; INT64_MIN: none */
    int content[2][PAIRING_MOST];  /* what a frame shows: a moment, in frames of the source */
    int speed, noise;              /* speed and noise of the pictures */
} PairingCase;

/* Main or reference: frames of a source that moves on, in the clock of a container. */
static void pairing_fill(uint64_t *state, PairingCase *out, int input, int64_t interval)
{
    static const int64_t units[] = {1, 1000000, 11111, 1000000, 100, 41708};
    const int64_t unit = units[framesync_random(state, 6)];
    const int has_losses = framesync_random(state, 3) == 0;
    const int has_faults = framesync_random(state, 8) == 0;
    const int is_variable = framesync_random(state, 8) == 0;
    int64_t shown = framesync_random(state, 3) == 0 ? (int64_t)framesync_random(state, 7) : 0;
    int64_t time = (int64_t)framesync_random(state, 4) == 0
                       ? (int64_t)framesync_random(state, 20) * interval / 3
                       : (int64_t)framesync_random(state, 20) * 1000000;
    out->nominal[input] = framesync_random(state, 5) == 0 ? 0 : interval;
    out->count[input] = (int)framesync_random(state, PAIRING_MOST + 1);
    if (framesync_random(state, 8) == 0)
        out->count[input] = (int)framesync_random(state, 5);
    for (int i = 0; i < out->count[input]; ++i) {
        out->time[input][i] = time / unit * unit;
        out->content[input][i] = (int)(shown * interval / 10000000);
        const int lost = has_losses && framesync_random(state, 6) == 0;
        shown += lost ? 2 : 1;
        time += lost ? 2 * interval : interval;
        if (has_losses && framesync_random(state, 15) == 0)
            --shown; /* a frame that is repeated */
        if (is_variable)
            time += (int64_t)framesync_random(state, 20) * 1000000;
        if (has_faults && framesync_random(state, 10) == 0)
            out->time[input][i] = framesync_random(state, 2) ? INT64_MIN : time - 3 * interval;
    }
}

static void pairing_case(int number, PairingCase *out)
{
    static const int64_t intervals[] = {41708333, 41666667, 40000000, 33366667, 20000000, 16683333};
    uint64_t state = UINT64_C(2463534242) + (uint64_t)number * 104729;
    for (int i = 0; i < 20; ++i)
        framesync_random(&state, 2);
    const int first = (int)framesync_random(&state, 6);
    const int second = framesync_random(&state, 3) ? first : (int)framesync_random(&state, 6);
    out->mode = framesync_random(&state, 3) ? 0 : 1 + (int)framesync_random(&state, 2);
    out->has_offset = framesync_random(&state, 8) == 0;
    out->offset = out->has_offset ? (int)framesync_random(&state, 13) - 6 : 0;
    out->limit[0] = out->limit[1] = 64;
    if (framesync_random(&state, 6) == 0) {
        out->limit[0] = 4 + (int)framesync_random(&state, 20);
        out->limit[1] = 6 + (int)framesync_random(&state, 30);
    }
    out->speed = (int)framesync_random(&state, 12);
    out->noise = (int)framesync_random(&state, 4) * 8 + 1;
    pairing_fill(&state, out, 0, intervals[first]);
    pairing_fill(&state, out, 1, intervals[second]);
}

/* Stripes that move, with noise that is another one in every frame. */
static void pairing_sketch(const PairingCase *in, int input, int frame, uint8_t *sketch)
{
    uint64_t state = UINT64_C(88172645463325252) + (uint64_t)(2 * frame + input);
    for (int i = 0; i < PAIRING_SKETCH; ++i) {
        const int place = (i % 64 * 9 + i / 64 * 3 + in->content[input][frame] * in->speed) & 511;
        const int level = (place < 256 ? place : 511 - place) * 7 / 8;
        sketch[i] = (uint8_t)(level + (int)framesync_random(&state, (uint64_t)in->noise));
    }
}

#endif
