// SPDX-License-Identifier: BSD-2-Clause-Patent
// Values per run (aggregates) through the API and in logs, the order of columns, and formats that a
// feature refuses. Whether the numbers are libvmaf's is tests/golden's question.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "base/error.h"
#include "features/registry.h"
#include "fixture.h"
#include "model/model.h"
#include "model_fixtures.h"
#include "plan/score_plan.h"
#include "report/report.h"
#include "report_fixtures.h"

namespace vmafgpu::aggregates_test {
namespace {

constexpr int kPairs = 7;

TestSettings psnr_settings(const char *options, int chroma, int subsample)
{
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"psnr", options}};
    settings.chroma = chroma;
    settings.subsample = subsample;
    return settings;
}

std::vector<double> aggregates_of(VmafGpuContext *ctx)
{
    std::vector<double> values;
    for (int i = 0; i < vmafgpu_aggregate_count(ctx); ++i) {
        values.push_back(std::nan(""));
        EXPECT_EQ(0, vmafgpu_aggregate(ctx, i, &values.back()));
    }
    return values;
}

TEST(Aggregates, CountEveryPairAlsoThoseThatSubsamplingLeavesOut)
{
    std::vector<double> all;
    for (const int subsample : {1, 2, 3, 100}) {
        const TestSettings settings =
            psnr_settings("enable_apsnr=true", VMAFGPU_CHROMA_400, subsample);
        TestContext context(settings);
        TestRun run = make_run(settings, kPairs);
        ASSERT_EQ(static_cast<size_t>(kPairs), run_all(context, run).size());
        const std::vector<double> values = aggregates_of(context.get());
        ASSERT_EQ(3u, values.size());
        EXPECT_GT(values[0], 20);
        EXPECT_EQ(-std::numeric_limits<double>::infinity(), values[1]);
        if (all.empty())
            all = values;
        EXPECT_EQ(all, values) << subsample;
    }
}

/// xpsnr measures other differences from 32 frames per second on.
TEST(Aggregates, TheFrameRateOfTheSettingsReachesXpsnr)
{
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"xpsnr", nullptr}};
    settings.chroma = VMAFGPU_CHROMA_400;
    const auto value_at = [&](int frame_rate) {
        settings.frame_rate = frame_rate;
        TestContext context(settings);
        TestRun run = make_run(settings, kPairs);
        run_all(context, run);
        return aggregates_of(context.get()).at(0);
    };
    const double slow = value_at(0);
    EXPECT_GT(slow, 5);
    EXPECT_EQ(slow, value_at(31));
    EXPECT_NE(slow, value_at(32));
    EXPECT_EQ(value_at(32), value_at(60));
    settings.frame_rate = -1;
    const TestContext negative(settings);
    EXPECT_EQ(-EINVAL, negative.status);
    EXPECT_NE(nullptr, std::strstr(negative.error.text, "frame_rate"));
}

TEST(Aggregates, BeginAgainAfterAReset)
{
    const TestSettings settings = psnr_settings("enable_apsnr=true", VMAFGPU_CHROMA_400, 1);
    TestContext context(settings);
    VmafGpuContext *ctx = context.get();
    double value = 0;
    EXPECT_EQ(-ENODATA, vmafgpu_aggregate(ctx, 0, &value));
    TestRun longer = make_run(settings, kPairs);
    run_all(context, longer);
    EXPECT_EQ(0, vmafgpu_reset(ctx));
    EXPECT_EQ(-ENODATA, vmafgpu_aggregate(ctx, 0, &value));
    TestRun shorter = make_run(settings, 2);
    run_all(context, shorter);
    const std::vector<double> again = aggregates_of(ctx);
    TestContext other(settings);
    TestRun same = make_run(settings, 2);
    run_all(other, same);
    EXPECT_EQ(aggregates_of(other.get()), again);
}

TEST(Aggregates, NamesAndWrongArguments)
{
    TestContext with(psnr_settings("enable_apsnr=true", VMAFGPU_CHROMA_400, 1));
    EXPECT_STREQ("apsnr_y", vmafgpu_aggregate_name(with.get(), 0));
    EXPECT_STREQ("apsnr_cr", vmafgpu_aggregate_name(with.get(), 2));
    EXPECT_EQ(nullptr, vmafgpu_aggregate_name(with.get(), 3));
    EXPECT_EQ(nullptr, vmafgpu_aggregate_name(with.get(), -1));
    double value = 0;
    EXPECT_EQ(-EINVAL, vmafgpu_aggregate(with.get(), 3, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_aggregate(with.get(), 0, nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_aggregate(nullptr, 0, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_aggregate_count(nullptr));
    TestContext without(psnr_settings("", VMAFGPU_CHROMA_400, 1));
    EXPECT_EQ(0, vmafgpu_aggregate_count(without.get()));
}

TEST(Aggregates, AreInXmlJsonAndPages)
{
    ScoreTable table({"psnr_y"});
    const double row = 40;
    table.add(0, &row);
    const TemporaryFolder folder;
    const auto text = [&](const char *format) {
        VmafGpuLog log = default_log();
        const std::string path = folder / "log";
        log.path = path.c_str();
        log.format = format;
        RunFacts run;
        run.aggregates = {{"apsnr_y", 40.5},
                          {"apsnr_cb", -std::numeric_limits<double>::infinity()},
                          {"apsnr_cr", 1e-9}};
        write_report({table, run, log});
        return read_text(path);
    };
    EXPECT_NE(std::string::npos,
              text("xml").find("  <aggregate_metrics apsnr_y=\"40.500000\" apsnr_cb=\"-inf\" "
                               "apsnr_cr=\"0.0000000010000000\" />\n"));
    EXPECT_NE(std::string::npos,
              text("json").find("  \"aggregate_metrics\": {\n    \"apsnr_y\": 40.500000,\n"
                                "    \"apsnr_cb\": null,\n    \"apsnr_cr\": 0.0000000010000000\n"
                                "  }\n}\n"));
    EXPECT_NE(std::string::npos, text("html").find(">apsnr_y</td><td>40.500000<"));
    for (const char *format : {"csv", "sub"})
        EXPECT_EQ(std::string::npos, text(format).find("apsnr")) << format;
}

TEST(Columns, FeaturesMayPrecedeThoseOfModels)
{
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(Model::load("vmaf_v0.6.1"));
    const ScorePlan plan({320, 240, 8, Chroma::k420}, Compat::k3_2, std::move(models),
                         {{"psnr", "enable_chroma=false", true}, {"cambi", ""}});
    const auto &names = plan.names();
    EXPECT_EQ("psnr_y", names.front());
    EXPECT_EQ("integer_adm2", names.at(1));
    EXPECT_EQ("vmaf", names.back());
}

TEST(Columns, OfOneExtractorTheFirstRequestCounts)
{
    const ScorePlan plan({64, 48, 8, Chroma::k420}, Compat::k3_2, {},
                         {{"psnr", ""}, {"psnr", "enable_mse=true"}});
    EXPECT_EQ((std::vector<std::string>{"psnr_y", "psnr_cb", "psnr_cr"}), plan.names());
    ASSERT_EQ(1u, plan.warnings().size());
    EXPECT_NE(std::string::npos, plan.warnings().begin()->find("enable_mse"));
    const ScorePlan other({64, 48, 8, Chroma::k400}, Compat::k3_2, {},
                          {{"psnr", "enable_mse=true"}, {"psnr", "enable_mse=true"}});
    EXPECT_EQ((std::vector<std::string>{"psnr_y", "mse_y"}), other.names());
    EXPECT_TRUE(other.warnings().empty());
}

TEST(Columns, OfModelsWithoutTheirScores)
{
    const auto plan = [](bool features_only) {
        std::vector<std::unique_ptr<Model>> models;
        models.push_back(Model::load("vmaf_b_v0.6.3"));
        return std::make_unique<ScorePlan>(
            Format{64, 48, 8, Chroma::k420}, Compat::k3_2, std::move(models),
            std::vector<FeatureRequest>{{"psnr", ""}}, features_only);
    };
    std::vector<std::string> expected = plan(false)->names();
    expected.resize(expected.size() - 25); // the series of the collection
    EXPECT_EQ("integer_motion3", expected.back());
    EXPECT_EQ(expected, plan(true)->names());
    EXPECT_TRUE(plan(true)->models().empty());
}

TEST(Columns, AFeatureThatIsNotKnown)
{
    const auto text = [](const FeatureRequest &request) {
        return error_of([&] { ScorePlan({64, 48, 8, Chroma::k420}, Compat::k3_2, {}, {request}); });
    };
    const std::string unknown = text({"ssimulacra", ""});
    const size_t begin = unknown.find("(features: ") + std::strlen("(features: ");
    std::vector<std::string> names;
    std::istringstream list(unknown.substr(begin, unknown.size() - begin - 1));
    for (std::string name; std::getline(list, name, ',');)
        names.push_back(name.substr(name.find_first_not_of(' ')));
    EXPECT_EQ(feature_registry().size(), names.size());
    EXPECT_TRUE(std::is_sorted(names.begin(), names.end())) << unknown;
    EXPECT_EQ(std::to_string(EINVAL) +
                  " feature psnr_hvs has no options, so 'enable_db' is not one",
              text({"psnr_hvs", "enable_db=true"}));
    EXPECT_NE(std::string::npos, text({"psnr", "x=1"}).find("has no option 'x' (options: enable_"));
}

TEST(Formats, RefusedDepthsNameWhatIsAllowed)
{
    for (const int depth : {9, 11, 13, 14, 15}) {
        TestSettings settings = psnr_settings("", VMAFGPU_CHROMA_420, 1);
        settings.depth = depth;
        const TestContext context(settings);
        EXPECT_EQ(-EINVAL, context.status);
        EXPECT_EQ("feature psnr accepts 8, 10, 12 or 16 bits per sample, not " +
                      std::to_string(depth),
                  std::string(context.error.text));
    }
    FeatureInfo info = {"test", {}, {}, nullptr, 32, nullptr};
    info.refuses_400 = true;
    EXPECT_NO_THROW(check_format(info, {64, 48, 9, Chroma::k444}));
    EXPECT_THROW(check_format(info, {64, 48, 8, Chroma::k400}), Error);
    EXPECT_THROW(check_format(info, {64, 31, 8, Chroma::k420}), Error);
}

} // namespace
} // namespace vmafgpu::aggregates_test
