// SPDX-License-Identifier: BSD-2-Clause-Patent
// See scale_record.h.
#include "scaler/scale_record.h"

#include <algorithm>
#include <cstring>

#include "base/numeric.h"

namespace vmafgpu {
namespace {

constexpr size_t kTableAlignment = 256;

/// Rows that the results from `top` on need, at most `count` results.
int rows_of_tile(const ScaleFilter &down, int top, int count)
{
    const int bottom = std::min(down.to, top + count) - 1;
    return down.first[static_cast<size_t>(bottom)] + down.taps -
           down.first[static_cast<size_t>(top)];
}

/// The tallest tile whose rows a block can hold. One row needs at most 4 * kMaxScale + 1.
int tile_rows(const ScaleFilter &down)
{
    static_assert(4 * kMaxScale + 1 <= kScaleHeldRows, "a tile of one row can be held");
    int rows = kScaleTileRows;
    const auto fits = [&] {
        for (int top = 0; top < down.to; top += rows)
            if (rows_of_tile(down, top, rows) > kScaleHeldRows)
                return false;
        return true;
    };
    while (rows > 1 && !fits())
        rows /= 2;
    return rows;
}

} // namespace

ScaleTables::ScaleTables(const ScalePlan &plan) : plan_(plan)
{
    const auto place = [this](size_t bytes) {
        const size_t at = bytes_;
        bytes_ += round_up(bytes, kTableAlignment);
        return at;
    };
    for (size_t kind = 0; kind < (plan.source().chroma == Chroma::k400 ? 1 : 2); ++kind) {
        const PlaneScale &plane = plan_.plane(static_cast<int>(kind));
        Places &places = places_[kind];
        places.across_first = place(plane.across.first.size() * sizeof(int32_t));
        places.across_weight = place(plane.across.weight.size() * sizeof(int32_t));
        places.down_first = place(plane.down.first.size() * sizeof(int32_t));
        places.down_weight = place(plane.down.weight.size() * sizeof(int32_t));
        places.tile_rows = tile_rows(plane.down);
    }
}

void ScaleTables::fill(char *to) const
{
    const auto copy = [to](size_t at, const auto &values) {
        std::memcpy(to + at, values.data(), values.size() * sizeof(values[0]));
    };
    for (size_t kind = 0; kind < (plan_.source().chroma == Chroma::k400 ? 1 : 2); ++kind) {
        const PlaneScale &plane = plan_.plane(static_cast<int>(kind));
        const Places &places = places_[kind];
        copy(places.across_first, plane.across.first);
        copy(places.down_first, plane.down.first);
        copy(places.down_weight,
             std::vector<int32_t>(plane.down.weight.begin(), plane.down.weight.end()));
        // Threads side by side read the same tap of columns side by side.
        std::vector<int32_t> turned;
        turned.reserve(plane.across.weight.size());
        for (int tap = 0; tap < plane.across.taps; ++tap)
            for (int x = 0; x < plane.across.to; ++x)
                turned.push_back(plane.across.at(x, tap));
        copy(places.across_weight, turned);
    }
}

ScalePlaneArgs ScaleTables::plane_args(int p, const char *tables) const
{
    const PlaneScale &plane = plan_.plane(p);
    const Places &places = places_[p == 0 ? 0 : 1];
    ScalePlaneArgs args = {};
    args.across_first = reinterpret_cast<const int32_t *>(tables + places.across_first);
    args.across_weight = reinterpret_cast<const int32_t *>(tables + places.across_weight);
    args.down_first = reinterpret_cast<const int32_t *>(tables + places.down_first);
    args.down_weight = reinterpret_cast<const int32_t *>(tables + places.down_weight);
    args.width = plane.across.to;
    args.height = plane.down.to;
    args.across_taps = plane.across.taps;
    args.down_taps = plane.down.taps;
    args.tile_rows = places.tile_rows;
    return args;
}

void scale_record(const ScaleTables &tables, const char *device_tables,
                  const VmafGpuPicture &picture, int planes, const Format &format,
                  char *const (&to)[3], const size_t (&to_pitch)[3], Queue &queue)
{
    ScaleArgs args = {};
    Grid grid;
    grid.z = static_cast<unsigned>(planes);
    for (int p = 0; p < planes; ++p) {
        ScalePlaneArgs &plane = args.plane[p];
        plane = tables.plane_args(p, device_tables);
        plane.from = picture.plane[p].data;
        plane.from_pitch = picture.plane[p].pitch;
        plane.to = to[p];
        plane.to_pitch = static_cast<int64_t>(to_pitch[p]);
        plane.from_bytes = picture.depth > 8 ? 2 : 1;
        plane.to_bytes = format.sample_bytes();
        plane.step = picture.plane[p].step == 0 ? plane.from_bytes : picture.plane[p].step;
        plane.shift = picture.shift;
        plane.depth = picture.depth;
        plane.promote = format.depth - picture.depth;
        grid.x = std::max(grid.x, blocks_of(plane.width, kScaleColumns));
        grid.y = std::max(grid.y, blocks_of(plane.height, plane.tile_rows));
    }
    queue.launch(kScalePlanes, grid, args);
}

} // namespace vmafgpu
