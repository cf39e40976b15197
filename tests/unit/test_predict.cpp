// SPDX-License-Identifier: BSD-2-Clause-Patent
// Prediction against libvmaf's own numbers, to the last bit, and what the series of bootstrap
// collections have to do with each other. Whole clips: tests/golden. Transform, chroma correction
// and options are in test_model.cpp.
#include "model_fixtures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace vmafgpu::predict_test {
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

TEST(ModelPredict, NanFeatureGivesNan)
{
    const std::unique_ptr<Model> model = Model::load("vmaf_v0.6.1");
    EXPECT_TRUE(std::isnan(predict(*model, {1, std::nan(""), 1, 1, 1, 1})));
}

// ------------------------------------------------------------- collections

/// vmaf_b_v0.6.3 with nine members.
nlohmann::json collection()
{
    nlohmann::json json = builtin_json("vmaf_b_v0.6.3");
    for (int member = 10; member <= 20; ++member) // json sorts "10" in front of "2"
        json.erase(std::to_string(member));
    return json;
}

constexpr size_t kMembers = 9;
constexpr size_t kSeries = 1 + kMembers + 4;

TEST(ModelCollection, SummaryIsClippedAsMemberOne)
{
    nlohmann::json json = collection();
    json["1"]["model_dict"]["score_clip"] = {10, 90};
    const std::unique_ptr<Model> model = parse_json(json);
    const Row best = {2, 50, 2, 2, 2, 2};
    std::vector<double> out(kSeries);
    model->predict(best.data(), out.data());
    EXPECT_EQ(
        out, (std::vector<double>{100, 90, 100, 100, 100, 100, 100, 100, 100, 100, 90, 0, 90, 90}));
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

/// The model's transform, which does not lower, and clip.
double finished(double y)
{
    const double z = 1.70674692 + 1.72643844 * y + -0.00705305 * y * y;
    return std::min(std::max(std::max(z, y), 0.0), 100.0);
}

double percentile(const std::vector<double> &sorted, double percent)
{
    const double place = percent * static_cast<double>(sorted.size() - 1) / 100;
    const double low = std::floor(place), high = std::ceil(place);
    return sorted[static_cast<size_t>(low)] * (high - place) +
           sorted[static_cast<size_t>(high)] * (place - low);
}

/// Returns the other series' values, from the members' scores without clip and transform.
std::vector<double> summary_of(std::vector<double> members)
{
    double sum = 0, squares = 0;
    for (const double score : members)
        sum = sum + score;
    const double mean = sum / kMembers;
    for (const double score : members)
        squares = squares + (score - mean) * (score - mean);
    const double slope = (finished(mean + 0.01) - finished(mean - 0.01)) / (2.0 * 0.01);
    std::sort(members.begin(), members.end());
    return {finished(mean), std::sqrt(squares / kMembers) * slope,
            finished(percentile(members, 2.5)), finished(percentile(members, 97.5))};
}

TEST(ModelCollection, RandomFramesFollowFromTheMembers)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    Model raw(*model);
    model->set_option("enable_transform", "true");
    raw.set_option("disable_clip", "true");
    std::mt19937_64 random;
    const auto next = [&random](double least, double most) {
        return least + (most - least) * (static_cast<double>(random() >> 11) * 0x1p-53);
    };
    for (int frame = 0; frame < 6000; ++frame) {
        Row row = {next(0.4, 1.05), next(0, 25), next(0, 1)};
        for (size_t scale = 3; scale < row.size(); ++scale)
            row[scale] = next(row[scale - 1], 1.02);
        std::vector<double> out(kSeries), plain(kSeries), expected;
        model->predict(row.data(), out.data());
        raw.predict(row.data(), plain.data());
        for (size_t i = 0; i <= kMembers; ++i)
            expected.push_back(finished(plain[i]));
        for (const double value : summary_of({plain.begin() + 1, plain.begin() + 1 + kMembers}))
            expected.push_back(value);
        ASSERT_EQ(out, expected) << frame;
    }
}

TEST(ModelCollection, NamesItsSeries)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    model->set_option("name", "b");
    const std::vector<std::string> expected = {
        "b",      "b_0001", "b_0002", "b_0003",    "b_0004",   "b_0005",      "b_0006",
        "b_0007", "b_0008", "b_0009", "b_bagging", "b_stddev", "b_ci_p95_lo", "b_ci_p95_hi"};
    EXPECT_EQ(model->score_names(), expected);
}

TEST(ModelCollection, NanFeatureGivesNanEverywhere)
{
    const std::unique_ptr<Model> model = parse_json(collection());
    std::vector<double> out(model->score_names().size());
    // Texts show the sign, which is that of the members.
    for (const double nan : {std::nan(""), -std::nan("")}) {
        const Row row = {nan, 0, 1, 1, 1, 1};
        model->predict(row.data(), out.data());
        for (const double score : out) {
            EXPECT_TRUE(std::isnan(score));
            EXPECT_EQ(std::signbit(score), std::signbit(out[1]));
        }
        EXPECT_EQ(std::signbit(out[1]), std::signbit(nan));
    }
}

TEST(ModelCollection, CountsOnlyKeysInSequence)
{
    nlohmann::json json = collection();
    json["12"] = "no entry 10 and 11 before it, so nobody reads this";
    json["comment"] = "nor this";
    EXPECT_EQ(parse_json(json)->score_names().size(), kSeries);
    // "1" before "0" does not count either, and then there is no entry 1.
    const std::string entry = builtin_json("vmaf_v0.6.1").dump();
    expect_error(error_of([&] { Model::parse("{\"1\":" + entry + ",\"0\":" + entry + "}", "x"); }),
                 EINVAL, "x: the collection has no entry 1");
}

} // namespace
} // namespace vmafgpu::predict_test
