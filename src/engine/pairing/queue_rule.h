// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the rules with two queues share: they choose a partner for the oldest main frame, and the
// reference never goes back. Which one is chosen is in rule_index.h, rule_time.h, rule_pictures.h.
#pragma once

#include "pairing/rule.h"

namespace vmafgpu {

struct QueueSettings {
    bool has_offset = false;
    int64_t offset = 0;        ///< number of the reference frame that the first main frame meets
    int64_t furthest = 0;      ///< offset that is searched for; 0: none is
    int64_t search_frames = 0; ///< of each input, that the search looks at
    SketchOf sketch_of;        ///< for the search
    bool is_shortest = false;
    int64_t interval[kInputs] = {}; ///< that the streams declare; 0: unknown
    int limit[kInputs] = {FrameQueue::kMost, FrameQueue::kMost}; ///< frames to hold
};

/// The oldest reference frame is the one used last, or none that was used.
class QueueRule : public Rule {
public:
    explicit QueueRule(const QueueSettings &settings);

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
    /// A main frame leaves its queue.
    virtual void forget(const Frame & /*main*/) {}

    /// Whether an input has count frames, or cannot have them; else it is noted in needs.
    bool has(Input input, int64_t count, unsigned &needs) const;
    bool is_first_used() const
    {
        return has_pair_ && !in_[kReference].is_empty() &&
               in_[kReference].first().number == last_used_;
    }

    Start start_by_offset() const
    {
        return settings_.furthest > 0 ? Start::kBySearch : Start::kByOption;
    }

    QueueSettings settings_; ///< offset changes once, when it is found
    FrameQueues in_;
    bool has_pair_ = false;  ///< a partner was found for a frame
    int64_t last_used_ = -1; ///< number of the reference frame used last

private:
    bool is_searching(unsigned &needs);
    void apply_offset();
    void pass_reference();
    void hand_out(const Choice &choice, Decision &decision);
    Status finish(Decision &decision);

    std::vector<FrameFacts> passed_; ///< reference frames given up since the last decision
    bool is_cut_short_ = false;      ///< by settings_.is_shortest
    bool is_offset_known_;
};

} // namespace vmafgpu
