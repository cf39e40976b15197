// SPDX-License-Identifier: BSD-2-Clause-Patent
// The log format "part": what one chunk of a run leaves for merging. It has every double in full,
// also of the pairs around the chunk, which neighbouring chunks have as well. Written here, read by
// part_read.cpp, put together by part_merge.cpp; docs/api.md describes the keys.
#pragma once

#include "report/report_input.h"

namespace vmafgpu {

class ReportFile;

constexpr char kPartSchema[] = "vmaf_gpu.part/1";
/// Grows when the same pictures give another double. Parts of two such versions are not merged.
constexpr int kNumericsVersion = 1;

/// Throws Error(EINVAL) if the run was not opened as a chunk.
void write_part(const ReportInput &input, ReportFile &file);

} // namespace vmafgpu
