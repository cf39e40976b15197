// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI on the CPU, fast: the contrast plane of one scale, a strip of columns at a time, and the
// sum of its largest contrasts. A subject of its own: cambi_cpu.cpp has the memory and the tasks.
//
// Every level has a row of bytes: how many marked pixels of the window's rows each column
// has of that level; two updates per pixel. A level's counts in the windows of kBlock
// pixels in a row are the sum of 2 * radius + 1 of its bytes each, for all of them at
// once. They are needed for the levels that occur in the block, of which there are few,
// since marked pixels lie in flat regions, and the `steps` ones on both sides.
#pragma once

#include <algorithm>
#include <cstring>

#include "features/cambi/cambi_cpu_plane.h"

namespace vmafgpu::cambi {
namespace cambi_cpu {

constexpr int kBlock = 32; ///< pixels whose c are computed together

/// Data that the strips of all scales share.
struct Counting {
    const Config *config;
    int radius;
    int lowest; ///< first level that is counted
    int levels; ///< how many levels are counted
    int pitch;  ///< bytes of a level's counts: columns and room for reading a block at the end
};

/// c of a strip of columns, and their sums.
struct Strip {
    Samples image;
    float *c; ///< packed rows, as the image
    int x0, x1;
    uint8_t *counts; ///< Counting::pitch bytes of every level
    // Results; of c above 0.
    uint64_t units;
    int64_t nonzero;
    uint32_t smallest; ///< bits
};

typedef uint16_t HalfVector __attribute__((vector_size(16)));

/// Vectors of kBytes bytes: what the processor has, since GCC splits larger ones badly.
template <int kBytes> struct Vectors {
    static constexpr int kLanes = kBytes / 4; ///< floats of one vector
    typedef uint8_t Bytes __attribute__((vector_size(kBytes)));
    typedef uint16_t Shorts __attribute__((vector_size(kBytes)));
    typedef uint16_t HalfShorts __attribute__((vector_size(kBytes / 2)));
    typedef int32_t Ints __attribute__((vector_size(kBytes)));
    typedef float Floats __attribute__((vector_size(kBytes)));
};

/// How many of some numbers in ascending order are not above `most`.
template <int kCount> constexpr int count_up_to(const int (&numbers)[kCount], int most)
{
    int count = 0;
    while (count < kCount && numbers[count] <= most)
        ++count;
    return count;
}

constexpr uint64_t kFourUnmarked = UINT64_C(0x8000800080008000);

/// True if none of four samples is marked.
VMAFGPU_ALWAYS_INLINE bool four_unmarked(const uint16_t *samples)
{
    uint64_t bits;
    std::memcpy(&bits, samples, sizeof(bits));
    return (bits & kFourUnmarked) == kFourUnmarked;
}

VMAFGPU_ALWAYS_INLINE bool four_equal(const uint16_t *a, const uint16_t *b)
{
    return std::memcmp(a, b, 4 * sizeof(uint16_t)) == 0;
}

/// Which row counts a sample. A copy, since whatever is read through a pointer would be
/// read again after every count: bytes may alias anything.
struct Rows {
    int lowest, levels, steps;

    VMAFGPU_ALWAYS_INLINE explicit Rows(const Counting &counting)
        : lowest(counting.lowest), levels(counting.levels), steps(counting.config->steps)
    {
    }
    VMAFGPU_ALWAYS_INLINE int of(uint16_t sample) const
    {
        // Unmarked and uninteresting levels end in one row that nobody reads.
        const auto above = static_cast<uint16_t>(sample - lowest);
        return std::min<int>(above, levels) + steps;
    }
};

/// kWindow: side of the window, kSteps: number of distances, if these are the usual ones.
/// Else both are 0.
template <int kBytes, int kWindow, int kSteps> class StripCounter {
public:
    using Bytes = typename Vectors<kBytes>::Bytes;
    using Shorts = typename Vectors<kBytes>::Shorts;
    using HalfShorts = typename Vectors<kBytes>::HalfShorts;
    using Ints = typename Vectors<kBytes>::Ints;
    using Floats = typename Vectors<kBytes>::Floats;
    static constexpr int kLanes = Vectors<kBytes>::kLanes;

    VMAFGPU_ALWAYS_INLINE StripCounter(const Counting &counting, Strip &strip)
        : counting_(counting), config_(*counting.config), strip_(strip), radius_(counting.radius),
          steps_(kSteps > 0 ? kSteps : config_.steps), pitch_(counting.pitch),
          first_column_(strip.x0 - counting.radius), begin_(std::max(0, first_column_)),
          end_(std::min(strip.image.width, strip.x1 + counting.radius))
    {
    }

    VMAFGPU_ALWAYS_INLINE void run()
    {
        const Samples &image = strip_.image;
        const int rows = counting_.levels + steps_ + 1;
        std::memset(strip_.counts, 0, static_cast<size_t>(rows) * static_cast<size_t>(pitch_));
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
        end_strip();
    }

private:
    VMAFGPU_ALWAYS_INLINE void enter(const uint16_t *row)
    {
        const Rows rows(counting_);
        for (int x = begin_; x < end_; ++x)
            ++strip_.counts[rows.of(row[x]) * pitch_ + x - first_column_];
    }
    VMAFGPU_ALWAYS_INLINE void leave(const uint16_t *row)
    {
        const Rows rows(counting_);
        for (int x = begin_; x < end_; ++x)
            --strip_.counts[rows.of(row[x]) * pitch_ + x - first_column_];
    }
    VMAFGPU_ALWAYS_INLINE void move(const uint16_t *entering, const uint16_t *leaving)
    {
        const Rows rows(counting_);
        const int end = end_;
        const ptrdiff_t pitch = pitch_;
        uint8_t *counts = strip_.counts - first_column_;
        int x = begin_;
        for (; x + 4 <= end; x += 4) {
            if (four_equal(entering + x, leaving + x) ||
                (four_unmarked(entering + x) && four_unmarked(leaving + x)))
                continue; // no count changes that anybody reads
            for (int i = 0; i < 4; ++i) {
                ++counts[rows.of(entering[x + i]) * pitch + x + i];
                --counts[rows.of(leaving[x + i]) * pitch + x + i];
            }
        }
        for (; x < end; ++x) {
            ++counts[rows.of(entering[x]) * pitch + x];
            --counts[rows.of(leaving[x]) * pitch + x];
        }
    }

    VMAFGPU_ALWAYS_INLINE void scan_row(int y)
    {
        const uint16_t *row = strip_.image.row(y);
        float *c = strip_.c + (row - strip_.image.data);
        for (int x = strip_.x0; x < strip_.x1; x += kBlock)
            scan_block(row + x, x - strip_.x0, std::min(kBlock, strip_.x1 - x), c + x);
        end_row();
    }

    /// c of `count` pixels, the first of which is column x of the strip.
    VMAFGPU_ALWAYS_INLINE void scan_block(const uint16_t *pixels, int x, int count, float *c)
    {
        uint16_t levels[kBlock];
        if (count == kBlock) {
            std::memcpy(levels, pixels, sizeof(levels));
        } else {
            std::fill(levels, levels + kBlock, kUnmarked);
            std::copy(pixels, pixels + count, levels);
        }
        int next = least_level(levels, config_.lowest_scored());
        const int highest = config_.highest_scored();
        if (next > highest) {
            std::memset(c, 0, sizeof(float) * static_cast<size_t>(count));
            return;
        }
        uint16_t own[kBlock];
        uint16_t other[kMaxSteps][kBlock];
        for (int i = 0; i < kBlock; ++i)
            own[i] = 1; // no pixel: 0 of the others, and nothing is divided by 0
        std::memset(other, 0, sizeof(other[0]) * static_cast<size_t>(steps_));
        summed_ = INT32_MIN;
        for (; next <= highest; next = least_level(levels, next + 1))
            select(levels, next, x, own, other);
        float largest[kBlock];
        for (int i = 0; i < kBlock; i += kLanes)
            contrasts(own, other, i, largest);
        for (int i = 0; i < kBlock; i += kParts)
            for (int part = 0; part < kParts; ++part)
                sums_of_row_[part] += static_cast<double>(largest[i + part]);
        if (count == kBlock)
            std::memcpy(c, largest, sizeof(largest));
        else
            std::copy(largest, largest + count, c);
    }

    /// The smallest of a block's samples from `from` up; unmarked ones are very large.
    VMAFGPU_ALWAYS_INLINE int least_level(const uint16_t (&levels)[kBlock], int from) const
    {
        uint16_t least = UINT16_MAX;
        for (int i = 0; i < kBlock; ++i) {
            const auto above = static_cast<uint16_t>(levels[i] - from);
            least = std::min(least, above);
        }
        return from + least;
    }

    /// own and other of the pixels that have this level; levels come in ascending order.
    VMAFGPU_ALWAYS_INLINE void select(const uint16_t (&levels)[kBlock], int level, int x,
                                      uint16_t (&own)[kBlock], uint16_t (&other)[kMaxSteps][kBlock])
    {
        const int steps = kSteps > 0 ? kSteps : steps_;
        for (int at = std::max(level - steps, summed_ + 1); at <= level + steps; ++at)
            sum_windows(at, x);
        summed_ = level + steps;
        const uint16_t *sums = sums_[level % kSums];
        uint16_t is_here[kBlock];
        for (int i = 0; i < kBlock; ++i) {
            is_here[i] = levels[i] == level ? UINT16_MAX : 0;
            own[i] = static_cast<uint16_t>((own[i] & ~is_here[i]) | (sums[i] & is_here[i]));
        }
        for (int d = 1; d <= steps; ++d) {
            if (level > config_.thresholds[d - 1] || level <= config_.floor - steps - d)
                continue;
            const uint16_t *above = sums_[(level + d) % kSums];
            const uint16_t *below = sums_[(level - d + kSums) % kSums];
            for (int i = 0; i < kBlock; ++i)
                other[d - 1][i] = static_cast<uint16_t>(
                    other[d - 1][i] | (std::max(above[i], below[i]) & is_here[i]));
        }
    }

    /// True only if these bytes are 0.
    VMAFGPU_ALWAYS_INLINE static bool is_empty(const uint8_t *counts, int bytes)
    {
        uint64_t any = 0;
        for (int i = 0; i < bytes; i += 16) { // the memory goes on behind the last byte
            uint64_t here[2];
            std::memcpy(here, counts + i, sizeof(here));
            any |= here[0] | here[1];
        }
        return any == 0;
    }

    /// A level's counts in the windows of a block.
    VMAFGPU_ALWAYS_INLINE void sum_windows(int level, int x)
    {
        const int window = kWindow > 0 ? kWindow : 2 * radius_ + 1;
        const uint8_t *counts =
            strip_.counts + ptrdiff_t{level - counting_.lowest + steps_} * pitch_ + x;
        uint16_t *sums = sums_[(level + kSums) % kSums];
        if (is_empty(counts, window + kBlock - 1)) {
            std::memset(sums, 0, sizeof(sums_[0]));
            return;
        }
        for (int at = 0; at < kBlock; at += kBytes)
            sum_bytes(counts + at, window, sums + at);
    }

    /// kBytes sums of `window` bytes each. Sums of bytes as long as they cannot overflow.
    VMAFGPU_ALWAYS_INLINE static void sum_bytes(const uint8_t *counts, int window, uint16_t *sums)
    {
        const int group = UINT8_MAX / window;
        Shorts even = {}, odd = {};
        for (int i = 0; i < window; i += group) {
            const int end = std::min(window, i + group);
            Bytes part = {};
            for (int k = i; k < end; ++k) {
                Bytes column;
                std::memcpy(&column, counts + k, sizeof(column));
                part += column;
            }
            Shorts pairs;
            std::memcpy(&pairs, &part, sizeof(pairs));
            even += pairs & 0xff;
            odd += pairs >> 8;
        }
        // The order of the bytes: of each 16 bytes the lower half, then the upper.
        HalfVector evens[kBytes / 16], odds[kBytes / 16];
        std::memcpy(evens, &even, sizeof(even));
        std::memcpy(odds, &odd, sizeof(odd));
        for (int i = 0; i < kBytes / 16; ++i) {
            const HalfVector lower =
                __builtin_shufflevector(evens[i], odds[i], 0, 8, 1, 9, 2, 10, 3, 11);
            const HalfVector upper =
                __builtin_shufflevector(evens[i], odds[i], 4, 12, 5, 13, 6, 14, 7, 15);
            std::memcpy(sums + 16 * i, &lower, sizeof(lower));
            std::memcpy(sums + 16 * i + 8, &upper, sizeof(upper));
        }
    }

    VMAFGPU_ALWAYS_INLINE static void load_floats(const uint16_t *from, Floats &to)
    {
        HalfShorts shorts;
        std::memcpy(&shorts, from, sizeof(shorts));
        to = __builtin_convertvector(__builtin_convertvector(shorts, Ints), Floats);
    }

    /// c of a block's pixels from i on. All integers are below 2^24 but the product with
    /// the weight, which is rounded once, as if it were converted.
    VMAFGPU_ALWAYS_INLINE void contrasts(const uint16_t (&own)[kBlock],
                                         const uint16_t (&other)[kMaxSteps][kBlock], int i,
                                         float (&largest)[kBlock])
    {
        Floats owns, others, reciprocals;
        load_floats(own + i, owns);
        Floats most = {};
        for (int d = 0; d < (kSteps > 0 ? kSteps : steps_); ++d) {
            load_floats(other[d] + i, others);
            invert(owns + others, reciprocals);
            const Floats c = owns * others * static_cast<float>(kWeights[d]) * reciprocals;
            most = c > most ? c : most;
        }
        const Floats zero = {};
        const Ints is_above = most > zero;
        nonzero_ -= is_above;
        least_ = is_above & (most < least_) ? most : least_;
        std::memcpy(largest + i, &most, sizeof(most));
    }

    /// 1/n as libvmaf's table has it.
    VMAFGPU_ALWAYS_INLINE static void invert(const Floats &n, Floats &reciprocals)
    {
        constexpr int kSide = kWindow > 0 ? kWindow : kMaxWindow;
        constexpr int kUp = count_up_to(kReciprocalUp, kSide * kSide);
        constexpr int kDown = count_up_to(kReciprocalDown, kSide * kSide);
        const Floats one = Floats{} + 1.0F;
        const Floats quotient = one / n;
        Ints bits;
        std::memcpy(&bits, &quotient, sizeof(bits));
        for (int i = 0; i < kUp; ++i)
            bits -= n == static_cast<float>(kReciprocalUp[i]);
        for (int i = 0; i < kDown; ++i)
            bits += n == static_cast<float>(kReciprocalDown[i]);
        std::memcpy(&reciprocals, &bits, sizeof(bits));
    }

    /// Sums of multiples of 2^-24 below 2^14, of up to 2^15 of them: exact in double.
    VMAFGPU_ALWAYS_INLINE void end_row()
    {
        double sum = 0;
        for (double &part : sums_of_row_) {
            sum += part;
            part = 0;
        }
        strip_.units += static_cast<uint64_t>(sum * 0x1p24);
    }

    VMAFGPU_ALWAYS_INLINE void end_strip()
    {
        float least = least_[0];
        for (int i = 0; i < kLanes; ++i) {
            strip_.nonzero += nonzero_[i];
            least = std::min(least, least_[i]);
        }
        if (strip_.nonzero > 0)
            std::memcpy(&strip_.smallest, &least, sizeof(least));
    }

    /// A power of two above twice the steps: levels in use at a time.
    static constexpr int kSums = kSteps > 0 && kSteps < 8 ? 16 : 128;
    static_assert(2 * kMaxSteps < 128, "sums of all levels in use");

    static constexpr int kParts = 8;

    Floats least_ =
        Floats{} + 0x1p20F; ///< smallest c above 0; a number above all others if there is none
    Ints nonzero_ = {};
    double sums_of_row_[kParts] = {};
    uint16_t sums_[kSums][kBlock]; ///< sums of a level, at its remainder
    const Counting &counting_;
    const Config &config_;
    Strip &strip_;
    const int radius_, steps_;
    const ptrdiff_t pitch_;
    const int first_column_, begin_, end_;
    int summed_ = 0; ///< the highest level in sums_
};

template <int kBytes> VMAFGPU_ALWAYS_INLINE void count_strip(const Counting &counting, Strip &strip)
{
    strip.units = 0;
    strip.nonzero = 0;
    strip.smallest = 0; // none: one below it is the largest
    const int steps = counting.config->steps;
    if (steps == 4 && counting.radius == 8) // v1 models, 1080p
        StripCounter<kBytes, 17, 4>(counting, strip).run();
    else if (steps == 4 && counting.radius == 16) // v1 models, 2160p
        StripCounter<kBytes, 33, 4>(counting, strip).run();
    else
        StripCounter<kBytes, 0, 0>(counting, strip).run();
}

// The sum of the k largest c of a scale that has more than k above 0.

constexpr int kDigit = 9; ///< bits
constexpr int kDigits = 1 << kDigit;
constexpr int kScan = 64; ///< values looked at together

/// How many of n values, less kLowestBits and without their lowest `shift + kDigit`
/// bits, are `found`, by their next digit.
VMAFGPU_ALWAYS_INLINE void count_digits(const float *c, int64_t n, uint32_t found, int shift,
                                        int64_t (&histogram)[kDigits])
{
    uint32_t parts[4][kDigits] = {}; // equal neighbours do not wait for each other
    for (int64_t at = 0; at < n; at += kScan) {
        const int count = static_cast<int>(std::min<int64_t>(kScan, n - at));
        uint32_t keys[kScan];
        std::memcpy(keys, c + at, sizeof(float) * static_cast<size_t>(count));
        uint32_t any = 0;
        for (int i = 0; i < count; ++i) {
            keys[i] -= kLowestBits; // a value of 0 wraps to at least 2^27
            any |= keys[i] >> (shift + kDigit) == found ? 1 : 0;
        }
        if (any == 0)
            continue;
        for (int i = 0; i < count; ++i)
            if (keys[i] >> (shift + kDigit) == found)
                ++parts[i % 4][keys[i] >> shift & (kDigits - 1)];
    }
    for (int i = 0; i < kDigits; ++i)
        histogram[i] = int64_t{parts[0][i]} + parts[1][i] + parts[2][i] + parts[3][i];
}

/// The k-th largest of n values of which more than k are above 0, and how many are
/// larger than it. By three digits: all are from 0.5 up and below 2^15.
VMAFGPU_ALWAYS_INLINE uint32_t kth_largest(const float *c, int64_t n, int64_t k, int64_t *larger)
{
    uint32_t found = 0;
    *larger = 0;
    for (int shift = 2 * kDigit; shift >= 0; shift -= kDigit) {
        int64_t histogram[kDigits];
        count_digits(c, n, found, shift, histogram);
        int digit = kDigits - 1;
        while (*larger + histogram[digit] < k)
            *larger += histogram[digit--];
        found = found << kDigit | static_cast<uint32_t>(digit);
    }
    return found + kLowestBits;
}

/// Units of the values above the one with the bits `last`.
VMAFGPU_ALWAYS_INLINE uint64_t units_above(const float *c, int64_t n, uint32_t last)
{
    uint64_t units = 0;
    for (int64_t at = 0; at < n; at += kScan) {
        const int count = static_cast<int>(std::min<int64_t>(kScan, n - at));
        float limit;
        std::memcpy(&limit, &last, sizeof(limit));
        // 64 multiples of 2^-24 below 2^14: sums are exact in double, in any order.
        double sums[8] = {};
        for (int i = 0; i < count; ++i)
            sums[i % 8] += static_cast<double>(c[at + i] > limit ? c[at + i] : 0.0F);
        double sum = 0;
        for (const double part : sums)
            sum += part;
        units += static_cast<uint64_t>(sum * 0x1p24);
    }
    return units;
}

/// units and exponent of the k largest of n values of which more than k are above 0.
VMAFGPU_ALWAYS_INLINE void pool_largest(const float *c, int64_t n, int64_t k, ScaleSums &sums)
{
    int64_t larger = 0;
    const uint32_t last = kth_largest(c, n, k, &larger);
    sums.exponent = exponent_of(last);
    sums.units = static_cast<uint64_t>(k - larger) * units_of(last) + units_above(c, n, last);
}

} // namespace cambi_cpu
} // namespace vmafgpu::cambi
