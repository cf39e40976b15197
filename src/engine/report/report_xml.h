// SPDX-License-Identifier: BSD-2-Clause-Patent
// The XML format of report.cpp, its only caller. Numbers are printed by format_number.h.
#pragma once

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

void write_xml(const ReportInput &input, ReportFile &file);

} // namespace vmafgpu
