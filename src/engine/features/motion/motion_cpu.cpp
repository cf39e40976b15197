// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion on the CPU, fast: strips of rows on the thread pool, tiles of columns
// that stay in the first-level cache, loops that compilers vectorise. Equal to
// motion_ref.cpp in every byte of the Sums. Called by motion.cpp.
//
// Sums that need more than 32 bits are formed in double: they are integers
// below 2^33, so nothing is rounded where it should not be.
#include "motion.h"

#include <algorithm>
#include <cstring>

#include "cpu_legacy.h"
#include "motion_tables.h"
#include "numeric.h"
#include "thread_pool.h"

namespace vmafgpu {

namespace {

constexpr int kTile = 256; ///< columns done at once
constexpr int kTileRow = kTile + 2 * kMotionHalf;
constexpr int kTaps = 2 * kMotionHalf + 1;
constexpr int kStripRows = 64; ///< rows of one task

/// What one task does: rows first..last-1.
struct Strip {
    Plane earlier, later;
    int width, height, depth;
    int first, last;
    bool blur_first;
    uint64_t *sad;
};

/// floor((sum + 32768) / 65536) of an integer. The term 2^-17 keeps the sum
/// off the ties, so that the large addend makes halves go up; it leaves the
/// result in the low bits.
VMAFGPU_ALWAYS_INLINE int32_t round_shift_16(double sum)
{
    const double shifted = (sum * 0x1p-16 + 0x1p-17) + 0x1.8p52;
    int64_t bits;
    std::memcpy(&bits, &shifted, sizeof(bits));
    return static_cast<int32_t>(bits);
}

VMAFGPU_ALWAYS_INLINE int32_t round_sum(double sum, int)
{
    return round_shift_16(sum);
}
VMAFGPU_ALWAYS_INLINE int32_t round_sum(int32_t sum, int shift)
{
    return (sum + (1 << (shift - 1))) >> shift;
}

/// Vertical pass over p - q, or over p alone. Sum is double for 16-bit samples
/// (and the shift 16), else int32_t.
template <typename Sum, bool kDifference, typename Sample>
VMAFGPU_ALWAYS_INLINE void filter_columns(const Sample *const *p, const Sample *const *q, int count,
                                          int shift, double *__restrict out)
{
    for (int x = 0; x < count; ++x) {
        int32_t d[kTaps];
        for (int t = 0; t < kTaps; ++t)
            d[t] = p[t][x] - (kDifference ? q[t][x] : 0);
        Sum sum = static_cast<Sum>(kMotionFilter[kMotionHalf]) * d[kMotionHalf];
        for (int t = 0; t < kMotionHalf; ++t)
            sum += static_cast<Sum>(kMotionFilter[t]) * (d[t] + d[kTaps - 1 - t]);
        out[x] = round_sum(sum, shift);
    }
}

VMAFGPU_ALWAYS_INLINE int32_t filter_row(const double *p)
{
    double sum = kMotionFilter[kMotionHalf] * p[kMotionHalf];
    for (int t = 0; t < kMotionHalf; ++t)
        sum += kMotionFilter[t] * (p[t] + p[kTaps - 1 - t]);
    return round_shift_16(sum);
}

/// Fill the ends of a tile's row, whose index 0 is column x0 - kMotionHalf,
/// where it reaches beyond the picture.
VMAFGPU_ALWAYS_INLINE void reflect_ends(double *row, int x0, int x1, int width, bool repeat)
{
    double *column0 = row + (kMotionHalf - x0);
    for (int x = x0 - kMotionHalf; x < 0; ++x)
        column0[x] = column0[-x];
    for (int x = width; x < x1 + kMotionHalf; ++x)
        column0[x] = column0[repeat ? mirror_high_repeat(x, width) : mirror(x, width)];
}

/// Sum of absolute values in row y, columns x0..x1-1.
template <typename Sum, bool kBlurFirst, typename Sample>
VMAFGPU_ALWAYS_INLINE uint32_t tile_row(const Strip &strip, int y, int x0, int x1)
{
    const int left = std::max(0, x0 - kMotionHalf);
    const int count = std::min(strip.width, x1 + kMotionHalf) - left;
    const int at = left - (x0 - kMotionHalf);
    const Sample *p[kTaps];
    const Sample *q[kTaps];
    for (int t = 0; t < kTaps; ++t) {
        const int source = y + t - kMotionHalf;
        const int row =
            kBlurFirst ? mirror_high_repeat(source, strip.height) : mirror(source, strip.height);
        p[t] = plane_row<Sample>(strip.earlier, row) + left;
        q[t] = plane_row<Sample>(strip.later, row) + left;
    }
    double columns[kTileRow];
    uint32_t sad = 0;
    if (!kBlurFirst) {
        filter_columns<Sum, true>(p, q, count, strip.depth, columns + at);
        reflect_ends(columns, x0, x1, strip.width, false);
        for (int x = 0; x < x1 - x0; ++x) {
            const int32_t z = filter_row(columns + x);
            sad += static_cast<uint32_t>(z < 0 ? -z : z);
        }
        return sad;
    }
    double columns2[kTileRow];
    filter_columns<Sum, false>(p, q, count, strip.depth, columns + at);
    filter_columns<Sum, false>(q, p, count, strip.depth, columns2 + at);
    reflect_ends(columns, x0, x1, strip.width, true);
    reflect_ends(columns2, x0, x1, strip.width, true);
    for (int x = 0; x < x1 - x0; ++x) {
        const int32_t z = filter_row(columns + x) - filter_row(columns2 + x);
        sad += static_cast<uint32_t>(z < 0 ? -z : z);
    }
    return sad;
}

template <typename Sum, bool kBlurFirst, typename Sample>
VMAFGPU_ALWAYS_INLINE void run_rule(const Strip &strip)
{
    uint64_t sad = 0;
    for (int x0 = 0; x0 < strip.width; x0 += kTile) {
        const int x1 = std::min(x0 + kTile, strip.width);
        for (int y = strip.first; y < strip.last; ++y)
            sad += tile_row<Sum, kBlurFirst, Sample>(strip, y, x0, x1);
    }
    *strip.sad = sad;
}

template <typename Sum, typename Sample> VMAFGPU_ALWAYS_INLINE void run_depth(const Strip &strip)
{
    if (strip.blur_first)
        run_rule<Sum, true, Sample>(strip);
    else
        run_rule<Sum, false, Sample>(strip);
}

VMAFGPU_ALWAYS_INLINE void run_any(const Strip &strip)
{
    if (strip.depth == 8)
        run_depth<int32_t, uint8_t>(strip);
    else if (strip.depth < 16)
        run_depth<int32_t, uint16_t>(strip);
    else
        run_depth<double, uint16_t>(strip);
}

void run_strip(const Strip &strip)
{
    run_any(strip);
}
VMAFGPU_TARGET_AVX2 void run_strip_avx2(const Strip &strip)
{
    run_any(strip);
}
VMAFGPU_TARGET_AVX512 void run_strip_avx512(const Strip &strip)
{
    run_any(strip);
}

int strips_of(int height)
{
    return (height + kStripRows - 1) / kStripRows;
}

} // namespace

size_t motion_cpu_scratch(const Format &format)
{
    return strips_of(format.height) * sizeof(uint64_t);
}

void motion_compute(const Format &format, const MotionConfig &config, const PairView &pair,
                    MotionSums &sums, void *scratch, ThreadPool &pool)
{
    std::memset(&sums, 0, sizeof(sums));
    const Plane &earlier = pair.previous[config.distance - 1];
    if (config.skip || !earlier.data)
        return;
    const auto run = choose_level(run_strip, run_strip_avx2, run_strip_avx512);
    auto *parts = static_cast<uint64_t *>(scratch);
    const int strips = strips_of(format.height);
    pool.parallel_for(strips, [&](int i) {
        Strip strip = {};
        strip.earlier = earlier;
        strip.later = pair.reference[0];
        strip.width = format.width;
        strip.height = format.height;
        strip.depth = format.depth;
        strip.first = i * kStripRows;
        strip.last = std::min(format.height, strip.first + kStripRows);
        strip.blur_first = config.blur_first;
        strip.sad = &parts[i];
        run(strip);
    });
    for (int i = 0; i < strips; ++i)
        sums.sad += parts[i];
}

} // namespace vmafgpu
