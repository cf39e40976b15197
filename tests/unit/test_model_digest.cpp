// SPDX-License-Identifier: BSD-2-Clause-Patent
// The digest of a model: it changes with every number and option that a score depends on, and
// with nothing else. The digests of the built-in models are part of what users compare.
#include "model/model_digest.h"

#include "model_fixtures.h"

#include <set>

#include "base/sha256.h"

namespace vmafgpu::model_digest_test {
namespace {

TEST(Sha256, PublishedVectors)
{
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

std::string digest(const nlohmann::json &json)
{
    return parse_json(json)->digest();
}

TEST(ModelDigest, OfBuiltinModels)
{
    EXPECT_EQ(Model::load("vmaf_v0.6.1")->digest(),
              "1a3f88aa82dbbf716963fab27def794b8d4550590691a5dd8262073867f41be6");
    EXPECT_EQ(Model::load("vmaf_v1.0.16_3d0h")->digest(),
              "8191f56b471a43abcc37f2b877b87f3afce44a6c0e1907e2a1be0ff7c28c097c");
    std::set<std::string> digests;
    for (const BuiltinModel &model : builtin_models())
        digests.insert(Model::load(model.name)->digest());
    EXPECT_EQ(digests.size(), builtin_models().size());
}

TEST(ModelDigest, NotOfTextAndName)
{
    const nlohmann::json json = builtin_json("vmaf_v0.6.1");
    const auto spaced = Model::parse(json.dump(7), "other.json");
    EXPECT_EQ(spaced->digest(), digest(json));
    spaced->set_option("name", "another");
    EXPECT_EQ(spaced->digest(), digest(json));
    EXPECT_EQ(spaced->source(), "other.json");
    EXPECT_TRUE(spaced->options_set().empty());
}

TEST(ModelDigest, OfEveryNumber)
{
    const nlohmann::json json = builtin_json("vmaf_v0.6.1");
    std::set<std::string> digests = {digest(json)};
    size_t changes = 1;
    const auto expect_other = [&](const nlohmann::json &changed) {
        digests.insert(digest(changed));
        EXPECT_EQ(digests.size(), ++changes);
    };
    for (const char *list : {"slopes", "intercepts"})
        for (size_t i = 0; i < json["model_dict"][list].size(); ++i) {
            nlohmann::json changed = json;
            changed["model_dict"][list][i] = json["model_dict"][list][i].get<double>() + 1e-9;
            expect_other(changed);
        }
    nlohmann::json changed = json;
    changed["model_dict"]["score_clip"] = {0.0, 101.0};
    expect_other(changed);
    changed = json;
    changed["model_dict"]["score_transform"]["p1"] = 1.5;
    expect_other(changed);
    const std::string svm = json["model_dict"]["model"];
    for (const char *place : {"gamma ", "rho ", "SV\n", " 1:", " 6:"}) {
        const size_t at = svm.rfind(place) + std::string(place).size();
        changed = json;
        changed["model_dict"]["model"] =
            svm.substr(0, at) + "0.1251 " + svm.substr(svm.find_first_of(" \n", at + 1));
        if (std::string(place) == "gamma " || std::string(place) == "rho ")
            changed["model_dict"]["model"] =
                svm.substr(0, at) + "0.1251" + svm.substr(svm.find('\n', at));
        expect_other(changed);
    }
}

TEST(ModelDigest, OfOptions)
{
    const auto model = Model::load("vmaf_v0.6.1");
    const std::string plain = model->digest();
    model->set_option("disable_clip", "true");
    const std::string unclipped = model->digest();
    EXPECT_NE(unclipped, plain);
    model->set_option("disable_clip", "false");
    EXPECT_EQ(model->digest(), plain);
    model->set_option("enable_transform", "true");
    EXPECT_NE(model->digest(), plain);
    EXPECT_NE(model->digest(), unclipped);
    model->set_option("enable_transform", "false");
    model->set_option("adm.adm_enhn_gain_limit", "1.5");
    EXPECT_NE(model->digest(), plain);
    const std::vector<std::pair<std::string, std::string>> options = {
        {"disable_clip", "false"},
        {"enable_transform", "false"},
        {"adm.adm_enhn_gain_limit", "1.5"}};
    EXPECT_EQ(model->options_set(), options);
}

} // namespace
} // namespace vmafgpu::model_digest_test
