// SPDX-License-Identifier: BSD-2-Clause-Patent
// The interface between adm_cpu.cpp and ADM's SIMD code: the strips of a scale and their memory, as
// plain data that is the same for every level. The code is in adm_strip-inl.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/adm/adm.h"

namespace vmafgpu {

constexpr int kAdmMaxStrips = 16;

/// Divides memory into rows. Without memory it only counts bytes.
class AdmArena {
public:
    explicit AdmArena(void *base) : base_(static_cast<char *>(base)) {}

    template <typename T> T *take(size_t count)
    {
        const size_t begin = used_;
        used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return base_ == nullptr ? nullptr : reinterpret_cast<T *>(base_ + begin);
    }

    /// A row, aligned at column 0. On both sides there is room for the halo of the filters and for
    /// whole vectors.
    template <typename T> T *take_row(int width)
    {
        const size_t pad = kPad / sizeof(T);
        T *row = take<T>(static_cast<size_t>(width) + 3 * pad);
        return row == nullptr ? nullptr : row + pad;
    }

    size_t used() const { return used_; }

private:
    static constexpr size_t kAlignment = 64;
    static constexpr size_t kPad = 64;

    char *base_;
    size_t used_ = 0;
};

/// Samples between rows of an approximation plane.
inline ptrdiff_t adm_pitch(int width)
{
    return (width + 31) / 32 * 32;
}

/// One signal (restored or additive part) after the contrast sensitivity function.
struct AdmWeightedRow {
    int32_t *contrast[kAdmOrientations];
    int32_t *f;      ///< sum over all orientations
    int32_t *centre; ///< likewise
};

/// Row buffers of one strip.
struct AdmStripRows {
    int16_t *first[2][2];   ///< scale 0: [picture][low, high], vertically filtered
    int32_t *next[2][2][2]; ///< scales 1 to 3: [picture][low, high][column % 2]
    AdmWeightedRow weighted[kAdmMaxGains][2][3]; ///< [gain][restored, additive][row % 3]
    int32_t *columns;

    void carve(AdmArena &arena, int width, int gains)
    {
        const int half = (width + 1) / 2;
        for (int p = 0; p < 2; ++p)
            for (int pass = 0; pass < 2; ++pass) {
                first[p][pass] = arena.take_row<int16_t>(width);
                for (int32_t *&row : next[p][pass])
                    row = arena.take_row<int32_t>((half + 1) / 2);
            }
        columns = arena.take_row<int32_t>(half);
        for (int g = 0; g < gains; ++g)
            for (auto &signal : weighted[g])
                for (AdmWeightedRow &row : signal) {
                    for (int32_t *&contrast : row.contrast)
                        contrast = arena.take_row<int32_t>(half);
                    row.f = arena.take_row<int32_t>(half);
                    row.centre = arena.take_row<int32_t>(half);
                }
    }
};

/// One strip of one scale: band rows [begin, end).
struct AdmStrip {
    const AdmConfig *config;
    int scale;
    const PairView *pair; ///< scale 0 only
    const void *input[2]; ///< scale 1: int16_t, 2 and 3: int32_t; adm_pitch()
    int input_width, input_height;
    void *approximation[2]; ///< int16_t at scale 0, then int32_t; null at the last scale
    int begin, end;
    const AdmStripRows *rows;
    AdmScaleSums *sums; ///< overwritten
};

} // namespace vmafgpu
