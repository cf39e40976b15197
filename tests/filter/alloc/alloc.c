/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * A graph with vmaf_gpu in it, again and again, with another allocation failing each time:
 * from making the filter to freeing the graph. Each time there is an error, or every frame
 * with its scores; and nothing stays allocated, unless what failed was called by FFmpeg for
 * itself, which loses memory in such cases. Built against a grafted FFmpeg tree and run by
 * tests/filter/alloc_failures.sh.
 *
 *     alloc OPTIONS
 */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/dict.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>

#include "fail_malloc.h"

#define SIZE 32
#define FRAMES 4
#define EACH 1500 /* the first allocations are all tried */
#define SOME 500 /* so many of the others */

static AVFrame *frames[2][FRAMES];
static char scores[8192]; /* scores of the frames that came out of the last graph */

static void make_frames(void)
{
    for (int i = 0; i < 2 * FRAMES; i++) {
        AVFrame *frame = frames[i % 2][i / 2] = av_frame_alloc();

        frame->width = frame->height = SIZE;
        frame->format = AV_PIX_FMT_YUV420P; /* FFmpeg converts others, and its scale does crash */
        frame->pts = i / 2;
        if (av_frame_get_buffer(frame, 0) < 0)
            exit(2);
        for (int plane = 1; plane < 3; plane++)
            memset(frame->data[plane], 128, (size_t)frame->linesize[plane] * SIZE / 2);
        for (int at = 0; at < SIZE * SIZE; at++)
            frame->data[0][at / SIZE * frame->linesize[0] + at % SIZE] =
                (uint8_t)(at * 7 + at / SIZE * 31 * (i / 2 + 1) + i % 2 * (at % 5));
    }
}

static int add_source(AVFilterGraph *graph, const char *name, AVFilterContext **source)
{
    char text[100];

    snprintf(text, sizeof(text), "video_size=%dx%d:pix_fmt=yuv420p:time_base=1/25", SIZE, SIZE);
    return avfilter_graph_create_filter(source, avfilter_get_by_name("buffer"), name, text, NULL,
                                        graph);
}

static int receive(AVFilterContext *sink)
{
    AVFrame *frame = av_frame_alloc();
    int ret;

    if (!frame)
        return AVERROR(ENOMEM);
    while ((ret = av_buffersink_get_frame(sink, frame)) >= 0) {
        const AVDictionaryEntry *entry = NULL;

        while ((entry = av_dict_get(frame->metadata, "", entry, AV_DICT_IGNORE_SUFFIX))) {
            size_t at = strlen(scores);

            snprintf(scores + at, sizeof(scores) - at, "%s=%s ", entry->key, entry->value);
        }
        av_frame_unref(frame);
    }
    av_frame_free(&frame);
    return ret == AVERROR(EAGAIN) || ret == AVERROR_EOF ? 0 : ret;
}

static int run(AVFilterGraph *graph, const char *options)
{
    AVFilterContext *filter = NULL, *sink = NULL, *sources[2] = {NULL, NULL};
    int ret;

    if ((ret = avfilter_graph_create_filter(&filter, avfilter_get_by_name("vmaf_gpu"), "vmaf",
                                            options, NULL, graph)) < 0 ||
        (ret = avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", NULL,
                                            NULL, graph)) < 0 ||
        (ret = add_source(graph, "main", &sources[0])) < 0 ||
        (ret = add_source(graph, NULL, &sources[1])) < 0 || /* a filter without a name */
        (ret = avfilter_link(sources[0], 0, filter, 0)) < 0 ||
        (ret = avfilter_link(sources[1], 0, filter, 1)) < 0 ||
        (ret = avfilter_link(filter, 0, sink, 0)) < 0 ||
        (ret = avfilter_graph_config(graph, NULL)) < 0)
        return ret;
    for (int n = 0; n <= FRAMES; n++) {
        for (int i = 0; i < 2; i++)
            if ((ret = av_buffersrc_add_frame_flags(
                     sources[i], n < FRAMES ? frames[i][n] : NULL,
                     AV_BUFFERSRC_FLAG_KEEP_REF | AV_BUFFERSRC_FLAG_PUSH)) < 0)
                return ret;
        if ((ret = receive(sink)) < 0)
            return ret;
    }
    return 0;
}

/* `calls`: allocations of the run. */
static int attempt(const char *options, long first, long *calls)
{
    AVFilterGraph *graph;
    int ret = AVERROR(ENOMEM);

    scores[0] = 0;
    fail_malloc_arm(first, first);
    graph = avfilter_graph_alloc();
    if (graph) {
        graph->nb_threads = 1;
        ret = run(graph, options);
    }
    avfilter_graph_free(&graph);
    *calls = fail_malloc_calls();
    fail_malloc_arm(0, 0);
    return ret;
}

static void *stack[40];
static int depth;

static void remember_stack(void)
{
    depth = backtrace(stack, 40);
}

/* Whether the filter or the engine wanted the memory that was refused last. */
static int was_ours(void)
{
    char **names = backtrace_symbols(stack, depth);
    int found = 0;

    for (int i = 0; i < depth; i++)
        found |= strstr(names[i], "vmafgpu") != NULL;
    free(names);
    return found;
}

/* Three times the same failure: what is kept once, for later, is no leak. */
static int leaks(const char *options, long first)
{
    for (int i = 0; i < 3; i++) {
        long before = fail_malloc_alive(), calls;

        attempt(options, first, &calls);
        if (fail_malloc_alive() <= before)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    static char expected[sizeof(scores)];
    char options[300];
    long calls, total, tried = 0, refused = 0, failed = 0, others = 0;
    int grown;

    if (argc != 2)
        return 2;
    snprintf(options, sizeof(options), "%s:log_fmt=csv:log_path=/dev/null", argv[1]);
    av_log_set_level(AV_LOG_ERROR);
    remember_stack(); /* loads a library at first */
    fail_malloc_notify(remember_stack);
    make_frames();
    for (int i = 0; i < 3; i++)
        if (attempt(options, 0, &total) < 0)
            return 3;
    memcpy(expected, scores, sizeof(scores));
    if (!strstr(expected, "lavfi.vmaf_gpu.vmaf="))
        return 4;
    av_log_set_level(AV_LOG_QUIET);
    for (long first = 1; first <= total; tried++) {
        long before = fail_malloc_alive();
        int ret = attempt(options, first, &calls);

        refused += ret < 0;
        if (ret >= 0 && strcmp(scores, expected)) {
            fprintf(stderr, "allocation %ld: other scores, and no error\n", first);
            failed++;
        }
        grown = fail_malloc_alive() > before;
        if (grown && !was_ours()) {
            others += leaks(options, first);
        } else if (grown && leaks(options, first)) {
            fprintf(stderr, "allocation %ld: a leak\n", first);
            backtrace_symbols_fd(stack, depth < 14 ? depth : 14, 2);
            failed++;
        }
        first += first < EACH || total - EACH < SOME ? 1 : (total - EACH) / SOME;
    }
    if (attempt(options, 0, &calls) < 0 || strcmp(scores, expected)) {
        fprintf(stderr, "the last run, with all its memory, is another\n");
        failed++;
    }
    for (int i = 0; i < 2 * FRAMES; i++)
        av_frame_free(&frames[i % 2][i / 2]);
    printf("alloc_failures: %ld of %ld allocations of %s failed in turn, %ld runs with an error, "
           "%ld with a leak of FFmpeg's own; %ld failed\n",
           tried, total, argv[1], refused, others, failed);
    return failed != 0 || refused < 50;
}
