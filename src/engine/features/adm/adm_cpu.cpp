// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM on the CPU: the same bytes as adm_ref.cpp, quickly. Each scale is cut
// into strips of band rows, which run in parallel; within a strip everything
// after the picture lives in a few rows, so that it stays in the cache. Only
// the approximation bands, which feed the next scale, are kept as planes. The
// arithmetic is in adm_rows.h. Nothing is allocated: see adm_cpu_scratch().
#include <algorithm>
#include <functional>
#include <type_traits>

#include "features/adm/adm_cpu_memory.h"
#include "features/adm/adm_rows.h"
#include "thread_pool.h"

namespace vmafgpu {

namespace {

constexpr int kMinStripRows = 12; ///< below that the extra rows of a strip cost too much

/// What a strip reads and writes at one scale.
template <typename In, typename Band> struct StripJob {
    const AdmConfig *config;
    int scale;
    const PairView *pair; ///< scale 0 only
    const In *input[2];   ///< later scales
    int input_width, input_height;
    Band *approximation[2]; ///< nullptr at the last scale
};

/// One strip of one scale: band rows [begin, end).
template <typename In, typename Band> class Strip {
public:
    Strip(const StripJob<In, Band> &job, const AdmStripRows &rows, AdmScaleSums *sums)
        : job_(job), config_(*job.config), scale_(job.config->scale[job.scale]), rows_(rows),
          sums_(sums)
    {
        wanted_ = {std::max(scale_.left - 1, 0),
                   std::min(scale_.width - scale_.left + 1, scale_.width)};
        region_ = {scale_.left, scale_.width - scale_.left};
    }

    VMAFGPU_ALWAYS_INLINE void run(int begin, int end)
    {
        *sums_ = {};
        int mask_row = std::max(begin, scale_.top);
        int mask_end = std::min(end, scale_.height - scale_.top);
        if (job_.scale == 0 && config_.skip_scale0)
            mask_end = mask_row;
        const bool masks = mask_row < mask_end;
        const int detail_begin = masks ? std::max(mask_row - 1, 0) : begin;
        const int detail_end = masks ? std::min(mask_end + 1, scale_.height) : begin;
        for (int row = std::min(begin, detail_begin); row < std::max(end, detail_end); ++row) {
            const bool detail = row >= detail_begin && row < detail_end;
            wavelet(row, row >= begin && row < end, detail);
            if (!detail)
                continue;
            split_and_weight(row);
            if (row >= mask_row && row < mask_end)
                energy();
            // A row can be masked once the one below it is there.
            for (; mask_row < mask_end && std::min(mask_row + 1, scale_.height - 1) <= row;
                 ++mask_row)
                mask(mask_row);
        }
    }

private:
    Band *band(int32_t *row) const { return reinterpret_cast<Band *>(row); }
    const Band *band(const int32_t *row) const { return reinterpret_cast<const Band *>(row); }

    /// Input row y of picture p. Scale 0 centres it into a ring of four rows,
    /// which is as many as a filter position spans.
    VMAFGPU_ALWAYS_INLINE const In *input_row(int p, int y)
    {
        if constexpr (std::is_same_v<Band, int16_t>) {
            int16_t *row = rows_.picture[p][y % 4];
            if (centred_[p][y % 4] == y)
                return row;
            centred_[p][y % 4] = y;
            const Format &format = config_.format;
            const Plane &plane = p == 0 ? job_.pair->reference[0] : job_.pair->distorted[0];
            if (format.depth > 8)
                adm_row_centre(plane_row<uint16_t>(plane, y), row, format.width, format.depth);
            else
                adm_row_centre(plane_row<uint8_t>(plane, y), row, format.width, format.depth);
            return row;
        } else {
            return job_.input[p] + static_cast<ptrdiff_t>(y) * job_.input_width;
        }
    }

    /// The samples just outside a row, after the vertical filter.
    VMAFGPU_ALWAYS_INLINE void extend(Band *row) const
    {
        const int width = job_.input_width;
        row[-1] = row[mirror_high_repeat(-1, width)];
        row[width] = row[mirror_high_repeat(width, width)];
        row[width + 1] = row[mirror_high_repeat(width + 1, width)];
    }

    /// One row of bands: the approximation if it is ours to store, the details
    /// if this strip needs them.
    VMAFGPU_ALWAYS_INLINE void wavelet(int row, bool own, bool detail)
    {
        const int down =
            std::is_same_v<Band, int16_t> ? config_.format.depth : kAdmVerticalShift[job_.scale];
        const int across = kAdmHorizontalShift[job_.scale];
        const AdmSpan all = {0, job_.input_width};
        for (int p = 0; p < 2; ++p) {
            const In *in[4];
            for (int t = 0; t < 4; ++t)
                in[t] = input_row(p, mirror_high_repeat(2 * row - 1 + t, job_.input_height));
            Band *low = band(rows_.low[p]);
            adm_row_down(in, kAdmLowTaps, down, low, all);
            extend(low);
            if (own && job_.approximation[p] != nullptr)
                adm_row_across(low, kAdmLowTaps, across,
                               job_.approximation[p] + static_cast<ptrdiff_t>(row) * scale_.width,
                               {0, scale_.width});
            if (!detail)
                continue;
            Band *high = band(rows_.high[p]);
            adm_row_down(in, kAdmHighTaps, down, high, all);
            extend(high);
            adm_row_across(high, kAdmLowTaps, across, band(rows_.band[p][0]), wanted_);
            adm_row_across(low, kAdmHighTaps, across, band(rows_.band[p][1]), wanted_);
            adm_row_across(high, kAdmHighTaps, across, band(rows_.band[p][2]), wanted_);
        }
    }

    VMAFGPU_ALWAYS_INLINE void split_and_weight(int row)
    {
        const Band *ref[kAdmOrientations];
        const Band *dis[kAdmOrientations];
        for (int b = 0; b < kAdmOrientations; ++b) {
            ref[b] = band(rows_.band[0][b]);
            dis[b] = band(rows_.band[1][b]);
        }
        adm_row_angle(ref, dis, rows_.same_angle, wanted_);
        for (int b = 0; b < kAdmOrientations; ++b) {
            adm_row_restore(ref[b], dis[b], rows_.same_angle, rows_.restored, rows_.enhance,
                            wanted_);
            for (int g = 0; g < config_.gains; ++g) {
                adm_row_enhance(rows_.restored, rows_.enhance, dis[b], config_.gain_limit[g],
                                band(rows_.part[0]), band(rows_.part[1]), wanted_);
                for (int signal = 0; signal < 2; ++signal) {
                    const AdmWeightedRow &out = rows_.weighted[g][signal][row % 3];
                    adm_row_weight(band(rows_.part[signal]), scale_.multiplier[b], b == 2, b == 0,
                                   out.contrast[b], out.f, out.centre, wanted_);
                }
            }
        }
    }

    /// Denominator of the row that is in the band rows.
    VMAFGPU_ALWAYS_INLINE void energy()
    {
        for (int b = 0; b < kAdmOrientations; ++b) {
            const uint64_t sum =
                adm_row_energy(band(rows_.band[0][b]), kAdmEnergySquareShift[job_.scale],
                               scale_.den_cube_shift, region_);
            sums_->den[b] += round_shift(sum, scale_.den_row_shift);
        }
    }

    VMAFGPU_ALWAYS_INLINE void mask(int row)
    {
        for (int g = 0; g < config_.gains; ++g) {
            mask_signal(row, rows_.weighted[g][0], rows_.weighted[g][1], sums_->num[g]);
            if (!config_.skip_aim)
                mask_signal(row, rows_.weighted[g][1], rows_.weighted[g][0], sums_->aim[g]);
        }
    }

    /// Adds one row of `signal`, masked by `masker`; a complete row is rounded.
    VMAFGPU_ALWAYS_INLINE void mask_signal(int row, const AdmWeightedRow (&signal)[3],
                                           const AdmWeightedRow (&masker)[3],
                                           int64_t (&sums)[kAdmOrientations])
    {
        const int width = scale_.width;
        const int above = mirror_high_repeat(row - 1, scale_.height);
        const int below = mirror_high_repeat(row + 1, scale_.height);
        const AdmWeightedRow &here = masker[row % 3];
        const int32_t *f[3] = {masker[above % 3].f, here.f, masker[below % 3].f};
        int32_t *columns = rows_.columns;
        adm_row_columns(f, columns, wanted_);
        if (region_.begin == 0)
            columns[-1] = columns[mirror_high_repeat(-1, width)];
        if (region_.end == width)
            columns[width] = columns[mirror_high_repeat(width, width)];
        adm_row_threshold(columns, here.f, here.centre, rows_.threshold, region_);
        for (int b = 0; b < kAdmOrientations; ++b) {
            const AdmMaskShifts shifts = {adm_threshold_shift(job_.scale, b),
                                          adm_square_shift(job_.scale, b),
                                          scale_.num_cube_shift[b]};
            const int64_t sum =
                adm_row_mask(signal[row % 3].contrast[b], rows_.threshold, shifts, region_);
            sums[b] += round_shift(sum, scale_.num_row_shift);
        }
    }

    const StripJob<In, Band> &job_;
    const AdmConfig &config_;
    const AdmScale &scale_;
    const AdmStripRows &rows_;
    AdmScaleSums *sums_;
    AdmSpan region_{}; ///< columns that are summed
    AdmSpan wanted_{}; ///< those and their neighbours
    int centred_[2][4] = {{-1, -1, -1, -1}, {-1, -1, -1, -1}};
};

template <typename In, typename Band> void run_strip(const StripJob<In, Band> &job,
                                                     const AdmStripRows &rows, AdmScaleSums *sums,
                                                     int begin, int end)
{
    Strip<In, Band>(job, rows, sums).run(begin, end);
}

/// The same, compiled for AVX2: twice as many samples per instruction.
template <typename In, typename Band>
VMAFGPU_TARGET_AVX2 void run_strip_avx2(const StripJob<In, Band> &job, const AdmStripRows &rows,
                                        AdmScaleSums *sums, int begin, int end)
{
    Strip<In, Band>(job, rows, sums).run(begin, end);
}

void add_sums(AdmScaleSums &total, const AdmScaleSums &part)
{
    for (int b = 0; b < kAdmOrientations; ++b) {
        total.den[b] += part.den[b];
        for (int g = 0; g < kAdmMaxGains; ++g) {
            total.num[g][b] += part.num[g][b];
            total.aim[g][b] += part.aim[g][b];
        }
    }
}

template <typename In, typename Band> void run_scale(const StripJob<In, Band> &job,
                                                     const AdmScratch &scratch, AdmScaleSums *total,
                                                     ThreadPool &pool)
{
    const int height = job.config->scale[job.scale].height;
    const int most = std::min(kAdmMaxStrips, std::max(1, height / kMinStripRows));
    const int strips = std::min(most, std::max(1, pool.size()));
    const auto run = cpu_has_avx2() ? run_strip_avx2<In, Band> : run_strip<In, Band>;
    const auto run_one = [&](int i) {
        run(job, scratch.strip[i], &scratch.partial[i], height * i / strips,
            height * (i + 1) / strips);
    };
    if (strips == 1)
        run_one(0);
    else
        pool.parallel_for(strips, std::ref(run_one));
    *total = {};
    for (int i = 0; i < strips; ++i)
        add_sums(*total, scratch.partial[i]);
}

} // namespace

size_t adm_cpu_scratch(const AdmConfig &config)
{
    AdmArena arena(nullptr);
    const AdmScratch scratch(config, arena);
    return arena.used();
}

void adm_compute(const AdmConfig &config, const PairView &pair, AdmSums *sums, void *scratch,
                 ThreadPool &pool)
{
    AdmArena arena(scratch);
    const AdmScratch memory(config, arena);
    const AdmScale *scales = config.scale;

    const StripJob<int16_t, int16_t> first = {&config,
                                              0,
                                              &pair,
                                              {nullptr, nullptr},
                                              config.format.width,
                                              config.format.height,
                                              {memory.first_plane[0], memory.first_plane[1]}};
    run_scale(first, memory, &sums->scale[0], pool);

    const StripJob<int16_t, int32_t> second = {&config,
                                               1,
                                               nullptr,
                                               {memory.first_plane[0], memory.first_plane[1]},
                                               scales[0].width,
                                               scales[0].height,
                                               {memory.next_plane[1][0], memory.next_plane[1][1]}};
    run_scale(second, memory, &sums->scale[1], pool);

    for (int scale = 2; scale < kAdmScales; ++scale) {
        StripJob<int32_t, int32_t> job = {
            &config,
            scale,
            nullptr,
            {memory.next_plane[scale - 1][0], memory.next_plane[scale - 1][1]},
            scales[scale - 1].width,
            scales[scale - 1].height,
            {nullptr, nullptr}};
        if (scale + 1 < kAdmScales)
            for (int p = 0; p < 2; ++p)
                job.approximation[p] = memory.next_plane[scale][p];
        run_scale(job, memory, &sums->scale[scale], pool);
    }
}

} // namespace vmafgpu
