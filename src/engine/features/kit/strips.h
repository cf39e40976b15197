// SPDX-License-Identifier: BSD-2-Clause-Patent
// Strips of rows on the thread pool.
#pragma once

#include <algorithm>

#include "base/numeric.h"
#include "system/thread_pool.h"

namespace vmafgpu {

/// One task.
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

} // namespace vmafgpu
