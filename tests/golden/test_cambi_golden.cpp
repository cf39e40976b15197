// SPDX-License-Identifier: BSD-2-Clause-Patent
// CAMBI's single scales, equal to libvmaf's, by the plain and the fast code; what set-up computes
// from options and sizes; what is refused, and how series are named. Scores: golden.cpp.
#include <gtest/gtest.h>

#include "base/error.h"
#include "cambi_generators.h"
#include "features/cambi/cambi.h"
#include "generators.h"
#include "golden_file.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::cambi_golden_test {
namespace {

FeatureOptions values_of(const std::string &options)
{
    return values_of(cambi::kFeature, options);
}

constexpr const char *kV1 =
    "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17";

SegmentSums sums_of(const CambiClip &clip, const Feature &feature, Path path)
{
    const std::vector<unsigned char> distorted = cambi_picture(clip);
    PairView pair = {};
    pair.distorted[0] = cambi_plane(clip, distorted);
    SegmentSums sums(feature);
    fill(feature, pair, path, sums.add());
    return sums;
}

std::string refusal(int width, int height, const std::string &options, Compat compat = Compat::k3_2)
{
    return refusal(cambi::kFeature, {width, height, 10, Chroma::k400}, options, compat);
}

cambi::Options options_with_floor(double luminance, bool is_pq)
{
    cambi::Options options;
    options.luminance_threshold = luminance;
    options.eotf = is_pq ? cambi::Eotf::kPq : cambi::Eotf::kBt1886;
    return options;
}

TEST(CambiClips, AreThePublishedOnes)
{
    EXPECT_EQ(cambi_hash(1, 2, 3), 247490576u);
    for (const CambiClip &clip : kCambiClips) {
        if (clip.sum == 0)
            continue;
        uint64_t sum = 0;
        for (int y = 0; y < clip.height; ++y)
            for (int x = 0; x < clip.width; ++x)
                sum += cambi_sample(clip, x, y);
        EXPECT_EQ(sum, clip.sum) << clip.name;
        EXPECT_EQ(cambi_sample(clip, 0, 0), clip.corners[0]) << clip.name;
        EXPECT_EQ(cambi_sample(clip, 1, 0), clip.corners[1]) << clip.name;
        EXPECT_EQ(cambi_sample(clip, 0, 1), clip.corners[2]) << clip.name;
        EXPECT_EQ(cambi_sample(clip, clip.width - 1, clip.height - 1), clip.corners[3])
            << clip.name;
    }
}

class CambiGoldenTest : public testing::TestWithParam<Path> {};

TEST_P(CambiGoldenTest, Scales)
{
    for (const nlohmann::json &golden : golden_file("cambi")["sums"]) {
        SCOPED_TRACE(golden.dump());
        const bool is_ordered = golden["is_ordered"];
        // After "cambi/".
        const CambiClip &clip = cambi_clip(golden["clip"].get<std::string>().substr(6));
        const auto groups =
            cambi::kFeature.create(cambi_format(clip), Compat::k3_2, {values_of("")});
        const SegmentSums sums = sums_of(clip, *groups[0].feature, GetParam());
        const auto &scales = static_cast<const cambi::Sums *>(sums.at(0))->scale[0];
        const cambi::Config config = cambi::config_of(cambi_format(clip), {});
        for (int s = 0; s < cambi::kScales; ++s) {
            EXPECT_EQ(scales[s].is_ordered, is_ordered && s == 0 ? 1 : 0);
            const nlohmann::json &score = golden["scores"][static_cast<size_t>(s)];
            if (!score.is_null()) {
                EXPECT_EQ(cambi::scale_score(scales[s], config.top_count(0, s)),
                          golden_number(score))
                    << "scale " << s;
            }
        }
        EXPECT_TRUE(groups[0].feature->device()->is_complete(sums.at(0)));
        cambi::Sums unfinished = *static_cast<const cambi::Sums *>(sums.at(0));
        unfinished.scale[0][0].is_ordered = 0;
        EXPECT_EQ(groups[0].feature->device()->is_complete(&unfinished), !is_ordered);
    }
}

/// The source and what it hides are series of their own, if full_ref asks for them.
TEST(CambiOutputs, OfTheReference)
{
    EXPECT_EQ(cambi::kFeature.outputs(Compat::k3_2, values_of("")).size(), 1u);
    EXPECT_EQ(cambi::kFeature.outputs(Compat::k3_2, values_of("full_ref=true")).size(), 3u);
}

INSTANTIATE_TEST_SUITE_P(Paths, CambiGoldenTest, testing::Values(kPlain, kFast), path_name);

TEST(CambiSetup, LuminanceFloor)
{
    const Format format = {640, 360, 10, Chroma::k400};
    const struct {
        double luminance;
        bool is_pq;
        int level;
    } rows[] = {{0, false, 0},   {0.06, false, 78}, {1, false, 135},  {2, false, 162},
                {5, false, 214}, {20, false, 340},  {50, false, 473}, {0.06, true, 108},
                {1, true, 196},  {5, true, 282}};
    for (const auto &row : rows)
        EXPECT_EQ(cambi::config_of(format, options_with_floor(row.luminance, row.is_pq)).floor,
                  row.level)
            << row.luminance;
}

TEST(CambiSetup, WindowsAndMasks)
{
    const struct {
        int width, height, window, halved_window, mask;
    } rows[] = {{320, 240, 7, 7, 13},     {640, 360, 11, 11, 16},   {1280, 720, 21, 21, 19},
                {1920, 1080, 33, 17, 21}, {2560, 1440, 43, 23, -1}, {3840, 2160, 65, 33, 24},
                {7680, 4320, 131, 65, 27}};
    for (const auto &row : rows) {
        const Format format = {row.width, row.height, 10, Chroma::k400};
        cambi::Options options;
        if (row.window <= cambi::kMaxWindow) {
            EXPECT_EQ(cambi::config_of(format, options).target[0].window, row.window);
        }
        options.high_res_speedup = 1080;
        const cambi::Config config = cambi::config_of(format, options);
        EXPECT_EQ(config.target[0].window, row.halved_window);
        EXPECT_EQ(config.is_halved, row.width >= 1920);
        if (row.mask >= 0) {
            EXPECT_EQ(config.target[0].mask_threshold, row.mask) << row.width;
        }
    }
    EXPECT_EQ(cambi::config_of({216, 60, 8, Chroma::k400}, {}).target[0].mask_threshold, 7);
    cambi::Options odd;
    odd.high_res_speedup = 720;
    EXPECT_FALSE(cambi::config_of({1920, 1080, 8, Chroma::k400}, odd).is_halved);
}

TEST(CambiSetup, EncodeSizeAboveThePictureIsIgnored)
{
    cambi::Options options;
    options.enc_width = 640;
    options.enc_height = 362;
    const cambi::Config config = cambi::config_of({640, 360, 8, Chroma::k400}, options);
    EXPECT_EQ(config.target[0].width, 640);
    EXPECT_EQ(config.target[0].height, 360);
    EXPECT_TRUE(config.is_filtered);
}

TEST(CambiSetup, SampleMapIsLibvmafs)
{
    EXPECT_EQ(cambi::sample_map_of(5, 5), (std::vector<int32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(cambi::sample_map_of(10, 5), (std::vector<int32_t>{1, 3, 5, 7, 9}));
    // Ends beyond the line by addition of rounded steps: kept inside.
    EXPECT_EQ(cambi::sample_map_of(7680, 5993).back(), 7679);
}

TEST(CambiSetup, Refusals)
{
    EXPECT_EQ(refusal(216, 60, ""), "");
    EXPECT_EQ(refusal(63, 216, ""), "");
    expect_part(refusal(215, 215, ""), "215x215 is too small");
    expect_part(refusal(640, 360, "enc_width=200:enc_height=200"), "200x200 is too small");
    expect_part(refusal(7680, 4320, ""), "131 pixels");
    EXPECT_EQ(refusal(7680, 4320, kV1), "");
    EXPECT_EQ(refusal(7680, 4320, "enc_width=3840:enc_height=2160:src_width=3840:src_height=2160"),
              "");
    // The source's window counts too, although the source is not looked at.
    expect_part(refusal(7680, 4320, "enc_width=3840:enc_height=2160"), "window");
    expect_part(refusal(640, 360, "src_width=800:src_height=300"), "larger");
    expect_part(refusal(3000, 100, ""), "too narrow");
    expect_part(refusal(640, 360, "cambi_vis_lum_threshold=100"), "cambi_vis_lum_threshold");
    expect_part(refusal(640, 360, "", Compat::k3_1), "3.1");
    for (const char *bad : {"enc_width=0", "enc_width=179", "src_height=4321", "window_size=128",
                            "topk=0", "eotf=hlg", "cambi_eotf=", "max_log_contrast=6"})
        EXPECT_THROW(values_of(bad), Error) << bad;
}

std::string name_of(const std::string &options)
{
    const FeatureOptions values = values_of(options);
    return report_name(cambi::kFeature, cambi::kFeature.outputs(Compat::k3_2, values)[0], values);
}

TEST(CambiNames, ShowWhatDiffersFromDefaults)
{
    EXPECT_EQ(name_of(""), "cambi");
    EXPECT_EQ(name_of("full_ref=true"), "cambi");
    EXPECT_EQ(name_of(kV1), "cambi_hrs_1080_cmxv_17_vlt_0.06");
    EXPECT_EQ(name_of("enc_width=960:enc_height=540"), "cambi_ench_540_encw_960");
    EXPECT_EQ(name_of("eotf=pq:topk=0.05"), "cambi_eotf_pq_topk_0.05");
    EXPECT_EQ(name_of("ceot=pq:tvit=0.02:mlc=3:ws=63"), "cambi_ceot_pq_mlc_3_tvit_0.02_ws_63");
    const FeatureOptions values = values_of("full_ref=true:window_size=63");
    const auto outputs = cambi::kFeature.outputs(Compat::k3_2, values);
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_EQ(report_name(cambi::kFeature, outputs[1], values), "cambi_source");
    EXPECT_EQ(report_name(cambi::kFeature, outputs[2], values), "cambi_full_reference");
}

TEST(CambiVariants, ShareWorkIfOnlyTheLimitDiffers)
{
    const auto groups = cambi::kFeature.create({640, 360, 10, Chroma::k400}, Compat::k3_2,
                                               {values_of(""), values_of("window_size=127"),
                                                values_of("cambi_max_val=5"),
                                                values_of("cambi_high_res_speedup=1080")});
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].variants, (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(groups[1].variants, (std::vector<int>{1}));
}

/// The order in which libvmaf adds shows in the last digits.
TEST(CambiPooling, OrderedSumIsTheSelectionsOrder)
{
    std::vector<float> c = {0.5f, 4225.0f, 0.75f, 17.0f, 0.0f, 3.0f};
    EXPECT_EQ(cambi::ordered_sum(c.data(), 6, 3), 4225.0 + 17.0 + 3.0);
    std::vector<float> all = {1.0f, 2.0f};
    EXPECT_EQ(cambi::ordered_sum(all.data(), 2, 2), 3.0);
    EXPECT_EQ(all, (std::vector<float>{1.0f, 2.0f}));
}

TEST(CambiPooling, ExactnessIsJudgedByTheSmallestSummand)
{
    cambi::ScaleSums sums = {};
    EXPECT_TRUE(cambi::is_exact_sum(sums));
    sums.exponent = -1;
    sums.units = UINT64_C(1) << 53;
    EXPECT_TRUE(cambi::is_exact_sum(sums));
    ++sums.units;
    EXPECT_FALSE(cambi::is_exact_sum(sums));
    sums.exponent = 0;
    EXPECT_TRUE(cambi::is_exact_sum(sums));
    EXPECT_EQ(cambi::units_of(0), 0u);
    EXPECT_EQ(cambi::units_of(0x3f000000), UINT64_C(1) << 23);
    EXPECT_EQ(cambi::units_of(0x40400001), (UINT64_C(3) << 24) + 4);
    EXPECT_EQ(cambi::exponent_of(0x3f000000), -1);
}

} // namespace
} // namespace vmafgpu::cambi_golden_test
