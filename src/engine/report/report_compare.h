// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page that compares several logs: curves over each other, pooled values, scores over
// rates. report_html.cpp makes the page of a single run.
#pragma once

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class ReportFile;

/// See vmafgpu_write_report(). Without a file, the report's path is written. Throws Error.
void write_comparison(const VmafGpuReport &report, ReportFile *file = nullptr);

} // namespace vmafgpu
