// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pairs of FFmpeg's filter libvmaf: its framesync of two inputs, main first, with every option.
// Written from what FFmpeg documents and does; a recording of FFmpeg's own code is in
// tests/unit/framesync_recorded.h.
#pragma once

#include "pairing/rule.h"
#include "pairing/settings.h"

namespace vmafgpu {

/// Events come in the order of times; each one shows the latest frame of both inputs.
class FramesyncRule : public Rule {
public:
    explicit FramesyncRule(const PairingSettings &settings);

    void add(Input input, Frame frame) override;
    void end(Input input) override;
    Status next(Decision &decision, unsigned &needs) override;

private:
    enum class Phase { kBefore, kWithin, kAfter };

    /// Of times in base_. A next frame that is not there is the input's end.
    struct Side {
        Phase phase = Phase::kBefore;
        int level = 0;            ///< frames of the highest level that is left make events
        bool is_nearest = false;  ///< its next frame may be shown before its time
        bool holds_last = true;   ///< the last frame is shown for ever
        bool ends_output = false; ///< its end is that of the output
        bool is_known = false;    ///< what comes next
        bool is_used = false;
        Frame frame, next;
        int64_t time = kNoTime, next_time = kNoTime;
        int64_t came = 0;
    };

    static bool is_due(const Side &side, int64_t time);
    bool advance(Input input);
    void update_level();
    bool step();
    void decide(Decision &decision);
    void finish(Facts &facts);

    const PairingSettings settings_;
    Rational base_;
    Side side_[kInputs];
    std::vector<FrameFacts> unused_[kInputs]; ///< since the last decision
    int level_ = 0;
    bool has_ended_ = false;
    int64_t time_ = kNoTime; ///< of the event
    int64_t last_output_ = kNoTime;
};

} // namespace vmafgpu
