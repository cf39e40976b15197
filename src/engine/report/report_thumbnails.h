// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pictures of pairs in an HTML page, as data in the page itself. Where they come from is the
// caller's matter (RunFacts.thumbnails); which pairs they show is the page's (report_html.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/report_run.h"

namespace vmafgpu {

struct Thumbnails {
    std::map<int64_t, std::string> pictures = {}; ///< of each pair that has one, as HTML
    std::string note = {};                        ///< the caller's sentence
};

/// Asks for the pictures of these pairs, in any order and each as often as it comes.
Thumbnails thumbnails_of(const RunFacts &run, std::vector<int64_t> pairs);

} // namespace vmafgpu
