// SPDX-License-Identifier: BSD-2-Clause-Patent
// compute() must write the same bytes as reference(), whatever the size, the
// depth, the content, the distance between rows and the number of threads.
// VIF and motion here; sizes around the tiles and strips of their CPU code.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>

#include "features/motion/motion.h"
#include "features/vif/vif.h"
#include "generators.h"
#include "sums_window.h"

namespace vmafgpu {
namespace {

/// Every Feature object there is to compare, for one format.
std::vector<FeatureGroup> objects(const Format &format)
{
    std::vector<FeatureGroup> all;
    const auto append = [&](const FeatureInfo &info, const std::vector<const char *> &options,
                            Compat compat = Compat::k3_2) {
        std::vector<FeatureOptions> variants;
        for (const char *one : options)
            variants.push_back(values_of(info, one));
        for (FeatureGroup &group : info.create(format, compat, variants))
            all.push_back(std::move(group));
    };
    append(kVifFeature, {"", "vif_enhn_gain_limit=1"});
    append(kVifFeature, {"vif_enhn_gain_limit=1.2:vif_skip_scale0=true"});
    append(kMotionFeature, {"", "motion_five_frame_window=true"});
    append(kMotionFeature, {""}, Compat::k3_1);
    append(kMotionFeature, {"motion_force_zero=true"});
    return all;
}

std::string describe(const Clip &clip, size_t object)
{
    std::ostringstream text;
    text << "content " << static_cast<int>(clip.content) << " depth " << clip.depth << " "
         << clip.width << "x" << clip.height << " seed " << clip.seed << " object " << object;
    return text.str();
}

/// 0 (everything on the caller), 1, 2, 3 and 8 threads.
const std::vector<std::unique_ptr<ThreadPool>> &pools()
{
    static const auto all = [] {
        std::vector<std::unique_ptr<ThreadPool>> made;
        for (const int threads : {0, 1, 2, 3, 8})
            made.push_back(std::make_unique<ThreadPool>(threads));
        return made;
    }();
    return all;
}

void expect_equal(const Clip &clip, size_t extra)
{
    std::vector<TestPair> pairs;
    for (int t = 0; t < clip.frames; ++t)
        pairs.push_back(make_pair(clip, t, extra));
    const std::vector<FeatureGroup> features = objects(format_of(clip));
    for (size_t object = 0; object < features.size(); ++object) {
        const Feature &feature = *features[object].feature;
        for (size_t i = 0; i < pairs.size(); ++i) {
            const Bytes golden = referenced(feature, view(pairs, i));
            for (const auto &pool : pools())
                EXPECT_EQ(computed(feature, view(pairs, i), *pool), golden)
                    << describe(clip, object) << " pair " << i << " threads " << pool->size();
            expect_all_levels(feature, view(pairs, i), golden);
        }
    }
}

constexpr Content kContents[] = {Content::kTexture, Content::kBoost, Content::kFlat,
                                 Content::kChecker, Content::kNoise, Content::kLow};

TEST(ComputeEqualsReference, reg12_SizesAroundTilesAndStrips)
{
    struct Size {
        int width, height;
    };
    constexpr Size kSizes[] = {{16, 16},  {17, 17},  {127, 18}, {128, 63}, {129, 64}, {130, 65},
                               {136, 17}, {255, 16}, {256, 20}, {257, 19}, {258, 33}, {41, 129}};
    uint32_t seed = 1;
    for (const Size size : kSizes)
        for (const int depth : {8, 10, 16})
            expect_equal(
                {"size", kContents[seed % 6], depth, size.width, size.height, 3, seed++, 0, 0}, 0);
}

TEST(ComputeEqualsReference, RandomClips)
{
    std::mt19937 random(20240607);
    const auto between = [&](uint32_t low, uint32_t high) {
        return static_cast<int>(low + random() % (high - low + 1));
    };
    for (int i = 0; i < 60; ++i) {
        const Content content = kContents[i % 6];
        const int depth = between(8, 16);
        const int width = between(16, 300);
        const int height = between(16, 90);
        const size_t extra = depth == 8 ? between(0, 7) : 2 * between(0, 7);
        expect_equal({"random", content, depth, width, height, 3,
                      static_cast<uint32_t>(between(1, 9)), 0, 0},
                     extra);
    }
}

/// All samples 0 or the largest, in both pictures: every sum at its bound.
TEST(ComputeEqualsReference, FullContrastNoise)
{
    for (const int depth : {8, 12, 15, 16}) {
        Clip clip = {"contrast", Content::kNoise, depth, 150, 70, 3, 5, 0, 0};
        std::vector<TestPair> pairs;
        for (int t = 0; t < clip.frames; ++t) {
            TestPair pair = make_pair(clip, t);
            const uint32_t top = (1u << depth) - 1;
            for (int y = 0; y < clip.height; ++y)
                for (int x = 0; x < clip.width; ++x) {
                    const uint32_t bits = hash(x / 8, y / 8, t, 7);
                    pair.reference.set(x, y, t == 0 ? 0 : (t == 1 || bits & 1 ? top : 0));
                    pair.distorted.set(x, y, bits & 2 ? top : 0);
                }
            pairs.push_back(std::move(pair));
        }
        ThreadPool pool(2);
        for (const FeatureGroup &group : objects(format_of(clip)))
            for (size_t i = 0; i < pairs.size(); ++i)
                EXPECT_EQ(computed(*group.feature, view(pairs, i), pool),
                          referenced(*group.feature, view(pairs, i)))
                    << "depth " << depth << " pair " << i;
    }
}

} // namespace
} // namespace vmafgpu
