/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See thumbnails.h.
 */
#include "thumbnails.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "stop.h"

static void set_note(ThumbnailSource *source, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(source->note, sizeof(source->note), format, list);
    va_end(list);
}

void thumbnails_watch(Thumbnails *thumbnails)
{
    for (int i = 0; i < 2; ++i) {
        ThumbnailSource *source = &thumbnails->sources[i];
        source->path = thumbnails->options->paths[i];
        /* Opening a pipe again would wait for ever. */
        source->is_regular =
            strcmp(source->path, "-") != 0 && platform_file(source->path, &source->info) == 0;
    }
}

/* Whether the file is there as it was; else its note says why there are no pictures. */
static int is_readable(ThumbnailSource *source)
{
    PlatformFile now;
    const PlatformFile *then = &source->info;
    if (!source->is_regular)
        set_note(source, "none; %s cannot be read a second time",
                 strcmp(source->path, "-") == 0 ? "standard input" : "a pipe or device");
    else if (platform_file(source->path, &now) != 0 || now.volume != then->volume ||
             now.number != then->number || now.size != then->size ||
             now.changed[0] != then->changed[0] || now.changed[1] != then->changed[1])
        set_note(source, "none; the file has changed since it was scored");
    else
        return 1;
    return 0;
}

/* The pictures of one video; list is in the order of the file. */
static int read_pictures(Thumbnails *thumbnails, VideoReader *reader, int input,
                         VmafGpuThumbnail *list, int count)
{
    VmafGpuInput tags = thumbnails->tags->compared[input];
    char *note = thumbnails->sources[input].note;
    VmafGpuPicture described;
    VmafGpuError error;
    Frame *frame = frame_get(reader);
    int status = frame == NULL ? -1 : 1;
    if (frame == NULL)
        snprintf(reader->error, sizeof(reader->error), "out of memory");
    snprintf(tags.range, sizeof(tags.range), "%s", reader->format.range);
    for (int i = 0; i < count && status > 0; ++i) {
        VmafGpuThumbnail *picture = &list[i];
        if (picture->video != (input == VMAFGPU_MAIN))
            continue;
        status = video_skip_to(reader, thumbnails->numbers->of[input][picture->pair]);
        if (status > 0)
            status = video_read(reader, frame->data);
        if (status == 0)
            snprintf(reader->error, sizeof(reader->error), "it has fewer pictures than before");
        if (status <= 0)
            break;
        video_picture(&reader->format, frame->data, &described);
        vmafgpu_thumbnail_note(note, sizeof(thumbnails->sources[input].note), &described, &tags);
        if (vmafgpu_thumbnail_make(picture, &described, reader->format.chroma, &tags, &error) < 0) {
            snprintf(reader->error, sizeof(reader->error), "%s", error.text);
            status = -1;
        }
        thumbnails->made[i] = *picture;
    }
    if (frame != NULL)
        frame_release(frame);
    return status > 0 ? 0 : -1;
}

static void read_video(Thumbnails *thumbnails, int input, VmafGpuThumbnail *list, int count)
{
    ThumbnailSource *source = &thumbnails->sources[input];
    const char *filter = thumbnails->tags->filter[input];
    VideoReader reader;
    if (!is_readable(source))
        return;
    int status = video_open(&reader, source->path, &thumbnails->options->raw);
    if (status == 1 || (status == 0 && *filter != '\0'))
        status = video_decode(&reader, filter, &thumbnails->tags->input[input], 0, 1);
    if (status == 0)
        status = read_pictures(thumbnails, &reader, input, list, count);
    if (status < 0) {
        const size_t used = strlen(source->note);
        snprintf(source->note + used, sizeof(source->note) - used, "%sincomplete: %s",
                 used > 0 ? "; " : "", stop_signal() != 0 ? "stopped by a signal" : reader.error);
    }
    video_close(&reader);
}

const char *thumbnails_get(void *opaque, VmafGpuThumbnail *list, int count)
{
    Thumbnails *thumbnails = opaque;
    const ThumbnailSource *reference = &thumbnails->sources[VMAFGPU_REFERENCE];
    const ThumbnailSource *distorted = &thumbnails->sources[VMAFGPU_MAIN];
    thumbnails->made = calloc((size_t)count, sizeof(*thumbnails->made));
    if (thumbnails->made == NULL)
        return "No pictures: out of memory.";
    thumbnails->made_count = count;
    if (!thumbnails->options->quiet && (reference->is_regular || distorted->is_regular))
        output_say("the worst frames are read again, for the page");
    read_video(thumbnails, VMAFGPU_REFERENCE, list, count);
    read_video(thumbnails, VMAFGPU_MAIN, list, count);
    if (strcmp(reference->note, distorted->note) == 0)
        snprintf(thumbnails->note, sizeof(thumbnails->note), "Pictures of both videos: %s.",
                 reference->note);
    else
        snprintf(thumbnails->note, sizeof(thumbnails->note),
                 "Pictures of the reference: %s. Pictures of the distorted video: %s.",
                 reference->note, distorted->note);
    return thumbnails->note;
}

void thumbnails_free(Thumbnails *thumbnails)
{
    for (int i = 0; i < thumbnails->made_count; ++i)
        vmafgpu_thumbnail_free(&thumbnails->made[i]);
    free(thumbnails->made);
    thumbnails->made = NULL;
    thumbnails->made_count = 0;
}
