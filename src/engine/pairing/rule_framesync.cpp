// SPDX-License-Identifier: BSD-2-Clause-Patent
// The pairs of FFmpeg's filter libvmaf: its framesync of two inputs, main first, with every option.
// Written from what FFmpeg documents and does; a recording of FFmpeg's own code is in
// tests/unit/framesync_recorded.h.
#include <algorithm>
#include <limits>
#include <utility>

#include "pairing/rule.h"

namespace vmafgpu {

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

int64_t difference(int64_t a, int64_t b)
{
    int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result))
        return a < 0 ? kNoTime : kNever;
    return result;
}

/// As FFmpeg's code subtracts where one of the times is missing.
int64_t wrapped(int64_t a, int64_t b)
{
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

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
        int level = 0;           ///< frames of the highest level that is left make events
        bool is_nearest = false; ///< its next frame may be shown before its time
        bool holds_last = true;  ///< the last frame is shown for ever
        bool is_known = false;   ///< what comes next
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
    bool is_shortest_, has_ended_ = false; ///< the end of an input is that of the output
    int64_t time_ = kNoTime;               ///< of the event
    int64_t last_output_ = kNoTime;
};

FramesyncRule::FramesyncRule(const PairingSettings &settings) : settings_(settings)
{
    const bool repeats = settings.repeatlast != 0 && settings.eof_action != VMAFGPU_EOF_PASS;
    is_shortest_ = settings.shortest != 0 || (repeats && settings.eof_action == VMAFGPU_EOF_ENDALL);
    side_[kMain].level = 2;
    side_[kReference].level = repeats ? 1 : 0;
    base_ = repeats ? common_base(settings.base(kMain), settings.base(kReference))
                    : settings.base(kMain);
    side_[kMain].holds_last = !is_shortest_;
    side_[kReference].holds_last = !is_shortest_ && repeats;
    update_level();
}

/// The highest level of the inputs that go on makes events.
void FramesyncRule::update_level()
{
    int level = 0;
    for (const Side &side : side_)
        if (side.phase != Phase::kAfter)
            level = std::max(level, side.level);
    for (Side &side : side_)
        side.is_nearest = settings_.nearest != 0 && side.level < level;
    if (level > 0)
        level_ = level;
    else
        has_ended_ = true;
}

void FramesyncRule::add(Input input, Frame frame)
{
    Side &side = side_[input];
    frame.number = side.came++;
    side.next_time = rescale(frame.pts, settings_.base(input), base_);
    side.next = std::move(frame);
    side.is_known = true;
}

/// An end that changes what is shown comes a moment after the last frame.
void FramesyncRule::end(Input input)
{
    Side &side = side_[input];
    const bool is_event = side.phase == Phase::kWithin && !side.holds_last;
    side.next_time = is_event ? side.time + 1 : kNever;
    side.level = 0;
    side.is_known = true;
    update_level();
}

bool FramesyncRule::is_due(const Side &side, int64_t time)
{
    if (side.next_time == time)
        return true;
    return side.is_nearest && side.is_known && side.next_time != kNever && side.time != kNoTime &&
           wrapped(side.next_time, time) < wrapped(time, side.time);
}

/// The next frame of an input becomes its frame. True: it makes an event.
bool FramesyncRule::advance(Input input)
{
    Side &side = side_[input];
    if (side.frame.exists() && !side.is_used)
        unused_[input].push_back(side.frame);
    side.frame = std::exchange(side.next, Frame());
    side.is_known = side.is_used = false;
    side.time = std::exchange(side.next_time, kNoTime);
    side.phase = side.frame.exists() ? Phase::kWithin : Phase::kAfter;
    has_ended_ |= !side.frame.exists() && is_shortest_;
    return side.frame.exists() && side.level == level_;
}

/// Go on to the next time. True: it is that of an event.
bool FramesyncRule::step()
{
    int64_t time = kNever;
    for (const Side &side : side_)
        if (side.is_known)
            time = std::min(time, side.next_time);
    if (time == kNever) {
        has_ended_ = true;
        return false;
    }
    bool is_event = false;
    for (const Input input : {kMain, kReference})
        if (is_due(side_[input], time))
            is_event |= advance(input);
    time_ = time;
    return is_event && !has_ended_ && side_[kMain].phase != Phase::kBefore;
}

void FramesyncRule::decide(Decision &decision)
{
    Side &main = side_[kMain];
    Side &reference = side_[kReference];
    Facts &facts = decision.facts;
    const int64_t now = rescale(time_, base_, kNanosecond);
    for (int i = 0; i < kInputs; ++i)
        facts.unpaired[i] = std::exchange(unused_[i], {});
    for (FrameFacts &frame : facts.unpaired[kReference])
        frame.time = now;
    decision.main = main.frame;
    decision.reference = reference.frame;
    facts.time = rescale(std::max(time_, -kNever), base_, settings_.base(kMain));
    if (last_output_ != kNoTime && facts.time <= last_output_) // frames that repeat
        facts.time = last_output_ + 1;
    last_output_ = facts.time;
    if (!reference.frame.exists() && !main.frame.is_disabled) {
        main.frame.time = now; // it waits: a later event may bring a partner
        return;
    }
    facts.kind = main.frame.is_disabled ? VMAFGPU_MATCH_DISABLED : VMAFGPU_MATCH_PAIR;
    facts.used[kMain] = main.frame;
    facts.used[kReference] = reference.frame;
    main.is_used = reference.is_used = true;
    const int64_t distance = rescale(difference(time_, reference.time), base_, kNanosecond);
    if (facts.kind == VMAFGPU_MATCH_PAIR && distance >= -kMostTime && distance <= kMostTime)
        facts.distance = distance;
}

/// Frames that came and that no event used.
void FramesyncRule::finish(Facts &facts)
{
    for (int i = 0; i < kInputs; ++i) {
        Side &side = side_[i];
        facts.unpaired[i] = std::exchange(unused_[i], {});
        if (side.frame.exists() && !side.is_used)
            facts.unpaired[i].push_back(side.frame);
        if (side.next.exists())
            facts.unpaired[i].push_back(side.next);
        side.frame = side.next = Frame();
    }
}

Rule::Status FramesyncRule::next(Decision &decision, unsigned &needs)
{
    needs = 0;
    decision = Decision();
    while (!has_ended_) {
        for (int i = 0; i < kInputs; ++i)
            if (!side_[i].is_known && side_[i].phase != Phase::kAfter)
                needs |= 1U << i;
        if (needs != 0)
            return Status::kNeeds;
        if (step()) {
            decide(decision);
            return Status::kDecided;
        }
    }
    finish(decision.facts);
    return is_shortest_ ? Status::kEnd : Status::kRest;
}

} // namespace

std::unique_ptr<Rule> make_framesync_rule(const PairingSettings &settings)
{
    return std::make_unique<FramesyncRule>(settings);
}

} // namespace vmafgpu
