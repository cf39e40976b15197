/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * See vf_vmaf_gpu_chunk.h. The engine knows the chunk, too: it scores the pairs around it
 * and leaves them out of pooled values and logs.
 *
 * This file is part of vmaf_gpu and, once grafted, of FFmpeg.
 *
 * FFmpeg is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libavutil/common.h"
#include "libavutil/error.h"
#include "libavutil/log.h"
#include "libavutil/mem.h"
#include "libavutil/opt.h"

#include "vf_vmaf_gpu.h"

#define MOST_PAIRS (INT64_C(1) << 40)

/* --------------------------------------------------------------- options */

/* One number, then '-' or the end of the text. Nothing stands for 0. */
static int parse_number(const char **cursor, int64_t *number)
{
    char *end;

    *number = 0;
    if (**cursor >= '0' && **cursor <= '9') {
        errno = 0;
        *number = strtoll(*cursor, &end, 10);
        if (errno || *number > MOST_PAIRS)
            return -1;
        *cursor = end;
    }
    if (**cursor && **cursor != '-')
        return -1;
    return 0;
}

/* FIRST-BEGIN, FIRST-BEGIN-END or FIRST-BEGIN-END-TOTAL. */
static int parse_range(const char *text, VmafGpuChunk *range)
{
    int64_t *const numbers[] = {&range->first, &range->begin, &range->end, &range->total};
    int count = 0;

    for (const char *cursor = text;; cursor++) {
        const char *start = cursor;

        if (count == FF_ARRAY_ELEMS(numbers) || parse_number(&cursor, numbers[count]) < 0 ||
            (cursor == start && count < 2)) /* END and TOTAL may be left out */
            return -1;
        count++;
        if (!*cursor)
            return count < 2 ? -1 : 0;
    }
}

static int refuse(AVFilterContext *ctx, const char *text)
{
    const VmafGpuFilter *s = ctx->priv;

    if (s->chunk.is_given)
        av_log(ctx, AV_LOG_ERROR, "chunk=%s: %s\n", s->opt.chunk, text);
    else
        av_log(ctx, AV_LOG_ERROR, "log_fmt=part: %s\n", text);
    return AVERROR(EINVAL);
}

int ff_vmafgpu_is_part(const VmafGpuFilter *s)
{
    return !strcmp(s->log_format, "part");
}

/* The n-th frame of an input has to be the n-th one of the whole run. */
static int check_pairing(AVFilterContext *ctx)
{
    const VmafGpuFilter *s = ctx->priv;

    if (s->pair != VMAFGPU_PAIR_INDEX)
        return refuse(ctx, "parts of a run are pairs by number: add pair=index");
    if (s->has_offset)
        return refuse(ctx, "it cannot be combined with offset=: give the filter both inputs from "
                           "the frames of the same pair on");
    if (s->opt.shortest)
        return refuse(ctx, "it cannot be combined with shortest=1: a part ends where its pairs end");
    return 0;
}

int ff_vmafgpu_parse_chunk(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    VmafGpuChunk *range = &s->chunk.range;

    s->chunk.is_given = !!s->opt.chunk;
    s->chunk.end = s->chunk.needed = INT64_MAX;
    if (!s->chunk.is_given && !ff_vmafgpu_is_part(s))
        return 0;
    if (s->chunk.is_given) {
        if (parse_range(s->opt.chunk, range) < 0)
            return refuse(ctx, "expected FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END "
                               "and TOTAL may be 0 or left out");
        if (!range->end)
            range->end = range->total; /* may be 0, too */
        if (range->end)
            s->chunk.end = range->end;
        if (range->first > range->begin || range->begin >= s->chunk.end ||
            (range->total && range->end > range->total))
            return refuse(ctx, "expected FIRST <= BEGIN < END <= TOTAL");
        return check_pairing(ctx);
    }
    return 0; /* a part of the whole run: its pairs are found like those of any run */
}

/* ---------------------------------------------------------------- engine */

const VmafGpuChunk *ff_vmafgpu_chunk_settings(const VmafGpuFilter *s)
{
    return s->chunk.is_given || ff_vmafgpu_is_part(s) ? &s->chunk.range : NULL;
}

int ff_vmafgpu_begin_chunk(AVFilterContext *ctx)
{
    VmafGpuFilter *s = ctx->priv;
    const VmafGpuChunk *range = &s->chunk.range;
    int64_t before, after;
    uint8_t *enable = NULL;

    if (!ff_vmafgpu_chunk_settings(s))
        return 0;
    if (av_opt_get(ctx, "enable", AV_OPT_ALLOW_NULL, &enable) >= 0 && enable) {
        av_free(enable);
        return refuse(ctx, "it cannot be combined with enable=: a part has all its pairs");
    }
    vmafgpu_history(s->engine, &before, &after);
    /* The last chunk looks for the end of its inputs: they must have no more pairs. */
    if (range->end && range->end != range->total)
        s->chunk.needed = range->total ? FFMIN(range->end + after, range->total) : range->end + after;
    return 0;
}

int ff_vmafgpu_is_in_chunk(const VmafGpuFilter *s, int64_t index)
{
    return index >= s->chunk.range.begin && index < s->chunk.end;
}

int ff_vmafgpu_check_match(AVFilterContext *ctx, const VmafGpuMatch *match)
{
    const VmafGpuFilter *s = ctx->priv;
    const VmafGpuChunk *range = &s->chunk.range;

    if (!ff_vmafgpu_chunk_settings(s))
        return 0;
    if (match->kind == VMAFGPU_MATCH_DISABLED) /* by a command */
        return refuse(ctx, "it cannot be combined with enable=: a part has all its pairs");
    if (!range->total || match->index < range->total)
        return 0;
    av_log(ctx, AV_LOG_ERROR, "chunk=%s: the run has more than %" PRId64 " pairs: both inputs go on\n",
           s->opt.chunk, range->total);
    return AVERROR_INVALIDDATA;
}

const char *ff_vmafgpu_chunk_lacks(const VmafGpuFilter *s, char *text, size_t size)
{
    const VmafGpuChunk *range = &s->chunk.range;
    const int64_t reached = range->first + s->collected;
    const int64_t needed = s->chunk.needed < INT64_MAX ? s->chunk.needed : range->total;

    if (!ff_vmafgpu_chunk_settings(s))
        return NULL;
    if (s->is_stopped && (!needed || reached < needed))
        snprintf(text, size, "it was stopped after pair %" PRId64 ", before the end of the chunk",
                 reached - 1);
    else if (reached <= range->begin)
        snprintf(text, size, "it begins at pair %" PRId64 ", but the input ended before it", range->begin);
    else if (range->total && reached < needed)
        snprintf(text, size, "the input ended after pair %" PRId64 ", but pairs up to %" PRId64
                 " are needed", reached - 1, needed - 1);
    else
        return NULL;
    return text;
}
