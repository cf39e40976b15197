// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooling of a score series over frames, with libvmaf's order of operations.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/score_range.h"
#include "core/score_table.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// VmafGpuPool of a name, or -EINVAL.
int pool_by_name(const std::string &name);

/// Pooled value of one column; throws Error(ENODATA) if table has no rows.
double pooled(const ScoreTable &table, size_t column, VmafGpuPool method);

/// Lower and upper end of the 95 % interval of the mean of all pairs, where one pair of `step` has
/// a row, as if the rows had been drawn at random. No mean is outside the range of the scores, so
/// that no end is. Nothing if all pairs have a row, or too few.
std::optional<std::array<double, 2>> mean_interval(const ScoreTable &table, size_t column, int step,
                                                   const ScoreRange &range = {});

} // namespace vmafgpu
