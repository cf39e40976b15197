// SPDX-License-Identifier: BSD-2-Clause-Patent
// See shots.h. Two pictures are alike if one is the other made brighter or of more contrast, as in
// a fade or a flash: what counts is what remains of the better fit.
#include "plan/shots.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <istream>
#include <system_error>

#include "base/error.h"
#include "picture/sketch.h"
#include "system/system.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

namespace {

/// Variances are in units of this: one squared level of all samples.
constexpr int kShift = 8;
constexpr int64_t kLevel = int64_t{kSketchBytes} * kSketchBytes >> kShift;
/// A cut changes the pictures by four levels at least, and a picture of less than two is blank.
constexpr int64_t kLeast = 16 * kLevel, kBlank = 4 * kLevel;
/// How much more a cut changes than its neighbours: than those of the quiet side, than all. And how
/// much of the change has to be there before and after. All as variances.
constexpr int64_t kAboveQuiet = 4, kAboveAll = 2, kLasting = 4;
/// Pairs that are kept, also for cut(): those that are looked at before they are collected.
constexpr size_t kWindow = kShotBefore + 2 * kShotAfter + 2;

using Samples = std::vector<uint8_t>;

int64_t covariance(const Samples &a, const Samples &b)
{
    int32_t sum_a = 0, sum_b = 0, sum = 0; // at most 2304 * 255 * 255
    for (size_t i = 0; i < a.size(); ++i) {
        sum_a += a[i];
        sum_b += b[i];
        sum += a[i] * b[i];
    }
    return (int64_t{kSketchBytes} * sum - int64_t{sum_a} * sum_b) / (1 << kShift);
}

/// The variance that no change of brightness and contrast explains. Products fit: variances have
/// 29 bits.
int64_t difference(const Samples &a, const Samples &b)
{
    const auto [less, more] = std::minmax({covariance(a, a), covariance(b, b)});
    const int64_t common = covariance(a, b);
    return less == 0 ? more : more - common * common / less;
}

enum class Change { kNone, kSome, kCut };

/// Changes between the pictures of an input.
class Neighbours {
public:
    Neighbours(const std::deque<PairSketch> &sketches, size_t at, int input)
        : sketches_(sketches), at_(static_cast<int64_t>(at)), input_(input)
    {
    }

    Change change() const
    {
        const int64_t here = between(-1, 0);
        if (4 * here < kLeast)
            return Change::kNone;
        const int64_t before = largest(-kShotBefore + 1, -1), after = largest(1, kShotAfter);
        const auto [quiet, loud] = std::minmax({before < 0 ? std::max<int64_t>(after, 0) : before,
                                                after < 0 ? std::max<int64_t>(before, 0) : after});
        if (here >= kLeast && here >= kAboveQuiet * quiet && here >= kAboveAll * loud &&
            is_lasting(here))
            return Change::kCut;
        return here >= quiet ? Change::kSome : Change::kNone;
    }

    /// The first picture after blank ones.
    bool ends_blank() const
    {
        for (int64_t i = -kShotBefore; i <= kShotAfter; ++i)
            if (has(i) ? (covariance(of(i), of(i)) < kBlank) != (i < 0) : i < 0)
                return false;
        return true;
    }

private:
    bool has(int64_t i) const
    {
        return at_ + i >= 0 && at_ + i < static_cast<int64_t>(sketches_.size());
    }
    const Samples &of(int64_t i) const
    {
        return sketches_[static_cast<size_t>(at_ + i)].of[input_];
    }
    int64_t between(int64_t i, int64_t j) const { return difference(of(i), of(j)); }

    /// The largest change from one picture to the next; -1: there is none.
    int64_t largest(int64_t first, int64_t last) const
    {
        int64_t most = -1;
        for (int64_t i = first; i <= last; ++i)
            if (has(i - 1) && has(i))
                most = std::max(most, between(i - 1, i));
        return most;
    }

    /// Whether the change lasts: after a flash the pictures are those of before again.
    bool is_lasting(int64_t here) const
    {
        for (int64_t i = 1; i <= kShotAfter; ++i)
            if ((has(i) && kLasting * between(-1, i) < here) ||
                (has(-1 - i) && kLasting * between(-1 - i, 0) < here))
                return false;
        return true;
    }

    const std::deque<PairSketch> &sketches_;
    int64_t at_;
    int input_;
};

int64_t number_of(const std::string &line, const std::string &path, int64_t row)
{
    int64_t number = -1;
    const char *end = line.data() + line.size();
    const auto [rest, code] = std::from_chars(line.data(), end, number);
    const bool is_number = code == std::errc() && number >= 0;
    if (!is_number || (rest != end && *rest != ' ' && *rest != '\t' && *rest != ','))
        throw Error(EINVAL, "shots: line " + std::to_string(row) + " of '" + path +
                                "' does not begin with the number of a frame, from 0");
    return number;
}

} // namespace

void Cuts::erase(int64_t begin, int64_t end)
{
    for (std::vector<int64_t> *list : {&all, &main_only, &reference_only})
        list->erase(std::lower_bound(list->begin(), list->end(), begin),
                    std::lower_bound(list->begin(), list->end(), end));
}

void Cuts::append(const Cuts &more)
{
    all.insert(all.end(), more.all.begin(), more.all.end());
    main_only.insert(main_only.end(), more.main_only.begin(), more.main_only.end());
    reference_only.insert(reference_only.end(), more.reference_only.begin(),
                          more.reference_only.end());
}

std::string list_of_pairs(const std::vector<int64_t> &pairs)
{
    constexpr size_t kMost = 20;
    std::string text;
    for (size_t i = 0; i < pairs.size() && i < kMost; ++i)
        text.append(i > 0 ? ", " : "").append(std::to_string(pairs[i]));
    return text + (pairs.size() > kMost ? " ..." : "");
}

std::vector<int64_t> read_shots(const std::string &path)
{
    errno = 0;
    const std::unique_ptr<std::istream> file = open_text(path);
    if (!*file) {
        const int code = errno != 0 ? errno : EIO;
        throw Error(code, "cannot read the shots of '" + path +
                              "': " + std::generic_category().message(code));
    }
    std::vector<int64_t> shots;
    std::string line;
    for (int64_t row = 1; std::getline(*file, line); ++row) {
        if (!line.empty() && line.back() == '\r')
            line.pop_back();
        if (line.empty() || line.front() == '#')
            continue;
        const int64_t number = number_of(line, path, row);
        if (!shots.empty() && number <= shots.back())
            throw Error(EINVAL, "shots: line " + std::to_string(row) + " of '" + path +
                                    "' has frame " + std::to_string(number) +
                                    ", which is not after the one before it");
        shots.push_back(number);
    }
    if (shots.empty())
        throw Error(EINVAL, "shots: '" + path + "' has no number of a frame");
    if (shots.front() == 0) // the first pair begins a shot in any case
        shots.erase(shots.begin());
    return shots;
}

void ShotFinder::decide()
{
    const int64_t index = next_++;
    const auto at = static_cast<size_t>(index - window_.front().index);
    if (at == 0)
        return;
    const Neighbours reference(window_, at, VMAFGPU_REFERENCE);
    const Change original = reference.change();
    const Change coded = Neighbours(window_, at, VMAFGPU_MAIN).change();
    if (original == Change::kCut || reference.ends_blank())
        cuts_.all.push_back(index);
    if (original == Change::kCut && coded == Change::kNone)
        cuts_.reference_only.push_back(index);
    if (coded == Change::kCut && original == Change::kNone)
        cuts_.main_only.push_back(index);
}

void ShotFinder::add(int64_t index, const uint8_t *main, const uint8_t *reference)
{
    PairSketch pair = {index, {}};
    pair.of[0].assign(main, main + kSketchBytes);
    pair.of[1].assign(reference, reference + kSketchBytes);
    window_.push_back(std::move(pair));
    if (window_.size() > kWindow)
        window_.pop_front();
    if (next_ + kShotAfter <= index)
        decide();
}

void ShotFinder::end_segment()
{
    while (!window_.empty() && next_ <= window_.back().index)
        decide();
    window_.clear();
}

void ShotFinder::cut(int64_t index)
{
    while (!window_.empty() && window_.back().index >= index)
        window_.pop_back();
    const int64_t known = window_.empty() ? index : window_.front().index;
    next_ = std::min(next_, std::max(index - kShotAfter, known));
    cuts_.erase(next_, Chunk().end);
}

void ShotFinder::clear()
{
    if (!are_given_)
        *this = ShotFinder(chunk_);
}

int64_t ShotFinder::shot_of(int64_t index) const
{
    if (!are_given_ && (index >= next_ || chunk_.begin > 0)) // earlier chunks have cuts, too
        return -1;
    return std::upper_bound(cuts_.all.begin(), cuts_.all.end(), index) - cuts_.all.begin();
}

Shots ShotFinder::shots(int64_t end) const
{
    Shots shots;
    shots.are_given = are_given_;
    shots.begin = chunk_.begin;
    shots.end = std::max(std::min(chunk_.end, end), chunk_.begin);
    shots.cuts = cuts_;
    if (are_given_ && chunk_.end == Chunk().end)
        shots.beyond = std::count_if(cuts_.all.begin(), cuts_.all.end(),
                                     [end](int64_t cut) { return cut >= end; });
    shots.cuts.erase(0, shots.begin);
    shots.cuts.erase(shots.end, Chunk().end);
    return shots;
}

} // namespace vmafgpu
