// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of VIF. One kernel per scale reads the planes of a pair once, and makes the
// statistics and the planes of the next scale. vif_record.cpp launches it. First the filters and
// the vertical pass of a tile, then the kernels; vif.h has the arithmetic of a pixel.
#include "features/vif/vif.h"
#include "features/vif/vif_pixels.h"
#include "simt/quad.h"
#include "simt/reduce.h"

namespace vmafgpu::vif {

// Sums of taps times values for VIF's kernels: down columns that are held in registers, exact in
// 32-bit words.

/// Taps i and i + 1 in one word; taps beyond the ends are 0.
template <int scale> SIMT_DEVICE uint32_t tap_pair(int i)
{
    constexpr int taps = 2 * kHalfWidth[scale] + 1;
    const uint32_t first = i >= 0 && i < taps ? kFilter[scale][i] : 0;
    const uint32_t second = i >= -1 && i < taps - 1 ? kFilter[scale][i + 1] : 0;
    return first | second << 16;
}

/// Returns one byte of each of the taps i to i + 3; taps beyond the ends are 0.
template <int scale> SIMT_DEVICE uint32_t four_tap_bytes(int i, int byte)
{
    const uint32_t pairs[2] = {tap_pair<scale>(i), tap_pair<scale>(i + 2)};
    uint32_t bytes = 0;
    SIMT_UNROLL
    for (int j = 0; j < 4; ++j)
        bytes |= (pairs[j / 2] >> (16 * (j % 2) + 8 * byte) & 255) << (8 * j);
    return bytes;
}

/// Sum of taps * values[first ..], for values below 2^16. Taps are symmetric.
template <int scale> SIMT_DEVICE uint32_t filtered_at(const uint32_t *values, int first)
{
    constexpr int half = kHalfWidth[scale];
    uint32_t sum = mul24(kFilter[scale][half], values[first + half]);
    SIMT_UNROLL
    for (int t = 0; t < half; ++t)
        sum += mul24(kFilter[scale][t], values[first + t] + values[first + 2 * half - t]);
    return sum;
}

/// start + the same, if word j of `pairs` holds the values 2j and 2j + 1.
template <int scale, int n>
SIMT_DEVICE uint32_t filter_pairs_at(const uint32_t (&pairs)[n], int first, uint32_t start)
{
    constexpr int half = kHalfWidth[scale];
    uint32_t sum = start;
    SIMT_UNROLL
    for (int j = 0; j < n; ++j) {
        const int tap = 2 * j - first;
        if (tap > -2 && tap <= 2 * half)
            sum = dot2_u16(tap_pair<scale>(tap), pairs[j], sum);
    }
    return sum;
}

/// filter_pairs_at() for bytes: word j of `column` holds values 4j to 4j + 3.
template <int scale, int n>
SIMT_DEVICE uint32_t filter_bytes_at(const uint32_t (&column)[n], int first, uint32_t start)
{
    constexpr int half = kHalfWidth[scale];
    uint32_t sum = start, high = 0;
    SIMT_UNROLL
    for (int j = 0; j < n; ++j) {
        const int tap = 4 * j - first;
        if (has_dot4_u8()) {
            if (tap > -4 && tap <= 2 * half) {
                sum = dot4_u8(four_tap_bytes<scale>(tap, 0), column[j], sum);
                high = dot4_u8(four_tap_bytes<scale>(tap, 1), column[j], high);
            }
            continue;
        }
        if (tap > -2 && tap <= 2 * half)
            sum = dot2_u16_u8_lo(tap_pair<scale>(tap), column[j], sum);
        if (tap + 2 > -2 && tap + 2 <= 2 * half)
            sum = dot2_u16_u8_hi(tap_pair<scale>(tap + 2), column[j], sum);
    }
    return sum + (high << 8);
}

/// Values below 2^16 to be filtered: one in a word, or two where devices multiply pairs of them.
template <int n> struct Halves {
    static_assert(n % 2 == 0, "whole pairs");
    uint32_t word[n];

    /// The lower or the upper halves of words.
    SIMT_DEVICE void take(const uint32_t (&words)[n], bool upper)
    {
        if (has_dot2_u16()) {
            SIMT_UNROLL
            for (int i = 0; i < n; i += 2)
                word[i / 2] = byte_permute(words[i], words[i + 1], upper ? 0x7632 : 0x5410);
            SIMT_UNROLL
            for (int i = n / 2; i < n; ++i)
                word[i] = 0;
        } else {
            SIMT_UNROLL
            for (int i = 0; i < n; ++i)
                word[i] = upper ? words[i] >> 16 : words[i] & 65535;
        }
    }

    /// start + sum of taps * values first, first + 1, ...
    template <int scale> SIMT_DEVICE uint32_t filter_at(int first, uint32_t start) const
    {
        if (has_dot2_u16())
            return filter_pairs_at<scale>(word, first, start);
        return filtered_at<scale>(word, first) + start;
    }
};

/// 32-bit values as two halves of 16 bits, so that their sums fit 32 bits.
template <int n> struct Limbs {
    Halves<n> high, low;

    SIMT_DEVICE void take(const uint32_t (&values)[n])
    {
        high.take(values, true);
        low.take(values, false);
    }

    /// round_shift(sum of taps * values[first ..], shift) for 0 < shift <= 16. The sum of the high
    /// halves has no bits that the shift would drop.
    template <int scale> SIMT_DEVICE uint32_t filter_at(int first, int shift) const
    {
        const uint32_t low_sum = low.template filter_at<scale>(first, 1u << (shift - 1));
        return (high.template filter_at<scale>(first, 0) << (16 - shift)) + (low_sum >> shift);
    }
};

// A tile of samples with its halo: the way into shared memory and through VIF's vertical pass.
// There is one type for 8-bit and one for 16-bit samples. Both give a thread the moments and
// next-scale values of its column: one value per tile row, or per second row for the next scale
// before its horizontal filter.

constexpr int kTileQuads = kTileColumns / 4;

/// Samples x .. x + 3 of row y.
template <typename Sample>
SIMT_DEVICE Quad<Sample> load_plane_quad(const DevicePlane &plane, int x, int y)
{
    const auto *row = row_of<Sample, Border::kMirror>(plane, y);
    const bool is_inside = x >= 0 && x + 4 <= plane.width &&
                           reinterpret_cast<uintptr_t>(row + x) % sizeof(Quad<Sample>) == 0;
    return load_quad<Sample, Border::kMirror>(row, x, plane.width, is_inside);
}

/// Samples of a tile. This primary template is for 16 bits: a word holds the reference's sample in
/// its lower half and the distorted one in its upper half.
template <int scale, typename Sample> struct SampleTile {
    static constexpr int kHalf = kHalfWidth[scale];
    static constexpr int kRows = kTileRows + 2 * kHalf;
    static constexpr int kSharedQuads = kRows * kTileQuads;

    /// x, y: position of the tile's first column and row, halo included.
    SIMT_DEVICE static void load(const DevicePlane &reference, const DevicePlane &distorted, int x,
                                 int y, ValueQuad *tile)
    {
        for (int i = thread_id(); i < kSharedQuads; i += kTileThreads) {
            const int column = x + 4 * (i % kTileQuads);
            const int row = y + i / kTileQuads;
            const auto r = load_plane_quad<Sample>(reference, column, row);
            const auto d = load_plane_quad<Sample>(distorted, column, row);
            const auto r_low = static_cast<uint32_t>(r), r_high = static_cast<uint32_t>(r >> 32);
            const auto d_low = static_cast<uint32_t>(d), d_high = static_cast<uint32_t>(d >> 32);
            tile[i] = {{byte_permute(r_low, d_low, 0x5410), byte_permute(r_low, d_low, 0x7632),
                        byte_permute(r_high, d_high, 0x5410),
                        byte_permute(r_high, d_high, 0x7632)}};
        }
    }

    /// The samples of this thread's column.
    SIMT_DEVICE explicit SampleTile(const ValueQuad *tile)
    {
        const auto *words = reinterpret_cast<const uint32_t *>(tile);
        SIMT_UNROLL
        for (int row = 0; row < kRows; ++row)
            pairs_[row] = words[row * kTileColumns + thread_id()];
    }

    /// Rounded means of both planes: reference in the lower halves.
    SIMT_DEVICE void means(int depth, uint32_t (&means)[kTileRows]) const
    {
        const int shift = mean_shift(scale, depth);
        Limbs<kRows> planes;
        planes.take(pairs_);
        SIMT_UNROLL
        for (int row = 0; row < kTileRows; ++row) {
            const uint32_t r = round_shift(planes.low.template filter_at<scale>(row, 0), shift);
            const uint32_t d = round_shift(planes.high.template filter_at<scale>(row, 0), shift);
            means[row] = r | d << 16;
        }
    }

    /// Second moments: 0 of the reference, 1 of the distorted plane, 2 of both.
    SIMT_DEVICE void squares(int which, int depth, uint32_t (&moments)[kTileRows]) const
    {
        const int a = which == 1 ? 16 : 0, b = which == 0 ? 0 : 16; // bits of a word
        const int shift = square_shift(scale, depth);
        uint32_t products[kRows];
        SIMT_UNROLL
        for (int row = 0; row < kRows; ++row)
            products[row] = (pairs_[row] >> a & 65535) * (pairs_[row] >> b & 65535);
        Limbs<kRows> limbs;
        limbs.take(products);
        SIMT_UNROLL
        for (int row = 0; row < kTileRows; ++row)
            moments[row] = limbs.template filter_at<scale>(row, shift);
    }

    /// Filters samples for the next scale, as means() does.
    SIMT_DEVICE void halve(int depth, uint32_t (&halved)[kTileRows / 2]) const
    {
        constexpr int kNext = scale + 1;
        const int shift = mean_shift(scale, depth);
        Limbs<kRows> planes;
        planes.take(pairs_);
        SIMT_UNROLL
        for (int row = 0; row < kTileRows / 2; ++row) {
            const int first = kHalf - kHalfWidth[kNext] + 2 * row;
            const uint32_t r = planes.low.template filter_at<kNext>(first, 0);
            const uint32_t d = planes.high.template filter_at<kNext>(first, 0);
            halved[row] = round_shift(r, shift) | round_shift(d, shift) << 16;
        }
    }

private:
    uint32_t pairs_[kRows];
};

/// 8-bit samples, scale 0 only: a word holds four rows of a column of one plane. The planes are
/// stored one after the other.
template <> struct SampleTile<0, uint8_t> {
    static constexpr int kHalf = kHalfWidth[0];
    static constexpr int kRows = kTileRows + 2 * kHalf;
    static constexpr int kWords = kRows / 4; ///< words of a column
    static_assert(kRows % 4 == 0, "whole words");
    static constexpr int kPlaneQuads = kWords * kTileQuads;
    static constexpr int kSharedQuads = 2 * kPlaneQuads;

    SIMT_DEVICE static void load(const DevicePlane &reference, const DevicePlane &distorted, int x,
                                 int y, ValueQuad *tile)
    {
        for (int i = thread_id(); i < kSharedQuads; i += kTileThreads) {
            // A reference to one of the two would move both to memory.
            const bool is_distorted = i >= kPlaneQuads;
            const DevicePlane plane = {is_distorted ? distorted.data : reference.data,
                                       is_distorted ? distorted.pitch : reference.pitch,
                                       reference.width, reference.height};
            const int at = is_distorted ? i - kPlaneQuads : i;
            const int column = x + 4 * (at % kTileQuads);
            const int row = y + 4 * (at / kTileQuads);
            uint32_t rows[4] = {};
            load_rows(plane, column, row, rows);
            const uint32_t top_left = byte_permute(rows[0], rows[1], 0x5140);
            const uint32_t bottom_left = byte_permute(rows[2], rows[3], 0x5140);
            const uint32_t top_right = byte_permute(rows[0], rows[1], 0x7362);
            const uint32_t bottom_right = byte_permute(rows[2], rows[3], 0x7362);
            tile[i] = {{byte_permute(top_left, bottom_left, 0x5410),
                        byte_permute(top_left, bottom_left, 0x7632),
                        byte_permute(top_right, bottom_right, 0x5410),
                        byte_permute(top_right, bottom_right, 0x7632)}};
        }
    }

    /// Samples x .. x + 3 of four rows.
    SIMT_DEVICE static void load_rows(const DevicePlane &plane, int x, int y, uint32_t (&rows)[4])
    {
        const bool is_aligned = ((reinterpret_cast<uintptr_t>(plane.data) |
                                  static_cast<uintptr_t>(plane.pitch) | static_cast<uintptr_t>(x)) &
                                 3) == 0;
        if (is_aligned && x >= 0 && x + 4 <= plane.width) {
            SIMT_UNROLL
            for (int r = 0; r < 4; ++r)
                rows[r] = load_readonly(reinterpret_cast<const uint32_t *>(
                    row_of<uint8_t, Border::kMirror>(plane, y + r) + x));
            return;
        }
        // Borders share one copy of the code, to keep the kernel within 32 KiB.
        SIMT_NO_UNROLL
        for (int r = 0; r < 4; ++r) {
            rows[0] = rows[1];
            rows[1] = rows[2];
            rows[2] = rows[3];
            rows[3] = load_plane_quad<uint8_t>(plane, x, y + r);
        }
    }

    SIMT_DEVICE explicit SampleTile(const ValueQuad *tile)
    {
        const auto *words = reinterpret_cast<const uint32_t *>(tile);
        SIMT_UNROLL
        for (int plane = 0; plane < 2; ++plane)
            SIMT_UNROLL
        for (int j = 0; j < kWords; ++j) {
            column_[plane][j] = words[(plane * kWords + j) * kTileColumns + thread_id()];
            pairs_[plane][2 * j] = byte_permute(column_[plane][j], 0, 0x4140);
            pairs_[plane][2 * j + 1] = byte_permute(column_[plane][j], 0, 0x4342);
        }
    }

    SIMT_DEVICE void means(int, uint32_t (&means)[kTileRows]) const
    {
        SIMT_UNROLL
        for (int row = 0; row < kTileRows; ++row)
            means[row] = both_means<0>(row);
    }

    SIMT_DEVICE void squares(int which, int, uint32_t (&moments)[kTileRows]) const
    {
        const int a = which == 1 ? 1 : 0, b = which == 0 ? 0 : 1; // planes
        Halves<kRows> products = {};
        if (has_dot2_u16()) {
            SIMT_UNROLL
            for (int i = 0; i < kRows / 2; ++i)
                products.word[i] = multiply2_u16(pairs_[a][i], pairs_[b][i]);
        } else {
            SIMT_UNROLL
            for (int row = 0; row < kRows; ++row)
                products.word[row] = mul24(sample(a, row), sample(b, row));
        }
        SIMT_UNROLL
        for (int row = 0; row < kTileRows; ++row)
            moments[row] = products.template filter_at<0>(row, 0);
    }

    SIMT_DEVICE void halve(int, uint32_t (&halved)[kTileRows / 2]) const
    {
        SIMT_UNROLL
        for (int row = 0; row < kTileRows / 2; ++row)
            halved[row] = both_means<1>(kHalf - kHalfWidth[1] + 2 * row);
    }

private:
    /// Rounded means of both planes, from row `first` on.
    template <int taps> SIMT_DEVICE uint32_t both_means(int first) const
    {
        return mean<taps>(0, first) | mean<taps>(1, first) << 16;
    }

    template <int taps> SIMT_DEVICE uint32_t mean(int plane, int first) const
    {
        if (has_dot2_u16())
            return filter_pairs_at<taps>(pairs_[plane], first, 128) >> 8;
        return filter_bytes_at<taps>(column_[plane], first, 128) >> 8;
    }

    SIMT_DEVICE uint32_t sample(int plane, int row) const
    {
        return column_[plane][row / 4] >> (8 * (row % 4)) & 255;
    }

    uint32_t column_[2][kWords];    ///< four rows a word
    uint32_t pairs_[2][2 * kWords]; ///< samples with two rows in a word; unused without dot2_u16()
};

namespace {

constexpr int kWaveSumsBytes = kTileThreads / kMinWave * kSums * sizeof(int64_t);

constexpr int kTileSquares = 3;
constexpr int kQuantities = 1 + kTileSquares; ///< the means of both planes are one
constexpr int kQuantityQuads = kTileRows * kTileQuads;

/// Place of a column's quad in a row of vertical results. Neighbouring threads write
/// neighbouring columns but read the same columns of neighbouring rows: the
/// permutation spreads both over the banks.
SIMT_DEVICE int quad_index(int row, int quad)
{
    static_assert(kTileRows == 8 && kTileQuads % 8 == 0, "row may flip three bits");
    return row * kTileQuads + (quad ^ row);
}

/// Vertically filtered quantities of this thread's column.
template <int count>
SIMT_DEVICE void store_columns(const uint32_t (&columns)[count][kTileRows], ValueQuad *quantities)
{
    auto *words = reinterpret_cast<uint32_t *>(quantities);
    const int quad = thread_id() / 4, rest = thread_id() % 4;
    SIMT_UNROLL
    for (int row = 0; row < kTileRows; ++row) {
        uint32_t *at = words + quad_index(row, quad) * 4 + rest;
        SIMT_UNROLL
        for (int i = 0; i < count; ++i)
            at[i * 4 * kQuantityQuads] = columns[i][row];
    }
}

SIMT_DEVICE void store_halved(const uint32_t (&column)[kTileRows / 2], ValueQuad *halved)
{
    auto *words = reinterpret_cast<uint32_t *>(halved);
    SIMT_UNROLL
    for (int row = 0; row < kTileRows / 2; ++row)
        words[row * kTileColumns + thread_id()] = column[row];
}

/// The pixels of one thread in the horizontal pass: kRun neighbours of a row.
template <int scale> struct Run {
    static constexpr int kHalf = kHalfWidth[scale];
    /// Columns between a quad's begin and the first tap.
    static constexpr int kSkip = side_columns(scale) - kHalf;
    static constexpr int kWindowQuads = (kSkip + kRun + 2 * kHalf + 3) / 4;
    static constexpr int kWindow = 4 * kWindowQuads;

    int row, column; ///< position of the tile
    int pixels;      ///< how many of them there are
    bool has_pixels;
    uint32_t means[2][kRun]; ///< with 16 fractional bits more than the vertical ones
    int32_t sigmas[3][kRun];

    /// x, y: first pixel of the tile.
    SIMT_DEVICE Run(const ScaleArgs &args, int x, int y)
        : row(thread_id() % kTileRows), column(thread_id() / kTileRows * kRun),
          pixels(smaller(tile_width(scale) - column, args.width - x - column)),
          has_pixels(pixels > 0 && y + row < args.height)
    {
    }

    SIMT_DEVICE static void read(const ValueQuad *quantity, int row, int first,
                                 uint32_t (&window)[kWindow])
    {
        SIMT_UNROLL
        for (int j = 0; j < kWindowQuads; ++j) {
            const ValueQuad quad = quantity[quad_index(row, first + j)];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                window[4 * j + i] = quad.word[i];
        }
    }

    /// `quantity` is that of the means.
    SIMT_DEVICE void filter_means(const ValueQuad *quantity)
    {
        uint32_t window[kWindow];
        read(quantity, row, column / 4, window);
        Limbs<kWindow> planes;
        planes.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i) {
            means[0][i] = planes.low.template filter_at<scale>(kSkip + i, 0);
            means[1][i] = planes.high.template filter_at<scale>(kSkip + i, 0);
        }
    }

    /// Second moments, as SampleTile::squares() numbers them; after filter_means().
    SIMT_DEVICE void filter_squares(int which, const ValueQuad *quantity)
    {
        const int a = which == 1 ? 1 : 0, b = which == 0 ? 0 : 1;
        uint32_t window[kWindow];
        read(quantity, row, column / 4, window);
        Limbs<kWindow> limbs;
        limbs.take(window);
        SIMT_UNROLL
        for (int i = 0; i < kRun; ++i)
            sigmas[which][i] = second_moment(limbs.template filter_at<scale>(kSkip + i, 16),
                                             means[a][i], means[b][i]);
    }

    SIMT_DEVICE void add(const ScaleArgs &args, const Logs &logs, ThreadSums &sums) const
    {
        const auto sigma_of = [&](int i) {
            return Sigma{sigmas[0][i], sigmas[1][i], sigmas[2][i]};
        };
        if (has_one_limit(args.limits))
            add_all<1, kRun>(sigma_of, pixels, args.limits, logs, sums);
        else
            add_all<kMaxLimits, kRun>(sigma_of, pixels, args.limits, logs, sums);
    }
};

/// Horizontal pass and statistics; x, y: first pixel of the tile.
template <int scale> SIMT_DEVICE void measure(const ScaleArgs &args, const ValueQuad *moments,
                                              const Logs &logs, int x, int y, ThreadSums &sums)
{
    Run<scale> run(args, x, y);
    if (!run.has_pixels)
        return;
    run.filter_means(moments);
    SIMT_UNROLL
    for (int i = 0; i < kTileSquares; ++i)
        run.filter_squares(i, moments + (1 + i) * kQuantityQuads);
    run.add(args, logs, sums);
}

/// Horizontal pass of the next scale. Each thread makes two samples of both planes.
template <int scale>
SIMT_DEVICE void write_next(const ScaleArgs &args, const ValueQuad *halved, int x, int y)
{
    constexpr int kNext = scale + 1;
    constexpr int kHalf = kHalfWidth[kNext];
    constexpr int kBegin = side_columns(scale) - kHalf; // first tap of the tile
    constexpr int kSkip = kBegin % 4;
    constexpr int kWindow = (kSkip + 3 + 2 * kHalf + 3) / 4 * 4;
    constexpr int kItems = tile_width(scale) / 4;
    const int row = thread_id() / kItems;
    const int item = thread_id() % kItems;
    const int next_x = x / 2 + 2 * item, next_y = y / 2 + row;
    if (row >= kTileRows / 2 || next_x >= args.width / 2 || next_y >= args.height / 2)
        return;
    uint32_t window[kWindow];
    SIMT_UNROLL
    for (int j = 0; j < kWindow / 4; ++j) {
        const ValueQuad quad = halved[row * kTileQuads + kBegin / 4 + item + j];
        SIMT_UNROLL
        for (int i = 0; i < 4; ++i)
            window[4 * j + i] = quad.word[i];
    }
    Halves<kWindow> samples[2];
    samples[0].take(window, false);
    samples[1].take(window, true);
    char *planes = args.next + args.next_stride * block_id_z() + args.next_pitch * next_y;
    SIMT_UNROLL
    for (int plane = 0; plane < 2; ++plane) {
        auto *to = reinterpret_cast<uint16_t *>(planes + args.next_plane_bytes * plane) + next_x;
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i) {
            const uint32_t sum = samples[plane].template filter_at<kNext>(kSkip + 2 * i, 0);
            if (next_x + i < args.width / 2)
                to[i] = static_cast<uint16_t>(round_shift(sum, 16));
        }
    }
}

/// Adds the sums of all threads to the pair's, through shared memory. [block]
SIMT_DEVICE void add_sums(const ThreadSums &sums, int limit_count, int64_t *wave_sums, char *to)
{
    const int32_t second = limit_count > 1 ? wave_sum(sums.num_log[1]) : 0;
    const int64_t parts[kSums] = {wave_sum(sums.num_log[0]), second, wave_sum(sums.den_log),
                                  wave_sum(sums.num_nl), wave_sum(sums.den_nl)};
    if (lane_id() == 0) {
        SIMT_UNROLL
        for (int i = 0; i < kSums; ++i)
            wave_sums[wave_id() * kSums + i] = parts[i];
    }
    barrier();
    if (thread_id() < kSums) {
        int64_t sum = 0;
        for (int wave = 0; wave < kTileThreads / wave_size(); ++wave)
            sum += wave_sums[wave * kSums + thread_id()];
        atomic_add(reinterpret_cast<int64_t *>(to) + thread_id(), sum);
    }
}

/// The tile of a block, by all threads; a barrier must follow.
template <int scale, typename Sample> SIMT_DEVICE void
load_tile(const ScaleArgs &args, const PairArgs &pair, int x, int y, ValueQuad *tile)
{
    using Tile = SampleTile<scale, Sample>;
    const auto plane = [&](const void *data, int64_t pitch) {
        return DevicePlane{static_cast<const char *>(data), pitch, args.width, args.height};
    };
    Tile::load(plane(pair.reference, pair.reference_pitch),
               plane(pair.distorted, pair.distorted_pitch), x - side_columns(scale),
               y - Tile::kHalf, tile);
}

/// A block's work with all moments at once. Order of ScaleSums' fields: add_sums().
template <int scale, typename Sample> SIMT_DEVICE void run_scale(const ScaleArgs &args)
{
    using Tile = SampleTile<scale, Sample>;
    SIMT_SHARED(ValueQuad, tile, Tile::kSharedQuads);
    SIMT_SHARED(ValueQuad, moments, kQuantities * kQuantityQuads);
    SIMT_SHARED(ValueQuad, halved, kTileRows / 2 * kTileQuads);
    SIMT_SHARED(ValueQuad, logs, kLogBytes / 16);

    const PairArgs &pair = args.pairs[block_id_z()];
    const int x = block_id_x() * tile_width(scale);
    const int y = block_id_y() * kTileRows;
    const bool is_measured = args.is_measured != 0;
    load_tile<scale, Sample>(args, pair, x, y, tile);
    if (is_measured)
        copy_logs(args.logs, thread_id(), kTileThreads, logs);
    barrier();

    {
        const Tile samples(tile);
        if constexpr (scale + 1 < kScales) {
            uint32_t column[kTileRows / 2];
            samples.halve(args.depth, column);
            store_halved(column, halved);
        }
        if (is_measured) {
            uint32_t columns[kQuantities][kTileRows];
            samples.means(args.depth, columns[0]);
            SIMT_UNROLL
            for (int i = 0; i < kTileSquares; ++i)
                samples.squares(i, args.depth, columns[1 + i]);
            store_columns(columns, moments);
        }
    }
    barrier();

    if constexpr (scale + 1 < kScales)
        write_next<scale>(args, halved, x, y);
    if (is_measured) {
        ThreadSums sums = {};
        measure<scale>(args, moments, {reinterpret_cast<const uint16_t *>(logs)}, x, y, sums);
        // No room of their own: two blocks on 64 KiB. Nobody reads the tile any more.
        static_assert(sizeof(ValueQuad) * Tile::kSharedQuads >= kWaveSumsBytes, "they fit");
        add_sums(sums, args.limits.count, reinterpret_cast<int64_t *>(tile),
                 args.sums + args.sums_stride * block_id_z());
    }
}

/// measure() for quantities that come one after the other, in two buffers: while one quantity is
/// filtered horizontally, the next one is filtered vertically. Buffer 0 must be free. [block]
template <int scale, typename Tile>
SIMT_DEVICE void measure_in_turns(const ScaleArgs &args, const Tile &samples,
                                  ValueQuad *const (&buffers)[2], const Logs &logs, int x, int y,
                                  ThreadSums &sums)
{
    uint32_t columns[1][kTileRows];
    samples.means(args.depth, columns[0]);
    store_columns(columns, buffers[0]);
    barrier();
    Run<scale> run(args, x, y);
    if (run.has_pixels)
        run.filter_means(buffers[0]);
    SIMT_UNROLL
    for (int i = 0; i < kTileSquares; ++i) {
        ValueQuad *const buffer = buffers[(1 + i) % 2];
        samples.squares(i, args.depth, columns[0]);
        store_columns(columns, buffer);
        barrier();
        if (run.has_pixels)
            run.filter_squares(i, buffer);
    }
    if (run.has_pixels)
        run.add(args, logs, sums);
}

/// A block's work with half of the shared memory or less, and more barriers. The tile is where the
/// buffers and the table of logarithms will be.
template <int scale, typename Sample> SIMT_DEVICE void scale_in_turns(const ScaleArgs &args)
{
    using Tile = SampleTile<scale, Sample>;
    constexpr int kAllQuads = 2 * kQuantityQuads + kLogBytes / 16;
    static_assert(Tile::kSharedQuads <= kAllQuads, "the tile fits");
    SIMT_SHARED(ValueQuad, memory, kAllQuads);
    ValueQuad *const buffers[2] = {memory, memory + kQuantityQuads};
    ValueQuad *const logs = memory + 2 * kQuantityQuads;

    const PairArgs &pair = args.pairs[block_id_z()];
    const int x = block_id_x() * tile_width(scale);
    const int y = block_id_y() * kTileRows;
    load_tile<scale, Sample>(args, pair, x, y, memory);
    LogShare<kTileThreads> share;
    share.load(args.logs, thread_id()); // the load runs while the tile is computed
    barrier();
    const Tile samples(memory);
    barrier();
    share.store(logs, thread_id());
    if constexpr (scale + 1 < kScales) {
        uint32_t column[kTileRows / 2];
        samples.halve(args.depth, column);
        store_halved(column, buffers[1]);
        barrier();
        write_next<scale>(args, buffers[1], x, y);
    }
    if (args.is_measured != 0) {
        ThreadSums sums = {};
        measure_in_turns<scale>(args, samples, buffers, {reinterpret_cast<const uint16_t *>(logs)},
                                x, y, sums);
        static_assert(kTileSquares % 2 == 1 && sizeof(ValueQuad) * kQuantityQuads >= kWaveSumsBytes,
                      "nobody reads buffer 0 since the last barrier, and they fit");
        add_sums(sums, args.limits.count, reinterpret_cast<int64_t *>(buffers[0]),
                 args.sums + args.sums_stride * block_id_z());
    }
}

template <int scale, typename Sample> SIMT_DEVICE void run_block(const ScaleArgs &args)
{
    if (has_scarce_shared())
        scale_in_turns<scale, Sample>(args);
    else
        run_scale<scale, Sample>(args);
}

} // namespace

SIMT_KERNEL(vif_scale0_u8, ScaleArgs, kTileThreads, 6)
{
    run_block<0, uint8_t>(args);
}

SIMT_KERNEL(vif_scale0_u16, ScaleArgs, kTileThreads, 4)
{
    run_block<0, uint16_t>(args);
}

SIMT_KERNEL(vif_scale1, ScaleArgs, kTileThreads, 4)
{
    run_block<1, uint16_t>(args);
}

SIMT_KERNEL(vif_scale2, ScaleArgs, kTileThreads, 4)
{
    run_block<2, uint16_t>(args);
}

SIMT_KERNEL(vif_scale3, ScaleArgs, kTileThreads, 4)
{
    run_block<3, uint16_t>(args);
}

} // namespace vmafgpu::vif
