// SPDX-License-Identifier: BSD-2-Clause-Patent
// The list of features in this build, and look-up by name. feature.h defines what a feature is.
#pragma once

#include <string>
#include <vector>

#include "features/feature.h"

namespace vmafgpu {

/// Returns all features, in the order of the list in src/engine/meson.build.
const std::vector<const FeatureInfo *> &feature_registry();

/// Finds a feature by its name. Returns nullptr if there is none.
const FeatureInfo *find_feature(const std::string &name);

/// The feature that produces the output `full_name`, or nullptr.
const FeatureInfo *find_feature_of_output(const std::string &full_name, Compat compat);

} // namespace vmafgpu
