// SPDX-License-Identifier: BSD-2-Clause-Patent
// The planes that kernels leave for later kernels, as a backend really wrote them: a
// Device that looks at memory after every launch; and the same planes by the plain code.
// Used by bisect.cpp. What a kernel writes is known to planes.cpp alone, what it should
// have written to expected_planes.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "picture/picture.h"

namespace vmafgpu {

/// The content of a plane.
enum class WrittenStage {
    kVifMeans,         ///< VIF's filtered and halved pictures
    kAdmApproximation, ///< ADM's approximation band
    kCambiPrepared,    ///< CAMBI's levels and mask before the mode filter
    kCambiLevels,      ///< ... and after it
};

/// Facts beside the picture from which CAMBI's planes follow.
struct CambiPreparation {
    int width = 0, height = 0, mask_threshold = 0;
    bool is_filtered = false, is_halved = false;
};

/// One plane of one pair.
struct WrittenPlane {
    WrittenStage stage = WrittenStage::kVifMeans;
    std::string kernel;
    int frame = 0; ///< counted by launches of this kernel
    int scale = 0; ///< scale for which the plane is the input
    bool is_distorted = false;
    int width = 0, height = 0;
    CambiPreparation cambi; ///< CAMBI only
    std::vector<int32_t> samples;
};
using WrittenPlanes = std::vector<WrittenPlane>;

/// Forwards everything; appends to `planes`, which must outlive it.
std::unique_ptr<Device> watch_planes(std::unique_ptr<Device> device, WrittenPlanes *planes);

/// Returns the plain code's samples in place of a written plane.
std::vector<int32_t> expected_plane(const Format &format, const PairView &pair,
                                    const WrittenPlane &plane);

} // namespace vmafgpu
