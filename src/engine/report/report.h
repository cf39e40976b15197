// SPDX-License-Identifier: BSD-2-Clause-Patent
// Writes a log in one of libvmaf's four formats or as an HTML page, or a page of logs that are read
// back, to a temporary file that is then renamed.
#pragma once

#include "report/report_input.h"

namespace vmafgpu {

/// Throws Error: EINVAL (unknown format, precision), or the errno of what
/// failed, naming the path.
void write_report(const ReportInput &input);

/// See vmafgpu_write_report(). Throws Error.
void write_comparison(const VmafGpuReport &report, ReportFile &file);

} // namespace vmafgpu
