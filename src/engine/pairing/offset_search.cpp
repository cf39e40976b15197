// SPDX-License-Identifier: BSD-2-Clause-Patent
// See offset_search.h.
#include "pairing/offset_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/sketch.h"

namespace vmafgpu {

namespace {

/// How much better than every other offset the best one is: neighbours of a slow movement are
/// close, and coding at a low quality makes them closer.
constexpr double kBelowNext = 0.9;
constexpr double kLevelsBelowNext = 0.1;
/// Against the median of all offsets: pictures of unrelated videos have a best offset, too. The
/// second one is for offsets that are taken before all are known.
constexpr double kBelowUsual = 2.0 / 3, kFarBelowUsual = 0.25;

int difference(const uint8_t *a, const uint8_t *b)
{
    int sum = 0;
    for (int i = 0; i < kSketchBytes; ++i)
        sum += std::abs(a[i] - b[i]);
    return sum;
}

/// Two digits after the point, in every locale.
std::string levels(double value)
{
    const std::string hundredths = std::to_string(100 + std::llround(value * 100) % 100);
    return std::to_string(std::llround(value * 100) / 100) + "." + hundredths.substr(1);
}

} // namespace

OffsetSearch::OffsetSearch(int64_t furthest)
    : furthest_(furthest), sums_(static_cast<size_t>(2 * (furthest + 1) + 1))
{
}

int64_t OffsetSearch::count(Input input) const
{
    return static_cast<int64_t>(sketches_[input].size()) / kSketchBytes;
}

void OffsetSearch::add(Input input, const uint8_t *sketch)
{
    const Input other = input == kMain ? kReference : kMain;
    const int64_t number = count(input);
    for (int64_t i = 0; i < count(other); ++i) {
        const int64_t offset = input == kMain ? i - number : number - i;
        if (std::abs(offset) > furthest_ + 1)
            continue;
        Sum &sum = sums_[static_cast<size_t>(offset + furthest_ + 1)];
        ++sum.pairs;
        sum.differences += difference(sketch, sketches_[other].data() + i * kSketchBytes);
    }
    sketches_[input].insert(sketches_[input].end(), sketch, sketch + kSketchBytes);
}

double OffsetSearch::mean(int64_t offset) const
{
    if (std::abs(offset) > furthest_ + 1)
        return -1;
    const Sum &sum = sums_[static_cast<size_t>(offset + furthest_ + 1)];
    return sum.pairs < kLeastPairs ? -1
                                   : static_cast<double>(sum.differences) /
                                         static_cast<double>(sum.pairs * kSketchBytes);
}

/// The best one has known neighbours: else the pictures may agree even better further away.
bool OffsetSearch::is_clear(bool is_last) const
{
    const double best = mean(best_);
    const double next = mean(next_);
    return is_known_ && mean(best_ - 1) >= 0 && mean(best_ + 1) >= 0 && best < next * kBelowNext &&
           best <= next - kLevelsBelowNext &&
           best < usual_ * (is_last ? kBelowUsual : kFarBelowUsual);
}

bool OffsetSearch::find(bool is_last)
{
    std::vector<std::pair<double, int64_t>> means;
    if (!is_last && std::min(count(kMain), count(kReference)) < kLeastPairs + kLeastFurthest)
        return false;
    for (int64_t offset = -furthest_ - 1; offset <= furthest_ + 1; ++offset)
        if (mean(offset) >= 0)
            means.emplace_back(mean(offset), offset);
    is_known_ = means.size() > 2;
    if (!is_known_)
        return false;
    std::sort(means.begin(), means.end());
    best_ = means[0].second;
    next_ = means[1].second;
    usual_ = means[means.size() / 2].first;
    return is_clear(is_last);
}

std::string OffsetSearch::evidence() const
{
    return "the pictures differ by " + levels(mean(best_)) + " levels there, by " +
           levels(mean(next_)) + " or more elsewhere";
}

std::string OffsetSearch::refusal() const
{
    if (!is_known_)
        return "offset=auto: the inputs are too short, " + std::to_string(kLeastPairs + 2) +
               " frames of each are needed: give offset=N";
    return "offset=auto: no offset of up to " + std::to_string(furthest_) +
           " frames fits clearly better than the others: the pictures differ by " +
           levels(mean(best_)) + " levels at " + std::to_string(best_) + ", by " +
           levels(mean(next_)) + " at " + std::to_string(next_) + " and by " + levels(usual_) +
           " usually: give offset=N, or a longer offset_window";
}

} // namespace vmafgpu
