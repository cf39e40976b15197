// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: from a picture to the plane of scale 0 (10-bit levels with the
// mask beside them), and the mode filter from scale to scale. Loops that compilers
// vectorise, in tiles that stay in the first-level cache. A subject of its own: cambi_cpu.cpp has
// the memory and the tasks.
#pragma once

#include <algorithm>
#include <cstring>

#include "features/cambi/cambi.h"
#include "simd/cpu_recompile.h"

namespace vmafgpu::cambi {
namespace cambi_cpu {

/// A sample of the planes between the steps is a level, with this bit set where the
/// mask leaves it out.
constexpr uint16_t kUnmarked = 0x8000;

/// Packed rows of 16-bit samples.
struct Samples {
    uint16_t *data;
    int width, height;

    uint16_t *row(int y) const
    {
        return data + static_cast<size_t>(y) * static_cast<size_t>(width);
    }
};

/// A picture that is converted to scale 0.
struct Source {
    Plane plane;
    int depth;
    const int32_t *columns, *rows; ///< sample maps; null: as many samples as the target has
    int width, height;             ///< size of the target
    int mask_threshold;
    bool is_filtered, is_halved;
};

constexpr int kTileColumns = 384;
constexpr int kMaskSide = 2 * kMaskHalf + 1;
constexpr int kTileSpace = kTileColumns + 2 * kMaskHalf + 64;

/// Levels of row y, columns x0 .. x0 + count - 1, before the filter.
template <typename Sample> VMAFGPU_ALWAYS_INLINE void load_row(const Source &source, int y, int x0,
                                                               int count, uint16_t *__restrict to)
{
    const int from_y = source.rows != nullptr ? source.rows[y] : y;
    const Sample *from = plane_row<Sample>(source.plane, from_y);
    if (source.columns != nullptr) {
        for (int i = 0; i < count; ++i)
            to[i] = from[source.columns[x0 + i]];
    } else {
        for (int i = 0; i < count; ++i)
            to[i] = from[x0 + i];
    }
    if (source.depth <= 10) {
        const int shift = 10 - source.depth;
        for (int i = 0; i < count; ++i)
            to[i] = static_cast<uint16_t>(to[i] << shift);
        return;
    }
    const int shift = source.depth - 10;
    const int half = 1 << (shift - 1);
    for (int i = 0; i < count; ++i)
        to[i] = static_cast<uint16_t>((to[i] + half) >> shift);
}

/// Means of 2x2 samples; `lower` is null below the last row. `count` results, of which
/// the last has no right neighbour if is_end.
VMAFGPU_ALWAYS_INLINE void filter_row(const uint16_t *upper, const uint16_t *lower, int count,
                                      bool is_end, uint16_t *__restrict to)
{
    const int inner = is_end ? count - 1 : count;
    if (lower != nullptr) {
        for (int i = 0; i < inner; ++i)
            to[i] = static_cast<uint16_t>((upper[i] + upper[i + 1] + lower[i] + lower[i + 1]) >> 2);
    } else {
        for (int i = 0; i < inner; ++i)
            to[i] = static_cast<uint16_t>((upper[i] + upper[i + 1]) >> 1);
    }
    if (is_end)
        to[inner] = lower != nullptr ? static_cast<uint16_t>((upper[inner] + lower[inner]) >> 1)
                                     : upper[inner];
}

/// Rows of one tile, with the columns beside it that its mask and filter look at.
template <typename Sample> class Tile {
public:
    VMAFGPU_ALWAYS_INLINE Tile(const Source &source, int x0, int x1)
        : source_(source), x0_(x0), x1_(x1), left_(std::max(0, x0 - kMaskHalf)),
          flat_end_(std::min(source.width, x1 + kMaskHalf)),
          end_(std::min(source.width, flat_end_ + 1)), loaded_(-1)
    {
        std::memset(flat_, 0, sizeof(flat_));
        std::memset(column_, 0, sizeof(column_));
    }

    /// Levels of rows y0 .. y1 - 1 with their mask.
    VMAFGPU_ALWAYS_INLINE void run(int y0, int y1, const Samples &to)
    {
        const int height = source_.height;
        const int first = std::max(0, y0 - kMaskHalf);
        make_row(first);
        for (int y = first; y < y1 + kMaskHalf; ++y) {
            if (y < height) {
                if (y + 1 < height)
                    make_row(y + 1);
                add_flat(y);
            } else {
                add_nothing(y);
            }
            const int at = y - kMaskHalf;
            const bool is_wanted = at >= y0 && (!source_.is_halved || at % 2 == 0);
            if (is_wanted)
                write_row(at, to);
        }
    }

private:
    VMAFGPU_ALWAYS_INLINE uint16_t *level_row(int y) { return levels_[y % kLevelRows]; }

    VMAFGPU_ALWAYS_INLINE void make_row(int y)
    {
        const int count = end_ - left_;
        if (!source_.is_filtered) {
            load_row<Sample>(source_, y, left_, count, level_row(y));
            return;
        }
        const bool is_end = end_ == source_.width;
        const int loaded = is_end ? count : count + 1;
        if (loaded_ != y)
            load_row<Sample>(source_, y, left_, loaded, raw_[y % 2]);
        const bool has_lower = y + 1 < source_.height;
        if (has_lower)
            load_row<Sample>(source_, y + 1, left_, loaded, raw_[(y + 1) % 2]);
        loaded_ = y + 1;
        filter_row(raw_[y % 2], has_lower ? raw_[(y + 1) % 2] : nullptr, count, is_end,
                   level_row(y));
    }

    /// Whether each level equals its right and lower neighbours; and how many of the last
    /// seven rows do, in each column.
    VMAFGPU_ALWAYS_INLINE void add_flat(int y)
    {
        const uint16_t *row = level_row(y);
        const uint16_t *lower = y + 1 < source_.height ? level_row(y + 1) : row;
        const int count = flat_end_ - left_;
        const int inner = flat_end_ == source_.width ? count - 1 : count;
        uint16_t flat[kTileSpace];
        for (int i = 0; i < inner; ++i)
            flat[i] = ((row[i] ^ row[i + 1]) | (row[i] ^ lower[i])) == 0 ? 1 : 0;
        if (inner < count)
            flat[inner] = row[inner] == lower[inner] ? 1 : 0;
        uint16_t *old = flat_[y % kMaskSide];
        uint16_t *column = column_ + pad();
        for (int i = 0; i < count; ++i) {
            column[i] = static_cast<uint16_t>(column[i] + flat[i] - old[i]);
            old[i] = flat[i];
        }
    }

    VMAFGPU_ALWAYS_INLINE void add_nothing(int y)
    {
        uint16_t *old = flat_[y % kMaskSide];
        uint16_t *column = column_ + pad();
        const int count = flat_end_ - left_;
        for (int i = 0; i < count; ++i) {
            column[i] = static_cast<uint16_t>(column[i] - old[i]);
            old[i] = 0;
        }
    }

    VMAFGPU_ALWAYS_INLINE void write_row(int y, const Samples &to)
    {
        const uint16_t *row = level_row(y) + (x0_ - left_);
        const uint16_t *column = column_;
        const int count = x1_ - x0_;
        uint16_t marked[kTileSpace];
        for (int i = 0; i < count; ++i) {
            const auto flat =
                static_cast<uint16_t>(column[i] + column[i + 1] + column[i + 2] + column[i + 3] +
                                      column[i + 4] + column[i + 5] + column[i + 6]);
            marked[i] =
                static_cast<uint16_t>(row[i] | (flat > source_.mask_threshold ? 0 : kUnmarked));
        }
        if (!source_.is_halved) {
            std::memcpy(to.row(y) + x0_, marked, sizeof(uint16_t) * static_cast<size_t>(count));
            return;
        }
        uint16_t *out = to.row(y / 2) + x0_ / 2;
        for (int i = 0; 2 * i < count; ++i)
            out[i] = marked[2 * i];
    }

    /// column_[0] is column x0 - 3 of the picture; the first that exists comes later.
    VMAFGPU_ALWAYS_INLINE int pad() const { return left_ - (x0_ - kMaskHalf); }

    // A row is overwritten only after it was written out, three rows later.
    static constexpr int kLevelRows = kMaskHalf + 2;

    const Source &source_;
    int x0_, x1_;
    int left_, flat_end_, end_; ///< columns that exist: levels end at end_, flatness before
    int loaded_;                ///< row that is in raw_ already
    uint16_t levels_[kLevelRows][kTileSpace];
    uint16_t raw_[2][kTileSpace];
    uint16_t flat_[kMaskSide][kTileSpace];
    uint16_t column_[kTileSpace];
};

/// Rows y0 .. y1 - 1 of the target; x0 of a tile is even.
template <typename Sample>
VMAFGPU_ALWAYS_INLINE void prepare_rows(const Source &source, int y0, int y1, const Samples &to)
{
    for (int x0 = 0; x0 < source.width; x0 += kTileColumns) {
        Tile<Sample> tile(source, x0, std::min(source.width, x0 + kTileColumns));
        tile.run(y0, y1, to);
    }
}

VMAFGPU_ALWAYS_INLINE uint16_t mode(uint16_t a, uint16_t b, uint16_t c)
{
    const uint16_t least = std::min(std::min(a, b), c);
    const uint16_t otherwise = b == c ? b : least;
    return a == b || a == c ? a : otherwise;
}

constexpr int kModeColumns = 512;

/// Row y of `from`, of every step-th sample, from column x0 - 1: levels without the mark.
VMAFGPU_ALWAYS_INLINE void level_row(const Samples &from, int step, int y, int x0, int count,
                                     uint16_t *__restrict to)
{
    const uint16_t *row = from.row(y * step) + static_cast<ptrdiff_t>(x0) * step;
    constexpr auto kLevel = static_cast<uint16_t>(~kUnmarked);
    if (step == 1) {
        for (int i = 0; i < count; ++i)
            to[i] = row[i] & kLevel;
    } else {
        for (int i = 0; i < count; ++i)
            to[i] = row[2 * i] & kLevel;
    }
}

/// Columns x0 .. x0 + count - 1 of a row of levels, filtered across: the first and the
/// last column of the plane stay. levels begins at column max(0, x0 - 1).
VMAFGPU_ALWAYS_INLINE void mode_across(const uint16_t *levels, int x0, int count, int width,
                                       uint16_t *out)
{
    const uint16_t *own = levels + (x0 == 0 ? 0 : 1);
    const int begin = x0 == 0 ? 1 : 0;
    const int end = x0 + count == width ? count - 1 : count;
    for (int i = begin; i < end; ++i)
        out[i] = mode(own[i - 1], own[i], own[i + 1]);
    if (begin == 1)
        out[0] = own[0];
    if (end < count)
        out[end] = own[end];
}

/// Rows y0 .. y1 - 1 and columns x0 .. x0 + count - 1 of the mode filter.
VMAFGPU_ALWAYS_INLINE void mode_columns(const Samples &from, int step, int y0, int y1, int x0,
                                        int count, const Samples &to)
{
    const int left = std::max(0, x0 - 1);
    const int read = std::min(to.width, x0 + count + 1) - left;
    uint16_t levels[kModeColumns + 2];
    uint16_t across[3][kModeColumns]; // rows y - 1, y, y + 1, at y % 3
    const auto filter_across = [&](int y) {
        level_row(from, step, y, left, read, levels);
        mode_across(levels, x0, count, to.width, across[y % 3]);
    };
    for (int y = std::max(0, y0 - 1); y < std::min(to.height, y0 + 1); ++y)
        filter_across(y);
    for (int y = y0; y < y1; ++y) {
        if (y + 1 < to.height)
            filter_across(y + 1);
        const uint16_t *marks = from.row(y * step) + static_cast<ptrdiff_t>(x0) * step;
        uint16_t *out = to.row(y) + x0;
        if (y == 0 || y + 1 == to.height) {
            for (int i = 0; i < count; ++i)
                out[i] = marks[i * step];
            continue;
        }
        const uint16_t *a = across[(y - 1) % 3];
        const uint16_t *b = across[y % 3];
        const uint16_t *c = across[(y + 1) % 3];
        for (int i = 0; i < count; ++i)
            out[i] = static_cast<uint16_t>(mode(a[i], b[i], c[i]) | (marks[i * step] & kUnmarked));
    }
}

/// Rows y0 .. y1 - 1 of the mode filter over every step-th sample of `from`.
VMAFGPU_ALWAYS_INLINE void mode_rows(const Samples &from, int step, int y0, int y1,
                                     const Samples &to)
{
    for (int x0 = 0; x0 < to.width; x0 += kModeColumns)
        mode_columns(from, step, y0, y1, x0, std::min(kModeColumns, to.width - x0), to);
}

} // namespace cambi_cpu
} // namespace vmafgpu::cambi
