// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads JSON logs of vmaf_gpu and of libvmaf back, for pages that compare several.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/score_table.h"
#include "report/report_facts.h"

namespace vmafgpu {

struct ReadLog {
    ScoreTable table{{}};
    std::vector<double> times; ///< of the table's rows, in seconds; NaN if unknown
    /// The rest is in logs of vmaf_gpu only.
    std::string title;
    std::string pictures; ///< "1920×1080, 8 bit"
    std::string device;
    std::string options;
    std::string pairs; ///< a line on the pairs
    std::vector<ModelFacts> models;
    std::vector<std::string> warnings;

    /// Seconds of a pair; NaN if unknown.
    double time_at(int64_t index) const;
};

/// Throws Error: the errno of what failed, or EINVAL; the text names the path and what is wrong.
ReadLog read_log(const std::string &path);
/// The same of a text; `name` is for messages.
ReadLog read_log(std::istream &text, const std::string &name);

} // namespace vmafgpu
