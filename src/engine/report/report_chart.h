// SPDX-License-Identifier: BSD-2-Clause-Patent
// Charts of the HTML report as inline SVG: a series over time, reduced to what a screen can show,
// and a histogram. Colours are CSS classes of the page (report_html.cpp), so that they follow the
// reader's light or dark theme.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/score_table.h"

namespace vmafgpu {

/// Neighbouring pairs drawn as one point of a curve.
struct ChartPoint {
    double position; ///< mean of their indices
    int64_t first, last;
    double min, mean, max;
    size_t count; ///< values that can be drawn; 0: a gap
};

/// Points of a column in order, at most `limit`.
std::vector<ChartPoint> chart_points(const ScoreTable &table, size_t column, size_t limit);

/// Round numbers from at or below `low` to at or above `high`, about `count` of them.
std::vector<double> axis_ticks(double low, double high, int count);

struct CurveStyle {
    int height;    ///< height of the drawing, in units of which the width has 1000
    bool is_score; ///< mostly 0..100
    std::function<double(int64_t)> time_of = {}; ///< time of a pair in seconds, or NaN
};

struct ChartSeries {
    const ScoreTable *table;
    size_t column;
    std::string label; ///< name beside the values under the pointer
    size_t number = 0; ///< number that gives the colour and the class n0 to n15 of the curve
};

/// An <svg> of curves over each other, in the colours of colour_class(), or of one; needs at least
/// one row. The values are shown under the pointer.
std::string curves_svg(const std::vector<ChartSeries> &series, const std::string &label,
                       const CurveStyle &style);
/// Class of the style sheet for curve `series`.
std::string colour_class(size_t series);

/// A pooled score at a rate in kbit/s.
struct RatePoint {
    double rate, score;
    size_t series; ///< number that gives the colour
    std::string label;
};

/// An <svg> of scores over rates; needs at least one point.
std::string rate_svg(std::vector<RatePoint> points, const std::string &label);

/// An <svg> of how many pairs lie in each of the bins.
std::string histogram_svg(const ScoreTable &table, size_t column, bool is_score);

/// "1:02:03.456", or whole seconds; a dash if it is not finite or far too large.
std::string clock_text(double seconds, bool is_exact = true);

} // namespace vmafgpu
