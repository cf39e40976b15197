// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ssimulacra2", equal to libjxl's program of that name, version 2.1: a score of what
// people see of a pair's differences, from its colours at six scales. registry.cpp lists
// kSsimulacra2Feature; the rest is for the files of this folder and for tests.
#pragma once

#include <cstddef>

#include "features/feature.h"
#include "features/ssimulacra2/ssimulacra2_math.h"

namespace vmafgpu {

extern const FeatureInfo kSsimulacra2Feature;

enum class Ssimulacra2Matrix { kAuto, kBt709, kBt601, kGbr };
enum class Ssimulacra2Range { kAuto, kLimited, kFull };

/// How a picture's samples are read; the feature's options.
struct Ssimulacra2Reading {
    Ssimulacra2Matrix matrix = Ssimulacra2Matrix::kAuto;
    Ssimulacra2Range range = Ssimulacra2Range::kAuto;
};

struct Ssimulacra2Config {
    Format format;
    Ssimulacra2Reading readings[2]; ///< of the reference and the distorted picture; none is kAuto
    Ssimulacra2Colour colours[2];   ///< the same as numbers
    int scales;
    int width[kSsimulacra2Scales], height[kSsimulacra2Scales];
    /// Bit i: sum i of a scale's plane has a weight.
    int needed[kSsimulacra2Scales][kSsimulacra2Planes];

    /// Of chroma, in its units.
    int chroma_middle() const { return kSsimulacra2ChromaUnit << (format.depth - 1); }
    bool needs_structure(int scale, int plane) const
    {
        return (needed[scale][plane] & (1 << kSsimulacra2Maps | 1)) != 0;
    }
};
/// Decides what is left to `auto`. Throws Error for planes of RGB that are no 4:4:4.
Ssimulacra2Config ssimulacra2_config(const Format &format, const Ssimulacra2Reading &reading);

/// The Sums of a pair: of terms and of their fourth powers, each in raster order. Those without a
/// weight are 0.
struct Ssimulacra2Sums {
    double of[kSsimulacra2Scales][kSsimulacra2Planes][kSsimulacra2Sums];
};
double ssimulacra2_score(const Ssimulacra2Config &config, const Ssimulacra2Sums &sums);

/// ssimulacra2_ref.cpp: the plain oracle.
void ssimulacra2_reference(const Ssimulacra2Config &config, const PairView &pair,
                           Ssimulacra2Sums &sums);

/// ssimulacra2_record.cpp: device code.
size_t ssimulacra2_device_scratch(const Ssimulacra2Config &config);
void ssimulacra2_record(const Ssimulacra2Config &config, Queue &queue, const BatchView &batch);

/// ssimulacra2_cpu.cpp: the same sums, fast. `scratch` has ssimulacra2_scratch() bytes, aligned to
/// 64.
size_t ssimulacra2_scratch(const Ssimulacra2Config &config);
void ssimulacra2_compute(const Ssimulacra2Config &config, const PairView &pair,
                         Ssimulacra2Sums &sums, void *scratch, ThreadPool &pool);

} // namespace vmafgpu
