// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "speed_chroma": SpEED, the difference of local entropies, on Cb and Cr, equal to
// libvmaf's. registry.h lists kFeature; the rest is for the files of this folder and
// for tests. Numerics: docs/numerics/speed-chroma.md.
//
// All steps are float arithmetic whose order matters. The steps of a plane: samples -> resized ->
// filtered at every 16th row and column -> minus its local mean -> covariance of 5x5 windows ->
// eigenvalues and QR factors -> S and E of each 5x5 block.
#pragma once

#include <vector>

#include "features/kit/forms.h"
#include "features/speed_chroma/speed_chroma_args.h"
#include "picture/float_plane.h"

namespace vmafgpu::speed_chroma {

extern const FeatureInfo kFeature;

constexpr int kLowPassStep = 16; ///< rows and columns per low-pass sample

/// What one Feature object computes; all sizes follow from the format and the options.
struct Config {
    int depth = 8;
    int width = 0, height = 0; ///< size of a chroma plane; odd luma: rounded down
    int resized_width = 0, resized_height = 0;
    int low_width = 0, low_height = 0; ///< every 16th row and column
    int blocks_x = 0, blocks_y = 0;    ///< whole 5x5 blocks in it
    FloatResize resize = FloatResize::kNearest;
    int taps = 0;    ///< samples along each axis; 0: the plane is taken as it is
    float sigma = 0; ///< deviation of the neural noise
    std::vector<float> low_pass, local_mean; ///< filters, odd lengths

    ResizeAxis columns, rows;

    int blocks() const { return blocks_x * blocks_y; }
    /// The part of the low-pass plane that whole blocks cover.
    int used_width() const { return kEdge * blocks_x; }
    int used_height() const { return kEdge * blocks_y; }
    /// Places that a 5x5 window can take in it.
    int places_x() const { return used_width() - kEdge + 1; }
    int places_y() const { return used_height() - kEdge + 1; }
};

/// The last three only change scores.
struct Options {
    double kernel_scale = 1.0, prescale = 1.0;
    FloatResize resize = FloatResize::kNearest;
    double sigma = 0.29;
    double floor = 0.0, max_val = 1000.0;
    int weight_mode = 0;
};

/// Throws Error(EINVAL) for what cannot be computed exactly.
Config config_of(const Format &format, const Options &options);

/// The Sums of a pair begin with one of these per plane; S of every block of every plane
/// follows, then E. NaN is stored as kNan.
struct PlaneSums {
    float eigenvalues[kVector];
    uint32_t is_singular;
    uint32_t open; ///< values of E that the device could not decide; 0 after finish()
    uint32_t unused;
};

using Sums = PlaneSums; ///< the first of them

/// Where things lie in the Sums of a pair.
struct SumsView {
    SumsView(Sums &sums, int blocks)
        : planes(&sums), s(reinterpret_cast<float *>(planes + kPlanes)), e(s + kPlanes * blocks)
    {
    }
    static size_t bytes(int blocks)
    {
        return kPlanes * (sizeof(PlaneSums) + 2 * sizeof(float) * static_cast<size_t>(blocks));
    }

    PlaneSums *planes;
    float *s, *e; ///< block b of plane p: [p * blocks + b]
};

/// Returns one of the kPlanes planes of a pair.
inline const Plane &plane_of(const PairView &pair, int plane)
{
    const Plane *const planes = plane % 2 == 0 ? pair.reference : pair.distorted;
    return planes[1 + plane / 2];
}

/// 25 x 25, row by row.
using Matrix = float[kVector * kVector];

struct Forms {
    /// speed_chroma_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// speed_chroma_cpu.cpp: the same Sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    static size_t sums_bytes(const Config &config);
    /// speed_chroma_record.cpp: the same on a device, but for `open`; finish() recomputes those.
    static size_t device_scratch(const Config &config);
    static size_t device_tables(const Config &config);
    static void fill_tables(const Config &config, void *host);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
    static int finish(const Config &config, Sums &sums);
};

/// Also speed_chroma_ref.cpp, for both CPU forms: from the covariance and the residual
/// (rows of low_width) to what the Sums of one plane hold. s and e: one value per block.
void solve(const Config &config, const Matrix &covariance, const float *residual, PlaneSums &plane,
           float *s, float *e);
/// E of every block from S and the eigenvalues, with the C library's log2.
void set_entropies(const Config &config, const PlaneSums &plane, const float *s, float *e);

} // namespace vmafgpu::speed_chroma
