/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Gives hardware frames without hardware to the vmaf_gpu filter and prints the
 * scores: DRM_PRIME over memfds, VAAPI over a display of our own. Built against a
 * grafted FFmpeg tree and run by tests/filter/frames.sh.
 *
 *     frames MAIN REFERENCE COUNT OPTIONS     kinds of frames: see sources.h
 *
 * The last line says how many fds were open before, at most in each half of the run,
 * and in the end, and how many surfaces were mapped and libva's objects left in the end.
 * STANDIN_PCI is the address that sysfs has for the device node of the frames.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/dict.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>

#include "sources.h"
#include "surface.h"
#include "va_standin.h"

/* Instead of the C library's: /dev/null, our device node, is on a bus. */
ssize_t readlink(const char *restrict path, char *restrict to, size_t size)
{
    const char *pci = getenv("STANDIN_PCI");

    if (strcmp(path, "/sys/dev/char/1:3/device"))
        return syscall(SYS_readlink, path, to, size);
    if (!pci) {
        errno = ENOENT;
        return -1;
    }
    return snprintf(to, size, "../../../%s", pci);
}

static int open_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -3; /* this one, and two dots */

    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int mapped_surfaces(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int count = 0;

    while (fgets(line, sizeof(line), maps))
        count += strstr(line, "memfd:surface") != NULL;
    fclose(maps);
    return count;
}

static AVFilterGraph *graph;

static void check(int ret, const char *what)
{
    if (ret >= 0)
        return;
    fprintf(stderr, "%s: error %d\n", what, ret);
    avfilter_graph_free(&graph); /* the stand-ins count what was left */
    exit(1);
}

static AVFilterContext *add_source(Source *source, const char *name)
{
    AVFilterContext *filter =
        avfilter_graph_alloc_filter(graph, avfilter_get_by_name("buffer"), name);
    AVBufferSrcParameters *parameters = av_buffersrc_parameters_alloc();

    parameters->format = source_format(source);
    parameters->width = SURFACE_WIDTH;
    parameters->height = SURFACE_HEIGHT;
    parameters->time_base = (AVRational){1, 25};
    parameters->hw_frames_ctx = source_frames(source);
    check(av_buffersrc_parameters_set(filter, parameters), "buffersrc");
    av_free(parameters);
    check(avfilter_init_dict(filter, NULL), "buffersrc");
    return filter;
}

static void print_scores(AVFilterContext *sink)
{
    AVFrame *frame = av_frame_alloc();

    while (av_buffersink_get_frame(sink, frame) >= 0) {
        const AVDictionaryEntry *entry = NULL;

        printf("%d", (int)frame->pts);
        while ((entry = av_dict_get(frame->metadata, "", entry, AV_DICT_IGNORE_SUFFIX)))
            printf(" %s=%s", entry->key, entry->value);
        printf("\n");
        av_frame_unref(frame);
    }
    av_frame_free(&frame);
}

int main(int argc, char **argv)
{
    AVFilterContext *filter = NULL, *sink = NULL, *inputs[2];
    Source *sources[2];
    int drm_fd, fds, most[2] = {0, 0}, count;

    if (argc != 5)
        return 2;
    av_log_set_level(AV_LOG_VERBOSE);
    drm_fd = open("/dev/null", O_RDWR);
    fds = open_fds();
    graph = avfilter_graph_alloc();
    check(avfilter_graph_create_filter(&filter, avfilter_get_by_name("vmaf_gpu"), "vmaf", argv[4],
                                       NULL, graph),
          "vmaf_gpu");
    check(avfilter_graph_create_filter(&sink, avfilter_get_by_name("buffersink"), "out", NULL, NULL,
                                       graph),
          "buffersink");
    check(avfilter_link(filter, 0, sink, 0), "link");
    for (int i = 0; i < 2; i++) {
        sources[i] = source_open(argv[1 + i], i == 0, drm_fd);
        inputs[i] = add_source(sources[i], i ? "reference" : "main");
        check(avfilter_link(inputs[i], 0, filter, (unsigned)i), "link");
    }
    check(avfilter_graph_config(graph, NULL), "graph");
    count = atoi(argv[3]);
    for (int n = 0; n < count; n++) {
        int *half = &most[2 * n >= count];

        for (int i = 0; i < 2; i++) {
            AVFrame *frame = source_frame(sources[i], n);

            check(frame ? 0 : -1, "frame");
            check(av_buffersrc_add_frame_flags(inputs[i], frame, AV_BUFFERSRC_FLAG_PUSH), "frame");
            av_frame_free(&frame);
        }
        print_scores(sink);
        if (open_fds() > *half)
            *half = open_fds();
    }
    for (int i = 0; i < 2; i++)
        check(av_buffersrc_add_frame_flags(inputs[i], NULL, AV_BUFFERSRC_FLAG_PUSH), "end");
    print_scores(sink);
    avfilter_graph_free(&graph);
    for (int i = 0; i < 2; i++)
        source_close(&sources[i]);
    fflush(stdout);
    fprintf(stderr,
            "fds: %d before, %d in the first half, %d in the second, %d after; "
            "%d surfaces mapped, %d objects of libva left\n",
            fds, most[0], most[1], open_fds(), mapped_surfaces(), va_standin_left());
    return 0;
}
