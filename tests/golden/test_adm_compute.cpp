// SPDX-License-Identifier: BSD-2-Clause-Patent
// ADM's compute() must write the same bytes as reference(): any size, depth,
// content, options, distance between rows and number of threads, whatever the
// memory held before. Sizes from the smallest, around strips and borders.
#include <gtest/gtest.h>

#include <random>

#include "adm_generators.h"
#include "features/adm/adm.h"
#include "sums_window.h"

namespace vmafgpu {
namespace {

constexpr AdmContent kContents[] = {AdmContent::kBlur,   AdmContent::kGain, AdmContent::kGain2,
                                    AdmContent::kNoise,  AdmContent::kFlat, AdmContent::kRamp,
                                    AdmContent::kBilevel};

std::vector<FeatureGroup> adm_objects(const Format &format)
{
    std::vector<FeatureOptions> variants;
    for (const char *options :
         {"", "adm_enhn_gain_limit=1", "adm_enhn_gain_limit=1.2:adm_skip_aim=true",
          "adm_skip_scale0=true",
          "adm_csf_mode=1:adm_csf_scale=0.025:adm_csf_diag_scale=0.006:adm_enhn_gain_limit=3.7",
          "adm_csf_mode=1", "adm_csf_mode=1:adm_csf_scale=50:adm_csf_diag_scale=0.4",
          "adm_csf_mode=2:adm_norm_view_dist=5",
          // A diagonal multiplier of 2^15, so that products of one half are frequent.
          "adm_norm_view_dist=3.6774"})
        variants.push_back(values_of(kAdmFeature, options));
    return kAdmFeature.create(format, Compat::k3_2, variants);
}

void expect_equal_sums(const PairView &pair, const Format &format, const std::string &what)
{
    const auto objects = adm_objects(format);
    EXPECT_EQ(objects.size(), 8u);
    for (const int threads : {0, 1, 2, 3, 8}) {
        ThreadPool pool(threads);
        for (size_t i = 0; i < objects.size(); ++i) {
            const Feature &feature = *objects[i].feature;
            EXPECT_EQ(computed(feature, pair, pool), referenced(feature, pair))
                << what << " object " << i << " threads " << threads;
        }
    }
}

void expect_equal_clip(AdmContent content, int width, int height, int depth, size_t extra)
{
    const TestPair pair = adm_pair(content, width, height, depth, 1, extra);
    expect_equal_sums(adm_view(pair), adm_format(width, height, depth),
                      std::to_string(width) + "x" + std::to_string(height) + " depth " +
                          std::to_string(depth) + " content " +
                          std::to_string(static_cast<int>(content)));
}

TEST(AdmCompute, reg11_SmallAndOddSizes)
{
    constexpr int kSizes[][2] = {{17, 17}, {18, 33}, {33, 17}, {20, 25}, {32, 32},
                                 {33, 33}, {65, 50}, {47, 96}, {131, 97}};
    size_t i = 0;
    for (const auto &size : kSizes)
        for (const int depth : {8, 10, 16})
            expect_equal_clip(kContents[i++ % 7], size[0], size[1], depth, 0);
}

TEST(AdmCompute, RandomClips)
{
    std::mt19937 random(20240811);
    const auto between = [&](uint32_t low, uint32_t high) {
        return static_cast<int>(low + random() % (high - low + 1));
    };
    for (size_t i = 0; i < 24; ++i) {
        const int depth = between(8, 16);
        const int width = between(17, 200);
        const int height = between(17, 300);
        expect_equal_clip(kContents[i % 7], width, height, depth,
                          static_cast<size_t>(2 * between(0, 9)));
    }
}

/// Vertical or horizontal stripes two samples wide at full contrast, out of
/// step: every sum near its bound, and the wrapping squares of mode 1.
TEST(AdmCompute, FullContrast)
{
    for (const int depth : {8, 12, 16})
        for (const int wide : {1, 2, 4, 8}) {
            const Format format = adm_format(150, 120, depth);
            TestPair pair = {{150, 120, depth}, {150, 120, depth}};
            const uint32_t top = (1u << depth) - 1;
            for (int y = 0; y < format.height; ++y)
                for (int x = 0; x < format.width; ++x) {
                    const int at = y < 60 ? x : y;
                    pair.reference.set(x, y, (at / wide) % 2 != 0 ? top : 0);
                    pair.distorted.set(x, y, ((at + x / 75) / wide) % 2 != 0 ? 0 : top);
                }
            expect_equal_sums(adm_view(pair), format,
                              "stripes " + std::to_string(wide) + " depth " +
                                  std::to_string(depth));
        }
}

/// Rows from bottom to top, as some callers store them.
TEST(AdmCompute, NegativePitch)
{
    const Format format = adm_format(70, 60, 8);
    const TestPair pair = adm_pair(AdmContent::kBlur, 70, 60, 8, 0, 6);
    PairView view = adm_view(pair);
    for (Plane *plane : {&view.reference[0], &view.distorted[0]}) {
        plane->data = static_cast<const char *>(plane->data) + plane->pitch * (format.height - 1);
        plane->pitch = -plane->pitch;
    }
    expect_equal_sums(view, format, "bottom up");
}

} // namespace
} // namespace vmafgpu
