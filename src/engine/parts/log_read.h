// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads JSON logs of vmaf_gpu and of libvmaf back, for pages that compare several, and parts of a
// run (write_part() in report.h). Throws Error: the errno of what failed, or EINVAL; the text names
// the path and what is wrong.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "parts/run_facts.h"
#include "plan/chunk.h"

namespace vmafgpu {

/// Its model_columns are those of the models, else what comes closest.
struct ReadLog : RunFacts {
    ScoreTable table{{}};
    std::vector<double> times; ///< times of the table's rows, in seconds; NaN if unknown

    /// Seconds of a pair; NaN if unknown.
    double time_at(int64_t index) const;
};

ReadLog read_log(const std::string &path);
/// Reads a log from a text; `name` is for messages.
ReadLog read_log(std::istream &text, const std::string &name);

struct PartRow {
    int64_t index;
    int64_t pts; ///< kUnknownTime: unknown
};

struct Part : RunFacts {
    std::string path;
    Chunk chunk; ///< total 0: unknown
    int64_t reached = 0, before = 0, after = 0;
    std::string key; ///< what determines scores, as text; equal in all parts of a run
    std::vector<size_t> spatial;
    size_t words = 0; ///< words of the aggregates' Sums, for each row that counts

    std::vector<PartRow> rows;
    ScoreTable table{{}};       ///< rows that subsampling did not leave out
    std::vector<uint64_t> sums; ///< sums of the rows that count, in their order
};

/// Checks everything but how parts fit together.
Part read_part(const std::string &path);

} // namespace vmafgpu
