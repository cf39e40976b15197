/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Random lists of times, and options, for the rule framesync. Plain C: the program that recorded
 * FFmpeg's own events of them (framesync_recorded.h) includes this as well. Numbers are integers
 * only, so that every machine has the same lists.
 */
#ifndef VMAF_GPU_TESTS_FRAMESYNC_LISTS_H
#define VMAF_GPU_TESTS_FRAMESYNC_LISTS_H

#include <stdint.h>

enum { FRAMESYNC_LISTS = 20000, FRAMESYNC_BLOCK = 100, FRAMESYNC_MOST = 40 };

typedef struct FramesyncCase {
    int eof_action, shortest, repeatlast, nearest;
    int base_num[2], base_den[2];
    int count[2];
    int64_t pts[2][FRAMESYNC_MOST]; /* INT64_MIN: none */
} FramesyncCase;

static inline uint64_t framesync_random(uint64_t *state, uint64_t count) /* 0 ... count - 1 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (*state >> 11) % count;
}

/* Frames of a rate, a part of them late, lost, twice at one time, backward or without time. */
static inline void framesync_fill(uint64_t *state, FramesyncCase *out, int input, int is_rough)
{
    static const int rates[][2] = {{24000, 1001}, {24, 1},       {25, 1}, {30000, 1001},
                                   {50, 1},       {60000, 1001}, {12, 1}};
    const int *rate = rates[framesync_random(state, 7)];
    const int64_t num = out->base_num[input], den = out->base_den[input];
    const int64_t offset = (int64_t)framesync_random(state, 7) - 3;
    int64_t number = 0;
    out->count[input] = (int)framesync_random(state, FRAMESYNC_MOST + 1);
    if (framesync_random(state, 8) == 0)
        out->count[input] = (int)framesync_random(state, 3);
    for (int i = 0; i < out->count[input]; ++i) {
        /* The unit is half a frame: 64 bits are enough for 200 frames in every time base. */
        const int64_t halves = 2 * number + offset + 8;
        int64_t pts = halves * rate[1] * den / (2 * rate[0] * num);
        number += framesync_random(state, 9) == 0 ? 1 + (int64_t)framesync_random(state, 4) : 1;
        if (is_rough) {
            const uint64_t fault = framesync_random(state, 12);
            if (fault == 0 && i > 0)
                pts = out->pts[input][i - 1];
            else if (fault == 1)
                pts -= den / num / 10;
            else if (fault == 2)
                pts += (int64_t)framesync_random(state, (uint64_t)(den / num / 20 + 2));
            else if (fault == 3 && framesync_random(state, 6) == 0)
                pts = INT64_MIN;
        }
        out->pts[input][i] = pts;
    }
}

static inline void framesync_case(int number, FramesyncCase *out)
{
    static const int bases[][2] = {{1, 1000},     {1, 90000}, {1001, 24000}, {1, 25},
                                   {1, 12800},    {1, 24},    {1001, 30000}, {1, 1000000},
                                   {1, 16000000}, {1, 15360}};
    uint64_t state = UINT64_C(88172645463325252) + (uint64_t)number * 7919;
    for (int i = 0; i < 20; ++i)
        framesync_random(&state, 2);
    out->eof_action = (int)framesync_random(&state, 3);
    out->shortest = framesync_random(&state, 4) == 0;
    out->repeatlast = framesync_random(&state, 4) != 0;
    out->nearest = (int)framesync_random(&state, 2);
    const int is_rough = framesync_random(&state, 2) == 0;
    for (int i = 0; i < 2; ++i) {
        const int *base = bases[framesync_random(&state, 10)];
        out->base_num[i] = base[0];
        out->base_den[i] = base[1];
        framesync_fill(&state, out, i, is_rough);
    }
}

/* Adds a number to the hash of what happened. The first hash is 14695981039346656037. */
static inline uint64_t framesync_hash(uint64_t hash, int64_t value)
{
    for (int i = 0; i < 8; ++i) {
        hash ^= (uint64_t)value >> (8 * i) & 255;
        hash *= UINT64_C(1099511628211);
    }
    return hash;
}

#endif
