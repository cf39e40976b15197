// SPDX-License-Identifier: BSD-2-Clause-Patent
// SSIM and MS-SSIM on the CPU, fast: the same bytes as ssim_ref.cpp. Strips of rows run on the
// thread pool and store the terms of their pixels; the calling thread adds them in raster order.
// The work on a strip is SIMD code (ssim_strip-inl.h). ssim.cpp calls this.
#include <algorithm>
#include <cstring>

#include "base/numeric.h"
#include "features/ssim/ssim.h"
#include "features/ssim/ssim_math.h"
#include "features/ssim/ssim_simd.h"
#include "system/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/ssim/ssim_strip-inl.h"
#include "simd/simd_targets.h"

namespace vmafgpu {

namespace {

/// Terms of few enough rows that one thread's second-level cache holds them.
constexpr int kStripRows = 32;
/// Strips whose terms are kept at a time.
constexpr int kStrips = 4;

size_t float_bytes(int width)
{
    return round_up(static_cast<size_t>(width) * sizeof(float), size_t{64}) + 64;
}

/// Whole vectors are stored.
size_t term_pitch(const SsimConfig &config)
{
    int widest = 0;
    for (int scale = 0; scale < config.scales; ++scale)
        widest = std::max(widest, config.scale_width[scale]);
    return round_up(static_cast<size_t>(widest), size_t{8}) + 8;
}

bool has_planes(const SsimConfig &config, int scale)
{
    return scale > 0 || !config.starts_with_samples();
}

SsimPlane picture_of(const SsimConfig &config, const Plane &plane)
{
    return {plane, config.width, config.height, config.depth > 8 ? 2 : 1,
            1.0F / static_cast<float>(1 << (config.depth - 8))};
}

/// Takes a plane of a scale from the scratch memory.
SsimPlane take_plane(const SsimConfig &config, int scale, char *&memory)
{
    const int width = config.scale_width[scale];
    const int height = config.scale_height[scale];
    const size_t pitch = float_bytes(width);
    const SsimPlane plane = {{memory, static_cast<ptrdiff_t>(pitch)}, width, height, 4, 1.0F};
    memory += pitch * static_cast<size_t>(height);
    return plane;
}

void make_plane(void (*run)(const SsimPlaneStrip &), SsimPlaneStrip all, ThreadPool &pool)
{
    pool.parallel_for(divide_up(all.to.height, kStripRows), [&](int i) {
        SsimPlaneStrip strip = all;
        strip.first = i * kStripRows;
        strip.last = std::min(all.to.height, strip.first + kStripRows);
        run(strip);
    });
}

/// The serial sums of a scale.
void add_terms(const SsimTermsStrip &strip, int pixels_x, double (&totals)[kSsimMeans])
{
    const size_t pitch = strip.pitch;
    for (int row = 0; row < strip.last - strip.first; ++row) {
        const double *terms = strip.terms + static_cast<size_t>(row) * kSsimMeans * pitch;
        for (int x = 0; x < pixels_x; ++x) {
            if (strip.first_mean == kSsimProduct)
                totals[kSsimProduct] += terms[x];
            totals[kSsimLuminance] += terms[pitch + x];
            totals[kSsimContrast] += terms[2 * pitch + x];
            totals[kSsimStructure] += terms[3 * pitch + x];
        }
    }
}

void scale_sums(const SsimConfig &config, int scale, void (*run)(const SsimTermsStrip &),
                const SsimPlane (&pictures)[kSsimPictures], double *memory, SsimScaleSums &sums,
                ThreadPool &pool)
{
    const int pixels_x = config.pixels_x(scale);
    const int pixels_y = config.pixels_y(scale);
    const size_t pitch = term_pitch(config);
    const size_t strip_terms = pitch * kSsimMeans * kStripRows;
    double totals[kSsimMeans] = {};
    // One thread alone finds the terms in its cache if it adds them at once.
    const int at_once = pool.size() > 1 ? kStrips : 1;
    for (int row = 0; row < pixels_y; row += at_once * kStripRows) {
        const int strips = std::min(at_once, divide_up(pixels_y - row, kStripRows));
        const auto strip_of = [&](int i) {
            SsimTermsStrip strip = {};
            for (int p = 0; p < kSsimPictures; ++p)
                strip.pictures[p] = pictures[p];
            strip.first = row + i * kStripRows;
            strip.last = std::min(pixels_y, strip.first + kStripRows);
            strip.first_mean = config.first_mean();
            strip.terms = memory + static_cast<size_t>(i) * strip_terms;
            strip.pitch = pitch;
            return strip;
        };
        pool.parallel_for(strips, [&](int i) { run(strip_of(i)); });
        for (int i = 0; i < strips; ++i)
            add_terms(strip_of(i), pixels_x, totals);
    }
    const double count = static_cast<double>(pixels_x) * static_cast<double>(pixels_y);
    for (int kind = config.first_mean(); kind < kSsimMeans; ++kind)
        sums.means[kind] = static_cast<float>(totals[kind] / count);
}

} // namespace

size_t ssim_cpu_scratch(const SsimConfig &config)
{
    size_t bytes = term_pitch(config) * kSsimMeans * kStripRows * kStrips * sizeof(double);
    for (int scale = 0; scale < config.scales; ++scale)
        if (has_planes(config, scale))
            bytes += kSsimPictures * float_bytes(config.scale_width[scale]) *
                     static_cast<size_t>(config.scale_height[scale]);
    return bytes;
}

void ssim_compute(const SsimConfig &config, const PairView &pair, SsimScaleSums *sums,
                  void *scratch, ThreadPool &pool)
{
    using Terms = void(const SsimTermsStrip &);
    using Planes = void(const SsimPlaneStrip &);
    const auto run_terms = VMAFGPU_CHOOSE_FORM(Terms, ssim_terms_strip);
    const auto run_half = VMAFGPU_CHOOSE_FORM(Planes, ssim_half_strip);
    const auto run_box = VMAFGPU_CHOOSE_FORM(Planes, ssim_box_strip);
    if (run_terms == nullptr || config.factor > kSsimExactFactor)
        return ssim_reference(config, pair, sums);
    std::memset(sums, 0, static_cast<size_t>(config.scales) * sizeof(*sums));
    auto *terms = static_cast<double *>(scratch);
    char *memory = static_cast<char *>(scratch) +
                   term_pitch(config) * kSsimMeans * kStripRows * kStrips * sizeof(double);
    SsimPlane pictures[kSsimPictures] = {picture_of(config, pair.reference[0]),
                                         picture_of(config, pair.distorted[0])};
    for (int scale = 0; scale < config.scales; ++scale) {
        if (has_planes(config, scale)) {
            for (SsimPlane &picture : pictures) {
                const SsimPlane next = take_plane(config, scale, memory);
                make_plane(scale == 0 ? run_box : run_half, {picture, next, 0, 0, config.factor},
                           pool);
                picture = next;
            }
        }
        if (config.has_pixels(scale))
            scale_sums(config, scale, run_terms, pictures, terms, sums[scale], pool);
    }
}

} // namespace vmafgpu
