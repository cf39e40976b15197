// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads part logs back (write_part() in report_formats.h), and puts the parts of a run together, in
// order of their pairs. That they belong together is checked: the same run, no pair twice, none
// missing, and equal scores where neighbours have both computed a pair. Pooling and logs are then
// those of a whole run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report_input.h"

namespace vmafgpu {

struct PartRow {
    int64_t index;
    int64_t pts;    ///< kUnknownTime: unknown
    bool is_scored; ///< false: subsampling left it out
};

struct Part : ReadRun {
    std::string path;
    Chunk chunk; ///< total 0: unknown
    int64_t reached = 0, before = 0, after = 0;
    std::string key;            ///< of what determines scores, as text; equal in all parts of a run
    std::optional<Shots> shots; ///< of the chunk's pairs

    std::vector<size_t> model_columns, spatial;
    size_t words = 0; ///< of the Sums of aggregates, for each row that counts

    std::vector<PartRow> rows;
    ScoreTable table{{}};       ///< scores of the rows that have some
    std::vector<uint64_t> sums; ///< of the rows that count, in their order
};

/// Checks everything but how parts fit together. Throws Error: the errno of what failed, or EINVAL;
/// the text names the path and what is wrong.
Part read_part(const std::string &path);

struct MergedRun {
    Part run;                 ///< the first part's, but with all rows, and the whole run's counts
    std::vector<int64_t> pts; ///< by index
    int64_t compared = 0;     ///< scores that two parts had, and that were equal
};

/// Throws Error: EINVAL if parts do not fit together, EBADMSG if two disagree on a score. The text
/// names the parts and the pair.
MergedRun merge_parts(std::vector<Part> parts);

} // namespace vmafgpu
