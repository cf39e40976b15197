// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooling of a score series over frames, with libvmaf's order of operations.
#pragma once

#include "core/score_table.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// VmafGpuPool of a name, or -1.
int pool_by_name(const std::string &name);

/// Pooled value of one column; throws Error(ENODATA) if table has no rows.
double pooled(const ScoreTable &table, size_t column, VmafGpuPool method);

} // namespace vmafgpu
