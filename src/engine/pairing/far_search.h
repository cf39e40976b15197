// SPDX-License-Identifier: BSD-2-Clause-Patent
// Looks for a few pictures of one input among all later pictures of the other: further away than
// agreement.h has sketches. Used once pairs were found that agree with nothing near.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "pairing/offset_search.h"

namespace vmafgpu {

class FarSearch {
public:
    /// partners: what the pictures were paired with. places: of the pictures, in frames of the
    /// other input behind the first one.
    void begin(const Sketches &pictures, const Sketches &partners, std::vector<int64_t> places);
    /// The next picture of the other input, evened out as all of them.
    void add(int64_t number, const uint8_t *even);

    bool is_active() const { return !pictures_.empty(); }
    /// Number of the frame that the first picture is, if they agree clearly there; else -1.
    int64_t found() const;

private:
    struct Sum {
        int64_t first = 0; ///< number of the frame that is compared with the first picture
        int64_t difference = 0;
        size_t count = 0; ///< pictures that were compared
    };

    std::vector<size_t> samples_; ///< where the pictures change; everywhere, if they stand still
    std::vector<Samples> pictures_;
    std::vector<int64_t> places_;
    int64_t paired_ = 0;   ///< difference of the pictures from their partners
    std::deque<Sum> open_; ///< not all pictures were compared
    Sum best_;
    int64_t total_ = 0, sums_ = 0; ///< of all that are complete
};

} // namespace vmafgpu
