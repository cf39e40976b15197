// SPDX-License-Identifier: BSD-2-Clause-Patent
// How logs say which frames were paired. Each field of VmafGpuPairing has a value of its own, so
// that a key that is written from another field shows.
#include "parts/run_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>

#include <nlohmann/json.hpp>

#include "report_fixtures.h"

namespace vmafgpu::report_pairing_test {
namespace {

VmafGpuPairing distinct()
{
    VmafGpuPairing pairing = {};
    pairing.struct_size = sizeof(pairing);
    pairing.at_least = 1;
    pairing.rule = "auto";
    pairing.start = "pictures_first";
    pairing.pairs = 103;
    pairing.by_number = 114;
    pairing.corrections = 115;
    for (int i = 0; i < 2; ++i) {
        VmafGpuInputCounts &counts = pairing.of[i];
        counts.frames = 101 + i;
        counts.repeated = 104 + i;
        for (int k = 0; k < 3; ++k)
            counts.unpaired[k] = 106 + 3 * i + k;
        counts.disabled = 112 + i;
        counts.without_time = 116 + i;
        counts.backward_time = 118 + i;
        counts.damaged = 120 + i;
        counts.film_grain = 122 + i;
    }
    pairing.start_offset = -0.0417083;
    pairing.shift = 1e-9;
    pairing.distance_median = 0.25;
    pairing.distance_largest = 3;
    pairing.warnings = 2;
    pairing.elsewhere = 124;
    pairing.unrelated = 125;
    pairing.mismatch_pair = 126;
    pairing.mismatch_offset = -127;
    pairing.mismatch_time = 12.8;
    return pairing;
}

std::string text_with(const VmafGpuPairing *pairing, const char *format)
{
    ScoreTable table({"vmaf"});
    const double score = 50;
    table.add(0, &score);
    VmafGpuLog log = default_log();
    log.pairing = pairing;
    return report_text(table, format, log);
}

TEST(ReportPairing, Json)
{
    const VmafGpuPairing pairing = distinct();
    const std::string text = text_with(&pairing, "json");
    EXPECT_NE(std::string::npos, text.find(R"(  "aggregate_metrics": {
  },
  "repeated_main": 104,
  "repeated_reference": 105,
  "pairing": {
    "rule": "auto",
    "start": "pictures_first",
    "at_least": 1,
    "main_frames": 101,
    "reference_frames": 102,
    "pairs": 103,
    "repeated_main": 104,
    "repeated_reference": 105,
    "unpaired_main": {"begin": 106, "middle": 107, "end": 108},
    "unpaired_reference": {"begin": 109, "middle": 110, "end": 111},
    "disabled_main": 112,
    "disabled_reference": 113,
    "by_number": 114,
    "corrections": 115,
    "without_time": {"main": 116, "reference": 117},
    "backward_time": {"main": 118, "reference": 119},
    "damaged": {"main": 120, "reference": 121},
    "film_grain": {"main": 122, "reference": 123},
    "elsewhere": 124,
    "unrelated": 125,
    "start_offset": -0.0417083,
    "shift": 0.000000001,
    "distance_median": 0.25,
    "distance_largest": 3,
    "warnings": 2,
    "mismatch": {"pair": 126, "time": 12.8, "offset": -127}
  }
}
)")) << text;
    EXPECT_EQ(26U, nlohmann::json::parse(text)["pairing"].size());
    VmafGpuPairing right = pairing;
    right.elsewhere = right.unrelated = 0;
    EXPECT_FALSE(nlohmann::json::parse(text_with(&right, "json"))["pairing"].contains("mismatch"));
}

TEST(ReportPairing, Xml)
{
    const VmafGpuPairing pairing = distinct();
    const std::string text = text_with(&pairing, "xml");
    EXPECT_NE(
        std::string::npos,
        text.find(
            R"(  <aggregate_metrics />
  <vmaf_gpu repeated_main="104" repeated_reference="105" />
  <pairing rule="auto" start="pictures_first" at_least="1" main_frames="101" )"
            R"(reference_frames="102" pairs="103" repeated_main="104" repeated_reference="105" )"
            R"(unpaired_main_begin="106" unpaired_main_middle="107" unpaired_main_end="108" )"
            R"(unpaired_reference_begin="109" unpaired_reference_middle="110" )"
            R"(unpaired_reference_end="111" disabled_main="112" disabled_reference="113" )"
            R"(by_number="114" corrections="115" without_time_main="116" )"
            R"(without_time_reference="117" backward_time_main="118" )"
            R"(backward_time_reference="119" damaged_main="120" damaged_reference="121" )"
            R"(film_grain_main="122" film_grain_reference="123" elsewhere="124" unrelated="125" )"
            R"(start_offset="-0.0417083" shift="0.000000001" distance_median="0.25" )"
            R"(distance_largest="3" warnings="2" mismatch_pair="126" mismatch_time="12.8" )"
            R"(mismatch_offset="-127" />
</VMAF>
)")) << text;
}

TEST(ReportPairing, Html)
{
    VmafGpuPairing pairing = distinct();
    EXPECT_NE(std::string::npos,
              text_with(&pairing, "html")
                  .find("<p class=\"amber\">103 pairs of at least 101 main and 102 reference "
                        "frames, 209 repeated, 651 unpaired (pair=auto, start pictures_first); the "
                        "pictures of 249 pairs do not agree, from pair 126 on; 2 warnings were "
                        "given.</p>"));
    pairing.at_least = 0;
    pairing.elsewhere = pairing.unrelated = 0;
    pairing.warnings = 1;
    EXPECT_NE(std::string::npos, text_with(&pairing, "html").find("; 1 warning was given.</p>"));
    pairing.warnings = 0;
    EXPECT_NE(std::string::npos,
              text_with(&pairing, "html")
                  .find("<p>103 pairs of 101 main and 102 reference frames, 209 repeated, 651 "
                        "unpaired (pair=auto, start pictures_first).</p>"));
}

TEST(ReportPairing, Offset)
{
    VmafGpuPairing pairing = distinct();
    pairing.has_offset = 1;
    pairing.offset = -12;
    EXPECT_EQ(-12, nlohmann::json::parse(text_with(&pairing, "json"))["pairing"]["offset"]);
    EXPECT_NE(std::string::npos,
              text_with(&pairing, "xml").find(R"(warnings="2" offset="-12" mismatch_pair="126")"));
    EXPECT_NE(std::string::npos,
              text_with(&pairing, "html").find("(pair=auto, start pictures_first, offset -12);"));
}

TEST(ReportPairing, WithoutItNothingChanges)
{
    const VmafGpuPairing pairing = distinct();
    for (const char *format : {"json", "xml", "html"}) {
        EXPECT_EQ(std::string::npos, text_with(nullptr, format).find("unpaired")) << format;
        EXPECT_NE(std::string::npos, text_with(&pairing, format).find("unpaired")) << format;
    }
    for (const char *format : {"csv", "sub"})
        EXPECT_EQ(text_with(nullptr, format), text_with(&pairing, format)) << format;
}

TEST(ReportPairing, HostileTexts)
{
    VmafGpuPairing pairing = distinct();
    pairing.rule = "a\"<b>&\n\\";
    pairing.start = nullptr;
    const auto json = nlohmann::json::parse(text_with(&pairing, "json"))["pairing"];
    EXPECT_EQ(pairing.rule, json["rule"].get<std::string>());
    EXPECT_EQ("", json["start"].get<std::string>());
    EXPECT_NE(std::string::npos,
              text_with(&pairing, "xml").find("<pairing rule=\"a&quot;&lt;b>&amp;&#10;\\\" "));
    EXPECT_EQ(std::string::npos, text_with(&pairing, "html").find("<b>&"));
}

TEST(ReportPairing, TimesThatAreNotFinite)
{
    VmafGpuPairing pairing = distinct();
    pairing.shift = std::nan("");
    pairing.start_offset = HUGE_VAL;
    const auto json = nlohmann::json::parse(text_with(&pairing, "json"))["pairing"];
    EXPECT_TRUE(json["shift"].is_null());
    EXPECT_TRUE(json["start_offset"].is_null());
    EXPECT_EQ(0.25, json["distance_median"].get<double>());
}

TEST(ReportPairing, Sizes)
{
    for (const size_t size : {size_t{0}, sizeof(VmafGpuPairing) - 8, sizeof(VmafGpuPairing) + 8}) {
        VmafGpuPairing wrong = distinct();
        wrong.struct_size = static_cast<uint32_t>(size);
        for (const char *format : {"json", "xml", "html", "csv"})
            expect_error(error_of([&] { text_with(&wrong, format); }), EINVAL,
                         "struct_size is " + std::to_string(size));
    }
}

} // namespace
} // namespace vmafgpu::report_pairing_test
