// SPDX-License-Identifier: BSD-2-Clause-Patent
// Times and the units that they come in; a frame on its way to a pair; and the queue of one input:
// a time for every frame, and how long frames last. What is paired with what is decided by the
// rules (rule.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

constexpr int64_t kNoTime = VMAFGPU_NO_TIME;
constexpr int64_t kMillisecond = 1000000; ///< in nanoseconds, as all times of the rules
/// Times further from 0 (69 years) are taken for errors of the container. Four of them can be
/// added.
constexpr int64_t kMostTime = 2200000000000000000;

/// Seconds, or frames a second. num 0: unknown.
struct Rational {
    int num = 0, den = 1;

    bool is_known() const { return num > 0 && den > 0; }
    double value() const { return is_known() ? static_cast<double>(num) / den : 0; }
};

constexpr Rational kNanosecond = {1, 1000000000};

constexpr double seconds(int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e9;
}

/// A time in other units: to the nearest one, halves away from zero. kNoTime if it is none, or has
/// no place there.
int64_t rescale(int64_t time, Rational from, Rational to);

/// kNoTime for times that no container means.
int64_t nanoseconds(int64_t time, Rational base);

/// The units in which two inputs can be compared without rounding, or microseconds if those would
/// be below two of them.
Rational common_base(Rational a, Rational b);

class HeldPicture;
class TakenImage;

enum Input { kMain, kReference, kInputs };

/// What is kept of a frame until it is counted.
struct FrameFacts {
    uint64_t tag = 0;
    int64_t number = -1;      ///< in its input, from 0; -1: there is no frame
    int64_t time = kNoTime;   ///< in nanoseconds
    bool is_damaged = false;  ///< the decoder said so
    bool lacks_grain = false; ///< the decoder left film grain off
    bool lacks_time = false;  ///< time was assumed
    bool is_backward = false; ///< its own time was not after that of the frame before

    bool exists() const { return number >= 0; }
};

struct Frame : FrameFacts {
    int64_t pts = kNoTime; ///< as it was pushed, in the input's time base
    bool is_disabled = false;
    std::shared_ptr<TakenImage> image; ///< null in tests of the rules, and where nobody looks at it
    std::shared_ptr<HeldPicture> kept; ///< null: Pairing::keep_pictures() was not called
    const uint8_t *sketch = nullptr;   ///< null: not asked for yet
};

/// The sketch of a frame; throws if it cannot be had.
using SketchOf = std::function<const uint8_t *(const Frame &)>;

/// Times grow from frame to frame, numbers by one.
class FrameQueue {
public:
    static constexpr int kMost = 64;                           ///< frames
    static constexpr int64_t kMostInterval = int64_t{1} << 40; ///< longer ones are gaps: 18 minutes
    static constexpr int64_t kUsualInterval = 40 * kMillisecond; ///< if a stream declares none

    FrameQueue() { frames_.reserve(kMost); }

    /// interval: what the stream declares, 0: nothing. limit: frames to hold.
    void set_up(int64_t interval, int limit)
    {
        nominal_ = interval;
        limit_ = limit;
    }
    /// frame.time is within kMostTime, or kNoTime.
    void add(Frame frame);
    void end() { has_ended_ = true; }
    Frame take_first();

    int count() const { return static_cast<int>(frames_.size()); }
    bool is_empty() const { return frames_.empty(); }
    bool has_ended() const { return has_ended_; }
    bool can_grow() const { return !has_ended_ && count() < limit_; }
    int64_t came() const { return came_; }
    int64_t nominal() const { return nominal_; }
    Frame &operator[](int i) { return frames_[static_cast<size_t>(i)]; }
    const Frame &operator[](int i) const { return frames_[static_cast<size_t>(i)]; }
    const Frame &first() const { return frames_.front(); }

    /// Time from a frame to the next one, at most kMostInterval; 0: unknown.
    int64_t interval(int i) const;
    /// Over the queue; 0 if it is too short.
    int64_t mean_interval() const { return count() < 3 ? 0 : mean_interval(0, count() - 1); }
    /// From one frame to a later one; 0 if it is none.
    int64_t mean_interval(int first, int last) const
    {
        return last <= first ? 0 : ((*this)[last].time - (*this)[first].time) / (last - first);
    }

private:
    int64_t assign_time(Frame &frame) const;

    std::vector<Frame> frames_;
    int limit_ = kMost;
    bool has_ended_ = false;
    int64_t nominal_ = 0;
    int64_t came_ = 0;
    int64_t last_time_ = 0, last_interval_ = 0;
};

using FrameQueues = std::array<FrameQueue, kInputs>;

/// The shorter of two intervals, of which 0 is unknown.
int64_t shorter(int64_t a, int64_t b);

/// Whether two intervals differ by over half_per_mille / 2000 and slack. 0 is unknown.
bool differ(int64_t a, int64_t b, int64_t half_per_mille, int64_t slack = 0);

/// Half would do for times; 0.55 gives ties to what ffmpeg's -r writes.
constexpr int64_t tolerance(int64_t interval)
{
    return interval * 11 / 20;
}

} // namespace vmafgpu
