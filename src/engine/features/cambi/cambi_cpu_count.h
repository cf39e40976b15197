// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: the contrast plane of one scale, a strip of columns at a
// time. Included by cambi_cpu.cpp only.
//
// For every column of the strip and its surroundings a byte per level counts the marked
// pixels of the window's rows: two updates per pixel. The window's own counts are the
// sums of its columns; of them only some levels around the pixel's are kept, in
// registers, and slid along the row while the levels stay near.
#pragma once

#include <algorithm>
#include <cstring>

#include "cambi_cpu_plane.h"

namespace vmafgpu {
namespace cambi_cpu {

/// What the strips of all scales have in common.
struct Counting {
    const CambiConfig *config;
    int radius;
    int lowest; ///< first level that is counted
    int levels; ///< how many levels are counted
    int pitch;  ///< bytes of a column's counts
};

/// c of a strip of columns, and their sums.
struct Strip {
    Samples image;
    float *c; ///< packed rows, as the image
    int x0, x1;
    uint8_t *counts; ///< (x1 - x0 + 2 * radius) columns
    // Results; of c above 0.
    uint64_t units;
    int64_t nonzero;
    uint32_t smallest; ///< bits
};

constexpr int kBatch = 64; ///< pixels whose c are computed together
constexpr int kChunk = 16; ///< levels of one vector

typedef int8_t CountVector __attribute__((vector_size(kChunk)));
typedef int16_t SumVector __attribute__((vector_size(2 * kChunk)));

constexpr uint64_t kFourUnmarked = UINT64_C(0x8000800080008000);

/// True if none of four samples is marked.
VMAFGPU_ALWAYS_INLINE bool four_unmarked(const uint16_t *samples)
{
    uint64_t bits;
    std::memcpy(&bits, samples, sizeof(bits));
    return (bits & kFourUnmarked) == kFourUnmarked;
}

/// Where a column counts a sample. A copy, since whatever is read through a pointer would
/// be read again after every count: bytes may alias anything.
struct Bins {
    int lowest, levels, steps;

    VMAFGPU_ALWAYS_INLINE explicit Bins(const Counting &counting)
        : lowest(counting.lowest), levels(counting.levels), steps(counting.config->steps)
    {
    }
    VMAFGPU_ALWAYS_INLINE int of(uint16_t sample) const
    {
        // Unmarked and uninteresting levels end in one bin that nobody reads.
        const auto above = static_cast<uint16_t>(sample - lowest);
        return std::min<int>(above, levels) + steps;
    }
};

/// kLanes: levels kept in registers, more than 2 * steps.
template <int kLanes> class StripCounter {
public:
    VMAFGPU_ALWAYS_INLINE StripCounter(const Counting &counting, Strip &strip)
        : counting_(counting), config_(*counting.config), strip_(strip), radius_(counting.radius),
          pitch_(counting.pitch), first_column_(strip.x0 - counting.radius),
          begin_(std::max(0, first_column_)),
          end_(std::min(strip.image.width, strip.x1 + counting.radius))
    {
        std::memset(other_, 0, sizeof(other_));
    }

    VMAFGPU_ALWAYS_INLINE void run()
    {
        const Samples &image = strip_.image;
        const int columns = strip_.x1 - strip_.x0 + 2 * radius_;
        std::memset(strip_.counts, 0, static_cast<size_t>(columns) * static_cast<size_t>(pitch_));
        for (int y = 0; y < std::min(radius_, image.height); ++y)
            enter(image.row(y));
        for (int y = 0; y < image.height; ++y) {
            const bool enters = y + radius_ < image.height;
            const bool leaves = y - radius_ > 0;
            if (enters && leaves)
                move(image.row(y + radius_), image.row(y - radius_ - 1));
            else if (enters)
                enter(image.row(y + radius_));
            else if (leaves)
                leave(image.row(y - radius_ - 1));
            scan_row(y);
        }
        flush();
    }

private:
    VMAFGPU_ALWAYS_INLINE uint8_t *column(int x) const
    {
        return strip_.counts + static_cast<ptrdiff_t>(x - first_column_) * pitch_;
    }

    VMAFGPU_ALWAYS_INLINE void enter(const uint16_t *row)
    {
        const Bins bins(counting_);
        for (int x = begin_; x < end_; ++x)
            ++column(x)[bins.of(row[x])];
    }
    VMAFGPU_ALWAYS_INLINE void leave(const uint16_t *row)
    {
        const Bins bins(counting_);
        for (int x = begin_; x < end_; ++x)
            --column(x)[bins.of(row[x])];
    }
    VMAFGPU_ALWAYS_INLINE void move(const uint16_t *entering, const uint16_t *leaving)
    {
        const Bins bins(counting_);
        const int end = end_;
        const ptrdiff_t pitch = pitch_;
        int x = begin_;
        uint8_t *counts = column(x);
        for (; x + 4 <= end; x += 4, counts += 4 * pitch) {
            if (four_unmarked(entering + x) && four_unmarked(leaving + x))
                continue; // the bin that nobody reads, once more and once less
            for (int i = 0; i < 4; ++i) {
                ++counts[i * pitch + bins.of(entering[x + i])];
                --counts[i * pitch + bins.of(leaving[x + i])];
            }
        }
        for (; x < end; ++x, counts += pitch) {
            ++counts[bins.of(entering[x])];
            --counts[bins.of(leaving[x])];
        }
    }

    /// Counts of kLanes bins, summed over a window that slides along a row.
    struct Window {
        SumVector sums[kLanes / kChunk];
        int base;                      ///< first bin
        int x;                         ///< centre
        const uint8_t *next = nullptr; ///< of the column that enters next

        VMAFGPU_ALWAYS_INLINE void slide(ptrdiff_t width, ptrdiff_t pitch)
        {
            for (int i = 0; i < kLanes / kChunk; ++i) {
                CountVector entering, leaving;
                std::memcpy(&entering, next + i * kChunk, kChunk);
                std::memcpy(&leaving, next - width + i * kChunk, kChunk);
                // Counts of a column differ by 65 at most.
                sums[i] += __builtin_convertvector(entering - leaving, SumVector);
            }
            next += pitch;
            ++x;
        }

        VMAFGPU_ALWAYS_INLINE void sum_up(int columns, ptrdiff_t pitch)
        {
            for (auto &sum : sums)
                sum = SumVector{};
            for (int n = 0; n < columns; ++n) {
                for (int i = 0; i < kLanes / kChunk; ++i) {
                    CountVector entering;
                    std::memcpy(&entering, next + i * kChunk, kChunk);
                    sums[i] += __builtin_convertvector(entering, SumVector);
                }
                next += pitch;
            }
        }
    };

    VMAFGPU_ALWAYS_INLINE void scan_row(int y)
    {
        const uint16_t *row = strip_.image.row(y);
        float *c = strip_.c + (row - strip_.image.data);
        const int end = strip_.x1;
        const int lowest = config_.lowest_scored();
        const int scored = config_.highest_scored() - lowest + 1;
        const int first_bin = counting_.lowest - config_.steps; // level of bin 0
        std::memset(c + strip_.x0, 0, sizeof(float) * static_cast<size_t>(end - strip_.x0));
        Window window;
        window.base = 0;
        window.x = strip_.x0 - radius_ - 1; // near nothing
        int x = strip_.x0;
        while (x < end) {
            if (x + 4 <= end && four_unmarked(row + x)) {
                x += 4;
                continue;
            }
            const int last = std::min(x + 4, end);
            for (; x < last; ++x) {
                const int level = row[x];
                if (static_cast<uint16_t>(level - lowest) >= scored)
                    continue;
                move_window(window, x, level - first_bin);
                take(window, level - first_bin, level, c + x);
            }
        }
    }

    /// To pixel x, with the bins around `bin`.
    VMAFGPU_ALWAYS_INLINE void move_window(Window &window, int x, int bin)
    {
        const ptrdiff_t pitch = pitch_;
        const int columns = 2 * radius_ + 1;
        const int steps = config_.steps;
        const bool is_near = bin - steps >= window.base && bin + steps < window.base + kLanes &&
                             x - window.x <= radius_;
        if (is_near) {
            while (window.x < x)
                window.slide(columns * pitch, pitch);
        } else {
            window.base = std::max(0, std::min(bin - kLanes / 2, pitch_ - kLanes));
            window.x = x;
            window.next = column(x - radius_) + window.base;
            window.sum_up(columns, pitch);
        }
    }

    /// Keep a pixel's counts for flush().
    VMAFGPU_ALWAYS_INLINE void take(const Window &window, int bin, int level, float *c)
    {
        std::memcpy(sums_[taken_], window.sums, sizeof(window.sums));
        bins_[taken_] = bin - window.base;
        levels_[taken_] = level;
        targets_[taken_] = c;
        if (++taken_ == kBatch)
            flush();
    }

    /// c of the pixels taken.
    VMAFGPU_ALWAYS_INLINE void flush()
    {
        const int steps = config_.steps;
        for (int p = taken_; p < kBatch; ++p)
            own_[p] = 0;
        for (int p = 0; p < taken_; ++p) {
            const uint16_t *counts = sums_[p] + bins_[p];
            own_[p] = counts[0];
            for (int d = 1; d <= steps; ++d)
                other_[d - 1][p] = std::max(counts[d], counts[-d]);
        }
        float largest[kBatch] = {};
        const float *reciprocals = cambi_reciprocals();
        for (int d = 1; d <= steps; ++d) {
            const int32_t *other = other_[d - 1];
            const int weight = kCambiWeights[d - 1];
            const int highest = config_.thresholds[d - 1];
            const int lowest = config_.floor - steps - d;
            for (int p = 0; p < kBatch; ++p) {
                const bool counts = levels_[p] <= highest && levels_[p] > lowest;
                const int both = counts ? other[p] : 0;
                const float c =
                    static_cast<float>(weight * own_[p] * both) * reciprocals[own_[p] + both];
                largest[p] = c > largest[p] ? c : largest[p];
            }
        }
        add(largest);
        for (int p = 0; p < taken_; ++p)
            *targets_[p] = largest[p];
        taken_ = 0;
    }

    VMAFGPU_ALWAYS_INLINE void add(const float (&c)[kBatch])
    {
        // 64 multiples of 2^-24 below 2^14: sums are exact in double.
        double sums[8] = {};
        for (int p = 0; p < kBatch; p += 8)
            for (int i = 0; i < 8; ++i)
                sums[i] += static_cast<double>(c[p + i]);
        double sum = 0;
        for (const double part : sums)
            sum += part;
        strip_.units += static_cast<uint64_t>(sum * 0x1p24);
        uint32_t bits[kBatch];
        std::memcpy(bits, c, sizeof(bits));
        int32_t nonzero = 0;
        uint32_t smallest = strip_.smallest - 1;
        for (int p = 0; p < kBatch; ++p) {
            nonzero += bits[p] != 0 ? 1 : 0;
            smallest = std::min(smallest, bits[p] - 1); // 0 becomes the largest
        }
        strip_.nonzero += nonzero;
        strip_.smallest = smallest + 1;
    }

    const Counting &counting_;
    const CambiConfig &config_;
    Strip &strip_;
    const int radius_, pitch_;
    const int first_column_, begin_, end_;
    int taken_ = 0;
    uint16_t sums_[kBatch][kLanes];
    int bins_[kBatch] = {};
    int levels_[kBatch] = {};
    float *targets_[kBatch];
    int32_t own_[kBatch];
    int32_t other_[kCambiMaxSteps][kBatch];
};

VMAFGPU_ALWAYS_INLINE void count_strip(const Counting &counting, Strip &strip)
{
    strip.units = 0;
    strip.nonzero = 0;
    strip.smallest = 0; // none: one below it is the largest
    if (counting.config->steps <= 8)
        StripCounter<32>(counting, strip).run();
    else
        StripCounter<96>(counting, strip).run();
}

/// Lanes that count_strip() reads at once: a column has at least as many counts.
constexpr int kMostLanes = 96;

} // namespace cambi_cpu
} // namespace vmafgpu
