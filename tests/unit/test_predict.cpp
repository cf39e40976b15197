// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction against libvmaf's own numbers, to the last bit, and bootstrap
// collections against model_expectations.py. Transform, chroma correction and
// options are in test_model.cpp.
#include "model_fixtures.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>

namespace vmafgpu {
namespace {

using Row = std::array<double, 6>; // adm2, motion2, vif_scale0..3

double predict(const Model &model, const Row &row)
{
    std::vector<double> out(model.score_names().size());
    model.predict(row.data(), out.data());
    return out[0];
}

struct Vector {
    Row features;
    double v061, v061_raw, v4k, v4k_raw;
};

// libvmaf f85a8536; raw = loaded with its flag DISABLE_CLIP.
// clang-format off
constexpr Vector kVectors[] = {
    {{0, 0, 0, 0, 0, 0}, 4.3366705109194772, 4.3366705109194772, 6.6757998038431206, 6.6757998038431206},
    {{1, 0, 1, 1, 1, 1}, 97.428042642610308, 97.428042642610308, 100, 100.8937736628905},
    {{1, 20, 1, 1, 1, 1}, 100, 120.80583516378225, 100, 113.75039717952421},
    {{0.5, 5, 0.2, 0.4, 0.5, 0.6}, 0, -9.9441483888934297, 16.544914702642881, 16.544914702642881},
    {{0.97, 0, 0.6, 0.9, 0.94, 0.96}, 85.08053713303255, 85.08053713303255, 90.933492187190041, 90.933492187190041},
    {{1.05, 3.5, 1.1, 1.2, 1.3, 1.4}, 100, 162.2437629412826, 100, 150.56994484905715},
    {{0.3, 30, 0.05, 0.1, 0.2, 0.3}, 6.9633967359236273, 6.9633967359236273, 47.847549749282074, 47.847549749282074},
    {{0.9, 12.345678901234567, 0.45, 0.8, 0.86, 0.9}, 76.784816445992419, 76.784816445992419, 84.101480348505433, 84.101480348505433},
    {{0.8, 100, 0.3, 0.6, 0.7, 0.8}, 95.702733306830439, 95.702733306830439, 100, 181.7428236139726},
    {{-1, -1, -1, -1, -1, -1}, 100, 132.91569789804174, 100, 163.13470158770343},
    {{0.95, 4.2, 0.38, 0.8, 0.89, 0.94}, 82.843757316459858, 82.843757316459858, 89.277772657483567, 89.277772657483567},
    {{2, 50, 2, 2, 2, 2}, 100, 269.97366729112537, 100, 314.51492595511161},
};
// clang-format on

TEST(ModelPredict, EqualsLibvmafToTheLastBit)
{
    const std::unique_ptr<Model> v061 = Model::load("vmaf_v0.6.1");
    const std::unique_ptr<Model> neg = Model::load("vmaf_v0.6.1neg");
    const std::unique_ptr<Model> v4k = Model::load("vmaf_4k_v0.6.1");
    Model v061_raw(*v061);
    Model v4k_raw(*v4k);
    v061_raw.set_option("disable_clip", "true");
    v4k_raw.set_option("disable_clip", "true");
    for (const Vector &vector : kVectors) {
        EXPECT_EQ(predict(*v061, vector.features), vector.v061);
        EXPECT_EQ(predict(v061_raw, vector.features), vector.v061_raw);
        EXPECT_EQ(predict(*neg, vector.features), vector.v061) << "neg has the same SVM";
        EXPECT_EQ(predict(*v4k, vector.features), vector.v4k);
        EXPECT_EQ(predict(v4k_raw, vector.features), vector.v4k_raw);
    }
}

struct EndToEnd {
    Row features;
    double v061, v4k;
};

// Feature scores of libvmaf for generated clips, and its model scores.
// clang-format off
constexpr EndToEnd kEndToEnd[] = {
    {{0.94624644203727848, 0, 0.46583622694015503, 0.95903366804122925, 0.98250430822372437, 0.98818159103393555}, 84.50786657180393, 89.804825146124571},
    {{0.94197854282122795, 10.743340810139975, 0.46462616324424744, 0.95830786228179932, 0.982261061668396, 0.99122756719589233}, 95.899279028663997, 96.519065670784315},
    {{0.94558416373309173, 10.815247853597006, 0.4764522910118103, 0.95217001438140869, 0.9781915545463562, 0.98727637529373169}, 96.244802684678859, 96.818811800245712},
    {{0.99278683308028792, 0, 0.48297896981239319, 0.97908401489257812, 0.99277085065841675, 0.99826180934906006}, 95.735519722029025, 98.765175188057142},
    {{0.98898553454036398, 0, 0.48219427466392517, 0.97972124814987183, 0.99364197254180908, 0.99823236465454102}, 94.958782785875755, 98.119238200128507},
    {{1.0380642968569116, 0, 0.96834546327590942, 1.0016379356384277, 1.0111314058303833, 1.0134960412979126}, 100, 100},
};

constexpr std::pair<Row, double> kEndToEndNeg[] = {
    {{0.94256317082791063, 0, 0.46511766314506531, 0.95622879266738892, 0.98072522878646851, 0.9867931604385376}, 83.533905263119919},
    {{0.93684282398593688, 10.743340810139975, 0.46410506963729858, 0.95627647638320923, 0.98101365566253662, 0.99073809385299683}, 94.699580624275939},
    {{0.94011095861050709, 10.815247853597006, 0.4758661687374115, 0.94985496997833252, 0.97652947902679443, 0.98605555295944214}, 94.895494506657059},
    {{0.97607032304457486, 0, 0.47015509009361267, 0.96597760915756226, 0.98371326923370361, 0.9919964075088501}, 91.229758946892602},
    {{0.97568407541694591, 0, 0.47001653909683228, 0.96693253517150879, 0.9847642183303833, 0.99233424663543701}, 91.223825933086047},
    {{0.89832889889085332, 0, 0.89071857929229736, 0.92272454500198364, 0.93467217683792114, 0.94026952981948853}, 67.851188866246332},
    {{0.88999949295654313, 10.760835774739583, 0.89233863353729248, 0.92344957590103149, 0.93440991640090942, 0.94232583045959473}, 79.594372020453932},
};
// clang-format on

TEST(ModelPredict, EqualsLibvmafForRealFeatureScores)
{
    const std::unique_ptr<Model> v061 = Model::load("vmaf_v0.6.1");
    const std::unique_ptr<Model> neg = Model::load("vmaf_v0.6.1neg");
    const std::unique_ptr<Model> v4k = Model::load("vmaf_4k_v0.6.1");
    for (const EndToEnd &vector : kEndToEnd) {
        EXPECT_EQ(predict(*v061, vector.features), vector.v061);
        EXPECT_EQ(predict(*v4k, vector.features), vector.v4k);
    }
    for (const auto &[features, score] : kEndToEndNeg)
        EXPECT_EQ(predict(*neg, features), score);
}

TEST(ModelPredict, NanFeatureGivesNan)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1");
    EXPECT_TRUE(std::isnan(predict(*model, {1, std::nan(""), 1, 1, 1, 1})));
}

// ------------------------------------------------------------- collections

/// What model_expectations.py calls SHIFTS.
constexpr double kShifts[] = {-0.031, 0.012, -0.004, 0.027, -0.018, 0.033, 0.0007, -0.0251};

nlohmann::json collection()
{
    const nlohmann::json entry = builtin_json("vmaf_v0.6.1");
    nlohmann::json result = {{"0", entry}};
    for (size_t j = 0; j < std::size(kShifts); ++j) {
        nlohmann::json member = entry;
        std::string svm = member["model_dict"]["model"];
        const std::string rho = "rho -1.33133";
        char text[64];
        std::snprintf(text, sizeof text, "rho %.17g", -1.33133 + kShifts[j]);
        svm.replace(svm.find(rho), rho.size(), text);
        member["model_dict"]["model"] = svm;
        member["model_dict"]["model_type"] = "BOOTSTRAP_LIBSVMNUSVR";
        result[std::to_string(j + 1)] = member;
    }
    return result;
}

/// Entry 0, members 1 and 8, bagging, stddev, lo, hi.
using CollectionScores = std::array<double, 7>;

constexpr Row kCollectionRows[] = {
    {0, 0, 0, 0, 0, 0},
    {0.97, 0, 0.6, 0.9, 0.94, 0.96},
    {0.9, 12.345678901234567, 0.45, 0.8, 0.86, 0.9},
    {1, 0, 1, 1, 1, 1},
    {2, 50, 2, 2, 2, 2},
};

// Printed by model_expectations.py.
// clang-format off
constexpr CollectionScores kCollectionPlain[] = {
    {4.3366705109194772, 6.9155410373187598, 6.4247237435846998, 4.3928233368975267, 1.8343810602009891, 1.6787700812918296, 6.8296480109152995},
    {85.08053713303255, 87.659407659431835, 87.168590365697767, 85.136689959010596, 1.8343810602019652, 82.422636703404891, 87.573514633028367},
    {76.784816445992419, 79.36368697239169, 78.872869678657636, 76.840969271970451, 1.8343810602019677, 74.12691601636476, 79.277793945988236},
    {97.428042642610308, 100, 99.516095875275525, 97.484195468588354, 1.8343810602019668, 94.770142212982662, 99.921020142606125},
    {100, 100, 100, 100, 0, 100, 100},
};

constexpr CollectionScores kCollectionTransformed[] = {
    {9.0610969177989436, 13.308692744601851, 12.507507682197289, 9.1545840104857081, 3.0532774432429646, 4.5851627281935556, 13.168730664964611},
    {97.538159212168722, 98.848470361055064, 98.606316898641055, 97.567689299771828, 0.96395216443101295, 96.089523263190245, 98.806338811416168},
    {92.686871462848245, 94.298962725639171, 93.99937369315947, 92.722972569060559, 1.1786119232784467, 90.92720729970037, 94.246779951238764},
    {100, 100, 100, 100, 0, 100, 100},
    {100, 100, 100, 100, 0, 100, 100},
};

constexpr CollectionScores kCollectionTransformedRaw[] = {
    {9.0610969177989436, 13.308692744601851, 12.507507682197289, 9.1545840104857081, 3.0532774432429646, 4.5851627281935556, 13.168730664964611},
    {97.538159212168722, 98.848470361055064, 98.606316898641055, 97.567689299771828, 0.96395216443101295, 96.089523263190245, 98.806338811416168},
    {92.686871462848245, 94.298962725639171, 93.99937369315947, 92.722972569060559, 1.1786119232784467, 90.92720729970037, 94.246779951238764},
    {102.96113796365687, 103.82227395830503, 103.66560867040735, 102.98088762451445, 0.64444857275753964, 101.97544221396579, 103.79510283920649},
    {269.97366729112537, 272.55253781752464, 272.06172052379054, 270.02982011710338, 1.8343810601993544, 267.31576686149771, 272.46664479112115},
};
// clang-format on

void expect_collection(const Model &model, const CollectionScores *expected)
{
    std::vector<double> out(model.score_names().size());
    ASSERT_EQ(out.size(), 13U);
    for (const Row &row : kCollectionRows) {
        model.predict(row.data(), out.data());
        const CollectionScores got = {out[0], out[1], out[8], out[9], out[10], out[11], out[12]};
        EXPECT_EQ(got, *expected++);
    }
}

TEST(ModelCollection, EqualsTheIndependentImplementation)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    expect_collection(*model, kCollectionPlain);
    model->set_option("enable_transform", "true");
    expect_collection(*model, kCollectionTransformed);
    model->set_option("disable_clip", "true");
    expect_collection(*model, kCollectionTransformedRaw);
}

TEST(ModelCollection, SummaryIsClippedAsMemberOne)
{
    nlohmann::json json = collection();
    json["1"]["model_dict"]["score_clip"] = {10, 90};
    const std::unique_ptr<Model> model = parse_json(json);
    std::vector<double> out(13);
    model->predict(kCollectionRows[4].data(), out.data());
    const CollectionScores got = {out[0], out[1], out[8], out[9], out[10], out[11], out[12]};
    EXPECT_EQ(got, (CollectionScores{100, 90, 100, 90, 0, 90, 90}));
}

struct Spread {
    Row features;
    double stddev;
};

// vmaf_b_v0.6.3 in libvmaf f85a8536, which GCC has compiled: of 20,000 frames those whose stddev
// shows whether a difference is multiplied by itself or given to pow().
// clang-format off
constexpr Spread kSpreads[] = {
    {{0.6681373776906432, 9.116383094652852, 0.5004324367330504, 0.6127968000112177, 0.8485574744419991, 0.9873640178925114}, 7.1643614062821905},
    {{0.6366167199690395, 20.331798616552753, 0.663411122503388, 0.9059301917808886, 0.9493763906337487, 0.9630735953046261}, 7.871767771968059},
    {{0.5400681799880926, 11.624984520690884, 0.6772386607023224, 0.7895001290787276, 0.8739024413016973, 0.9898532832383807}, 9.398609448975577},
    {{0.41089302874911166, 23.737228715797485, 0.9028597558942849, 0.9576447815656637, 0.9657229892379456, 0.994561716078365}, 13.072885646914392},
};
// clang-format on

TEST(ModelCollection, SpreadEqualsLibvmafToTheLastBit)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_b_v0.6.3");
    std::vector<double> out(model->score_names().size());
    ASSERT_EQ(out.size(), 25U);
    for (const Spread &spread : kSpreads) {
        model->predict(spread.features.data(), out.data());
        EXPECT_EQ(out[22], spread.stddev);
    }
}

// Without clips a member's series is what the spread is made of.
TEST(ModelCollection, SpreadOfRandomFramesFollowsFromTheMembers)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_b_v0.6.3");
    model->set_option("disable_clip", "true");
    std::vector<double> out(model->score_names().size());
    std::mt19937_64 random;
    const auto next = [&random](double least, double most) {
        return least + (most - least) * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    for (int frame = 0; frame < 6000; ++frame) {
        Row row = {next(0.4, 1.05), next(0, 25), next(0, 1)};
        for (size_t scale = 3; scale < row.size(); ++scale)
            row[scale] = next(row[scale - 1], 1.02);
        model->predict(row.data(), out.data());
        double sum = 0, squares = 0;
        for (int member = 1; member <= 20; ++member)
            sum = sum + out[static_cast<size_t>(member)];
        const double mean = sum / 20;
        for (int member = 1; member <= 20; ++member) {
            const double distance = out[static_cast<size_t>(member)] - mean;
            squares = squares + distance * distance;
        }
        const double slope = ((mean + 0.01) - (mean - 0.01)) / (2.0 * 0.01);
        ASSERT_EQ(out[21], mean) << frame;
        ASSERT_EQ(out[22], std::sqrt(squares / 20) * slope) << frame;
    }
}

TEST(ModelCollection, NamesItsSeries)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    model->set_option("name", "b");
    const std::vector<std::string> expected = {
        "b",      "b_0001", "b_0002",    "b_0003",   "b_0004",      "b_0005",     "b_0006",
        "b_0007", "b_0008", "b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi"};
    EXPECT_EQ(model->score_names(), expected);
}

TEST(ModelCollection, NanFeatureGivesNanEverywhere)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    std::vector<double> out(model->score_names().size());
    const Row row = {std::nan(""), 0, 1, 1, 1, 1};
    model->predict(row.data(), out.data());
    for (const double score : out)
        EXPECT_TRUE(std::isnan(score));
}

TEST(ModelCollection, CountsOnlyKeysInSequence)
{
    nlohmann::json json = collection();
    json["12"] = "no entry 9 to 11 before it, so nobody reads this";
    json["comment"] = "nor this";
    EXPECT_EQ(parse_json(json)->score_names().size(), 13U);
    // "1" before "0" does not count either, and then there is no entry 1.
    const std::string entry = builtin_json("vmaf_v0.6.1").dump();
    expect_error(error_of([&] { Model::parse("{\"1\":" + entry + ",\"0\":" + entry + "}", "x"); }),
                 EINVAL, "x: the collection has no entry 1");
}

} // namespace
} // namespace vmafgpu
