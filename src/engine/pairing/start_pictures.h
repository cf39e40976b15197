// SPDX-License-Identifier: BSD-2-Clause-Patent
// Do the first pairs show the same pictures? If those of another offset do, main lacks a beginning,
// or has one more, and no time tells it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/sketch.h"

namespace vmafgpu {

/// Keeps the sketches of the first frames.
class StartPictures {
public:
    /// Main and reference frames that are looked at: offsets up to the difference can be found.
    static constexpr int64_t kMains = 48, kReferences = 112;

    bool wants_reference(int64_t number) const
    {
        return number == static_cast<int64_t>(reference_.size()) && number < kReferences;
    }
    void add_reference(const uint8_t *sketch);
    /// Of main frame `number`; partner: number of its reference frame, less than 0: none.
    void add_main(int64_t number, const uint8_t *sketch, int64_t partner);
    /// The offset under which the pictures agree, if those of the pairs do not; else 0.
    int64_t better_offset() const;

private:
    using Sketch = std::array<uint8_t, kSketchBytes>;

    template <typename PartnerOf> int median(const PartnerOf &partner_of) const;

    std::vector<Sketch> main_, reference_;
    std::vector<int64_t> partners_; ///< of the main frames
};

} // namespace vmafgpu
