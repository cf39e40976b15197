// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which requests share one computation, as libvmaf's extractors do, and which options of model
// files are ignored. Whether a single feature's numbers are right is tests/golden's question.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/engine.h"
#include "fixture.h"
#include "model_fixtures.h"

namespace vmafgpu::score_plan_test {
namespace {

struct PlanRun {
    std::map<std::string, double> scores; ///< scores of the only pair
    std::vector<std::string> names, warnings;
};

/// Scores one pair with these models (as JSON) and features.
PlanRun run_plan(const std::vector<nlohmann::json> &models,
                 const std::vector<FeatureRequest> &features, int width = 64, int height = 48)
{
    PlanRun run;
    EngineSettings settings;
    settings.format = {width, height, 8, Chroma::k400};
    settings.device = "cpu";
    settings.features = features;
    settings.log = Log([&](int, const std::string &text) { run.warnings.push_back(text); },
                       VMAFGPU_LOG_WARNING);
    for (size_t i = 0; i < models.size(); ++i) {
        settings.models.push_back(parse_json(models[i]));
        settings.models.back()->set_option("name", "model" + std::to_string(i));
    }
    Engine engine(std::move(settings));
    const StoredPicture reference(make_image(width, height, 8, 0, false));
    const StoredPicture distorted(make_image(width, height, 8, 0, true));
    EXPECT_TRUE(engine.submit(reference.picture, distorted.picture, 0));
    engine.flush();
    VmafGpuResult result = {};
    EXPECT_EQ(engine.collect(true, &result), 0);
    run.names = engine.plan().names();
    for (size_t i = 0; i < run.names.size(); ++i)
        run.scores[run.names[i]] = result.scores[i];
    return run;
}

/// vmaf_v0.6.1 on adm3 in place of adm2, so that aim enters its score.
nlohmann::json adm3_model(const nlohmann::json &options)
{
    nlohmann::json model = builtin_json("vmaf_v0.6.1");
    nlohmann::json &dict = model["model_dict"];
    dict["feature_names"][0] = "VMAF_integer_feature_adm3_score";
    dict["feature_opts_dicts"] = nlohmann::json::array();
    for (int i = 0; i < 6; ++i)
        dict["feature_opts_dicts"].push_back(i == 0 ? options : nlohmann::json::object());
    return model;
}

TEST(score_plan, the_first_of_equal_names_decides)
{
    const PlanRun with = run_plan({}, {{"adm", ""}, {"adm", "adm_skip_aim=true"}});
    const PlanRun without = run_plan({}, {{"adm", "adm_skip_aim=true"}, {"adm", ""}});
    EXPECT_EQ(with.names, without.names);
    EXPECT_GT(with.scores.at("integer_aim"), 0.0);
    EXPECT_EQ(without.scores.at("integer_aim"), 0.0);
}

/// Two models: the second one gets the extractor that the first one made.
TEST(score_plan, models_share_what_has_equal_names)
{
    const nlohmann::json skips = adm3_model({{"adm_skip_aim", true}});
    const nlohmann::json has = adm3_model(nlohmann::json::object());
    const double aim = run_plan({has}, {}).scores.at("model0");
    const double no_aim = run_plan({skips}, {}).scores.at("model0");
    ASSERT_NE(aim, no_aim);
    EXPECT_EQ(run_plan({skips, has}, {}).scores.at("model1"), no_aim);
    EXPECT_EQ(run_plan({has, skips}, {}).scores.at("model1"), aim);
    // An extractor with another name is another one.
    const nlohmann::json other = adm3_model({{"adm_skip_aim", true}, {"adm_min_val", 0.01}});
    EXPECT_EQ(run_plan({other, has}, {}).scores.at("model1"), aim);
}

TEST(score_plan, debug_and_full_ref_add_series)
{
    const auto has = [](const PlanRun &run, const char *name) {
        return std::count(run.names.begin(), run.names.end(), name) == 1;
    };
    const PlanRun debug =
        run_plan({builtin_json("vmaf_v0.6.1")}, {{"adm", "debug=true"}, {"vif", "debug=true"}});
    EXPECT_TRUE(has(debug, "integer_adm"));
    EXPECT_TRUE(has(debug, "integer_vif_num"));
    const PlanRun alone = run_plan({}, {{"cambi", ""}}, 320, 240);
    const PlanRun both = run_plan({}, {{"cambi", ""}, {"cambi", "full_ref=true"}}, 320, 240);
    EXPECT_FALSE(has(alone, "cambi_source"));
    EXPECT_TRUE(has(both, "cambi_source"));
    EXPECT_TRUE(has(both, "cambi_full_reference"));
    EXPECT_EQ(alone.scores.at("cambi"), both.scores.at("cambi"));
}

/// libvmaf writes float_motion's motion3 with the second pair and motion's at the end, whichever
/// was asked for first. Forced to zero, motion3 has its value with the first pair.
TEST(score_plan, delayed_series_come_in_the_order_of_their_first_values)
{
    using Names = std::vector<std::string>;
    const Names own = {"VMAF_integer_feature_motion_sad_score"};
    const Names last = {"motion3", "integer_motion2", "integer_motion3"};
    const auto joined = [](const std::vector<Names> &lists) {
        Names all;
        for (const Names &list : lists)
            all.insert(all.end(), list.begin(), list.end());
        return all;
    };
    const Names floats = {"motion2", "motion"};
    EXPECT_EQ(run_plan({}, {{"motion", ""}, {"float_motion", ""}}).names,
              joined({own, floats, last}));
    EXPECT_EQ(run_plan({}, {{"float_motion", ""}, {"motion", ""}}).names,
              joined({floats, own, last}));
    const FeatureRequest forced = {"float_motion", "motion_force_zero=true:debug=false"};
    EXPECT_EQ(
        run_plan({}, {{"motion", ""}, forced}).names,
        joined(
            {own, {"motion2_force_0", "motion3_force_0"}, {"integer_motion2", "integer_motion3"}}));
}

TEST(score_plan, a_collection_has_its_other_series_behind_all_models)
{
    nlohmann::json collection = builtin_json("vmaf_b_v0.6.3");
    for (int member = 10; member <= 20; ++member) // json sorts "10" in front of "2"
        collection.erase(std::to_string(member));
    const nlohmann::json single = builtin_json("vmaf_v0.6.1neg");
    const PlanRun run = run_plan({collection, single, collection}, {});
    const auto first = std::find(run.names.begin(), run.names.end(), "model0");
    std::vector<std::string> expected = {"model0", "model1", "model2"};
    for (const char *model : {"model0", "model2"}) {
        for (int member = 1; member <= 9; ++member)
            expected.push_back(std::string(model) + "_000" + std::to_string(member));
        for (const char *suffix : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"})
            expected.push_back(std::string(model) + suffix);
    }
    EXPECT_EQ(std::vector<std::string>(first, run.names.end()), expected);
    const PlanRun alone = run_plan({collection}, {});
    for (const auto &[name, score] : alone.scores)
        EXPECT_EQ(run.scores.at(name), score) << name;
    EXPECT_EQ(run.scores.at("model1"), run_plan({single}, {}).scores.at("model0"));
    EXPECT_EQ(run.scores.at("model2_0009"), alone.scores.at("model0_0009"));
}

TEST(score_plan, unknown_options_of_model_files_are_ignored_aloud)
{
    const double plain = run_plan({adm3_model(nlohmann::json::object())}, {}).scores.at("model0");
    // "egl" is the alias of adm_enhn_gain_limit in names; libvmaf does not take it as an option.
    for (const char *unknown : {"adm_of_tomorrow", "egl"}) {
        const PlanRun run = run_plan({adm3_model({{unknown, 1}})}, {});
        EXPECT_EQ(run.scores.at("model0"), plain) << unknown;
        ASSERT_EQ(run.warnings.size(), 1U) << unknown;
        EXPECT_NE(run.warnings[0].find(std::string("'") + unknown + "'"), std::string::npos)
            << run.warnings[0];
        EXPECT_NE(run.warnings[0].find("'model0'"), std::string::npos) << run.warnings[0];
    }
    const PlanRun known = run_plan({adm3_model({{"adm_enhn_gain_limit", 1}})}, {});
    EXPECT_NE(known.scores.at("model0"), plain);
    EXPECT_TRUE(known.warnings.empty());
    expect_error(error_of([] {
                     run_plan({adm3_model({{"adm_skip_aim", 1}})}, {});
                 }),
                 EINVAL, "true or false");
    // An unknown option that a user names is an error.
    const auto model = parse_json(builtin_json("vmaf_v0.6.1"));
    expect_error(error_of([&] { model->set_option("adm.adm_of_tomorrow", "1"); }), EINVAL,
                 "has no option 'adm_of_tomorrow'");
}

} // namespace
} // namespace vmafgpu::score_plan_test
