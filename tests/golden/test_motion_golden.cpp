// SPDX-License-Identifier: BSD-2-Clause-Patent
// Motion's sums, equal to libvmaf's, by the plain and the fast code; what motion2 and motion3 do at
// the ends of a segment. Scores: golden.cpp.
#include <gtest/gtest.h>

#include "base/error.h"
#include "features/motion/motion.h"
#include "generators.h"
#include "golden_file.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::motion_golden_test {
namespace {

enum Output { kSad, kMotion, kMotion2, kMotion3, kOutputs };

using Scores = std::vector<std::vector<double>>;

FeatureOptions values_of(const std::string &options)
{
    return values_of(motion::kFeature, options);
}

SegmentSums sums_of(const Clip &clip, const Feature &feature, Path path)
{
    const std::vector<TestPair> pairs = make_pairs(clip);
    SegmentSums sums(feature);
    for (size_t i = 0; i < pairs.size(); ++i)
        fill(feature, view(pairs, i), path, sums.add());
    return sums;
}

/// Scores of a made-up segment: only the Sums count.
Scores scores_of_sads(const std::vector<uint64_t> &sads, const std::string &options,
                      Compat compat = Compat::k3_2)
{
    Format format; // 16 * 16 * 256 = 65536: a sad of 65536 is one level
    format.width = format.height = 16;
    const auto groups = motion::kFeature.create(format, compat, {values_of(options)});
    SegmentSums sums(*groups[0].feature);
    for (const uint64_t sad : sads)
        static_cast<motion::Sums *>(sums.add())->sad = sad * 65536;
    return sums.scores(0, 1, motion::kFeature.outputs(compat, {}).size());
}

std::vector<double> column(const Scores &scores, int output)
{
    std::vector<double> values;
    for (const auto &row : scores)
        values.push_back(row[output]);
    return values;
}

using Values = std::vector<double>;

class MotionGoldenTest : public testing::TestWithParam<Path> {};

TEST_P(MotionGoldenTest, reg15_Sums)
{
    for (const nlohmann::json &golden : golden_file("motion")["sums"]) {
        SCOPED_TRACE(golden.dump());
        const Clip &clip = clip_named(golden["clip"].get<std::string>().substr(4)); // after "vif/"
        const auto groups =
            motion::kFeature.create(format_of(clip), Compat::k3_2, {values_of(golden["options"])});
        ASSERT_EQ(groups.size(), 1u);
        const SegmentSums sums = sums_of(clip, *groups[0].feature, GetParam());
        const auto frame = golden["frame"].get<size_t>();
        EXPECT_EQ(static_cast<const motion::Sums *>(sums.at(frame))->sad,
                  golden["sad"].get<uint64_t>());
        const std::vector<double> scores = sums.scores(0, 1, kOutputs)[frame];
        EXPECT_EQ(scores[kSad], scores[kMotion]);
    }
}

TEST_P(MotionGoldenTest, ForcedToZeroDoesNotNeedPictures)
{
    const Clip &clip = clip_named("V1");
    const auto groups = motion::kFeature.create(format_of(clip), Compat::k3_2,
                                                {values_of("motion_force_zero=true")});
    EXPECT_EQ(groups[0].feature->traits().history, 0);
    const Scores scores = sums_of(clip, *groups[0].feature, GetParam()).scores(0, 1, kOutputs);
    for (const auto &row : scores)
        EXPECT_EQ(row, Values(kOutputs, 0.0));
}

INSTANTIATE_TEST_SUITE_P(Paths, MotionGoldenTest, testing::Values(kPlain, kFast), path_name);

TEST(MotionScores, ShortSegments)
{
    EXPECT_EQ(scores_of_sads({0}, "")[0], (Values{0, 0, 0, 0}));
    const std::string five = "motion_five_frame_window=true";
    EXPECT_EQ(column(scores_of_sads({0, 0}, five), kMotion3), (Values{0, 0}));
    EXPECT_EQ(column(scores_of_sads({0, 0, 7}, five), kMotion2), (Values{0, 0, 7}));
    EXPECT_EQ(column(scores_of_sads({0, 0, 7}, five), kMotion3), (Values{7, 7, 7}));
    EXPECT_EQ(column(scores_of_sads({0, 0, 7, 9}, five), kMotion2), (Values{0, 0, 9, 9}));
    EXPECT_EQ(column(scores_of_sads({0, 0, 7, 9, 8}, five), kMotion2), (Values{0, 0, 9, 7, 8}));
    EXPECT_EQ(column(scores_of_sads({0, 5}, ""), kMotion2), (Values{0, 5}));
    EXPECT_EQ(column(scores_of_sads({0, 5}, ""), kMotion3), (Values{5, 5}));
    EXPECT_EQ(column(scores_of_sads({0, 5, 3, 4}, ""), kMotion2), (Values{0, 3, 3, 4}));
}

TEST(MotionScores, MovingAverageUsesUnaveragedPredecessor)
{
    const std::string average = "motion_moving_average=true";
    EXPECT_EQ(column(scores_of_sads({0, 5, 3, 4, 8}, average), kMotion3),
              (Values{5, 4, 3, 3.5, 6}));
    const std::string five = average + ":motion_five_frame_window=true";
    EXPECT_EQ(column(scores_of_sads({0, 0, 7, 9, 8, 2}, five), kMotion2),
              (Values{0, 0, 9, 7, 2, 2}));
    EXPECT_EQ(column(scores_of_sads({0, 0, 7, 9, 8, 2}, five), kMotion3),
              (Values{7, 7, 8, 8, 4.5, 2}));
}

TEST(MotionScores, VariantsShareSumsOfTheSameWindow)
{
    const auto groups = motion::kFeature.create(
        format_of(clip_named("V1")), Compat::k3_2,
        {values_of(""), values_of("motion_five_frame_window=true"), values_of("motion_max_val=18"),
         values_of("motion_force_zero=true")});
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(groups[1].variants, (std::vector<int>{1}));
    EXPECT_EQ(groups[0].feature->traits().history, 1);
    EXPECT_EQ(groups[1].feature->traits().history, 2);
}

TEST(Motion31, ScoresAreFloatQuotients)
{
    Format format;
    format.width = 33;
    format.height = 47;
    const auto groups = motion::kFeature.create(format, Compat::k3_1, {values_of("")});
    SegmentSums sums(*groups[0].feature);
    for (const uint64_t sad : {0, 3769786, 3686916})
        static_cast<motion::Sums *>(sums.add())->sad = sad;
    const Scores scores = sums.scores(0, 1, 2);
    const double first = static_cast<float>(3769786 / 256.0) / static_cast<float>(33 * 47);
    const double second = static_cast<float>(3686916 / 256.0) / static_cast<float>(33 * 47);
    EXPECT_EQ(column(scores, 0), (Values{0, first, second}));
    EXPECT_EQ(column(scores, 1), (Values{0, second, second}));
}

TEST(Motion31, OnlyForceZeroExists)
{
    const Format format = format_of(clip_named("V1"));
    EXPECT_NO_THROW(
        motion::kFeature.create(format, Compat::k3_1, {values_of("motion_force_zero=true")}));
    try {
        motion::kFeature.create(format, Compat::k3_1, {values_of("motion_max_val=18")});
        FAIL() << "motion_max_val was accepted";
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), EINVAL);
        expect_part(std::string(error.what()), "motion_max_val");
    }
}

} // namespace
} // namespace vmafgpu::motion_golden_test
