// SPDX-License-Identifier: BSD-2-Clause-Patent
// psnr: scores and aggregates against those of libvmaf (f85a8536, scalar C code), to 17 digits.
// The plain code and every form of the fast CPU code.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "classic_clips.h"
#include "features/psnr/psnr.h"
#include "simd/cpu_level.h"
#include "sums_window.h"
#include "system/thread_pool.h"

namespace vmafgpu::psnr_golden_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

FeatureOptions adapted(const std::string &options, const Format &format)
{
    FeatureOptions values = values_of(psnr::kFeature, options);
    psnr::kFeature.adapt(format, values);
    return values;
}

struct PsnrRun {
    std::vector<std::vector<double>> scores; ///< scores of each frame
    std::vector<double> aggregates;
};

/// The first frames of a clip.
PsnrRun run(const ClassicClip &clip, int frames, const std::string &options)
{
    const FeatureOptions values = adapted(options, classic_format(clip));
    const auto groups = psnr::kFeature.create(classic_format(clip), Compat::k3_2, {values});
    const Feature &feature = *groups.at(0).feature;
    SegmentSums sums(feature);
    const FeatureAggregates *aggregates = feature.aggregates();
    std::vector<uint64_t> state(aggregates != nullptr ? aggregates->state_bytes() / sizeof(uint64_t)
                                                      : 0);
    for (int frame = 0; frame < frames; ++frame) {
        const YuvPair pair = classic_pair(clip, frame);
        expect_all_levels(feature, pair.view(), sums.add_reference(pair.view()));
        if (aggregates != nullptr)
            aggregates->accumulate(sums.at(sums.size() - 1), state.data());
    }
    PsnrRun result;
    result.scores = sums.scores(0, 1, psnr::kFeature.outputs(Compat::k3_2, values).size());
    result.aggregates.resize(psnr::kFeature.aggregates(values).size());
    double *out = result.aggregates.data();
    if (aggregates != nullptr)
        aggregates->values(state.data(), &out);
    return result;
}

using Scores = std::vector<double>;

TEST(PsnrGolden, Scores)
{
    const char *const mse = "enable_mse=true";
    EXPECT_EQ(run(classic_clip("V1"), 2, mse).scores,
              (std::vector<Scores>{{35.920687807715048, 16.634570044581618, 35.936269361101239,
                                    16.574995713305899, 35.915137485467461, 16.655842764060356},
                                   {35.904271303896905, 16.69756837277092, 35.962422817006534,
                                    16.475480109739369, 35.971222930107672, 16.44212962962963}}));
    EXPECT_EQ(run(classic_clip("V2"), 1, mse).scores.at(0),
              (Scores{34.507877009605401, 370.64962619283995, 34.493717171484171,
                      371.86007305194806, 34.515533447845073, 369.99676136363638}));
    EXPECT_EQ(run(classic_clip("V3"), 1, mse).scores.at(0),
              (Scores{22.172523417127941, 101684.66694222283, 22.169155673346097,
                      101763.54906698027, 22.170203170314874, 101739.0071583637}));
    EXPECT_EQ(run(classic_clip("V4"), 1, "enable_chroma=false:enable_mse=true").scores.at(0),
              (Scores{7.7844859222211671, 715316125.12944841}));
    EXPECT_EQ(run(classic_clip("V4"), 1, "").scores.at(0),
              (Scores{7.7844859222211671, 7.7919065540657133, 7.7877152169025265}));
    EXPECT_EQ(run(classic_clip("V5"), 1, "").scores.at(0),
              (Scores{8.7968668394844833, 8.913269719406598, 8.6154852434348577}));
    EXPECT_EQ(run(classic_clip("V5"), 1, mse).scores.at(0).at(1), 8578.150804924242);
    EXPECT_EQ(run(classic_clip("V6"), 1, "").scores.at(0),
              (Scores{35.914724123544573, 35.923241996057868, 35.925514269922388}));
    EXPECT_EQ(run(classic_clip("V7"), 1, "").scores.at(0),
              (Scores{34.576894992670105, 34.580403256553055, 34.57146431300972}));
}

TEST(PsnrGolden, Aggregates)
{
    const char *const apsnr = "enable_apsnr=true";
    EXPECT_EQ(run(classic_clip("V1"), 2, apsnr).aggregates,
              (Scores{35.912471798931065, 35.949326401887369, 35.943089671429931}));
    EXPECT_EQ(run(classic_clip("V2"), 1, apsnr).aggregates,
              (Scores{34.507877009605387, 34.493717171484157, 34.515533447845065}));
    EXPECT_EQ(run(classic_clip("V3"), 1, apsnr).aggregates,
              (Scores{22.172523417127952, 22.169155673346097, 22.170203170314871}));
    EXPECT_EQ(run(classic_clip("V6"), 1, apsnr).aggregates.at(0), 35.914724123544566);
    EXPECT_EQ(run(classic_clip("V7"), 1, apsnr).aggregates.at(0), 34.576894992670105);
    // Chroma that is switched off, or that the format lacks.
    EXPECT_EQ(run(classic_clip("V1"), 2, "enable_apsnr=true:enable_chroma=false").aggregates,
              (Scores{35.912471798931065, -kInf, -kInf}));
    ClassicClip grey = classic_clip("V1");
    grey.chroma = Chroma::k400;
    EXPECT_EQ(run(grey, 2, apsnr).aggregates, (Scores{35.912471798931065, -kInf, -kInf}));
    EXPECT_EQ(run(grey, 1, "").scores.at(0), (Scores{35.920687807715048}));
    EXPECT_TRUE(run(classic_clip("V1"), 1, "").aggregates.empty());
}

TEST(PsnrGolden, PeakAndLimit)
{
    const PsnrRun reduced = run(classic_clip("V2"), 1, "reduced_hbd_peak=true:enable_apsnr=true");
    EXPECT_EQ(reduced.scores.at(0),
              (Scores{34.482367770600547, 34.468207932479316, 34.490024208840218}));
    EXPECT_EQ(reduced.aggregates,
              (Scores{34.48236777060054, 34.468207932479309, 34.490024208840218}));
    ClassicClip identical = classic_clip("identical");
    identical.depth = 10;
    const PsnrRun limited = run(identical, 2, "min_sse=0.5:enable_apsnr=true");
    EXPECT_EQ(limited.scores, (std::vector<Scores>{{116, 110, 110}, {116, 110, 110}}));
    EXPECT_EQ(limited.aggregates, (Scores{119, 113, 113}));
    EXPECT_EQ(run(identical, 1, "").scores.at(0), (Scores{72, 72, 72}));
}

// libvmaf's product of 64 bits wraps around from 2^31 samples of 16 bits on.
TEST(PsnrGolden, TheLimitOfAggregatesWrapsAround)
{
    const Format format = {8192, 8192, 16, Chroma::k400};
    const FeatureOptions values = adapted("enable_apsnr=true", format);
    const auto groups = psnr::kFeature.create(format, Compat::k3_2, {values});
    const FeatureAggregates &aggregates = *groups.at(0).feature->aggregates();
    std::vector<uint64_t> state(aggregates.state_bytes() / sizeof(uint64_t));
    psnr::Sums sums = {};
    for (int frame = 0; frame < 33; ++frame) {
        sums.squares[0] = frame == 0 ? 1 : 0;
        aggregates.accumulate(&sums, state.data());
    }
    double value[3] = {};
    double *out = value;
    aggregates.values(state.data(), &out);
    EXPECT_EQ(178, value[0]);
}

} // namespace
} // namespace vmafgpu::psnr_golden_test
