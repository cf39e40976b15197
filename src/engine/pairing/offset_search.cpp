// SPDX-License-Identifier: BSD-2-Clause-Patent
// See offset_search.h.
#include "pairing/offset_search.h"

#include <algorithm>
#include <cstdlib>

#include "base/format_number.h"
#include "base/sketch.h"

namespace vmafgpu {

namespace {

/// The pictures agree if they differ by less than a quarter of what they differ by at most offsets.
/// Then the next offset may be close: neighbours of a slow movement are. Else they may only be
/// alike, as what returns in a video is, and every other offset has to be far worse.
constexpr double kAgree = 0.25;
constexpr double kBelowNext = 0.9, kAlikeBelowNext = 0.75;
/// Encoders of pictures that stand still make smaller differences.
constexpr double kLeastUsual = 1.0;

struct Mean {
    double value; ///< difference of the pairs, in levels of a sample
    int64_t offset;

    bool operator<(const Mean &other) const { return value < other.value; }
};

/// Samples of each frame.
using Samples = std::vector<std::vector<uint8_t>>;

/// Where main changes more than on the average: a background that stands still says nothing.
std::vector<size_t> moving_places(const Sketches &main)
{
    std::vector<int64_t> changes(kSketchBytes);
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

Samples samples_at(const std::vector<size_t> &places, const Sketches &sketches)
{
    Samples samples(sketches.size());
    for (size_t n = 0; n < sketches.size(); ++n)
        for (const size_t place : places)
            samples[n].push_back(sketches[n][place]);
    return samples;
}

/// Of the offsets from -furthest to furthest that have enough pairs.
std::vector<Mean> means_of(const Samples &main, const Samples &reference, int64_t furthest)
{
    const auto mains = static_cast<int64_t>(main.size());
    const auto references = static_cast<int64_t>(reference.size());
    std::vector<Mean> means;
    for (int64_t offset = -furthest; offset <= furthest; ++offset) {
        const int64_t first = std::max<int64_t>(-offset, 0);
        const int64_t end = std::min(mains, references - offset);
        if (end - first < kOffsetPairs)
            continue;
        int64_t sum = 0;
        for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(end); ++i) {
            const std::vector<uint8_t> &other = reference[i + static_cast<size_t>(offset)];
            sum += absolute_difference(main[i].data(), other.data(), other.size());
        }
        const auto count = static_cast<double>(end - first) * static_cast<double>(main[0].size());
        means.push_back({static_cast<double>(sum) / count, offset});
    }
    return means;
}

} // namespace

OffsetAnswer search_offset(const Sketches &main, const Sketches &reference, int64_t furthest)
{
    OffsetAnswer answer;
    const std::vector<size_t> places = moving_places(main);
    std::vector<Mean> means =
        means_of(samples_at(places, main), samples_at(places, reference), furthest + 1);
    if (means.size() < 3)
        answer.text = "the inputs are too short, " + std::to_string(offset_frames(1)) +
                      " frames of each are needed";
    else if (places.empty())
        answer.text = "the first pictures of main stand still";
    if (!answer.text.empty())
        return answer;
    const int64_t first = means.front().offset;
    const int64_t last = means.back().offset;
    std::stable_sort(means.begin(), means.end());
    const Mean best = means[0];
    const Mean next = means[1];
    const double usual = means[means.size() / 2].value;
    const double below_next = best.value < usual * kAgree ? kBelowNext : kAlikeBelowNext;
    if (usual < kLeastUsual) {
        answer.text = "the first pictures of main hardly change: at most offsets they differ by " +
                      format_fixed(usual, 2) + " levels";
        return answer;
    }
    answer.offset = best.offset;
    // With a neighbour on either side: else they may agree even better further away.
    answer.is_clear =
        best.offset > first && best.offset < last && best.value < next.value * below_next;
    answer.text = "where main moves, the pictures differ by " + format_fixed(best.value, 2) +
                  " levels at " + std::to_string(best.offset) + ", by " +
                  format_fixed(next.value, 2) + " at " + std::to_string(next.offset) + " and by " +
                  format_fixed(usual, 2) + " usually";
    if (!answer.is_clear)
        answer.text = "no offset of up to " + std::to_string(furthest) +
                      " frames fits clearly better than the others: " + answer.text;
    return answer;
}

} // namespace vmafgpu
