// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of a run, or of several that are compared: one file, without scripts and without
// anything from a network. Its size does not grow with the number of frames.
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
void write_page(const char *title, const std::vector<PageRun> &runs, ReportFile &file);

} // namespace vmafgpu
