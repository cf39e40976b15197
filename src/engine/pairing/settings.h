// SPDX-License-Identifier: BSD-2-Clause-Patent
// VmafGpuPairingSettings, checked, and what follows from them.
#pragma once

#include <string>

#include "base/log.h"
#include "pairing/frame_queue.h"
#include "picture/picture.h"

namespace vmafgpu {

struct PairingSettings : VmafGpuPairingSettings {
    PairingSettings() : VmafGpuPairingSettings() {}

    std::string name;          ///< of the rule, as logs have it
    int64_t furthest = 0;      ///< offset that is searched for, in frames; 0: none is
    int64_t search_frames = 0; ///< of each input, that wait for it; 0: none do
    int limit[kInputs] = {FrameQueue::kMost, FrameQueue::kMost}; ///< frames to hold

    bool is_framesync() const { return rule == VMAFGPU_PAIR_FRAMESYNC; }
    bool uses_pictures() const { return rule == VMAFGPU_PAIR_AUTO; }
    bool is_search() const { return has_offset == VMAFGPU_OFFSET_AUTO; }
    bool needs_sketches() const { return uses_pictures() || is_search(); }
    Rational base(int i) const { return {input[i].time_base_num, input[i].time_base_den}; }
    Rational rate(int i) const { return {input[i].rate_num, input[i].rate_den}; }
    /// Time between frames as the stream declares it; 0: unknown.
    int64_t interval(int i) const;
};

/// Throws Error(EINVAL) for what is not allowed.
PairingSettings pairing_settings(const VmafGpuPairingSettings &settings);

/// Pictures of some inputs cannot be held as long as rule auto has to look at them: it becomes
/// time, and the log is told. A search for the offset is refused. The limits follow from the size
/// of the pictures alone, so that all backends and kinds of frames pair alike.
PairingSettings adapted_to_pictures(PairingSettings settings, const Format &format, const Log &log);

} // namespace vmafgpu
