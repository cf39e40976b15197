// SPDX-License-Identifier: BSD-2-Clause-Patent
// A map of squares with soft edges, over which the views of test_agreement.cpp and
// test_offset_search.cpp move. The views are theirs.
#pragma once

#include <cstdint>

namespace vmafgpu {

inline uint32_t hash(uint32_t value)
{
    value = (value ^ value >> 16) * 0x7feb352dU;
    value = (value ^ value >> 15) * 0x846ca68bU;
    return value ^ value >> 16;
}

/// Brightness of a place, below `range`. Places may be anywhere.
inline int level(int map, int x, int y, int range)
{
    const int size = 8;
    const auto square = [&](int column) {
        return static_cast<int>(hash(static_cast<uint32_t>(map * 65537 + column * 257 + y / size)) %
                                static_cast<uint32_t>(range));
    };
    const int part = x % size;
    return (square(x / size) * (size - part) + square(x / size + 1) * part) / size;
}

} // namespace vmafgpu
