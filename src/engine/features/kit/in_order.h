// SPDX-License-Identifier: BSD-2-Clause-Patent
// Work on the thread pool whose results are added up in one order, as sums of rounded numbers need
// it: parts are computed in any order, and each group of parts is added while the next is computed.
#pragma once

#include <algorithm>

#include "system/thread_pool.h"

namespace vmafgpu {

/// Parts of a group.
constexpr int kInOrderGroup = 8;
/// Places for results that run_in_order() needs.
constexpr int kInOrderSlots = 2 * kInOrderGroup;

/// compute(part, slot) for parts 0 .. count - 1, in any order and on any thread; add(part, slot)
/// for the same parts in ascending order, one at a time.
template <typename Compute, typename Add>
void run_in_order(ThreadPool &pool, int count, const Compute &compute, const Add &add)
{
    for (int first = 0; first < count + kInOrderGroup; first += kInOrderGroup) {
        const int parts = std::clamp(count - first, 0, kInOrderGroup);
        const int adding = first > 0 ? 1 : 0;
        pool.parallel_for(parts + adding, [&](int task) {
            if (task >= adding) {
                const int part = first + task - adding;
                compute(part, part % kInOrderSlots);
                return;
            }
            for (int part = first - kInOrderGroup; part < std::min(first, count); ++part)
                add(part, part % kInOrderSlots);
        });
    }
}

} // namespace vmafgpu
