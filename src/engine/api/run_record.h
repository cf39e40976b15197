// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a context keeps of its run for the caller's logs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

struct RunRecord {
    static constexpr size_t kMostWarnings = 64; ///< more of them would say nothing new

    void keep_warning(const std::string &text)
    {
        if (is_kept && warnings.size() < kMostWarnings &&
            std::find(warnings.begin(), warnings.end(), text) == warnings.end())
            warnings.push_back(text);
    }

    void keep_time(int64_t time)
    {
        if (has_times)
            times.push_back(time);
    }

    /// Another run begins, of the same engine.
    void reset()
    {
        warnings.resize(std::min(of_engine, warnings.size()));
        times.clear();
        has_logged_cuts = false;
    }

    std::vector<std::string> warnings;
    size_t of_engine = 0;         ///< warnings that opening gave, so that they hold for all runs
    bool is_kept = true;          ///< false: warnings are only logged
    std::vector<int64_t> times;   ///< of the pairs that were collected; only with pairing
    bool has_times = true;        ///< false: rows are not kept either
    bool has_logged_cuts = false; ///< of one input; with pairing vmafgpu_finish() does it
};

} // namespace vmafgpu
