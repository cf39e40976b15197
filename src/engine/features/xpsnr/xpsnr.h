// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "xpsnr": PSNR weighted by how visible errors are, equal to the C code of FFmpeg's
// filter xpsnr. registry.h lists kFeature; the rest is for the files of this folder and for
// tests. Device compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"
#include "simt/simt.h"

namespace vmafgpu::xpsnr {

extern const FeatureInfo kFeature;

constexpr int kPlanes = 3;

/// The Sums of a pair: weighted square errors, rounded to whole numbers.
struct Sums {
    uint64_t errors[kPlanes];
    uint64_t unused;
};

/// The lowest number of frames per second for which activity in time is a second difference.
constexpr int kFastRate = 32;

/// What one Feature object computes.
struct Config {
    Format format;
    int planes = 1; ///< 1: luma only; 3: chroma too
    bool is_fast = false;
    int block = 0;         ///< side of a block of luma; 0: the picture is too small for weights
    bool is_large = false; ///< activity is measured on cells of 2x2 samples
    bool smooths = false;  ///< weights of small pictures are limited by their neighbours'
    double scale = 0;      ///< scale of the weights

    int width[kPlanes] = {}, height[kPlanes] = {}; ///< size of the planes
    /// Size of a block in each plane. A picture that is too small for weights is one block.
    int block_width[kPlanes] = {}, block_height[kPlanes] = {};
    int columns = 0, rows = 0; ///< columns and rows of blocks
};
Config config_of(const Format &format, bool has_chroma, int frame_rate);

/// A block: of luma, or of both chroma planes at the same place.
struct Block {
    uint64_t squares[kPlanes];
    uint64_t in_space, in_time; ///< activity of the reference's luma
};

/// Samples first_x..last_x-1, first_y..last_y-1.
struct Area {
    int first_x, last_x, first_y, last_y;
    SIMT_HOST_DEVICE int width() const { return last_x - first_x; }
    SIMT_HOST_DEVICE int height() const { return last_y - first_y; }
};
/// A block of a plane.
SIMT_HOST_DEVICE inline Area block_area(const Config &config, int plane, int column, int row)
{
    const int width = config.block_width[plane];
    const int height = config.block_height[plane];
    Area area = {column * width, (column + 1) * width, row * height, (row + 1) * height};
    if (area.last_x > config.width[plane])
        area.last_x = config.width[plane];
    if (area.last_y > config.height[plane])
        area.last_y = config.height[plane];
    return area;
}
/// The part of a luma block whose neighbours are inside the picture.
SIMT_HOST_DEVICE inline Area inner_area(const Config &config, int column, int row)
{
    const int border = config.is_large ? 2 : 1;
    Area area = block_area(config, 0, column, row);
    area.first_x += column == 0 ? border : 0;
    area.first_y += row == 0 ? border : 0;
    area.last_x -= area.last_x == config.width[0] ? border : 0;
    area.last_y -= area.last_y == config.height[0] ? border : 0;
    return area;
}
/// FFmpeg leaves out the activity in space of narrow areas of a large picture.
constexpr int kNarrow = 12;

struct Forms {
    /// xpsnr_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// xpsnr_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// xpsnr_record.cpp: the same sums on a device.
    static size_t device_scratch(const Config &config);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

/// A block's weight from its activity: 1 / the root of its square.
SIMT_HOST_DEVICE inline double weight_of(const Config &config, const Block &block, int column,
                                         int row)
{
    const Area inner = inner_area(config, column, row);
    if (inner.width() <= 0 || inner.height() <= 0)
        return 1;
    const Area area = block_area(config, 0, column, row);
    double activity =
        static_cast<double>(block.in_space) / (static_cast<double>(inner.width()) * inner.height());
    activity +=
        static_cast<double>(block.in_time) / (static_cast<double>(area.width()) * area.height());
    const auto least = static_cast<double>(1 << (config.format.depth - 6));
    activity = activity < least ? least : activity;
    return 1 / square_root(activity * activity);
}

/// Limits the weight before `at` to the larger one of its neighbours, as far as they are known.
/// FFmpeg does so while it goes over the blocks; the order is part of the result.
SIMT_HOST_DEVICE inline void smooth(const Config &config, double *weights, int at)
{
    const int columns = config.columns;
    const int column = at % columns;
    const auto larger = [](double a, double b) {
        return a < b ? b : a;
    };
    const auto smaller = [](double a, double b) {
        return b < a ? b : a;
    };
    double limit = 0;
    if (column == 0)
        limit = at > 1 ? weights[at - 2] : 0;
    else
        limit = column > 1 ? larger(weights[at - 2], weights[at]) : weights[at];
    if (at > columns)
        limit = larger(limit, weights[at - 1 - columns]);
    if (at > 0)
        weights[at - 1] = smaller(weights[at - 1], limit);
    if (at + 1 == columns * config.rows && at > columns)
        weights[at] = smaller(weights[at], larger(weights[at - 1], weights[at - columns]));
}

/// The weighted error of a plane of `count` blocks, whose weights are done.
SIMT_HOST_DEVICE inline uint64_t weighted_error(const Config &config, const Block *blocks,
                                                const double *weights, int count, int plane)
{
    if (config.block == 0)
        return blocks[0].squares[plane];
    double error = 0;
    for (int i = 0; i < count; ++i)
        error += static_cast<double>(blocks[i].squares[plane]) * weights[i];
    const double scaled = error * config.scale + 0.5; // rounded as for the block
    return error <= 0 ? 0 : static_cast<uint64_t>(scaled);
}

/// xpsnr_weights.cpp: the weighted errors of blocks in raster order. weights: memory for as many.
Sums weighted_sums(const Config &config, const Block *blocks, double *weights);

/// One launch covers a batch. A pair's scratch memory has its blocks, then their weights.
struct Args {
    struct Pair {
        const void *planes[2][kPlanes]; ///< reference, distorted
        const void *previous[2];        ///< the reference's luma 1 and 2 pairs earlier, or null
        int32_t pitches[2][kPlanes];    ///< bytes
        int32_t previous_pitches[2];
    } pairs[kMaxBatch];
    Config config;
    char *scratch; ///< scratch memory of the first pair
    int64_t scratch_stride;
    char *sums; ///< Sums of the first pair
    int64_t sums_stride;
};

constexpr int kBlockThreads = 128;
constexpr int kSumThreads = 256;
/// Block (x, y) takes the block in column x and row y of pair z. Samples are bytes or words.
constexpr Kernel<Args> kBlocksU8 = {"xpsnr_blocks_u8", kBlockThreads};
constexpr Kernel<Args> kBlocksU16 = {"xpsnr_blocks_u16", kBlockThreads};
constexpr Kernel<Args> kSum = {"xpsnr_sum", kSumThreads}; ///< block z takes pair z

} // namespace vmafgpu::xpsnr
