// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "xpsnr": PSNR weighted by how visible errors are, equal to the C code of FFmpeg's
// filter xpsnr. registry.h lists kFeature; the rest is for the files of this folder and for
// tests. No device code: it runs on the host.
#pragma once

#include "features/kit/forms.h"

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

    int columns() const { return (format.width + block - 1) / block; }
    int rows() const { return (format.height + block - 1) / block; }
    int block_width(int plane) const
    {
        return static_cast<int>(static_cast<int64_t>(block) * format.plane_width(plane) /
                                format.width);
    }
    int block_height(int plane) const
    {
        return static_cast<int>(static_cast<int64_t>(block) * format.plane_height(plane) /
                                format.height);
    }
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
    int width() const { return last_x - first_x; }
    int height() const { return last_y - first_y; }
};
/// A block of a plane, and the part of a luma block whose neighbours are inside the picture.
Area block_area(const Config &config, int plane, int column, int row);
Area inner_area(const Config &config, int column, int row);
/// FFmpeg leaves out the activity in space of narrow areas of a large picture.
constexpr int kNarrow = 12;

struct Forms {
    /// xpsnr_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// xpsnr_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
};

/// xpsnr_weights.cpp: the weighted errors of blocks in raster order. weights: memory for as many.
Sums weighted_sums(const Config &config, const Block *blocks, double *weights);

} // namespace vmafgpu::xpsnr
