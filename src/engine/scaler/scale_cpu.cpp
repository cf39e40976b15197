// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler on the CPU: strips of rows on several threads. A strip keeps as many rows, scaled
// across, as one row down needs. Plain loops that the compiler vectorises for each level.
#include <algorithm>
#include <vector>

#include "base/numeric.h"
#include "scaler/scale.h"
#include "scaler/scale_numeric.h"
#include "simd/cpu_recompile.h"

namespace vmafgpu {
namespace {

constexpr int kStripRows = 64;
/// The number of taps when pictures grow, for which loops are unrolled.
constexpr int kUsualTaps = 4;
/// Columns done at once, so that sums stay in the cache.
constexpr int kColumns = 512;

struct Strip {
    const PlaneScale *plane;
    int depth;
    Plane from;
    char *to;
    ptrdiff_t to_pitch;
    int begin, end; ///< rows of the result
};

template <int kTaps, typename Sample, typename Middle> VMAFGPU_ALWAYS_INLINE void
across(const ScaleFilter &filter, int depth, const Sample *from, Middle *to)
{
    const int taps = kTaps > 0 ? kTaps : filter.taps;
    const int16_t *weight = filter.weight.data();
    const int32_t *first = filter.first.data();
    for (int x = 0; x < filter.to; ++x) {
        const Sample *samples = from + first[x];
        int32_t sum = 0;
        for (int tap = 0; tap < taps; ++tap)
            sum += samples[tap] * weight[tap];
        weight += taps;
        to[x] = static_cast<Middle>(scale_across(sum, depth));
    }
}

template <typename Middle, typename Sample> VMAFGPU_ALWAYS_INLINE void
down_4(const Middle *const *rows, const int16_t *weight, int depth, int width, Sample *to)
{
    const Middle *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3];
    const int32_t w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    for (int x = 0; x < width; ++x) {
        uint32_t sum = static_cast<uint32_t>(r0[x]) * static_cast<uint32_t>(w0);
        sum += static_cast<uint32_t>(r1[x]) * static_cast<uint32_t>(w1);
        sum += static_cast<uint32_t>(r2[x]) * static_cast<uint32_t>(w2);
        sum += static_cast<uint32_t>(r3[x]) * static_cast<uint32_t>(w3);
        to[x] = static_cast<Sample>(scale_down(sum, depth));
    }
}

template <typename Middle, typename Sample> VMAFGPU_ALWAYS_INLINE void
down(const Middle *const *rows, const int16_t *weight, int taps, int depth, int width, Sample *to)
{
    uint32_t sums[kColumns];
    for (int left = 0; left < width; left += kColumns) {
        const int count = std::min(kColumns, width - left);
        std::fill(sums, sums + count, 0);
        for (int tap = 0; tap < taps; ++tap) {
            const Middle *row = rows[tap] + left;
            const auto w = static_cast<uint32_t>(weight[tap]);
            for (int x = 0; x < count; ++x)
                sums[x] += static_cast<uint32_t>(row[x]) * w;
        }
        for (int x = 0; x < count; ++x)
            to[left + x] = static_cast<Sample>(scale_down(sums[x], depth));
    }
}

template <typename Sample, typename Middle>
VMAFGPU_ALWAYS_INLINE void run_strip(const Strip &strip, int depth)
{
    const ScaleFilter &columns = strip.plane->across;
    const ScaleFilter &filter = strip.plane->down;
    const auto taps = static_cast<size_t>(filter.taps);
    const auto width = static_cast<size_t>(columns.to);
    std::vector<Middle> ring(taps * width);
    std::vector<const Middle *> rows(taps);
    int done = filter.first[static_cast<size_t>(strip.begin)]; ///< first row that is not in ring
    for (int y = strip.begin; y < strip.end; ++y) {
        const int first = filter.first[static_cast<size_t>(y)];
        for (done = std::max(done, first); done < first + filter.taps; ++done) {
            const auto *from = plane_row<Sample>(strip.from, done);
            Middle *to = ring.data() + static_cast<size_t>(done) % taps * width;
            if (columns.taps == kUsualTaps)
                across<kUsualTaps>(columns, depth, from, to);
            else
                across<0>(columns, depth, from, to);
        }
        for (size_t tap = 0; tap < taps; ++tap)
            rows[tap] = ring.data() + (static_cast<size_t>(first) + tap) % taps * width;
        const int16_t *weight = filter.weight.data() + static_cast<size_t>(y) * taps;
        auto *to = reinterpret_cast<Sample *>(strip.to + strip.to_pitch * y);
        if (filter.taps == kUsualTaps)
            down_4(rows.data(), weight, depth, columns.to, to);
        else
            down(rows.data(), weight, filter.taps, depth, columns.to, to);
    }
}

VMAFGPU_ALWAYS_INLINE void any_strip(const Strip &strip)
{
    if (strip.depth == 8)
        run_strip<uint8_t, int16_t>(strip, 8);
    else if (strip.depth <= 14)
        run_strip<uint16_t, int16_t>(strip, strip.depth);
    else
        run_strip<uint16_t, int32_t>(strip, 16);
}

void plain_strip(const Strip &strip)
{
    any_strip(strip);
}
VMAFGPU_TARGET_AVX2 void avx2_strip(const Strip &strip)
{
    any_strip(strip);
}
VMAFGPU_TARGET_AVX512 void avx512_strip(const Strip &strip)
{
    any_strip(strip);
}

} // namespace

void scale_plane(const PlaneScale &scale, int depth, const Plane &from, void *to,
                 ptrdiff_t to_pitch, ThreadPool &pool)
{
    const auto run = choose_level(plain_strip, avx2_strip, avx512_strip);
    pool.parallel_for(divide_up(scale.down.to, kStripRows), [&](int i) {
        const int begin = i * kStripRows;
        run({&scale, depth, from, static_cast<char *>(to), to_pitch, begin,
             std::min(scale.down.to, begin + kStripRows)});
    });
}

} // namespace vmafgpu
