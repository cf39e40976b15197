/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See inputs.h.
 */
#include "inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decoder.h"
#include "output.h"
#include "platform.h"
#include "probe.h"
#include "stop.h"

/* " -map 0:2" if the user named the stream, which ffmpeg may not choose by itself. */
static const char *map_of(const VmafGpuInput *input, char words[32])
{
    words[0] = '\0';
    if (input->is_named)
        snprintf(words, 32, " -map 0:%d", input->stream);
    return words;
}

/* What the tool has no option for is done by FFmpeg, which makes another file. */
static void add_command(char *text, size_t size, const Inputs *inputs, const VmafGpuAdvice *advice,
                        int i)
{
    const char *option = advice->option[i], *filter = advice->filter[i];
    const char *path = inputs->paths[i];
    const size_t length = strlen(text);
    char map[32], name[2048];
    PlatformFile file; /* and no pipe, whose name is another one the next time */
    if (*option == '\0' && *filter == '\0')
        return;
    if (platform_file(path, &file) < 0 || platform_quote(name, sizeof(name), path) < 0)
        snprintf(name, sizeof(name), "\"INPUT\"");
    snprintf(text + length, size - length, "%sffmpeg %s%s-i %s%s%s%s%s -c:v ffv1 %s.mkv",
             strstr(text, ", e.g. ") != NULL ? ", and " : ", e.g. ", option,
             *option != '\0' ? " " : "", name, map_of(&inputs->tags.input[i], map),
             *filter != '\0' ? " -vf \"" : "", filter, *filter != '\0' ? "\"" : "",
             i == VMAFGPU_MAIN ? "MAIN" : "REFERENCE");
}

static void advise(void *opaque, const VmafGpuAdvice *advice)
{
    const Inputs *inputs = opaque;
    const int is_option = *advice->option[0] != '\0' || *advice->option[1] != '\0';
    VmafGpuAdvice part = *advice;
    char text[4096];
    output_spell(text, sizeof(text), advice->text);
    snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s%s",
             advice->is_scaling_enough ? ", e.g. --scale bicubic" : "",
             *advice->model != '\0' ? ", e.g. --model version=" : "", advice->model);
    /* One way is enough: the option, if there is one. */
    for (int i = 0; i < 2; ++i) {
        if (is_option)
            part.filter[i] = "";
        if (!advice->is_scaling_enough)
            add_command(text, sizeof(text), inputs, &part, i);
    }
    inputs->log(inputs->log_opaque, advice->level, text);
}

/* Prints advice for programs that word it for themselves. */
static void print_advice(void *opaque, const VmafGpuAdvice *advice)
{
    (void)opaque;
    printf("%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", advice->level, advice->is_scaling_enough,
           advice->model, advice->filter[VMAFGPU_MAIN], advice->filter[VMAFGPU_REFERENCE],
           advice->option[VMAFGPU_MAIN], advice->option[VMAFGPU_REFERENCE], advice->text);
}

static void start(Inputs *inputs, const Options *options, const Models *models)
{
    vmafgpu_inputs_default(&inputs->tags);
    inputs->paths = options->paths;
    inputs->tags.advise = advise;
    inputs->tags.advise_opaque = inputs;
    inputs->tags.is_as_is = options->is_as_is;
    inputs->tags.is_scaling = options->is_scaling;
    inputs->tags.models = inputs->models;
    for (int i = 0; i < models->count && !options->settings.features_only; ++i) {
        const char *name;
        for (int n = 0; (name = vmafgpu_model_builtin(n)) != NULL; ++n)
            if (strcmp(models->labels[i], name) == 0)
                inputs->models[inputs->tags.model_count++] = name;
    }
}

/* A refusal was said. */
static int decide(Inputs *inputs)
{
    vmafgpu_inputs_plan(&inputs->tags);
    return vmafgpu_inputs_check(&inputs->tags, NULL) < 0 ? -1 : 0;
}

static int fail_stream(const char *path, int is_main, int stream, const char *allowed)
{
    return output_say("%s: --stream_%s %d: %s", path, is_main ? "dist" : "ref", stream, allowed);
}

static int fail_probe(const char *path, const Probe *probe)
{
    if (probe->is_open)
        return output_say("%s: %s", path, probe->reason);
    return output_say("%s: not a Y4M file, and %s cannot read it: %s; %s", path, decoder_program(),
                      probe->reason, kVideoRawHint);
}

/*
 * Opens a file and sets what it is. Returns 1 if ffmpeg has to be asked: its probe has been
 * started.
 */
static int open_file(VideoReader *reader, Probe *probe, const Options *options, int i,
                     VmafGpuInput *input)
{
    const int stream = options->streams[i];
    const int is_other = video_open(reader, options->paths[i], &options->raw);
    if (is_other < 0)
        return output_say("%s", reader->error);
    if (is_other == 0) {
        video_tags(reader, input);
        return stream <= 0 ? 0
                           : fail_stream(reader->path, i == VMAFGPU_MAIN, stream,
                                         "Y4M and raw files have only stream 0");
    }
    if (probe_start(probe, options->paths[i], stream) == 0)
        return 1;
    return output_say("%s: not a Y4M file, and ffmpeg cannot be started to read it: %s; %s",
                      reader->path, strerror(errno), kVideoRawHint);
}

/* Opens the files, and what each is; both probes run at once. has_new: FFmpeg 7.0 or later. */
static int find_tags(Inputs *inputs, VideoReader readers[2], const Options *options,
                     int is_other[2], int *has_new)
{
    Probe probes[2];
    int status = 0;
    for (int i = 0; i < 2 && status == 0; ++i) {
        is_other[i] = open_file(&readers[i], &probes[i], options, i, &inputs->tags.input[i]);
        status = is_other[i] < 0 ? -1 : 0;
    }
    for (int i = 0; i < 2; ++i) {
        if (is_other[i] <= 0)
            continue;
        const int found = probe_finish(&probes[i]);
        inputs->tags.input[i] = probes[i].input;
        *has_new = probes[i].is_new;
        if (status == 0 && stop_signal() == 0 && found < 0)
            status = fail_probe(options->paths[i], &probes[i]);
    }
    return status == 0 && stop_signal() != 0 ? output_say("stopped by a signal") : status;
}

/* Whether the ffmpeg that is found can convert a Y4M file. */
static int find_new(const char *path)
{
    Probe probe;
    return probe_start(&probe, path, -1) == 0 && probe_finish(&probe) == 0 && probe.is_new;
}

/* Not by an older ffmpeg; and a pipe whose header was read cannot be read again. */
static int can_convert(const VmafGpuInputs *tags, int has_new, int is_read, const char *path)
{
    PlatformFile file;
    return (!tags->needs_ffmpeg_7 || has_new) &&
           (!is_read || (strcmp(path, "-") != 0 && platform_file(path, &file) == 0));
}

static int refuse(const VideoReader *reader, const VmafGpuInput *input, const char *filter)
{
    char map[32];
    return output_say("%s has to be converted, by FFmpeg 7.0 or later (VMAF_GPU_FFMPEG names "
                      "one), e.g. ffmpeg -i INPUT%s -vf \"%s\" -c:v ffv1 FILE.mkv; "
                      "--formats asis compares the samples as they are",
                      reader->path, map_of(input, map), filter);
}

static int fail_reader(const VideoReader *reader)
{
    return output_say("%s", stop_signal() != 0 ? "stopped by a signal" : reader->error);
}

/* Whether it matters which input ffmpeg turns: one is converted, or lies on its side. */
static int needs_turned(const VmafGpuInputs *tags)
{
    const VmafGpuInput *a = &tags->input[0], *b = &tags->input[1];
    return tags->needs_ffmpeg_7 ||
           (a->width != a->height && a->width == b->height && a->height == b->width);
}

int inputs_open(Inputs *inputs, VideoReader readers[2], const Options *options,
                const Models *models)
{
    const char *const *paths = options->paths;
    VmafGpuInputs *tags = &inputs->tags;
    int is_other[2] = {0, 0}, has_new = -1;
    start(inputs, options, models);
    tags->is_as_is |= options->raw.width > 0; /* raw samples are what the user says */
    if (find_tags(inputs, readers, options, is_other, &has_new) < 0)
        return -1;
    vmafgpu_inputs_plan(tags);
    for (int i = 0; i < 2 && needs_turned(tags); ++i)
        tags->input[i].is_turned = is_other[i] && probe_is_turned(paths[i], tags->input[i].stream);
    if (decide(inputs) < 0)
        return -1;
    if (tags->needs_ffmpeg_7 && has_new < 0)
        has_new = find_new(paths[tags->filter[0][0] != '\0' ? 0 : 1]);
    for (int i = 0; i < 2; ++i) {
        const char *filter = tags->filter[i];
        const int is_read = is_other[i] == 0;
        if (is_read && *filter == '\0')
            continue;
        if (*filter != '\0' && !can_convert(tags, has_new, is_read, paths[i]))
            return refuse(&readers[i], &tags->input[i], filter);
        if (video_decode(&readers[i], filter, &tags->input[i], 1, options->quiet) < 0)
            return fail_reader(&readers[i]);
    }
    return 0;
}

int inputs_advise(Inputs *inputs, const Options *options, const Models *models)
{
    start(inputs, options, models);
    for (int i = 0; i < 2; ++i)
        if (vmafgpu_input_parse(&inputs->tags.input[i], options->tags[i]) < 0)
            return output_say(
                "--tags_ref, --tags_dist: expected format=yuv420p:range=tv:size=640x360");
    inputs->tags.advise = print_advice;
    vmafgpu_inputs_plan(&inputs->tags);
    printf("%s\n%s\n%d\n", inputs->tags.filter[VMAFGPU_REFERENCE],
           inputs->tags.filter[VMAFGPU_MAIN], inputs->tags.needs_ffmpeg_7);
    return vmafgpu_inputs_check(&inputs->tags, NULL) < 0 ? -1 : 0;
}
