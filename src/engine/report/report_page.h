// SPDX-License-Identifier: BSD-2-Clause-Patent
// What pages are made of: head with the style sheet, and tables.
#pragma once

#include <string>
#include <vector>

namespace vmafgpu {

/// Everything up to the body.
std::string page_head(const std::string &title);

using Row = std::vector<std::string>;

/// A table of numbers. On a narrow screen each row becomes a list of its cells with their names, so
/// that it fits. colours: classes of the style sheet, for a mark in the first cell of each row.
std::string table_text(const Row &head, const std::vector<Row> &rows, const Row &colours = {});

} // namespace vmafgpu
