// SPDX-License-Identifier: BSD-2-Clause-Patent
// Checks of what a caller gives, whose texts name what was wrong and what is allowed.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace vmafgpu {

/// Throws Error(EINVAL) unless is_good.
inline void require(bool is_good, const char *what, int64_t value, const char *allowed)
{
    if (!is_good)
        throw Error(EINVAL,
                    std::string(what) + " is " + std::to_string(value) + "; allowed: " + allowed);
}

/// Throws Error(EINVAL) unless value is from least to most. allowed: how the message calls that;
/// null: by the numbers.
inline void require_within(const char *what, int64_t value, int64_t least, int64_t most,
                           const char *allowed = nullptr)
{
    if (value < least || value > most)
        require(false, what, value,
                allowed != nullptr
                    ? allowed
                    : (std::to_string(least) + " to " + std::to_string(most)).c_str());
}

} // namespace vmafgpu
