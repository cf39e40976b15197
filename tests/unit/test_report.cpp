// SPDX-License-Identifier: BSD-2-Clause-Patent
// The text of scores and of the four log formats, letter by letter. Where logs
// go, and what can go wrong on the way, is in test_report_file.cpp.
#include "report/report.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/format_number.h"
#include "report_fixtures.h"

namespace vmafgpu::report_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(FormatScore, SixDigitsAsLibvmaf)
{
    EXPECT_EQ(format_score(84.50786657180393, 6), "84.507867");
    EXPECT_EQ(format_score(0, 6), "0.000000");
    EXPECT_EQ(format_score(100, 6), "100.000000");
    EXPECT_EQ(format_score(1e-6, 6), "0.000001");
    EXPECT_EQ(format_score(9.9e-7, 6), "0.0000009900000000");
    EXPECT_EQ(format_score(83.0000001, 6), "83.0000000999999941");
    EXPECT_EQ(format_score(-83.0000001, 6), "-83.0000000999999941");
    EXPECT_EQ(format_score(-0.25, 6), "-0.250000");
    EXPECT_EQ(format_score(1e15, 6), "1000000000000000.000000");
    EXPECT_EQ(format_score(3e9 + 0.25, 6), "3000000000.250000");
}

TEST(FormatScore, NeverANegativeZero)
{
    EXPECT_EQ(format_score(-0.0, 6), "0.000000");
    EXPECT_EQ(format_score(-1e-300, 6), "0.0000000000000000");
    EXPECT_EQ(format_score(-1e-9, 6), "-0.0000000010000000");
    EXPECT_EQ(format_score(-1e-9, 8), "0.00000000");
    EXPECT_EQ(format_score(-0.0, VMAFGPU_PRECISION_MAX), "0");
}

TEST(FormatScore, OtherPrecisions)
{
    EXPECT_EQ(format_score(0.1, 7), "0.1000000");
    EXPECT_EQ(format_score(0.1, 17), "0.10000000000000001");
    EXPECT_EQ(format_score(84.50786657180393, VMAFGPU_PRECISION_MAX), "84.50786657180393");
    EXPECT_EQ(format_score(100, VMAFGPU_PRECISION_MAX), "100");
    EXPECT_EQ(format_score(1e22, VMAFGPU_PRECISION_MAX), "10000000000000000000000");
    EXPECT_EQ(format_score(1.5e-7, VMAFGPU_PRECISION_MAX), "0.00000015");
    for (const int bad : {-1, 1, 5, 18})
        expect_error(error_of([&] { format_score(1, bad); }), EINVAL, "precision must be 6 to 17");
}

TEST(FormatScore, ReadsBackTheSame)
{
    for (const double value : {0.1, 1.0 / 3, 83.85628400000001, 5e-324, 1.7976931348623157e308,
                               2.2250738585072014e-308, -1e-7, 4.9406564584124654e-324}) {
        EXPECT_EQ(std::strtod(format_score(value, VMAFGPU_PRECISION_MAX).c_str(), nullptr), value);
        for (const int precision : {6, 7, 16, 17})
            EXPECT_EQ(format_score(value, precision).find_first_of("eE,"), std::string::npos);
    }
}

TEST(FormatScore, reg54_NotFinite)
{
    for (const int precision : {6, 9, VMAFGPU_PRECISION_MAX}) {
        EXPECT_EQ(format_score(std::nan(""), precision), "nan");
        EXPECT_EQ(format_score(-std::nan(""), precision), "-nan"); // as libvmaf's printf
        EXPECT_EQ(format_score(kInf, precision), "inf");
        EXPECT_EQ(format_score(-kInf, precision), "-inf");
    }
}

/// Frames 0 and 2, as with subsample 2.
ScoreTable two_frames()
{
    ScoreTable history({"integer_adm2", "integer_motion2", "vmaf"});
    const double first[] = {0.96208412, 0, 83.85628391};
    const double second[] = {0.94346201, 4.21432713, 81.19659132};
    history.add(0, first);
    history.add(2, second);
    return history;
}

TEST(Report, Xml)
{
    EXPECT_EQ(report_text(two_frames(), "xml"),
              R"(<VMAF version="V">
  <params qualityWidth="576" qualityHeight="324" />
  <fyi fps="12.35" />
  <frames>
    <frame frameNum="0" integer_adm2="0.962084" integer_motion2="0.000000" vmaf="83.856284" />
    <frame frameNum="2" integer_adm2="0.943462" integer_motion2="4.214327" vmaf="81.196591" />
  </frames>
  <pooled_metrics>
    <metric name="integer_adm2" min="0.943462" max="0.962084" mean="0.952773" harmonic_mean="0.952729" />
    <metric name="integer_motion2" min="0.000000" max="4.214327" mean="2.107164" harmonic_mean="0.678163" />
    <metric name="vmaf" min="81.196591" max="83.856284" mean="82.526438" harmonic_mean="82.505265" />
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
)");
}

TEST(Report, Json)
{
    EXPECT_EQ(report_text(two_frames(), "json"),
              R"({
  "version": "V",
  "fps": 12.35,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "integer_adm2": 0.962084,
        "integer_motion2": 0.000000,
        "vmaf": 83.856284
      }
    },
    {
      "frameNum": 2,
      "metrics": {
        "integer_adm2": 0.943462,
        "integer_motion2": 4.214327,
        "vmaf": 81.196591
      }
    }
  ],
  "pooled_metrics": {
    "integer_adm2": {
      "min": 0.943462,
      "max": 0.962084,
      "mean": 0.952773,
      "harmonic_mean": 0.952729
    },
    "integer_motion2": {
      "min": 0.000000,
      "max": 4.214327,
      "mean": 2.107164,
      "harmonic_mean": 0.678163
    },
    "vmaf": {
      "min": 81.196591,
      "max": 83.856284,
      "mean": 82.526438,
      "harmonic_mean": 82.505265
    }
  },
  "aggregate_metrics": {
  }
}
)");
}

TEST(Report, CsvAndSub)
{
    EXPECT_EQ(report_text(two_frames(), "csv"), "Frame,integer_adm2,integer_motion2,vmaf,\n"
                                                "0,0.962084,0.000000,83.856284,\n"
                                                "2,0.943462,4.214327,81.196591,\n");
    EXPECT_EQ(report_text(two_frames(), "sub"),
              "{0}{1}frame: 0|integer_adm2: 0.962084|integer_motion2: 0.000000|vmaf: 83.856284|\n"
              "{2}{3}frame: 2|integer_adm2: 0.943462|integer_motion2: 4.214327|vmaf: 81.196591|\n");
}

TEST(Report, CsvStrict)
{
    EXPECT_EQ(report_text(two_frames(), "csv_strict"), "Frame,integer_adm2,integer_motion2,vmaf\n"
                                                       "0,0.962084,0.000000,83.856284\n"
                                                       "2,0.943462,4.214327,81.196591\n");
}

TEST(Report, RepeatedPairs)
{
    VmafGpuPairing pairing = {};
    pairing.struct_size = sizeof(pairing);
    pairing.of[VMAFGPU_MAIN].repeated = 3;
    VmafGpuLog log = default_log();
    const ScoreTable history({"vmaf"});
    EXPECT_EQ(report_text(history, "xml", log),
              R"(<VMAF version="V">
  <params qualityWidth="576" qualityHeight="324" />
  <fyi fps="12.35" />
  <frames>
  </frames>
  <pooled_metrics>
    <metric name="vmaf" />
  </pooled_metrics>
  <aggregate_metrics />
</VMAF>
)");
    EXPECT_EQ(report_text(history, "json", log),
              R"({
  "version": "V",
  "fps": 12.35,
  "frames": [
  ],
  "pooled_metrics": {
  },
  "aggregate_metrics": {
  }
}
)");
    log.pairing = &pairing;
    EXPECT_NE(report_text(history, "xml", log)
                  .find("  <aggregate_metrics />\n  <vmaf_gpu repeated_main=\"3\" "
                        "repeated_reference=\"0\" />\n  <pairing "),
              std::string::npos);
    EXPECT_NE(report_text(history, "json", log)
                  .find("  },\n  \"repeated_main\": 3,\n  \"repeated_reference\": 0,\n  "
                        "\"pairing\": {"),
              std::string::npos);
    EXPECT_EQ(report_text(history, "csv", log), "Frame,vmaf,\n");
    EXPECT_EQ(report_text(history, "sub", log), "");
}

TEST(Report, reg54_NotFinite)
{
    ScoreTable history({"a", "b"});
    const double row[] = {std::nan(""), -kInf};
    history.add(0, row);
    const double next[] = {-std::nan(""), 0.5};
    history.add(1, next);
    VmafGpuLog log = default_log();
    log.fps = kInf;
    EXPECT_EQ(report_text(history, "csv", log), "Frame,a,b,\n0,nan,-inf,\n1,-nan,0.500000,\n");
    EXPECT_NE(
        report_text(history, "xml", log).find("<frame frameNum=\"0\" a=\"nan\" b=\"-inf\" />"),
        std::string::npos);
    EXPECT_NE(report_text(history, "xml", log).find("<fyi fps=\"inf\" />"), std::string::npos);
    const std::string json = report_text(history, "json", log);
    EXPECT_NE(json.find("\"fps\": null,\n"), std::string::npos);
    // libvmaf writes no line break behind null.
    EXPECT_NE(json.find("{\n        \"a\": null,        \"b\": null      }\n"), std::string::npos);
    EXPECT_NE(json.find("{\n        \"a\": null,        \"b\": 0.500000\n      }\n"),
              std::string::npos);
    EXPECT_NE(json.find("      \"min\": null,\n"), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(json));
}

TEST(Report, NamesThatNeedCare)
{
    ScoreTable history({"a<b>&\"c\"", "a,b", "a b", "1:x", "", "frameNum", "\xc3\xa4"});
    const double row[] = {1, 2, 3, 4, 5, 6, 7};
    history.add(0, row);
    const std::string xml = report_text(history, "xml");
    EXPECT_NE(xml.find("<frame frameNum=\"0\" a_b___c_=\"1.000000\" a_b=\"2.000000\" "
                       "a_b_=\"3.000000\" __x=\"4.000000\" _=\"5.000000\" frameNum_=\"6.000000\" "
                       "__=\"7.000000\" />"),
              std::string::npos)
        << xml;
    EXPECT_NE(xml.find("<metric name=\"a&lt;b>&amp;&quot;c&quot;\" min"), std::string::npos) << xml;
    EXPECT_NE(xml.find("<metric name=\"\xc3\xa4\" min"), std::string::npos);
    const nlohmann::json json = nlohmann::json::parse(report_text(history, "json"));
    EXPECT_EQ(json["frames"][0]["metrics"]["a<b>&\"c\""], 1);
    EXPECT_EQ(json["pooled_metrics"]["\xc3\xa4"]["mean"], 7);
    EXPECT_EQ(report_text(history, "csv").substr(0, 51),
              "Frame,\"a<b>&\"\"c\"\"\",\"a,b\",a b,1:x,,frameNum,\xc3\xa4,\n0,1.");
}

TEST(Report, Precision)
{
    VmafGpuLog log = default_log();
    log.precision = VMAFGPU_PRECISION_MAX;
    EXPECT_EQ(report_text(two_frames(), "csv", log),
              "Frame,integer_adm2,integer_motion2,vmaf,\n0,0.96208412,0,83.85628391,\n"
              "2,0.94346201,4.21432713,81.19659132,\n");
    log.precision = 9;
    EXPECT_NE(report_text(two_frames(), "xml", log).find("vmaf=\"83.856283910\""),
              std::string::npos);
    EXPECT_NE(report_text(two_frames(), "json", log).find("\"vmaf\": 83.856283910\n"),
              std::string::npos);
}

TEST(Report, DoesNotDependOnTheLocale)
{
    const char *found = nullptr;
    for (const char *name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"})
        if (found == nullptr)
            found = std::setlocale(LC_ALL, name);
    if (found == nullptr)
        GTEST_SKIP() << "SKIPPED: no locale with a decimal comma is installed";
    const std::string xml = report_text(two_frames(), "xml");
    const std::string json = report_text(two_frames(), "json");
    std::setlocale(LC_ALL, "C");
    EXPECT_EQ(xml, report_text(two_frames(), "xml"));
    EXPECT_EQ(json, report_text(two_frames(), "json"));
}

/// Writes logs for parse_logs.py, which is the test.
TEST(ReportForParsers, WritesLogs)
{
    const char *folder = std::getenv("VMAFGPU_LOG_FOLDER");
    if (folder == nullptr)
        GTEST_SKIP() << "SKIPPED here: the test 'logs parse' runs this";
    ScoreTable history({"integer_adm2", "a,\"b\" <c> & d", "name with \xc3\xbc"});
    const double first[] = {0.96208412, 1.0 / 3, 84.50786657180393};
    const double last[] = {-1e-9, 1e15, std::nan("")};
    history.add(0, first);
    history.add(7, last);
    VmafGpuLog log = default_log();
    log.precision = VMAFGPU_PRECISION_MAX;
    VmafGpuPairing pairing = {};
    pairing.struct_size = sizeof(pairing);
    pairing.of[VMAFGPU_MAIN].repeated = 5;
    log.pairing = &pairing;
    const std::vector<int64_t> pts = {25};
    const VmafGpuRun run = run_with_times(pts, 1, 2);
    log.run = &run;
    for (const char *format : {"json", "csv", "sub"})
        write_to(std::string(folder) + "/log." + format, history, format, log);
    log.incomplete = "cut \xff\x01\xef\xbf\xbf";
    for (const char *format : {"xml", "html"})
        write_to(std::string(folder) + "/log." + format, history, format, log);
}

} // namespace
} // namespace vmafgpu::report_test
