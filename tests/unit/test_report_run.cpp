// SPDX-License-Identifier: BSD-2-Clause-Patent
// What logs say of the run: all keys with values of their own, after libvmaf's keys and without a
// change to them, times of frames, texts that need escapes, and structs of other sizes.
#include "parts/run_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "report/markup.h"
#include "report_fixtures.h"

namespace vmafgpu::report_run_test {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

struct LoggedRun {
    LoggedRun()
    {
        facts.backend = "cuda";
        facts.device = "A \"B\" <C>";
        facts.depth = 10;
        facts.chroma = "4:2:2";
        facts.compat = "3.1";
        facts.subsample = 3;
        facts.models.push_back({"hd", "vmaf_v0.6.1", "0123", {{"disable_clip", "true"}}});
        facts.models.push_back({"uhd", "./m.json", "4567", {}});
        facts.features.emplace_back("motion", "debug=true");
        facts.warnings = {"of the engine"};
        run.struct_size = sizeof(run);
        run.main_format = "yuv422p10le";
        run.reference_format = "p210le";
        run.options = "pool=min:title=T";
        run.warnings = warnings;
        run.warning_count = 2;
        run.pts = pts;
        run.pts_count = 3;
        run.time_base_num = 1;
        run.time_base_den = 24;
        log.title = "T";
        log.run = &run;
        for (int64_t i = 0; i < 5; ++i) {
            const double score = 50;
            table.add(i, &score);
        }
    }

    std::string text(const char *format) const { return report_text(table, format, log, facts); }

    ScoreTable table{{"vmaf"}};
    RunFacts facts = known_run();
    const char *warnings[2] = {"of the engine", "of the caller"};
    int64_t pts[3] = {-48, kUnknown, 1001};
    VmafGpuRun run = {};
    VmafGpuLog log = default_log();
};

TEST(ReportRun, Json)
{
    const std::string text = LoggedRun().text("json");
    EXPECT_NE(std::string::npos, text.find(R"(
  "aggregate_metrics": {
  },
  "schema_version": 1,
  "vmaf_gpu": {
    "version": "V",
    "title": "T",
    "backend": "cuda",
    "device": "A \"B\" <C>",
    "width": 576,
    "height": 324,
    "depth": 10,
    "chroma": "4:2:2",
    "main_format": "yuv422p10le",
    "reference_format": "p210le",
    "compat": "3.1",
    "subsample": 3,
    "time_base": "1/24",
    "options": "pool=min:title=T",
    "models": [
      {
        "name": "hd",
        "source": "vmaf_v0.6.1",
        "digest": "0123",
        "options": {
          "disable_clip": "true"
        }
      },
      {
        "name": "uhd",
        "source": "./m.json",
        "digest": "4567",
        "options": {}
      }
    ],
    "features": [
      {
        "name": "motion",
        "options": "debug=true"
      }
    ],
    "warnings": [
      "of the engine",
      "of the caller"
    ]
  },
  "mean_interval_95": {"vmaf": [50.000000, 50.000000]}
}
)")) << text;
}

TEST(ReportRun, Xml)
{
    const std::string text = LoggedRun().text("xml");
    EXPECT_NE(std::string::npos, text.find(R"(
  <aggregate_metrics />
  <vmaf_gpu schema_version="1" version="V" title="T" backend="cuda" device="A &quot;B&quot; &lt;C>" )"
                                           R"(width="576" height="324" depth="10" chroma="4:2:2" )"
                                           R"(main_format="yuv422p10le" reference_format="p210le" )"
                                           R"(compat="3.1" subsample="3" time_base="1/24" )"
                                           R"(options="pool=min:title=T">
    <model name="hd" source="vmaf_v0.6.1" digest="0123">
      <option name="disable_clip" value="true" />
    </model>
    <model name="uhd" source="./m.json" digest="4567" />
    <feature name="motion" options="debug=true" />
    <warning>of the engine</warning>
    <warning>of the caller</warning>
  </vmaf_gpu>
</VMAF>
)")) << text;
}

/// Removes our keys from a JSON log and our elements from an XML log, line by line.
std::string without_ours(std::string text, const std::string &format)
{
    if (format == "json") {
        const std::string end = "\n  \"aggregate_metrics\": {\n  }";
        const size_t at = text.find(end);
        EXPECT_NE(std::string::npos, at);
        text = text.substr(0, at + end.size()) + "\n}\n";
        for (const char *key : {",\n      \"pts\": ", ",\n      \"time\": "})
            for (size_t from = 0; (from = text.find(key, from)) != std::string::npos;)
                text.erase(from, text.find_first_of(",\n", from + 2) - from);
    } else if (format == "xml") {
        const std::string end = "  <aggregate_metrics />\n";
        text = text.substr(0, text.find(end) + end.size()) + "</VMAF>\n";
    }
    return text;
}

// report_text() without facts is libvmaf's log: test_report.cpp has its letters.
TEST(ReportRun, LibvmafsPartStays)
{
    const LoggedRun run;
    for (const char *format : {"json", "xml", "csv", "sub"}) {
        const std::string text = run.text(format);
        const std::string plain = report_text(run.table, format);
        EXPECT_EQ(plain, without_ours(text, format)) << format;
        EXPECT_EQ(text == plain, *format == 'c' || *format == 's') << format;
    }
}

TEST(ReportRun, TimesOfFrames)
{
    LoggedRun run;
    const auto frames = nlohmann::json::parse(run.text("json"))["frames"];
    EXPECT_EQ(-48, frames[0]["pts"]);
    EXPECT_EQ(-2, frames[0]["time"]);
    EXPECT_FALSE(frames[1].contains("pts"));
    EXPECT_FALSE(frames[1].contains("time"));
    EXPECT_EQ(1001, frames[2]["pts"]);
    EXPECT_NE(std::string::npos,
              run.text("json").find("      \"pts\": 1001,\n      \"time\": 41.708333333\n"));
    EXPECT_FALSE(frames[3].contains("pts")); // behind pts_count
}

TEST(ReportRun, HostileTexts)
{
    LoggedRun run;
    run.run.options = "a\"\n\\<b>&\x01";
    run.log.title = "\xff\xfe";
    run.facts.models[0].options = {{"a\nb", "\t"}};
    const auto json = nlohmann::json::parse(run.text("json"))["vmaf_gpu"];
    EXPECT_EQ(run.run.options, json["options"].get<std::string>());
    EXPECT_EQ("\t", json["models"][0]["options"]["a\nb"].get<std::string>());
    EXPECT_NE(run.text("xml").find(" options=\"a&quot;&#10;\\&lt;b>&amp;\xef\xbf\xbd\">"),
              std::string::npos);
}

TEST(XmlText, ReplacesWhatIsNoText)
{
    const std::string no = "\xef\xbf\xbd";
    for (const char *kept :
         {"", "a\t\n\r\x7f", "\xc2\x80", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
          "\xef\xbf\xbd", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(kept, xml_text(kept));
    EXPECT_EQ("a" + no + "b" + no, xml_text(std::string_view("a\0b\x1f", 4)));
    EXPECT_EQ(no, xml_text("\xef\xbf\xbe"));
    EXPECT_EQ(no, xml_text("\xef\xbf\xbf"));
    for (const char *two : {"\x80\xff", "\xc0\x80", "\xc1\xbf", "\xc3\xc3"})
        EXPECT_EQ(no + no, xml_text(two)) << two;
    EXPECT_EQ(no + no + no, xml_text("\xed\xa0\x80")); // a surrogate
    EXPECT_EQ(no + no + no, xml_text("\xe0\x9f\xbf")); // an encoding that is longer than needed
    EXPECT_EQ(no, xml_text("\xe2\x82"));               // the beginning of a character
    EXPECT_EQ(no + no + no + no, xml_text("\xf0\x8f\xbf\xbf"));
    EXPECT_EQ(no + no + no + no, xml_text("\xf4\x90\x80\x80"));
    EXPECT_EQ(no + no + no + no, xml_text("\xf8\x80\x80\x80"));
    EXPECT_EQ(no + "a", xml_text("\xc3"
                                 "a"));
}

// Each text of the user, in turn, is not UTF-8: none reaches the file unchanged.
TEST(ReportRun, TextsThatAreNotUtf8)
{
    const char *bad = "x\xff\x01y";
    const std::string good = "x\xef\xbf\xbd\xef\xbf\xbdy";
    const char *warnings[] = {bad};
    std::vector<LoggedRun> runs(7);
    runs[0].log.title = bad;
    runs[1].run.options = bad;
    runs[2].run.warnings = warnings;
    runs[2].run.warning_count = 1;
    runs[3].facts.models[0].source = bad;
    runs[4].facts.models[0].options = {{"k", bad}};
    runs[5].facts.features[0].second = bad;
    runs[6].log.incomplete = bad;
    for (size_t i = 0; i < runs.size(); ++i) {
        runs[i].log.run = &runs[i].run;
        for (const char *format : {"xml", "html"}) {
            const std::string text = runs[i].text(format);
            EXPECT_NE(std::string::npos, text.find(good)) << format << " " << i;
            EXPECT_EQ(std::string::npos, text.find("x\xff")) << format << " " << i;
            EXPECT_EQ(std::string::npos, text.find("&#")) << format << " " << i;
        }
    }
}

TEST(ReportRun, NoTexts)
{
    LoggedRun run;
    const VmafGpuRun empty = {sizeof(empty)};
    run.log.run = &empty;
    run.log.title = nullptr;
    const auto json = nlohmann::json::parse(run.text("json"));
    for (const char *key : {"title", "main_format", "reference_format", "options", "time_base"})
        EXPECT_FALSE(json["vmaf_gpu"].contains(key)) << key;
    EXPECT_EQ(1U, json["vmaf_gpu"]["warnings"].size());
    EXPECT_FALSE(json["frames"][0].contains("pts"));
}

TEST(ReportRun, WrongFields)
{
    LoggedRun run;
    const auto refused = [&](const std::string &why) {
        for (const char *format : {"json", "xml", "html", "csv"})
            expect_error(error_of([&] { run.text(format); }), EINVAL, why);
    };
    run.run.struct_size = sizeof(run.run) - 8;
    refused("struct_size is " + std::to_string(sizeof(run.run) - 8));
    run.run.struct_size = sizeof(run.run);
    run.run.time_base_den = 0;
    refused("time_base_den is 0");
    run.run.time_base_den = 24;
    run.run.warning_count = -1;
    refused("warning_count is -1");
    run.run.warning_count = 1;
    run.run.warnings = nullptr;
    refused("warning_count is 1");
}

} // namespace
} // namespace vmafgpu::report_run_test
