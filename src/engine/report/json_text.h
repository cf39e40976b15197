// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pieces of JSON that the JSON log and the part log share.
#pragma once

#include <string>

#include "report/report_run.h"

namespace vmafgpu {

/// With its quotes; bytes that are not UTF-8 are replaced.
std::string json_string(const std::string &text);

/// A value with its members on lines of their own, behind `indent`.
std::string json_run(const RunValue &value, const std::string &indent);

} // namespace vmafgpu
