// SPDX-License-Identifier: BSD-2-Clause-Patent
// float_psnr and float_moment on the CPU, fast: the same bytes as float_sums_ref.cpp. Strips of
// rows run on the thread pool; the compiler vectorises their loops. float_sums.cpp calls this.
#include <algorithm>

#include "base/numeric.h"
#include "features/float_sums/float_sums.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "simd/cpu_recompile.h"

namespace vmafgpu::float_sums {

namespace {

constexpr int kStripRows = 32;
constexpr int kPiece = 4096; ///< samples whose 8-bit sums of squares fit 32 bits

/// Sums of a strip.
struct StripSums {
    uint64_t first, second;
};

/// Samples of one picture, or differences of two; `second` may be null.
struct Strip {
    const Plane *first, *second;
    int width, begin, end, depth;
};

template <bool kIsDifference>
VMAFGPU_ALWAYS_INLINE void add_piece(const uint8_t *p, const uint8_t *q, int count, StripSums &sums)
{
    uint32_t first = 0;
    uint32_t second = 0;
    for (int x = 0; x < count; ++x) {
        const int32_t value = p[x] - (kIsDifference ? q[x] : 0);
        first += static_cast<uint32_t>(value);
        second += static_cast<uint32_t>(value * value);
    }
    sums.first += first;
    sums.second += second;
}

/// Squares of up to 12 bits are exact in float.
template <bool kIsDifference> VMAFGPU_ALWAYS_INLINE void
add_piece12(const uint16_t *p, const uint16_t *q, int count, StripSums &sums)
{
    for (int x = 0; x < count; x += 128) { // 128 squares of 12 bits fit 32 bits
        uint32_t first = 0;
        uint32_t second = 0;
        const int end = std::min(count, x + 128);
        for (int i = x; i < end; ++i) {
            const int32_t value = p[i] - (kIsDifference ? q[i] : 0);
            first += static_cast<uint32_t>(value);
            second += static_cast<uint32_t>(value * value);
        }
        sums.first += first;
        sums.second += second;
    }
}

template <bool kIsDifference> VMAFGPU_ALWAYS_INLINE void
add_piece16(const uint16_t *p, const uint16_t *q, int count, StripSums &sums)
{
    for (int x = 0; x < count; ++x) {
        const int32_t value = p[x] - (kIsDifference ? q[x] : 0);
        const auto sample = static_cast<float>(value);
        sums.first += static_cast<uint64_t>(value);
        sums.second += static_cast<uint64_t>(static_cast<int64_t>(sample * sample));
    }
}

template <bool kIsDifference> VMAFGPU_ALWAYS_INLINE StripSums strip_sums(const Strip &strip)
{
    StripSums sums = {};
    for (int y = strip.begin; y < strip.end; ++y) {
        for (int x = 0; x < strip.width; x += kPiece) {
            const int count = std::min(kPiece, strip.width - x);
            if (strip.depth == 8) {
                const uint8_t *p = plane_row<uint8_t>(*strip.first, y) + x;
                const uint8_t *q = kIsDifference ? plane_row<uint8_t>(*strip.second, y) + x : p;
                add_piece<kIsDifference>(p, q, count, sums);
                continue;
            }
            const uint16_t *p = plane_row<uint16_t>(*strip.first, y) + x;
            const uint16_t *q = kIsDifference ? plane_row<uint16_t>(*strip.second, y) + x : p;
            if (strip.depth <= 12)
                add_piece12<kIsDifference>(p, q, count, sums);
            else
                add_piece16<kIsDifference>(p, q, count, sums);
        }
    }
    return sums;
}

VMAFGPU_ALWAYS_INLINE StripSums any_strip(const Strip &strip)
{
    return strip.second != nullptr ? strip_sums<true>(strip) : strip_sums<false>(strip);
}

StripSums plain_strip(const Strip &strip)
{
    return any_strip(strip);
}
VMAFGPU_TARGET_AVX2 StripSums avx2_strip(const Strip &strip)
{
    return any_strip(strip);
}
VMAFGPU_TARGET_AVX512 StripSums avx512_strip(const Strip &strip)
{
    return any_strip(strip);
}

struct Scratch {
    int strips;
    StripSums *parts; ///< one for each strip

    Scratch(Arena &arena, const Format &format)
        : strips(divide_up(format.height, kStripRows)),
          parts(arena.take<StripSums>(static_cast<size_t>(strips)))
    {
    }
};

StripSums picture_sums(const Format &format, const Plane *first, const Plane *second, void *scratch,
                       ThreadPool &pool)
{
    Arena arena(scratch);
    const Scratch memory(arena, format);
    const auto run = choose_level(plain_strip, avx2_strip, avx512_strip);
    for_strips(pool, format.height, kStripRows, [&](const StripOfRows &rows) {
        memory.parts[rows.number] =
            run({first, second, format.width, rows.first, rows.last, format.depth});
    });
    StripSums sums = {};
    for (int i = 0; i < memory.strips; ++i) {
        sums.first += memory.parts[i].first;
        sums.second += memory.parts[i].second;
    }
    return sums;
}

} // namespace

size_t PsnrForms::cpu_scratch(const Format &format)
{
    return arena_size<Scratch>(format);
}

size_t MomentForms::cpu_scratch(const Format &format)
{
    return arena_size<Scratch>(format);
}

void PsnrForms::compute(const Format &format, const PairView &pair, PsnrSums &sums, void *scratch,
                        ThreadPool &pool)
{
    const Plane &reference = pair.reference[0];
    const Plane &distorted = pair.distorted[0];
    sums.noise.exact = picture_sums(format, &reference, &distorted, scratch, pool).second;
    sums.noise.in_order = 0;
    if (sums.noise.exact > kExactSum)
        sums.noise.in_order = sum_in_order(format, [&](int x, int y) {
            return sample_at(reference, format, x, y) - sample_at(distorted, format, x, y);
        });
}

void MomentForms::compute(const Format &format, const PairView &pair, MomentSums &sums,
                          void *scratch, ThreadPool &pool)
{
    const Plane *const planes[2] = {&pair.reference[0], &pair.distorted[0]};
    for (int picture = 0; picture < 2; ++picture) {
        const Plane &plane = *planes[picture];
        const StripSums parts = picture_sums(format, &plane, nullptr, scratch, pool);
        sums.first[picture] = parts.first;
        sums.second[picture].exact = parts.second;
        sums.second[picture].in_order = 0;
        if (parts.second > kExactSum)
            sums.second[picture].in_order =
                sum_in_order(format, [&](int x, int y) { return sample_at(plane, format, x, y); });
    }
}

} // namespace vmafgpu::float_sums
