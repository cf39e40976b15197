// SPDX-License-Identifier: BSD-2-Clause-Patent
// Strips of rows, which are the tasks of most CPU forms.
#pragma once

#include <algorithm>
#include <array>

#include "base/numeric.h"
#include "system/thread_pool.h"

namespace vmafgpu {

struct StripOfRows {
    int number;
    int first, last; ///< rows first .. last - 1
};

/// Strip `number` of those of `rows` rows; the last one may have fewer.
inline StripOfRows strip_of_rows(int height, int rows, int number)
{
    return {number, number * rows, std::min(height, (number + 1) * rows)};
}

/// fn(strip) for all strips of a plane, in any order and on any thread.
template <typename Fn> void for_strips(ThreadPool &pool, int height, int rows, const Fn &fn)
{
    pool.parallel_for(divide_up(height, rows), [&](int i) { fn(strip_of_rows(height, rows, i)); });
}

/// The strips of the planes of a picture, one plane after the other.
class PlaneStrips {
public:
    static constexpr int kPlanes = 3;
    struct Strip {
        int plane;
        StripOfRows rows;
    };

    /// heights: 0 for a plane that is not there.
    PlaneStrips(const std::array<int, kPlanes> &heights, int rows) : heights_(heights), rows_(rows)
    {
    }

    int count() const
    {
        int count = 0;
        for (const int height : heights_)
            count += divide_up(height, rows_);
        return count;
    }
    Strip at(int i) const
    {
        int plane = 0;
        for (; i >= divide_up(heights_[plane], rows_); ++plane)
            i -= divide_up(heights_[plane], rows_);
        return {plane, strip_of_rows(heights_[plane], rows_, i)};
    }

private:
    std::array<int, kPlanes> heights_;
    int rows_;
};

} // namespace vmafgpu
