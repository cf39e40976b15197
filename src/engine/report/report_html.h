// SPDX-License-Identifier: BSD-2-Clause-Patent
// The log as an HTML page: one file, without scripts and without anything from a network.
#pragma once

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

void write_html(const ReportInput &input, ReportFile &file);

} // namespace vmafgpu
