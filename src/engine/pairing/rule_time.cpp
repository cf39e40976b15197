// SPDX-License-Identifier: BSD-2-Clause-Patent
// See rule_time.h.
#include "pairing/rule_time.h"

#include <cstdlib>

namespace vmafgpu {

namespace {

/// Inputs that begin within 0.95 frames of each other begin together.
constexpr int64_t together(int64_t interval)
{
    return interval * 19 / 20;
}

int64_t rounded_frames(int64_t offset, int64_t interval)
{
    const int64_t frames = (std::llabs(offset) + interval / 2) / interval;
    return offset < 0 ? -frames : frames;
}

/// What is no whole number of frames.
int64_t part_of_frame(int64_t offset, int64_t interval)
{
    return offset - rounded_frames(offset, interval) * interval;
}

} // namespace

int TimeRule::pick(int i, int from, int64_t shift, bool &is_known) const
{
    const FrameQueue &reference = in_[kReference];
    const int64_t time = in_[kMain][i].time - shift;
    const int64_t own = in_[kMain].interval(i);
    const auto allowed = [&](int r) {
        return tolerance(shorter(own, reference.interval(r < 0 ? 0 : r)));
    };
    is_known = true;
    int r = from;
    for (; r + 1 < reference.count(); ++r)
        if (reference[r + 1].time > time + allowed(r))
            return r;
    is_known = reference.has_ended();
    if (!is_known || r < 0 || reference.came() == 1) // one picture holds for all
        return r;
    return reference[r].time + reference.interval(r) <= time + allowed(r) ? kNoPartner : r;
}

// -------------------------------------------------------------- beginning

void TimeRule::start_with(Start start, int64_t shift)
{
    is_started_ = true;
    findings_.start = start;
    findings_.shift = shift;
}

bool TimeRule::start_apart(int64_t /*interval*/, int64_t by_time, unsigned & /*needs*/)
{
    start_with(Start::kUndecided, by_time);
    return true;
}

/// Frames before the offset have no partner. False: reference frames have to go first.
bool TimeRule::begin_by_option(Choice &choice)
{
    const Frame &main = in_[kMain].first();
    const Frame &reference = in_[kReference].first();
    choice.unused = reference.number < findings_.offset ? 1 : 0;
    if (choice.unused > 0)
        return false;
    if (main.number >= -findings_.offset)
        start_with(start_by_offset(), main.time - reference.time);
    return true;
}

/// False: more frames are needed, or reference frames have to go first.
bool TimeRule::begin(Choice &choice)
{
    const FrameQueue &main = in_[kMain];
    const FrameQueue &reference = in_[kReference];
    if (!has(kReference, 1, choice.needs))
        return false;
    if (reference.is_empty()) // it has no frames at all
        return true;
    if (main.first().number == 0 && reference.first().number == 0)
        findings_.start_offset = main.first().time - reference.first().time;
    if (settings_.has_offset != 0)
        return begin_by_option(choice);
    has(kMain, 4, choice.needs);
    has(kReference, 4, choice.needs);
    if (choice.needs != 0)
        return false;
    const int64_t offset = findings_.start_offset;
    const int64_t interval = shorter(main.interval(0), reference.interval(0));
    if (interval != 0)
        findings_.start_frames = rounded_frames(offset, interval);
    if (interval == 0 || std::llabs(offset) < together(interval)) {
        start_with(Start::kTogether, offset);
        return true;
    }
    const int64_t means[] = {main.mean_interval(), reference.mean_interval()};
    const int64_t by_time = differ(means[0], means[1], 40, 2 * kMillisecond)
                                ? 0
                                : part_of_frame(offset, means[1] != 0 ? means[1] : interval);
    return start_apart(interval, by_time, choice.needs);
}

// --------------------------------------------------------------- decision

/// The partners of the frames ahead, as far as they are known.
void TimeRule::pick_ahead(Choice &choice)
{
    const Reach far = reach();
    int from = first_allowed();
    bool is_known = true;
    partners_.clear();
    has(kMain, far.frames > 2 ? far.frames : 2, choice.needs); // a second one shows the interval
    for (int i = 0; i < far.frames && i < in_[kMain].count(); ++i) {
        const int partner = pick(i, from, findings_.shift, is_known);
        if (!is_known)
            break;
        partners_.push_back(partner);
        if (partner >= 0)
            from = partner;
    }
    has(kReference, is_known ? from + far.further + 1 : FrameQueue::kMost, choice.needs);
    // The queue is full of frames before main's time.
    if (partners_.empty() && choice.needs == 0 && !in_[kReference].has_ended())
        choice.unused = 1;
}

Rule::Status TimeRule::choose(Choice &choice)
{
    if (!is_started_ && !begin(choice))
        return Status::kNeeds;
    if (!is_started_) // before the offset, or without reference
        return Status::kDecided;
    pick_ahead(choice);
    if (choice.needs != 0 || choice.unused != 0)
        return Status::kNeeds;
    choice.reference = partners_.empty() ? kNoPartner : partners_.front();
    overrule(choice, partners_);
    if (choice.reference >= 0)
        choice.distance = distance_of(choice.reference);
    return Status::kDecided;
}

} // namespace vmafgpu
