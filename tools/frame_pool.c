/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See frame_pool.h.
 */
#include "frame_pool.h"

#include <stdlib.h>

#include "output.h"

Frame *frame_get(FramePool *pool)
{
    Frame *frame = pool->unused;
    if (frame != NULL) {
        pool->unused = frame->next;
        return frame;
    }
    frame = calloc(1, sizeof(*frame));
    if (frame == NULL)
        return NULL;
    frame->pool = pool;
    frame->data = malloc(pool->bytes);
    if (frame->data != NULL)
        return frame;
    free(frame);
    return NULL;
}

void frame_release(void *opaque)
{
    Frame *frame = opaque;
    frame->next = frame->pool->unused;
    frame->pool->unused = frame;
}

void pool_free(FramePool *pool)
{
    while (pool->unused != NULL) {
        Frame *frame = pool->unused;
        pool->unused = frame->next;
        free(frame->data);
        free(frame);
    }
}

int frames_skip(VideoReader *reader, FramePool *pool, long long count)
{
    Frame *frame = frame_get(pool);
    if (frame == NULL)
        return output_say("out of memory");
    const int status = video_skip_to(reader, count, frame->data);
    frame_release(frame);
    if (status == 0)
        return output_say("%s: has only %lld of the %lld pictures to be left out", reader->path,
                          reader->frames, count);
    return status > 0 ? 0 : output_say("%s", reader->error);
}
