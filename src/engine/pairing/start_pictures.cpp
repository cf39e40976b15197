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

int median_of(std::vector<int> &values)
{
    if (values.size() < kLeastPairs)
        return -1;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

int64_t StartPictures::references() const
{
    return static_cast<int64_t>(reference_.size()) / kSketchBytes;
}

void StartPictures::add_reference(const uint8_t *sketch)
{
    reference_.insert(reference_.end(), sketch, sketch + kSketchBytes);
}

void StartPictures::add_main(int64_t number, const uint8_t *sketch, int64_t partner)
{
    if (number != static_cast<int64_t>(partners_.size()) || number >= kMains)
        return;
    main_.insert(main_.end(), sketch, sketch + kSketchBytes);
    partners_.push_back(partner);
}

int StartPictures::difference(int64_t main, int64_t reference) const
{
    return absolute_difference(main_.data() + main * kSketchBytes,
                               reference_.data() + reference * kSketchBytes);
}

/// Of the differences under an offset; -1: too few frames have a partner.
int StartPictures::median(int64_t offset) const
{
    std::vector<int> values;
    for (int64_t n = 0; n < static_cast<int64_t>(partners_.size()); ++n)
        if (n + offset >= 0 && n + offset < references())
            values.push_back(difference(n, n + offset));
    return median_of(values);
}

int64_t StartPictures::better_offset() const
{
    std::vector<int> values;
    for (size_t n = 0; n < partners_.size(); ++n)
        if (partners_[n] >= 0 && partners_[n] < references())
            values.push_back(difference(static_cast<int64_t>(n), partners_[n]));
    int least = median_of(values) / kCloser;
    int64_t found = 0;
    if (least * kCloser < kLeast)
        return 0;
    for (int64_t far = 1; far <= kReferences - kMains; ++far)
        for (const int64_t offset : {far, -far}) {
            const int value = median(offset);
            if (value < 0 || value >= least)
                continue;
            least = value;
            found = offset;
        }
    return found;
}

} // namespace vmafgpu
