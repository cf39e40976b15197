// SPDX-License-Identifier: BSD-2-Clause-Patent
// The input of a log, for every format.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/chunk.h"
#include "core/score_table.h"
#include "core/shots.h"
#include "report/report_facts.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

class ReportFile;
class RowStream;

/// What the log format "part" needs besides.
struct PartFacts {
    Chunk chunk;
    int64_t reached;           ///< pairs of the run up to the last one that was submitted
    int before, after;         ///< ScorePlan's
    const ScoreTable &overlap; ///< rows of pairs that do not count
    std::vector<size_t> spatial;
    size_t words; ///< of `sums`, for each pair
    const std::vector<uint64_t> &sums;
};

struct ReportInput {
    const ScoreTable &table;
    int width, height; ///< luma samples, for the XML head
    const VmafGpuLog &log;
    std::vector<size_t> model_columns = {}; ///< of the table, for the page
    const VmafGpuDevice *device = nullptr;  ///< what computed the scores
    const EngineFacts *facts = nullptr;     ///< nullptr: the log has libvmaf's keys only
    ReportFile *file = nullptr;             ///< where to write, instead of the log's path
    RowStream *stream = nullptr;            ///< has written the rows that left the table
    /// Values per run, in order.
    std::vector<std::pair<std::string, double>> aggregates = {};
    const PartFacts *part = nullptr; ///< of a chunk
    const Shots *shots = nullptr;    ///< json, html, part; nullptr: not in the log
};

} // namespace vmafgpu
