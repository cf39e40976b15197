// SPDX-License-Identifier: BSD-2-Clause-Patent
// The shots of a run with their scores, for JSON logs and pages, and as parts keep them. How shots
// are found is in core/shots.h.
#pragma once

#include "report/report_run.h"

namespace vmafgpu {

/// The object `shots` of the JSON log. Needs input.shots.
LogValue describe_shots(const ReportInput &input);
/// The same of a part, without scores.
LogValue describe_part_shots(const Shots &shots);
/// A table for the page.
std::string shots_text(const ReportInput &input);

} // namespace vmafgpu
