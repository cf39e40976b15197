// SPDX-License-Identifier: BSD-2-Clause-Patent
// The memory of ADM's CPU code, for adm_cpu.cpp only: which rows and planes
// there are and how they are cut out of the caller's scratch. No arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/adm/adm.h"

namespace vmafgpu {

constexpr int kAdmMaxStrips = 16;

/// Hands out memory; with no memory it only counts.
class AdmArena {
public:
    explicit AdmArena(void *base) : base_(static_cast<char *>(base)) {}

    template <typename T> T *take(size_t count)
    {
        const size_t begin = used_;
        used_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        return base_ == nullptr ? nullptr : reinterpret_cast<T *>(base_ + begin);
    }

    template <typename T> T *take_row(int width)
    {
        T *row = take<T>(static_cast<size_t>(width) + 2 * kPad);
        return row == nullptr ? nullptr : row + kPad;
    }

    size_t used() const { return used_; }

private:
    static constexpr size_t kAlignment = 64;
    /// Room before and after each row: the border samples of the filters.
    static constexpr size_t kPad = 16;

    char *base_;
    size_t used_ = 0;
};

/// One signal (restored or additive part) after the contrast sensitivity.
struct AdmWeightedRow {
    int32_t *contrast[kAdmOrientations];
    int32_t *f;      ///< all orientations added up
    int32_t *centre; ///< likewise
};

/// Rows that one strip works in. Band rows are typed per scale: int16_t at
/// scale 0, int32_t later; the memory is the same.
struct AdmStripRows {
    int16_t *picture[2][4];    ///< centred rows y of each picture, at [y % 4]
    int32_t *low[2], *high[2]; ///< after the vertical filter
    int32_t *band[2][kAdmOrientations];
    int32_t *same_angle, *restored, *enhance;
    int32_t *part[2];                            ///< restored, additive
    AdmWeightedRow weighted[kAdmMaxGains][2][3]; ///< [gain][restored, additive][row % 3]
    int32_t *columns, *threshold;

    void carve(AdmArena &arena, int width, int gains)
    {
        const int half = (width + 1) / 2;
        for (int p = 0; p < 2; ++p) {
            for (int16_t *&row : picture[p])
                row = arena.take_row<int16_t>(width);
            low[p] = arena.take_row<int32_t>(width);
            high[p] = arena.take_row<int32_t>(width);
            for (int32_t *&row : band[p])
                row = arena.take_row<int32_t>(half);
            part[p] = arena.take_row<int32_t>(half);
        }
        for (int32_t **row : {&same_angle, &restored, &enhance, &columns, &threshold})
            *row = arena.take_row<int32_t>(half);
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

/// All memory of one adm_compute().
struct AdmScratch {
    int16_t *first_plane[2];                ///< approximation of scale 0
    int32_t *next_plane[kAdmScales - 1][2]; ///< of scales 1 and 2
    AdmStripRows strip[kAdmMaxStrips];
    AdmScaleSums *partial; ///< one per strip

    AdmScratch(const AdmConfig &config, AdmArena &arena)
    {
        for (int p = 0; p < 2; ++p) {
            first_plane[p] = arena.take<int16_t>(plane_samples(config.scale[0]));
            for (int scale = 1; scale < kAdmScales - 1; ++scale)
                next_plane[scale][p] = arena.take<int32_t>(plane_samples(config.scale[scale]));
        }
        partial = arena.take<AdmScaleSums>(kAdmMaxStrips);
        for (AdmStripRows &rows : strip)
            rows.carve(arena, config.format.width, config.gains);
    }

    static size_t plane_samples(const AdmScale &scale)
    {
        return static_cast<size_t>(scale.width) * static_cast<size_t>(scale.height);
    }
};

} // namespace vmafgpu
