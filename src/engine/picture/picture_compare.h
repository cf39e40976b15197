// SPDX-License-Identifier: BSD-2-Clause-Patent
// Counts the samples in which two pictures of the engine differ. Host memory only; device_executor
// downloads its images for that.
#pragma once

#include "picture/picture.h"

namespace vmafgpu {

template <typename T>
inline uint64_t count_differing(const Plane &first, const Plane &second, int width, int height)
{
    uint64_t count = 0;
    for (int y = 0; y < height; ++y) {
        const T *a = plane_row<T>(first, y);
        const T *b = plane_row<T>(second, y);
        for (int x = 0; x < width; ++x)
            count += a[x] != b[x] ? 1 : 0;
    }
    return count;
}

/// Counts the samples that differ in the first `planes` planes. Bytes behind the rows are not
/// looked at.
inline uint64_t count_differing(const Plane *first, const Plane *second, int planes,
                                const Format &format)
{
    uint64_t count = 0;
    for (int p = 0; p < planes; ++p) {
        const auto compare =
            format.sample_bytes() == 1 ? count_differing<uint8_t> : count_differing<uint16_t>;
        count += compare(first[p], second[p], format.plane_width(p), format.plane_height(p));
    }
    return count;
}

} // namespace vmafgpu
