// SPDX-License-Identifier: BSD-2-Clause-Patent
// A digest of all that a model's scores depend on: coefficients, inputs and options. The text of
// the file does not matter, nor does the model's name. This header is private to src/engine/model.
#pragma once

#include <string>
#include <vector>

#include "model/model_json.h"

namespace vmafgpu {

/// Everything that Model::predict() reads.
struct DigestInput {
    const ModelFile &file;
    const std::vector<ModelFeature> &features; ///< features with the options that were set
    bool disable_clip, enable_transform;
};

/// SHA-256 as 64 hexadecimal digits.
std::string digest_of(const DigestInput &model);

} // namespace vmafgpu
