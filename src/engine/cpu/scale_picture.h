// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scales a caller's picture on the host: its layout is undone, each plane scaled in the picture's
// depth and brought to the context's. gpu/uploader.cpp does the same for device memory.
#pragma once

#include <vector>

#include "scaler/scale.h"
#include "system/thread_pool.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// Memory between the steps, kept for the next picture.
struct ScaleScratch {
    std::vector<unsigned char> source, scaled;
};

/// Scales plane p to rows of `pitch` bytes in the format, which has the plan's target size.
void scale_picture_plane(const ScalePlan &plan, const VmafGpuPicture &picture, int p,
                         const Format &format, void *to, size_t pitch, ScaleScratch &scratch,
                         ThreadPool &pool);

} // namespace vmafgpu
