// SPDX-License-Identifier: BSD-2-Clause-Patent
// See agreement.h. Pairs are judged by blocks. Most blocks need no search: where something moves, a
// main picture is closest to its own reference picture. For others, all offsets of up to kReach
// frames are compared.
#include "pairing/agreement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "pairing/displacement.h"
#include "pairing/likeness.h"

namespace vmafgpu {

namespace {

constexpr int64_t kReach = 64;            ///< reference frames to each side
constexpr int64_t kMostReferences = 1024; ///< that are kept
/// Pairs that wait for more of the reference, which may be a still picture.
constexpr size_t kMostWaiting = 2048;
constexpr size_t kFewPairs = 8;
/// Blocks from one look at the place of main's pictures to the next one.
constexpr int kMostBlocks = 128;
/// Every so many pairs, the likeness of the pictures is measured.
constexpr size_t kLikenessStep = 4;
/// A quick look compares every so many rows, and is enough if so many pairs are closest.
constexpr size_t kFewRows = 6;
constexpr int kManyClosest = 12;
/// Likeness of two videos' pictures, and of pictures that may be one video's.
constexpr double kUnlike = 0.45, kSomewhatAlike = 0.85;

/// Adds the pairs of `from`. The place is that of the earlier one.
void merge(Mismatch from, Mismatch &to)
{
    if (from.pairs == 0)
        return;
    if (to.pairs == 0 || from.first < to.first)
        std::swap(from, to);
    to.is_constant &= from.pairs == 0 || (from.is_constant && from.offset == to.offset);
    to.pairs += from.pairs;
}

/// Main's picture, turned back.
Sketch turned(const uint8_t *sketch, Turn turn)
{
    constexpr size_t kLastRow = kSketchHeight - 1, kLastColumn = kSketchWidth - 1;
    const bool is_mirrored = turn == Turn::kMirrored || turn == Turn::kRotated;
    const bool is_upside_down = turn == Turn::kUpsideDown || turn == Turn::kRotated;
    Sketch result;
    for (size_t row = 0; row <= kLastRow; ++row)
        for (size_t column = 0; column <= kLastColumn; ++column)
            result[row * kSketchWidth + column] =
                sketch[(is_upside_down ? kLastRow - row : row) * kSketchWidth +
                       (is_mirrored ? kLastColumn - column : column)];
    return result;
}

} // namespace

/// An offset mends the run only if no pair of any part agrees as it is.
void Disagreement::add(const Disagreement &part)
{
    const auto add_pairs = [this](Mismatch later, Mismatch &all) {
        later.is_from_start &= agreeing == 0;
        all.is_from_start &= later.is_from_start || later.pairs == 0;
        merge(later, all);
    };
    add_pairs(part.elsewhere, elsewhere);
    add_pairs(part.unrelated, unrelated);
    turn = turn == Turn::kNone ? part.turn : turn;
    agreeing += part.agreeing;
}

// ----------------------------------------------------------------- frames

const uint8_t *Agreement::even(Picture &picture)
{
    if (picture.even == nullptr)
        picture.even = std::make_unique<Sketch>(even_out(picture.sketch->data()));
    return picture.even->data();
}

const Sketch *Agreement::reference(int64_t number) const
{
    const int64_t at = number - first_reference_;
    return at < 0 || at >= static_cast<int64_t>(references_.size())
               ? nullptr
               : references_[static_cast<size_t>(at)].sketch.get();
}

const uint8_t *Agreement::even_reference(int64_t number)
{
    return reference(number) == nullptr
               ? nullptr
               : even(references_[static_cast<size_t>(number - first_reference_)]);
}

void Agreement::add_reference(int64_t number, const uint8_t *sketch)
{
    if (references_.empty())
        first_reference_ = number;
    references_.emplace_back(sketch);
    if (later_.is_active())
        later_.add(number, even_reference(number));
    judge_ready(false);
    forget();
}

void Agreement::add_pair(const Pair &pair, const uint8_t *main)
{
    pairs_.emplace_back(pair, main);
    if (earlier_.is_active())
        earlier_.add(pair.main, even(pairs_.back()));
    judge_ready(false);
}

/// Reference frames that no pair to be judged can be compared with.
void Agreement::forget()
{
    const int64_t newest = first_reference_ + static_cast<int64_t>(references_.size()) - 1;
    const int64_t oldest = pairs_.empty() ? newest : pairs_.front().reference;
    const int64_t needed = std::max(oldest - kReach, newest - kMostReferences);
    for (; first_reference_ < needed; ++first_reference_)
        references_.pop_front();
}

// --------------------------------------------------------------- judgement

/// What a block shows by its own reference frames and their neighbours.
struct Agreement::Nearness {
    int closest = 0, farther = 0;  ///< pairs that are closer than both neighbours; that are not
    double likeness = kNoLikeness; ///< median of every so many pairs
    double difference = 0;         ///< mean of a sample, in levels

    bool is_settled() const { return farther * 3 <= closest && likeness >= kAlike; }
};

/// Compares every so many rows of the sketches. All of them are looked at with more pictures.
Agreement::Nearness Agreement::compare_neighbours(size_t step) const
{
    const size_t likeness_step = step == 1 ? kLikenessStep : kBlock;
    const auto difference = [step](const Sketch &a, const Sketch &b) {
        int sum = 0;
        for (size_t at = step / 2 * kSketchWidth; at < a.size(); at += step * kSketchWidth)
            sum += absolute_difference(&a[at], &b[at], kSketchWidth);
        return sum;
    };
    Nearness near;
    std::vector<double> likeness;
    for (size_t i = begin_; i < end_; ++i) {
        const Taken &pair = pairs_[i];
        const Sketch *own = reference(pair.reference);
        if (own == nullptr)
            continue;
        if ((i - begin_) % likeness_step == 0)
            likeness.push_back(likeness_of(*pair.sketch, *own));
        const int here = difference(*pair.sketch, *own);
        near.difference += here;
        bool is_closer = false, is_farther = false;
        for (const int64_t by : {-1, 1})
            if (const Sketch *other = reference(pair.reference + by); other != nullptr) {
                const int there = difference(*pair.sketch, *other);
                is_closer |= there > here;
                is_farther |= there < here;
            }
        near.farther += is_farther ? 1 : 0;
        near.closest += is_closer && !is_farther ? 1 : 0;
    }
    near.difference *= static_cast<double>(step) /
                       (static_cast<double>(end_ - begin_) * static_cast<double>(kSketchBytes));
    std::sort(likeness.begin(), likeness.end());
    if (!likeness.empty())
        near.likeness = likeness[likeness.size() / 2];
    return near;
}

OffsetComparison Agreement::compare()
{
    OffsetInput input;
    input.reference = [this](int64_t number) {
        return even_reference(number);
    };
    for (size_t i = begin_; i < end_; ++i)
        input.add(even(pairs_[i]), pairs_[i].reference);
    input.nearest = -kReach;
    input.furthest = kReach;
    input.least = std::max<int64_t>(OffsetComparison::kLeastFrames,
                                    static_cast<int64_t>(input.mains.size()) / 3);
    return compare_offsets(input);
}

/// Where the rates differ, the partner may as well be a neighbour.
int64_t Agreement::slack() const
{
    int64_t most = 0;
    for (size_t i = begin_ + 1; i < end_; ++i) {
        const int64_t steps =
            (pairs_[i].reference - pairs_[i - 1].reference) - (pairs_[i].main - pairs_[i - 1].main);
        most = std::max<int64_t>(most, std::llabs(steps));
    }
    return most;
}

/// Whether a pair agrees as it is, beside what was found.
bool Agreement::agrees(Taken &pair, int64_t offset)
{
    const uint8_t *own = even_reference(pair.reference);
    const uint8_t *other = even_reference(pair.reference + offset);
    if (own == nullptr || other == nullptr) // behind the end of the reference nothing agrees
        return pair.reference + offset < first_reference_;
    const uint8_t *main = even(pair);
    if (offset != 0)
        return absolute_difference(main, own) < absolute_difference(main, other);
    if (found_.turn != Turn::kNone)
        return absolute_difference(main, own) <=
               absolute_difference(turned(main, found_.turn).data(), own);
    return likeness_of(*pair.sketch, *reference(pair.reference)) >= kAlike;
}

/// Counts the last `fresh` pairs of the block. The first ones of their kind lie between pairs that
/// agree, and are `least` at least.
void Agreement::note(Mismatch &mismatch, size_t fresh, int64_t offset, size_t least)
{
    if (mismatch.pairs == 0) {
        const size_t fresh_begin = end_ - fresh;
        size_t end = end_;
        while (least == 0 && end > fresh_begin && agrees(pairs_[end - 1], offset))
            --end;
        if (end == fresh_begin) // which one is meant is not known
            end = end_;
        size_t at = end - least;
        while (at > 0 && !agrees(pairs_[at - 1], offset))
            --at;
        const Taken &first = pairs_[std::min(at, end - 1)];
        if (fresh_begin > at)
            take_back(fresh_begin - at);
        fresh = std::max<size_t>(end - at, 1);
        mismatch.first = first.index;
        mismatch.time = first.time;
        mismatch.offset = offset;
        mismatch.is_from_start = found_.agreeing == 0;
        mismatch.start = first.reference + offset - first.main;
    }
    mismatch.is_constant &= offset == mismatch.offset;
    mismatch.pairs += static_cast<int64_t>(fresh);
    noted_ = &mismatch;
}

/// What the last pairs of the block before were counted as is another thing: a change lies in the
/// middle of their block.
void Agreement::take_back(size_t pairs)
{
    const auto count = static_cast<int64_t>(pairs);
    if (noted_before_ == nullptr)
        return;
    if (noted_before_->pairs <= count)
        *noted_before_ = Mismatch();
    else
        noted_before_->pairs -= count;
}

/// The block agrees with nothing near: it may stand far away.
void Agreement::search_far()
{
    Sketches mains, references;
    std::vector<int64_t> of_mains, of_references; // places
    searched_ = pairs_[begin_];
    for (size_t i = begin_; i < end_; ++i)
        if (const uint8_t *own = even_reference(pairs_[i].reference); own != nullptr) {
            mains.push_back(even(pairs_[i]));
            references.push_back(own);
            of_mains.push_back(pairs_[i].main - searched_.main);
            of_references.push_back(pairs_[i].reference - searched_.reference);
        }
    later_.begin(mains, references, of_references);
    for (int64_t number = first_reference_; reference(number) != nullptr; ++number)
        later_.add(number, even_reference(number));
    earlier_.begin(references, mains, of_mains);
    for (size_t i = begin_; i < pairs_.size(); ++i)
        earlier_.add(pairs_[i].main, even(pairs_[i]));
}

/// Lost pairs that agree with what was found far away are elsewhere. Those of two videos may be
/// alike now here, now there.
void Agreement::place_lost()
{
    Mismatch &elsewhere = found_.elsewhere, &unrelated = found_.unrelated;
    const int64_t reference = later_.found(), main = earlier_.found();
    const int64_t offset = reference >= 0 ? reference - searched_.reference : searched_.main - main;
    // What is nearer was compared already.
    if (std::max(reference, main) >= 0 && std::llabs(offset) >= kReach) {
        merge(std::exchange(unrelated, {}), unplaced_);
        unplaced_.offset = offset;
        unplaced_.start += offset;
        merge(unplaced_, elsewhere);
    } else if (elsewhere.is_from_start && elsewhere.is_constant && elsewhere.offset < 0) {
        if (unrelated.first < elsewhere.first) // the frames that main has more at its beginning
            unrelated = Mismatch();
    } else if (astray_ * 10 >= seen_ * 9 && found_.agreeing == 0) { // no pair is right
        merge(unplaced_, unrelated);
    } else if (unrelated.pairs > 0 && !elsewhere.is_constant) {
        merge(std::exchange(elsewhere, {}), unrelated);
        unrelated.offset = 0;
    }
}

/// Turned by it, main's pictures differ from their partners by less than half, and are alike.
void Agreement::find_turn()
{
    constexpr int kBelowStraight = 2;
    std::array<int64_t, 4> differences = {};
    std::array<int, 4> alike = {};
    int looked = 0;
    for (size_t i = begin_; i < end_; i += kLikenessStep)
        if (const uint8_t *own = even_reference(pairs_[i].reference); own != nullptr) {
            ++looked;
            for (const Turn turn :
                 {Turn::kNone, Turn::kMirrored, Turn::kUpsideDown, Turn::kRotated}) {
                const auto at = static_cast<size_t>(turn);
                differences[at] += absolute_difference(turned(even(pairs_[i]), turn).data(), own);
                alike[at] += likeness_of(turned(pairs_[i].sketch->data(), turn),
                                         *reference(pairs_[i].reference)) >= kAlike
                                 ? 1
                                 : 0;
            }
        }
    const auto least = static_cast<size_t>(
        std::min_element(differences.begin(), differences.end()) - differences.begin());
    if (differences[least] * kBelowStraight < differences[0] && alike[least] * 2 > looked)
        found_.turn = static_cast<Turn>(least);
}

/// The frames that main's pictures belong to come behind the reference's end, or before its
/// beginning.
bool Agreement::is_past_end() const
{
    return found_.elsewhere.pairs > 0 &&
           reference(pairs_[end_ - 1].reference + found_.elsewhere.offset) == nullptr;
}

/// The block shows other pictures than those near: two videos, or one of which the place is not
/// known.
void Agreement::note_lost(const Verdict &now, size_t fresh)
{
    if (is_past_end()) {
        note(found_.elsewhere, fresh, found_.elsewhere.offset);
        return;
    }
    // The first block may begin before they are lost.
    if (!later_.is_active() && (last_.is_lost || pairs_[begin_].index == 0))
        search_far();
    if (found_.turn == Turn::kNone)
        find_turn();
    if (now.is_foreign || found_.turn != Turn::kNone)
        note(found_.unrelated, fresh, 0);
    else
        note(unplaced_, fresh, 0, fresh); // likeness tells nothing
}

/// Looks where main's pictures lie within the frame.
void Agreement::find_place(const Nearness &near, bool is_change)
{
    constexpr size_t kStep = kBlock / 4;
    std::vector<PartneredPicture> pairs;
    for (size_t i = begin_; i < end_; i += kStep)
        pairs.emplace_back(pairs_[i].sketch->data(), pairs_[i].reference);
    const auto sketch_of = [this](int64_t number) {
        const Sketch *sketch = reference(number);
        return sketch == nullptr ? nullptr : sketch->data();
    };
    const Displacement found = find_displacement(pairs, sketch_of, kReach);
    was_displaced_ = found == Displacement::kFound;
    if (was_displaced_)
        find_turn(); // a turned picture of little detail may fit at another place, too
    if (was_displaced_ && found_.turn == Turn::kNone)
        found_.turn = Turn::kDisplaced;
    // The first blocks may have no detail.
    check_every_ =
        found == Displacement::kUnknown ? std::min(2 * check_every_, kMostBlocks) : kMostBlocks;
    blocks_to_check_ = is_change ? 1 : check_every_; // it may lie in the middle of this block
    checked_difference_ = near.difference;
}

/// Whether main's pictures lie elsewhere within the frame. They are looked at every so many blocks,
/// as that takes long, and where they begin to differ from their partners much more; if they lie
/// elsewhere, where they begin to differ much less.
bool Agreement::is_displaced(const Nearness &near)
{
    constexpr double kMuchMore = 1.5, kMuchLess = 3, kNoise = 1; // kNoise: in levels
    const bool is_other = found_.turn != Turn::kNone && found_.turn != Turn::kDisplaced;
    const auto [less, more] = was_displaced_ ? std::make_pair(near.difference, checked_difference_)
                                             : std::make_pair(checked_difference_, near.difference);
    const bool is_change = more > less * (was_displaced_ ? kMuchLess : kMuchMore) + kNoise;
    if (is_other || (!is_change && (was_displaced_ || --blocks_to_check_ > 0))) {
        checked_difference_ = was_displaced_ ? std::max(less, more) : std::min(less, more);
        return was_displaced_ && !(is_other && agrees(pairs_[end_ - 1], 0));
    }
    find_place(near, is_change);
    return was_displaced_;
}

/// Whether main shows frames of the reference before earlier ones, as a wrong order of fields or of
/// coded frames makes it.
bool Agreement::is_out_of_order()
{
    constexpr int64_t kNear = 2;
    constexpr int kFew = 6;
    constexpr double kBelow = 0.85;
    Sketches mains;
    for (size_t i = begin_; i < end_; ++i)
        mains.push_back(even(pairs_[i]));
    const std::vector<size_t> places = moving_places(mains);
    int steps_back = 0;
    int64_t before = -1;
    for (size_t i = begin_; i < end_ && !places.empty(); ++i) {
        const Samples main = samples_at(places, mains[i - begin_]);
        std::vector<std::pair<int, int64_t>> found; // differences and numbers
        for (int64_t number = pairs_[i].reference - kNear; number <= pairs_[i].reference + kNear;
             ++number) {
            const Samples other = samples_at(places, even_reference(number));
            if (!other.empty())
                found.emplace_back(absolute_difference(main.data(), other.data(), other.size()),
                                   number);
        }
        std::sort(found.begin(), found.end());
        if (found.size() < 2 || found[0].first > found[1].first * kBelow)
            continue; // it does not show one of them clearly
        steps_back += found[0].second < before ? 1 : 0;
        before = found[0].second;
    }
    return steps_back >= kFew;
}

Agreement::Verdict Agreement::verdict(const Nearness &near, const OffsetComparison &found) const
{
    Verdict now;
    if (found.is_better() && std::llabs(found.nearest.offset) > slack())
        now.offset = found.nearest.offset;
    // A blend of pictures agrees with the one before as well.
    const bool is_alone = found.is_far_better() && found.frames >= OffsetComparison::kManyFrames;
    now.is_sure =
        std::llabs(now.offset) > 1 ? now.offset == last_.offset || is_alone : found.is_far_better();
    now.may_be_foreign = near.likeness < kSomewhatAlike && found.may_be_foreign();
    now.is_foreign = near.likeness < kUnlike || (now.may_be_foreign && last_.may_be_foreign);
    now.is_right = found.is_right(); // whatever lies over main's pictures
    now.is_lost = now.offset == 0 && !now.is_right && near.likeness != kNoLikeness &&
                  (now.is_foreign || found.is_as_elsewhere());
    now.is_astray = now.is_lost && found.is_astray();
    return now;
}

/// What the block shows. Most blocks need a quick look only.
Agreement::Verdict Agreement::look()
{
    Nearness near = compare_neighbours(kFewRows);
    if (near.farther > 0 || near.closest < kManyClosest || !near.is_settled())
        near = compare_neighbours(1);
    Verdict now;
    const bool displaced = is_displaced(near);
    if (near.is_settled())
        now.is_right = true;
    else if (!displaced)
        now = verdict(near, compare());
    now.is_displaced = displaced;
    const bool has_offset = now.offset != 0 && now.is_sure;
    now.is_out_of_order = !near.is_settled() && !displaced && !has_offset && is_out_of_order();
    return now;
}

/// Counts the last `fresh` pairs of the block as what it shows.
void Agreement::count(const Verdict &now, size_t fresh)
{
    // A few pairs more tell little more than the block before.
    const bool tells_lost = fresh >= kFewPairs || last_.is_lost || fresh == end_ - begin_;
    if (now.is_displaced)
        note(found_.unrelated, fresh, 0, fresh);
    else if (now.offset != 0 && now.is_sure)
        note(found_.elsewhere, fresh, now.offset);
    else if (now.is_out_of_order)
        note(found_.elsewhere, fresh, 0, fresh);
    else if (now.is_lost && tells_lost)
        note_lost(now, fresh);
    else if (now.is_right)
        found_.agreeing += static_cast<int64_t>(fresh);
}

/// Judges the block [begin, end) of pairs_. The last `fresh` pairs of it were in none before.
void Agreement::judge(size_t begin, size_t end, size_t fresh)
{
    begin_ = begin;
    end_ = end;
    noted_before_ = std::exchange(noted_, nullptr);
    const Verdict now = look();
    count(now, fresh);
    seen_ += static_cast<int64_t>(fresh);
    astray_ += now.is_astray ? static_cast<int64_t>(fresh) : 0;
    last_ = now;
}

/// The block before stays: its last pairs may be the first ones of what is found.
void Agreement::judge_ready(bool is_over)
{
    const int64_t known = first_reference_ + static_cast<int64_t>(references_.size());
    const auto is_ready = [this, known](size_t last) {
        return pairs_.size() - last > kMostWaiting || pairs_[last].reference + kReach < known;
    };
    for (; judged_ + kBlock <= pairs_.size() && (is_over || is_ready(judged_ + kBlock - 1));
         judged_ += kBlock) {
        for (; judged_ > kBlock; --judged_)
            pairs_.pop_front();
        judge(judged_, judged_ + kBlock, kBlock);
    }
}

void Agreement::finish()
{
    judge_ready(true);
    const size_t all = pairs_.size(), fresh = all - judged_;
    const size_t block = std::min(std::max(fresh, kBlock), all);
    if (fresh > 0 && (!is_part_ || block >= kLeastOfPart))
        judge(all - block, all, fresh);
    judged_ = all;
    place_lost();
}

} // namespace vmafgpu
