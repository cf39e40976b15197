// SPDX-License-Identifier: BSD-2-Clause-Patent
// The content of a model file, checked, as plain data. model.cpp reads files, applies options and
// predicts. This header is private to src/engine/model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/score_range.h"
#include "model/model_feature.h"
#include "model/svm.h"

namespace vmafgpu {

struct Knot {
    double x, y;
};

/// Polynomial, then line segments, then a bound by the input; each optional.
struct ScoreTransform {
    bool enabled = false; ///< enabled without being asked for
    std::optional<double> p0, p1, p2;
    std::vector<Knot> knots;
    bool out_lte_in = false;
    bool out_gte_in = false;
};

/// The value derived from the guide that replaces the target feature where it is 0.
struct ChromaCorrection {
    double parameter;
    std::optional<size_t> guide, target; ///< feature numbers
};

/// A predictor. Entry 0 of slopes and intercepts belongs to the score.
struct ModelEntry {
    bool is_rescaled = true;
    std::vector<double> slopes, intercepts; ///< features + 1 each
    std::vector<ModelFeature> features;
    std::optional<ScoreRange> clip;
    std::optional<ScoreTransform> transform;
    std::optional<ChromaCorrection> chroma_correction;
    Svm svm;
};

/// `members` is empty unless the file is a bootstrap collection; `first` is
/// not one of them. All entries have the same features.
struct ModelFile {
    ModelEntry first;
    std::vector<ModelEntry> members;
};

constexpr size_t kMaxModelFeatures = 64;

/// Throws Error(EINVAL): origin, the place in the file, what is allowed there.
ModelFile parse_model_file(const std::string &json, const std::string &origin);

} // namespace vmafgpu
