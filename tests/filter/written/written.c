/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Three graphs with one log_path. The first is open while the second begins; the third begins when
 * the first has completed its log. Then a video comes to the name of a log that is being written.
 * At last a hundred graphs one after the other, all stopped in mid-run. Called by files.sh in an
 * empty folder.
 */
#include <stdio.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavutil/frame.h>

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

/* As many jobs as files: each is stopped in mid-run, and the next one is another job. */
static void stop_many(void)
{
    AVFrame *frame = av_frame_alloc();

    for (int i = 0; i < 100; i++) {
        char name[32];
        AVFilterGraph *graph;

        snprintf(name, sizeof(name), "many%d.csv", i);
        graph = begin(name);
        if (!graph ||
            av_buffersink_get_frame(avfilter_graph_get_filter(graph, "buffersink@out"), frame) < 0)
            failures++;
        av_frame_unref(frame);
        avfilter_graph_free(&graph);
    }
    av_frame_free(&frame);
}

int main(void)
{
    AVFilterGraph *first = begin("log.csv"), *second = begin("log.csv"), *third, *fourth;

    run(first);
    run(second);
    avfilter_graph_free(&first);
    third = begin("log.csv");
    avfilter_graph_free(&second);
    avfilter_graph_free(&third);
    fourth = begin("late.csv");
    put_video("late.csv");
    run(fourth);
    avfilter_graph_free(&fourth);
    stop_many();
    return failures != 0;
}
