// SPDX-License-Identifier: BSD-2-Clause-Patent
// See time_base.h.
#include "pairing/time_base.h"

#include <cstdlib>
#include <limits>
#include <numeric>

namespace vmafgpu {

__extension__ using Wide = __int128;

int64_t rescale(int64_t time, Rational from, Rational to)
{
    if (time == kNoTime)
        return kNoTime;
    const Wide factor = static_cast<Wide>(from.num) * to.den;
    const Wide divisor = static_cast<Wide>(to.num) * from.den;
    const Wide size = time < 0 ? -static_cast<Wide>(time) : time;
    const Wide result = (size * factor + divisor / 2) / divisor;
    if (result > std::numeric_limits<int64_t>::max())
        return kNoTime;
    return static_cast<int64_t>(time < 0 ? -result : result);
}

int64_t nanoseconds(int64_t time, Rational base)
{
    const int64_t result = rescale(time, base, kNanosecond);
    return result == kNoTime || std::llabs(result) > kMostTime ? kNoTime : result;
}

Rational common_base(Rational a, Rational b)
{
    constexpr int64_t kMicroseconds = 1000000;
    const int64_t multiple = a.den / std::gcd(a.den, b.den) * static_cast<int64_t>(b.den);
    if (multiple >= kMicroseconds / 2)
        return {1, kMicroseconds};
    return {std::gcd(a.num, b.num), static_cast<int>(multiple)};
}

} // namespace vmafgpu
