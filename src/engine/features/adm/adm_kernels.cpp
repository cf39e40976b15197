// SPDX-License-Identifier: BSD-2-Clause-Patent
// Device code of ADM; see adm.h for the division of work. Formulas per
// sample are adm_math.h's, in their quick forms; the wavelet is adm_wavelet.h's.
//
// A wave walks right along its rows, a lane per row. A sample is split and weighted
// when its columns are there, and masked one sample later, when its right neighbour's
// share in the threshold is known; the rows above and below come from the lanes beside.
// Rows and columns of the block's waves are equal but for the wave's first row, so
// that every condition on columns is the whole block's.
#include "features/adm/adm.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_wavelet.h"
#include "simt/simt.h"

namespace vmafgpu::adm {
namespace {

using adm::Bands;
using adm::Column;
using adm::Raw;
using adm::Rows;
using adm::rows_of;
using adm::Stack;

/// A range of samples of a row; may be empty.
struct Range {
    int begin, end;

    SIMT_DEVICE bool has(int x) const { return x >= begin && x < end; }
};

/// The part of a row that a block computes. A step s ends the samples kSamples * s - 1 ...
struct Job {
    int first_step, end_step; ///< steps of the block
    Range own;                ///< samples whose approximation is ours
    Range masked;             ///< samples whose sums are ours
    Range shared;             ///< samples that these need
};

template <int kSamples> SIMT_DEVICE Job job_of(const ScaleArgs &args, bool has_rows)
{
    Job job;
    const int begin = block_id_x() * args.run;
    const int rest = args.steps - begin - args.run;
    // The last block takes a rest that would not be worth a block.
    const int steps = rest < args.run ? args.steps - begin : args.run;
    job.first_step = args.first_step + begin;
    job.end_step = job.first_step + steps;
    job.own = {kSamples * job.first_step - 1, kSamples * job.end_step - 1};
    const int right = args.width - args.left;
    job.masked.begin = job.own.begin > args.left ? job.own.begin : args.left;
    job.masked.end = job.own.end < right ? job.own.end : right;
    if (!has_rows || args.skip_sums != 0 || job.masked.begin >= job.masked.end)
        job.masked = {0, 0};
    job.shared = {job.masked.begin > 0 ? job.masked.begin - 1 : 0,
                  job.masked.end < args.width ? job.masked.end + 1 : args.width};
    if (job.masked.end == 0)
        job.shared = {0, 0};
    return job;
}

static_assert(kMinWave >= 32, "a block has kBlockRows rows at least");

/// A lane's row and where its neighbours are.
struct Place {
    int y;
    int below; ///< lane with the next input rows
    int up, down;
    bool is_own; ///< this lane's results count
};

SIMT_DEVICE Place place_of(const ScaleArgs &args, int first_row)
{
    const int lane = lane_id();
    const int last = wave_size() - 1;
    Place place;
    place.y = first_row - 1 + lane;
    place.below = lane < last ? lane + 1 : last;
    // libvmaf takes row 1 for the one above row 0, and the last for the one below it.
    place.up = place.y == 0 ? place.below : (lane > 0 ? lane - 1 : 0);
    place.down = place.y == args.height - 1 ? lane : place.below;
    place.is_own = lane >= 1 && lane <= wave_size() - kHaloRows && place.y < args.height;
    return place;
}

/// Shares of one sample in its neighbours' thresholds: [gain][restored, additive].
template <int kGains> struct Shares {
    uint32_t f[kGains][2];
};

/// Values of a sample that masking needs once the sample's neighbours are known.
template <int kGains> struct Kept {
    uint32_t contrast[kGains][2][3];
    uint32_t centre[kGains][2]; ///< less its own share, which is among the nine
};

template <int kGains> struct RowSums {
    uint64_t num[kGains][3], den[3], aim[kGains][3];
};

template <int kScale>
SIMT_DEVICE Share share_of(const ScaleArgs &args, int32_t size, int32_t negative, int b)
{
    const auto magnitude = static_cast<uint32_t>(size);
    return kScale == 0
               ? share_first(magnitude, negative, args.multiplier[b], b == 2, args.wraps != 0)
               : share_next(magnitude, negative, args.multiplier[b], args.wraps != 0);
}

template <int kScale> SIMT_DEVICE uint64_t energy(const ScaleArgs &args, int32_t size)
{
    if constexpr (kScale == 0) {
        const auto magnitude = static_cast<uint32_t>(size);
        return static_cast<uint64_t>(magnitude * magnitude) * magnitude;
    } else {
        constexpr int kSquareShift = kEnergySquareShift[kScale];
        return energy_next(size, kSquareShift, args.den_cube_shift);
    }
}

/// Splits and weights a sample.
template <int kScale, int kGains>
SIMT_DEVICE void take_sample(const ScaleArgs &args, const Bands (&bands)[2], bool counts,
                             Shares<kGains> &shares, Kept<kGains> &kept, RowSums<kGains> &sums)
{
    const int32_t(&reference)[3] = bands[0].detail;
    const int32_t(&distorted)[3] = bands[1].detail;
    const bool same_angle =
        has_same_angle_fast(reference[0], reference[1], distorted[0], distorted[1]);
    shares = {};
    kept = {};
    SIMT_UNROLL
    for (int b = 0; b < 3; ++b) {
        const int32_t sign = sign_of(reference[b]);
        const int32_t o = flip(reference[b], sign);
        const int32_t t = flip(distorted[b], sign);
        const int32_t r0 =
            kScale == 0 ? restored_first_fast(o, t, sign) : restored_next_fast(o, t, sign);
        if (counts)
            sums.den[b] += energy<kScale>(args, o);
        SIMT_UNROLL
        for (int g = 0; g < kGains; ++g) {
            int32_t r = r0;
            if (same_angle && t > 0)
                r = kScale == 0
                        ? enhance_first_fast(r0, t, args.gain_limit[g], args.whole_gain_limit[g])
                        : enhance_next_fast(r0, t, args.gain_limit[g], args.whole_gain_limit[g]);
            const int32_t a = t - r;
            const int32_t rest = sign_of(a);
            const Share both[2] = {share_of<kScale>(args, r, sign, b),
                                   share_of<kScale>(args, flip(a, rest), rest ^ sign, b)};
            SIMT_UNROLL
            for (int part = 0; part < 2; ++part) {
                const auto f = static_cast<uint32_t>(both[part].f);
                shares.f[g][part] += f;
                kept.contrast[g][part][b] = both[part].contrast;
                kept.centre[g][part] += static_cast<uint32_t>(both[part].centre) - f;
            }
        }
    }
}

/// Cubes above the threshold of one sample. columns: shares of its row's three, added.
template <int kScale, int kGains>
SIMT_DEVICE void mask_sample(const ScaleArgs &args, const Place &place,
                             const Shares<kGains> &columns, const Kept<kGains> &kept,
                             RowSums<kGains> &sums)
{
    SIMT_UNROLL
    for (int g = 0; g < kGains; ++g) {
        uint32_t threshold[2];
        SIMT_UNROLL
        for (int part = 0; part < 2; ++part) {
            const uint32_t row = columns.f[g][part];
            threshold[part] =
                row + shfl(row, place.up) + shfl(row, place.down) + kept.centre[g][part];
        }
        SIMT_UNROLL
        for (int b = 0; b < 3; ++b) {
            constexpr int kShifts[3] = {threshold_shift_of(kScale, 0),
                                        threshold_shift_of(kScale, 1),
                                        threshold_shift_of(kScale, 2)};
            constexpr int kSquares[3] = {square_shift_of(kScale, 0), square_shift_of(kScale, 1),
                                         square_shift_of(kScale, 2)};
            const auto half = static_cast<uint64_t>(args.num_cube_half[b]);
            sums.num[g][b] += cube_above(kept.contrast[g][0][b], threshold[1], kShifts[b],
                                         kSquares[b], args.num_cube_shift[b], half);
            if (args.skip_aim == 0)
                sums.aim[g][b] += cube_above(kept.contrast[g][1][b], threshold[0], kShifts[b],
                                             kSquares[b], args.num_cube_shift[b], half);
        }
    }
}

/// Approximations of a step, stored together.
template <int kScale> struct Step {
    static constexpr int kSamples = kStepSamples[kScale];
    static constexpr int kWords = kScale == 0 ? kSamples / 2 : kSamples;
    using Words = adm::RowWords<kWords>;
    Words words[2];

    SIMT_DEVICE void set(int i, const Bands (&bands)[2])
    {
        SIMT_UNROLL
        for (int image = 0; image < 2; ++image) {
            const auto a = static_cast<uint32_t>(bands[image].a);
            if (kScale > 0)
                words[image].word[i] = a;
            else if (i % 2 == 0)
                words[image].word[i / 2] = a & 65535;
            else
                words[image].word[i / 2] |= a << 16;
        }
    }
};

/// Samples of an approximation in memory.
template <int kScale> struct ApproximationOf {
    using Type = int32_t;
};
template <> struct ApproximationOf<0> {
    using Type = int16_t;
};

/// Where a lane writes its approximations.
struct Target {
    char *row; ///< null: nowhere
    int64_t distorted;

    template <int kScale> SIMT_DEVICE void store(int step, const Step<kScale> &values) const
    {
        using Words = typename Step<kScale>::Words;
        if (row == nullptr)
            return;
        reinterpret_cast<Words *>(row)[step] = values.words[0];
        reinterpret_cast<Words *>(row + distorted)[step] = values.words[1];
    }

    /// Columns beyond the edges, as the next scale's wavelet reads them.
    template <typename T> SIMT_DEVICE void mirror_edges(bool left, bool right, int width) const
    {
        if (row == nullptr)
            return;
        SIMT_UNROLL
        for (int image = 0; image < 2; ++image) {
            T *to = reinterpret_cast<T *>(row + (image == 0 ? 0 : distorted)) + kMargin;
            if (left)
                to[-1] = to[1];
            if (right) {
                to[width] = to[width - 1];
                to[width + 1] = to[width - 2];
            }
        }
    }
};

SIMT_DEVICE Target target_of(const ScaleArgs &args, const Place &place)
{
    if (args.approximation == nullptr || !place.is_own)
        return {nullptr, 0};
    return {args.approximation + args.approximation_stride * block_id_z() +
                args.approximation_pitch * place.y,
            args.distorted_offset};
}

/// Everything a lane carries along its row.
template <int kScale, typename Sample, int kGains> struct Walk {
    static constexpr int kSamples = kStepSamples[kScale];
    Column window[2][4];
    Column last[2];                      ///< scale 0: the step's last column, for the next one;
                                         ///< scale 3: narrow_fronts()
    Shares<kGains> shares[kSamples + 2]; ///< samples of a step, after two of the step before
    Kept<kGains> kept[2];                ///< samples with even and with odd place in a step
    RowSums<kGains> sums;

    /// Moves the window of an image by two columns.
    SIMT_DEVICE void slide(const ScaleArgs &args, int image, int i,
                           const uint32_t (&own)[Stack<Sample>::kPairs],
                           const uint32_t (&below)[Stack<Sample>::kPairs])
    {
        Column(&w)[4] = window[image];
        w[0] = w[2];
        w[1] = w[3];
        if (kScale > 0) {
            w[2] = adm::filter_down<kScale, Sample>(args, own, below, 2 * i);
            w[3] = adm::filter_down<kScale, Sample>(args, own, below, 2 * i + 1);
            return;
        }
        w[2] = i == 0 ? last[image]
                      : adm::filter_down<kScale, Sample>(args, own, below, i == 0 ? 0 : 2 * i - 1);
        w[3] = adm::filter_down<kScale, Sample>(args, own, below, 2 * i);
        if (i == kSamples - 1)
            last[image] = adm::filter_down<kScale, Sample>(args, own, below, 2 * i + 1);
    }

    /// Sample x, number i of its step, is in the window: takes it, then masks the one
    /// before it.
    SIMT_DEVICE void go_to(const ScaleArgs &args, const Job &job, const Place &place,
                           const Bands (&bands)[2], int x, int i)
    {
        if (job.shared.has(x))
            take_sample<kScale, kGains>(args, bands, job.masked.has(x), shares[i + 2], kept[i % 2],
                                        sums);
        if (!job.masked.has(x - 1))
            return;
        Shares<kGains> columns;
        SIMT_UNROLL
        for (int g = 0; g < kGains; ++g) {
            SIMT_UNROLL
            for (int part = 0; part < 2; ++part) {
                const uint32_t centre = shares[i + 1].f[g][part];
                // Beyond the last column stands the last, before the first the second.
                const uint32_t right = x == args.width ? centre : shares[i + 2].f[g][part];
                const uint32_t left = x == 1 ? right : shares[i].f[g][part];
                columns.f[g][part] = left + centre + right;
            }
        }
        mask_sample<kScale, kGains>(args, place, columns, kept[(i + 1) % 2], sums);
    }

    SIMT_DEVICE void end_step()
    {
        shares[0] = shares[kSamples];
        shares[1] = shares[kSamples + 1];
    }

    SIMT_DEVICE void add_to(uint64_t *row) const
    {
        SIMT_UNROLL
        for (int b = 0; b < 3; ++b) {
            SIMT_UNROLL
            for (int g = 0; g < kGains; ++g) {
                atomic_add(row + kRowNum + 3 * g + b, sums.num[g][b]);
                atomic_add(row + kRowAim + 3 * g + b, sums.aim[g][b]);
            }
            atomic_add(row + kRowDen + b, sums.den[b]);
        }
    }
};

/// Carries out one step: completes as many samples as its input columns allow.
template <int kScale, typename Sample, int kGains>
SIMT_DEVICE void walk_step(const ScaleArgs &args, const Job &job, const Place &place,
                           const Target &target, int step, const Raw<Sample> (&raw)[2],
                           Walk<kScale, Sample, kGains> &walk)
{
    constexpr int kSamples = kStepSamples[kScale];
    uint32_t own[2][Stack<Sample>::kPairs], below[2][Stack<Sample>::kPairs];
    SIMT_UNROLL
    for (int image = 0; image < 2; ++image) {
        adm::stack<Sample>(raw[image], own[image]);
        SIMT_UNROLL
        for (int i = 0; i < Stack<Sample>::kPairs; ++i)
            below[image][i] = shfl(own[image][i], place.below);
    }
    Step<kScale> values = {};
    SIMT_UNROLL
    for (int i = 0; i < kSamples; ++i) {
        Bands bands[2];
        SIMT_UNROLL
        for (int image = 0; image < 2; ++image) {
            walk.slide(args, image, i, own[image], below[image]);
            if (kScale == 3 && i == 0 && step == 0 && args.is_narrow != 0)
                walk.window[image][2] = walk.last[image];
            bands[image] = adm::filter_across<kScale>(walk.window[image]);
        }
        values.set(i, bands);
        walk.go_to(args, job, place, bands, kSamples * step + i - 1, i);
    }
    walk.end_step();
    if (step >= job.first_step && step < job.end_step)
        target.store<kScale>(step, values);
}

template <int kScale, typename Sample, int kGains>
SIMT_DEVICE void rows_of_wave(const ScaleArgs &args)
{
    const int wave_rows = wave_size() - kHaloRows;
    const int waves = static_cast<int>(kThreads) / wave_size();
    const int block_row = args.first_row + block_id_y() * waves * wave_rows;
    const bool has_rows =
        block_row < args.height - args.top && block_row + waves * wave_rows > args.top;
    const Job job = job_of<kStepSamples[kScale]>(args, has_rows);
    const Place place = place_of(args, block_row + wave_id() * wave_rows);
    // Block-uniform, hence allowed before shuffles: job depends on the block's place only.
    if (job.masked.end == 0 && args.approximation == nullptr)
        return;
    const Target target = target_of(args, place);
    const bool is_last = job.end_step == args.first_step + args.steps;
    if (is_last) // the next scale reads these places, but does not use them
        for (int i = 0; i < 3; ++i)
            target.store<kScale>(job.end_step + i, Step<kScale>());

    const Rows rows[2] = {rows_of(args, 0, place.y), rows_of(args, 1, place.y)};
    const int last_load = (args.input_width + 2) / Stack<Sample>::kColumns;
    Walk<kScale, Sample, kGains> walk = {};
    if (kScale == 3 && args.is_narrow != 0)
        adm::narrow_fronts(args, rows, place.below, walk.last);
    Raw<Sample> raw[2], next[2];
    SIMT_UNROLL
    for (int image = 0; image < 2; ++image)
        next[image] = adm::load_step<kScale, Sample>(args, rows[image], job.first_step - 1);
    const int end = job.end_step + (job.masked.end > 0 ? 1 : 0);
    for (int step = job.first_step - 1; step < end; ++step) {
        const int ahead = step + 1 < last_load ? step + 1 : last_load;
        SIMT_UNROLL
        for (int image = 0; image < 2; ++image) {
            raw[image] = next[image];
            next[image] = adm::load_step<kScale, Sample>(args, rows[image], ahead);
        }
        walk_step<kScale, Sample, kGains>(args, job, place, target, step, raw, walk);
    }
    if (kScale < 3)
        target.mirror_edges<typename ApproximationOf<kScale>::Type>(job.first_step == 0, is_last,
                                                                    args.width);
    if (job.masked.end > 0 && place.is_own && place.y >= args.top &&
        place.y < args.height - args.top)
        walk.add_to(args.rows + args.rows_stride * block_id_z() +
                    static_cast<int64_t>(place.y) * kRowValues);
}

} // namespace

SIMT_KERNEL(adm_scale0_u8_plain, ScaleArgs, kThreads, 8)
{
    rows_of_wave<0, uint8_t, 1>(args);
}
SIMT_KERNEL(adm_scale0_u8_both, ScaleArgs, kThreads, 6)
{
    rows_of_wave<0, uint8_t, 2>(args);
}
SIMT_KERNEL(adm_scale0_u16_plain, ScaleArgs, kThreads, 8)
{
    rows_of_wave<0, uint16_t, 1>(args);
}
SIMT_KERNEL(adm_scale0_u16_both, ScaleArgs, kThreads, 6)
{
    rows_of_wave<0, uint16_t, 2>(args);
}
SIMT_KERNEL(adm_scale1_plain, ScaleArgs, kThreads, 8)
{
    rows_of_wave<1, int16_t, 1>(args);
}
SIMT_KERNEL(adm_scale1_both, ScaleArgs, kThreads, 6)
{
    rows_of_wave<1, int16_t, 2>(args);
}
SIMT_KERNEL(adm_scale2_plain, ScaleArgs, kThreads, 8)
{
    rows_of_wave<2, int32_t, 1>(args);
}
SIMT_KERNEL(adm_scale2_both, ScaleArgs, kThreads, 6)
{
    rows_of_wave<2, int32_t, 2>(args);
}
SIMT_KERNEL(adm_scale3_plain, ScaleArgs, kThreads, 8)
{
    rows_of_wave<3, int32_t, 1>(args);
}
SIMT_KERNEL(adm_scale3_both, ScaleArgs, kThreads, 6)
{
    rows_of_wave<3, int32_t, 2>(args);
}

/// Grid: x = scale, z = pair. Thread = value, and a residue of rows.
SIMT_KERNEL(adm_rows, RowsArgs, kRowsThreads)
{
    SIMT_SHARED(uint64_t, partial, kRowsThreads);
    constexpr int kResidues = kRowsThreads / kRowValues;
    const int scale = block_id_x();
    const int value = thread_id() % kRowValues;
    const int residue = thread_id() / kRowValues;
    const bool is_den = value >= kRowDen && value < kRowAim;
    const int shift = is_den ? args.den_row_shift[scale] : args.num_row_shift[scale];
    const uint64_t *rows = args.rows + args.rows_stride * block_id_z() +
                           static_cast<int64_t>(args.first_row[scale]) * kRowValues + value;
    uint64_t sum = 0;
    for (int row = residue; row < args.row_count[scale]; row += kResidues)
        sum += rounded_row(rows[static_cast<int64_t>(row) * kRowValues], shift, is_den);
    partial[thread_id()] = sum;
    barrier();
    if (residue == 0 && value < kRowValues - 1) {
        sum = 0;
        for (int i = 0; i < kResidues; ++i)
            sum += partial[i * kRowValues + value];
        auto *out = reinterpret_cast<uint64_t *>(args.sums + args.sums_stride * block_id_z());
        out[scale * (kRowValues - 1) + value] = sum;
    }
}

} // namespace vmafgpu::adm
