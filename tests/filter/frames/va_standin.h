/* SPDX-License-Identifier: BSD-2-Clause-Patent
 *
 * A VA display without a driver or a device behind it: libva's own entry points
 * call functions of this process, which keep surfaces as surface.h has them.
 * Surfaces are as unforgiving as a GPU's: what was not synchronised is not there,
 * and a tiled one comes right only through vaGetImage.
 */
#ifndef VA_STANDIN_H
#define VA_STANDIN_H

#include <stdint.h>

#include "surface.h"

/* A VADisplay whose surfaces have this modifier, on the device behind fd. */
void *va_standin_display(uint64_t modifier, int drm_fd);
Surface *va_standin_surface(unsigned id);

#endif
