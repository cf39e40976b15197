// SPDX-License-Identifier: BSD-2-Clause-Patent
// The planes that kernels leave for later scales, as a backend really wrote them: a
// Device that looks at memory after every launch. Used by bisect.cpp, which compares
// them with the plain code's. What a kernel writes is known to planes.cpp alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "picture.h"

namespace vmafgpu {

/// One plane of one pair.
struct WrittenPlane {
    std::string kernel;
    int frame = 0; ///< counted by launches of this kernel
    int scale = 0; ///< whose input it is
    bool is_distorted = false;
    int width = 0, height = 0;
    std::vector<uint16_t> samples;
};
using WrittenPlanes = std::vector<WrittenPlane>;

/// Forwards everything; appends to `planes`, which must outlive it.
std::unique_ptr<Device> watch_planes(std::unique_ptr<Device> device, WrittenPlanes *planes);

/// What the plain code has in place of a written plane; empty if there is none.
std::vector<uint16_t> expected_plane(const Format &format, const PairView &pair,
                                     const WrittenPlane &plane);

} // namespace vmafgpu
