// SPDX-License-Identifier: BSD-2-Clause-Patent
// A log that was written when its run was stopped, and may turn out to lack scores afterwards: it
// is then written again, with the reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/score_table.h"
#include "parts/run_facts.h"
#include "report/report.h"

namespace vmafgpu {

class StoppedLog {
public:
    /// Copies what the log was made of.
    explicit StoppedLog(const ReportInput &input);

    /// path: where the log is. Does nothing if it has gone through a pipe. Throws Error.
    void mark(const std::string &path, const std::string &incomplete) const;

private:
    std::string format_;
    int precision_;
    ScoreTable table_;
    RunFacts run_;
    std::vector<int64_t> times_;
};

} // namespace vmafgpu
