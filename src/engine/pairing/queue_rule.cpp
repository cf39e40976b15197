// SPDX-License-Identifier: BSD-2-Clause-Patent
// See queue_rule.h.
#include "pairing/queue_rule.h"

#include <cerrno>
#include <utility>

#include "base/error.h"
#include "pairing/offset_search.h"

namespace vmafgpu {

QueueRule::QueueRule(const PairingSettings &settings, SketchOf sketch_of)
    : settings_(settings), sketch_of_(std::move(sketch_of)),
      is_offset_known_(settings.furthest == 0)
{
    const auto most = static_cast<int>(settings.search_frames);
    for (int i = 0; i < kInputs; ++i)
        in_[i].set_up(settings.interval(i), is_offset_known_ ? settings.limit[i] : most);
    findings_.offset = settings.offset;
}

const uint8_t *QueueRule::sketch(Frame &frame)
{
    if (frame.sketch == nullptr)
        frame.sketch = sketch_of_(frame);
    return frame.sketch;
}

/// The frames that it takes to find the offset. None leaves the queues before.
bool QueueRule::is_searching(unsigned &needs)
{
    for (int i = 0; !is_offset_known_ && i < kInputs; ++i)
        needs |= in_[i].can_grow() ? 1U << i : 0;
    if (!is_offset_known_ && needs == 0)
        apply_offset();
    return !is_offset_known_;
}

void QueueRule::apply_offset()
{
    Sketches sketches[kInputs];
    for (int i = 0; i < kInputs; ++i) {
        for (int n = 0; n < in_[i].count(); ++n)
            sketches[i].push_back(sketch(in_[i][n]));
        in_[i].set_up(settings_.interval(i), settings_.limit[i]);
    }
    const OffsetAnswer answer =
        search_offset(sketches[kMain], sketches[kReference], settings_.furthest);
    if (!answer.is_clear)
        throw Error(EINVAL, "offset=auto: " + answer.text + ": give offset=N");
    findings_.offset = answer.offset;
    findings_.evidence = answer.text;
    is_offset_known_ = true;
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
    Facts &facts = decision.facts;
    facts.time = decision.main.pts;
    facts.unpaired[kReference] = std::move(passed_);
    passed_.clear();
    if (choice.reference >= 0) {
        decision.reference = in_[kReference][0];
        facts.used[kReference] = decision.reference;
        last_used_ = decision.reference.number;
    }
    if (decision.main.is_disabled) {
        facts.kind = VMAFGPU_MATCH_DISABLED;
    } else if (choice.reference >= 0) {
        facts.kind = VMAFGPU_MATCH_PAIR;
        facts.distance = choice.distance;
    }
    if (facts.kind == VMAFGPU_MATCH_UNPAIRED)
        facts.unpaired[kMain].push_back(decision.main);
    else
        facts.used[kMain] = decision.main;
}

/// No main frame will meet a partner. If shortest ends the run, frames that wait do not count.
Rule::Status QueueRule::finish(Decision &decision)
{
    is_cut_short_ |= settings_.shortest != 0 && !in_[kReference].has_ended();
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
    if (is_searching(needs))
        return Status::kNeeds;
    while (!is_cut_short_) {
        if (!has(kMain, 1, needs))
            return Status::kNeeds;
        if (in_[kMain].is_empty())
            return finish(decision);
        Choice choice;
        if (choose(choice) == Status::kDecided) {
            is_cut_short_ = settings_.shortest != 0 && in_[kReference].has_ended() &&
                            choice.reference < 0 && has_pair();
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

namespace {

/// The n-th main frame meets the n-th reference frame. Times are not looked at.
class IndexRule : public QueueRule {
public:
    using QueueRule::QueueRule;

private:
    Status choose(Choice &choice) override
    {
        const FrameQueue &reference = in_[kReference];
        const int64_t wanted = in_[kMain].first().number + findings_.offset;
        if (wanted < 0)
            return Status::kDecided;
        while (choice.unused < reference.count() && reference[choice.unused].number < wanted)
            ++choice.unused;
        if (settings_.has_offset != 0)
            findings_.start = start_by_offset();
        if (choice.unused < reference.count()) {
            choice.reference = choice.unused;
        } else if (!reference.has_ended()) {
            choice.needs = 1U << kReference;
            return Status::kNeeds;
        }
        return Status::kDecided;
    }
};

} // namespace

std::unique_ptr<Rule> make_rule(const PairingSettings &settings, SketchOf sketch_of)
{
    if (settings.is_framesync())
        return make_framesync_rule(settings);
    if (settings.rule == VMAFGPU_PAIR_INDEX)
        return std::make_unique<IndexRule>(settings, std::move(sketch_of));
    return make_time_rule(settings, std::move(sketch_of));
}

} // namespace vmafgpu
