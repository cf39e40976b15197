// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the model loader accepts beyond the built-in files, and what it refuses
// with which words.

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "model_fixtures.h"

namespace vmafgpu::model_json_test {
namespace {

using Json = nlohmann::json;

std::string parse_error(const std::string &text)
{
    return error_of([&] { Model::parse(text, "m.json"); });
}

/// The error after a change to the model_dict of vmaf_v0.6.1neg.
std::string error_with(const std::function<void(Json &)> &change)
{
    Json json = builtin_json("vmaf_v0.6.1neg");
    change(json["model_dict"]);
    return parse_error(json.dump());
}

TEST(ModelJson, AcceptsUnknownKeysEverywhere)
{
    Json json = builtin_json("vmaf_v0.6.1neg");
    json["param_dict"] = {{"score_clip", nullptr}, {"C", 4.0}};
    json["model_dict"]["feature_dict"] = {{"x", {"y"}}};
    json["model_dict"]["score_transform"]["note"] = {1, nullptr, "x"};
    EXPECT_EQ(parse_error(json.dump()), "");
}

TEST(ModelJson, NormalisesOptionValues)
{
    Json json = builtin_json("vmaf_v0.6.1");
    Json dicts = Json::array();
    for (int i = 0; i < 6; ++i)
        dicts.push_back(Json::object());
    dicts[1] = {{"a", 45.0},  {"b", 0.1},        {"c", 1080}, {"d", true},
                {"e", false}, {"f", "1.50 x"},   {"g", 1e-7}, {"h", 123456789},
                {"i", -2.50}, {"j", 1.00000001}, {"k", 0.02}};
    json["model_dict"]["feature_opts_dicts"] = dicts;
    using Options = std::vector<std::pair<std::string, std::string>>;
    const Options expected = {{"a", "45"},    {"b", "0.1"},    {"c", "1080"},  {"d", "true"},
                              {"e", "false"}, {"f", "1.50 x"}, {"g", "1e-07"}, {"h", "1.23457e+08"},
                              {"i", "-2.5"},  {"j", "1"},      {"k", "0.02"}};
    EXPECT_EQ(parse_json(json)->features()[1].options, expected);
}

TEST(ModelJson, RefusesBrokenText)
{
    const std::string good = builtin_json("vmaf_v0.6.1").dump();
    expect_error(parse_error(""), EINVAL, "m.json: not valid JSON: parse error");
    expect_error(parse_error(good + "x"), EINVAL, "not valid JSON");
    for (size_t length = 0; length < good.size(); length += 97)
        expect_error(parse_error(good.substr(0, length)), EINVAL, "m.json: not valid JSON");
    expect_error(parse_error("[]"), EINVAL, "a model must be a JSON object");
    expect_error(parse_error("3"), EINVAL, "a model must be a JSON object");
    expect_error(parse_error("{}"), EINVAL, "neither the key model_dict nor the key 0");
    expect_error(parse_error("{\"model_dict\": 1e999}"), EINVAL, "not valid JSON: number overflow");
    expect_error(parse_error("{\"model_dict\": {\"a\": 1, \"a\": 1}}"), EINVAL,
                 "m.json: the key 'a' is there twice");
    expect_error(parse_error("{\"a\nb\": 1}"), EINVAL, "not valid JSON");
    expect_error(parse_error(std::string("{\"\xff\": 1}")), EINVAL, "not valid JSON");
    // The parser quotes what it read last, which may be a whole SVM.
    const std::string text = parse_error("{\"model\": \"" + std::string(9999, 'y'));
    EXPECT_EQ(text.find("last read"), std::string::npos) << text;
    EXPECT_LT(parse_error("{\"model\": 1e999" + std::string(9999, '9') + "}").size(), 300U);
}

TEST(ModelJson, RefusesDeepNesting)
{
    const std::string deep(1000000, '[');
    expect_error(parse_error(deep), EINVAL, "nested more than 32 levels");
    std::string objects;
    for (int i = 0; i < 100000; ++i)
        objects += "{\"model_dict\":";
    expect_error(parse_error(objects), EINVAL, "nested more than 32 levels");
}

TEST(ModelJson, RefusesMissingKeys)
{
    for (const char *key :
         {"model_type", "norm_type", "feature_names", "slopes", "intercepts", "model"})
        expect_error(error_with([&](Json &dict) { dict.erase(key); }), EINVAL,
                     std::string("m.json: model_dict: the key ") + key + " is missing");
}

struct Change {
    const char *key;
    Json value;
    const char *text;
};

TEST(ModelJson, RefusesWrongValues)
{
    const Change changes[] = {
        {"model_type", "RANDOMFOREST", "model_dict.model_type: must be LIBSVMNUSVR, "},
        {"model_type", 3, "model_dict.model_type: must be a string, not number"},
        {"norm_type", "clip_0to1", "must be linear_rescale or none, not 'clip_0to1'"},
        {"norm_type", nullptr, "model_dict.norm_type: must be a string, not null"},
        {"slopes", {1, 2}, "model_dict.slopes: must have 7 entries, not 2"},
        {"slopes", {1, 2, 3, 4, 5, 6, "7"}, "slopes[6]: must be a number, not string"},
        {"slopes", {0, 2, 3, 4, 5, 6, 7}, "slopes[0]: must not be 0"},
        {"slopes", 1, "slopes: must be an array, not number"},
        {"intercepts", {1, 2, 3, 4, 5, 6, 7, 8}, "intercepts: must have 7 entries, not 8"},
        {"intercepts", {1, 2, 3, 4, 5, 6, true}, "intercepts[6]: must be a number, not boolean"},
        {"feature_names", Json::array(), "feature_names: must have 1 to 64 entries, not 0"},
        {"feature_names", {"a", 1}, "feature_names[1]: must be a string"},
        {"feature_names", {"a", ""}, "feature_names[1]: must be a printable name"},
        {"feature_names", {"a\n"}, "feature_names[0]: must be a printable name"},
        {"feature_names", {"a"}, "feature_opts_dicts: must have 1 entries, not 6"},
        {"feature_opts_dicts", {{{"a", 1}}}, "feature_opts_dicts: must have 6 entries, not 1"},
        {"feature_opts_dicts", Json::object(), "feature_opts_dicts: must be an array"},
        {"score_clip", nullptr, "score_clip: must be an array, not null"},
        {"score_clip", {1}, "score_clip: must have 2 entries, not 1"},
        {"score_clip", {1, "a"}, "score_clip[1]: must be a number"},
        {"score_transform", nullptr, "score_transform: must be an object, not null"},
        {"score_transform", {{"p0", nullptr}}, "score_transform.p0: must be a number, not null"},
        {"score_transform", {{"p1", nullptr}}, "score_transform.p1: must be a number, not null"},
        {"score_transform", {{"p2", "1"}}, "score_transform.p2: must be a number, not string"},
        {"score_transform", {{"knots", nullptr}}, "knots: must be an array, not null"},
        {"score_transform", {{"knots", {{1, 2, 3}}}}, "knots[0]: must have 2 entries, not 3"},
        {"score_transform", {{"knots", {{1, 2}, {1}}}}, "knots[1]: must have 2 entries, not 1"},
        {"score_transform", {{"out_lte_in", true}}, "out_lte_in: must be a string, not boolean"},
        {"score_transform", {{"out_gte_in", false}}, "out_gte_in: must be a string, not boolean"},
        {"score_transform", {{"enabled", "true"}}, "enabled: must be true or false, not string"},
        {"chroma_correction_parameter", "x", "chroma_correction_parameter: must be a number"},
        {"chroma_correction_parameter", 0.0, "chroma_correction_parameter: must not be 0"},
        {"model", 1, "model_dict.model: must be a string, not number"},
        {"model", "x", "model_dict.model: line 1: unknown key 'x'"},
    };
    for (const Change &change : changes)
        expect_error(error_with([&](Json &dict) { dict[change.key] = change.value; }), EINVAL,
                     change.text);
    Json json = builtin_json("vmaf_v0.6.1");
    json["model_dict"] = {1};
    expect_error(parse_error(json.dump()), EINVAL, "model_dict: must be an object, not array");
}

TEST(ModelJson, RefusesTooMuch)
{
    Json names = Json::array();
    Json knots = Json::array();
    for (int i = 0; i < 65; ++i)
        names.push_back("f" + std::to_string(i));
    for (int i = 0; i < 11; ++i)
        knots.push_back({i, i});
    expect_error(error_with([&](Json &dict) { dict["feature_names"] = names; }), EINVAL,
                 "must have 1 to 64 entries, not 65");
    expect_error(error_with([&](Json &dict) { dict["score_transform"]["knots"] = knots; }), EINVAL,
                 "knots: must have at most 10 entries");
    knots.erase(10);
    EXPECT_EQ(error_with([&](Json &dict) { dict["score_transform"]["knots"] = knots; }), "");
}

TEST(ModelJson, RefusesBadOptionValues)
{
    for (const Json &value : {Json(nullptr), Json({1}), Json({{"a", 1}}), Json("a\tb")})
        expect_error(error_with([&](Json &dict) { dict["feature_opts_dicts"][2]["a"] = value; }),
                     EINVAL,
                     "feature_opts_dicts[2].a: an option must be a number, true, false or a "
                     "printable string");
    expect_error(error_with([](Json &dict) { dict["feature_opts_dicts"][2]["a"] = 1e300; }), EINVAL,
                 "too large for an option");
    expect_error(error_with([](Json &dict) { dict["feature_opts_dicts"][2]["a\n"] = 1; }), EINVAL,
                 "the option 'a?' is not printable");
}

TEST(ModelJson, RefusesAmbiguousChromaCorrection)
{
    expect_error(error_with([](Json &dict) {
                     dict["feature_names"][0] = "x_adm3";
                     dict["feature_names"][1] = "y_adm3";
                     dict["chroma_correction_parameter"] = 1;
                 }),
                 EINVAL, "two features have adm3 in their names");
}

TEST(ModelJson, NormNoneNeedsNoSlopes)
{
    EXPECT_EQ(parse_error(constant_model("5").dump()), "");
    Json json = constant_model("5");
    json["model_dict"]["slopes"] = {1};
    expect_error(parse_error(json.dump()), EINVAL, "slopes: must have 2 entries, not 1");
}

TEST(ModelJson, RefusesBrokenCollections)
{
    const Json entry = builtin_json("vmaf_v0.6.1");
    expect_error(parse_error(Json({{"0", entry}}).dump()), EINVAL,
                 "m.json: the collection has no entry 1");
    expect_error(parse_error(Json({{"1", entry}}).dump()), EINVAL, "nor the key 0");
    expect_error(parse_error(Json({{"x", {{"0", entry}, {"1", entry}}}}).dump()), EINVAL,
                 "nor the key 0");
    expect_error(parse_error(Json({{"0", entry}, {"1", 3}}).dump()), EINVAL,
                 "m.json: 1: must be an object, not number");
    Json other = entry;
    other["model_dict"].erase("model");
    expect_error(parse_error(Json({{"0", entry}, {"1", other}}).dump()), EINVAL,
                 "m.json: 1.model_dict: the key model is missing");
    expect_error(parse_error(Json({{"0", entry}, {"1", builtin_json("vmaf_v0.6.1neg")}}).dump()),
                 EINVAL, "m.json: 1: the features or their options differ from those of entry 0");
}

/// Processor time: other programs do not count.
double seconds_to_refuse(const std::string &text, const std::string &why)
{
    const std::clock_t start = std::clock();
    expect_error(parse_error(text), EINVAL, why);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string descending_keys(int count)
{
    std::string text = "{";
    for (int i = count; i > 0; --i)
        text += "\"k" + std::to_string(1000000 + i) + "\":0,";
    return text;
}

/// Descending keys once took quadratic time: 17 s for 1.1 MB. Ten times the keys may take thirty
/// times as long, for the sake of caches; in quadratic time they take a hundred times.
TEST(ModelJson, ManyKeysTakeLinearTime)
{
    for (const auto &[end, why] :
         {std::pair("\"z\":0}", "not a model"),
          std::pair("\"k1000001\":0}", "the key 'k1000001' is there twice")}) {
        const std::string few = descending_keys(10000) + end;
        const std::string many = descending_keys(100000) + end;
        EXPECT_GT(many.size(), 1100000U);
        EXPECT_LT(seconds_to_refuse(many, why), 30 * seconds_to_refuse(few, why) + 0.1);
    }
}

TEST(ModelJson, TooManyValues)
{
    std::string text = "[0";
    for (int i = 0; i < 1000001; ++i)
        text += ",0";
    expect_error(parse_error(text + "]"), EFBIG, "has more than 1000000 values");
}

TEST(ModelJson, Pipes)
{
    std::string folder = ::testing::TempDir() + "/vmafgpu_pipe_XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/model.json";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    expect_error(error_of([&] { Model::load(path); }), ETIMEDOUT, "a pipe that nobody writes to");
    const std::string text = builtin_json("vmaf_v0.6.1").dump();
    std::thread writer([&] { std::ofstream(path) << text; });
    EXPECT_EQ(error_of([&] { Model::load(path); }), "");
    writer.join();
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace vmafgpu::model_json_test
