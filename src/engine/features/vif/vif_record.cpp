// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on a device: memory layout of the smaller scales, the compact table of
// logarithms, and the launches of a batch. Called by vif.cpp; the kernels are in
// vif_kernels.cpp.
#include <cstddef>
#include <cstring>

#include "device.h"
#include "vif.h"
#include "vif_kernel.h"

namespace vmafgpu {

namespace {

/// Planes of scales 1 to 3 of one pair in the scratch memory.
struct ScalePlanes {
    size_t offset; ///< of the reference plane; the distorted one follows
    size_t pitch, plane_bytes;
    int width, height;
};

constexpr size_t kRowAlignment = 64;

ScalePlanes scale_planes(const Format &format, int scale)
{
    ScalePlanes planes = {0, 0, 0, format.width, format.height};
    for (int k = 1; k <= scale; ++k) {
        planes.offset += 2 * planes.plane_bytes;
        planes.width /= 2;
        planes.height /= 2;
        const size_t row = static_cast<size_t>(planes.width) * sizeof(uint16_t);
        planes.pitch = (row + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
        planes.plane_bytes = planes.pitch * static_cast<size_t>(planes.height);
    }
    return planes;
}

VifPairArgs pair_args(const BatchView &batch, int index, int scale, const ScalePlanes &planes)
{
    if (scale == 0) {
        const PairView &pair = batch.pairs[index];
        return {pair.reference[0].data, pair.distorted[0].data, pair.reference[0].pitch,
                pair.distorted[0].pitch};
    }
    const char *reference =
        batch.scratch + batch.scratch_stride * static_cast<size_t>(index) + planes.offset;
    const auto pitch = static_cast<int64_t>(planes.pitch);
    return {reference, reference + planes.plane_bytes, pitch, pitch};
}

VifScaleArgs scale_args(const Format &format, const VifConfig &config, const BatchView &batch,
                        int scale)
{
    VifScaleArgs args = {};
    const ScalePlanes planes = scale_planes(format, scale);
    for (int i = 0; i < batch.count; ++i)
        args.pairs[i] = pair_args(batch, i, scale, planes);
    if (scale + 1 < kVifScales) {
        const ScalePlanes next = scale_planes(format, scale + 1);
        args.next = batch.scratch + next.offset;
        args.next_stride = static_cast<int64_t>(batch.scratch_stride);
        args.next_plane_bytes = static_cast<int64_t>(next.plane_bytes);
        args.next_pitch = static_cast<int64_t>(next.pitch);
    }
    args.sums =
        batch.sums + offsetof(VifSums, scale) + sizeof(VifScaleSums) * static_cast<size_t>(scale);
    args.sums_stride = static_cast<int64_t>(batch.sums_stride);
    args.logs = reinterpret_cast<const uint32_t *>(batch.tables);
    for (int i = 0; i < kVifMaxLimits; ++i)
        args.limits[i] = config.limits[i];
    args.limit_count = config.limit_count;
    args.width = planes.width;
    args.height = planes.height;
    args.depth = format.depth;
    args.is_measured = scale > 0 || !config.skip_scale0 ? 1 : 0;
    return args;
}

const Kernel<VifScaleArgs> &scale_kernel(int scale, int depth)
{
    static constexpr Kernel<VifScaleArgs> kSmaller[kVifScales] = {
        {}, kVifScale1, kVifScale2, kVifScale3};
    if (scale > 0)
        return kSmaller[scale];
    return depth > 8 ? kVifScale0U16 : kVifScale0U8;
}

} // namespace

size_t vif_device_scratch(const Format &format)
{
    const ScalePlanes last = scale_planes(format, kVifScales - 1);
    return last.offset + 2 * last.plane_bytes;
}

size_t vif_device_tables()
{
    return kVifLogWords * sizeof(uint32_t);
}

void vif_fill_device_tables(void *host)
{
    const uint16_t *table = vif_log2_table();
    for (int i = 0; i < kVifLogWords; ++i) {
        uint32_t word = static_cast<uint32_t>(table[16 * i]) << 16;
        for (int j = 0; j < 15; ++j)
            if (table[16 * i + j + 1] > table[16 * i + j])
                word |= 1u << j;
        std::memcpy(static_cast<char *>(host) + sizeof(word) * static_cast<size_t>(i), &word,
                    sizeof(word));
    }
}

void vif_record(const Format &format, const VifConfig &config, Queue &queue, const BatchView &batch)
{
    for (int scale = 0; scale < kVifScales; ++scale) {
        const VifScaleArgs args = scale_args(format, config, batch, scale);
        const int tile_width = vif_tile_width(scale);
        const Grid grid = {static_cast<unsigned>((args.width + tile_width - 1) / tile_width),
                           static_cast<unsigned>((args.height + kVifTileRows - 1) / kVifTileRows),
                           static_cast<unsigned>(batch.count)};
        queue.launch(scale_kernel(scale, format.depth), grid, args);
    }
}

} // namespace vmafgpu
