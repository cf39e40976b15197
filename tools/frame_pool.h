/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Memory for the pictures of one video, used again and again. All pictures of a
 * pool have one size; reading one is in video.h.
 */
#ifndef VMAF_GPU_TOOLS_FRAME_POOL_H
#define VMAF_GPU_TOOLS_FRAME_POOL_H

#include <stddef.h>

#include "video.h"

/* Memory of one picture: on loan to the engine until frame_release(). */
typedef struct Frame {
    unsigned char *data;
    struct FramePool *pool;
    struct Frame *next;
} Frame;

typedef struct FramePool {
    size_t bytes;
    Frame *unused;
} FramePool;

/** NULL: no memory. */
Frame *frame_get(FramePool *pool);

/** The engine calls this with a Frame, on our thread, when it has read the picture. */
void frame_release(void *opaque);

/** Leave out the first `count` pictures. Returns 0, or -1 after a message. */
int frames_skip(VideoReader *reader, FramePool *pool, long long count);

/** Free the frames that have been released. */
void pool_free(FramePool *pool);

#endif
