// SPDX-License-Identifier: BSD-2-Clause-Patent
// The formats of report.cpp, their only caller, that have a file of their own; report_rows.h has
// the others.
#pragma once

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

void write_xml(const ReportInput &input, ReportFile &file);

/// libvmaf's keys and then our own, which docs/log.schema.json describes.
void write_json(const ReportInput &input, ReportFile &file);

/// A page; report_page.h has more of it.
void write_html(const ReportInput &input, ReportFile &file);

/// What one chunk of a run leaves for merging. It has every double in full, also of the pairs
/// around the chunk, which neighbouring chunks have as well. part.h reads and merges
/// them; docs/api.md describes the keys. Throws Error(EINVAL) if the run was not opened
/// as a chunk.
void write_part(const ReportInput &input, ReportFile &file);

constexpr char kPartSchema[] = "vmaf_gpu.part/1";
/// Grows when the same pictures give another double. Parts of two such versions are not merged.
constexpr int kNumericsVersion = 1;

} // namespace vmafgpu
