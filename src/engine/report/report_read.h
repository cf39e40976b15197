// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads JSON logs of vmaf_gpu and of libvmaf back, for pages that compare several.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/score_table.h"
#include "report/report_input.h"

namespace vmafgpu {

/// What ReadRun has is in logs of vmaf_gpu only.
struct ReadLog : ReadRun {
    ScoreTable table{{}};
    std::vector<size_t> model_columns; ///< those of the models, else what comes closest
    std::vector<double> times;         ///< of the table's rows, in seconds; NaN if unknown
    std::string incomplete;            ///< why scores are missing, or ""

    /// Seconds of a pair; NaN if unknown.
    double time_at(int64_t index) const;
};

/// Throws Error: the errno of what failed, or EINVAL; the text names the path and what is wrong.
ReadLog read_log(const std::string &path);
/// The same of a text; `name` is for messages.
ReadLog read_log(std::istream &text, const std::string &name);

} // namespace vmafgpu
