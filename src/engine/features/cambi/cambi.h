// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "cambi": visible banding of the distorted luma (and of the reference, with full_ref),
// equal to libvmaf's CAMBI. registry.h lists kFeature; the rest is for the files of this
// folder and for tests.
//
// A picture is converted to 10-bit levels; flat regions are marked in a mask. At five scales, every
// marked pixel gets a contrast c (float). c depends on how many pixels of the pixel's window have
// its level, and how many have a level at distance d. A scale's score is the mean of the largest c.
#pragma once

#include <string>
#include <vector>

#include "features/cambi/cambi_args.h"
#include "features/cambi/cambi_tables.h"
#include "features/kit/forms.h"
#include "picture/picture_file.h"

namespace vmafgpu::cambi {

extern const FeatureInfo kFeature;

/// What is computed of one of the two pictures: its size, and which pixels count.
struct Target {
    int width = 0, height = 0; ///< size to which the picture is resampled
    int window = 0;            ///< odd; side of the square in which levels are counted
    int mask_threshold = 0;    ///< flat pixels around a pixel, at least one more than this
};

/// What one Feature object computes.
struct Config {
    Target target[2]; ///< distorted, reference
    int pictures = 1; ///< 2 with full_ref
    bool is_filtered = false;
    bool is_halved = false; ///< scale 0 is at half the size already (high_res_speedup)
    double top_share = 0;   ///< share of the pixels that are pooled
    int steps = 0;          ///< distances d = 1 .. steps
    int floor = 0;          ///< smallest visible level; 0: all
    /// Largest level at which the distance d + 1 is visible; grows with d.
    int thresholds[kMaxSteps] = {};
    Format format;

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

bool operator==(const Config &a, const Config &b);

enum class Eotf { kBt1886, kPq };
constexpr double kTopShare = 0.6;

/// Options as libvmaf names them. A size or depth of 0 is not given.
struct Options {
    double max_val = 1000;
    int enc_width = 0, enc_height = 0, enc_bitdepth = 0;
    int src_width = 0, src_height = 0;
    int window_size = 65;
    double top_share = kTopShare, cambi_top_share = kTopShare; ///< the first counts more
    double visibility = 0.019;
    double luminance_threshold = 0;
    int max_log_contrast = 2;
    int high_res_speedup = 0;
    Eotf eotf = Eotf::kBt1886, cambi_eotf = Eotf::kBt1886; ///< either may say PQ
    bool has_full_ref = false;
    std::string heatmaps_path;
};

/// cambi_heatmaps.cpp: the option heatmaps_path. A file per scale with the c of the distorted
/// pictures, as libvmaf writes them.
class Heatmaps {
public:
    Heatmaps(const Config &config, std::string folder);

    const std::string &folder() const { return folder_; }

    void open(const OpenPictureFiles &open);
    void cut(int64_t pictures);
    void close();

    /// Rows y0 .. y1-1 of one scale of picture `index`. From any thread. c is the scale's plane.
    void write(int64_t index, int scale, int y0, int y1, const float *c) const;

private:
    int64_t picture_bytes(int scale) const;

    Config config_;
    std::string folder_;
    double factor_;
    PictureFiles files_;
};

/// Throws Error(EINVAL) for sizes that libvmaf refuses or cannot compute properly.
Config config_of(const Format &format, const Options &options);

/// Samples of a line of `in` samples that become its `out` samples.
std::vector<int32_t> sample_map_of(int in, int out);
/// kReciprocals entries.
const float *reciprocals_table();

/// Returns true if units gives libvmaf's sum.
bool is_exact_sum(const ScaleSums &sums);
/// Mean of the k largest c. is_exact() or is_ordered must hold.
double scale_score(const ScaleSums &sums, int64_t k);
/// libvmaf's sum of the k largest of n values; moves them about.
double ordered_sum(float *c, int64_t n, int64_t k);

struct Forms {
    /// cambi_ref.cpp: the oracle. Allocates.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// cambi_cpu.cpp: the same bytes, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// cambi_record.cpp: the same bytes on a device, but for the ordered sums.
    static size_t device_scratch(const Config &config);
    static size_t device_tables(const Config &config);
    static void fill_tables(const Config &config, void *host);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
    static bool is_complete(const Config &config, const Sums &sums);
};

/// Forms::compute(), and the distorted picture's c go to the heatmaps.
void compute_with(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                  ThreadPool &pool, const std::vector<Heatmaps> &heatmaps);

// cambi_ref.cpp: the first stages of the reference code, up to the counts, so that tools can look
// at the planes.

/// Rows without padding.
template <typename T> struct RefImage {
    int width = 0, height = 0;
    std::vector<T> samples;

    RefImage(int w, int h)
        : width(w), height(h), samples(static_cast<size_t>(w) * static_cast<size_t>(h))
    {
    }
    T &at(int x, int y) { return samples[index(x, y)]; }
    const T &at(int x, int y) const { return samples[index(x, y)]; }

private:
    size_t index(int x, int y) const
    {
        return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
    }
};
using RefLevels = RefImage<int>; ///< 10-bit levels of the plain code
using RefMask = RefImage<uint8_t>;

/// One scale of one picture.
struct RefScale {
    RefLevels unfiltered; ///< levels before the mode filter
    RefLevels levels;
    RefMask mask; ///< 1: flat surroundings, counts
};

/// Returns all kScales scales. picture: 0 distorted, 1 reference; of `config` it uses that
/// picture's target, is_filtered and is_halved.
std::vector<RefScale> ref_scales(const Plane &plane, const Format &format, const Config &config,
                                 int picture);

} // namespace vmafgpu::cambi
