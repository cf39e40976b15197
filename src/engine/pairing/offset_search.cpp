// SPDX-License-Identifier: BSD-2-Clause-Patent
// See offset_search.h.
#include "pairing/offset_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

#include "base/format_number.h"

namespace vmafgpu {

namespace {

/// The samples of an OffsetInput where main moves.
class MovingSamples {
public:
    explicit MovingSamples(const OffsetInput &input)
        : input_(input), places_(moving_places(input.mains))
    {
        if (places_.empty())
            return;
        const auto [low, high] = std::minmax_element(input.partners.begin(), input.partners.end());
        first_ = *low + input.nearest;
        for (const uint8_t *main : input.mains)
            mains_.push_back(samples_at(places_, main));
        for (int64_t number = first_; number <= *high + input.furthest; ++number)
            references_.push_back(samples_at(places_, input.reference(number)));
    }

    size_t places() const { return places_.size(); }

    /// Sum of the differences of pair n at an offset; -1: there is no such frame.
    int64_t difference(size_t n, int64_t offset) const
    {
        const Samples &other =
            references_[static_cast<size_t>(input_.partners[n] + offset - first_)];
        return other.empty() ? -1
                             : absolute_difference(mains_[n].data(), other.data(), other.size());
    }

    /// Over all pairs that have one; less than 0: those are too few.
    double mean(int64_t offset) const
    {
        int64_t sum = 0, count = 0;
        for (size_t n = 0; n < mains_.size(); ++n)
            if (const int64_t one = difference(n, offset); one >= 0) {
                sum += one;
                ++count;
            }
        if (count < std::max<int64_t>(input_.least, 1))
            return -1;
        return static_cast<double>(sum) /
               (static_cast<double>(count) * static_cast<double>(places_.size()));
    }

    /// Denoisers and frame rate converters blend pictures: main then shows the mean of the
    /// reference pictures around the offset, up to its partner, rather than the one at the offset.
    bool is_blend(const OffsetComparison::Offset &found) const
    {
        constexpr double kCloser = 0.97;
        if (found.offset >= 0)
            return false;
        const double wide = mean_of_blends(2 * found.offset, 0);
        double narrow = found.mean; // what noise hides is closer to a mean of a few, too
        if (found.offset < -1)
            narrow = std::min(narrow, mean_of_blends(found.offset - 1, found.offset + 1));
        return wide < narrow * kCloser;
    }

private:
    /// The mean of pair n's reference pictures from one offset to another, as far as they exist.
    Samples blend(size_t n, int64_t from, int64_t to) const
    {
        std::vector<int> sums(places_.size());
        int count = 0;
        for (int64_t number = input_.partners[n] + from; number <= input_.partners[n] + to;
             ++number) {
            if (number < first_ || references_[static_cast<size_t>(number - first_)].empty())
                continue;
            const Samples &one = references_[static_cast<size_t>(number - first_)];
            std::transform(one.begin(), one.end(), sums.begin(), sums.begin(), std::plus<>());
            ++count;
        }
        Samples mean;
        for (const int sum : sums)
            mean.push_back(static_cast<uint8_t>(sum / std::max(count, 1)));
        return mean;
    }

    double mean_of_blends(int64_t from, int64_t to) const
    {
        int64_t sum = 0;
        for (size_t n = 0; n < mains_.size(); ++n)
            sum += absolute_difference(mains_[n].data(), blend(n, from, to).data(), places_.size());
        return static_cast<double>(sum) / static_cast<double>(mains_.size() * places_.size());
    }

    const OffsetInput &input_;
    std::vector<size_t> places_;
    std::vector<Samples> mains_, references_;
    int64_t first_ = 0; ///< number of the first one of references_
};

} // namespace

std::vector<size_t> moving_places(const Sketches &main)
{
    std::array<int64_t, kSketchBytes> changes = {};
    int64_t all = 0;
    for (size_t n = 1; n < main.size(); ++n)
        for (size_t i = 0; i < changes.size(); ++i)
            changes[i] += std::abs(main[n][i] - main[n - 1][i]);
    for (const int64_t change : changes)
        all += change;
    std::vector<size_t> places;
    for (size_t i = 0; i < changes.size(); ++i)
        if (changes[i] > 0 && changes[i] * kSketchBytes >= all)
            places.push_back(i);
    return places;
}

Samples samples_at(const std::vector<size_t> &places, const uint8_t *sketch)
{
    Samples samples;
    samples.reserve(places.size());
    for (size_t i = 0; sketch != nullptr && i < places.size(); ++i)
        samples.push_back(sketch[places[i]]);
    return samples;
}

Sketch even_out(const uint8_t *sketch)
{
    constexpr double kDeviation = 32, kLeastDeviation = 8;
    constexpr int kBlack = 24, kLeast = kSketchBytes / 10;
    int64_t count = 0, sum = 0, squares = 0;
    const auto add = [&](int darkest) {
        count = sum = squares = 0;
        for (size_t i = 0; i < kSketchBytes; ++i) {
            const int64_t value = sketch[i] >= darkest ? sketch[i] : 0;
            count += sketch[i] >= darkest ? 1 : 0;
            sum += value;
            squares += value * value;
        }
    };
    add(kBlack); // black bars would change the contrast of the rest
    if (count < kLeast)
        add(0);
    const double mean = static_cast<double>(sum) / static_cast<double>(count);
    const double variance = static_cast<double>(squares) / static_cast<double>(count) - mean * mean;
    const double gain = kDeviation / std::max(std::sqrt(std::max(variance, 0.0)), kLeastDeviation);
    std::array<uint8_t, 256> levels = {};
    for (size_t i = 0; i < levels.size(); ++i)
        levels[i] = static_cast<uint8_t>(
            std::clamp(128.5 + (static_cast<double>(i) - mean) * gain, 0.0, 255.0));
    Sketch even;
    for (size_t i = 0; i < even.size(); ++i)
        even[i] = levels[sketch[i]];
    return even;
}

/// What returns in a video agrees at several offsets, of which the first one is meant.
static OffsetComparison::Offset nearest_of(const std::vector<OffsetComparison::Offset> &sorted)
{
    constexpr double kAsGood = 1.1;
    OffsetComparison::Offset nearest = sorted[0];
    for (const OffsetComparison::Offset &one : sorted)
        if (one.mean <= sorted[0].mean * kAsGood &&
            2 * std::llabs(one.offset) < std::llabs(nearest.offset))
            nearest = one;
    return nearest;
}

bool OffsetInput::add(const uint8_t *main, int64_t partner, const uint8_t *before)
{
    constexpr int kStill = 48; // parts of the mismatch
    const uint8_t *own = reference(partner);
    if (before == nullptr && !mains.empty())
        before = mains.back();
    if (own == nullptr || (before != nullptr && absolute_difference(main, before) * kStill <
                                                    absolute_difference(main, own)))
        return false;
    mains.push_back(main);
    partners.push_back(partner);
    return true;
}

OffsetComparison compare_offsets(const OffsetInput &input)
{
    OffsetComparison result;
    const MovingSamples samples(input);
    result.places = samples.places();
    std::vector<OffsetComparison::Offset> all;
    for (int64_t offset = input.nearest; result.places > 0 && offset <= input.furthest; ++offset)
        if (const double mean = samples.mean(offset); mean >= 0) {
            all.push_back({offset, mean});
            if (offset == 0)
                result.now = all.back();
        }
    result.offsets = all.size();
    if (all.size() < 3)
        return result;
    const int64_t first = all.front().offset, last = all.back().offset;
    std::stable_sort(all.begin(), all.end());
    result.best = all[0];
    result.next = all[1];
    result.nearest = nearest_of(all);
    result.usual = all[all.size() / 2].mean;
    result.is_blend = samples.is_blend(result.nearest);
    result.is_inside = result.best.offset > first && result.best.offset < last;
    for (size_t n = 0; n < input.mains.size(); ++n) {
        const int64_t now = samples.difference(n, 0);
        const int64_t then = samples.difference(n, result.nearest.offset);
        if (std::min(now, then) >= 0 && result.frames++ == 0)
            result.is_first_agreeing = then < now;
        result.agreeing += then >= 0 && then < now ? 1 : 0;
    }
    return result;
}

void FarSearch::begin(const Sketches &pictures, const Sketches &partners,
                      std::vector<int64_t> places)
{
    *this = FarSearch();
    places_ = std::move(places);
    samples_ = moving_places(pictures);
    if (samples_.empty()) {
        samples_.resize(kSketchBytes);
        std::iota(samples_.begin(), samples_.end(), size_t{0});
    }
    for (size_t i = 0; i < pictures.size(); ++i) {
        pictures_.push_back(samples_at(samples_, pictures[i]));
        const Samples partner = samples_at(samples_, partners[i]);
        paired_ += absolute_difference(pictures_[i].data(), partner.data(), partner.size());
    }
}

void FarSearch::add(int64_t number, const uint8_t *even)
{
    const Samples samples = samples_at(samples_, even);
    open_.push_back({number, 0, 0});
    for (Sum &sum : open_)
        for (; sum.count < pictures_.size() && sum.first + places_[sum.count] <= number;
             ++sum.count)
            sum.difference +=
                absolute_difference(pictures_[sum.count].data(), samples.data(), samples.size());
    while (!open_.empty() && open_.front().count == pictures_.size()) {
        const Sum &sum = open_.front();
        if (sums_ == 0 || sum.difference < best_.difference)
            best_ = sum;
        total_ += sum.difference;
        ++sums_;
        open_.pop_front();
    }
}

int64_t FarSearch::found() const
{
    constexpr int64_t kLeastSums = 16; // fewer tell nothing of what is usual
    const auto best = static_cast<double>(best_.difference);
    const bool is_clear = sums_ >= kLeastSums &&
                          best < static_cast<double>(paired_) * OffsetComparison::kBelowUsual &&
                          best < static_cast<double>(total_) / static_cast<double>(sums_) *
                                     OffsetComparison::kBelowUsual;
    return is_clear ? best_.first : -1;
}

OffsetAnswer search_offset(const Sketches &main, const Sketches &reference, int64_t furthest)
{
    OffsetInput input;
    input.mains = main;
    for (size_t n = 0; n < main.size(); ++n)
        input.partners.push_back(static_cast<int64_t>(n));
    input.reference = [&reference](int64_t number) {
        const bool exists = number >= 0 && number < static_cast<int64_t>(reference.size());
        return exists ? reference[static_cast<size_t>(number)] : nullptr;
    };
    input.nearest = -furthest - 1;
    input.furthest = furthest + 1;
    input.least = kOffsetPairs;
    const OffsetComparison found = compare_offsets(input);
    OffsetAnswer answer;
    if (std::min(main.size(), reference.size()) < static_cast<size_t>(offset_frames(1)))
        answer.text = "the inputs are too short, " + std::to_string(offset_frames(1)) +
                      " frames of each are needed";
    else if (!found.is_known())
        answer.text = "the first pictures of main stand still";
    if (!answer.text.empty())
        return answer;
    const OffsetComparison::Offset &best = found.best, &next = found.next;
    if (!found.tells()) {
        answer.text = "the first pictures of main hardly change: at most offsets they differ by " +
                      format_fixed(found.usual, 2) + " levels";
        return answer;
    }
    answer.offset = best.offset;
    answer.is_clear = found.is_clear();
    answer.text = "where main moves, the pictures differ by " + format_fixed(best.mean, 2) +
                  " levels at " + std::to_string(best.offset) + ", by " +
                  format_fixed(next.mean, 2) + " at " + std::to_string(next.offset) + " and by " +
                  format_fixed(found.usual, 2) + " usually";
    if (!answer.is_clear)
        answer.text = "no offset of up to " + std::to_string(furthest) +
                      " frames fits clearly better than the others: " + answer.text;
    return answer;
}

} // namespace vmafgpu
