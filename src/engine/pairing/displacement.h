// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds out whether main's pictures lie elsewhere within the frame than the reference's: cropped,
// padded, scaled in one direction, or moved. Brightness and contrast may differ.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "picture/sketch.h"

namespace vmafgpu {

/// A main picture and the number of its reference frame.
using PartneredPicture = std::pair<const uint8_t *, int64_t>;
/// The sketch of a frame; null: it is not known.
using ReferenceSketches = std::function<const uint8_t *(int64_t number)>;

enum class Displacement {
    kUnknown, ///< the pictures have no detail
    kNone,
    kFound,
};

/// Looks for a place and size that explain a few pairs far better than reference pictures as they
/// are, than those up to `furthest` frames away, and than blends. Sketches are as they were made.
Displacement find_displacement(const std::vector<PartneredPicture> &pairs,
                               const ReferenceSketches &reference, int64_t furthest);

} // namespace vmafgpu
