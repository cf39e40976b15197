// SPDX-License-Identifier: BSD-2-Clause-Patent
// VmafGpuPairingSettings, checked, and the rule that follows from it.
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/picture.h"
#include "pairing/rule.h"
#include "pairing/rule_pictures.h"

namespace vmafgpu {

struct PairingSettings {
    int rule = VMAFGPU_PAIR_AUTO; ///< VmafGpuPairingRule
    bool has_offset = false;      ///< given, or searched for
    int64_t offset = 0;
    int window = 0;            ///< in which the offset is searched for, in seconds; 0: it is not
    int64_t furthest = 0;      ///< the same in frames
    int64_t search_frames = 0; ///< of each input, that wait for it; 0: none do
    bool is_shortest = false;
    int eof_action = VMAFGPU_EOF_REPEAT;
    bool repeats_last = true;
    bool is_nearest = false;
    bool has_fixed_pool = false;
    bool is_part = false;
    Rational base[kInputs], rate[kInputs];
    std::string name; ///< of the rule, as logs have it
    int limit[kInputs] = {FrameQueue::kMost, FrameQueue::kMost};

    bool is_framesync() const { return rule == VMAFGPU_PAIR_FRAMESYNC; }
    bool uses_pictures() const { return rule == VMAFGPU_PAIR_AUTO; }
    bool needs_sketches() const { return uses_pictures() || window > 0; }
};

/// Throws Error(EINVAL) for what is not allowed.
PairingSettings pairing_settings(const VmafGpuPairingSettings &settings);

/// Pictures of some inputs cannot be held as long as rule auto has to look at them: it becomes
/// time, and the log is told. A search for the offset is refused. The limits follow from the size
/// of the pictures alone, so that all backends and kinds of frames pair alike.
void adapt_to_pictures(PairingSettings &settings, const Format &format, const Log &log);

std::unique_ptr<Rule> make_rule(const PairingSettings &settings, SketchOf sketch_of);

} // namespace vmafgpu
