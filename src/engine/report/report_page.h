// SPDX-License-Identifier: BSD-2-Clause-Patent
// The HTML page of a run, or of several that are compared: one file, without scripts and without
// anything from a network. Its size does not grow with the number of frames. And what it is made
// of: head with the style sheet, sections, tables.
#pragma once

#include <pugixml.hpp>

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

/// Everything up to the body.
void write_page_head(const char *title, ReportFile &file);
/// A part of the body.
void print_section(const pugi::xml_document &section, ReportFile &file);

pugi::xml_node append_element(pugi::xml_node parent, const char *name, const std::string &text);

/// A table of numbers. On a narrow screen each row becomes a list of its cells with their names, so
/// that it fits.
class PageTable {
public:
    PageTable(pugi::xml_node parent, std::vector<std::string> head);
    /// One text for each entry of head. Returns the first cell.
    pugi::xml_node add_row(const std::vector<std::string> &texts);

private:
    pugi::xml_node table_;
    std::vector<std::string> head_;
};

} // namespace vmafgpu
