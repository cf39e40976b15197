// SPDX-License-Identifier: BSD-2-Clause-Patent
// By times: the last reference frame that begins with the main frame or before it, after the shift
// between the two clocks was taken off. With rule auto, pictures overrule times where clocks
// disagree or the evidence is overwhelming. The limits were found with 122 pairs of files and 90
// pairs of difficult content (tests/pairing): looser ones follow pictures that mislead.
// docs/pairing.md explains the rules.
#include <algorithm>
#include <cstdlib>

#include "base/sketch.h"
#include "pairing/offset_search.h"
#include "pairing/queue_rule.h"

namespace vmafgpu {

namespace {

/// Main frames that are looked at, and frames that a correction moves at most: before the first
/// pair, and after it.
constexpr int kFirstFrames = 14, kFrames = 6;
constexpr int kFirstShift = 8, kShift = 2;
/// Frames apart up to which pictures decide about the beginning.
constexpr int kMostStartOffset = 16;
constexpr int kStartFrames = 8;
/// First frames that are looked at to see whether another offset, up to kFurthest, fits far better:
/// a coder's losses are less than a change of the picture by so many times.
constexpr int64_t kWatched = 112, kFurthest = 64;
constexpr int kFarBetter = 4;

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

class TimeRule : public QueueRule {
public:
    using QueueRule::QueueRule;

    void conclude() override { findings_.better_offset = better_offset(); }

private:
    /// What the frames ahead say for partners that stand some frames further.
    struct Evidence {
        int frames = 0; ///< that prove something
        bool all_agree = true;
        double before = 0, after = 0; ///< sums of differences
    };
    /// The difference of two frames' sketches. Computed once while both are queued.
    struct Known {
        int64_t main = -1, reference = -1; ///< numbers of the frames
        int value = 0;
    };
    /// How far the rule looks: main frames, and reference frames behind their last partner.
    struct Reach {
        int frames, further;
    };

    Status choose(Choice &choice) override;

    Reach reach() const
    {
        return !settings_.uses_pictures() ? Reach{1, 0}
               : has_pair()               ? Reach{kFrames, kShift}
                                          : Reach{kFirstFrames, kFirstShift};
    }
    int first_allowed() const { return is_first_used() ? 0 : kNoPartner; }
    int64_t distance_of(int reference) const
    {
        return in_[kMain].first().time - findings_.shift - in_[kReference][reference].time;
    }
    /// The partner by time of main frame i, not before `from`. *is_known: later frames cannot
    /// change it.
    int pick(int i, int from, int64_t shift, bool &is_known) const;
    void pick_ahead(Choice &choice);

    void start_with(Start start, int64_t shift);
    bool begin(Choice &choice);
    bool begin_by_option(Choice &choice);
    bool start_apart(int64_t interval, int64_t by_time, unsigned &needs);
    double mean_difference(int frames, int64_t shift);

    int difference(int main, int reference);
    bool is_in_doubt() const;
    int first_evidence(int by) const;
    bool gather(int by, Evidence &evidence);
    int find_correction();
    void count_correction();
    void correct(int reference, int by);
    int left_over();
    int closer_neighbour(int reference);
    void follow_clock(int reference);
    int overrule(int by_time);
    void watch_start(int partner);
    int64_t better_offset() const;

    bool is_started_ = false;
    std::vector<int> partners_; ///< by time, of the frames ahead
    std::vector<Known> known_ = std::vector<Known>(FrameQueue::kMost * FrameQueue::kMost);
    std::vector<std::vector<uint8_t>> watched_[kInputs]; ///< sketches of the first frames
    std::vector<int64_t> watched_partners_;              ///< of main's; less than 0: none
    std::vector<uint8_t> previous_; ///< sketch of the main frame before; empty: none was made
};

// ----------------------------------------------------------------- frames

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

int TimeRule::difference(int main, int reference)
{
    Frame &own = in_[kMain][main];
    Frame &other = in_[kReference][reference];
    const int64_t row = own.number % FrameQueue::kMost;
    const int64_t column = other.number % FrameQueue::kMost;
    Known &known = known_[static_cast<size_t>(row * FrameQueue::kMost + column)];
    if (known.main != own.number || known.reference != other.number)
        known = {own.number, other.number, absolute_difference(sketch(own), sketch(other))};
    return known.value;
}

// -------------------------------------------------------------- beginning

void TimeRule::start_with(Start start, int64_t shift)
{
    is_started_ = true;
    findings_.start = start;
    findings_.shift = shift;
}

/// Of the first frames under a shift; -1: no pair has one.
double TimeRule::mean_difference(int frames, int64_t shift)
{
    int from = kNoPartner;
    int pairs = 0;
    double sum = 0;
    for (int i = 0; i < frames && i < in_[kMain].count(); ++i) {
        bool is_known = false;
        const int partner = pick(i, from, shift, is_known);
        if (partner < 0)
            continue;
        from = partner;
        sum += difference(i, partner);
        ++pairs;
    }
    return pairs > 0 ? sum / pairs : -1;
}

/// Both begin far apart, the shorter interval and the shift by time are given. False: more frames
/// are needed.
bool TimeRule::start_apart(int64_t interval, int64_t by_time, unsigned &needs)
{
    const int64_t offset = findings_.start_offset;
    const int64_t apart = std::llabs(offset) / interval;
    if (!settings_.uses_pictures() || std::llabs(offset) > kMostStartOffset * interval) {
        start_with(Start::kUndecided, by_time);
        return true;
    }
    const int frames = static_cast<int>(std::min<int64_t>(kStartFrames + apart, FrameQueue::kMost));
    has(kMain, frames, needs);
    has(kReference, frames + apart + 1, needs);
    if (needs != 0)
        return false;
    findings_.is_start_compared = true;
    const double first = mean_difference(frames, offset);
    const double time = mean_difference(frames, by_time);
    const bool both = first >= 0 && time >= 0;
    if (both && first * 3 < time * 2)
        start_with(Start::kPicturesFirst, offset);
    else if (both && time * 3 < first * 2)
        start_with(Start::kPicturesTime, by_time);
    else
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

// ------------------------------------------------------------ corrections

/// Whether times are in doubt, so that less evidence corrects them.
bool TimeRule::is_in_doubt() const
{
    const FrameQueue &main = in_[kMain];
    const FrameQueue &reference = in_[kReference];
    if (findings_.start != Start::kTogether && findings_.start != start_by_offset())
        return true;
    if (differ(main.nominal(), reference.nominal(), 1)) // 0.05 %
        return true;
    // 2 %, and what a container may round off both ends.
    const int count = std::min(main.count(), reference.count());
    return count > 2 && differ(main.mean_interval(), reference.mean_interval(), 40,
                               2 * kMillisecond / (count - 1));
}

/// The main frame from which on evidence counts. Before the first pair, main may begin with frames
/// that the reference lacks: these have no partner then.
int TimeRule::first_evidence(int by) const
{
    int first = 0;
    if (has_pair() || by >= 0 || is_in_doubt())
        return 0;
    for (const int partner : partners_) {
        if (partner >= 0 && partner + by >= 0)
            break;
        ++first;
    }
    return first;
}

/// False: the first frame does not agree.
bool TimeRule::gather(int by, Evidence &evidence)
{
    const uint8_t *counted = previous_.empty() ? nullptr : previous_.data();
    const int first = first_evidence(by);
    for (int i = first; i < static_cast<int>(partners_.size()); ++i) {
        const int partner = partners_[static_cast<size_t>(i)];
        const int moved = partner + by;
        if (partner < 0 || moved < 0 || moved >= in_[kReference].count()) {
            if (i == first)
                return false;
            continue;
        }
        const int before = difference(i, partner);
        const int after = difference(i, moved);
        if (i == first && after >= before) // nearly always: before the sketch is compared again
            return false;
        const uint8_t *own = sketch(in_[kMain][i]);
        // Main stands still: its picture says nothing about times.
        if (counted != nullptr && absolute_difference(own, counted) * int64_t{5} < before) {
            if (i == first)
                return false;
            continue;
        }
        counted = own;
        ++evidence.frames;
        evidence.all_agree &= after < before;
        evidence.before += before;
        evidence.after += after;
    }
    return true;
}

/// How many frames the partners of the frames ahead have to move, 0: not at all.
int TimeRule::find_correction()
{
    const bool in_doubt = is_in_doubt();
    const bool is_at_end = in_[kMain].has_ended() && in_[kMain].count() < 4;
    const int enough = !in_doubt ? 6 : is_at_end ? 2 : 4;
    const int far = reach().further;
    double best = in_doubt ? 0.5 : 0.2;
    int found = 0;
    for (int by = -far; by <= far; ++by) {
        Evidence evidence;
        if (by == 0 || !gather(by, evidence) || evidence.frames < enough ||
            (!in_doubt && !evidence.all_agree) || evidence.after >= best * evidence.before)
            continue;
        best = evidence.after / evidence.before;
        found = by;
    }
    return found;
}

void TimeRule::count_correction()
{
    if (findings_.corrections++ == 0)
        findings_.first_correction = in_[kMain].first().time;
}

/// Move the shift so that the partner of the first main frame stands `by` frames further.
void TimeRule::correct(int reference, int by)
{
    const FrameQueue &all = in_[kReference];
    const FrameQueue &main = in_[kMain];
    if (reference + by >= 0)
        findings_.shift -= all[reference + by].time - all[reference].time;
    else // the reference begins later
        findings_.shift += main[-by - reference].time - main.first().time;
    count_correction();
}

/// By time, main's last frame comes after the end of the reference. If the clocks differ and the
/// last reference frame is left, it is the partner if it is clearly closer than the one before.
int TimeRule::left_over()
{
    const FrameQueue &reference = in_[kReference];
    const int last = reference.count() - 1;
    if (!has_pair() || !reference.has_ended() || last < 1 || !is_in_doubt() ||
        reference[last].number != last_used_ + 1 ||
        difference(0, last) * 2 >= difference(0, last - 1))
        return kNoPartner;
    findings_.shift = in_[kMain].first().time - reference[last].time;
    count_correction();
    return last;
}

/// Where the intervals differ, or a time is near the middle between two frames, one of the frames
/// nearby may be the one that main shows: it is taken if it is clearly closer.
int TimeRule::closer_neighbour(int reference)
{
    const FrameQueue &all = in_[kReference];
    const int64_t near = tolerance(std::max(in_[kMain].interval(0), all.interval(reference)));
    int best = reference;
    for (int k = std::max(0, reference - 2); k <= reference + 2 && k < all.count(); ++k) {
        if (k == reference || std::llabs(distance_of(k)) > near)
            continue;
        const int chosen = difference(0, reference);
        const int value = difference(0, k);
        // 0.8 of the difference, and a tenth of a level less.
        if (value * 5 < chosen * 4 && value + kSketchBytes / 10 < chosen &&
            (best == reference || value < difference(0, best)))
            best = k;
    }
    return best;
}

/// Two clocks that drift: follow a quarter of what is left, if the pictures are sure.
void TimeRule::follow_clock(int reference)
{
    const FrameQueue &all = in_[kReference];
    const int64_t own = in_[kMain].interval(0);
    const int64_t other = all.interval(reference);
    if (!has_pair() || all[reference].number != last_used_ + 1 || reference < 1 ||
        reference + 1 >= all.count() || 4 * std::max(own, other) > 5 * std::min(own, other))
        return;
    const int chosen = difference(0, reference);
    if (chosen * 5 < difference(0, reference - 1) * 4 &&
        chosen * 5 < difference(0, reference + 1) * 4)
        findings_.shift += distance_of(reference) / 4;
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

/// The partner of the first main frame, by time and pictures.
int TimeRule::overrule(int by_time)
{
    const int by = by_time >= 0 ? find_correction() : 0;
    int chosen = by_time;
    if (by != 0) {
        bool is_known = false;
        correct(by_time, by);
        chosen = pick(0, first_allowed(), findings_.shift, is_known);
        if (chosen < 0)
            chosen = std::max(by_time + by, kNoPartner);
    } else if (by_time < 0) {
        chosen = left_over();
    }
    if (chosen >= 0) {
        chosen = closer_neighbour(chosen);
        follow_clock(chosen);
    }
    watch_start(chosen);
    return chosen;
}

void TimeRule::watch_start(int partner)
{
    const auto keep = [this](Input input, int i) {
        Frame &frame = in_[input][i];
        const auto kept = static_cast<int64_t>(watched_[input].size());
        const bool is_next = frame.number == kept && kept < kWatched;
        if (is_next)
            watched_[input].emplace_back(sketch(frame), sketch(frame) + kSketchBytes);
        return is_next;
    };
    if (settings_.has_offset != 0)
        return;
    for (int i = 0; i < in_[kReference].count(); ++i)
        keep(kReference, i);
    if (keep(kMain, 0))
        watched_partners_.push_back(partner >= 0 ? in_[kReference][partner].number : kNoPartner);
}

/// The offset at which the first pictures agree, if those of the pairs do not: main lacks a
/// beginning, or has one more, and no time tells it. Else 0.
int64_t TimeRule::better_offset() const
{
    Sketches first[kInputs];
    for (int i = 0; i < kInputs; ++i)
        for (const std::vector<uint8_t> &sketch : watched_[i])
            first[i].push_back(sketch.data());
    const OffsetAnswer answer = search_offset(first[kMain], first[kReference], kFurthest);
    const auto references = static_cast<int64_t>(first[kReference].size());
    int64_t now = 0, then = 0;
    for (size_t n = 0; answer.is_clear && n < first[kMain].size(); ++n) {
        const int64_t partner = watched_partners_[n];
        const int64_t other = static_cast<int64_t>(n) + answer.offset;
        if (std::min(partner, other) < 0 || std::max(partner, other) >= references)
            continue;
        const uint8_t *own = first[kMain][n];
        now += absolute_difference(own, first[kReference][static_cast<size_t>(partner)]);
        then += absolute_difference(own, first[kReference][static_cast<size_t>(other)]);
    }
    return then * kFarBetter < now ? answer.offset : 0;
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
    if (settings_.uses_pictures())
        choice.reference = overrule(choice.reference);
    if (choice.reference >= 0)
        choice.distance = distance_of(choice.reference);
    if (const uint8_t *made = in_[kMain].first().sketch; made != nullptr)
        previous_.assign(made, made + kSketchBytes);
    return Status::kDecided;
}

} // namespace

std::unique_ptr<Rule> make_time_rule(const PairingSettings &settings, SketchOf sketch_of)
{
    return std::make_unique<TimeRule>(settings, std::move(sketch_of));
}

} // namespace vmafgpu
