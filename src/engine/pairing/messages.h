// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is said at the end about the pairs: every sentence, and which of them are faults. The counts
// are in ledger.h.
#pragma once

#include <initializer_list>
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
    void log_all(const Log &to, const Shots *shots = nullptr);

    /// That were said. Of a part also those that no frame has.
    const std::vector<std::string> &warnings() const { return warnings_; }
    /// The first sentence that a strict run fails for; empty: none.
    const std::string &fault() const { return fault_; }

private:
    enum class Fault { kNo, kYes };
    /// Of a sentence, in the places of '%'.
    using Values = std::initializer_list<std::string>;

    void log(VmafGpuLogLevel level, Fault fault, const char *sentence, Values values);
    void warn(const char *sentence, Values values)
    {
        log(VMAFGPU_LOG_WARNING, Fault::kYes, sentence, values);
    }
    void inform(const char *sentence, Values values)
    {
        log(VMAFGPU_LOG_INFO, Fault::kNo, sentence, values);
    }
    void log_counted(int64_t count, const std::string &what, Fault fault = Fault::kYes);
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

    double rate(int input) const { return settings_.rate(input).value(); }

    const PairingSettings &settings_;
    const Ledger &ledger_;
    const Findings &findings_;
    const Log *log_ = nullptr;
    std::vector<std::string> warnings_;
    std::string fault_;
};

} // namespace vmafgpu
