// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the rules with two queues share: they choose a partner for the oldest main frame, and the
// reference never goes back. Which one is chosen is in rule_time.cpp, or follows from numbers
// alone.
#pragma once

#include "pairing/rule.h"
#include "pairing/settings.h"

namespace vmafgpu {

/// The oldest reference frame is the one used last, or none that was used.
class QueueRule : public Rule {
public:
    QueueRule(const PairingSettings &settings, SketchOf sketch_of);

    void add(Input input, Frame frame) override { in_[input].add(std::move(frame)); }
    void end(Input input) override { in_[input].end(); }
    Status next(Decision &decision, unsigned &needs) override;

protected:
    static constexpr int kNoPartner = -1;

    struct Choice {
        int reference = kNoPartner; ///< index of the partner
        int unused = 0;             ///< with kNeeds: reference frames that can be dropped
        unsigned needs = 0;
        int64_t distance = 0;
    };

    /// About the oldest main frame, which is there. kDecided or kNeeds.
    virtual Status choose(Choice &choice) = 0;

    const uint8_t *sketch(Frame &frame);
    /// Whether an input has count frames, or cannot have them; else it is noted in needs.
    bool has(Input input, int64_t count, unsigned &needs) const;
    bool has_pair() const { return last_used_ >= 0; }
    bool is_first_used() const
    {
        return !in_[kReference].is_empty() && in_[kReference].first().number == last_used_;
    }

    Start start_by_offset() const
    {
        return settings_.furthest > 0 ? Start::kBySearch : Start::kByOption;
    }

    const PairingSettings settings_; ///< its offset, or the one that was found: findings_.offset
    FrameQueues in_;
    int64_t last_used_ = -1; ///< number of the reference frame used last; -1: none was

private:
    bool is_searching(unsigned &needs);
    void apply_offset();
    void pass_reference();
    void hand_out(const Choice &choice, Decision &decision);
    Status finish(Decision &decision);

    const SketchOf sketch_of_;
    std::vector<FrameFacts> passed_; ///< reference frames given up since the last decision
    bool is_cut_short_ = false;      ///< by settings_.shortest
    bool is_offset_known_;
};

} // namespace vmafgpu
