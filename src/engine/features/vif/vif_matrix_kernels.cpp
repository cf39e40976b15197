// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of VIF for devices with matrix_u8(). The results equal those of vif_kernels.cpp. A
// wave walks along a strip of rows and keeps all intermediate values in its registers; waves
// exchange nothing. vif_record.cpp launches it.
#include "simt/reduce.h"
#include "vif_matrix.h"
#include "vif_matrix_samples.h"

namespace vmafgpu {
namespace {

/// Vertical results of a lane at the 16 columns before the current ones: each word four
/// neighbouring columns; [byte][upper or lower half of the strip].
template <int bytes> using Columns = uint32_t[bytes][2];

/// What a wave carries from step to step.
struct Walk {
    Columns<2> means[2];
    Columns<4> squares[3];
    Columns<2> halved[2]; ///< for the next scale; one half only
};

/// Results of a lane: pixel i of half h is at row 8h + matrix_c_column(lane, i) and
/// column matrix_c_row(lane, i) of the 16 that the step completes.
struct Pixels {
    uint32_t means[2][2][4];
    int32_t sigmas[3][2][4];
};

/// Operand of the horizontal pass: the previous columns, then the new ones, which
/// become the previous ones.
template <int bytes> SIMT_DEVICE VifOperand<bytes>
next_operand(Columns<bytes> &previous, const uint32_t (&fresh)[bytes], int half)
{
    VifOperand<bytes> operand;
    SIMT_UNROLL
    for (int j = 0; j < bytes; ++j) {
        operand.byte[j] = {{previous[j][half], fresh[j]}};
        previous[j][half] = fresh[j];
    }
    return operand;
}

template <int scale, typename Sample> struct Step {
    using Samples = VifSamples<Sample>;
    static constexpr int kBytes = Samples::kBytes;
    static constexpr bool kIs8 = kBytes == 1;

    const VifLaneTaps &taps;
    int shift_mean, shift_square;

    /// Vertical sum to bytes of the rounded mean. `values`: neighbouring columns.
    SIMT_DEVICE void split_means(uint32_t (&values)[4], uint32_t (&bytes)[2]) const
    {
        if (scale > 0 || kIs8) { // the shift is whole bytes: leave it to the permutation
            constexpr int kShift = scale > 0 ? 16 : 8;
            SIMT_UNROLL
            for (uint32_t &value : values)
                value += 1u << (kShift - 1);
            vif_two_bytes<kShift / 8>(values, bytes);
        } else {
            SIMT_UNROLL
            for (uint32_t &value : values)
                value = (value + (1u << (shift_mean - 1))) >> shift_mean;
            vif_two_bytes<0>(values, bytes);
        }
    }

    SIMT_DEVICE void means(const Samples &samples, Columns<2> &previous,
                           uint32_t (&out)[2][4]) const
    {
        MatrixC down[2][kBytes + 1];
        SIMT_UNROLL
        for (int j = 0; j < 2; ++j)
            vif_multiply(taps, samples.operand(j), down[j]);
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t values[4], bytes[2];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                values[i] = vif_whole(down[i % 2], 2 * half + i / 2);
            split_means(values, bytes);
            MatrixC across[3];
            vif_multiply(taps, next_operand(previous, bytes, half), across);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                out[half][i] = vif_whole(across, i);
        }
    }

    SIMT_DEVICE void squares(const Samples &a, const Samples &b, Columns<4> &previous,
                             uint32_t (&out)[2][4]) const
    {
        MatrixC down[2][2 * kBytes + 1];
        SIMT_UNROLL
        for (int j = 0; j < 2; ++j)
            vif_multiply(taps, Samples::products(a, b, j), down[j]);
        SIMT_UNROLL
        for (int half = 0; half < 2; ++half) {
            uint32_t values[4], bytes[4];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i) {
                if constexpr (kIs8)
                    values[i] = vif_whole(down[i % 2], 2 * half + i / 2);
                else
                    values[i] = vif_rounded(down[i % 2], 2 * half + i / 2, shift_square);
            }
            vif_four_bytes(values, bytes);
            MatrixC across[5];
            vif_multiply(taps, next_operand(previous, bytes, half), across);
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i)
                out[half][i] = vif_rounded(across, i, 16);
        }
    }

    /// Samples of the next scale: at row matrix_c_column(lane, i) of the strip's 8 and
    /// column matrix_c_row(lane, 0) of the step's 8.
    SIMT_DEVICE void halve(const Samples &samples, Columns<2> &previous, uint32_t (&out)[2]) const
    {
        uint32_t values[4], bytes[2];
        SIMT_UNROLL
        for (int j = 0; j < 2; ++j) {
            uint32_t sums[2];
            vif_next_sums(taps, samples.operand(j), sums);
            values[j] = sums[0];
            values[2 + j] = sums[1];
        }
        split_means(values, bytes);
        vif_next_sums(taps, next_operand(previous, bytes, 0), out);
    }

    SIMT_DEVICE void measure(const Samples (&samples)[2], Walk &walk, Pixels &pixels) const
    {
        SIMT_UNROLL
        for (int plane = 0; plane < 2; ++plane)
            means(samples[plane], walk.means[plane], pixels.means[plane]);
        SIMT_UNROLL
        for (int k = 0; k < 3; ++k) { // reference, distorted, both
            const int a = k == 1 ? 1 : 0, b = k == 0 ? 0 : 1;
            uint32_t moments[2][4];
            squares(samples[a], samples[b], walk.squares[k], moments);
            SIMT_UNROLL
            for (int i = 0; i < 8; ++i)
                pixels.sigmas[k][i / 4][i % 4] =
                    vif_sigma(moments[i / 4][i % 4], pixels.means[a][i / 4][i % 4],
                              pixels.means[b][i / 4][i % 4]);
        }
    }
};

/// Where a lane writes samples of the next scale: two rows, at x / 2 columns from here for
/// the step that begins at x.
struct NextPlace {
    char *to;
    int32_t rows;   ///< how many of the two exist
    int32_t column; ///< of the step's eight

    SIMT_DEVICE NextPlace(const VifScaleArgs &args, int y)
    {
        const int row = y / 2 + matrix_c_column(lane_id(), 0);
        column = matrix_c_row(lane_id(), 0);
        rows = args.height / 2 - row;
        to = args.next + args.next_stride * block_id_z() + args.next_pitch * row +
             column * static_cast<int>(sizeof(uint16_t));
    }

    SIMT_DEVICE void write(const VifScaleArgs &args, int plane, int x,
                           const uint32_t (&sums)[2]) const
    {
        if (x / 2 + column >= args.width / 2)
            return;
        char *at = to + args.next_plane_bytes * plane + x / 2 * static_cast<int>(sizeof(uint16_t));
        SIMT_UNROLL
        for (int i = 0; i < 2; ++i)
            if (i < rows)
                *reinterpret_cast<uint16_t *>(at + args.next_pitch * i) =
                    static_cast<uint16_t>(round_shift(sums[i], 16));
    }
};

/// x, y: the first pixel of the step.
template <int limit_count> SIMT_DEVICE void add_pixels(const VifScaleArgs &args,
                                                       const VifLogs &logs, int x, int y,
                                                       Pixels &pixels, VifThreadSums &sums)
{
    if (x + kVifStepColumns > args.width || y + kVifStripRows > args.height) {
        SIMT_UNROLL
        for (int i = 0; i < 8; ++i) {
            const int column = x + matrix_c_row(lane_id(), i % 4);
            const int row = y + 8 * (i / 4) + matrix_c_column(lane_id(), i % 4);
            if (column >= args.width || row >= args.height) { // flat without variance
                pixels.sigmas[0][i / 4][i % 4] = 0;
                pixels.sigmas[1][i / 4][i % 4] = 0;
                --sums.den_nl;
            }
        }
    }
    // Not unrolled: four pixels at a time overlap enough, eight need too many registers.
    SIMT_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        SIMT_UNROLL
        for (int i = 0; i < 4; ++i)
            vif_add_fast<limit_count>(
                {pixels.sigmas[0][0][i], pixels.sigmas[1][0][i], pixels.sigmas[2][0][i]},
                args.limits, logs, sums);
        SIMT_UNROLL
        for (int i = 0; i < 12; ++i)
            pixels.sigmas[i / 4][0][i % 4] = pixels.sigmas[i / 4][1][i % 4];
    }
}

/// Adds the sums of a wave's threads to the pair's. [wave]
SIMT_DEVICE void add_sums(const VifScaleArgs &args, const VifThreadSums &sums)
{
    const int32_t second = args.limit_count > 1 ? wave_sum(sums.num_log[1]) : 0;
    const int64_t parts[kVifSums] = {wave_sum(sums.num_log[0]), second, wave_sum(sums.den_log),
                                     wave_sum(sums.num_nl), wave_sum(sums.den_nl)};
    auto *to = reinterpret_cast<int64_t *>(args.sums + args.sums_stride * block_id_z());
    if (lane_id() == 0) {
        SIMT_UNROLL
        for (int i = 0; i < kVifSums; ++i)
            atomic_add(to + i, parts[i]);
    }
}

/// A segment of a strip: from column x0, row y on. The first step only fills what is carried.
template <int scale, typename Sample> SIMT_DEVICE void
walk_strip(const VifScaleArgs &args, const VifLogs &logs, const MatrixA *all_taps, int x0, int y)
{
    const VifStripPlace place(y - kVifStripRows / 2, args.height);
    const VifPlanes<Sample> planes(args.pairs[block_id_z()], args.width);
    const NextPlace next_place(args, y);
    Walk walk = {};
    VifThreadSums sums = {};
    for (int i = 0; i <= args.steps; ++i) {
        const int x = x0 + (i - 1) * kVifStepColumns; // of the pixels that get complete
        if (x >= args.width)
            break;
        // From shared memory in every step, since registers are short: the barrier says so.
        wave_barrier();
        const MatrixA *of_lane = all_taps + lane_id();
        const VifLaneTaps taps = {of_lane[kVifTapsLow * kVifMatrixLanes],
                                  of_lane[kVifTapsHigh * kVifMatrixLanes],
                                  of_lane[kVifTapsNext * kVifMatrixLanes]};
        const Step<scale, Sample> step = {taps, vif_shift_mean(scale, args.depth),
                                          vif_shift_square(scale, args.depth)};
        VifLoaded<Sample> loaded[2];
        planes.load(x + kVifStepColumns / 2, place, loaded);
        const VifSamples<Sample> samples[2] = {{loaded[0], place.is_right},
                                               {loaded[1], place.is_right}};
        if constexpr (scale + 1 < kVifScales) {
            SIMT_UNROLL
            for (int plane = 0; plane < 2; ++plane) {
                uint32_t next[2];
                step.halve(samples[plane], walk.halved[plane], next);
                if (i > 0)
                    next_place.write(args, plane, x, next);
            }
        }
        if (args.is_measured == 0)
            continue;
        Pixels pixels;
        step.measure(samples, walk, pixels);
        if (i == 0)
            continue;
        if (args.limit_count == 1)
            add_pixels<1>(args, logs, x, y, pixels, sums);
        else
            add_pixels<kVifMaxLimits>(args, logs, x, y, pixels, sums);
    }
    if (args.is_measured != 0)
        add_sums(args, sums);
}

/// A block's work: every wave has a segment of its own.
template <int scale, typename Sample> SIMT_DEVICE void vif_strips(const VifScaleArgs &args)
{
    SIMT_SHARED(VifQuad, logs, kVifLogBytes / 16);
    SIMT_SHARED(MatrixA, taps, kVifTapsOfScale);
    for (int i = thread_id(); i < kVifTapsOfScale; i += kVifMatrixThreads)
        taps[i] = load_readonly(args.taps + i);
    vif_copy_logs(args.logs, thread_id(), kVifMatrixThreads, logs);
    barrier();
    const int job = block_id_x() * kVifMatrixWaves + broadcast(wave_id(), 0);
    const int y = job / args.segments * kVifStripRows;
    const int x = job % args.segments * args.steps * kVifStepColumns;
    if (y < args.height && x < args.width)
        walk_strip<scale, Sample>(args, {reinterpret_cast<const uint16_t *>(logs)}, taps, x, y);
}

} // namespace

SIMT_KERNEL(vif_matrix0_u8, VifScaleArgs, kVifMatrixThreads, 4)
{
    vif_strips<0, uint8_t>(args);
}

SIMT_KERNEL(vif_matrix0_u16, VifScaleArgs, kVifMatrixThreads, 4)
{
    vif_strips<0, uint16_t>(args);
}

SIMT_KERNEL(vif_matrix1, VifScaleArgs, kVifMatrixThreads, 4)
{
    vif_strips<1, uint16_t>(args);
}

} // namespace vmafgpu
