// SPDX-License-Identifier: BSD-2-Clause-Patent
// The features "float_ssim" and "float_ms_ssim": structural similarity of the luma, at one scale or
// at five, equal to libvmaf's. registry.h lists both; the rest is for the files of this folder
// and for tests. Numerics: docs/numerics/ssim.md.
//
// Both compute the same per scale: means, second moments and from them luminance, contrast and
// structure of every pixel, summed in raster order. They differ in how scales come about. Device
// compilers read it, so it uses no host library.
#pragma once

#include "features/kit/forms.h"
#include "simt/simt.h"

namespace vmafgpu::ssim {

extern const FeatureInfo kFeature;
extern const FeatureInfo kMsFeature;

// Filters, stabilising constants and weights. libvmaf writes them with six decimals; tests/unit
// compares them with a second source.

constexpr int kTaps = 11;

/// The window: a Gaussian of 1.5 samples whose outer product is rounded to sum up to 1.
SIMT_TABLE float kGaussian[kTaps] = {0.001028F, 0.007599F, 0.036001F, 0.109361F,
                                     0.213006F, 0.266012F, 0.213006F, 0.109361F,
                                     0.036001F, 0.007599F, 0.001028F};

constexpr int kHalfReach = 4;

/// Low pass before the pyramid drops every second sample, by distance of row and of column: an
/// outer product, rounded to six decimals.
SIMT_TABLE float kHalfWeights[kHalfReach + 1][kHalfReach + 1] = {
    {0.363505F, 0.160885F, -0.047149F, -0.010146F, 0.016114F},
    {0.160885F, 0.071207F, -0.020867F, -0.004490F, 0.007132F},
    {-0.047149F, -0.020867F, 0.006115F, 0.001316F, -0.002090F},
    {-0.010146F, -0.004490F, 0.001316F, 0.000283F, -0.000450F},
    {0.016114F, 0.007132F, -0.002090F, -0.000450F, 0.000714F}};

/// (0.01 * 255)^2, (0.03 * 255)^2 and half of that, in float; at every depth.
constexpr float kC1 = 0x1.a028f4p+2F;
constexpr float kC2 = 0x1.d42e12p+5F;
constexpr float kC3 = 0x1.d42e12p+4F;

constexpr int kMaxScales = 5;

/// Exponents of a scale's luminance, and of its contrast and its structure.
constexpr float kAlpha[kMaxScales] = {0, 0, 0, 0, 0.1333F};
constexpr float kBeta[kMaxScales] = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F};

constexpr int kPictures = 2; ///< reference, distorted

/// Values that are averaged over a scale. MS-SSIM does not use kProduct.
enum Mean { kProduct, kLuminance, kContrast, kStructure, kMeans };

/// What one Feature object computes; all sizes follow from the format and the options.
struct Config {
    int width = 0, height = 0, depth = 8;
    bool is_multi_scale = false;
    int factor = 1; ///< reduction of float_ssim: input samples per sample, in each direction
    int scales = 1;
    int scale_width[kMaxScales] = {};
    int scale_height[kMaxScales] = {};

    /// The window fits `scale`. If not, there is nothing to compute.
    bool has_pixels(int scale) const
    {
        return scale_width[scale] >= kTaps && scale_height[scale] >= kTaps;
    }
    int pixels_x(int scale) const { return scale_width[scale] - kTaps + 1; }
    int pixels_y(int scale) const { return scale_height[scale] - kTaps + 1; }
    /// The samples of scale 0 are the pictures' own.
    bool starts_with_samples() const { return factor == 1; }
    int first_mean() const { return is_multi_scale ? kLuminance : kProduct; }
};

/// Factor 0: the one that follows from the size.
Config config_of(const Format &format, int factor);
Config ms_config_of(const Format &format);

/// Sums of a scale. All are 0 where the window does not fit.
struct ScaleSums {
    float means[kMeans];
    uint32_t open; ///< the device could not decide that many of them
};

/// The Sums of a pair. They end behind Config::scales of these.
struct Sums {
    ScaleSums scales[kMaxScales];
};

struct Forms {
    /// ssim_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// ssim_cpu.cpp: the same Sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    static size_t sums_bytes(const Config &config);
    /// ssim_record.cpp: the device form. A mean that it leaves open is computed again by the host.
    static size_t device_scratch(const Config &config);
    static size_t shared_scratch(const Config &config);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
    static bool is_complete(const Config &config, const Sums &sums);
};

// Arithmetic that all forms share. Each operation is rounded in the type that is written.

/// Reflection that repeats the border sample on both sides, for one bounce: -1 -> 0, n -> n-1.
SIMT_HOST_DEVICE inline constexpr int mirror_repeat(int i, int n)
{
    return i < 0 ? -1 - i : (i >= n ? 2 * n - 1 - i : i);
}

/// Moments of both pictures in the window around a pixel.
struct Moments {
    float mean1, mean2;
    float square1, square2, product; ///< means of a * a, c * c and a * c
};

/// Luminance, contrast and structure.
struct Terms {
    double l, c, s;
    SIMT_HOST_DEVICE double product() const { return l * c * s; }
};

SIMT_HOST_DEVICE inline Terms terms_of(const Moments &m)
{
    const float power1 = m.mean1 * m.mean1;
    const float power2 = m.mean2 * m.mean2;
    const float difference1 = m.square1 - power1;
    const float difference2 = m.square2 - power2;
    const float variance1 = difference1 < 0 ? 0 : difference1;
    const float variance2 = difference2 < 0 ? 0 : difference2;
    const float covariance = m.product - m.mean1 * m.mean2;
    const float deviation = square_root(variance1 * variance2);
    const float joint = covariance < 0 && deviation <= 0 ? 0 : covariance;
    const double mean_product = 2.0 * static_cast<double>(m.mean1) * static_cast<double>(m.mean2);
    return {(mean_product + static_cast<double>(kC1)) / static_cast<double>(power1 + power2 + kC1),
            (2.0 * static_cast<double>(deviation) + static_cast<double>(kC2)) /
                static_cast<double>(variance1 + variance2 + kC2),
            static_cast<double>((joint + kC3) / (deviation + kC3))};
}

// The tasks of the CPU form. ssim_simd-inl.h does the work.

/// A plane of samples or of floats.
struct SourcePlane {
    Plane plane;
    int width, height;
    int sample_bytes; ///< 1, 2; 4: floats
    float unit;       ///< value of the sample 1
};

/// Rows first .. last-1 of pixels: their terms.
struct TermsStrip {
    SourcePlane pictures[kPictures];
    int first, last;
    int first_mean;
    /// Row by row; of a row first Terms::product of every pixel, then l, c, s.
    double *terms;
    size_t pitch; ///< doubles between two of them
};

/// Rows first .. last-1 of a plane that another one makes.
struct PlaneStrip {
    SourcePlane from, to;
    int first, last;
    int factor; ///< side of a box; a pyramid's step ignores it
};

/// Boxes up to this one have exact sums, so that their order is free: docs/numerics/ssim.md.
constexpr int kExactFactor = 64;

// What the kernels get.

/// One launch covers a batch.
struct Args {
    struct Pair {
        const void *pictures[2]; ///< luma: reference, distorted
        int64_t pitches[2];      ///< bytes
    } pairs[kMaxBatch];
    struct Scale {
        int32_t width, height;
        int32_t pitch;       ///< floats
        int32_t tiles_x;     ///< tiles in a row of the scale's plane; 0: the window does not fit
        int32_t tile_groups; ///< groups of a tile, below each other
        int32_t first_tile;  ///< first tile in a launch of ssim_core_f32
        int64_t planes[2];   ///< floats, from `planes`; unused by samples
        int64_t groups;      ///< offset of the groups' means; kMeans times the groups of a scale
    } scales[kMaxScales];
    float *planes; ///< planes of the first pair
    int64_t planes_stride;
    uint64_t *groups; ///< words of the first pair's TermGroup; zeroed
    int64_t groups_stride;
    char *sums; ///< ScaleSums of the first pair
    int64_t sums_stride;
    int32_t width, height;
    int32_t first_kind;  ///< Mean
    int32_t scale_count; ///< scales of the feature
    int32_t first_scale; ///< first scale of a launch
    int32_t factor;      ///< reduction by ssim_box
    float weight;        ///< likewise
    float unit;          ///< value of the sample 1
};

/// Threads of a block of the kernels that make planes.
constexpr int kThreads = 128;
/// Threads of a block of ssim_core: 64 for each of its five quantities.
constexpr int kCoreThreads = 320;

/// A block of ssim_core walks down a tile of pixels, a group of rows at a time.
constexpr int kTileWidth = 64;
constexpr int kTileGroups = 8; ///< at most

/// A block of ssim_half makes a tile of the next scale.
constexpr int kHalfTileWidth = 32;
constexpr int kHalfTileHeight = 16;

// Kernels that read samples, or the floats of a scale. Block z takes a pair.
constexpr Kernel<Args> kCoreU8 = {"ssim_core_u8", kCoreThreads};
constexpr Kernel<Args> kCoreU16 = {"ssim_core_u16", kCoreThreads};
constexpr Kernel<Args> kCoreF32 = {"ssim_core_f32", kCoreThreads};
// The scale after first_scale. Block z takes a picture.
constexpr Kernel<Args> kHalfU8 = {"ssim_half_u8", kThreads};
constexpr Kernel<Args> kHalfU16 = {"ssim_half_u16", kThreads};
constexpr Kernel<Args> kHalfF32 = {"ssim_half_f32", kThreads};
// Scale 0 from boxes of samples. Block z takes a picture.
constexpr Kernel<Args> kBoxU8 = {"ssim_box_u8", kThreads};
constexpr Kernel<Args> kBoxU16 = {"ssim_box_u16", kThreads};
/// The Sums. A thread per mean; block z takes a pair.
constexpr Kernel<Args> kFinish = {"ssim_finish", 64};

} // namespace vmafgpu::ssim
