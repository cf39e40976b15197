// SPDX-License-Identifier: BSD-2-Clause-Patent
// Writes a log in one of libvmaf's four formats, as an HTML page or as a part, or a page of logs
// that are read back.
#pragma once

#include <cstdint>
#include <vector>

#include "output/report_file.h"
#include "parts/run_facts.h"
#include "plan/chunk.h"

namespace vmafgpu {

class RowStream;

/// What the log format "part" needs besides.
struct PartFacts {
    Chunk chunk;
    int64_t reached;           ///< pairs of the run up to the last one that was submitted
    int before, after;         ///< Engine's
    const ScoreTable &overlap; ///< rows of pairs that do not count
    std::vector<size_t> spatial;
    size_t words; ///< length of `sums` for each pair
    const std::vector<uint64_t> &sums;
};

struct ReportInput {
    const ScoreTable &table;
    const RunFacts &run;
    const VmafGpuLog &log;           ///< only place, format and precision are read
    ReportFile *file = nullptr;      ///< the file to write to, instead of the log's path
    RowStream *stream = nullptr;     ///< has written the rows that left the table
    const PartFacts *part = nullptr; ///< what a chunk's log holds besides; null: no chunk
};

/// A temporary file is written and then renamed. Throws Error: EINVAL (unknown format, precision),
/// or the errno of what failed, naming the path.
void write_report(const ReportInput &input);

/// See vmafgpu_write_report(). Throws Error.
void write_comparison(const VmafGpuReport &report, ReportFile &file);

// The formats that have a file of their own; report_rows.h has the others.

void write_xml(const ReportInput &input, ReportFile &file);

/// libvmaf's keys and then our own, which docs/user/log.schema.json describes.
void write_json(const ReportInput &input, ReportFile &file);

/// A page; report_page.h has more of it.
void write_html(const ReportInput &input, ReportFile &file);

/// What one chunk of a run leaves for merging. It has every double in full, also of the pairs
/// around the chunk, which neighbouring chunks have as well. part_merge.h reads and merges
/// them; docs/user/api.md describes the keys. Throws Error(EINVAL) if the run was not opened
/// as a chunk.
void write_part(const ReportInput &input, ReportFile &file);

/// The object `shots` of the JSON log; of a part, without scores. Needs input.run.shots.
LogValue describe_shots(const ReportInput &input, bool is_part = false);
/// A table for the page.
std::string shots_text(const ReportInput &input);

} // namespace vmafgpu
