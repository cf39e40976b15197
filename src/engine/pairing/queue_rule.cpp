// SPDX-License-Identifier: BSD-2-Clause-Patent
// See queue_rule.h.
#include "pairing/queue_rule.h"

#include <cerrno>

#include "base/error.h"

namespace vmafgpu {

QueueRule::QueueRule(const QueueSettings &settings) : settings_(settings)
{
    if (settings.furthest > 0)
        search_.emplace(settings.furthest);
    for (int i = 0; i < kInputs; ++i)
        in_[i].set_up(settings.interval[i],
                      search_ ? static_cast<int>(OffsetSearch::frames(settings.furthest))
                              : settings.limit[i]);
    findings_.offset = settings.offset;
}

/// False: it takes more frames. Nothing leaves the queues before.
bool QueueRule::find_offset(unsigned &needs)
{
    for (const Input input : {kMain, kReference})
        for (int64_t i = search_->count(input); i < in_[input].count(); ++i) {
            Frame &frame = in_[input][static_cast<int>(i)];
            frame.sketch = settings_.sketch_of(frame);
            search_->add(input, frame.sketch);
        }
    for (int i = 0; i < kInputs; ++i)
        needs |= in_[i].can_grow() ? 1U << i : 0;
    if (!search_->find(needs == 0)) {
        if (needs == 0)
            throw Error(EINVAL, search_->refusal());
        return false;
    }
    needs = 0;
    settings_.offset = findings_.offset = search_->offset();
    findings_.evidence = search_->evidence();
    search_.reset();
    for (int i = 0; i < kInputs; ++i)
        in_[i].set_up(settings_.interval[i], settings_.limit[i]);
    return true;
}

bool QueueRule::has(Input input, int64_t count, unsigned &needs) const
{
    if (in_[input].count() >= count || !in_[input].can_grow())
        return true;
    needs |= 1U << input;
    return false;
}

void QueueRule::pass_reference()
{
    const bool is_used = is_first_used();
    const Frame frame = in_[kReference].take_first();
    if (!is_used)
        passed_.push_back(frame);
}

/// The oldest main frame, with its partner if it has one.
void QueueRule::hand_out(const Choice &choice, Decision &decision)
{
    for (int i = 0; i < choice.reference; ++i)
        pass_reference();
    decision.main = in_[kMain].take_first();
    forget(decision.main);
    decision.time = decision.main.pts;
    decision.has_partner = choice.reference >= 0;
    Facts &facts = decision.facts;
    facts.unpaired[kReference] = std::move(passed_);
    passed_.clear();
    if (decision.has_partner) {
        decision.reference = in_[kReference][0];
        facts.used[kReference] = decision.reference;
        has_pair_ = true;
        last_used_ = decision.reference.number;
    }
    if (decision.main.is_disabled) {
        facts.use = Facts::Use::kDisabled;
        facts.used[kMain] = decision.main;
    } else if (decision.has_partner) {
        facts.use = Facts::Use::kPair;
        facts.used[kMain] = decision.main;
        facts.distance = choice.distance;
    } else {
        facts.unpaired[kMain].push_back(decision.main);
    }
}

/// No main frame will meet a partner. If shortest ends the run, frames that wait do not count.
Rule::Status QueueRule::finish(Decision &decision)
{
    is_cut_short_ |= settings_.is_shortest && !in_[kReference].has_ended();
    while (!is_cut_short_ && !in_[kReference].is_empty())
        pass_reference();
    decision.facts.unpaired[kReference] = std::move(passed_);
    passed_.clear();
    return is_cut_short_ ? Status::kEnd : Status::kRest;
}

Rule::Status QueueRule::next(Decision &decision, unsigned &needs)
{
    decision = Decision();
    needs = 0;
    if (search_ && !find_offset(needs))
        return Status::kNeeds;
    while (!is_cut_short_) {
        if (!has(kMain, 1, needs))
            return Status::kNeeds;
        if (in_[kMain].is_empty())
            return finish(decision);
        Choice choice;
        if (choose(choice) == Status::kDecided) {
            is_cut_short_ = settings_.is_shortest && in_[kReference].has_ended() &&
                            choice.reference < 0 && has_pair_;
            if (is_cut_short_)
                return finish(decision);
            hand_out(choice, decision);
            return Status::kDecided;
        }
        for (int i = 0; i < choice.unused; ++i)
            pass_reference();
        needs = choice.needs;
        if (choice.unused == 0)
            return Status::kNeeds;
    }
    return Status::kEnd;
}

} // namespace vmafgpu
