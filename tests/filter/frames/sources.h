/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * Inputs for the filter: the same pictures as software frames, as DRM_PRIME
 * frames over memfds, or as VAAPI frames of va_standin.h.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include <libavutil/frame.h>
#include <libavutil/pixfmt.h>

typedef struct Source Source;

/*
 * kind: KIND[-VARIANT]...[/FORMAT]; KIND is software, drm, vaapi or cuda; FORMAT nv12 or p010.
 * Variants of hardware frames: tiled, unknown (no modifier; tiled as well); of drm also short (an
 * object smaller than its plane), large (one that has not all the bytes it is said to
 * have) and fresh (new memory for every frame); of all hardware frames few (no more than
 * eight), unlinked (the graph is not told of their pool), bare (from the third frame on
 * they have no pool) and moved (from then on they are of another device's pool). cuda has
 * no frames, but a context of its own for each source. Variants of vaapi, as VaTraits has
 * them: lies, sizeless, export6 (no more exports than six); of the video processor novpp,
 * stubborn (ignores modifiers), dry (no linear surface), narrow (one), vpp6 (six copies),
 * spoilt (a luma sample changes), tinted (a chroma sample); and noimage (vaGetImage fails).
 * drm_fd: what stands for the GPU's device node.
 */
Source *source_open(const char *kind, int is_distorted, int drm_fd);
void source_close(Source **source);

enum AVPixelFormat source_format(const Source *source);
AVBufferRef *source_frames(const Source *source); /* NULL for software */

/* Frame n, to be freed by the caller; NULL on failure. */
AVFrame *source_frame(Source *source, int n);

#endif
