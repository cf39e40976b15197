// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's wavelet for a lane that walks to the right along one row of bands. In steps it reads its
// own two input rows, takes the two rows below from the next lane, filters vertically, and then
// horizontally over a window of four columns. A subject of its own: adm_kernels.cpp uses its bands.
//
// Sample j reads columns 2j-1 to 2j+2. So a step that starts at input column c completes the
// samples from c/2-1 on. In approximation bands the columns lie one place later (kMargin), so
// that a step has complete pairs. In pictures the last column is kept for the next step.
#pragma once

#include "features/adm/adm.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_tables.h"
#include "simt/simt.h"

namespace vmafgpu::adm {
namespace adm {

// Constants of their own: device code may use a host constant's value, but not elements of an
// array.
constexpr int32_t kLow0 = kLowTaps[0], kLow1 = kLowTaps[1];
constexpr int32_t kLow2 = kLowTaps[2], kLow3 = kLowTaps[3];
constexpr int32_t kHigh0 = kHighTaps[0], kHigh1 = kHighTaps[1];
constexpr int32_t kHigh2 = kHighTaps[2], kHigh3 = kHighTaps[3];

/// One input column after the vertical filters.
struct Column {
    int32_t low, high;
};

/// Two samples of each column, one above the other, for the columns of one step.
template <typename Sample> struct Stack;

template <> struct Stack<uint8_t> {
    static constexpr int kColumns = 8;
    static constexpr int kWords = 2; ///< words per row
    static constexpr int kPairs = 4; ///< words of two columns each
};
template <> struct Stack<uint16_t> {
    static constexpr int kColumns = 8;
    static constexpr int kWords = 4;
    static constexpr int kPairs = 8; ///< words of one column each
};
template <> struct Stack<int16_t> : Stack<uint16_t> {
};
template <> struct Stack<int32_t> {
    static constexpr int kColumns = 4;
    static constexpr int kWords = 4;
    static constexpr int kPairs = 8; ///< the upper samples, then the lower ones
};

template <int kWords> struct alignas(4 * kWords) RowWords {
    uint32_t word[kWords];
};

/// Rows 2n-1 and 2n of one image, as stored in memory.
template <typename Sample> struct Raw {
    RowWords<Stack<Sample>::kWords> upper, lower;
};

/// Where a lane reads one image. Rows begin at multiples of 16 bytes, and are counted so: pointers
/// would take twice the registers, of which none is left.
struct Rows {
    static constexpr int kItem = 16;
    const char *data;
    uint32_t upper, lower;

    SIMT_DEVICE const char *row(uint32_t items) const
    {
        return data + static_cast<int64_t>(items) * kItem;
    }
};

/// Two input rows of a lane; beyond the picture, where nobody looks, some row.
SIMT_DEVICE Rows rows_of(const ScaleArgs &args, int image, int y)
{
    const auto &input = args.input[block_id_z()][image];
    const char *data = static_cast<const char *>(input.data);
    int rows[2];
    SIMT_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int at = mirror_high_repeat(2 * y - 1 + i, args.input_height);
        rows[i] = at < 0 ? 0 : (at >= args.input_height ? args.input_height - 1 : at);
    }
    const int64_t items = input.pitch / Rows::kItem;
    return {data, static_cast<uint32_t>(items * rows[0]), static_cast<uint32_t>(items * rows[1])};
}

template <typename Sample> SIMT_DEVICE Raw<Sample> load_inside(const Rows &rows, int step)
{
    using Words = RowWords<Stack<Sample>::kWords>;
    return {load_readonly(reinterpret_cast<const Words *>(rows.row(rows.upper)) + step),
            load_readonly(reinterpret_cast<const Words *>(rows.row(rows.lower)) + step)};
}

/// A step of a picture that reaches beyond its left or right edge.
template <typename Sample> SIMT_DEVICE Raw<Sample> load_edge(const Rows &rows, int step, int width)
{
    constexpr int kPerWord = 4 / static_cast<int>(sizeof(Sample));
    constexpr int kBits = 8 * static_cast<int>(sizeof(Sample));
    Raw<Sample> raw;
    SIMT_UNROLL
    for (int w = 0; w < Stack<Sample>::kWords; ++w) {
        raw.upper.word[w] = 0;
        raw.lower.word[w] = 0;
        SIMT_UNROLL
        for (int i = 0; i < kPerWord; ++i) {
            const int at =
                mirror_high_repeat(Stack<Sample>::kColumns * step + w * kPerWord + i, width);
            const int x = at < 0 ? 0 : (at >= width ? width - 1 : at);
            const auto upper =
                static_cast<uint32_t>(reinterpret_cast<const Sample *>(rows.row(rows.upper))[x]);
            const auto lower =
                static_cast<uint32_t>(reinterpret_cast<const Sample *>(rows.row(rows.lower))[x]);
            raw.upper.word[w] |= upper << (kBits * i);
            raw.lower.word[w] |= lower << (kBits * i);
        }
    }
    return raw;
}

template <int kScale, typename Sample>
SIMT_DEVICE Raw<Sample> load_step(const ScaleArgs &args, const Rows &rows, int step)
{
    if constexpr (kScale == 0) {
        if (step < 0 || (step + 1) * Stack<Sample>::kColumns > args.input_width)
            return load_edge<Sample>(rows, step, args.input_width);
        return load_inside<Sample>(rows, step);
    } else {
        // Samples to the left of the margin are never used.
        return load_inside<Sample>(rows, step < 0 ? 0 : step);
    }
}

/// Packs pairs of samples, so that lanes exchange few words.
template <typename Sample>
SIMT_DEVICE void stack(const Raw<Sample> &raw, uint32_t (&pairs)[Stack<Sample>::kPairs])
{
    SIMT_UNROLL
    for (int w = 0; w < Stack<Sample>::kWords; ++w) {
        if constexpr (sizeof(Sample) == 4) {
            pairs[w] = raw.upper.word[w];
            pairs[Stack<Sample>::kWords + w] = raw.lower.word[w];
        } else {
            const bool is_byte = sizeof(Sample) == 1;
            pairs[2 * w] =
                byte_permute(raw.upper.word[w], raw.lower.word[w], is_byte ? 0x5140 : 0x5410);
            pairs[2 * w + 1] =
                byte_permute(raw.upper.word[w], raw.lower.word[w], is_byte ? 0x7362 : 0x7632);
        }
    }
}

SIMT_DEVICE constexpr uint32_t two_taps(int32_t first, int32_t second)
{
    return (static_cast<uint32_t>(first) & 65535u) | static_cast<uint32_t>(second) << 16;
}

/// Both vertical filters for column `at` of 8-bit samples, without rounding.
template <typename Sample> SIMT_DEVICE Column filter_pairs(const uint32_t (&own)[4],
                                                           const uint32_t (&below)[4], int at,
                                                           Column start)
{
    constexpr uint32_t kLows01 = two_taps(kLow0, kLow1);
    constexpr uint32_t kLows23 = two_taps(kLow2, kLow3);
    constexpr uint32_t kHighs01 = two_taps(kHigh0, kHigh1);
    constexpr uint32_t kHighs23 = two_taps(kHigh2, kHigh3);
    const uint32_t a = own[at / 2];
    const uint32_t b = below[at / 2];
    if (at % 2 == 0)
        return {dot2_s16_u8_lo(kLows23, b, dot2_s16_u8_lo(kLows01, a, start.low)),
                dot2_s16_u8_lo(kHighs23, b, dot2_s16_u8_lo(kHighs01, a, start.high))};
    return {dot2_s16_u8_hi(kLows23, b, dot2_s16_u8_hi(kLows01, a, start.low)),
            dot2_s16_u8_hi(kHighs23, b, dot2_s16_u8_hi(kHighs01, a, start.high))};
}

/// filter_pairs() of 16-bit samples. Partial sums may wrap; results fit (docs/numerics/adm.md).
template <typename Sample> SIMT_DEVICE Column filter_pairs(const uint32_t (&own)[8],
                                                           const uint32_t (&below)[8], int at,
                                                           Column start)
{
    constexpr int32_t kLow[4] = {kLow0, kLow1, kLow2, kLow3};
    constexpr int32_t kHigh[4] = {kHigh0, kHigh1, kHigh2, kHigh3};
    const int32_t samples[4] = {static_cast<Sample>(own[at]), static_cast<Sample>(own[at] >> 16),
                                static_cast<Sample>(below[at]),
                                static_cast<Sample>(below[at] >> 16)};
    auto low = static_cast<uint32_t>(start.low);
    auto high = static_cast<uint32_t>(start.high);
    SIMT_UNROLL
    for (int t = 0; t < 4; ++t) {
        low += static_cast<uint32_t>(kLow[t]) * static_cast<uint32_t>(samples[t]);
        high += static_cast<uint32_t>(kHigh[t]) * static_cast<uint32_t>(samples[t]);
    }
    return {static_cast<int32_t>(low), static_cast<int32_t>(high)};
}

template <typename T> SIMT_DEVICE T filter_low(T a, T b, T c, T d)
{
    return kLow0 * a + kLow1 * b + kLow2 * c + kLow3 * d;
}

template <typename T> SIMT_DEVICE T filter_high(T a, T b, T c, T d)
{
    return kHigh0 * a + kHigh1 * b + kHigh2 * c + kHigh3 * d;
}

/// Both vertical filters for column `at` of a step, rounded.
template <int kScale, typename Sample>
SIMT_DEVICE Column filter_down(const ScaleArgs &args, const uint32_t (&own)[Stack<Sample>::kPairs],
                               const uint32_t (&below)[Stack<Sample>::kPairs], int at)
{
    if constexpr (kScale == 0) {
        constexpr int32_t kSum = kLow0 + kLow1 + kLow2 + kLow3;
        const int depth = sizeof(Sample) == 1 ? 8 : args.depth;
        const uint32_t half = 1u << (depth - 1);
        const auto grey = static_cast<int32_t>(half - static_cast<uint32_t>(kSum) * half);
        const Column sums =
            filter_pairs<Sample>(own, below, at, {grey, static_cast<int32_t>(half)});
        return {sums.low >> depth, sums.high >> depth};
    } else if constexpr (kScale == 1) {
        return filter_pairs<Sample>(own, below, at, {0, 0});
    } else {
        constexpr int kShift = kVerticalShift[kScale];
        constexpr int kWords = Stack<Sample>::kWords;
        const auto a = static_cast<int32_t>(own[at]), b = static_cast<int32_t>(own[kWords + at]);
        const auto c = static_cast<int32_t>(below[at]);
        const auto d = static_cast<int32_t>(below[kWords + at]);
        return {static_cast<int32_t>(round_shift(filter_low<int64_t>(a, b, c, d), kShift)),
                static_cast<int32_t>(round_shift(filter_high<int64_t>(a, b, c, d), kShift))};
    }
}

/// Column -1 of both images where it is no mirror image (takes_no_mirror()), in a lane's rows of
/// the last scale's input. below: the lane that has the next two rows. [wave]
SIMT_DEVICE void narrow_fronts(const ScaleArgs &args, const Rows (&rows)[2], int below,
                               Column (&fronts)[2])
{
    constexpr int kWords = Stack<int32_t>::kWords;
    const int at = kMargin + args.input_width - 1;
    Column last[2];
    SIMT_UNROLL
    for (int image = 0; image < 2; ++image) {
        uint32_t own[Stack<int32_t>::kPairs] = {}, next[Stack<int32_t>::kPairs] = {};
        const Rows &from = rows[image];
        own[0] = reinterpret_cast<const uint32_t *>(from.row(from.upper))[at];
        own[kWords] = reinterpret_cast<const uint32_t *>(from.row(from.lower))[at];
        next[0] = shfl(own[0], below);
        next[kWords] = shfl(own[kWords], below);
        last[image] = filter_down<3, int32_t>(args, own, next, 0);
    }
    fronts[0] = {0, last[0].low};
    fronts[1] = {last[0].high, last[1].low};
}

/// The bands of one image at one position: approximation, h, v, d.
struct Bands {
    int32_t a, detail[3];
};

/// Horizontal filters over four columns.
template <int kScale> SIMT_DEVICE Bands filter_across(const Column (&w)[4])
{
    if constexpr (kScale == 0) {
        const auto narrow = [](int32_t sum) {
            return (sum + 32768) >> 16;
        };
        return {narrow(filter_low<int64_t>(w[0].low, w[1].low, w[2].low, w[3].low)),
                {narrow(filter_low<int64_t>(w[0].high, w[1].high, w[2].high, w[3].high)),
                 narrow(filter_high<int64_t>(w[0].low, w[1].low, w[2].low, w[3].low)),
                 narrow(filter_high<int64_t>(w[0].high, w[1].high, w[2].high, w[3].high))}};
    } else {
        constexpr int kShift = kHorizontalShift[kScale];
        const auto narrow = [](int64_t sum) {
            return static_cast<int32_t>(round_shift(sum, kShift));
        };
        return {narrow(filter_low<int64_t>(w[0].low, w[1].low, w[2].low, w[3].low)),
                {narrow(filter_low<int64_t>(w[0].high, w[1].high, w[2].high, w[3].high)),
                 narrow(filter_high<int64_t>(w[0].low, w[1].low, w[2].low, w[3].low)),
                 narrow(filter_high<int64_t>(w[0].high, w[1].high, w[2].high, w[3].high))}};
    }
}

} // namespace adm
} // namespace vmafgpu::adm
