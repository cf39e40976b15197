// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on a device, host side: where things lie in scratch, and the launches.
#include <cstring>

#include "device.h"
#include "features/adm/adm.h"
#include "features/adm/adm_kernel.h"

namespace vmafgpu {

static_assert(sizeof(AdmScaleSums) == (kAdmRowValues - 1) * sizeof(uint64_t),
              "adm_rows writes AdmScaleSums as 15 words in this order");

namespace {

constexpr size_t kPitchSamples = 32;

/// Samples from row to row of a scale's approximation.
size_t approximation_pitch(const AdmScale &scale)
{
    return (static_cast<size_t>(scale.width) + kPitchSamples - 1) / kPitchSamples * kPitchSamples;
}

size_t approximation_samples(const AdmScale &scale)
{
    return approximation_pitch(scale) * static_cast<size_t>(scale.height);
}

/// Samples before scale `scale`'s approximations (reference, then distorted).
size_t approximation_offset(const AdmConfig &config, int scale)
{
    size_t offset = 0;
    for (int s = 0; s < scale; ++s)
        offset += 2 * approximation_samples(config.scale[s]);
    return offset;
}

int first_row(const AdmConfig &config, int scale)
{
    int row = 0;
    for (int s = 0; s < scale; ++s)
        row += config.scale[s].height;
    return row;
}

size_t row_values(const AdmConfig &config)
{
    return static_cast<size_t>(first_row(config, kAdmScales)) * kAdmRowValues;
}

void set_inputs(AdmScaleArgs &args, const AdmConfig &config, const BatchView &batch, int scale)
{
    const Format &format = config.format;
    args.input_width = scale == 0 ? format.width : config.scale[scale - 1].width;
    args.input_height = scale == 0 ? format.height : config.scale[scale - 1].height;
    args.depth = format.depth;
    for (int i = 0; i < batch.count; ++i) {
        const Plane planes[2] = {batch.pairs[i].reference[0], batch.pairs[i].distorted[0]};
        const auto *scratch = reinterpret_cast<const int32_t *>(
            batch.scratch + static_cast<size_t>(i) * batch.scratch_stride);
        for (int image = 0; image < 2; ++image) {
            if (scale == 0) {
                args.input[i][image] = planes[image].data;
                args.input_pitch[i][image] = planes[image].pitch;
                continue;
            }
            const AdmScale &above = config.scale[scale - 1];
            args.input[i][image] = scratch + approximation_offset(config, scale - 1) +
                                   static_cast<size_t>(image) * approximation_samples(above);
            args.input_pitch[i][image] =
                static_cast<int64_t>(approximation_pitch(above) * sizeof(int32_t));
        }
    }
}

AdmScaleArgs scale_args(const AdmConfig &config, const BatchView &batch, int scale)
{
    const AdmScale &layout = config.scale[scale];
    AdmScaleArgs args = {};
    set_inputs(args, config, batch, scale);
    if (scale < kAdmScales - 1)
        args.approximation =
            reinterpret_cast<int32_t *>(batch.scratch) + approximation_offset(config, scale);
    args.approximation_stride = static_cast<int64_t>(batch.scratch_stride / sizeof(int32_t));
    args.distorted_offset = static_cast<int64_t>(approximation_samples(layout));
    args.approximation_pitch = static_cast<int32_t>(approximation_pitch(layout));
    args.width = layout.width;
    args.height = layout.height;
    args.left = layout.left;
    args.top = layout.top;
    std::memcpy(args.multiplier, layout.multiplier, sizeof(args.multiplier));
    std::memcpy(args.num_cube_shift, layout.num_cube_shift, sizeof(args.num_cube_shift));
    args.den_cube_shift = layout.den_cube_shift;
    args.skip_aim = config.skip_aim ? 1 : 0;
    args.skip_sums = scale == 0 && config.skip_scale0 ? 1 : 0;
    std::memcpy(args.gain_limit, config.gain_limit, sizeof(args.gain_limit));
    args.rows = reinterpret_cast<uint64_t *>(batch.shared_scratch) +
                static_cast<size_t>(first_row(config, scale)) * kAdmRowValues;
    args.rows_stride = static_cast<int64_t>(row_values(config));
    return args;
}

const Kernel<AdmScaleArgs> &scale_kernel(const AdmConfig &config, int scale)
{
    const int gains = config.gains - 1;
    if (scale > 0)
        return kAdmScaleNext[scale - 1][gains];
    return config.format.depth > 8 ? kAdmScale0U16[gains] : kAdmScale0U8[gains];
}

unsigned blocks(int samples, int tile)
{
    return static_cast<unsigned>((samples + tile - 1) / tile);
}

} // namespace

MemoryPlan AdmFeature::plan() const
{
    MemoryPlan plan;
    plan.sums = sizeof(AdmSums);
    plan.cpu_scratch = adm_cpu_scratch(config_);
    plan.scratch = approximation_offset(config_, kAdmScales - 1) * sizeof(int32_t);
    // Row sums of a whole batch lie together: one fill clears them.
    plan.shared_scratch = row_values(config_) * sizeof(uint64_t) * kMaxBatch;
    return plan;
}

void AdmFeature::record(Queue &queue, const BatchView &batch) const
{
    const auto pairs = static_cast<unsigned>(batch.count);
    queue.fill(batch.shared_scratch, 0, row_values(config_) * sizeof(uint64_t) * pairs);
    AdmRowsArgs rows = {};
    for (int scale = 0; scale < kAdmScales; ++scale) {
        const AdmScale &layout = config_.scale[scale];
        const int tile_height = scale == 0 ? kAdmTileHeightFirst : kAdmTileHeightNext;
        queue.launch(
            scale_kernel(config_, scale),
            {blocks(layout.width, kAdmTileWidth), blocks(layout.height, tile_height), pairs},
            scale_args(config_, batch, scale));
        rows.first_row[scale] = first_row(config_, scale);
        rows.row_count[scale] = layout.height;
        rows.num_row_shift[scale] = layout.num_row_shift;
        rows.den_row_shift[scale] = layout.den_row_shift;
    }
    rows.rows = reinterpret_cast<uint64_t *>(batch.shared_scratch);
    rows.rows_stride = static_cast<int64_t>(row_values(config_));
    rows.sums = batch.sums;
    rows.sums_stride = static_cast<int64_t>(batch.sums_stride);
    queue.launch(kAdmRows, {kAdmScales, 1, pairs}, rows);
}

} // namespace vmafgpu
