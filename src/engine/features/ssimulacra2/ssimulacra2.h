// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ssimulacra2", equal to libjxl's program of that name, version 2.1: a score of what
// people see of a pair's differences, from its colours at six scales. registry.h lists
// kFeature; the rest is for the files of this folder and for tests. Device compilers read it, so it
// uses no host library.
#pragma once

#include "features/kit/forms.h"
#include "features/ssimulacra2/ssimulacra2_math.h"

namespace vmafgpu::ssimulacra2 {

extern const FeatureInfo kFeature;

enum class Matrix { kAuto, kBt709, kBt601, kGbr };
enum class Range { kAuto, kLimited, kFull };

/// How a picture's samples are read; the feature's options.
struct Reading {
    Matrix matrix = Matrix::kAuto;
    Range range = Range::kAuto;
};

struct Config {
    Format format;
    Reading readings[2]; ///< how the reference and the distorted picture are read; none is kAuto
    Colour colours[2];   ///< numbers that belong to `readings`
    int scales;
    int width[kScales], height[kScales];
    /// Bit i: sum i of a scale's plane has a weight.
    int needed[kScales][kPlanes];

    /// Returns the middle of chroma, in its units.
    int chroma_middle() const { return kChromaUnit << (format.depth - 1); }
    bool needs_structure(int scale, int plane) const
    {
        return (needed[scale][plane] & (1 << kMaps | 1)) != 0;
    }
};
/// Decides what is left to `auto`. Throws Error for planes of RGB that are no 4:4:4.
Config config_of(const Format &format, const Reading &reading);

/// The Sums of a pair: of terms and of their fourth powers, each in raster order. Those without a
/// weight are 0.
struct Sums {
    double of[kScales][kPlanes][kSums];
};
double score(const Config &config, const Sums &sums);

struct Forms {
    /// ssimulacra2_ref.cpp: the oracle.
    static void reference(const Config &config, const PairView &pair, Sums &sums);
    /// ssimulacra2_cpu.cpp: the same sums, fast. `scratch` has cpu_scratch() bytes.
    static size_t cpu_scratch(const Config &config);
    static void compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                        ThreadPool &pool);
    /// ssimulacra2_record.cpp: the same sums on a device.
    static size_t device_scratch(const Config &config);
    static void record(const Config &config, Queue &queue, const BatchView &batch);
};

// The tasks of the CPU form. ssimulacra2_row-inl.h and ssimulacra2_simd-inl.h do the work.

/// Floats that rows are padded to; one more than the picture's at least.
constexpr int kPad = 16;

/// A row of samples that becomes linear light: Y, Cb, Cr as in Colour, or R, G, B.
struct Row {
    const Colour *colour;
    const int32_t *in[3]; ///< padded
    float *out[3];
    int width;
};

/// A plane of both pictures, from which sums are made.
struct PlaneTask {
    const float *planes[2]; ///< reference, distorted
    int width, height;
    int pitch; ///< floats
    bool has_structure;
    float *scratch; ///< task_floats(pitch)
    double *sums;   ///< result: kSums
};

// Areas of a plane's scratch, for as many lanes as any level has.
constexpr int kMostLanes = 16;
constexpr int kRingRows = 2 * kMostLanes + 1; ///< rows of the ring; one of them is zeros
constexpr int kLineLead = kBefore + kAfter;   ///< samples before a line
constexpr int64_t task_floats(int pitch)
{
    const int64_t turned = int64_t{2} * (pitch + 2 * kPad) * kMostLanes;
    const int64_t ring = int64_t{kAllMoments} * kRingRows * pitch;
    const int64_t states = int64_t{kAllMoments} * 2 * kSections * pitch;
    const int64_t terms = int64_t{kMaps} * kMostLanes * pitch;
    return turned + ring + states + terms;
}

/// One level's functions; null without a fused multiply-add, where the reference code runs.
struct LevelForms {
    void (*linear_row)(const Row &row);
    /// Converts linear light to X, Y, B in place.
    void (*xyb_row)(float *const *rows, int width);
    /// A row of half the size. Rows of an odd width have their last sample once more.
    void (*half_row)(const float *upper, const float *lower, float *to, int width);
    void (*add_plane)(const PlaneTask &task);
};

// What the kernels get.

constexpr int kTasks = kScales * kPlanes;

/// One launch covers a batch.
struct Args {
    struct Pair {
        const void *planes[2][3]; ///< reference, distorted
        int32_t pitches[2][3];    ///< bytes
    } pairs[kMaxBatch];
    /// A plane of a scale. Offsets are floats of a pair's scratch.
    struct Task {
        int32_t width, height;
        int32_t pitch;      ///< floats
        int32_t needed;     ///< as Config::needed
        int64_t planes[2];  ///< linear light; then X, Y or B; then upper and lower halves of edges
        int64_t rows;       ///< planes that are filtered along their rows
        int64_t similarity; ///< -1: structure has no weight
    } tasks[kTasks];        ///< scales outside; none is needed behind the last one
    Colour colours[2];
    float *scratch; ///< scratch memory of the first pair
    int64_t scratch_stride;
    char *sums; ///< Sums of the first pair
    int64_t sums_stride;
    int32_t task_count;           ///< tasks of the scales that there are
    int32_t first_task, end_task; ///< tasks of a launch, which takes every task_step-th
    int32_t task_step;
    int32_t is_half_x, is_half_y; ///< chroma
    int32_t chroma_width, chroma_height, chroma_middle;
    int64_t runs;  ///< floats of a pair's scratch: PartRuns of `parts` parts for each weighted sum
    int32_t parts; ///< parts of a plane of scale 0
    int32_t first_part, end_part; ///< parts of a launch
    uint8_t
        weighted[kTasks * kSums]; ///< sums that have a weight, those of the largest planes first
};

constexpr int kPixelThreads = 256; ///< threads of kernels that work pixel by pixel
constexpr int kSumThreads = 256;
constexpr int kSumLength = 16; ///< terms of a thread that are added together
constexpr int kPartTerms = kSumThreads * kSumLength;
/// Parts of a plane that are added one after the other, times the pairs of a batch.
constexpr int kFirstParts = 64;
constexpr int kRowUnit = 32;                     ///< a row begins at a multiple of so many floats
constexpr int kPixelColumns = 4, kPixelRows = 2; ///< pixels of a thread
/// A block of rows filters so many rows, a thread each, of every moment; of columns so many
/// columns.
constexpr int kBlockLines = 64;

// X, Y and B of scale 0, and linear light of the next scale. Block y takes a picture, block z a
// pair. Samples are bytes or words.
constexpr Kernel<Args> kLinearU8 = {"ssimulacra2_linear_u8", kPixelThreads};
constexpr Kernel<Args> kLinearU16 = {"ssimulacra2_linear_u16", kPixelThreads};
/// X, Y and B of the scale of first_task, in the place of its linear light.
constexpr Kernel<Args> kNextScale = {"ssimulacra2_scale", kPixelThreads};
// Tasks first_task .. end_task - 1, with all moments or with means alone.
constexpr Kernel<Args> kFilterRows = {"ssimulacra2_rows", kAllMoments *kBlockLines};
constexpr Kernel<Args> kFilterRowsMeans = {"ssimulacra2_rows_means", kMeans *kBlockLines};
constexpr Kernel<Args> kFilterColumns = {"ssimulacra2_columns", kBlockLines};
constexpr Kernel<Args> kFilterColumnsMeans = {"ssimulacra2_columns_means", kBlockLines};
// Sums: block z takes the one at that place of `weighted`, block x a pair, or a part where block y
// takes a pair.
constexpr Kernel<Args> kAddFirst = {"ssimulacra2_add_first", kSumThreads};
constexpr Kernel<Args> kMakeRuns = {"ssimulacra2_runs", kSumThreads};
constexpr Kernel<Args> kAddParts = {"ssimulacra2_add_parts", kSumThreads};

} // namespace vmafgpu::ssimulacra2
