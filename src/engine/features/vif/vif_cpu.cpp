// SPDX-License-Identifier: BSD-2-Clause-Patent
// VIF on the CPU, fast: strips of rows on the thread pool, tiles of columns
// that stay in the first-level cache, loops (vif_cpu_rows.h) that compilers
// vectorise. Equal to vif_ref.cpp in every byte of the Sums. Called by vif.cpp.
#include "vif.h"

#include <algorithm>
#include <cstring>

#include "cpu_level.h"
#include "thread_pool.h"
#include "vif_cpu_rows.h"

namespace vmafgpu {

namespace {

using namespace vif_cpu;

constexpr int kStripRows = 64; ///< rows of one task; even

/// One picture pair at one scale.
struct Level {
    Plane reference, distorted;
    int width, height;
};

/// What one task does: rows first..last-1 of a level, and the rows of the next
/// level that lie there.
struct Strip {
    Level level;
    Level next; ///< only written; data is null after the last scale
    int scale, depth;
    int first, last;
    bool statistics;
    const VifConfig *config;
    const uint16_t *log_table;
    VifScaleSums *sums;
};

/// Statistics of columns x0..x1-1 of a strip.
template <int kScale, typename Sample>
VMAFGPU_ALWAYS_INLINE void add_tile(const Strip &strip, int x0, int x1, VifScaleSums &sums)
{
    using Product = typename Products<Sample>::Type;
    using Sum = typename Products<Sample>::Sum;
    constexpr int kHalf = kVifHalf[kScale];
    constexpr int kRows = 2 * kHalf + 1;
    const Level &level = strip.level;
    const int left = std::max(0, x0 - kHalf);
    const int count = std::min(level.width, x1 + kHalf) - left;
    const int at = left - (x0 - kHalf);
    const int shift_mean = vif_shift_mean(kScale, strip.depth);
    const int shift_square = vif_shift_square(kScale, strip.depth);
    ProductRing<Product> ring;
    TileRow row;
    TileSigma sigma;

    int loaded = std::max(0, strip.first - kHalf);
    for (int y = strip.first; y < strip.last; ++y) {
        for (; loaded <= std::min(level.height - 1, y + kHalf); ++loaded)
            multiply_row(plane_row<Sample>(level.reference, loaded) + left,
                         plane_row<Sample>(level.distorted, loaded) + left, count,
                         ring.square1[loaded % kRows], ring.square2[loaded % kRows],
                         ring.both[loaded % kRows]);
        const Sample *rows1[kRows];
        const Sample *rows2[kRows];
        int index[kRows];
        for (int t = 0; t < kRows; ++t) {
            const int source = mirror(y + t - kHalf, level.height);
            rows1[t] = plane_row<Sample>(level.reference, source) + left;
            rows2[t] = plane_row<Sample>(level.distorted, source) + left;
            index[t] = source % kRows;
        }
        filter_means<kScale>(rows1, count, shift_mean, row.mean1 + at);
        filter_means<kScale>(rows2, count, shift_mean, row.mean2 + at);
        filter_squares<kScale, Sum>(ring.square1, index, count, shift_square, row.square1 + at);
        filter_squares<kScale, Sum>(ring.square2, index, count, shift_square, row.square2 + at);
        filter_squares<kScale, Sum>(ring.both, index, count, shift_square, row.both + at);
        reflect_ends(row.mean1, x0, x1, level.width, kHalf);
        reflect_ends(row.mean2, x0, x1, level.width, kHalf);
        reflect_ends(row.square1, x0, x1, level.width, kHalf);
        reflect_ends(row.square2, x0, x1, level.width, kHalf);
        reflect_ends(row.both, x0, x1, level.width, kHalf);
        filter_rows<kScale>(row, x1 - x0, sigma);
        add_pixels(sigma, x1 - x0, *strip.config, strip.log_table, sums);
    }
}

/// Row y of the next level, columns of the tile x0..x1-1 of this one; x0 is even.
template <int kNext, typename Sample>
VMAFGPU_ALWAYS_INLINE void halve_tile(const Plane &plane, const Level &level, int y, int x0, int x1,
                                      int shift, const Plane &next)
{
    constexpr int kHalf = kVifHalf[kNext];
    const int left = std::max(0, x0 - kHalf);
    const int count = std::min(level.width, x1 + kHalf) - left;
    const Sample *rows[2 * kHalf + 1];
    for (int t = 0; t <= 2 * kHalf; ++t)
        rows[t] = plane_row<Sample>(plane, mirror(2 * y + t - kHalf, level.height)) + left;
    uint32_t columns[kTileRow];
    filter_means<kNext>(rows, count, shift, columns + (left - (x0 - kHalf)));
    reflect_ends(columns, x0, x1, level.width, kHalf);
    uint16_t *out = const_cast<uint16_t *>(plane_row<uint16_t>(next, y)) + x0 / 2;
    for (int x = 0; x < (x1 - x0) / 2; ++x)
        out[x] = static_cast<uint16_t>((filter_row<kNext>(columns + 2 * x) + 32768) >> 16);
}

template <int kScale, typename Sample> VMAFGPU_ALWAYS_INLINE void run_scale(const Strip &strip)
{
    constexpr int kNext = kScale + 1 < kVifScales ? kScale + 1 : kScale;
    const Level &level = strip.level;
    const int shift = vif_shift_mean(kScale, strip.depth);
    VifScaleSums sums = {};
    for (int x0 = 0; x0 < level.width; x0 += kTile) {
        const int x1 = std::min(x0 + kTile, level.width);
        for (int y = strip.first / 2; y < strip.last / 2 && kNext != kScale; ++y) {
            halve_tile<kNext, Sample>(level.reference, level, y, x0, x1, shift,
                                      strip.next.reference);
            halve_tile<kNext, Sample>(level.distorted, level, y, x0, x1, shift,
                                      strip.next.distorted);
        }
        if (strip.statistics)
            add_tile<kScale, Sample>(strip, x0, x1, sums);
    }
    *strip.sums = sums;
}

VMAFGPU_ALWAYS_INLINE void run_any_scale(const Strip &strip)
{
    switch (strip.scale) {
    case 0:
        if (strip.depth > 8)
            run_scale<0, uint16_t>(strip);
        else
            run_scale<0, uint8_t>(strip);
        break;
    case 1:
        run_scale<1, uint16_t>(strip);
        break;
    case 2:
        run_scale<2, uint16_t>(strip);
        break;
    default:
        run_scale<3, uint16_t>(strip);
        break;
    }
}

void run_strip(const Strip &strip)
{
    run_any_scale(strip);
}
VMAFGPU_TARGET_AVX2 void run_strip_avx2(const Strip &strip)
{
    run_any_scale(strip);
}
VMAFGPU_TARGET_AVX512 void run_strip_avx512(const Strip &strip)
{
    run_any_scale(strip);
}

int strips_of(int height)
{
    return (height + kStripRows - 1) / kStripRows;
}

void add(VifScaleSums &to, const VifScaleSums &from)
{
    for (int i = 0; i < kVifMaxLimits; ++i)
        to.num_log[i] += from.num_log[i];
    to.den_log += from.den_log;
    to.num_nl += from.num_nl;
    to.den_nl += from.den_nl;
}

/// Cuts the caller's scratch memory into planes.
class Scratch {
public:
    explicit Scratch(void *memory) : next_(static_cast<char *>(memory)) {}

    char *take(size_t bytes)
    {
        char *memory = next_;
        next_ += (bytes + 63) / 64 * 64;
        return memory;
    }

private:
    char *next_;
};

size_t plane_pitch(int width)
{
    return (static_cast<size_t>(width) * sizeof(uint16_t) + 63) / 64 * 64;
}

Level take_half(const Level &level, Scratch &scratch)
{
    Level half = {};
    half.width = level.width / 2;
    half.height = level.height / 2;
    const size_t pitch = plane_pitch(half.width);
    for (Plane *plane : {&half.reference, &half.distorted}) {
        plane->data = scratch.take(pitch * half.height);
        plane->pitch = static_cast<ptrdiff_t>(pitch);
    }
    return half;
}

} // namespace

size_t vif_cpu_scratch(const Format &format)
{
    size_t bytes = (strips_of(format.height) * sizeof(VifScaleSums) + 63) / 64 * 64;
    int width = format.width;
    int height = format.height;
    for (int scale = 1; scale < kVifScales; ++scale) {
        width /= 2;
        height /= 2;
        bytes += 2 * plane_pitch(width) * height;
    }
    return bytes;
}

void vif_compute(const Format &format, const VifConfig &config, const PairView &pair, VifSums &sums,
                 void *scratch_memory, ThreadPool &pool)
{
    std::memset(&sums, 0, sizeof(sums));
    const auto run = choose_level(run_strip, run_strip_avx2, run_strip_avx512);
    Scratch scratch(scratch_memory);
    const int most_strips = strips_of(format.height);
    auto *parts =
        reinterpret_cast<VifScaleSums *>(scratch.take(most_strips * sizeof(VifScaleSums)));
    Level level = {pair.reference[0], pair.distorted[0], format.width, format.height};
    for (int scale = 0; scale < kVifScales; ++scale) {
        const bool last = scale + 1 == kVifScales;
        const Level next = last ? Level{} : take_half(level, scratch);
        const int strips = strips_of(level.height);
        pool.parallel_for(strips, [&](int i) {
            Strip strip = {};
            strip.level = level;
            strip.next = next;
            strip.scale = scale;
            strip.depth = format.depth;
            strip.first = i * kStripRows;
            strip.last = std::min(level.height, strip.first + kStripRows);
            strip.statistics = scale > 0 || !config.skip_scale0;
            strip.config = &config;
            strip.log_table = vif_log2_table();
            strip.sums = &parts[i];
            run(strip);
        });
        for (int i = 0; i < strips; ++i)
            add(sums.scale[scale], parts[i]);
        level = next;
    }
}

} // namespace vmafgpu
