// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a model asks of the features; plain data between model.h and model_json.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vmafgpu {

/// One feature that a model reads, in the order of its SVM indices.
struct ModelFeature {
    std::string output; ///< libvmaf's full name: "VMAF_integer_feature_adm2_score"
    /// Options of the feature extractor, text as in "adm_enhn_gain_limit" = "1".
    std::vector<std::pair<std::string, std::string>> options;
};

} // namespace vmafgpu
