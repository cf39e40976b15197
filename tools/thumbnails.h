/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Pictures of the worst pairs for the HTML page: reads the two videos a second time, when the page
 * knows which pairs are the worst. Nothing here fails a run: what
 * cannot be shown is said on the page.
 */
#ifndef VMAF_GPU_TOOLS_THUMBNAILS_H
#define VMAF_GPU_TOOLS_THUMBNAILS_H

#include "pairs.h"
#include "platform.h"
#include "video.h"
#include "vmaf_gpu/vmaf_gpu.h"

/** A file as it was when it was scored. */
typedef struct ThumbnailSource {
    const char *path;
    PlatformFile info;
    int is_regular;
    char note[1024]; /**< what its pictures show, or why there are none */
} ThumbnailSource;

typedef struct Thumbnails {
    ThumbnailSource sources[2]; /**< main, reference */
    const PairNumbers *numbers; /**< the pairs that are asked for */
    const Options *options;
    const VmafGpuInputs *tags; /**< how the videos were compared */
    VmafGpuThumbnail *made;    /**< what is to be freed */
    int made_count;
    char note[2300];
} Thumbnails;

/** Remembers the files before they are read: one that has changed since has no pictures. */
void thumbnails_watch(Thumbnails *thumbnails);

/** As VmafGpuRun.thumbnails; opaque is Thumbnails. */
const char *thumbnails_get(void *opaque, VmafGpuThumbnail *list, int count);

void thumbnails_free(Thumbnails *thumbnails);

#endif
