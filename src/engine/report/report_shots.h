// SPDX-License-Identifier: BSD-2-Clause-Patent
// The shots of a run with their scores, for JSON logs and pages, and as parts keep them. How shots
// are found is in core/shots.h.
#pragma once

#include <pugixml.hpp>

#include <string>

#include "report/report_input.h"

namespace vmafgpu {

/// The member "shots" of a JSON object that has others before it. Needs input.shots.
std::string json_shots(const ReportInput &input);
/// The same of a part, without scores.
std::string part_shots(const Shots &shots);
/// A table for the page.
void append_shots(pugi::xml_node parent, const ReportInput &input);

} // namespace vmafgpu
