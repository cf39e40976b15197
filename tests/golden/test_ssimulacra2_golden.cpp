// SPDX-License-Identifier: BSD-2-Clause-Patent
// ssimulacra2: the plain code and its fast CPU forms against libjxl's numbers, parts of the
// arithmetic, options, and what is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "features/registry.h"
#include "features/ssimulacra2/ssimulacra2.h"
#include "simd/cpu_level.h"
#include "ssimulacra2_golden.h"
#include "ssimulacra2_pictures.h"
#include "sums_window.h"

namespace vmafgpu::ssimulacra2_golden_test {
namespace {

constexpr ssimulacra2::Reading kGbr = {ssimulacra2::Matrix::kGbr, ssimulacra2::Range::kAuto};

std::vector<FeatureGroup> create(const Format &format, const char *options)
{
    const FeatureInfo &info = *find_feature("ssimulacra2");
    check_format(info, format);
    return info.create(format, Compat::k3_2, {values_of(info, options)});
}

/// Levels without a fused multiply-add run the reference code, which is slow.
#if defined(__aarch64__)
constexpr CpuLevel kLeastFast = CpuLevel::kBaseline;
#else
constexpr CpuLevel kLeastFast = CpuLevel::kAvx2;
#endif

/// The plain code's score, and that of all levels from their Sums.
void expect_score(const YuvPair &pair, const char *options, double wanted)
{
    const auto groups = create(pair.format, options);
    const Feature &feature = *groups[0].feature;
    SegmentSums sums(feature);
    const Bytes plain = sums.add_reference(pair.view());
    const double score = sums.scores(0, 1, 1).at(0).at(0);
    EXPECT_EQ(bits_of_double(score), bits_of_double(wanted)) << score << ", not " << wanted;
    const bool is_small = pair.format.width * pair.format.height < 20000;
    expect_all_levels(feature, pair.view(), plain, is_small ? CpuLevel::kBaseline : kLeastFast);
}

TEST(Ssimulacra2Golden, Rgb)
{
    for (const Ssimulacra2RgbVector &v : kSsimulacra2Rgb) {
        SCOPED_TRACE(std::to_string(v.width) + "x" + std::to_string(v.height) + " " +
                     std::to_string(v.content) + "/" + std::to_string(v.distortion));
        const Ssimulacra2Pictures pictures(v.width, v.height, v.content, v.distortion);
        expect_score(ssimulacra2_rgb_pair(pictures, {v.width, v.height, 8, Chroma::k444}),
                     "matrix=gbr", v.score);
    }
}

TEST(Ssimulacra2Golden, Yuv)
{
    for (const Ssimulacra2YuvVector &v : kSsimulacra2Yuv) {
        SCOPED_TRACE(std::to_string(v.width) + "x" + std::to_string(v.height) + " " + v.options);
        const Ssimulacra2Pictures pictures(v.width, v.height, v.content, v.distortion);
        expect_score(ssimulacra2_yuv_pair(pictures, {v.width, v.height, v.depth, v.chroma}),
                     v.options, v.score);
    }
}

/// Linear light of a pixel of Y'CbCr.
TEST(Ssimulacra2Golden, LinearLight)
{
    for (const Ssimulacra2YuvVector &v : kSsimulacra2Yuv) {
        SCOPED_TRACE(std::to_string(v.width) + "x" + std::to_string(v.height) + " " + v.options);
        const Ssimulacra2Pictures pictures(v.width, v.height, v.content, v.distortion);
        const YuvPair pair = ssimulacra2_yuv_pair(pictures, {v.width, v.height, v.depth, v.chroma});
        const Format &format = pair.format;
        const bool is_709 = std::strstr(v.options, "bt709") != nullptr;
        const bool is_full = std::strstr(v.options, "range=pc") != nullptr;
        const ssimulacra2::Config config = ssimulacra2::config_of(
            format, {is_709 ? ssimulacra2::Matrix::kBt709 : ssimulacra2::Matrix::kBt601,
                     is_full ? ssimulacra2::Range::kFull : ssimulacra2::Range::kLimited});
        const auto sample = [&](int p, int x, int y) -> int {
            const Plane &plane = pair.view().reference[p];
            return format.depth > 8 ? plane_row<uint16_t>(plane, y)[x]
                                    : plane_row<uint8_t>(plane, y)[x];
        };
        const auto chroma = [&](int p) {
            return ssimulacra2::chroma_sample(format.chroma != Chroma::k444,
                                              format.chroma == Chroma::k420, format.plane_width(p),
                                              format.plane_height(p), 1, 1,
                                              [&](int x, int y) { return sample(p, x, y); }) -
                   config.chroma_middle();
        };
        const ssimulacra2::Rgb pixel =
            ssimulacra2::linear_yuv(config.colours[0], sample(0, 1, 1), chroma(1), chroma(2));
        EXPECT_EQ(bits_of_float(pixel.r), v.linear[0]);
        EXPECT_EQ(bits_of_float(pixel.g), v.linear[1]);
        EXPECT_EQ(bits_of_float(pixel.b), v.linear[2]);
    }
}

TEST(Ssimulacra2Golden, Sums)
{
    for (const Ssimulacra2SumsVector &v : kSsimulacra2SumsOf) {
        const Ssimulacra2Pictures pictures(v.width, v.height, v.content, v.distortion);
        const YuvPair pair = ssimulacra2_rgb_pair(pictures, {v.width, v.height, 8, Chroma::k444});
        ssimulacra2::Config config = ssimulacra2::config_of(pair.format, kGbr);
        for (auto &scale : config.needed)
            for (int &needed : scale)
                needed = (1 << ssimulacra2::kSums) - 1;
        ssimulacra2::Sums sums;
        ssimulacra2::Forms::reference(config, pair.view(), sums);
        for (int i = 0; i < ssimulacra2::kSums; ++i)
            EXPECT_EQ(sums.of[v.scale][v.plane][i % 2 * ssimulacra2::kMaps + i / 2], v.sums[i])
                << v.width << "x" << v.height << " scale " << v.scale << " plane " << v.plane
                << " sum " << i;
    }
}

/// The curve of sRGB at some samples of 8 bits, and the cube root.
TEST(Ssimulacra2Golden, Curves)
{
    const struct {
        int sample;
        uint32_t light;
    } table[] = {{1, 0x399f22b4u},   {10, 0x3b46eb61u},  {11, 0x3b5b51a9u},  {64, 0x3d51ffeeu},
                 {128, 0x3e5d0a89u}, {200, 0x3f13dc52u}, {254, 0x3f7db8dfu}, {255, 0x3f800000u}};
    const ssimulacra2::Config config = ssimulacra2::config_of({64, 64, 8, Chroma::k444}, kGbr);
    for (const auto &entry : table)
        EXPECT_EQ(bits_of_float(ssimulacra2::linear_rgb(config.colours[0], entry.sample, 0, 0).r),
                  entry.light)
            << entry.sample;
    EXPECT_EQ(bits_of_float(ssimulacra2::root_of(0.01F)), 0x3d73ab02u);
    EXPECT_EQ(bits_of_float(ssimulacra2::root_of(0.5F)), 0x3f234356u);
    EXPECT_EQ(bits_of_float(ssimulacra2::root_of(1.0F)), 0x3f581363u);
}

/// 52 of the 108 sums of six scales; with fewer scales the weights of later planes move.
TEST(Ssimulacra2Golden, NeededSums)
{
    const auto config = [](int width, int height) {
        return ssimulacra2::config_of({width, height, 8, Chroma::k420}, {});
    };
    const auto needed = [&](int width, int height) {
        int count = 0;
        const ssimulacra2::Config of = config(width, height);
        for (int scale = 0; scale < of.scales; ++scale)
            for (int plane = 0; plane < ssimulacra2::kPlanes; ++plane)
                for (int sum = 0; sum < ssimulacra2::kSums; ++sum)
                    count += of.needed[scale][plane] >> sum & 1;
        return count;
    };
    EXPECT_EQ(config(1920, 1080).scales, 6);
    EXPECT_EQ(config(128, 128).scales, 6);
    EXPECT_EQ(config(113, 300).scales, 6); // 113 57 29 15 8 4
    EXPECT_EQ(config(112, 112).scales, 5); // 112 56 28 14 7
    EXPECT_EQ(config(8, 9).scales, 2);
    EXPECT_EQ(config(1920, 1080).height[1], 540);
    EXPECT_EQ(config(1920, 1080).height[4], 68);
    EXPECT_EQ(needed(1920, 1080), 52);
    EXPECT_EQ(config(1920, 1080).needed[5][1], 0);
    EXPECT_FALSE(config(1920, 1080).needs_structure(0, 0));
    EXPECT_TRUE(config(1920, 1080).needs_structure(0, 1));
    EXPECT_EQ(needed(8, 8), 20); // the weights below 36
}

/// A picture without a tag.
TEST(Ssimulacra2Golden, MatrixBySize)
{
    const auto matrix = [](int height) {
        return ssimulacra2::config_of({64, height, 8, Chroma::k420}, {}).readings[1].matrix;
    };
    EXPECT_EQ(matrix(650), ssimulacra2::Matrix::kBt601);
    EXPECT_EQ(matrix(651), ssimulacra2::Matrix::kBt709);
}

std::string note(const char *options, const ColourTags &reference, const ColourTags &distorted)
{
    const ColourTags tags[2] = {reference, distorted};
    try {
        return create({64, 64, 8, Chroma::k444}, options)[0].feature->set_colours(tags, false);
    } catch (const Error &error) {
        return error.what();
    }
}

TEST(Ssimulacra2Golden, Tags)
{
    EXPECT_EQ(note("", {}, {"bt709", "pc"}),
              "ssimulacra2 takes main for BT.709, full range; reference for BT.601, limited range; "
              "both with the curve of sRGB");
    expect_part(note("matrix=bt709:range=pc", {"bt470bg", "tv"}, {"smpte170m"}),
                "reference for BT.709, full range");
    expect_part(note("matrix=gbr", {}, {"", "tv"}), "main for planes G, B, R");
    expect_part(note("", {"fcc"}, {}), "not fcc; its option");
    EXPECT_EQ(note("matrix=bt601", {"fcc"}, {}).find("not fcc"), std::string::npos);
    expect_part(note("", {"bt709", "", "", "smpte2084"}, {}), "not for HDR (smpte2084)");
    expect_part(note("", {}, {"bt709", "", "", "arib-std-b67"}), "HDR (arib-std-b67)");
    expect_part(note("matrix=bt709", {"bt2020nc"}, {}), "not for BT.2020");
    expect_part(note("", {"bt709", "", "bt2020"}, {}), "not for BT.2020");
    expect_part(note("", {}, {"", "", "", "", true}), "alpha");
}

/// Returns the feature's message about tags other than the first.
std::string change(const char *options, const ColourTags &first, const ColourTags &later)
{
    const auto groups = create({64, 64, 8, Chroma::k444}, options);
    const ColourTags before[2] = {{}, first}, after[2] = {{}, later};
    groups[0].feature->set_colours(before, false);
    try {
        groups[0].feature->set_colours(after, true);
    } catch (const Error &error) {
        return error.what();
    }
    return "";
}

TEST(Ssimulacra2Golden, TagsThatChange)
{
    const ColourTags limited = {"bt709", "tv"}, full = {"bt709", "pc"}, other = {"bt470bg", "tv"};
    EXPECT_EQ(change("", limited, full),
              "feature ssimulacra2: the range of main changes from tv to pc in mid-stream; its "
              "option range=tv or pc takes all frames alike");
    EXPECT_EQ(change("range=tv", limited, other),
              "feature ssimulacra2: the matrix of main changes from bt709 to bt601 in mid-stream; "
              "its option matrix=bt709 or bt601 takes all frames alike");
    EXPECT_EQ(change("range=tv", limited, full), "");
    EXPECT_EQ(change("matrix=bt601", limited, other), "");
    EXPECT_EQ(change("", other, {}), ""); // which is taken for the same
    expect_part(change("matrix=bt709:range=tv", limited, {"bt709", "tv", "", "smpte2084"}),
                "not for HDR (smpte2084)");
}

/// Tags change the score as the options do, picture by picture.
TEST(Ssimulacra2Golden, TagsEqualOptions)
{
    const Ssimulacra2Pictures pictures(64, 48, 6, 1);
    const YuvPair pair = ssimulacra2_yuv_pair(pictures, {64, 48, 8, Chroma::k444});
    const auto sums = [&](const char *options, const ColourTags &reference,
                          const ColourTags &distorted) {
        const auto groups = create(pair.format, options);
        const ColourTags tags[2] = {reference, distorted};
        groups[0].feature->set_colours(tags, false);
        return computed(*groups[0].feature, pair.view(), 0);
    };
    const ColourTags full = {"bt709", "pc"}, limited = {"bt709", "tv"};
    EXPECT_EQ(sums("", full, full), sums("matrix=bt709:range=pc", {}, {}));
    EXPECT_NE(sums("", limited, full), sums("", full, full));
    EXPECT_NE(sums("", full, limited), sums("", limited, full));
}

std::string refusal(const Format &format, const char *options)
{
    return refusal(*find_feature("ssimulacra2"), format, options);
}

TEST(Ssimulacra2Golden, Refusals)
{
    EXPECT_EQ(refusal({8, 8, 8, Chroma::k420}, ""), "");
    EXPECT_EQ(refusal({7, 8, 8, Chroma::k420}, ""),
              "picture 7x8 is smaller than the minimum 8x8 of the feature ssimulacra2");
    EXPECT_EQ(refusal({64, 64, 9, Chroma::k420}, ""),
              "feature ssimulacra2 accepts 8, 10, 12 or 16 bits per sample, not 9");
    expect_part(refusal({64, 64, 8, Chroma::k400}, ""), "needs chroma");
    expect_part(refusal({64, 64, 8, Chroma::k420}, "matrix=gbr"), "G, B and R");
    expect_part(refusal({64, 64, 8, Chroma::k444}, "matrix=gbr:range=tv"), "full range");
    expect_part(refusal({64, 64, 8, Chroma::k420}, "matrix=bt2020"), "auto, bt709, bt601");
}

} // namespace
} // namespace vmafgpu::ssimulacra2_golden_test
