/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * VA displays without a driver or a device behind them: libva's own entry points call
 * functions of this process, which keep surfaces as surface.h has them. Surfaces are as
 * unforgiving as a GPU's: what was not synchronised is not there, and a tiled one comes
 * right only through vaGetImage or the video processor.
 */
#ifndef VA_STANDIN_H
#define VA_STANDIN_H

#include <stdint.h>

#include "surface.h"

/* What a display does, and what it does wrong. All zero: linear surfaces, nothing wrong. */
typedef struct VaTraits {
    uint64_t modifier; /* modifier of surfaces for which none is asked */
    int lies;          /* they are tiled, whatever their modifier says */
    int has_no_size;   /* exports leave the size of the memory out, as AMD's driver does */
    int export_limit;  /* exports that succeed; 0: all */

    int has_no_processor;
    int ignores_modifiers; /* asked for linear surfaces, it makes others */
    int linear_limit;      /* linear surfaces that there is room for, less one; 0: all */
    int process_limit;     /* copies that succeed; 0: all */
    int spoils_plane;      /* 1, 2: the processor changes a sample of luma, of chroma */

    int has_no_images; /* vaGetImage fails */
} VaTraits;

/* A VADisplay on the device behind fd; there may be four. */
void *va_standin_display(const VaTraits *traits, int drm_fd);
Surface *va_standin_surface(unsigned id);

/* Surfaces, images, buffers, contexts and configurations that were not destroyed. */
int va_standin_left(void);

#endif
