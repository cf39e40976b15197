// SPDX-License-Identifier: BSD-2-Clause-Patent
// The JSON format of report.cpp, its only caller: libvmaf's keys and then our own, which
// docs/log.schema.json describes.
#pragma once

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

void write_json(const ReportInput &input, ReportFile &file);

} // namespace vmafgpu
