// SPDX-License-Identifier: BSD-2-Clause-Patent
// By times: the last reference frame that begins with the main frame or before it, after the shift
// between the two clocks was taken off. docs/pairing.md explains the rule. rule_pictures.h
// overrules it by pictures.
#pragma once

#include <vector>

#include "pairing/queue_rule.h"

namespace vmafgpu {

class TimeRule : public QueueRule {
public:
    using QueueRule::QueueRule;

protected:
    /// How far the rule looks: main frames, and reference frames behind their last partner.
    struct Reach {
        int frames, further;
    };
    virtual Reach reach() const { return {1, 0}; }
    /// Both begin far apart, the shorter interval and the shift by time are given. False: more
    /// frames are needed.
    virtual bool start_apart(int64_t interval, int64_t by_time, unsigned &needs);
    /// The partners by time of the frames ahead are known; choice has the first one.
    virtual void overrule(Choice & /*choice*/, const std::vector<int> & /*partners*/) {}

    /// The partner by time of main frame i, not before `from`. *is_known: later frames cannot
    /// change it.
    int pick(int i, int from, int64_t shift, bool &is_known) const;
    int first_allowed() const { return is_first_used() ? 0 : kNoPartner; }
    int64_t distance_of(int reference) const
    {
        return in_[kMain].first().time - findings_.shift - in_[kReference][reference].time;
    }
    void start_with(Start start, int64_t shift);

private:
    Status choose(Choice &choice) override;
    bool begin(Choice &choice);
    bool begin_by_option(Choice &choice);
    void pick_ahead(Choice &choice);

    bool is_started_ = false;
    std::vector<int> partners_; ///< of the frames ahead
};

} // namespace vmafgpu
