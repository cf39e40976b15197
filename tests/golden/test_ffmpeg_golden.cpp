// SPDX-License-Identifier: BSD-2-Clause-Patent
// ffmpeg_psnr, ffmpeg_ssim and xpsnr: scores and values per run against what FFmpeg's filters
// print, the fast code against the plain code, names, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "classic_clips.h"
#include "features/registry.h"
#include "features/xpsnr/xpsnr.h"
#include "golden_file.h"
#include "simd/cpu_level.h"
#include "sums_window.h"

namespace vmafgpu::ffmpeg_golden_test {
namespace {

FeatureOptions adapted(const FeatureInfo &info, const Format &format, const std::string &options)
{
    FeatureOptions values = values_of(info, options);
    info.adapt(format, values);
    return values;
}

/// Returns the text that FFmpeg prints. Metadata are floats there, the last line is made of
/// doubles.
std::string text_of(const std::vector<double> &values, const char *form, bool is_metadata)
{
    std::string text;
    for (const double value : values) {
        char number[64];
        const double printed = is_metadata ? static_cast<double>(static_cast<float>(value)) : value;
        std::snprintf(number, sizeof(number), form, printed);
        text += (text.empty() ? "" : " ") + std::string(number);
    }
    return text;
}

/// The plain code's Sums of the first `frames` frames. The fast code's must be the same.
void run(const Feature &feature, const ClassicClip &clip, int frames, SegmentSums &sums)
{
    std::vector<YuvPair> pairs;
    for (int frame = 0; frame < frames; ++frame)
        pairs.push_back(classic_pair(clip, frame));
    for (size_t frame = 0; frame < pairs.size(); ++frame) {
        PairView view = pairs[frame].view();
        for (size_t back = 1; back <= kMaxHistory && back <= frame; ++back)
            view.previous[back - 1] = pairs[frame - back].view().reference[0];
        expect_all_levels(feature, view, sums.add_reference(view));
    }
}

/// Values per run.
std::vector<double> aggregates_of(const FeatureAggregates &aggregates, const SegmentSums &sums,
                                  size_t count)
{
    std::vector<uint64_t> state(aggregates.state_bytes() / sizeof(uint64_t));
    for (size_t i = 0; i < sums.size(); ++i)
        aggregates.accumulate(sums.at(i), state.data());
    std::vector<double> values(count);
    double *out = values.data();
    aggregates.values(state.data(), &out);
    return values;
}

TEST(FfmpegGolden, Vectors)
{
    std::set<std::string> features;
    for (const nlohmann::json &golden : golden_file("ffmpeg")["runs"]) {
        SCOPED_TRACE(golden.dump());
        const std::string name = golden["feature"];
        features.insert(name);
        // After "classic/".
        const ClassicClip &clip = classic_clip(golden["clip"].get<std::string>().substr(8));
        const FeatureInfo &info = *find_feature(name);
        Format format = classic_format(clip);
        format.frame_rate = golden["frame_rate"];
        const FeatureOptions values = adapted(info, format, "");
        const auto groups = info.create(format, Compat::k3_2, {values});
        ASSERT_EQ(groups.size(), 1U);
        const Feature &feature = *groups[0].feature;
        const nlohmann::json &lines =
            golden["lines"]; // a line for each frame, then one for the run
        const size_t frames = lines.size() - 1;
        SegmentSums sums(feature);
        run(feature, clip, static_cast<int>(frames), sums);
        const auto scores = sums.scores(0, 1, info.outputs(Compat::k3_2, values).size());
        ASSERT_EQ(scores.size(), frames);
        for (size_t i = 0; i < frames; ++i)
            EXPECT_EQ(text_of(scores[i], "%f", true), lines[i]) << "frame " << i;
        const char *const form = name == "xpsnr" ? "%.4f" : "%f";
        const auto of_run =
            aggregates_of(*feature.aggregates(), sums, info.aggregates(values).size());
        EXPECT_EQ(text_of(of_run, form, false), lines[frames]);
    }
    EXPECT_EQ(features, (std::set<std::string>{"ffmpeg_psnr", "ffmpeg_ssim", "xpsnr"}));
}

/// The option fps counts more than the context's rate; 32 is the first fast rate.
TEST(FfmpegGolden, FrameRates)
{
    const auto history = [](int rate, const std::string &options) {
        const Format format = {64, 64, 8, Chroma::k420, rate};
        const FeatureOptions values = adapted(xpsnr::kFeature, format, options);
        return xpsnr::kFeature.create(format, Compat::k3_2, {values})
            .at(0)
            .feature->traits()
            .history;
    };
    EXPECT_EQ(history(0, ""), 1); // an unknown rate is a slow one
    EXPECT_EQ(history(31, ""), 1);
    EXPECT_EQ(history(32, ""), 2);
    EXPECT_EQ(history(25, "fps=60"), 2);
    EXPECT_EQ(history(60, "fps=25"), 1);
    EXPECT_EQ(history(60, "fps=0"), 1);
}

/// Too small for weights: FFmpeg 7.1 divides by zero, later versions give the plain PSNR.
TEST(FfmpegGolden, SmallPicturesHaveNoWeights)
{
    const Format small = {45, 44, 8, Chroma::k420};
    EXPECT_EQ(xpsnr::config_of(small, true, 25).block, 0);
    EXPECT_EQ(xpsnr::config_of({45, 45, 8, Chroma::k420}, true, 25).block, 4);
    YuvPair pair(small);
    pair.set(true, 0, 44, 43, 3 << 8);
    pair.set(true, 1, 22, 21, 2 << 8);
    const auto groups =
        xpsnr::kFeature.create(small, Compat::k3_2, {adapted(xpsnr::kFeature, small, "")});
    xpsnr::Sums sums = {};
    groups.at(0).feature->reference(pair.view(), &sums);
    EXPECT_EQ(sums.errors[0], 9U);
    EXPECT_EQ(sums.errors[1], 4U);
    EXPECT_EQ(sums.errors[2], 0U);
}

/// FFmpeg takes the mean of the roots of the errors, but that of the decibels where this mean is
/// below 1: there, one perfect pair makes the run perfect.
TEST(FfmpegGolden, XpsnrOfARunOfNearlyPerfectPairs)
{
    const Format small = {45, 44, 8, Chroma::k400};
    const auto groups =
        xpsnr::kFeature.create(small, Compat::k3_2, {adapted(xpsnr::kFeature, small, "")});
    const FeatureAggregates &aggregates = *groups.at(0).feature->aggregates();
    const auto of_run = [&](std::initializer_list<uint64_t> errors) {
        std::vector<char> state(aggregates.state_bytes());
        for (const uint64_t error : errors) {
            xpsnr::Sums sums = {};
            sums.errors[0] = error;
            aggregates.accumulate(&sums, state.data());
        }
        double value = 0;
        double *out = &value;
        aggregates.values(state.data(), &out);
        return text_of({value}, "%.4f", false);
    };
    EXPECT_EQ(of_run({0, 0, 1}), text_of({std::numeric_limits<double>::infinity()}, "%.4f", false));
    EXPECT_EQ(of_run({4, 16}),
              text_of({10 * std::log10(45 * 44 * 255.0 * 255.0 / 9)}, "%.4f", false));
    EXPECT_EQ(of_run({0, 4}), of_run({1, 1}));
}

/// Where FFmpeg reads cells of samples that are not all inside the picture.
TEST(FfmpegGolden, XpsnrRefusesUndefinedSizes)
{
    const auto refusal = [](int width, int height) -> std::string {
        try {
            const Format format = {width, height, 8, Chroma::k420};
            xpsnr::kFeature.create(format, Compat::k3_2, {adapted(xpsnr::kFeature, format, "")});
        } catch (const Error &error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(refusal(2048, 1152), "");
    EXPECT_EQ(refusal(2047, 1151), "");
    EXPECT_EQ(refusal(2050, 1152), "");
    const char *const odd = "has an odd side, for which FFmpeg's result is undefined";
    expect_part(refusal(2049, 1152), odd);
    expect_part(refusal(2048, 1153), odd);
}

/// A picture without chroma, or chroma that is not asked for: FFmpeg's columns of a grey picture.
TEST(FfmpegGolden, Names)
{
    const auto names = [](const char *feature, Chroma chroma, const std::string &options) {
        const FeatureInfo &info = *find_feature(feature);
        const FeatureOptions values = adapted(info, {64, 64, 8, chroma}, options);
        std::string list;
        for (const OutputInfo &output : info.outputs(Compat::k3_2, values))
            list += report_name(info, output, values) + " ";
        for (const char *name : info.aggregates(values))
            list += std::string("/ ") + name + " ";
        return list;
    };
    const char *const grey = "ffmpeg_ssim_y ffmpeg_ssim_all ffmpeg_ssim_db / ffmpeg_ssim_run_y "
                             "/ ffmpeg_ssim_run_y_db / ffmpeg_ssim_run_all "
                             "/ ffmpeg_ssim_run_all_db ";
    EXPECT_EQ(names("ffmpeg_ssim", Chroma::k400, ""), grey);
    EXPECT_EQ(names("ffmpeg_ssim", Chroma::k420, "enable_chroma=false"), grey);
    EXPECT_EQ(names("ffmpeg_psnr", Chroma::k400, ""),
              "ffmpeg_mse_y ffmpeg_psnr_y ffmpeg_mse_avg ffmpeg_psnr_avg / ffmpeg_psnr_run_y "
              "/ ffmpeg_psnr_run_average / ffmpeg_psnr_run_min / ffmpeg_psnr_run_max ");
    EXPECT_EQ(names("ffmpeg_psnr", Chroma::k444, ""),
              "ffmpeg_mse_y ffmpeg_psnr_y ffmpeg_mse_u ffmpeg_psnr_u ffmpeg_mse_v ffmpeg_psnr_v "
              "ffmpeg_mse_avg ffmpeg_psnr_avg / ffmpeg_psnr_run_y / ffmpeg_psnr_run_u "
              "/ ffmpeg_psnr_run_v / ffmpeg_psnr_run_average / ffmpeg_psnr_run_min "
              "/ ffmpeg_psnr_run_max ");
    EXPECT_EQ(names("xpsnr", Chroma::k422, "fps=50"),
              "xpsnr_y xpsnr_u xpsnr_v / xpsnr_run_y / xpsnr_run_u / xpsnr_run_v / xpsnr_run_min ");
    EXPECT_EQ(names("xpsnr", Chroma::k400, ""), "xpsnr_y / xpsnr_run_y ");
}

} // namespace
} // namespace vmafgpu::ffmpeg_golden_test
