// SPDX-License-Identifier: BSD-2-Clause-Patent
// What surrounds the SVM: score transform, chroma correction, where models come
// from, options. Scores are in test_predict.cpp, bad files in test_model_json.cpp.
#include "model_fixtures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "features/registry.h"

namespace vmafgpu::model_test {
namespace {

// --------------------------------------------------------------- transform

double constant_with(const std::string &value, const nlohmann::json &transform)
{
    nlohmann::json json = constant_model(value);
    json["model_dict"]["score_transform"] = transform;
    const double feature = 0;
    double out = 0;
    parse_json(json)->predict(&feature, &out);
    return out;
}

TEST(ModelTransform, NeedsEnabling)
{
    const nlohmann::json off = {{"p0", 1.0}};
    EXPECT_EQ(constant_with("7", off), 7);
    EXPECT_EQ(constant_with("7", {{"p0", 1.0}, {"enabled", false}}), 7);
    EXPECT_EQ(constant_with("7", {{"p0", 1.0}, {"enabled", true}}), 1);
    nlohmann::json json = constant_model("7");
    json["model_dict"]["score_transform"] = off;
    const std::unique_ptr<Model> model = parse_json(json);
    model->set_option("enable_transform", "true");
    const double feature = 0;
    double out = 0;
    model->predict(&feature, &out);
    EXPECT_EQ(out, 1);
    model->set_option("enable_transform", "false");
    model->predict(&feature, &out);
    EXPECT_EQ(out, 7);
    // Ignored by a model that has none.
    const std::unique_ptr<Model> plain = parse_json(constant_model("7"));
    plain->set_option("enable_transform", "true");
    plain->predict(&feature, &out);
    EXPECT_EQ(out, 7);
}

TEST(ModelTransform, PolynomialAndBounds)
{
    const double u = 80.1;
    EXPECT_EQ(constant_with("80.1", {{"enabled", true}, {"p1", 1.7}, {"p2", -0.007}}),
              0.0 + 1.7 * u + (-0.007 * u) * u);
    EXPECT_EQ(constant_with("80.1", {{"enabled", true}, {"p0", 3}, {"out_gte_in", "true"}}), u);
    EXPECT_EQ(constant_with("80.1", {{"enabled", true}, {"p0", 3}, {"out_gte_in", "false"}}), 3);
    EXPECT_EQ(constant_with("80.1", {{"enabled", true}, {"p0", 90}, {"out_lte_in", "true"}}), u);
    EXPECT_EQ(constant_with("80.1", {{"enabled", true}, {"p0", 90}}), 90);
}

TEST(ModelTransform, Knots)
{
    const auto mapped = [](const std::string &x, const nlohmann::json &knots) {
        return constant_with(x, {{"enabled", true}, {"knots", knots}});
    };
    const nlohmann::json ramp = {{0, 10}, {20, 30}, {50, 30}, {70, 90}};
    EXPECT_EQ(mapped("-3", ramp), 7);   // first segment continued
    EXPECT_EQ(mapped("5", ramp), 15);   // x_0 = 0
    EXPECT_EQ(mapped("33", ramp), 30);  // horizontal
    EXPECT_EQ(mapped("60", ramp), 60);  // slope 3, offset -120
    EXPECT_EQ(mapped("70", ramp), 90);  // the last knot itself
    EXPECT_EQ(mapped("80", ramp), 120); // last segment continued
    // At a knot the later segment wins: 3.1 * slope + offset is not exactly y.
    const double slope = (9.7 - 5.3) / (4.9 - 3.1);
    EXPECT_EQ(mapped("3.1", {{1, 1}, {3.1, 5.3}, {4.9, 9.7}}), slope * 3.1 + (5.3 - 3.1 * slope));
    // Horizontal at both ends.
    EXPECT_EQ(mapped("-1", {{0, 4}, {1, 4}}), 4);
    EXPECT_EQ(mapped("9", {{0, 4}, {1, 4}}), 4);
    // A segment that does not ascend ends the search; nothing found is 0.
    EXPECT_EQ(mapped("5", {{1, 1}, {2, 2}, {2, 3}, {9, 9}}), 0);
    EXPECT_EQ(mapped("1.5", {{1, 1}, {2, 2}, {2, 3}, {9, 9}}), 1.5);
    // Fewer than two knots change nothing.
    EXPECT_EQ(mapped("5", {{1, 77}}), 5);
    EXPECT_EQ(mapped("5", nlohmann::json::array()), 5);
}

// -------------------------------------------------------- chroma correction

nlohmann::json chroma_model(const std::string &norm)
{
    nlohmann::json json = constant_model("0");
    nlohmann::json &dict = json["model_dict"];
    dict["norm_type"] = norm;
    dict["feature_names"] = {"Speed_chroma_feature_speed_chroma_uv_score",
                             "VMAF_integer_feature_adm3_score"};
    dict["slopes"] = {1, 0.5, 0.25};
    dict["intercepts"] = {0, 0.125, -0.5};
    dict["chroma_correction_parameter"] = 3;
    dict["model"] = "svm_type nu_svr\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 1\n"
                    "rho 0\nSV\n1 1:1 \n";
    return json;
}

/// exp(-gamma * distance^2) of the one support vector of chroma_model().
double kernel(double x0, double x1)
{
    return std::exp(-0.5 * ((x0 - 1) * (x0 - 1) + x1 * x1));
}

TEST(ModelChromaCorrection, ReplacesAnExactZero)
{
    const std::unique_ptr<Model> model = parse_json(chroma_model("linear_rescale"));
    const auto predict_pair = [&](double chroma, double adm) {
        const double features[] = {chroma, adm};
        double out = 0;
        model->predict(features, &out);
        return out;
    };
    // chroma 0: becomes -3 * adm3 + 3 = 1.5, then 0.5 * 1.5 + 0.125
    EXPECT_EQ(predict_pair(0, 0.5), kernel(0.875, 0.25 * 0.5 - 0.5));
    EXPECT_EQ(predict_pair(0.25, 0.5), kernel(0.25, 0.25 * 0.5 - 0.5));
    // Vanishes when rescaled, so it counts as 0 too.
    EXPECT_EQ(predict_pair(1e-18, 0.5), predict_pair(0, 0.5));
}

TEST(ModelChromaCorrection, WithoutRescaling)
{
    const double features[] = {0, 0.5};
    double out = 0;
    parse_json(chroma_model("none"))->predict(features, &out);
    EXPECT_EQ(out, kernel(1.5, 0.5));
}

TEST(ModelChromaCorrection, NothingToDoWithoutBothFeatures)
{
    nlohmann::json json = chroma_model("none");
    json["model_dict"]["feature_names"][1] = "VMAF_integer_feature_adm2_score";
    const double features[] = {0, 0.5};
    double out = 0;
    parse_json(json)->predict(features, &out);
    EXPECT_EQ(out, kernel(0, 0.5));
}

/// As in libvmaf, what is not below the least score keeps its sign.
TEST(ModelClip, LeavesANegativeZero)
{
    nlohmann::json json = constant_model("0");
    json["model_dict"]["norm_type"] = "linear_rescale";
    json["model_dict"]["slopes"] = {-1, 1};
    json["model_dict"]["intercepts"] = {0, 0};
    json["model_dict"]["score_clip"] = {0, 100};
    const double feature = 0;
    double out = 1;
    parse_json(json)->predict(&feature, &out);
    EXPECT_EQ(out, 0);
    EXPECT_TRUE(std::signbit(out));
}

// ------------------------------------------------------- sources and options

TEST(ModelLoad, BuiltinNamesAndFeatures)
{
    ASSERT_EQ(builtin_models().size(), 17U);
    EXPECT_STREQ(builtin_models()[0].name, "vmaf_v0.6.1");
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1neg");
    EXPECT_EQ(model->score_names(), std::vector<std::string>{"vmaf"});
    ASSERT_EQ(model->features().size(), 6U);
    EXPECT_EQ(model->features()[0].output, "VMAF_integer_feature_adm2_score");
    using Options = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(model->features()[0].options, (Options{{"adm_enhn_gain_limit", "1"}}));
    EXPECT_TRUE(model->features()[1].options.empty());
    EXPECT_EQ(model->features()[5].options, (Options{{"vif_enhn_gain_limit", "1"}}));
}

TEST(ModelLoad, NegOf4kDiffersInGainLimitsOnly)
{
    const nlohmann::json plain = builtin_json("vmaf_4k_v0.6.1")["model_dict"];
    nlohmann::json neg = builtin_json("vmaf_4k_v0.6.1neg")["model_dict"];
    EXPECT_EQ(neg["feature_opts_dicts"],
              builtin_json("vmaf_v0.6.1neg")["model_dict"]["feature_opts_dicts"]);
    neg.erase("feature_opts_dicts");
    EXPECT_EQ(neg, plain);
}

/// The float models are the integer ones on other features.
TEST(ModelBuiltin, FloatModelsDifferInFeaturesOnly)
{
    const std::pair<const char *, const char *> pairs[] = {
        {"vmaf_float_v0.6.1", "vmaf_v0.6.1"},
        {"vmaf_float_v0.6.1neg", "vmaf_v0.6.1neg"},
        {"vmaf_float_4k_v0.6.1", "vmaf_4k_v0.6.1"}};
    for (const auto &[name, twin] : pairs) {
        nlohmann::json model = builtin_json(name)["model_dict"];
        nlohmann::json other = builtin_json(twin)["model_dict"];
        for (const auto &feature : model["feature_names"])
            EXPECT_EQ(feature.get<std::string>().find("VMAF_feature_"), 0u) << name;
        model.erase("feature_names");
        other.erase("feature_names");
        EXPECT_EQ(model, other) << name;
    }
}

/// The collection with 19 members, its entries in order, all of one type.
std::unique_ptr<Model> collection_of_19(const char *type)
{
    nlohmann::json json = builtin_json("vmaf_float_b_v0.6.3");
    nlohmann::ordered_json entries;
    for (int i = 0; i <= 19; ++i) {
        nlohmann::json &entry = json[std::to_string(i)];
        entry["model_dict"]["model_type"] = type;
        entries[std::to_string(i)] = entry;
    }
    return Model::parse(entries.dump(), "test.json");
}

/// vmaf_rb_v0.6.3 and vmaf_4k_rb_v0.6.2, which has 19 members, are of this type.
TEST(ModelLoad, ResidueBootstrapIsComputedAsBootstrap)
{
    const auto plain = collection_of_19("BOOTSTRAP_LIBSVMNUSVR");
    const auto residue = collection_of_19("RESIDUEBOOTSTRAP_LIBSVMNUSVR");
    EXPECT_EQ(residue->score_names(), plain->score_names());
    ASSERT_EQ(residue->score_names().size(), 1 + 19 + 4u);
    const double features[] = {0.95, 4.2, 0.38, 0.8, 0.89, 0.94};
    std::vector<double> have(24);
    std::vector<double> want(24);
    residue->predict(features, have.data());
    plain->predict(features, want.data());
    EXPECT_EQ(have, want);
    double sum = 0;
    for (int i = 1; i <= 19; ++i)
        sum += have[static_cast<size_t>(i)]; // none is clipped
    EXPECT_EQ(have[20], sum / 19);
}

TEST(ModelLoad, SourcesThatFail)
{
    expect_error(error_of([] { Model::load("vmaf_v9"); }), ENOENT,
                 "no built-in model 'vmaf_v9' (there are: vmaf_v0.6.1, vmaf_v0.6.1neg, "
                 "vmaf_4k_v0.6.1");
    expect_error(error_of([] { Model::load(""); }), ENOENT, "no built-in model ''");
    expect_error(error_of([] { Model::load("/nowhere/model"); }), ENOENT,
                 "cannot read model file '/nowhere/model': No such file or directory");
    for (const char *name : {"old.pkl", "/nowhere/old.pkl"})
        expect_error(error_of([&] { Model::load(name); }), EINVAL,
                     "pickle files (.pkl) are not supported; use the model's JSON file");
    expect_error(error_of([] { Model::load("missing.json"); }), ENOENT, "'missing.json'");
    expect_error(error_of([] { Model::load("/"); }), EISDIR, "Is a directory");
    expect_error(error_of([] { Model::load("/dev/zero"); }), EFBIG, "larger than 64 MiB");
    expect_error(error_of([] { Model::load("/dev/null"); }), EINVAL, "/dev/null: not valid JSON");
}

TEST(ModelLoad, FileByPath)
{
    const std::string path = ::testing::TempDir() + "/vmafgpu_test_model.json";
    std::ofstream(path) << builtin_json("vmaf_4k_v0.6.1").dump();
    const double features[] = {0.97, 0, 0.6, 0.9, 0.94, 0.96};
    double score = 0;
    Model::load(path)->predict(features, &score);
    EXPECT_EQ(score, 90.933492187190041);
    EXPECT_EQ(std::remove(path.c_str()), 0);
}

TEST(ModelOption, NamesAndFlags)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1");
    model->set_option("name", "phone <1> \xc3\xa4");
    EXPECT_EQ(model->score_names()[0], "phone <1> \xc3\xa4");
    for (const char *bad : {"", "a\nb", "\x7f", "\xff", "\xc3", "\xed\xa0"})
        expect_error(error_of([&] { model->set_option("name", bad); }), EINVAL, "printable UTF-8");
    EXPECT_EQ(model->score_names()[0], "phone <1> \xc3\xa4");
    expect_error(error_of([&] { model->set_option("disable_clip", "1"); }), EINVAL,
                 "disable_clip must be true or false, not '1'");
    expect_error(error_of([&] { model->set_option("colour", "red"); }), EINVAL,
                 "unknown model option 'colour' (there are: name, disable_clip,");
    expect_error(error_of([&] { model->set_option("pool", "harmonic_mean"); }), EINVAL,
                 "--pool harmonic_mean");
    // A copy goes its own way.
    Model copy(*model);
    copy.set_option("name", "other");
    EXPECT_EQ(model->score_names()[0], "phone <1> \xc3\xa4");
}

TEST(ModelOption, OfFeatures)
{
    using Options = std::vector<std::pair<std::string, std::string>>;
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1neg");
    // An option reaches every output of the feature; numbers as libvmaf normalises them.
    model->set_option("vif.vif_enhn_gain_limit", "1.20");
    EXPECT_EQ(model->features()[0].options, (Options{{"adm_enhn_gain_limit", "1"}}));
    EXPECT_TRUE(model->features()[1].options.empty());
    for (size_t i = 2; i < 6; ++i)
        EXPECT_EQ(model->features()[i].options, (Options{{"vif_enhn_gain_limit", "1.2"}}));
    model->set_option("adm.adm_enhn_gain_limit", "1.23456789");
    EXPECT_EQ(model->features()[0].options, (Options{{"adm_enhn_gain_limit", "1.23457"}}));
    // A short name sets the same option.
    const FeatureInfo *adm = find_feature("adm");
    ASSERT_NE(adm, nullptr);
    const auto option =
        std::find_if(adm->options.begin(), adm->options.end(), [](const OptionInfo &info) {
            return info.name == std::string("adm_enhn_gain_limit");
        });
    ASSERT_NE(option, adm->options.end());
    ASSERT_NE(option->alias, nullptr);
    model->set_option(std::string("adm.") + option->alias, "3");
    EXPECT_EQ(model->features()[0].options, (Options{{"adm_enhn_gain_limit", "3"}}));
}

TEST(ModelOption, OfFeaturesThatFail)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1");
    expect_error(error_of([&] { model->set_option("nonsense.x", "1"); }), EINVAL,
                 "the model does not use the feature 'nonsense' (it uses: adm, motion, vif)");
    expect_error(error_of([&] { model->set_option("cambi.no_such", "1"); }), EINVAL, "no_such");
    expect_error(error_of([&] { model->set_option("adm.no_such", "1"); }), EINVAL, "no_such");
    expect_error(error_of([&] { model->set_option("adm.adm_enhn_gain_limit", "0.5"); }), EINVAL,
                 "adm_enhn_gain_limit");
    expect_error(error_of([&] { model->set_option("adm.adm_enhn_gain_limit", "much"); }), EINVAL,
                 "much");
    for (const ModelFeature &feature : model->features())
        EXPECT_TRUE(feature.options.empty());
    nlohmann::json json = constant_model("7");
    json["model_dict"]["feature_names"] = {"Psnr_score"};
    expect_error(error_of([&] { parse_json(json)->set_option("none.x", "1"); }), EINVAL,
                 "(it uses: none known here)");
}

TEST(ModelOption, OfFeaturesThatTheModelLacksAreIgnoredAloud)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1");
    const std::string digest = model->digest();
    EXPECT_TRUE(model->warnings().empty());
    model->set_option("cambi.window_size", "15");
    ASSERT_EQ(model->warnings().size(), 1U);
    EXPECT_EQ(model->warnings()[0], "model option 'cambi.window_size': the model does not use the "
                                    "feature 'cambi' (it uses: adm, motion, vif); the option is "
                                    "ignored");
    EXPECT_TRUE(model->options_set().empty());
    EXPECT_EQ(model->digest(), digest);
}

/// A file that somebody else made must not choose where this process writes.
TEST(ModelOption, OfAModelFileNamesNoFilesToWrite)
{
    const BuiltinModel *builtin = nullptr;
    for (const BuiltinModel &model : builtin_models())
        if (std::string(model.name) == "vmaf_v1.0.16_3d0h")
            builtin = &model;
    ASSERT_NE(builtin, nullptr);
    nlohmann::json json = nlohmann::json::parse(std::string(builtin->json, builtin->size));
    auto &options = json["model_dict"]["feature_opts_dicts"];
    ASSERT_TRUE(options[0].contains("cambi_max_val"));
    options[0]["heatmaps_path"] = "maps";
    const std::unique_ptr<Model> model = parse_json(json);
    ASSERT_EQ(model->warnings().size(), 1U);
    EXPECT_NE(model->warnings()[0].find("a model file may not name files to write"),
              std::string::npos);
    for (const ModelFeature &feature : model->features())
        for (const auto &option : feature.options)
            EXPECT_NE(option.first, "heatmaps_path");
    // The user may.
    model->set_option("cambi.heatmaps_path", "maps");
    const auto names_files = [](const ModelFeature &feature) {
        return std::any_of(feature.options.begin(), feature.options.end(), [](const auto &option) {
            return option.first == "heatmaps_path" && option.second == "maps";
        });
    };
    EXPECT_TRUE(std::any_of(model->features().begin(), model->features().end(), names_files));
}

} // namespace
} // namespace vmafgpu::model_test
