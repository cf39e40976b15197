// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a run writes and has to reach, as vmafgpu_run_begin() was told, and what became of it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report_file.h"
#include "vmaf_gpu/run.h"

struct VmafGpuOutput {
    std::unique_ptr<vmafgpu::ReportFile> file;
};

namespace vmafgpu {

struct RunReport {
    /// A score that the run has to reach.
    struct Limit {
        int score = 0;
        double least = 0;
        std::string text; ///< the number as it was given
    };

    /// A pair was submitted. The speed counts from the first one.
    void begin_pair()
    {
        if (!start)
            start = std::chrono::steady_clock::now();
    }
    /// A pair was collected: counts it, and writes its line of statistics.
    void add(const VmafGpuContext &ctx, const VmafGpuResult &result);
    double frames_per_second() const;

    VmafGpuRunSettings settings;
    VmafGpuOutput log, stats; ///< without a file: not wanted, or closed
    std::string formats[2];   ///< of vmafgpu_set_inputs()
    std::optional<Limit> limit;
    std::optional<std::chrono::steady_clock::time_point> start;
    int stats_error = 0;   ///< of the first line that could not be written
    int64_t collected = 0; ///< pairs
    int64_t scored = 0;    ///< of the chunk, and not left out by subsampling
    bool has_ended = false;
    std::vector<double> pooled; ///< of each model, at the end
};

/// The whole text as a number, or an infinity.
double number_of(std::string_view text);

} // namespace vmafgpu
