/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See inputs.h.
 */
#include "inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "platform.h"
#include "probe.h"
#include "stop.h"

static void start(Inputs *inputs, const Options *options, const Models *models)
{
    void (*const log)(void *, int, const char *) = inputs->tags.log;
    void *const opaque = inputs->tags.log_opaque;
    vmafgpu_inputs_default(&inputs->tags);
    inputs->tags.log = log;
    inputs->tags.log_opaque = opaque;
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

static int decide(Inputs *inputs)
{
    const VmafGpuInput *input = inputs->tags.input;
    VmafGpuError error;
    vmafgpu_inputs_plan(&inputs->tags);
    if (vmafgpu_inputs_check(&inputs->tags, &error) == 0)
        return 0;
    const int is_scalable = !inputs->tags.is_scaling && (input[0].width != input[1].width ||
                                                         input[0].height != input[1].height);
    return output_say("%s%s", error.text,
                      is_scalable ? "; --scale bicubic scales the distorted video" : "");
}

static int fail_stream(const char *path, int is_main, int stream, const char *allowed)
{
    return output_say("%s: --stream_%s %d: %s", path, is_main ? "dist" : "ref", stream, allowed);
}

static int fail_probe(const char *path, const Probe *probe)
{
    if (probe->is_open)
        return output_say("%s: %s", path, probe->reason);
    return output_say("%s: not a Y4M file, and ffmpeg cannot read it: %s; %s", path, probe->reason,
                      video_raw_hint);
}

/* What a file is, or a probe of it that runs. 1: a probe. */
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
                      reader->path, strerror(errno), video_raw_hint);
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

static int refuse(const VideoReader *reader, const char *filter)
{
    return output_say("%s has to be converted, by FFmpeg 7.0 or later (VMAF_GPU_FFMPEG names "
                      "one), e.g. ffmpeg -i INPUT -vf \"%s\" -c:v ffv1 FILE.mkv; "
                      "--formats asis compares the samples as they are",
                      reader->path, filter);
}

static int fail_reader(const VideoReader *reader)
{
    return output_say("%s", stop_signal() != 0 ? "stopped by a signal" : reader->error);
}

int inputs_open(Inputs *inputs, VideoReader readers[2], const Options *options,
                const Models *models)
{
    const char *const *paths = options->paths;
    VmafGpuInputs *tags = &inputs->tags;
    int is_other[2] = {0, 0}, has_new = -1;
    start(inputs, options, models);
    tags->is_as_is |= options->raw.width > 0; /* its samples are what the user says */
    if (find_tags(inputs, readers, options, is_other, &has_new) < 0)
        return -1;
    vmafgpu_inputs_plan(tags);
    for (int i = 0; i < 2 && tags->needs_ffmpeg_7; ++i) /* only then it matters */
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
            return refuse(&readers[i], filter);
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
    if (decide(inputs) < 0)
        return -1;
    printf("%s\n%s\n%d\n", inputs->tags.filter[VMAFGPU_REFERENCE],
           inputs->tags.filter[VMAFGPU_MAIN], inputs->tags.needs_ffmpeg_7);
    return 0;
}
