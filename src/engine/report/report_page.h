// SPDX-License-Identifier: BSD-2-Clause-Patent
// What pages are made of: head with the style sheet, tables, and pictures of pairs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "parts/run_facts.h"

namespace vmafgpu {

/// Everything up to the body.
std::string page_head(const std::string &title);

using Row = std::vector<std::string>;

/// A table of numbers. curves: numbers of the rows' curves in the same section. The first cell of
/// each row then has a box that hides its curve.
std::string table_text(const Row &head, const std::vector<Row> &rows,
                       const std::vector<size_t> &curves = {});

/// As data in the page itself.
struct Thumbnails {
    std::map<int64_t, std::string> pictures = {}; ///< picture of each pair that has one, as HTML
    std::string note = {};                        ///< the caller's sentence
};

/// Asks run.thumbnails() for the pictures of these pairs, in any order and each as often as it
/// comes.
Thumbnails thumbnails_of(const RunFacts &run, std::vector<int64_t> pairs);

} // namespace vmafgpu
