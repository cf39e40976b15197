// SPDX-License-Identifier: BSD-2-Clause-Patent
// See far_search.h.
#include "pairing/far_search.h"

#include <numeric>
#include <utility>

namespace vmafgpu {

namespace {

constexpr int64_t kLeastSums = 16; ///< fewer tell nothing of what is usual

} // namespace

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
    const auto best = static_cast<double>(best_.difference);
    const bool is_clear = sums_ >= kLeastSums &&
                          best < static_cast<double>(paired_) * OffsetComparison::kBelowUsual &&
                          best < static_cast<double>(total_) / static_cast<double>(sums_) *
                                     OffsetComparison::kBelowUsual;
    return is_clear ? best_.first : -1;
}

} // namespace vmafgpu
