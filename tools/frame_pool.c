/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * See frame_pool.h.
 */
#include "frame_pool.h"

#include <stdlib.h>

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
