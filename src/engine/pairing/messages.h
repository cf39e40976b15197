// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is said at the end about the pairs: every sentence, and which of them are faults. The counts
// are in ledger.h.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "core/shots.h"
#include "pairing/ledger.h"
#include "pairing/settings.h"

namespace vmafgpu {

/// Each sentence is said once, in an order that does not depend on the counts.
class Messages {
public:
    Messages(const PairingSettings &settings, const Ledger &ledger, const Findings &findings)
        : settings_(settings), ledger_(ledger), findings_(findings)
    {
    }

    /// shots: null: they were not looked for.
    void log_all(const Log &log, const Shots *shots = nullptr);

    /// That were said. Of a part also those that no frame has.
    const std::vector<std::string> &warnings() const { return warnings_; }
    /// The first sentence that a strict run fails for; empty: none.
    const std::string &fault() const { return fault_; }

private:
    enum class Fault { kNo, kYes };

    void say(VmafGpuLogLevel level, Fault fault, const std::string &text);
    void warn(const std::string &text) { say(VMAFGPU_LOG_WARNING, Fault::kYes, text); }
    void log_frames(int64_t frames, const std::string &what, Fault fault = Fault::kYes);
    void log_summary();
    void log_start();
    void log_undecided();
    void log_unpaired();
    void log_middle(int input);
    void log_better_offset();
    void log_end(int input);
    void log_repeats();
    void log_corrections();
    void log_times();
    void log_cuts(const std::vector<int64_t> &cuts, const char *what);
    void log_shots(const Shots &shots);

    double rate(int input) const { return settings_.rate[input].value(); }

    const PairingSettings &settings_;
    const Ledger &ledger_;
    const Findings &findings_;
    const Log *log_ = nullptr;
    std::vector<std::string> warnings_;
    std::string fault_;
};

} // namespace vmafgpu
