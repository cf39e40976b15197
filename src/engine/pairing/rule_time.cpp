// SPDX-License-Identifier: BSD-2-Clause-Patent
// By times: the last reference frame that begins with the main frame or before it, after the shift
// between the two clocks was taken off. With rule auto, pictures overrule times where clocks
// disagree or the evidence is overwhelming. The limits were found with 122 pairs of files and 90
// pairs of difficult content (tests/pairing): looser ones follow pictures that mislead.
// docs/user/pairing.md explains the rules.
#include <algorithm>
#include <cstdlib>

#include "pairing/offset_search.h"
#include "pairing/queue_rule.h"
#include "picture/sketch.h"

namespace vmafgpu {

namespace {

/// Main frames that are looked at, and frames that a correction moves at most: before the first
/// pair, and after it.
constexpr int kFirstFrames = 14, kFrames = 6;
constexpr int kFirstShift = 8, kShift = 2;
/// Frames that a correction moves where main suddenly shows other pictures than it should.
constexpr int kJump = 8;
constexpr int kStartFrames = 8;
constexpr int kLeastFrames = 4;              ///< that show the rate
constexpr int64_t kSlack = 2 * kMillisecond; ///< containers round off less of a mean interval
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

private:
    /// How far the rule looks: main frames, and reference frames behind their last partner.
    struct Reach {
        int frames, further;
    };

    Status choose(Choice &choice) override;

    Reach reach() const
    {
        return !settings_.uses_pictures() ? Reach{1, 0}
               : has_pair()               ? Reach{kFrames, is_jump_ ? kJump : kShift}
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
    int pick_by_number(int i, int from, bool &is_known) const;
    void pick_ahead(Choice &choice);
    bool see_jump(int reference);

    void start_with(Start start, int64_t shift);
    bool begin(Choice &choice);
    bool begin_by_option(Choice &choice);
    bool begin_by_times(unsigned &needs);
    bool is_other_rate() const;
    bool agrees_by_number();
    bool start_apart(int64_t interval, int64_t by_time, unsigned &needs);
    double mean_difference(int frames, int64_t shift);

    int difference(int main, int reference);
    bool is_in_doubt() const;
    bool may_be_closer(int far, int back);
    bool add_ahead(OffsetInput &input);
    int find_correction();
    void count_correction();
    void correct(int reference, int by);
    int left_over();
    int closer_neighbour(int reference);
    void follow_clock(int reference);
    int overrule(int by_time);

    bool is_started_ = false;
    bool is_by_number_ = false;
    int64_t number_shift_ = 0; ///< with is_by_number_: reference number - main number
    bool is_jump_ = false;     ///< the first main frame differs from its partner as none did before
    int usual_ = 0;            ///< difference of the latest pairs
    std::vector<int> partners_;     ///< by time, of the frames ahead
    std::vector<uint8_t> previous_; ///< sketch of the main frame before; empty: none was made
};

// ----------------------------------------------------------------- frames

int TimeRule::pick_by_number(int i, int from, bool &is_known) const
{
    const FrameQueue &reference = in_[kReference];
    const int64_t wanted = in_[kMain][i].number + number_shift_;
    const int64_t at = reference.is_empty() ? 0 : wanted - reference.first().number;
    is_known = at < reference.count() || reference.has_ended();
    return at < std::max(from, 0) || at >= reference.count() ? kNoPartner : static_cast<int>(at);
}

int TimeRule::pick(int i, int from, int64_t shift, bool &is_known) const
{
    const FrameQueue &reference = in_[kReference];
    if (is_by_number_)
        return pick_by_number(i, from, is_known);
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
    return absolute_difference(sketch(in_[kMain][main]), sketch(in_[kReference][reference]));
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

/// A gap in the times is in one half of the first frames only: it is no other rate.
bool TimeRule::is_other_rate() const
{
    const auto interval = [this](int input, int half) {
        const FrameQueue &all = in_[static_cast<size_t>(input)];
        const int last = std::min(kFirstFrames, all.count()) - 1, middle = last / 2;
        return half == 0 ? all.mean_interval(0, middle) : all.mean_interval(middle, last);
    };
    bool differs = true;
    for (const int half : {0, 1})
        differs &= differ(interval(kMain, half), interval(kReference, half), 40, kSlack);
    return differs;
}

/// Raw streams have no times, and programs guess their rate. If the rates differ, and the n-th
/// pictures agree but those of one time do not, the times are left alone.
bool TimeRule::agrees_by_number()
{
    const int frames = std::min({kFirstFrames, in_[kMain].count(), in_[kReference].count()});
    int worst = 0; // where frames were left out, the first ones are still n-th with n-th
    for (int i = 0; i < frames; ++i)
        worst = std::max(worst, difference(i, i));
    const double first = mean_difference(frames, findings_.start_offset);
    const double time = mean_difference(frames, 0);
    return worst * 3 < first * 2 && worst * 3 < time * 2;
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
    return settings_.has_offset != 0 ? begin_by_option(choice) : begin_by_times(choice.needs);
}

/// Pictures decide where times are in doubt. Returns false if more frames are needed.
bool TimeRule::begin_by_times(unsigned &needs)
{
    const FrameQueue &main = in_[kMain];
    const FrameQueue &reference = in_[kReference];
    // Coarse times show the rate after some frames only. Pictures wait for as many in any case.
    const int frames = settings_.uses_pictures() ? kFirstFrames : kLeastFrames;
    has(kMain, frames, needs);
    has(kReference, frames, needs);
    if (needs != 0)
        return false;
    const int64_t offset = findings_.start_offset;
    const int64_t interval = shorter(main.interval(0), reference.interval(0));
    const int64_t mean = reference.mean_interval();
    const bool do_rates_differ = differ(main.mean_interval(), mean, 40, kSlack);
    if (interval != 0)
        findings_.start_frames = rounded_frames(offset, interval);
    is_by_number_ =
        settings_.uses_pictures() && do_rates_differ && is_other_rate() && agrees_by_number();
    if (is_by_number_)
        start_with(Start::kByNumber, offset);
    else if (interval == 0 || std::llabs(offset) < together(interval))
        start_with(Start::kTogether, offset);
    else
        return start_apart(interval,
                           do_rates_differ ? 0 : part_of_frame(offset, mean != 0 ? mean : interval),
                           needs);
    return true;
}

// ------------------------------------------------------------ corrections

/// Whether times are in doubt, so that less evidence corrects them.
bool TimeRule::is_in_doubt() const
{
    const FrameQueue &main = in_[kMain];
    const FrameQueue &reference = in_[kReference];
    if (is_by_number_)
        return false;
    if (findings_.start != Start::kTogether && findings_.start != start_by_offset())
        return true;
    if (differ(main.nominal(), reference.nominal(), 1)) // 0.05 %
        return true;
    // 2 %, and what a container may round off both ends.
    const int count = std::min(main.count(), reference.count());
    return count > 2 && differ(main.mean_interval(), reference.mean_interval(), 40,
                               2 * kMillisecond / (count - 1));
}

/// Nearly always the first frame is closest to its own partner. Before the first pair it may have
/// none, since the reference begins later.
bool TimeRule::may_be_closer(int far, int back)
{
    const int own = partners_.front();
    bool may_be = !has_pair();
    for (int k = std::max(own - back, 0); k <= own + far && k < in_[kReference].count(); ++k)
        may_be |= difference(0, k) < difference(0, own);
    return may_be;
}

/// Adds the pairs of the frames ahead. Returns false if the first one proves nothing.
bool TimeRule::add_ahead(OffsetInput &input)
{
    FrameQueue &reference = in_[kReference];
    input.reference = [this, &reference](int64_t number) {
        const int64_t at = number - reference.first().number;
        return at < 0 || at >= reference.count() ? nullptr
                                                 : sketch(reference[static_cast<int>(at)]);
    };
    for (size_t i = 0; i < partners_.size(); ++i)
        if (const int partner = partners_[i]; partner >= 0) {
            const uint8_t *before = i == 0 && !previous_.empty() ? previous_.data() : nullptr;
            const bool is_added = input.add(sketch(in_[kMain][static_cast<int>(i)]),
                                            reference[partner].number, before);
            if (i == 0 && !is_added)
                return false;
        }
    return true;
}

/// How many frames the partners of the frames ahead have to move, 0: not at all.
int TimeRule::find_correction()
{
    const FrameQueue &main = in_[kMain];
    const bool in_doubt = is_in_doubt();
    const bool is_at_end = main.has_ended() && main.count() < 4;
    const int enough = !in_doubt ? 6 : is_at_end ? 2 : 4;
    const int far = reach().further, back = std::min(far, has_pair() ? kShift : far);
    OffsetInput input;
    input.nearest = -back;
    input.furthest = far;
    input.least = enough;
    if (!may_be_closer(far, back) || !add_ahead(input))
        return 0;
    const OffsetComparison found = compare_offsets(input);
    const int by = static_cast<int>(found.nearest.offset);
    const bool is_before = in_doubt && partners_.front() + by < 0;
    return found.overrules_times(in_doubt, enough) && !is_before ? by : 0;
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
    if (is_by_number_)
        number_shift_ += by;
    else if (reference + by >= 0)
        findings_.shift -= all[reference + by].time - all[reference].time;
    else // the reference begins later
        findings_.shift +=
            main[std::min(-by - reference, main.count() - 1)].time - main.first().time;
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

/// Returns true if more reference frames are wanted, since main seems to have jumped.
bool TimeRule::see_jump(int reference)
{
    if (!settings_.uses_pictures() || !has_pair() || reference < 0)
        return false;
    is_jump_ = difference(0, reference) > 2 * usual_ + kSketchBytes && !is_in_doubt();
    return is_jump_;
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
    } else if (by_time < 0 && !is_by_number_) {
        chosen = left_over();
    }
    if (chosen >= 0 && !is_by_number_) {
        chosen = closer_neighbour(chosen);
        follow_clock(chosen);
    }
    if (chosen >= 0) {
        usual_ += (difference(0, chosen) - usual_) / (has_pair() ? kFrames : 1);
    }
    is_jump_ = false;
    return chosen;
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
    if (!is_jump_ && see_jump(choice.reference))
        pick_ahead(choice);
    if (choice.needs != 0)
        return Status::kNeeds;
    if (settings_.uses_pictures())
        choice.reference = overrule(choice.reference);
    if (choice.reference >= 0 && !is_by_number_)
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
