// SPDX-License-Identifier: BSD-2-Clause-Patent
// The page that log_fmt=html writes and the points that its curves are made
// of. That it parses and refers to nothing else is checked by parse_logs.py.
#include "report/report_html.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "report/report_chart.h"
#include "report_fixtures.h"

namespace vmafgpu {
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

TEST(ReportChart, Clock)
{
    EXPECT_EQ(clock_text(0, true), "0:00:00.000");
    EXPECT_EQ(clock_text(3723.4567, true), "1:02:03.457");
    EXPECT_EQ(clock_text(59.9999, true), "0:01:00.000");
    EXPECT_EQ(clock_text(-1.5, true), "-0:00:01.500");
    EXPECT_EQ(clock_text(36000, false), "10:00:00");
}

TEST(ReportHtml, ListsTheWorstFramesWithTheirTimes)
{
    const ScoreTable history = long_history(1000);
    std::vector<double> times;
    for (size_t i = 0; i < history.rows(); ++i)
        times.push_back(static_cast<double>(i) / 25);
    VmafGpuLog log = default_log();
    log.times = times.data();
    log.time_count = static_cast<int64_t>(times.size());
    log.title = "a <b> & \"c\"";
    const std::string page = report_text(history, "html", log);
    EXPECT_NE(page.find("<h1>a &lt;b&gt; &amp; \"c\"</h1>"), std::string::npos);
    // Ten frames score 0, then frames 1 and 101.
    const size_t table = page.find("Lowest frames by vmaf");
    ASSERT_NE(table, std::string::npos);
    size_t at = table;
    for (const char *row : {"<td>0</td><td>0:00:00.000</td><td>0.000000</td>",
                            "<td>900</td><td>0:00:36.000</td><td>0.000000</td>",
                            "<td>1</td><td>0:00:00.040</td><td>1.000000</td>",
                            "<td>101</td><td>0:00:04.040</td><td>1.000000</td>"}) {
        at = page.find(row, at);
        ASSERT_NE(at, std::string::npos) << row;
    }
    EXPECT_EQ(page.find("<td>201</td>", table), std::string::npos);
}

TEST(ReportHtml, SizeDoesNotGrowWithFrames)
{
    const std::string page = report_text(long_history(100000), "html");
    EXPECT_LT(page.size(), 300000U);
    EXPECT_EQ(occurrences(page, "<svg"), 4U); // three curves and a histogram
    EXPECT_EQ(occurrences(page, "class=\"touch\""), 460U);
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
    EXPECT_NE(page.find("<td>nan</td>"), std::string::npos);
}

} // namespace
} // namespace vmafgpu
