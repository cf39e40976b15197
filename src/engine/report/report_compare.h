// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of logs that are read back; report_html.h makes it.
#pragma once

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class ReportFile;

/// See vmafgpu_write_report(). Without a file, the report's path is written. Throws Error.
void write_comparison(const VmafGpuReport &report, ReportFile *file = nullptr);

} // namespace vmafgpu
