// SPDX-License-Identifier: BSD-2-Clause-Patent
// What is said at the end about the pairs: every sentence, and which of them are faults. The counts
// are in ledger.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "pairing/ledger.h"
#include "pairing/settings.h"
#include "plan/shots.h"

namespace vmafgpu {

struct Said {
    /// The warnings of the run. A part has also those that no frame has, and none about pictures.
    std::vector<std::string> warnings;
    std::string fault; ///< the first sentence that a strict run fails for; empty: none
};

using FrameCounts = std::array<int64_t, kInputs>;

/// Returns what the pictures of a run or of merged parts show. Each sentence is a fault, and the
/// cause of other warnings.
std::vector<std::string> picture_messages(const Disagreement &found, const FrameCounts &frames,
                                          bool is_framesync);

/// Each sentence is said once, in an order that does not depend on the counts. shots: null: they
/// were not looked for.
Said log_messages(const PairingSettings &settings, const Ledger &ledger, const Findings &findings,
                  const Shots *shots, const Log &log);

} // namespace vmafgpu
