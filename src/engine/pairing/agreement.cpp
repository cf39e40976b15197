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
/// Frames on which main moves: fewer prove no offset; so many prove one without a second block.
constexpr int kLeastFrames = 8, kManyFrames = 12;
/// Main stands still if it changes by less than this part of the mismatch.
constexpr int kStill = 16;
/// Every so many pairs, the likeness of the pictures is measured.
constexpr size_t kLikenessStep = 4;
/// What does not belong together differs nearly as much as at most offsets.
constexpr double kAsUsual = 0.7, kLeastUsual = 8;
/// Two scenes in front of one background differ as much as at most offsets, and that is much.
constexpr double kAsForeign = 0.92, kForeign = 16, kSomewhatAlike = 0.85;
/// At the offset to which pairs belong, they differ clearly less. What codecs blur in time is less.
constexpr double kBelowNow = 0.75, kBelowUsual = 0.6;
/// An offset that is no better than this takes a second block that says the same.
constexpr double kFarBelowNow = 0.5;
/// Alike are pictures of one video, even after a bad encode; unlike those of two.
constexpr double kAlike = 0.6, kUnlike = 0.45;

/// A picture of a sketch's means, for what blur, noise and sampling leave.
constexpr int kMeansOf = 4, kColumns = kSketchWidth / kMeansOf, kRows = kSketchHeight / kMeansOf;
using Means = std::array<std::array<int, kColumns>, kRows>; ///< times kMeansOf squared

Means means_of(const Sketch &sketch)
{
    Means means = {};
    for (size_t row = 0; row < kSketchHeight; ++row)
        for (size_t column = 0; column < kSketchWidth; ++column)
            means[row / kMeansOf][column / kMeansOf] += sketch[row * kSketchWidth + column];
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

/// Adds the pairs of `from`, which then has none. The place is that of the earlier one.
void merge(Mismatch &from, Mismatch &to)
{
    if (from.pairs == 0)
        return;
    if (to.pairs == 0 || from.first < to.first)
        std::swap(from, to);
    to.is_constant &= from.pairs == 0 || (from.is_constant && from.offset == to.offset);
    to.pairs += from.pairs;
    from = Mismatch();
}

/// Main's picture, turned back.
Sketch turned(const Sketch &sketch, Turn turn)
{
    constexpr size_t kLastRow = kSketchHeight - 1, kLastColumn = kSketchWidth - 1;
    Sketch result;
    for (size_t row = 0; row <= kLastRow; ++row)
        for (size_t column = 0; column <= kLastColumn; ++column) {
            const size_t from_row = turn == Turn::kMirrored ? row : kLastRow - row;
            const size_t from_column = turn == Turn::kUpsideDown ? column : kLastColumn - column;
            result[row * kSketchWidth + column] = sketch[from_row * kSketchWidth + from_column];
        }
    return result;
}

} // namespace

// ----------------------------------------------------------------- frames

Agreement::Taken::Taken(const Pair &pair, const uint8_t *samples) : Pair(pair)
{
    std::memcpy(sketch.data(), samples, sketch.size());
}

Agreement::Reference::Reference(const uint8_t *samples)
{
    std::memcpy(sketch.data(), samples, sketch.size());
}

const Agreement::Reference *Agreement::reference(int64_t number) const
{
    const int64_t at = number - first_reference_;
    return at < 0 || at >= static_cast<int64_t>(references_.size())
               ? nullptr
               : &references_[static_cast<size_t>(at)];
}

const Sketch *Agreement::even_reference(int64_t number)
{
    if (reference(number) == nullptr)
        return nullptr;
    Reference &one = references_[static_cast<size_t>(number - first_reference_)];
    if (one.even == nullptr)
        one.even = std::make_unique<Sketch>(even_out(one.sketch.data()));
    return one.even.get();
}

void Agreement::add_reference(int64_t number, const uint8_t *sketch)
{
    if (references_.empty())
        first_reference_ = number;
    references_.emplace_back(sketch);
    if (later_.is_active())
        later_.add(number, *even_reference(number));
    judge_ready(false);
    forget();
}

void Agreement::add_pair(const Pair &pair, const uint8_t *main)
{
    pairs_.push_back(std::make_unique<Taken>(pair, main));
    if (earlier_.is_active())
        earlier_.add(pair.main, even_out(main));
    judge_ready(false);
}

/// Reference frames that no pair to be judged can be compared with.
void Agreement::forget()
{
    const int64_t newest = first_reference_ + static_cast<int64_t>(references_.size()) - 1;
    const int64_t oldest = !before_.empty()  ? before_.front()->reference
                           : !block_.empty() ? block_.front()->reference
                           : !pairs_.empty() ? pairs_.front()->reference
                                             : newest;
    const int64_t needed = std::max(oldest - kReach, newest - kMostReferences);
    for (; first_reference_ < needed; ++first_reference_)
        references_.pop_front();
}

// --------------------------------------------------------------- judgement

/// What a block shows by its own reference frames and their neighbours.
struct Agreement::Glance {
    int closest = 0, farther = 0;  ///< pairs that are closer than both neighbours; that are not
    double likeness = kNoLikeness; ///< median

    bool is_settled() const { return farther * 3 <= closest && likeness >= kAlike; }
};

Agreement::Glance Agreement::glance() const
{
    Glance glance;
    for (const auto &pair : block_) {
        const Reference *own = reference(pair->reference);
        if (own == nullptr)
            continue;
        const int here = absolute_difference(pair->sketch.data(), own->sketch.data());
        bool is_closer = false, is_farther = false;
        for (const int64_t by : {-1, 1})
            if (const Reference *other = reference(pair->reference + by); other != nullptr) {
                const int there = absolute_difference(pair->sketch.data(), other->sketch.data());
                is_closer |= there > here;
                is_farther |= there < here;
            }
        glance.farther += is_farther ? 1 : 0;
        glance.closest += is_closer && !is_farther ? 1 : 0;
    }
    // One picture will do where most of them are closest.
    glance.likeness = likeness(glance.closest < kManyFrames ? kLikenessStep : kBlock);
    if (!glance.is_settled())
        glance.likeness = likeness(kLikenessStep);
    return glance;
}

/// The median of every so many pairs of the block.
double Agreement::likeness(size_t step) const
{
    std::vector<double> all;
    for (size_t i = 0; i < block_.size(); i += step)
        if (const Reference *own = reference(block_[i]->reference); own != nullptr)
            all.push_back(likeness_of(block_[i]->sketch, own->sketch));
    std::sort(all.begin(), all.end());
    return all.empty() ? kNoLikeness : all[all.size() / 2];
}

/// Over the pairs of the block. Those on which main stands still prove nothing about times.
OffsetComparison Agreement::compare()
{
    std::vector<Sketch> mains;
    OffsetInput input;
    mains.reserve(block_.size());
    for (const auto &taken : block_) {
        const Taken &pair = *taken;
        const Sketch *own = even_reference(pair.reference);
        if (own == nullptr)
            continue;
        const Sketch even = even_out(pair.sketch.data());
        const int here = absolute_difference(even.data(), own->data());
        if (!mains.empty() && absolute_difference(even.data(), mains.back().data()) * kStill < here)
            continue;
        mains.push_back(even);
        input.mains.push_back(mains.back().data());
        input.partners.push_back(pair.reference);
    }
    input.reference = [this](int64_t number) {
        const Sketch *even = even_reference(number);
        return even == nullptr ? nullptr : even->data();
    };
    input.furthest = kReach;
    input.least = std::max<int64_t>(kLeastFrames, static_cast<int64_t>(mains.size()) / 3);
    return compare_offsets(input);
}

bool Agreement::is_elsewhere(const OffsetComparison &found) const
{
    if (found.offsets < 3 || !found.is_inside || found.frames < kLeastFrames ||
        std::llabs(found.nearest.offset) <= slack())
        return false;
    return found.agreeing * 10 >= found.frames * 9 &&
           found.nearest.mean < found.now.mean * kBelowNow &&
           found.nearest.mean < found.usual * kBelowUsual;
}

/// Where the rates differ, the partner may as well be a neighbour.
int64_t Agreement::slack() const
{
    int64_t most = 0;
    for (size_t i = 1; i < block_.size(); ++i) {
        const int64_t steps = (block_[i]->reference - block_[i - 1]->reference) -
                              (block_[i]->main - block_[i - 1]->main);
        most = std::max<int64_t>(most, std::llabs(steps));
    }
    return most;
}

/// Main's pictures differ from their partners as much as from others.
bool Agreement::is_astray(const OffsetComparison &found) const
{
    return found.offsets > 2 && found.frames >= kLeastFrames && found.usual > kLeastUsual &&
           found.now.mean > found.usual * kAsUsual;
}

/// How many of the latest pairs come behind the last one that agrees as it is.
size_t Agreement::count_latest(int64_t offset)
{
    const auto agrees = [&](const Taken &pair) {
        const Sketch *own = even_reference(pair.reference);
        const Sketch *other = even_reference(pair.reference + offset);
        if (own == nullptr || other == nullptr) // behind the end of the reference nothing agrees
            return pair.reference + offset < first_reference_;
        if (offset == 0) {
            const double likeness = likeness_of(pair.sketch, reference(pair.reference)->sketch);
            return likeness >= kAlike;
        }
        const Sketch even = even_out(pair.sketch.data());
        return absolute_difference(even.data(), own->data()) <
               absolute_difference(even.data(), other->data());
    };
    size_t count = 0;
    for (const Pairs *list : {&block_, &before_})
        for (auto pair = list->rbegin(); pair != list->rend(); ++pair, ++count)
            if (agrees(**pair))
                return count;
    return count;
}

void Agreement::note(Mismatch &mismatch, size_t fresh, int64_t offset)
{
    if (mismatch.pairs == 0) {
        fresh = std::max<size_t>(count_latest(offset), 1);
        const Taken &first = fresh > block_.size()
                                 ? *before_[before_.size() - (fresh - block_.size())]
                                 : *block_[block_.size() - fresh];
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
    std::vector<FarSearch::Picture> mains, references;
    Sketches of_mains, of_references;
    mains.reserve(block_.size());
    references.reserve(block_.size());
    for (const auto &pair : block_)
        if (const Sketch *own = even_reference(pair->reference); own != nullptr) {
            mains.push_back(
                {even_out(pair->sketch.data()), pair->reference - block_.front()->reference});
            references.push_back({*own, pair->main - block_.front()->main});
            of_mains.push_back(mains.back().sketch.data());
            of_references.push_back(references.back().sketch.data());
        }
    later_.begin(mains, of_references);
    for (int64_t number = first_reference_; reference(number) != nullptr; ++number)
        later_.add(number, *even_reference(number));
    earlier_.begin(references, of_mains);
    for (const Pairs *list : {&block_, &pairs_})
        for (const auto &pair : *list)
            earlier_.add(pair->main, even_out(pair->sketch.data()));
    sought_ = *block_.front();
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
        merge(unrelated, astray_);
        astray_.offset = offset;
        astray_.start += offset;
        merge(astray_, elsewhere);
    } else if (elsewhere.is_from_start && elsewhere.is_constant && elsewhere.offset < 0) {
        if (unrelated.first < elsewhere.first) // the frames that main has more at its beginning
            unrelated = Mismatch();
    } else if (unrelated.pairs > 0 && !elsewhere.is_constant) {
        merge(elsewhere, unrelated);
        unrelated.offset = 0;
    }
}

/// Turned by it, main's pictures differ from their partners by less than half.
void Agreement::find_turn()
{
    constexpr int kBelowStraight = 2;
    std::array<int64_t, 4> differences = {};
    for (size_t i = 0; i < block_.size(); i += kLikenessStep)
        if (const Sketch *own = even_reference(block_[i]->reference); own != nullptr) {
            const Sketch main = even_out(block_[i]->sketch.data());
            for (const Turn turn :
                 {Turn::kNone, Turn::kMirrored, Turn::kUpsideDown, Turn::kRotated})
                differences[static_cast<size_t>(turn)] += absolute_difference(
                    (turn == Turn::kNone ? main : turned(main, turn)).data(), own->data());
        }
    const auto least = std::min_element(differences.begin(), differences.end());
    if (*least * kBelowStraight < differences[0])
        found_.turn = static_cast<Turn>(least - differences.begin());
}

/// The frames that main's pictures belong to come behind the reference's end, or before its
/// beginning.
bool Agreement::is_past_end() const
{
    return found_.elsewhere.pairs > 0 &&
           reference(block_.back()->reference + found_.elsewhere.offset) == nullptr;
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
    if (!later_.is_active() && (last_.is_lost || block_.front()->index == 0))
        seek();
    if (found_.turn == Turn::kNone)
        find_turn();
    note(now.is_foreign || found_.turn != Turn::kNone ? found_.unrelated : astray_, fresh, 0);
}

Agreement::Outcome Agreement::outcome(const Glance &seen, const OffsetComparison &found) const
{
    Outcome now;
    const bool astray = is_astray(found);
    now.offset = is_elsewhere(found) ? found.nearest.offset : 0;
    // A blend of pictures agrees with the one before as well.
    const bool is_strong = found.nearest.mean < found.now.mean * kFarBelowNow;
    now.is_sure = std::llabs(now.offset) > 1
                      ? now.offset == last_.offset || (is_strong && found.frames >= kManyFrames)
                      : is_strong;
    now.may_be_foreign = seen.likeness < kSomewhatAlike && astray && found.usual > kForeign &&
                         found.now.mean > found.usual * kAsForeign;
    now.is_foreign = seen.likeness < kUnlike || (now.may_be_foreign && last_.may_be_foreign);
    now.is_lost = now.offset == 0 && (now.is_foreign || astray);
    now.is_right = found.offsets > 2 && found.nearest.offset == 0 &&
                   found.now.mean < found.usual * kBelowUsual;
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
    while (pairs_.size() >= kBlock && (is_over || pairs_[kBlock - 1]->reference + kReach < known)) {
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
