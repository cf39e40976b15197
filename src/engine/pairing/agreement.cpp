// SPDX-License-Identifier: BSD-2-Clause-Patent
// See agreement.h. Pairs are judged by blocks. Most blocks are settled by a glance: where something
// moves, a main picture is closest to its own reference picture. For others, all offsets of up to
// kReach frames are compared.
#include "pairing/agreement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace vmafgpu {

namespace {

constexpr size_t kBlock = 24;             ///< pairs
constexpr int64_t kReach = 64;            ///< reference frames to each side
constexpr int64_t kMostReferences = 1024; ///< that are kept
/// Main stands still if it changes by less than this part of the mismatch.
constexpr int kStill = 16;
/// Every so many pairs, the likeness of the pictures is measured.
constexpr size_t kLikenessStep = 4;
/// A quick look compares every so many rows, and is enough if so many pairs are closest.
constexpr size_t kFewRows = 6;
constexpr int kManyClosest = 12;
/// Alike are pictures of one video, even after a bad encode; unlike those of two.
constexpr double kAlike = 0.6, kUnlike = 0.45, kSomewhatAlike = 0.85;

/// A picture of a sketch's means, for what blur, noise and sampling leave.
constexpr int kMeansOf = 4, kColumns = kSketchWidth / kMeansOf, kRows = kSketchHeight / kMeansOf;
using Means = std::array<std::array<int, kColumns>, kRows>; ///< times kMeansOf squared

Means means_of(const Sketch &sketch)
{
    Means means = {};
    for (size_t row = 0; row < kRows; ++row) {
        std::array<uint16_t, kSketchWidth> sums = {}; // whole rows first: compilers vectorise that
        const uint8_t *samples = &sketch[row * kMeansOf * kSketchWidth];
        for (size_t line = 0; line < kMeansOf; ++line, samples += kSketchWidth)
            for (size_t column = 0; column < kSketchWidth; ++column)
                sums[column] = static_cast<uint16_t>(sums[column] + samples[column]);
        for (size_t column = 0; column < kColumns; ++column)
            for (size_t i = 0; i < kMeansOf; ++i)
                means[row][column] += sums[column * kMeansOf + i];
    }
    return means;
}

/// The rows and columns that are not black in both of two pictures: black bars would make any two
/// films alike.
struct Active {
    int top = kRows, bottom = 0, left = kColumns, right = 0;

    Active(const Means &a, const Means &b)
    {
        constexpr int kBlack = 24 * kMeansOf * kMeansOf;
        for (int row = 0; row < kRows; ++row)
            for (int column = 0; column < kColumns; ++column)
                if (std::max(at(a, row, column), at(b, row, column)) > kBlack) {
                    top = std::min(top, row);
                    bottom = std::max(bottom, row + 1);
                    left = std::min(left, column);
                    right = std::max(right, column + 1);
                }
    }
    static int at(const Means &means, int row, int column)
    {
        return means[static_cast<size_t>(row)][static_cast<size_t>(column)];
    }
    int count() const { return std::max(bottom - top, 0) * std::max(right - left, 0); }
};

/// How much a picture changes from place to place.
int detail_of(const Sketch &sketch)
{
    return absolute_difference(sketch.data(), sketch.data() + 1, sketch.size() - 1);
}

/// Correlation of two pictures; kNoLikeness: there is nothing to compare.
constexpr double kNoLikeness = 2;
double likeness_of(const Sketch &main, const Sketch &reference)
{
    constexpr int kLostDetail = 4;
    constexpr int kLeastCount = kRows * kColumns / 10;
    constexpr double kLevel = kMeansOf * kMeansOf;
    constexpr double kBlank = 9 * kLevel * kLevel, kPicture = 400 * kLevel * kLevel; // variances
    const Means a = means_of(main), b = means_of(reference);
    const Active active(a, b);
    const int n = active.count();
    int64_t sum_a = 0, sum_b = 0, square_a = 0, square_b = 0, product = 0;
    for (int row = active.top; row < active.bottom; ++row)
        for (int column = active.left; column < active.right; ++column) {
            const int64_t x = Active::at(a, row, column), y = Active::at(b, row, column);
            sum_a += x;
            sum_b += y;
            square_a += x * x;
            square_b += y * y;
            product += x * y;
        }
    if (n < kLeastCount)
        return kNoLikeness;
    const auto variance = [n](int64_t products, int64_t sum, int64_t other) {
        return static_cast<double>(products * n - sum * other) / (static_cast<double>(n) * n);
    };
    const auto [less, more] =
        std::minmax({variance(square_a, sum_a, sum_a), variance(square_b, sum_b, sum_b)});
    if (less < kBlank)
        return more < kPicture ? kNoLikeness : 0;
    if (detail_of(main) * kLostDetail < detail_of(reference)) // a very bad encode
        return kNoLikeness;
    return variance(product, sum_a, sum_b) / std::sqrt(less * more);
}

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

Agreement::Picture Agreement::copied(const uint8_t *sketch)
{
    if (spare_.empty())
        spare_.emplace_back(new Sketch); // not cleared
    Picture copy = {std::move(spare_.back()), nullptr};
    spare_.pop_back();
    std::memcpy(copy.sketch->data(), sketch, copy.sketch->size());
    return copy;
}

const uint8_t *Agreement::even(Picture &picture)
{
    if (picture.even == nullptr)
        picture.even = std::make_unique<Sketch>(even_out(picture.sketch->data()));
    return picture.even->data();
}

const Agreement::Picture *Agreement::reference(int64_t number) const
{
    const int64_t at = number - first_reference_;
    return at < 0 || at >= static_cast<int64_t>(references_.size())
               ? nullptr
               : &references_[static_cast<size_t>(at)];
}

const uint8_t *Agreement::even_reference(int64_t number)
{
    const bool is_known = reference(number) != nullptr;
    return is_known ? even(references_[static_cast<size_t>(number - first_reference_)]) : nullptr;
}

void Agreement::add_reference(int64_t number, const uint8_t *sketch)
{
    if (references_.empty())
        first_reference_ = number;
    references_.push_back(copied(sketch));
    if (later_.is_active())
        later_.add(number, even_reference(number));
    judge_ready(false);
    forget();
}

void Agreement::add_pair(const Pair &pair, const uint8_t *main)
{
    pairs_.emplace_back(pair, copied(main));
    if (earlier_.is_active())
        earlier_.add(pair.main, even(pairs_.back()));
    judge_ready(false);
}

/// Reference frames that no pair to be judged can be compared with.
void Agreement::forget()
{
    const int64_t newest = first_reference_ + static_cast<int64_t>(references_.size()) - 1;
    const int64_t oldest = !before_.empty()  ? before_.front().reference
                           : !block_.empty() ? block_.front().reference
                           : !pairs_.empty() ? pairs_.front().reference
                                             : newest;
    const int64_t needed = std::max(oldest - kReach, newest - kMostReferences);
    for (; first_reference_ < needed; ++first_reference_) {
        spare_.push_back(std::move(references_.front().sketch));
        references_.pop_front();
    }
}

// --------------------------------------------------------------- judgement

/// What a block shows by its own reference frames and their neighbours.
struct Agreement::Glance {
    int closest = 0, farther = 0;  ///< pairs that are closer than both neighbours; that are not
    double likeness = kNoLikeness; ///< median

    bool is_settled() const { return farther * 3 <= closest && likeness >= kAlike; }
};

/// Compares every so many rows of the sketches.
Agreement::Glance Agreement::look(size_t step) const
{
    Glance glance;
    const auto difference = [step](const Sketch &a, const Sketch &b) {
        int sum = 0;
        for (size_t at = step / 2 * kSketchWidth; at < a.size(); at += step * kSketchWidth)
            sum += absolute_difference(&a[at], &b[at], kSketchWidth);
        return sum;
    };
    for (const Taken &pair : block_) {
        const Picture *own = reference(pair.reference);
        if (own == nullptr)
            continue;
        const int here = difference(*pair.sketch, *own->sketch);
        bool is_closer = false, is_farther = false;
        for (const int64_t by : {-1, 1})
            if (const Picture *other = reference(pair.reference + by); other != nullptr) {
                const int there = difference(*pair.sketch, *other->sketch);
                is_closer |= there > here;
                is_farther |= there < here;
            }
        glance.farther += is_farther ? 1 : 0;
        glance.closest += is_closer && !is_farther ? 1 : 0;
    }
    return glance;
}

/// A few rows tell where nothing speaks against the pairs.
Agreement::Glance Agreement::glance() const
{
    Glance glance = look(kFewRows);
    if (glance.farther > 0 || glance.closest < kManyClosest)
        glance = look(1);
    // One picture will do where most of them are closest.
    glance.likeness = likeness(glance.closest < kManyClosest ? kLikenessStep : kBlock);
    if (!glance.is_settled())
        glance.likeness = likeness(kLikenessStep);
    return glance;
}

/// The median of every so many pairs of the block.
double Agreement::likeness(size_t step) const
{
    std::vector<double> all;
    for (size_t i = 0; i < block_.size(); i += step)
        if (const Picture *own = reference(block_[i].reference); own != nullptr)
            all.push_back(likeness_of(*block_[i].sketch, *own->sketch));
    std::sort(all.begin(), all.end());
    return all.empty() ? kNoLikeness : all[all.size() / 2];
}

/// Over the pairs of the block. Those on which main stands still prove nothing about times.
OffsetComparison Agreement::compare()
{
    OffsetInput input;
    for (Taken &pair : block_) {
        const uint8_t *own = even_reference(pair.reference), *main = even(pair);
        if (own == nullptr ||
            (!input.mains.empty() && absolute_difference(main, input.mains.back()) * kStill <
                                         absolute_difference(main, own)))
            continue;
        input.mains.push_back(main);
        input.partners.push_back(pair.reference);
    }
    input.reference = [this](int64_t number) {
        return even_reference(number);
    };
    input.furthest = kReach;
    input.least = std::max<int64_t>(OffsetComparison::kLeastFrames,
                                    static_cast<int64_t>(input.mains.size()) / 3);
    return compare_offsets(input);
}

/// Where the rates differ, the partner may as well be a neighbour.
int64_t Agreement::slack() const
{
    int64_t most = 0;
    for (size_t i = 1; i < block_.size(); ++i) {
        const int64_t steps =
            (block_[i].reference - block_[i - 1].reference) - (block_[i].main - block_[i - 1].main);
        most = std::max<int64_t>(most, std::llabs(steps));
    }
    return most;
}

/// How many of the latest pairs come behind the last one that agrees as it is.
size_t Agreement::count_latest(int64_t offset)
{
    const auto agrees = [&](Taken &pair) {
        const uint8_t *own = even_reference(pair.reference);
        const uint8_t *other = even_reference(pair.reference + offset);
        if (own == nullptr || other == nullptr) // behind the end of the reference nothing agrees
            return pair.reference + offset < first_reference_;
        const uint8_t *main = even(pair);
        if (found_.turn != Turn::kNone && offset == 0)
            return absolute_difference(main, own) <=
                   absolute_difference(turned(main, found_.turn).data(), own);
        if (offset == 0)
            return likeness_of(*pair.sketch, *reference(pair.reference)->sketch) >= kAlike;
        return absolute_difference(main, own) < absolute_difference(main, other);
    };
    size_t count = 0;
    for (Pairs *list : {&block_, &before_})
        for (auto pair = list->rbegin(); pair != list->rend(); ++pair, ++count)
            if (agrees(*pair))
                return count;
    return count;
}

void Agreement::note(Mismatch &mismatch, size_t fresh, int64_t offset)
{
    if (mismatch.pairs == 0) {
        fresh = std::max<size_t>(count_latest(offset), 1);
        const Taken &first = fresh > block_.size()
                                 ? before_[before_.size() - (fresh - block_.size())]
                                 : block_[block_.size() - fresh];
        mismatch.first = first.index;
        mismatch.time = first.time;
        mismatch.offset = offset;
        mismatch.is_from_start = found_.agreeing == 0;
        mismatch.start = first.reference + offset - first.main;
    }
    mismatch.is_constant &= offset == mismatch.offset;
    mismatch.pairs += static_cast<int64_t>(fresh);
}

/// The block agrees with nothing near: does it stand far away?
void Agreement::seek()
{
    Sketches mains, references;
    std::vector<int64_t> of_mains, of_references; // places
    for (Taken &pair : block_)
        if (const uint8_t *own = even_reference(pair.reference); own != nullptr) {
            mains.push_back(even(pair));
            references.push_back(own);
            of_mains.push_back(pair.main - block_.front().main);
            of_references.push_back(pair.reference - block_.front().reference);
        }
    later_.begin(mains, references, of_references);
    for (int64_t number = first_reference_; reference(number) != nullptr; ++number)
        later_.add(number, even_reference(number));
    earlier_.begin(references, mains, of_mains);
    for (Pairs *list : {&block_, &pairs_})
        for (Taken &pair : *list)
            earlier_.add(pair.main, even(pair));
    sought_ = block_.front();
}

/// Lost pairs that agree with what was found far away are elsewhere. Those of two videos may be
/// alike now here, now there.
void Agreement::place_lost()
{
    Mismatch &elsewhere = found_.elsewhere, &unrelated = found_.unrelated;
    const int64_t reference = later_.found(), main = earlier_.found();
    const int64_t offset = reference >= 0 ? reference - sought_.reference : sought_.main - main;
    // What is nearer was compared already.
    if (std::max(reference, main) >= 0 && std::llabs(offset) >= kReach) {
        merge(std::exchange(unrelated, {}), astray_);
        astray_.offset = offset;
        astray_.start += offset;
        merge(astray_, elsewhere);
    } else if (elsewhere.is_from_start && elsewhere.is_constant && elsewhere.offset < 0) {
        if (unrelated.first < elsewhere.first) // the frames that main has more at its beginning
            unrelated = Mismatch();
    } else if (unrelated.pairs > 0 && !elsewhere.is_constant) {
        merge(std::exchange(elsewhere, {}), unrelated);
        unrelated.offset = 0;
    }
}

/// Turned by it, main's pictures differ from their partners by less than half.
void Agreement::find_turn()
{
    constexpr int kBelowStraight = 2;
    std::array<int64_t, 4> differences = {};
    for (size_t i = 0; i < block_.size(); i += kLikenessStep)
        if (const uint8_t *own = even_reference(block_[i].reference); own != nullptr)
            for (const Turn turn :
                 {Turn::kNone, Turn::kMirrored, Turn::kUpsideDown, Turn::kRotated})
                differences[static_cast<size_t>(turn)] +=
                    absolute_difference(turned(even(block_[i]), turn).data(), own);
    const auto least = std::min_element(differences.begin(), differences.end());
    if (*least * kBelowStraight < differences[0])
        found_.turn = static_cast<Turn>(least - differences.begin());
}

/// The frames that main's pictures belong to come behind the reference's end, or before its
/// beginning.
bool Agreement::is_past_end() const
{
    return found_.elsewhere.pairs > 0 &&
           reference(block_.back().reference + found_.elsewhere.offset) == nullptr;
}

/// The block shows other pictures than those near: two videos, or one of which the place is not
/// known.
void Agreement::note_lost(const Outcome &now, size_t fresh)
{
    if (is_past_end()) {
        note(found_.elsewhere, fresh, found_.elsewhere.offset);
        return;
    }
    // The first block may begin before they go astray.
    if (!later_.is_active() && (last_.is_lost || block_.front().index == 0))
        seek();
    if (found_.turn == Turn::kNone)
        find_turn();
    note(now.is_foreign || found_.turn != Turn::kNone ? found_.unrelated : astray_, fresh, 0);
}

Agreement::Outcome Agreement::outcome(const Glance &seen, const OffsetComparison &found) const
{
    Outcome now;
    if (found.is_better() && std::llabs(found.nearest.offset) > slack())
        now.offset = found.nearest.offset;
    // A blend of pictures agrees with the one before as well.
    const bool is_alone = found.is_far_better() && found.frames >= OffsetComparison::kManyFrames;
    now.is_sure =
        std::llabs(now.offset) > 1 ? now.offset == last_.offset || is_alone : found.is_far_better();
    now.may_be_foreign = seen.likeness < kSomewhatAlike && found.may_be_foreign();
    now.is_foreign = seen.likeness < kUnlike || (now.may_be_foreign && last_.may_be_foreign);
    now.is_lost = now.offset == 0 && (now.is_foreign || found.is_astray());
    now.is_right = found.is_right();
    return now;
}

void Agreement::judge(size_t fresh)
{
    const Glance seen = glance();
    Outcome now;
    now.is_right = seen.is_settled();
    if (!now.is_right && seen.likeness != kNoLikeness)
        now = outcome(seen, compare());
    if (now.offset != 0 && now.is_sure)
        note(found_.elsewhere, fresh, now.offset);
    else if (now.is_lost)
        note_lost(now, fresh);
    else if (now.is_right)
        found_.agreeing += static_cast<int64_t>(fresh);
    last_ = now;
}

void Agreement::judge_ready(bool is_over)
{
    const int64_t known = first_reference_ + static_cast<int64_t>(references_.size());
    while (pairs_.size() >= kBlock && (is_over || pairs_[kBlock - 1].reference + kReach < known)) {
        for (Taken &pair : before_)
            spare_.push_back(std::move(pair.sketch));
        before_ = std::move(block_);
        block_.clear();
        for (size_t i = 0; i < kBlock; ++i) {
            block_.push_back(std::move(pairs_.front()));
            pairs_.pop_front();
        }
        judge(kBlock);
    }
}

void Agreement::finish()
{
    judge_ready(true);
    const size_t fresh = pairs_.size();
    for (; !pairs_.empty(); pairs_.pop_front())
        block_.push_back(std::move(pairs_.front()));
    for (; block_.size() > std::max(fresh, kBlock); block_.pop_front())
        before_.push_back(std::move(block_.front()));
    if (fresh > 0 && (!is_part_ || block_.size() >= kBlock))
        judge(fresh);
    place_lost();
}

} // namespace vmafgpu
