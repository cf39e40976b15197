// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of VIF for devices with matrix_u8() or matrix_s8(). A file of its own, because other
// devices have no image of it. The results equal those of vif_kernels.cpp. A wave walks along a
// strip of rows and keeps all intermediate values in its registers; waves exchange nothing.
// vif_record.cpp launches it.
#include "features/vif/vif_matrix.h"
#include "features/vif/vif_pixels.h"
#include "simt/reduce.h"

namespace vmafgpu::vif {
namespace {

/// Vertical results of a lane at the 16 columns before the current ones: each word four
/// neighbouring columns; [byte][part of the strip].
template <typename Layout, int bytes> using Columns = uint32_t[bytes][Layout::kParts];

/// State that a wave carries from step to step.
template <typename Layout> struct Walk {
    Columns<Layout, 2> means[2];
    Columns<Layout, 4> squares[3];
    Columns<Layout, 2> halved[2]; ///< for the next scale; one part only
};

/// Results of a lane: pixel i of part p is at row 8p + pixel_row(lane, i) and column
/// pixel_column(lane, i) of the 16 that the step completes.
template <typename Layout> struct Pixels {
    uint32_t means[2][Layout::kParts][4];
    int32_t sigmas[3][Layout::kParts][4];
};

/// Operand of the horizontal pass: the previous columns, then the new ones, which
/// become the previous ones.
template <typename Layout, int bytes> SIMT_DEVICE Operand<Layout, bytes>
next_operand(uint32_t (&previous)[bytes][Layout::kParts], const uint32_t (&fresh)[bytes], int part)
{
    Operand<Layout, bytes> operand;
    SIMT_UNROLL
    for (int j = 0; j < bytes; ++j) {
        const uint32_t word = matrix_bytes<Layout>(fresh[j]);
        operand.byte[j] = {{previous[j][part], word}};
        previous[j][part] = word;
    }
    return operand;
}

template <typename Layout, int scale, typename Sample> struct Step {
    using Samples = StripSamples<Layout, Sample>;
    static constexpr int kBytes = Samples::kBytes;
    static constexpr bool kIs8 = kBytes == 1;
    static constexpr int kParts = Layout::kParts;
    static constexpr int kNextRows = 4 / kParts; ///< rows of a lane, in the next scale

    const LaneTaps<Layout> &taps;
    int shift_mean, shift_square;

    /// Vertical sum to bytes of the rounded mean. `values`: neighbouring columns.
    SIMT_DEVICE void split_means(uint32_t (&values)[4], uint32_t (&bytes)[2]) const
    {
        if (scale > 0 || kIs8) { // the shift is whole bytes: leave it to the permutation
            constexpr int kShift = scale > 0 ? 16 : 8;
            SIMT_UNROLL
            for (uint32_t &value : values)
                value += 1u << (kShift - 1);
            two_bytes<kShift / 8>(values, bytes);
        } else {
            SIMT_UNROLL
            for (uint32_t &value : values)
                value = (value + (1u << (shift_mean - 1))) >> shift_mean;
            two_bytes<0>(values, bytes);
        }
    }

    SIMT_DEVICE void means(const Samples &samples, Columns<Layout, 2> &previous,
                           uint32_t (&out)[kParts][4]) const
    {
        MatrixC down[kParts][kBytes + 1];
        SIMT_UNROLL
        for (int j = 0; j < kParts; ++j)
            multiply(taps, samples.operand(j), down[j]);
        SIMT_UNROLL
        for (int part = 0; part < kParts; ++part) {
            uint32_t values[4], bytes[2];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                values[i] = whole_part<Layout>(down[i % kParts], 2 * part + i / kParts);
            split_means(values, bytes);
            MatrixC across[3];
            multiply(taps, next_operand<Layout>(previous, bytes, part), across);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                out[part][i] = whole_part<Layout>(across, i);
        }
    }

    SIMT_DEVICE void squares(const Samples &a, const Samples &b, Columns<Layout, 4> &previous,
                             uint32_t (&out)[kParts][4]) const
    {
        MatrixC down[kParts][2 * kBytes + 1];
        SIMT_UNROLL
        for (int j = 0; j < kParts; ++j)
            multiply(taps, Samples::products(a, b, j), down[j]);
        SIMT_UNROLL
        for (int part = 0; part < kParts; ++part) {
            uint32_t values[4], bytes[4];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i) {
                const int word = 2 * part + i / kParts;
                if constexpr (kIs8)
                    values[i] = whole_part<Layout>(down[i % kParts], word);
                else
                    values[i] = rounded_sum<Layout>(down[i % kParts], word, shift_square);
            }
            four_bytes(values, bytes);
            MatrixC across[5];
            multiply(taps, next_operand<Layout>(previous, bytes, part), across);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                out[part][i] = rounded_sum<Layout>(across, i, 16);
        }
    }

    /// Samples of the next scale, see NextPlace: of one plane, or of both if there is one part.
    SIMT_DEVICE void halve(const Samples (&samples)[2], int plane, Columns<Layout, 2> &previous,
                           uint32_t (&out)[kNextRows]) const
    {
        uint32_t values[4], bytes[2];
        if constexpr (kParts == 2) {
            SIMT_UNROLL
            for (int j = 0; j < 2; ++j) {
                uint32_t sums[2];
                next_sums(taps, samples[plane].operand(j), sums);
                values[j] = sums[0];
                values[2 + j] = sums[1];
            }
            split_means(values, bytes);
            next_sums(taps, next_operand<Layout>(previous, bytes, 0), out);
        } else {
            // Rows 0 to 7 are of the first plane, rows 8 to 15 of the other.
            MatrixC down[kBytes + 1] = {}, across[3] = {};
            SIMT_UNROLL
            for (int i = 0; i < 2; ++i)
                add_product(taps.next[2 * i], taps.next[2 * i + 1], samples[i].operand(0), down);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                values[i] = whole_part<Layout>(down, i);
            split_means(values, bytes);
            add_product(taps.next[0], taps.next[1], next_operand<Layout>(previous, bytes, 0),
                        across);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                out[i] = whole_part<Layout>(across, i);
        }
    }

    SIMT_DEVICE void measure(const Samples (&samples)[2], Walk<Layout> &walk,
                             Pixels<Layout> &pixels) const
    {
        SIMT_UNROLL
        for (int plane = 0; plane < 2; ++plane)
            means(samples[plane], walk.means[plane], pixels.means[plane]);
        SIMT_UNROLL
        for (int k = 0; k < 3; ++k) { // reference, distorted, both
            const int a = k == 1 ? 1 : 0, b = k == 0 ? 0 : 1;
            uint32_t moments[kParts][4];
            squares(samples[a], samples[b], walk.squares[k], moments);
            SIMT_UNROLL
            for (int i = 0; i < 4 * kParts; ++i)
                pixels.sigmas[k][i / 4][i % 4] =
                    second_moment(moments[i / 4][i % 4], pixels.means[a][i / 4][i % 4],
                                  pixels.means[b][i / 4][i % 4]);
        }
    }
};

/// Where a lane writes samples of the next scale: some rows, at x / 2 columns from here for the
/// step that begins at x. With two parts, sum i of a plane is at row pixel_row(lane, i) of the
/// strip's 8 and column pixel_column(lane, 0) of the step's 8. With one part, rows 8 to 15 are rows
/// 0 to 7 of the other plane, and columns from 8 on are none.
template <typename Layout> struct NextPlace {
    static constexpr int kRows = 4 / Layout::kParts;
    char *to;
    int32_t rows;   ///< how many of them exist
    int32_t column; ///< column among the eight of the step

    SIMT_DEVICE NextPlace(const ScaleArgs &args, int y)
    {
        const int of_strip = Layout::pixel_row(lane_id(), 0);
        const int plane = Layout::kParts == 1 ? of_strip / 8 : 0;
        const int row = y / 2 + (Layout::kParts == 1 ? of_strip % 8 : of_strip);
        column = Layout::pixel_column(lane_id(), 0);
        rows = args.height / 2 - row;
        to = args.next + args.next_stride * block_id_z() + args.next_plane_bytes * plane +
             args.next_pitch * row + column * static_cast<int>(sizeof(uint16_t));
        if (Layout::kParts == 1 && column >= 8)
            rows = 0;
    }

    SIMT_DEVICE void write(const ScaleArgs &args, int plane, int x,
                           const uint32_t (&sums)[kRows]) const
    {
        if (x / 2 + column >= args.width / 2)
            return;
        char *at = to + args.next_plane_bytes * plane + x / 2 * static_cast<int>(sizeof(uint16_t));
        SIMT_UNROLL
        for (int i = 0; i < kRows; ++i)
            if (i < rows)
                *reinterpret_cast<uint16_t *>(at + args.next_pitch * i) =
                    static_cast<uint16_t>(round_shift(sums[i], 16));
    }
};

/// x, y: the first pixel of the step.
template <int limit_count, typename Layout>
SIMT_DEVICE void add_pixels(const ScaleArgs &args, const Logs &logs, int x, int y,
                            Pixels<Layout> &pixels, ThreadSums &sums)
{
    constexpr int kParts = Layout::kParts;
    if (x + kStepColumns > args.width || y + kStripRows > args.height) {
        SIMT_UNROLL
        for (int i = 0; i < 4 * kParts; ++i) {
            const int column = x + Layout::pixel_column(lane_id(), i % 4);
            const int row = y + 8 * (i / 4) + Layout::pixel_row(lane_id(), i % 4);
            if (column >= args.width || row >= args.height) { // flat without variance
                pixels.sigmas[0][i / 4][i % 4] = 0;
                pixels.sigmas[1][i / 4][i % 4] = 0;
                --sums.den_nl;
            }
        }
    }
    // The loop is not unrolled: four pixels at a time overlap enough, eight need too many
    // registers.
    SIMT_NO_UNROLL
    for (int part = 0; part < kParts; ++part) {
        const auto sigma_of = [&](int i) {
            return Sigma{pixels.sigmas[0][0][i], pixels.sigmas[1][0][i], pixels.sigmas[2][0][i]};
        };
        add_all<limit_count, 4>(sigma_of, 4, args.limits, logs, sums);
        SIMT_UNROLL
        for (int i = 0; i < 12; ++i)
            pixels.sigmas[i / 4][0][i % 4] = pixels.sigmas[i / 4][kParts - 1][i % 4];
    }
}

/// Adds the sums of a wave's threads to the pair's. [wave]
SIMT_DEVICE void add_sums(const ScaleArgs &args, const ThreadSums &sums)
{
    const int32_t second = args.limits.count > 1 ? wave_sum(sums.num_log[1]) : 0;
    const int64_t parts[kSums] = {wave_sum(sums.num_log[0]), second, wave_sum(sums.den_log),
                                  wave_sum(sums.num_nl), wave_sum(sums.den_nl)};
    auto *to = reinterpret_cast<int64_t *>(args.sums + args.sums_stride * block_id_z());
    if (lane_id() == 0) {
        SIMT_UNROLL
        for (int i = 0; i < kSums; ++i)
            atomic_add(to + i, parts[i]);
    }
}

template <typename Layout>
SIMT_DEVICE LaneTaps<Layout> taps_of_lane(const typename Layout::Taps *of_lane)
{
    LaneTaps<Layout> taps;
    taps.low = of_lane[kTapsLow * Layout::kLanes];
    taps.high = of_lane[kTapsHigh * Layout::kLanes];
    SIMT_UNROLL
    for (int i = 0; i < Layout::kNextTaps; ++i)
        taps.next[i] = of_lane[(kTapsNext + i) * Layout::kLanes];
    return taps;
}

/// A segment of a strip: from column x0, row y on. The first step only fills what is carried.
template <typename Layout, int scale, typename Sample>
SIMT_DEVICE void walk_strip(const ScaleArgs &args, const Logs &logs,
                            const typename Layout::Taps *all_taps, int x0, int y)
{
    using Samples = StripSamples<Layout, Sample>;
    const StripPlace<Layout> place(y - kStripRows / 2, args.height);
    const Planes<Layout, Sample> planes(args.pairs[block_id_z()], args.width);
    const NextPlace<Layout> next_place(args, y);
    Walk<Layout> walk = {};
    ThreadSums sums = {};
    for (int i = 0; i <= args.steps; ++i) {
        const int x = x0 + (i - 1) * kStepColumns; // first of the pixels that are completed
        if (x >= args.width)
            break;
        // The barrier forces a load from shared memory in every step, since registers are short.
        wave_barrier();
        const LaneTaps<Layout> taps = taps_of_lane<Layout>(all_taps + lane_id());
        const Step<Layout, scale, Sample> step = {taps, mean_shift(scale, args.depth),
                                                  square_shift(scale, args.depth)};
        LoadedSamples<Layout, Sample> loaded[2];
        planes.load(x + kStepColumns / 2, place, loaded);
        const Samples samples[2] = {{loaded[0], place.partner}, {loaded[1], place.partner}};
        if constexpr (scale + 1 < kScales) {
            SIMT_UNROLL
            for (int plane = 0; plane < Layout::kParts; ++plane) {
                uint32_t next[4 / Layout::kParts];
                step.halve(samples, plane, walk.halved[plane], next);
                if (i > 0)
                    next_place.write(args, plane, x, next);
            }
        }
        if (args.is_measured == 0)
            continue;
        Pixels<Layout> pixels;
        step.measure(samples, walk, pixels);
        if (i == 0)
            continue;
        if (has_one_limit(args.limits))
            add_pixels<1>(args, logs, x, y, pixels, sums);
        else
            add_pixels<kMaxLimits>(args, logs, x, y, pixels, sums);
    }
    if (args.is_measured != 0)
        add_sums(args, sums);
}

/// A block's work: every wave has a segment of its own.
template <typename Layout, int scale, typename Sample>
SIMT_DEVICE void run_strips(const ScaleArgs &args)
{
    using Taps = typename Layout::Taps;
    constexpr int kTaps = taps_count<Layout>() * Layout::kLanes;
    constexpr int kThreads = kMatrixWaves * Layout::kLanes;
    SIMT_SHARED(ValueQuad, logs, kLogBytes / 16);
    SIMT_SHARED(Taps, taps, kTaps);
    for (int i = thread_id(); i < kTaps; i += kThreads)
        taps[i] = load_readonly(reinterpret_cast<const Taps *>(args.taps) + i);
    copy_logs(args.logs, thread_id(), kThreads, logs);
    barrier();
    const int job = block_id_x() * kMatrixWaves + broadcast(wave_id(), 0);
    const int y = job / args.segments * kStripRows;
    const int x = job % args.segments * args.steps * kStepColumns;
    if (y < args.height && x < args.width)
        walk_strip<Layout, scale, Sample>(args, {reinterpret_cast<const uint16_t *>(logs)}, taps, x,
                                          y);
}

/// Argument of with_matrix().
template <int scale, typename Sample> struct Strips {
    const ScaleArgs &args;

    template <typename Kind> SIMT_DEVICE void operator()(const Kind &) const
    {
        using Layout = typename LayoutOf<Kind>::Type;
        if constexpr (scale < Layout::kScales)
            run_strips<Layout, scale, Sample>(args);
    }
};

} // namespace

SIMT_KERNEL(vif_matrix0_u8, ScaleArgs, kMatrixWaves *kMatrixMostLanes, 4)
{
    with_matrix(Strips<0, uint8_t>{args});
}

SIMT_KERNEL(vif_matrix0_u16, ScaleArgs, kMatrixWaves *kMatrixMostLanes, 4)
{
    with_matrix(Strips<0, uint16_t>{args});
}

SIMT_KERNEL(vif_matrix1, ScaleArgs, kMatrixWaves *kMatrixMostLanes, 4)
{
    with_matrix(Strips<1, uint16_t>{args});
}

} // namespace vmafgpu::vif
