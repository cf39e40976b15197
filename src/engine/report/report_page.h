// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of a run, or of several that are compared: one file, without scripts and without
// anything from a network. Its size does not grow with the number of frames. And what it is made
// of: head with the style sheet, sections, tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report_file.h"
#include "report/report_input.h"

namespace vmafgpu {

struct PageRun {
    ReportInput input;
    std::string label;                      ///< "" of a run alone
    double rate;                            ///< kbit/s; 0: unknown
    std::function<double(int64_t)> time_of; ///< seconds of a pair, or NaN
};

/// Needs at least one run. Series and precision are those of the first.
void write_page(const std::string &title, const std::vector<PageRun> &runs, ReportFile &file);

/// Everything up to the body.
std::string page_head(const std::string &title);

using Row = std::vector<std::string>;

/// A table of numbers. On a narrow screen each row becomes a list of its cells with their names, so
/// that it fits. colours: classes of the style sheet, for a mark in the first cell of each row.
std::string table_text(const Row &head, const std::vector<Row> &rows, const Row &colours = {});

} // namespace vmafgpu
