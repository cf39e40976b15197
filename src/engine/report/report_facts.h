// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the engine knows of a run besides its scores, as plain data. api.cpp fills it,
// report_run.cpp puts it into logs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/score_range.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// A model as it was used.
struct ModelFacts {
    std::string name, source, digest;
    TextPairs options; ///< that were set
    ScoreRange range;  ///< to which its score is clipped
};

/// What the engine knows of itself.
struct EngineFacts {
    int depth = 8;
    int chroma = VMAFGPU_CHROMA_420;
    int compat = VMAFGPU_COMPAT_3_2;
    int subsample = 1;
    std::string scaler;  ///< of distorted pictures, and their size; empty: none is scaled
    std::string colours; ///< how they were taken; empty: nothing is known of them
    std::vector<ModelFacts> models;
    TextPairs features;                     ///< asked for: name, options
    std::vector<std::string> host_features; ///< that the device leaves to the host
    std::vector<std::string> warnings;
};

} // namespace vmafgpu
