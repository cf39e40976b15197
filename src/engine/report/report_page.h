// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the HTML pages share: head with the style sheet, sections, tables, the pooling methods that
// they list. Pages refer to nothing outside, and have no scripts.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <utility>
#include <vector>

#include "core/score_table.h"
#include "report/report_file.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

constexpr std::pair<const char *, VmafGpuPool> kPageMethods[] = {
    {"mean", VMAFGPU_POOL_MEAN},   {"harmonic mean", VMAFGPU_POOL_HARMONIC_MEAN},
    {"min", VMAFGPU_POOL_MIN},     {"1 %", VMAFGPU_POOL_PERC1},
    {"5 %", VMAFGPU_POOL_PERC5},   {"10 %", VMAFGPU_POOL_PERC10},
    {"20 %", VMAFGPU_POOL_PERC20}, {"max", VMAFGPU_POOL_MAX},
};

/// A pooled value, or a dash: values of -1 and below have no harmonic mean.
std::string pooled_text(const ScoreTable &table, size_t column, VmafGpuPool method, int precision);

/// Everything up to the body.
void write_page_head(const char *title, ReportFile &file);
/// A part of the body.
void print_section(const pugi::xml_document &section, ReportFile &file);

pugi::xml_node append_element(pugi::xml_node parent, const char *name, const std::string &text);
/// A list of texts that the reader must not overlook; nothing if there are none.
void append_warnings(pugi::xml_node parent, const std::vector<std::string> &warnings);
/// Names and values, below each other; long values break.
void append_facts(pugi::xml_node parent,
                  const std::vector<std::pair<std::string, std::string>> &facts);

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
