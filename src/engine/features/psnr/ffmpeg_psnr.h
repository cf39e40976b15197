// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "ffmpeg_psnr": the numbers of FFmpeg's filter psnr, from the same Sums as psnr.
// registry.cpp lists kFfmpegPsnrFeature. The pixel work is that of psnr.h.
#pragma once

#include "features/feature.h"

namespace vmafgpu {

extern const FeatureInfo kFfmpegPsnrFeature;

} // namespace vmafgpu
