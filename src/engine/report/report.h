// SPDX-License-Identifier: BSD-2-Clause-Patent
// Writes a log in one of libvmaf's four formats or as an HTML page, to a temporary file that is
// then renamed.
#pragma once

#include "report/report_input.h"

namespace vmafgpu {

/// Throws Error: EINVAL (unknown format, precision), or the errno of what
/// failed, naming the path.
void write_report(const ReportInput &input);

} // namespace vmafgpu
