// SPDX-License-Identifier: BSD-2-Clause-Patent
// The page that log_fmt=html writes and the points that its curves are made
// of. That it parses and refers to nothing else is checked by parse_logs.py.
#include "report/report_chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "report_fixtures.h"

namespace vmafgpu::report_html_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

size_t occurrences(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

/// Scores 0 .. 99 again and again, two features beside them.
ScoreTable long_history(size_t rows)
{
    ScoreTable history({"integer_adm2", "integer_motion2", "vmaf"});
    for (size_t i = 0; i < rows; ++i) {
        const double phase = static_cast<double>(i % 100);
        const double scores[] = {phase / 100, phase * 0.2, phase};
        history.add(static_cast<int64_t>(i), scores);
    }
    return history;
}

TEST(ReportChart, PointsKeepExtremes)
{
    ScoreTable history = long_history(100000);
    const double spike[] = {0, 0, -5};
    history.add(100000, spike);
    const std::vector<ChartPoint> points = chart_points(history, 2, 460);
    ASSERT_EQ(points.size(), 460U);
    size_t pairs = 0;
    double least = 0;
    for (size_t i = 0; i < points.size(); ++i) {
        pairs += points[i].count;
        least = std::min(least, points[i].min);
        EXPECT_EQ(points[i].first, i == 0 ? 0 : points[i - 1].last + 1);
        EXPECT_LE(points[i].min, points[i].mean);
        EXPECT_LE(points[i].mean, points[i].max);
    }
    EXPECT_EQ(pairs, 100001U);
    EXPECT_EQ(least, -5);
}

TEST(ReportChart, PointsLeaveOutWhatIsNotFinite)
{
    ScoreTable history({"vmaf"});
    for (const double value : {1.0, kNan, HUGE_VAL, 3.0})
        history.add(static_cast<int64_t>(history.rows()), &value);
    const std::vector<ChartPoint> each = chart_points(history, 0, 10);
    ASSERT_EQ(each.size(), 4U);
    EXPECT_EQ(each[1].count, 0U);
    EXPECT_EQ(each[2].count, 0U);
    const std::vector<ChartPoint> one = chart_points(history, 0, 1);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one[0].count, 2U);
    EXPECT_EQ(one[0].mean, 2);
}

TEST(ReportChart, TicksAreRoundAndCoverTheRange)
{
    EXPECT_EQ(axis_ticks(0, 100, 5), (std::vector<double>{0, 20, 40, 60, 80, 100}));
    EXPECT_EQ(axis_ticks(93.2, 97.9, 5), (std::vector<double>{93, 94, 95, 96, 97, 98}));
    EXPECT_EQ(axis_ticks(0, 0.4, 2), (std::vector<double>{0, 0.2, 0.4}));
    EXPECT_EQ(axis_ticks(-1, 1, 2), (std::vector<double>{-1, 0, 1}));
}

TEST(ReportChart, TicksOfAnyRange)
{
    const double huge = std::numeric_limits<double>::max();
    const double ranges[][2] = {{1e17, 1e17},      {0, 0},      {-huge, huge}, {huge / 2, huge},
                                {1e17, 1e17 + 16}, {0, 1e-320}, {0, huge},     {-3, kNan}};
    for (const auto &[low, high] : ranges)
        EXPECT_GE(axis_ticks(low, high, 6).size(), 2U) << low << " to " << high;
}

TEST(ReportHtml, HugeScores)
{
    const double huge = 1.7e308;
    for (const auto &[one, other] :
         {std::pair{1e17, 1e17}, {1e15, -1e15}, {1e15, 1e15 - 16}, {huge, -huge}, {3.0, huge}}) {
        ScoreTable history({"feature", "vmaf"});
        for (const double value : {one, other}) {
            const double both[] = {value, value};
            history.add(static_cast<int64_t>(history.rows()), both);
        }
        const std::string page = report_text(history, "html");
        EXPECT_EQ(occurrences(page, "<svg "), 3U) << one << " and " << other;
        EXPECT_EQ(occurrences(page, "not a finite number below 1e15"),
                  2U * ((one > 1e15 ? 1 : 0) + (std::fabs(other) > 1e15 ? 1 : 0)))
            << one << " and " << other;
        EXPECT_EQ(occurrences(page, "n.an"), 0U) << one << " and " << other;
        EXPECT_EQ(occurrences(page, "i.nf"), 0U) << one << " and " << other;
    }
}

TEST(ReportHtml, CardsKeepTheDigitsBeforeThePoint)
{
    const std::pair<double, const char *> cards[] = {
        {1247840653.25, "1247840653"}, {12345678.5, "12345678"},   {1234567.5, "1234567.5"},
        {84.50786657, "84.507867"},    {123.4567891, "123.45678"}, {-12345678.5, "-12345678"}};
    for (const auto &[score, text] : cards) {
        ScoreTable history({"vmaf"});
        history.add(0, &score);
        EXPECT_NE(report_text(history, "html").find("<b>" + std::string(text) + "</b>"),
                  std::string::npos)
            << text;
    }
}

/// If there is no model, the page is about the first series; its values may be far below 0.
TEST(ReportHtml, OfAFeature)
{
    ScoreTable history({"ssimulacra2", "psnr_y"});
    for (const double value : {80.5, -1600.25, 12.0, -3.0}) {
        const double row[] = {value, 40 + value / 100};
        history.add(static_cast<int64_t>(history.rows()), row);
    }
    const TemporaryFolder folder;
    VmafGpuLog log = default_log();
    RunFacts facts = known_run();
    facts.colours = "ssimulacra2 takes main for BT.709";
    const std::string path = folder / "page";
    log.path = path.c_str();
    log.format = "html";
    write_report({history, facts, log});
    const std::string page = read_text(path);
    for (const char *text :
         {"<title>ssimulacra2 report</title>", "<h1>ssimulacra2 report</h1>",
          "<b>-377.6875</b><span>ssimulacra2, mean</span>",
          "<b>–</b><span>ssimulacra2, harmonic mean</span>", "<b>-1600.250</b>",
          "<td>colours</td><td>ssimulacra2 takes main for BT.709</td>",
          "<h2>Lowest frames by ssimulacra2</h2>", "aria-label=\"Histogram of ssimulacra2\"",
          "<td>–</td><td>-1600.250000</td>", ">-2000</text>", ">-1700 to -1600: 1 frame<",
          "<h2>Features</h2>"})
        EXPECT_NE(page.find(text), std::string::npos) << text;
    EXPECT_EQ(occurrences(page, "<svg "), 3U); // two curves and a histogram
    EXPECT_EQ(page.find("VMAF"), std::string::npos);
}

TEST(ReportChart, Clock)
{
    EXPECT_EQ(clock_text(0), "0:00:00.000");
    EXPECT_EQ(clock_text(3723.4567), "1:02:03.457");
    EXPECT_EQ(clock_text(59.9999), "0:01:00.000");
    EXPECT_EQ(clock_text(-1.5), "-0:00:01.500");
    EXPECT_EQ(clock_text(36000, false), "10:00:00");
    for (const double bad : {kNan, HUGE_VAL, -HUGE_VAL, -9.3e18, 1e300})
        EXPECT_EQ(clock_text(bad), "–");
}

TEST(ReportHtml, ListsTheWorstFramesWithTheirTimes)
{
    const ScoreTable history = long_history(1000);
    std::vector<int64_t> pts(history.rows());
    std::iota(pts.begin(), pts.end(), 0);
    const VmafGpuRun run = run_with_times(pts, 1, 25);
    VmafGpuLog log = default_log();
    log.run = &run;
    log.title = "a <b> & \"c\"";
    const std::string page = report_text(history, "html", log);
    EXPECT_NE(page.find("<h1>a &lt;b&gt; &amp; \"c\"</h1>"), std::string::npos);
    // Ten frames score 0, then frames 1 and 101.
    const size_t table = page.find("Lowest frames by vmaf");
    ASSERT_NE(table, std::string::npos);
    size_t at = table;
    const auto row_of = [](const char *frame, const char *time, const char *score) {
        return std::string("<td>") + frame + "</td><td>" + time + "</td><td>" + score +
               "</td></tr>";
    };
    for (const std::string &row :
         {row_of("0", "0:00:00.000", "0.000000"), row_of("900", "0:00:36.000", "0.000000"),
          row_of("1", "0:00:00.040", "1.000000"), row_of("101", "0:00:04.040", "1.000000")}) {
        at = page.find(row, at);
        ASSERT_NE(at, std::string::npos) << row;
    }
    EXPECT_EQ(page.find(">201</td>", table), std::string::npos);
}

TEST(ReportHtml, SizeDoesNotGrowWithFrames)
{
    const std::string page = report_text(long_history(100000), "html");
    EXPECT_LT(page.size(), 300000U);
    EXPECT_EQ(occurrences(page, "<svg"), 4U); // three curves and a histogram
    EXPECT_EQ(occurrences(page, "class=\"touch\""),
              460U + 2 * 230U + occurrences(page, "class=\"bar\""));
    EXPECT_EQ(page.find("http"), std::string::npos);
    EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(ReportHtml, FewFrames)
{
    const std::string none = report_text(long_history(0), "html");
    EXPECT_NE(none.find("No frame was scored"), std::string::npos);
    EXPECT_EQ(none.find("<svg"), std::string::npos);
    const std::string one = report_text(long_history(1), "html");
    EXPECT_EQ(occurrences(one, "<svg"), 4U);
    EXPECT_NE(one.find("h0.01"), std::string::npos);
    EXPECT_EQ(one.find("nan"), std::string::npos);
    EXPECT_EQ(one.find("inf"), std::string::npos);
}

TEST(ReportHtml, NothingFinite)
{
    ScoreTable history({"vmaf"});
    for (const double value : {kNan, HUGE_VAL, -HUGE_VAL})
        history.add(static_cast<int64_t>(history.rows()), &value);
    const std::string page = report_text(history, "html");
    EXPECT_NE(page.find("not a finite number"), std::string::npos);
    EXPECT_NE(page.find(">nan</td>"), std::string::npos);
}

/// Texts of all elements of a class.
std::vector<std::string> texts_of(const std::string &page, const std::string &style)
{
    std::vector<std::string> texts;
    const std::string begin = "class=\"" + style + "\"";
    for (size_t at = 0; (at = page.find(begin, at)) != std::string::npos;) {
        at = page.find('>', at) + 1;
        texts.push_back(page.substr(at, page.find('<', at) - at));
    }
    return texts;
}

// Today's models end at 100; others do not, and nothing of them may be cut off.
TEST(ReportHtml, ScoresBeyondTheScale)
{
    ScoreTable history({"vmaf"});
    for (int i = 0; i < 50; ++i) {
        const double score = 110;
        history.add(i, &score);
    }
    const std::string page = report_text(history, "html");
    const std::vector<std::string> ticks = texts_of(page, "tick y");
    EXPECT_NE(std::find(ticks.begin(), ticks.end(), "110"), ticks.end());
    EXPECT_NE(std::find(ticks.begin(), ticks.end(), "60"),
              ticks.end());                                  // above the bar of 50 frames
    EXPECT_NE(page.find(">110 to 110."), std::string::npos); // the only bar
    EXPECT_EQ(occurrences(page, "class=\"bar\""), 1U);
    const size_t curve = page.find("class=\"curve\" d=\"M");
    ASSERT_NE(curve, std::string::npos);
    const std::string path = page.substr(curve + 18, page.find('"', curve + 18) - curve - 18);
    EXPECT_EQ(path.find('-'), std::string::npos) << path;
}

// Frame, time and value are in the drawing, hidden until the pointer is over their strip.
TEST(ReportHtml, EachStripHasItsValues)
{
    ScoreTable history({"vmaf"});
    for (int i = 0; i < 50; ++i) {
        const double score = 40 + i;
        history.add(i, &score);
    }
    const std::string page = report_text(history, "html");
    for (int i = 0; i < 50; ++i) {
        const std::string text = "frame " + std::to_string(i) + ": " + std::to_string(40 + i) + ".";
        EXPECT_EQ(occurrences(page, ">" + text), 1U) << text;
    }
    EXPECT_EQ(occurrences(page, "class=\"touch\""), 50U + occurrences(page, "class=\"bar\""));
}

TEST(ReportHtml, TheScaleEndsAt100)
{
    ScoreTable history({"vmaf"});
    const double score = 99.9;
    history.add(0, &score);
    const std::vector<std::string> ticks = texts_of(report_text(history, "html"), "tick y");
    for (const std::string &tick : ticks)
        EXPECT_LE(std::stod(tick), 100) << tick;
    EXPECT_NE(std::find(ticks.begin(), ticks.end(), "95"),
              ticks.end()); // five points, as below 97.5
}

// 2 % of the value, so that noise is not drawn as a curve and small changes can be seen.
TEST(ReportHtml, AFlatFeatureHasANarrowScale)
{
    ScoreTable history({"integer_adm2", "vmaf"});
    for (int i = 0; i < 4; ++i) {
        const double values[] = {0.5, 50};
        history.add(i, values);
    }
    const std::vector<std::string> ticks = texts_of(report_text(history, "html"), "tick y");
    for (const char *tick : {"0.495", "0.505"})
        EXPECT_NE(std::find(ticks.begin(), ticks.end(), tick), ticks.end()) << tick;
}

TEST(ReportHtml, TimesHaveFractions)
{
    ScoreTable history({"vmaf"});
    std::vector<int64_t> pts;
    for (int i = 0; i < 48; ++i) {
        const double score = 50 + i;
        history.add(i, &score);
        pts.push_back(i);
    }
    VmafGpuRun run = run_with_times(pts, 1001, 24000);
    VmafGpuLog log = default_log();
    log.run = &run;
    const std::string page = report_text(history, "html", log);
    EXPECT_NE(page.find(">10 · 0:00:00.417</text>"), std::string::npos);
    EXPECT_NE(page.find("frame 7, 0:00:00.292: 57.000000"), std::string::npos);
    run.time_base_num = run.time_base_den;
    EXPECT_NE(report_text(history, "html", log).find(">10 · 0:00:10</text>"), std::string::npos);
}

TEST(ReportHtml, SaysWhatMadeTheScores)
{
    RunFacts facts = known_run();
    facts.depth = 10;
    facts.subsample = 2;
    facts.models.push_back(
        {"vmaf", "vmaf_4k_v0.6.1", "0123456789abcdef", {{"disable_clip", "true"}}});
    facts.features.emplace_back("motion", "");
    facts.warnings = {"a <warning>"};
    VmafGpuRun run = {sizeof(run)};
    run.main_format = "p010le";
    run.options = "pool=min";
    facts.backend = "hip";
    facts.device = "A GPU";
    VmafGpuLog log = default_log();
    log.run = &run;
    log.title = "a film";
    const std::string page = report_text(long_history(9), "html", log, facts);
    const size_t curves = page.find("<svg");
    for (const char *text :
         {"<title>a film</title>", "<h1>a film</h1>", "<li>a &lt;warning&gt;</li>",
          "<td>model vmaf</td><td>vmaf_4k_v0.6.1, disable_clip=true (digest 0123456789ab)</td>",
          "<td>pictures</td><td>576×324, 10 bit, main p010le</td>",
          "<td>scored</td><td>one pair of 2</td>", "<td>computed on</td><td>hip (A GPU)</td>",
          "<td>options</td><td>pool=min</td>"}) {
        EXPECT_NE(page.find(text), std::string::npos) << text;
        EXPECT_LT(page.find(text), curves) << text;
    }
}

/// Gives pictures of one to three bytes to every pair but 3, whose distorted video it leaves out.
const char *give_pictures(void *opaque, VmafGpuThumbnail *list, int count)
{
    auto &asked = *static_cast<std::vector<std::pair<int64_t, int>> *>(opaque);
    for (int i = 0; i < count; ++i) {
        asked.emplace_back(list[i].pair, list[i].video);
        if (list[i].pair == 3 && list[i].video == 1)
            continue;
        list[i].png = "abc";
        list[i].png_size = static_cast<size_t>(i % 3 + 1);
        list[i].width = 4;
        list[i].height = 2;
        list[i].pair = -7; // a callback may not change this
        list[i].video = 99;
    }
    return "a <note>";
}

const char *give_nothing(void *, VmafGpuThumbnail *, int)
{
    return nullptr;
}

TEST(ReportHtml, ShowsPicturesOfTheWorstPairs)
{
    RunFacts facts = known_run();
    std::vector<std::pair<int64_t, int>> asked;
    VmafGpuRun run = {sizeof(run)};
    run.thumbnails = give_pictures;
    run.thumbnails_opaque = &asked;
    VmafGpuLog log = default_log();
    log.run = &run;
    const ScoreTable history = long_history(9);
    const std::string page = report_text(history, "html", log, facts);
    std::vector<std::pair<int64_t, int>> expected;
    for (int64_t pair = 0; pair < 6; ++pair)
        for (int video = 0; video < 2; ++video)
            expected.emplace_back(pair, video);
    EXPECT_EQ(asked, expected);
    const std::string image = "width=\"4\" height=\"2\" src=\"data:image/png;base64,";
    for (const std::string &text :
         {"<span><img alt=\"reference, frame 0\" " + image +
              "YQ==\"><small>reference</small></span>",
          "alt=\"distorted, frame 0\" " + image + "YWI=\"", "frame 1\" " + image + "YWJj\"",
          std::string("<span><small>distorted: no picture</small></span></figure>"),
          std::string("<p>a &lt;note&gt;</p>")}) {
        EXPECT_NE(page.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(page.find("frame 6\""), std::string::npos);
    EXPECT_EQ(page.find("-7"), std::string::npos);
    EXPECT_NE(page.find("<figcaption>frame 1: 1.000000<"), std::string::npos);
    const std::vector<int64_t> pts = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    VmafGpuRun timed = run_with_times(pts, 1, 25);
    timed.thumbnails = give_pictures;
    timed.thumbnails_opaque = &asked;
    log.run = &timed;
    EXPECT_NE(report_text(history, "html", log, facts)
                  .find("<figcaption>frame 1, 0:00:00.040: 1.000000<"),
              std::string::npos);
}

TEST(ReportHtml, PicturesAreForPagesOnly)
{
    RunFacts facts = known_run();
    std::vector<std::pair<int64_t, int>> asked;
    VmafGpuRun run = {sizeof(run)};
    VmafGpuLog log = default_log();
    log.run = &run;
    const ScoreTable history = long_history(9);
    const std::string without = report_text(history, "html", log, facts);
    EXPECT_EQ(without.find("<figure"), std::string::npos);
    run.thumbnails = give_nothing;
    EXPECT_EQ(without, report_text(history, "html", log, facts));
    for (const char *format : {"xml", "json", "csv", "sub"}) {
        run.thumbnails = nullptr;
        const std::string text = report_text(history, format, log, facts);
        run.thumbnails = give_pictures;
        run.thumbnails_opaque = &asked;
        EXPECT_EQ(text, report_text(history, format, log, facts)) << format;
        EXPECT_TRUE(asked.empty()) << format;
    }
}

} // namespace
} // namespace vmafgpu::report_html_test
