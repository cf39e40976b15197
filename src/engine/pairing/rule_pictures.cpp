// SPDX-License-Identifier: BSD-2-Clause-Patent
// See rule_pictures.h.
#include "pairing/rule_pictures.h"

#include <algorithm>
#include <cstdlib>

namespace vmafgpu {

namespace {

/// Main frames that are looked at, and frames that a correction moves at most: before the first
/// pair, and after it.
constexpr int kFirstFrames = 14, kFrames = 6;
constexpr int kFirstShift = 8, kShift = 2;
/// Frames apart up to which pictures decide about the beginning.
constexpr int kMostStartOffset = 16;
constexpr int kStartFrames = 8;

} // namespace

int PictureRule::difference(int main, int reference)
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

/// Of the first frames under a shift; -1: no pair has one.
double PictureRule::mean_difference(int frames, int64_t shift)
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

bool PictureRule::start_apart(int64_t interval, int64_t by_time, unsigned &needs)
{
    const int64_t offset = findings_.start_offset;
    const int64_t apart = std::llabs(offset) / interval;
    if (std::llabs(offset) > kMostStartOffset * interval)
        return TimeRule::start_apart(interval, by_time, needs);
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

// ------------------------------------------------------------ corrections

/// What the frames ahead say for partners that stand some frames further.
struct PictureRule::Evidence {
    int frames = 0; ///< that prove something
    bool all_agree = true;
    double before = 0, after = 0; ///< sums of differences
};

TimeRule::Reach PictureRule::reach() const
{
    return has_pair() ? Reach{kFrames, kShift} : Reach{kFirstFrames, kFirstShift};
}

/// Whether times are in doubt, so that less evidence corrects them.
bool PictureRule::is_in_doubt() const
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
int PictureRule::first_evidence(const std::vector<int> &partners, int by) const
{
    int first = 0;
    if (has_pair() || by >= 0 || is_in_doubt())
        return 0;
    for (const int partner : partners) {
        if (partner >= 0 && partner + by >= 0)
            break;
        ++first;
    }
    return first;
}

/// False: the first frame does not agree.
bool PictureRule::gather(const std::vector<int> &partners, int by, Evidence &evidence)
{
    const uint8_t *counted = previous_.empty() ? nullptr : previous_.data();
    const int first = first_evidence(partners, by);
    for (int i = first; i < static_cast<int>(partners.size()); ++i) {
        const int partner = partners[static_cast<size_t>(i)];
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
int PictureRule::find_correction(const std::vector<int> &partners)
{
    const bool in_doubt = is_in_doubt();
    const bool is_at_end = in_[kMain].has_ended() && in_[kMain].count() < 4;
    const int enough = !in_doubt ? 6 : is_at_end ? 2 : 4;
    const int far = reach().further;
    double best = in_doubt ? 0.5 : 0.2;
    int found = 0;
    for (int by = -far; by <= far; ++by) {
        Evidence evidence;
        if (by == 0 || !gather(partners, by, evidence) || evidence.frames < enough ||
            (!in_doubt && !evidence.all_agree) || evidence.after >= best * evidence.before)
            continue;
        best = evidence.after / evidence.before;
        found = by;
    }
    return found;
}

void PictureRule::count_correction()
{
    if (findings_.corrections++ == 0)
        findings_.first_correction = in_[kMain].first().time;
}

/// Move the shift so that the partner of the first main frame stands `by` frames further.
void PictureRule::correct(int reference, int by)
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
int PictureRule::left_over()
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
int PictureRule::closer_neighbour(int reference)
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
void PictureRule::follow_clock(int reference)
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

void PictureRule::overrule(Choice &choice, const std::vector<int> &partners)
{
    const int by_time = choice.reference;
    const int by = by_time >= 0 ? find_correction(partners) : 0;
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
    choice.reference = chosen;
    watch_start(chosen);
}

void PictureRule::watch_start(int partner)
{
    FrameQueue &reference = in_[kReference];
    if (settings_.has_offset != 0)
        return;
    for (int i = 0; i < reference.count(); ++i)
        if (start_.wants_reference(reference[i].number))
            start_.add_reference(sketch(reference[i]));
    Frame &main = in_[kMain][0];
    if (main.number < StartPictures::kMains)
        start_.add_main(main.number, sketch(main),
                        partner >= 0 ? reference[partner].number : kNoPartner);
}

void PictureRule::forget(const Frame &main)
{
    if (main.sketch != nullptr)
        previous_.assign(main.sketch, main.sketch + kSketchBytes);
}

} // namespace vmafgpu
