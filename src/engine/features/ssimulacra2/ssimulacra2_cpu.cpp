// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2 on the CPU, fast: the same bytes as ssimulacra2_ref.cpp. Bands of rows become the
// planes of all scales, then each plane of a scale is a task of its own (ssimulacra2_simd-inl.h).
// Without a fused multiply-add the reference code runs. ssimulacra2.cpp calls this.
#include <algorithm>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "features/ssimulacra2/ssimulacra2.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ssimulacra2/ssimulacra2_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::ssimulacra2 {

namespace {

constexpr int kPictures = 2;
constexpr int kBands = 16; ///< bands that a picture's rows are divided into
constexpr int kLines = 5;  ///< integers of a band: three rows of samples, two of chroma
constexpr int kMargin = 4; ///< around a row of chroma

int pitch_of(const Config &config, int scale)
{
    return round_up(config.width[scale] + 1, kPad);
}

int line_pitch(const Config &config)
{
    return pitch_of(config, 0) + 2 * kPad;
}

int64_t plane_floats(const Config &config, int scale)
{
    return int64_t{pitch_of(config, scale)} * config.height[scale];
}

/// Scratch: lines of the bands, planes of the scales, memory of the planes' tasks.
class Memory {
public:
    Memory(Arena &arena, const Config &config) : config_(config)
    {
        const auto take = [&](int64_t floats) {
            return arena.take<float>(static_cast<size_t>(floats));
        };
        lines_ = arena.take<int32_t>(size_t{kPictures} * kBands * kLines *
                                     static_cast<size_t>(line_pitch(config)));
        for (int scale = 0; scale < config.scales; ++scale)
            planes_[scale] = take(kPictures * kPlanes * plane_floats(config, scale));
        for (int scale = 0; scale < config.scales; ++scale)
            tasks_[scale] = take(kPlanes * task_floats(pitch_of(config, scale)));
    }
    int32_t *line(int picture, int band, int i) const
    {
        const int64_t number = (picture * kBands + band) * kLines + i;
        return lines_ + number * line_pitch(config_);
    }
    float *row(int scale, int picture, int plane, int y) const
    {
        return planes_[scale] + (picture * kPlanes + plane) * plane_floats(config_, scale) +
               int64_t{y} * pitch_of(config_, scale);
    }
    float *task(int scale, int plane) const
    {
        return tasks_[scale] + plane * task_floats(pitch_of(config_, scale));
    }

private:
    const Config &config_;
    int32_t *lines_;
    float *planes_[kScales] = {}, *tasks_[kScales] = {};
};

/// Does what chroma_sample() does, for a row: down the columns of the chroma plane into `line`,
/// whose ends are repeated, then along it.
template <typename Sample> void load_chroma(const Config &config, const Plane *planes, int p, int y,
                                            int32_t *line, int32_t *to)
{
    const Format &format = config.format;
    const int width = format.plane_width(p);
    const int height = format.plane_height(p);
    const auto row = [&](int i) {
        return plane_row<Sample>(planes[p], std::clamp(i, 0, height - 1));
    };
    line += kMargin;
    if (format.chroma == Chroma::k420) {
        const bool is_odd = y % 2 != 0;
        const int first = (y + 1) / 2 - 2;
        const Sample *far = row(is_odd ? first : first + 3);
        const Sample *near = row(is_odd ? first + 1 : first + 2);
        const Sample *other = row(is_odd ? first + 2 : first + 1);
        const Sample *last = row(is_odd ? first + 3 : first);
        for (int x = 0; x < width; ++x)
            line[x] = 111 * near[x] - 9 * far[x] + 29 * other[x] - 3 * last[x];
    } else {
        const Sample *from = row(y);
        for (int x = 0; x < width; ++x)
            line[x] = 128 * from[x];
    }
    const int middle = config.chroma_middle();
    if (format.chroma == Chroma::k444) {
        for (int x = 0; x < width; ++x)
            to[x] = 16 * line[x] - middle;
        return;
    }
    line[-1] = line[0];
    line[width] = line[width + 1] = line[width - 1];
    for (int x = 0; x < width; ++x) {
        to[2 * x] = 16 * line[x] - middle;
        to[2 * x + 1] = 9 * (line[x] + line[x + 1]) - line[x - 1] - line[x + 2] - middle;
    }
}

/// A row of samples as Row has them.
template <typename Sample>
void load_row(const Config &config, bool is_rgb, const Plane *planes, int y, int32_t *const *lines)
{
    const auto copy = [&](int p, int32_t *to) {
        const Sample *from = plane_row<Sample>(planes[p], y);
        for (int x = 0; x < config.format.width; ++x)
            to[x] = from[x];
    };
    if (is_rgb) {
        for (int p = 0; p < 3; ++p)
            copy((p + 2) % 3, lines[p]);
        return;
    }
    copy(0, lines[0]);
    for (int p = 1; p < 3; ++p)
        load_chroma<Sample>(config, planes, p, y, lines[p + 2], lines[p]);
}

struct Work {
    const Config &config;
    const PairView &pair;
    const LevelForms &forms;
    Memory memory;
};

/// Rows begin .. end - 1 of a picture, from samples to linear light.
void make_linear(const Work &work, int picture, int band, int begin, int end)
{
    const Plane *planes = picture == 0 ? work.pair.reference : work.pair.distorted;
    const auto load = work.config.format.depth > 8 ? load_row<uint16_t> : load_row<uint8_t>;
    const Colour &colour = work.config.colours[picture];
    int32_t *lines[kLines];
    for (int i = 0; i < kLines; ++i)
        lines[i] = work.memory.line(picture, band, i);
    for (int y = begin; y < end; ++y) {
        load(work.config, colour.is_rgb != 0, planes, y, lines);
        Row row = {&colour, {lines[0], lines[1], lines[2]}, {}, 0};
        row.width = work.config.format.width;
        for (int p = 0; p < kPlanes; ++p)
            row.out[p] = work.memory.row(0, picture, p, y);
        work.forms.linear_row(row);
    }
}

/// The next scale's rows from rows begin .. end - 1 of linear light.
void make_half(const Work &work, int scale, int picture, int begin, int end)
{
    const int width = work.config.width[scale];
    for (int p = 0; p < kPlanes; ++p) {
        for (int y = begin; y < end; ++y) {
            float *row = work.memory.row(scale, picture, p, y);
            row[width] = row[width - 1];
        }
        for (int y = begin; y < end; y += 2)
            work.forms.half_row(work.memory.row(scale, picture, p, y),
                                work.memory.row(scale, picture, p, std::min(y + 1, end - 1)),
                                work.memory.row(scale + 1, picture, p, y / 2),
                                work.config.width[scale + 1]);
    }
}

/// A band of a scale: samples become linear light, that of the next scale, and X, Y, B.
void make_band(const Work &work, int scale, int picture, int band)
{
    const int height = work.config.height[scale];
    const int rows = round_up(divide_up(height, kBands), 2);
    const int begin = std::min(band * rows, height);
    const int end = std::min(begin + rows, height);
    if (scale == 0)
        make_linear(work, picture, band, begin, end);
    if (scale + 1 < work.config.scales)
        make_half(work, scale, picture, begin, end);
    for (int y = begin; y < end; ++y) {
        float *of[kPlanes];
        for (int p = 0; p < kPlanes; ++p)
            of[p] = work.memory.row(scale, picture, p, y);
        work.forms.xyb_row(of, work.config.width[scale]);
    }
}

void add_plane(const Work &work, int scale, int plane, double *sums)
{
    const int needed = work.config.needed[scale][plane];
    if (needed == 0)
        return;
    const PlaneTask task = {
        {work.memory.row(scale, 0, plane, 0), work.memory.row(scale, 1, plane, 0)},
        work.config.width[scale],
        work.config.height[scale],
        pitch_of(work.config, scale),
        work.config.needs_structure(scale, plane),
        work.memory.task(scale, plane),
        sums};
    work.forms.add_plane(task);
    for (int k = 0; k < kSums; ++k)
        if ((needed >> k & 1) == 0)
            sums[k] = 0;
}

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Memory>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto level = VMAFGPU_CHOOSE_FORM(LevelForms(), level_forms);
    const LevelForms forms = level != nullptr ? level() : LevelForms{};
    if (forms.add_plane == nullptr)
        return reference(config, pair, sums);
    sums = {};
    Arena arena(scratch);
    const Work work = {config, pair, forms, Memory(arena, config)};
    for (int scale = 0; scale < config.scales; ++scale)
        pool.parallel_for(kPictures * kBands,
                          [&](int i) { make_band(work, scale, i / kBands, i % kBands); });
    pool.parallel_for(config.scales * kPlanes, [&](int i) {
        const int scale = i / kPlanes;
        const int plane = i % kPlanes;
        add_plane(work, scale, plane, sums.of[scale][plane]);
    });
}

} // namespace vmafgpu::ssimulacra2
