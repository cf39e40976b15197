// SPDX-License-Identifier: BSD-2-Clause-Patent
// ciede on the CPU, fast: the same bytes as ciede_ref.cpp. Rows run on the thread pool as SIMD code
// (ciede_simd-inl.h); their differences are added up in raster order. ciede.cpp calls this.
#include <algorithm>

#include "base/numeric.h"
#include "features/ciede/ciede.h"
#include "features/kit/arena.h"
#include "features/kit/in_order.h"
#include "libm/libm_atan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ciede/ciede_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::ciede {

namespace {

constexpr int kArrays = 7; ///< arrays of a row: six of samples, one of differences

size_t padded(const Format &format)
{
    return static_cast<size_t>(round_up(format.width, kPad));
}

/// Chroma of row y for each pixel, where libvmaf reads it.
template <typename Sample>
void load_chroma(const ChromaMemory &chroma, const Plane &plane, int y, int width, float *to)
{
    const int64_t start = chroma_index(chroma, 0, y);
    const int columns =
        std::min(width, chroma.layout == Chroma::k420 ? 2 * chroma.width : chroma.width);
    const auto row = static_cast<int>(start / chroma.pitch);
    const Sample *samples = plane_row<Sample>(plane, row);
    if (chroma.layout == Chroma::k420)
        for (int x = 0; x < columns; ++x) {
            const int column = x / 2;
            to[x] = samples[column];
        }
    else
        for (int x = 0; x < columns; ++x)
            to[x] = samples[x];
    for (int x = columns; x < width; ++x)
        to[x] = chroma_sample<Sample>(chroma, plane, chroma_index(chroma, x, y));
}

template <typename Sample>
void load_picture(const Format &format, const Plane *planes, int y, float *const *to)
{
    const ChromaMemory chroma = chroma_of(format);
    const Sample *luma = plane_row<Sample>(planes[0], y);
    for (int x = 0; x < format.width; ++x)
        to[0][x] = luma[x];
    for (int plane = 1; plane < 3; ++plane)
        load_chroma<Sample>(chroma, planes[plane], y, format.width, to[plane]);
    for (int plane = 0; plane < 3; ++plane)
        std::fill(to[plane] + format.width, to[plane] + padded(format), 0.0F);
}

/// Arrays of kArrays * padded() floats, one for each row that is computed or added up.
struct Scratch {
    float *rows;

    Scratch(Arena &arena, const Format &format)
        : rows(arena.take<float>(kInOrderSlots * kArrays * padded(format)))
    {
    }
};

} // namespace

size_t Forms::cpu_scratch(const Format &format)
{
    return arena_size<Scratch>(format);
}

void Forms::compute(const Format &format, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run = VMAFGPU_CHOOSE_FORM(void(const Row &), run_row);
    if (run == nullptr)
        return reference(format, pair, sums);
    const size_t stride = padded(format);
    const LightTables *light = format.depth > 8 ? nullptr : &light_tables();
    Arena arena(scratch);
    const Scratch memory(arena, format);
    const auto differences = [&](int slot) {
        return memory.rows + kArrays * stride * static_cast<size_t>(slot);
    };
    const auto compute = [&](int y, int slot) {
        Row row = {};
        row.light = light;
        row.depth = format.depth;
        row.width = format.width;
        row.difference = differences(slot);
        float *arrays[kArrays - 1];
        for (int i = 0; i < kArrays - 1; ++i) {
            arrays[i] = row.difference + stride * static_cast<size_t>(i + 1);
            row.samples[i / 3][i % 3] = arrays[i];
        }
        const auto load = format.depth > 8 ? load_picture<uint16_t> : load_picture<uint8_t>;
        load(format, pair.reference, y, arrays);
        load(format, pair.distorted, y, arrays + 3);
        run(row);
    };
    double sum = 0;
    const auto add = [&](int, int slot) {
        const float *from = differences(slot);
        for (int x = 0; x < format.width; ++x)
            sum += static_cast<double>(from[x]);
    };
    run_in_order(pool, format.height, compute, add);
    sums.difference = sum;
}

} // namespace vmafgpu::ciede
