/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * A program that reads the exported option log_written: three graphs with one log_path. The first
 * is open while the second begins; the third begins when the first has completed its log. Then a
 * video comes to the name of a log that is being written.
 * Called by files.sh in an empty folder.
 */
#include <stdio.h>
#include <string.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavutil/frame.h>
#include <libavutil/opt.h>

static int failures;

static AVFilterGraph *begin(const char *log)
{
    AVFilterGraph *graph = avfilter_graph_alloc();
    AVFilterInOut *inputs = NULL, *outputs = NULL;
    char text[300];

    snprintf(text, sizeof(text), "testsrc2=size=64x64:duration=0.2,format=yuv420p,split[a][b];"
             "[a][b]vmaf_gpu@f=backend=cpu:log_fmt=csv:log_path=%s,buffersink@out", log);
    if (graph && avfilter_graph_parse2(graph, text, &inputs, &outputs) >= 0 &&
        avfilter_graph_config(graph, NULL) >= 0)
        return graph;
    failures++;
    fprintf(stderr, "a graph cannot be configured\n");
    avfilter_graph_free(&graph);
    return NULL;
}

static void expect_name(AVFilterGraph *graph, const char *wanted)
{
    uint8_t *name = NULL;

    if (graph && av_opt_get(avfilter_graph_get_filter(graph, "vmaf_gpu@f"), "log_written",
                            AV_OPT_SEARCH_CHILDREN, &name) >= 0 &&
        name && !strcmp((const char *)name, wanted)) {
        av_free(name);
        return;
    }
    failures++;
    fprintf(stderr, "log_written is '%s' instead of '%s'\n", name ? (const char *)name : "", wanted);
    av_free(name);
}

static void run(AVFilterGraph *graph)
{
    AVFrame *frame = av_frame_alloc();
    int frames = 0;

    while (graph && av_buffersink_get_frame(avfilter_graph_get_filter(graph, "buffersink@out"),
                                            frame) >= 0) {
        frames++;
        av_frame_unref(frame);
    }
    av_frame_free(&frame);
    if (frames == 5)
        return;
    failures++;
    fprintf(stderr, "%d frames instead of 5\n", frames);
}

static void put_video(const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs("YUV4MPEG2 W16 H16\n", file) < 0 || fclose(file))
        failures++;
}

int main(void)
{
    AVFilterGraph *first = begin("log.csv"), *second = begin("log.csv"), *third, *fourth;

    expect_name(first, "log.csv");
    expect_name(second, "log.1.csv");
    run(first);
    run(second);
    avfilter_graph_free(&first);
    third = begin("log.csv");
    expect_name(third, "log.csv");
    avfilter_graph_free(&second);
    avfilter_graph_free(&third);
    fourth = begin("late.csv");
    put_video("late.csv");
    run(fourth);
    expect_name(fourth, "late.1.csv");
    avfilter_graph_free(&fourth);
    return failures != 0;
}
