// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain oracle of xpsnr: what xpsnr_cpu.cpp and xpsnr_kernels.cpp must equal. Not fast.
#include <cstdlib>
#include <vector>

#include "features/xpsnr/xpsnr.h"

namespace vmafgpu::xpsnr {

namespace {

struct Luma {
    const Plane &plane;
    bool is_deep;

    /// Samples of 16 bits have a sign here, as in FFmpeg. A picture that is not there is black.
    int64_t at(int x, int y) const
    {
        if (plane.data == nullptr)
            return 0;
        return is_deep ? plane_row<int16_t>(plane, y)[x] : plane_row<uint8_t>(plane, y)[x];
    }
    int64_t cell(int x, int y) const
    {
        return at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1);
    }
};

uint64_t squared_errors(const Config &config, const PairView &pair, int plane, const Area &area)
{
    uint64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; ++y) {
        for (int x = area.first_x; x < area.last_x; ++x) {
            const bool is_deep = config.format.depth > 8;
            const auto sample = [&](const Plane &from) -> int64_t {
                return is_deep ? plane_row<uint16_t>(from, y)[x] : plane_row<uint8_t>(from, y)[x];
            };
            const int64_t error = sample(pair.reference[plane]) - sample(pair.distorted[plane]);
            sum += static_cast<uint64_t>(error * error);
        }
    }
    return sum;
}

/// High-pass filter of 3x3 samples.
int64_t high_pass(const Luma &luma, int x, int y)
{
    const int64_t cross =
        luma.at(x - 1, y) + luma.at(x + 1, y) + luma.at(x, y - 1) + luma.at(x, y + 1);
    const int64_t corners = luma.at(x - 1, y - 1) + luma.at(x + 1, y - 1) + luma.at(x - 1, y + 1) +
                            luma.at(x + 1, y + 1);
    return 12 * luma.at(x, y) - 2 * cross - corners;
}

/// High-pass filter of 6x6 samples without corners, around a cell.
int64_t high_pass_of_cell(const Luma &luma, int x, int y)
{
    static constexpr int kTaps[6][6] = {{0, -1, -1, -1, -1, 0},   {-1, -2, -3, -3, -2, -1},
                                        {-1, -3, 12, 12, -3, -1}, {-1, -3, 12, 12, -3, -1},
                                        {-1, -2, -3, -3, -2, -1}, {0, -1, -1, -1, -1, 0}};
    int64_t sum = 0;
    for (int v = 0; v < 6; ++v)
        for (int u = 0; u < 6; ++u)
            if (kTaps[v][u] != 0)
                sum += kTaps[v][u] * luma.at(x + u - 2, y + v - 2);
    return sum;
}

uint64_t activity_in_space(const Config &config, const PairView &pair, const Area &area)
{
    const Luma luma = {pair.reference[0], config.format.depth > 8};
    if (config.is_large && area.width() <= kNarrow)
        return 0;
    const int step = config.is_large ? 2 : 1;
    int64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; y += step)
        for (int x = area.first_x; x < area.last_x; x += step)
            sum +=
                std::abs(config.is_large ? high_pass_of_cell(luma, x, y) : high_pass(luma, x, y));
    return static_cast<uint64_t>(sum);
}

uint64_t activity_in_time(const Config &config, const PairView &pair, const Area &area)
{
    const bool is_deep = config.format.depth > 8;
    const Luma now = {pair.reference[0], is_deep};
    const Luma before = {pair.previous[0], is_deep};
    const Luma earlier = {pair.previous[1], is_deep};
    const auto value = [&](const Luma &luma, int x, int y) {
        return config.is_large ? luma.cell(x, y) : luma.at(x, y);
    };
    const int step = config.is_large ? 2 : 1;
    int64_t sum = 0;
    for (int y = area.first_y; y < area.last_y; y += step)
        for (int x = area.first_x; x < area.last_x; x += step)
            sum += std::abs(config.is_fast
                                ? value(now, x, y) - 2 * value(before, x, y) + value(earlier, x, y)
                                : value(now, x, y) - value(before, x, y));
    return 2 * static_cast<uint64_t>(sum);
}

} // namespace

void Forms::reference(const Config &config, const PairView &pair, Sums &sums)
{
    std::vector<Block> blocks;
    for (int row = 0; row < config.rows; ++row) {
        for (int column = 0; column < config.columns; ++column) {
            Block block = {};
            for (int p = 0; p < config.planes; ++p)
                block.squares[p] =
                    squared_errors(config, pair, p, block_area(config, p, column, row));
            block.in_space = activity_in_space(config, pair, inner_area(config, column, row));
            block.in_time = activity_in_time(config, pair, block_area(config, 0, column, row));
            blocks.push_back(block);
        }
    }
    std::vector<double> weights(blocks.size());
    sums = weighted_sums(config, blocks.data(), weights.data());
}

} // namespace vmafgpu::xpsnr
