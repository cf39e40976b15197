// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "cambi": visible banding of the distorted luma (and of the reference, with full_ref),
// equal to libvmaf's CAMBI. registry.cpp lists kCambiFeature; the rest is for the files of this
// folder and for tests.
//
// A picture is converted to 10-bit levels; flat regions are marked in a mask. At five scales, every
// marked pixel gets a contrast c (float). c depends on how many pixels of the pixel's window have
// its level, and how many have a level at distance d. A scale's score is the mean of the largest c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cambi_sums.h"
#include "cambi_tables.h"
#include "features/feature.h"
#include "picture/picture_file.h"

namespace vmafgpu {

extern const FeatureInfo kCambiFeature;

/// What is computed of one of the two pictures.
struct CambiTarget {
    int width = 0, height = 0; ///< to which the picture is resampled
    int window = 0;            ///< odd; side of the square in which levels are counted
    int mask_threshold = 0;    ///< flat pixels around a pixel, at least one more than this
};

/// What one Feature object computes.
struct CambiConfig {
    CambiTarget target[2]; ///< distorted, reference
    int pictures = 1;      ///< 2 with full_ref
    bool is_filtered = false;
    bool is_halved = false; ///< scale 0 is at half the size already (high_res_speedup)
    double top_share = 0;   ///< of the pixels that are pooled
    int steps = 0;          ///< distances d = 1 .. steps
    int floor = 0;          ///< smallest visible level; 0: all
    /// Largest level at which the distance d + 1 is visible; grows with d.
    int thresholds[kCambiMaxSteps] = {};

    int scale_width(int picture, int scale) const;
    int scale_height(int picture, int scale) const;
    /// How many c of a scale are pooled.
    int64_t top_count(int picture, int scale) const;
    /// Levels that can matter to some pixel's c, and those at which c can be above 0.
    int lowest_counted() const { return floor - 3 * steps + 1 > 0 ? floor - 3 * steps + 1 : 0; }
    int highest_counted() const { return thresholds[steps - 1] + steps; }
    int lowest_scored() const { return floor - 2 * steps + 1 > 0 ? floor - 2 * steps + 1 : 0; }
    int highest_scored() const { return thresholds[steps - 1]; }
};

bool operator==(const CambiConfig &a, const CambiConfig &b);

enum class CambiEotf { kBt1886, kPq };
constexpr double kCambiTopShare = 0.6;

/// In libvmaf's terms. A size or depth of 0: not given.
struct CambiOptions {
    double max_val = 1000;
    int enc_width = 0, enc_height = 0, enc_bitdepth = 0;
    int src_width = 0, src_height = 0;
    int window_size = 65;
    double top_share = kCambiTopShare, cambi_top_share = kCambiTopShare; ///< the first counts more
    double visibility = 0.019;
    double luminance_threshold = 0;
    int max_log_contrast = 2;
    int high_res_speedup = 0;
    CambiEotf eotf = CambiEotf::kBt1886, cambi_eotf = CambiEotf::kBt1886; ///< either may say PQ
    bool has_full_ref = false;
    std::string heatmaps_path;
};

/// cambi_heatmaps.cpp: the option heatmaps_path. A file per scale with the c of the distorted
/// pictures, as libvmaf writes them.
class CambiHeatmaps {
public:
    CambiHeatmaps(const CambiConfig &config, std::string folder);

    const std::string &folder() const { return folder_; }

    void open(const OpenPictureFiles &open);
    void cut(int64_t pictures);
    void close();

    /// Rows y0 .. y1-1 of one scale of picture `index`. From any thread. c is the scale's plane.
    void write(int64_t index, int scale, int y0, int y1, const float *c) const;

private:
    int64_t picture_bytes(int scale) const;

    CambiConfig config_;
    std::string folder_;
    double factor_;
    PictureFiles files_;
};

/// cambi_setup.cpp: throws Error(EINVAL) for sizes that libvmaf refuses or cannot
/// compute properly.
CambiConfig cambi_configure(const Format &format, const CambiOptions &options);

/// Samples of a line of `in` samples that become its `out` samples.
std::vector<int32_t> cambi_sample_map(int in, int out);
/// kCambiReciprocals entries.
const float *cambi_reciprocals();

/// cambi_pooling.cpp: true if units gives libvmaf's sum.
bool cambi_is_exact(const CambiScaleSums &sums);
/// Mean of the k largest c. is_exact() or is_ordered must hold.
double cambi_scale_score(const CambiScaleSums &sums, int64_t k);
/// libvmaf's sum of the k largest of n values; moves them about.
double cambi_ordered_sum(float *c, int64_t n, int64_t k);
/// cambi_ref.cpp: the plain oracle. Allocates.
void cambi_reference(const Format &format, const CambiConfig &config, const PairView &pair,
                     CambiSums &sums);

/// cambi_cpu.cpp: the same bytes, fast. `scratch` has cambi_cpu_scratch() bytes,
/// aligned to 64. The distorted picture's c go to the heatmaps.
size_t cambi_cpu_scratch(const Format &format, const CambiConfig &config);
void cambi_compute(const Format &format, const CambiConfig &config, const PairView &pair,
                   CambiSums &sums, void *scratch, ThreadPool &pool,
                   const std::vector<CambiHeatmaps> &heatmaps);

/// cambi_record.cpp: the same bytes on a device, but for the ordered sums.
size_t cambi_device_scratch(const Format &format, const CambiConfig &config);
size_t cambi_device_tables(const Format &format, const CambiConfig &config);
void cambi_fill_device_tables(const Format &format, const CambiConfig &config, void *host);
void cambi_record(const Format &format, const CambiConfig &config, Queue &queue,
                  const BatchView &batch);

} // namespace vmafgpu
