// SPDX-License-Identifier: BSD-2-Clause-Patent
// See frame_queue.h.
#include "pairing/frame_queue.h"

#include <algorithm>
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

/// Its own time, or the one that is expected.
int64_t FrameQueue::assign_time(Frame &frame) const
{
    frame.lacks_time = frame.time == kNoTime;
    frame.is_backward = !frame.lacks_time && came_ > 0 && frame.time <= last_time_;
    if (!frame.lacks_time && !frame.is_backward)
        return frame.time;
    // The last interval may have been a gap.
    const int64_t interval = shorter(last_interval_, nominal_);
    const int64_t step = std::min(interval == 0 ? kUsualInterval : interval, kMostInterval);
    return last_time_ + (came_ > 0 ? step : 0);
}

void FrameQueue::add(Frame frame)
{
    frame.time = assign_time(frame);
    frame.number = came_;
    if (came_ > 0)
        last_interval_ = frame.time - last_time_;
    last_time_ = frame.time;
    ++came_;
    frames_.push_back(std::move(frame));
}

Frame FrameQueue::take_first()
{
    Frame frame = std::move(frames_.front());
    frames_.erase(frames_.begin());
    return frame;
}

int64_t FrameQueue::interval(int i) const
{
    const FrameQueue &all = *this;
    int64_t interval = last_interval_ == 0 ? nominal_ : last_interval_;
    if (i + 1 < count())
        interval = all[i + 1].time - all[i].time;
    else if (i > 0)
        interval = all[i].time - all[i - 1].time;
    return std::min(interval, kMostInterval);
}

int64_t shorter(int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return a + b;
    return std::min(a, b);
}

bool differ(int64_t a, int64_t b, int64_t half_per_mille, int64_t slack)
{
    return a != 0 && b != 0 && std::llabs(a - b) > std::max(a, b) / 2000 * half_per_mille + slack;
}

} // namespace vmafgpu
