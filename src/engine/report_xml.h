// SPDX-License-Identifier: BSD-2-Clause-Patent
// The XML format of report.cpp; called by nothing else.
#pragma once

#include "report.h"
#include "report_file.h"

namespace vmafgpu {

void write_xml(const ReportInput &input, ReportFile &file);

/// "%.2f" in the C locale; nan and inf as printf writes them.
std::string format_fps(double fps);

} // namespace vmafgpu
