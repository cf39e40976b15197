// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM and MS-SSIM on the CPU, fast: the same bytes as ssim_ref.cpp. Strips of rows run on the
// thread pool and store the terms of their pixels; the calling thread adds them in raster order.
// The work on a strip is SIMD code (ssim_simd-inl.h). ssim.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/kit/arena.h"
#include "features/kit/strips.h"
#include "features/ssim/ssim.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ssim/ssim_simd-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu::ssim {

namespace {

/// Terms of few enough rows that one thread's second-level cache holds them.
constexpr int kStripRows = 32;
/// Strips whose terms are kept at a time.
constexpr int kStrips = 4;

bool has_planes(const Config &config, int scale)
{
    return scale > 0 || !config.starts_with_samples();
}

struct Scratch {
    /// Doubles from row to row of terms: whole vectors are stored.
    size_t pitch;
    double *terms; ///< kStrips times kStripRows rows of each mean
    SourcePlane planes[kMaxScales][kPictures] = {};

    Scratch(Arena &arena, const Config &config)
    {
        int widest = 0;
        for (int scale = 0; scale < config.scales; ++scale)
            widest = std::max(widest, config.scale_width[scale]);
        pitch = round_up(static_cast<size_t>(widest), size_t{8}) + 8;
        terms = arena.take<double>(pitch * kMeans * kStripRows * kStrips);
        for (int scale = 0; scale < config.scales; ++scale)
            for (SourcePlane &plane : planes[scale])
                if (has_planes(config, scale))
                    plane =
                        take_plane(arena, config.scale_width[scale], config.scale_height[scale]);
    }

private:
    static SourcePlane take_plane(Arena &arena, int width, int height)
    {
        const size_t bytes =
            round_up(static_cast<size_t>(width) * sizeof(float), Arena::kHostAlignment) +
            Arena::kHostAlignment;
        const void *memory = arena.take<char>(bytes * static_cast<size_t>(height));
        return {{memory, static_cast<ptrdiff_t>(bytes)}, width, height, 4, 1.0F};
    }
};

SourcePlane picture_of(const Config &config, const Plane &plane)
{
    return {plane, config.width, config.height, config.depth > 8 ? 2 : 1,
            1.0F / static_cast<float>(1 << (config.depth - 8))};
}

void make_plane(void (*run)(const PlaneStrip &), const PlaneStrip &all, ThreadPool &pool)
{
    for_strips(pool, all.to.height, kStripRows, [&](const StripOfRows &rows) {
        PlaneStrip strip = all;
        strip.first = rows.first;
        strip.last = rows.last;
        run(strip);
    });
}

/// The serial sums of a scale.
void add_terms(const TermsStrip &strip, int pixels_x, double (&totals)[kMeans])
{
    const size_t pitch = strip.pitch;
    for (int row = 0; row < strip.last - strip.first; ++row) {
        const double *terms = strip.terms + static_cast<size_t>(row) * kMeans * pitch;
        for (int x = 0; x < pixels_x; ++x) {
            if (strip.first_mean == kProduct)
                totals[kProduct] += terms[x];
            totals[kLuminance] += terms[pitch + x];
            totals[kContrast] += terms[2 * pitch + x];
            totals[kStructure] += terms[3 * pitch + x];
        }
    }
}

void scale_sums(const Config &config, int scale, void (*run)(const TermsStrip &),
                const SourcePlane (&pictures)[kPictures], const Scratch &memory, ScaleSums &sums,
                ThreadPool &pool)
{
    const int pixels_x = config.pixels_x(scale);
    const int pixels_y = config.pixels_y(scale);
    const size_t pitch = memory.pitch;
    const size_t strip_terms = pitch * kMeans * kStripRows;
    double totals[kMeans] = {};
    // A single thread finds the terms in its cache if it adds them at once.
    const int at_once = pool.size() > 1 ? kStrips : 1;
    for (int row = 0; row < pixels_y; row += at_once * kStripRows) {
        const int strips = std::min(at_once, divide_up(pixels_y - row, kStripRows));
        const auto strip_of = [&](int i) {
            TermsStrip strip = {};
            for (int p = 0; p < kPictures; ++p)
                strip.pictures[p] = pictures[p];
            strip.first = row + i * kStripRows;
            strip.last = std::min(pixels_y, strip.first + kStripRows);
            strip.first_mean = config.first_mean();
            strip.terms = memory.terms + static_cast<size_t>(i) * strip_terms;
            strip.pitch = pitch;
            return strip;
        };
        pool.parallel_for(strips, [&](int i) { run(strip_of(i)); });
        for (int i = 0; i < strips; ++i)
            add_terms(strip_of(i), pixels_x, totals);
    }
    const double count = static_cast<double>(pixels_x) * static_cast<double>(pixels_y);
    for (int kind = config.first_mean(); kind < kMeans; ++kind)
        sums.means[kind] = static_cast<float>(totals[kind] / count);
}

} // namespace

size_t Forms::cpu_scratch(const Config &config)
{
    return arena_size<Scratch>(config);
}

void Forms::compute(const Config &config, const PairView &pair, Sums &sums, void *scratch,
                    ThreadPool &pool)
{
    const auto run_terms = VMAFGPU_CHOOSE_FORM(void(const TermsStrip &), terms_strip);
    const auto run_half = VMAFGPU_CHOOSE_FORM(void(const PlaneStrip &), half_strip);
    const auto run_box = VMAFGPU_CHOOSE_FORM(void(const PlaneStrip &), box_strip);
    if (run_terms == nullptr || config.factor > kExactFactor)
        return reference(config, pair, sums);
    std::memset(&sums, 0, sums_bytes(config));
    Arena arena(scratch);
    const Scratch memory(arena, config);
    SourcePlane pictures[kPictures] = {picture_of(config, pair.reference[0]),
                                       picture_of(config, pair.distorted[0])};
    for (int scale = 0; scale < config.scales; ++scale) {
        if (has_planes(config, scale)) {
            for (int p = 0; p < kPictures; ++p) {
                const SourcePlane &next = memory.planes[scale][p];
                make_plane(scale == 0 ? run_box : run_half,
                           {pictures[p], next, 0, 0, config.factor}, pool);
                pictures[p] = next;
            }
        }
        if (config.has_pixels(scale))
            scale_sums(config, scale, run_terms, pictures, memory, sums.scales[scale], pool);
    }
}

} // namespace vmafgpu::ssim
