// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "speed_chroma": SpEED, the difference of local entropies, on Cb and Cr, equal to
// libvmaf's. registry.cpp lists kSpeedChromaFeature; the rest is for the files of this folder and
// for tests. Numerics: docs/numerics/speed-chroma.md.
//
// All steps are float arithmetic whose order matters. The steps of a plane: samples -> resized ->
// filtered at every 16th row and column -> minus its local mean -> covariance of 5x5 windows ->
// eigenvalues and QR factors -> S and E of each 5x5 block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kSpeedChromaFeature;

constexpr int kSpeedChromaEdge = 5;                                     ///< of a block
constexpr int kSpeedChromaVector = kSpeedChromaEdge * kSpeedChromaEdge; ///< samples of a block
constexpr int kSpeedChromaPairs = kSpeedChromaVector * (kSpeedChromaVector + 1) / 2;
constexpr int kSpeedChromaStep = 16;  ///< rows and columns per low-pass sample
constexpr int kSpeedChromaPlanes = 4; ///< Cb reference, Cb distorted, Cr reference, Cr distorted

/// As the option's words.
enum class SpeedChromaResize { kNearest, kBilinear, kBicubic, kLanczos4 };

/// What one Feature object computes; all sizes follow from the format and the options.
struct SpeedChromaConfig {
    int depth = 8;
    int width = 0, height = 0; ///< of a chroma plane; odd luma: rounded down
    int resized_width = 0, resized_height = 0;
    int low_width = 0, low_height = 0; ///< every 16th row and column
    int blocks_x = 0, blocks_y = 0;    ///< whole 5x5 blocks in it
    SpeedChromaResize resize = SpeedChromaResize::kNearest;
    int taps = 0;    ///< per direction, of the resizing; 0: the plane is taken as it is
    float sigma = 0; ///< of the neural noise
    std::vector<float> low_pass, local_mean; ///< filters, odd lengths

    /// For each resized column (row): `taps` source indices and their weights.
    struct Positions {
        std::vector<int32_t> index;
        std::vector<float> weight;
    };
    Positions columns, rows;

    int blocks() const { return blocks_x * blocks_y; }
    /// The part of the low-pass plane that whole blocks cover.
    int used_width() const { return kSpeedChromaEdge * blocks_x; }
    int used_height() const { return kSpeedChromaEdge * blocks_y; }
    /// Places that a 5x5 window can take in it.
    int places_x() const { return used_width() - kSpeedChromaEdge + 1; }
    int places_y() const { return used_height() - kSpeedChromaEdge + 1; }
};

/// The last three only change scores.
struct SpeedChromaOptions {
    double kernel_scale = 1.0, prescale = 1.0;
    SpeedChromaResize resize = SpeedChromaResize::kNearest;
    double sigma = 0.29;
    double floor = 0.0, max_val = 1000.0;
    int weight_mode = 0;
};

/// speed_chroma_setup.cpp. Throws Error(EINVAL) for what cannot be computed exactly.
SpeedChromaConfig speed_chroma_config(const Format &format, const SpeedChromaOptions &options);

/// The Sums of a pair begin with one of these per plane; S of every block of every plane
/// follows, then E. NaN is stored as kSpeedChromaNan.
struct SpeedChromaPlaneSums {
    float eigenvalues[kSpeedChromaVector];
    uint32_t is_singular;
    uint32_t open; ///< values of E that the device could not decide; 0 after finish()
    uint32_t unused;
};

/// Where things lie in the Sums of a pair.
struct SpeedChromaSums {
    SpeedChromaSums(void *sums, int blocks)
        : planes(static_cast<SpeedChromaPlaneSums *>(sums)),
          s(reinterpret_cast<float *>(planes + kSpeedChromaPlanes)),
          e(s + kSpeedChromaPlanes * blocks)
    {
    }
    static size_t bytes(int blocks)
    {
        return kSpeedChromaPlanes *
               (sizeof(SpeedChromaPlaneSums) + 2 * sizeof(float) * static_cast<size_t>(blocks));
    }

    SpeedChromaPlaneSums *planes;
    float *s, *e; ///< block b of plane p: [p * blocks + b]
};

/// One of the kSpeedChromaPlanes of a pair.
inline const Plane &speed_chroma_plane(const PairView &pair, int plane)
{
    const Plane *const planes = plane % 2 == 0 ? pair.reference : pair.distorted;
    return planes[1 + plane / 2];
}

/// 25 x 25, row by row.
using SpeedChromaMatrix = float[kSpeedChromaVector * kSpeedChromaVector];

/// speed_chroma_ref.cpp: the plain oracle. Allocates.
void speed_chroma_reference(const SpeedChromaConfig &config, const PairView &pair, void *sums);

/// Also speed_chroma_ref.cpp, for both CPU forms: from the covariance and the residual
/// (rows of low_width) to what the Sums of one plane hold. s and e: one value per block.
void speed_chroma_solve(const SpeedChromaConfig &config, const SpeedChromaMatrix &covariance,
                        const float *residual, SpeedChromaPlaneSums &plane, float *s, float *e);
/// E of every block from S and the eigenvalues, with the C library's log2.
void speed_chroma_entropies(const SpeedChromaConfig &config, const SpeedChromaPlaneSums &plane,
                            const float *s, float *e);

/// speed_chroma_cpu.cpp: the same Sums, fast. `scratch` has speed_chroma_cpu_scratch() bytes,
/// aligned to 64.
size_t speed_chroma_cpu_scratch(const SpeedChromaConfig &config);
void speed_chroma_compute(const SpeedChromaConfig &config, const PairView &pair, void *sums,
                          void *scratch, ThreadPool &pool);

/// speed_chroma_record.cpp: the same on a device, but for `open`.
size_t speed_chroma_device_scratch(const SpeedChromaConfig &config);
size_t speed_chroma_device_tables(const SpeedChromaConfig &config);
void speed_chroma_fill_tables(const SpeedChromaConfig &config, void *host);
void speed_chroma_record(const SpeedChromaConfig &config, Queue &queue, const BatchView &batch);

} // namespace vmafgpu
