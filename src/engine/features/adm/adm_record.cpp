// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on a device, host side: the layout of scratch memory, and the launches of a batch.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "device/clear_args.h"
#include "device/device.h"
#include "features/adm/adm.h"
#include "features/feature.h"

namespace vmafgpu::adm {

static_assert(sizeof(ScaleSums) == (kRowValues - 1) * sizeof(uint64_t),
              "adm_rows writes AdmScaleSums as 15 words in this order");

namespace {

/// Waves of 32 that a large GPU runs concurrently. It only decides how rows are cut.
constexpr int kWavesInFlight = 2048;
/// Steps that a block spends before and after its own steps; and the fewest of its own.
constexpr double kIdleSteps = 1.3;
constexpr int kShortestRun = 2;

/// Row pitch in bytes of a scale's approximation: 16-bit samples after scale 0, else 32-bit ones,
/// with the margin, and with room for steps that reach beyond the end.
size_t approximation_pitch(const Config &config, int scale)
{
    const size_t samples = static_cast<size_t>(config.scale[scale].width) + kMargin + 16;
    return round_up(samples * (scale == 0 ? sizeof(int16_t) : sizeof(int32_t)), size_t{32});
}

size_t approximation_bytes(const Config &config, int scale)
{
    return approximation_pitch(config, scale) * static_cast<size_t>(config.scale[scale].height);
}

/// Offset in bytes of the approximations of scale `scale` (reference, then distorted).
size_t approximation_offset(const Config &config, int scale)
{
    size_t offset = 0;
    for (int s = 0; s < scale; ++s)
        offset += 2 * approximation_bytes(config, s);
    return offset;
}

int first_row(const Config &config, int scale)
{
    int row = 0;
    for (int s = 0; s < scale; ++s)
        row += config.scale[s].height;
    return row;
}

size_t row_values(const Config &config)
{
    return static_cast<size_t>(first_row(config, kScales)) * kRowValues;
}

void set_inputs(ScaleArgs &args, const Config &config, const BatchView &batch, int scale)
{
    const Format &format = config.format;
    args.input_width = scale == 0 ? format.width : config.scale[scale - 1].width;
    args.input_height = scale == 0 ? format.height : config.scale[scale - 1].height;
    args.depth = format.depth;
    for (int i = 0; i < batch.count; ++i) {
        const Plane planes[2] = {batch.pairs[i].reference[0], batch.pairs[i].distorted[0]};
        const char *scratch = batch.scratch + static_cast<size_t>(i) * batch.scratch_stride;
        for (int image = 0; image < 2; ++image) {
            auto &input = args.input[i][image];
            if (scale == 0)
                input = {planes[image].data, planes[image].pitch};
            else
                input = {scratch + approximation_offset(config, scale - 1) +
                             static_cast<size_t>(image) * approximation_bytes(config, scale - 1),
                         static_cast<int64_t>(approximation_pitch(config, scale - 1))};
        }
    }
}

/// True if a weighted sample may overflow its integer.
bool may_wrap(const Scale &layout, int scale)
{
    constexpr uint32_t kLargestBand = 22930;  // largest magnitude of a sample at scale 0
    constexpr uint32_t kLargestShare = 30719; // a thirtieth of it still fits
    if (scale > 0)
        return std::max({layout.multiplier[0], layout.multiplier[1], layout.multiplier[2]}) >=
               1u << 28;
    return (static_cast<uint64_t>(layout.multiplier[0]) * kLargestBand >> 15) >= kLargestShare ||
           (static_cast<uint64_t>(layout.multiplier[2]) * kLargestBand >> 17) >= kLargestShare;
}

/// A limit as an integer, or 0 if it is fractional.
int32_t whole(double limit)
{
    const auto number = static_cast<int32_t>(limit);
    return static_cast<double>(number) == limit ? number : 0;
}

ScaleArgs scale_args(const Config &config, const BatchView &batch, int scale)
{
    const Scale &layout = config.scale[scale];
    ScaleArgs args = {};
    set_inputs(args, config, batch, scale);
    if (scale < kScales - 1)
        args.approximation = batch.scratch + approximation_offset(config, scale);
    args.approximation_stride = static_cast<int64_t>(batch.scratch_stride);
    args.distorted_offset = static_cast<int64_t>(approximation_bytes(config, scale));
    args.approximation_pitch = static_cast<int64_t>(approximation_pitch(config, scale));
    args.width = layout.width;
    args.height = layout.height;
    args.left = layout.left;
    args.top = layout.top;
    std::memcpy(args.multiplier, layout.multiplier, sizeof(args.multiplier));
    std::memcpy(args.num_cube_shift, layout.num_cube_shift, sizeof(args.num_cube_shift));
    for (int b = 0; b < kOrientations; ++b)
        args.num_cube_half[b] = (INT64_C(1) << layout.num_cube_shift[b]) >> 1;
    args.den_cube_shift = layout.den_cube_shift;
    args.is_narrow = layout.is_narrow ? 1 : 0;
    args.wraps = may_wrap(layout, scale) ? 1 : 0;
    args.skip_aim = config.skip_aim ? 1 : 0;
    args.skip_sums = scale == 0 && config.skip_scale0 ? 1 : 0;
    std::memcpy(args.gain_limit, config.gain_limit, sizeof(args.gain_limit));
    for (int g = 0; g < kMaxGains; ++g)
        args.whole_gain_limit[g] = whole(config.gain_limit[g]);
    args.rows = reinterpret_cast<uint64_t *>(batch.shared_scratch) +
                static_cast<size_t>(first_row(config, scale)) * kRowValues;
    args.rows_stride = static_cast<int64_t>(row_values(config));
    return args;
}

const Kernel<ScaleArgs> &scale_kernel(const Config &config, int scale)
{
    const int gains = config.gains - 1;
    if (scale > 0)
        return kScaleNext[scale - 1][gains];
    return config.format.depth > 8 ? kScale0U16[gains] : kScale0U8[gains];
}

/// Steps per block in x. Runs are long enough to make the repeated steps at their ends cheap. They
/// are short enough that blocks end together, although blocks outside the region have little work.
int best_run(int steps, int row_blocks, int pairs)
{
    int best = steps;
    double best_time = 1e30;
    for (int run = std::min(kShortestRun, steps); run <= steps; ++run) {
        const int jobs = steps / run;
        const double work = 2.0 * row_blocks * pairs * (steps + kIdleSteps * jobs);
        const double time = std::max(work / kWavesInFlight, 1.0) + run + steps % run + kIdleSteps;
        if (time < best_time) {
            best_time = time;
            best = run;
        }
    }
    return best;
}

/// Rows and columns of a scale that the blocks of a launch cover: all that the next scale reads, or
/// only the region that is summed.
Grid cut(ScaleArgs &args, int scale, int pairs)
{
    const int samples = kStepSamples[scale];
    const bool is_last = scale == kScales - 1;
    args.first_row = is_last ? args.top : 0;
    const int rows = is_last ? args.height - 2 * args.top : args.height;
    args.first_step = is_last ? (args.left + 1) / samples : 0;
    const int last_step = (is_last ? args.width - args.left : args.width) / samples;
    args.steps = last_step - args.first_step + 1;
    const int row_blocks = divide_up(rows, kBlockRows);
    args.run = best_run(args.steps, row_blocks, pairs);
    return {static_cast<unsigned>(args.steps / args.run), static_cast<unsigned>(row_blocks),
            static_cast<unsigned>(pairs)};
}

} // namespace

size_t Forms::device_scratch(const Config &config)
{
    return approximation_offset(config, kScales - 1);
}

/// Row sums of a whole batch are adjacent, so one launch clears them.
size_t Forms::shared_scratch(const Config &config)
{
    return row_values(config) * sizeof(uint64_t);
}

void Forms::record(const Config &config, Queue &queue, const BatchView &batch)
{
    const auto pairs = static_cast<unsigned>(batch.count);
    const auto words = static_cast<int64_t>(row_values(config) * pairs);
    queue.launch(kClear, clear_grid(words),
                 {reinterpret_cast<uint64_t *>(batch.shared_scratch), words});
    RowsArgs rows = {};
    for (int scale = 0; scale < kScales; ++scale) {
        const Scale &layout = config.scale[scale];
        ScaleArgs args = scale_args(config, batch, scale);
        const Grid grid = cut(args, scale, batch.count);
        queue.launch(scale_kernel(config, scale), grid, args);
        rows.first_row[scale] = first_row(config, scale);
        rows.row_count[scale] = layout.height;
        rows.num_row_shift[scale] = layout.num_row_shift;
        rows.den_row_shift[scale] = layout.den_row_shift;
    }
    rows.rows = reinterpret_cast<uint64_t *>(batch.shared_scratch);
    rows.rows_stride = static_cast<int64_t>(row_values(config));
    rows.sums = batch.sums;
    rows.sums_stride = static_cast<int64_t>(batch.sums_stride);
    queue.launch(kSumRows, {kScales, 1, pairs}, rows);
}

} // namespace vmafgpu::adm
