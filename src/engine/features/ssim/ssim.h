// SPDX-License-Identifier: BSD-2-Clause-Patent
// The features "float_ssim" and "float_ms_ssim": structural similarity of the luma, at one scale or
// at five, equal to libvmaf's. registry.cpp lists both; the rest is for the files of this folder
// and for tests. Numerics: docs/numerics/ssim.md.
//
// Both compute the same per scale: means, second moments and from them luminance, contrast and
// structure of every pixel, summed in raster order. They differ in how scales come about.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature.h"
#include "features/ssim/ssim_tables.h"

namespace vmafgpu {

extern const FeatureInfo kSsimFeature;
extern const FeatureInfo kMsSsimFeature;

constexpr int kSsimPictures = 2; ///< reference, distorted

/// What is averaged over a scale. MS-SSIM has no use for the first.
enum SsimMean { kSsimProduct, kSsimLuminance, kSsimContrast, kSsimStructure, kSsimMeans };

/// What one Feature object computes; all sizes follow from the format and the options.
struct SsimConfig {
    int width = 0, height = 0, depth = 8;
    bool is_multi_scale = false;
    int factor = 1; ///< of float_ssim: samples per sample, in each direction
    int scales = 1;
    int scale_width[kSsimMaxScales] = {};
    int scale_height[kSsimMaxScales] = {};

    /// The window fits `scale`. If not, there is nothing to compute.
    bool has_pixels(int scale) const
    {
        return scale_width[scale] >= kSsimTaps && scale_height[scale] >= kSsimTaps;
    }
    int pixels_x(int scale) const { return scale_width[scale] - kSsimTaps + 1; }
    int pixels_y(int scale) const { return scale_height[scale] - kSsimTaps + 1; }
    /// The samples of scale 0 are the pictures' own.
    bool starts_with_samples() const { return factor == 1; }
    int first_mean() const { return is_multi_scale ? kSsimLuminance : kSsimProduct; }
};

/// Factor 0: the one that follows from the size.
SsimConfig ssim_config(const Format &format, int factor);
SsimConfig ms_ssim_config(const Format &format);

/// The Sums of a pair have one of these per scale. All 0 where the window does not fit.
struct SsimScaleSums {
    float means[kSsimMeans];
    uint32_t open; ///< the device could not decide that many of them
};

/// ssim_ref.cpp: the plain oracle. Allocates.
void ssim_reference(const SsimConfig &config, const PairView &pair, SsimScaleSums *sums);

/// ssim_cpu.cpp: the same Sums, fast. `scratch` has ssim_cpu_scratch() bytes, aligned to 64.
size_t ssim_cpu_scratch(const SsimConfig &config);
void ssim_compute(const SsimConfig &config, const PairView &pair, SsimScaleSums *sums,
                  void *scratch, ThreadPool &pool);

/// ssim_record.cpp: the same on a device, but for what stays open; sizes as in MemoryPlan.
size_t ssim_device_scratch(const SsimConfig &config);
size_t ssim_device_shared_scratch(const SsimConfig &config);
void ssim_record(const SsimConfig &config, Queue &queue, const BatchView &batch);

} // namespace vmafgpu
