// SPDX-License-Identifier: BSD-2-Clause-Patent
// See far_search.h.
#include "pairing/far_search.h"

#include <utility>

namespace vmafgpu {

namespace {

/// The pictures agree where they differ by less than this part of what they usually differ by, and
/// of what they differ by where they were paired. Few places tell nothing of what is usual.
constexpr double kBelowUsual = 0.6;
constexpr int64_t kLeastSums = 16;

} // namespace

void FarSearch::begin(std::vector<Picture> pictures, int64_t difference)
{
    *this = FarSearch();
    pictures_ = std::move(pictures);
    paired_ = difference;
}

void FarSearch::add(int64_t number, const Sketch &even)
{
    open_.push_back({number, 0, 0});
    for (Sum &sum : open_)
        for (; sum.count < pictures_.size(); ++sum.count) {
            const Picture &picture = pictures_[sum.count];
            if (sum.first + picture.place > number)
                break;
            sum.difference += absolute_difference(picture.sketch.data(), even.data());
        }
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
