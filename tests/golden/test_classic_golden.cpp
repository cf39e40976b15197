// SPDX-License-Identifier: BSD-2-Clause-Patent
// libvmaf's older metrics: the plain code and its fast CPU forms against libvmaf's own results, and
// what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "base/thread_pool.h"
#include "classic_clips.h"
#include "classic_golden.h"
#include "cpu/cpu_level.h"
#include "features/registry.h"
#include "sums_window.h"

namespace vmafgpu {
namespace {

std::vector<FeatureGroup> create(const std::string &feature, const Format &format)
{
    const FeatureInfo &info = *find_feature(feature);
    return info.create(format, Compat::k3_2, {default_options(info)});
}

std::vector<unsigned char> computed(const Feature &feature, const PairView &pair, int threads)
{
    std::vector<unsigned char> sums(feature.plan().sums, 0x5A);
    std::vector<unsigned char> scratch(feature.plan().cpu_scratch + 256, 0xC7);
    const auto address = reinterpret_cast<uintptr_t>(scratch.data());
    ThreadPool pool(threads);
    feature.compute(pair, sums.data(), scratch.data() + (256 - address % 256), pool);
    return sums;
}

uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

TEST(ClassicGolden, Vectors)
{
    const CpuLevel level = cpu_level();
    std::set<std::string> features;
    for (const ClassicVector &vector : classic_vectors()) {
        SCOPED_TRACE(std::string(vector.feature) + " " + vector.clip + " frame " +
                     std::to_string(vector.frame));
        features.insert(vector.feature);
        const ClassicClip &clip = classic_clip(vector.clip);
        const YuvPair pair = classic_pair(clip, vector.frame);
        const auto groups = create(vector.feature, classic_format(clip));
        ASSERT_EQ(groups.size(), 1U);
        const Feature &feature = *groups[0].feature;
        SegmentSums sums(feature);
        auto *reference = static_cast<unsigned char *>(sums.add());
        feature.reference(pair.view(), reference);
        const std::vector<double> scores = sums.scores(0, 1, vector.scores.size()).at(0);
        for (size_t i = 0; i < scores.size(); ++i)
            EXPECT_EQ(bits_of(scores[i]), bits_of(vector.scores[i]))
                << "series " << i << ": " << scores[i] << ", not " << vector.scores[i];
        const std::vector<unsigned char> plain(reference, reference + feature.plan().sums);
        for (const CpuLevel other : kCpuLevels) {
            if (!cpu_has_level(other))
                continue;
            set_cpu_level(other);
            EXPECT_EQ(computed(feature, pair.view(), other == level ? 2 : 0), plain)
                << cpu_level_name(other);
        }
        set_cpu_level(level);
    }
    EXPECT_EQ(features, (std::set<std::string>{"float_moment", "float_psnr"}));
}

std::string refusal(const std::string &feature, const Format &format)
{
    try {
        create(feature, format);
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST(ClassicGolden, Refusals)
{
    for (const char *feature : {"float_moment", "float_psnr"}) {
        for (const int depth : {8, 10, 12, 16})
            EXPECT_EQ(refusal(feature, {64, 64, depth, Chroma::k400}), "");
        for (const int depth : {9, 11, 13, 14, 15})
            EXPECT_EQ(refusal(feature, {64, 64, depth, Chroma::k420}),
                      std::string("feature ") + feature + ": depth is " + std::to_string(depth) +
                          "; allowed: 8, 10, 12, 16");
    }
}

/// Logs name the series as libvmaf does.
TEST(ClassicGolden, Names)
{
    std::vector<std::string> names;
    for (const char *feature : {"float_moment", "float_psnr"}) {
        const FeatureInfo &info = *find_feature(feature);
        for (const OutputInfo &output : info.outputs(Compat::k3_2, {}))
            names.push_back(report_name(info, output, default_options(info)));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"float_moment_ref1st", "float_moment_dis1st",
                                               "float_moment_ref2nd", "float_moment_dis2nd",
                                               "float_psnr"}));
}

} // namespace
} // namespace vmafgpu
