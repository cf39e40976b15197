// SPDX-License-Identifier: BSD-2-Clause-Patent
// See start_pictures.h.
#include "pairing/start_pictures.h"

#include <algorithm>

#include "base/sketch.h"

namespace vmafgpu {

namespace {

/// Pairs below which nothing is said, and how much closer the pictures of another offset are: a
/// coder's losses are far less than a change of the picture.
constexpr size_t kLeastPairs = 8;
constexpr int kCloser = 4;
/// A level of a sketch's samples: a picture that changes less stands still.
constexpr int kLeast = 2 * kSketchBytes;

} // namespace

void StartPictures::add_reference(const uint8_t *sketch)
{
    std::copy_n(sketch, kSketchBytes, reference_.emplace_back().begin());
}

void StartPictures::add_main(int64_t number, const uint8_t *sketch, int64_t partner)
{
    if (number != static_cast<int64_t>(partners_.size()) || number >= kMains)
        return;
    std::copy_n(sketch, kSketchBytes, main_.emplace_back().begin());
    partners_.push_back(partner);
}

/// Of the differences of main frames and their partners; -1: too few have one.
template <typename PartnerOf> int StartPictures::median(const PartnerOf &partner_of) const
{
    std::vector<int> values;
    for (size_t n = 0; n < main_.size(); ++n) {
        const int64_t partner = partner_of(n);
        if (partner >= 0 && partner < static_cast<int64_t>(reference_.size()))
            values.push_back(absolute_difference(main_[n].data(),
                                                 reference_[static_cast<size_t>(partner)].data()));
    }
    if (values.size() < kLeastPairs)
        return -1;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

int64_t StartPictures::better_offset() const
{
    int least = median([this](size_t n) { return partners_[n]; }) / kCloser;
    int64_t found = 0;
    if (least * kCloser < kLeast)
        return 0;
    for (int64_t far = 1; far <= kReferences - kMains; ++far)
        for (const int64_t offset : {far, -far}) {
            const int value =
                median([offset](size_t n) { return static_cast<int64_t>(n) + offset; });
            if (value < 0 || value >= least)
                continue;
            least = value;
            found = offset;
        }
    return found;
}

} // namespace vmafgpu
