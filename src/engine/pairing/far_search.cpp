// SPDX-License-Identifier: BSD-2-Clause-Patent
// See far_search.h.
#include "pairing/far_search.h"

#include <numeric>

namespace vmafgpu {

namespace {

/// The pictures agree where they differ by less than this part of what they usually differ by, and
/// of what they differ by where they were paired. Few places tell nothing of what is usual.
constexpr double kBelowUsual = 0.6;
constexpr int64_t kLeastSums = 16;

} // namespace

void FarSearch::begin(const std::vector<Picture> &pictures, const Sketches &partners)
{
    *this = FarSearch();
    Sketches sketches;
    for (const Picture &picture : pictures)
        sketches.push_back(picture.sketch.data());
    places_ = moving_places(sketches);
    if (places_.empty()) {
        places_.resize(kSketchBytes);
        std::iota(places_.begin(), places_.end(), size_t{0});
    }
    for (size_t i = 0; i < pictures.size(); ++i) {
        pictures_.push_back(samples_at(places_, sketches[i]));
        at_.push_back(pictures[i].place);
        const Samples partner = samples_at(places_, partners[i]);
        paired_ += absolute_difference(pictures_[i].data(), partner.data(), partner.size());
    }
}

void FarSearch::add(int64_t number, const Sketch &even)
{
    const Samples samples = samples_at(places_, even.data());
    open_.push_back({number, 0, 0});
    for (Sum &sum : open_)
        for (; sum.count < pictures_.size() && sum.first + at_[sum.count] <= number; ++sum.count)
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
    const auto best = static_cast<double>(best_.difference);
    const bool is_clear =
        sums_ >= kLeastSums && best < static_cast<double>(paired_) * kBelowUsual &&
        best < static_cast<double>(total_) / static_cast<double>(sums_) * kBelowUsual;
    return is_clear ? best_.first : -1;
}

} // namespace vmafgpu
