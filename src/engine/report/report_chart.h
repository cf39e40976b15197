// SPDX-License-Identifier: BSD-2-Clause-Patent
// Charts of the HTML report as inline SVG: a series over time, reduced to what a screen can show,
// and a histogram. Colours are CSS classes of the page (report_html.cpp), so that they follow the
// reader's light or dark theme.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <vector>

#include "core/score_table.h"

namespace vmafgpu {

/// Neighbouring pairs drawn as one point of a curve.
struct ChartPoint {
    double position; ///< mean of their indices
    int64_t first, last;
    double min, mean, max;
    size_t count; ///< of finite values; 0: a gap
};

/// At most `limit` points for a column, in order.
std::vector<ChartPoint> chart_points(const ScoreTable &table, size_t column, size_t limit);

/// Round numbers from at or below `low` to at or above `high`, about `count` of them.
std::vector<double> axis_ticks(double low, double high, int count);

struct CurveStyle {
    int height;          ///< of the drawing, in units of which the width has 1000
    bool is_score;       ///< 0..100: the axis does not leave it
    bool has_tooltips;   ///< a title for every point
    double seconds_each; ///< mean time from a pair to the next for the time axis; 0: unknown
};

/// Appends an <svg>; needs at least one row.
void append_curve(pugi::xml_node parent, const ScoreTable &table, size_t column,
                  const CurveStyle &style);

/// Appends an <svg> of how many pairs lie in each of the bins.
void append_histogram(pugi::xml_node parent, const ScoreTable &table, size_t column);

/// "1:02:03.456", for positions on a time axis.
std::string clock_text(double seconds, bool with_milliseconds);

} // namespace vmafgpu
