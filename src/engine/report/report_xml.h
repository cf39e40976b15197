// SPDX-License-Identifier: BSD-2-Clause-Patent
// The XML format of report.cpp; called by nothing else.
#pragma once

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

void write_xml(const ReportInput &input, ReportFile &file);

} // namespace vmafgpu
