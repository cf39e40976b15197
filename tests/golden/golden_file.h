// SPDX-License-Identifier: BSD-2-Clause-Patent
// The JSON files of this folder, which the build puts into the program. What is in them: see
// regenerate.py.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vmafgpu {

/// Texts by the file's name without its ending; embed.py makes this.
const std::map<std::string, std::string> &golden_texts();

/// The content of NAME.json.
const nlohmann::json &golden_file(const char *name);

/// A double from its hexadecimal text.
double golden_number(const nlohmann::json &text);

/// Compares the numbers of a series, a hexadecimal text or null for each frame from 0 on, in every
/// bit. Of a NaN only the sign counts. Returns how many numbers there were.
size_t expect_series(const std::string &name, const nlohmann::json &wanted,
                     const std::vector<double> &have);

} // namespace vmafgpu
