// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads part logs back (write_part() in report_formats.h). Everything is checked here but how parts
// fit together: part_merge.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/chunk.h"
#include "core/score_table.h"
#include "core/shots.h"
#include "report/report_facts.h"

namespace vmafgpu {

constexpr int64_t kUnknownTime = std::numeric_limits<int64_t>::min();

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

/// Throws Error: the errno of what failed, or EINVAL; the text names the path and what is wrong.
Part read_part(const std::string &path);

} // namespace vmafgpu
