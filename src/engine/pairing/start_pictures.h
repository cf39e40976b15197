// SPDX-License-Identifier: BSD-2-Clause-Patent
// Do the first pairs show the same pictures? If those of another offset do, main lacks a beginning,
// or has one more, and no time tells it.
#pragma once

#include <algorithm>
#include <vector>

#include "base/sketch.h"

namespace vmafgpu {

/// Keeps the sketches of the first frames.
class StartPictures {
public:
    bool wants_main(int64_t number) const { return number < kMains && number == count(main_); }
    bool wants_reference(int64_t number) const
    {
        return number < kReferences && number == count(reference_);
    }
    void add_reference(const uint8_t *sketch)
    {
        reference_.emplace_back(sketch, sketch + kSketchBytes);
    }
    /// partner: number of its reference frame, less than 0: none.
    void add_main(const uint8_t *sketch, int64_t partner)
    {
        main_.emplace_back(sketch, sketch + kSketchBytes);
        partners_.push_back(partner);
    }

    /// The offset under which the pictures agree, if those of the pairs do not; else 0.
    int64_t better_offset() const
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

private:
    using Sketches = std::vector<std::vector<uint8_t>>;

    /// Frames that are looked at: offsets up to the difference can be found.
    static constexpr int64_t kMains = 48, kReferences = 112;
    /// Pairs below which nothing is said, and how much closer the pictures of another offset are: a
    /// coder's losses are far less than a change of the picture.
    static constexpr size_t kLeastPairs = 8;
    static constexpr int kCloser = 4;
    /// A level of a sketch's samples: a picture that changes less stands still.
    static constexpr int kLeast = 2 * kSketchBytes;

    static int64_t count(const Sketches &list) { return static_cast<int64_t>(list.size()); }

    /// Of the differences of main frames and their partners; -1: too few have one.
    template <typename PartnerOf> int median(const PartnerOf &partner_of) const
    {
        std::vector<int> values;
        for (size_t n = 0; n < main_.size(); ++n)
            if (const int64_t partner = partner_of(n); partner >= 0 && partner < count(reference_))
                values.push_back(absolute_difference(
                    main_[n].data(), reference_[static_cast<size_t>(partner)].data()));
        if (values.size() < kLeastPairs)
            return -1;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    Sketches main_, reference_;
    std::vector<int64_t> partners_; ///< of the main frames
};

} // namespace vmafgpu
