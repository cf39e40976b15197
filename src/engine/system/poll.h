// SPDX-License-Identifier: BSD-2-Clause-Patent
// Waiting awake for a short time: a sleeping thread wakes late.
#pragma once

#include <chrono>
#include <thread>

namespace vmafgpu {

/// Asks is_done() until it is true, at least once and for about `time`. Returns its last answer.
template <typename Done> bool poll_for(std::chrono::microseconds time, const Done &is_done)
{
    const auto until = std::chrono::steady_clock::now() + time;
    do {
        if (is_done())
            return true;
        std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < until);
    return false;
}

} // namespace vmafgpu
