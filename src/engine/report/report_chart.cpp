// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_chart.h.
#include "report/report_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "base/libm.h"
#include "report/format_number.h"

namespace vmafgpu {
namespace {

constexpr double kWidth = 1000; // of a drawing; the page scales it
constexpr double kLeft = 62;    // where the plot begins: room for the numbers
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 26;
constexpr size_t kMaxPoints = 460; // two units apart
constexpr size_t kMaxBins = 40;

/// Two digits after the point: a hundredth of a unit cannot be seen.
std::string coordinate(double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.0f", value * 100);
    std::string digits = text;
    const bool is_negative = digits[0] == '-';
    digits = is_negative ? digits.substr(1) : digits;
    digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
    digits.insert(digits.size() - 2, ".");
    return is_negative ? "-" + digits : digits;
}

/// A tick's number, without digits that only say zero.
std::string short_number(double value)
{
    std::string text = format_score(value, 10);
    if (text.find('.') != std::string::npos)
        text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.')
        text.pop_back();
    return text;
}

pugi::xml_node append(pugi::xml_node parent, const char *name, const char *style)
{
    pugi::xml_node node = parent.append_child(name);
    node.append_attribute("class") = style;
    return node;
}

void append_line(pugi::xml_node parent, const char *style, double x1, double y1, double x2,
                 double y2)
{
    pugi::xml_node line = append(parent, "line", style);
    line.append_attribute("x1") = coordinate(x1).c_str();
    line.append_attribute("y1") = coordinate(y1).c_str();
    line.append_attribute("x2") = coordinate(x2).c_str();
    line.append_attribute("y2") = coordinate(y2).c_str();
}

void append_text(pugi::xml_node parent, const char *style, double x, double y,
                 const std::string &text)
{
    pugi::xml_node node = append(parent, "text", style);
    node.append_attribute("x") = coordinate(x).c_str();
    node.append_attribute("y") = coordinate(y).c_str();
    node.text() = text.c_str();
}

void append_rect(pugi::xml_node parent, const char *style, double x, double y, double width,
                 double height, const std::string &title)
{
    pugi::xml_node node = append(parent, "rect", style);
    node.append_attribute("x") = coordinate(x).c_str();
    node.append_attribute("y") = coordinate(y).c_str();
    node.append_attribute("width") = coordinate(width).c_str();
    node.append_attribute("height") = coordinate(height).c_str();
    node.append_child("title").text() = title.c_str();
}

pugi::xml_node append_svg(pugi::xml_node parent, double height, const std::string &label)
{
    pugi::xml_node svg = parent.append_child("svg");
    svg.append_attribute("viewBox") = ("0 0 1000 " + coordinate(height)).c_str();
    svg.append_attribute("role") = "img";
    svg.append_attribute("aria-label") = label.c_str();
    return svg;
}

/// A linear map from values to units of the drawing.
struct Axis {
    double low, high;  ///< values
    double begin, end; ///< units
    double at(double value) const { return begin + (end - begin) * (value - low) / (high - low); }
};

/// Where the values lie, widened so that a flat curve is not drawn as noise.
void value_range(const std::vector<ChartPoint> &points, bool is_score, double &low, double &high)
{
    low = HUGE_VAL;
    high = -HUGE_VAL;
    for (const ChartPoint &point : points) {
        if (point.count == 0)
            continue;
        low = std::min(low, point.min);
        high = std::max(high, point.max);
    }
    if (low > high)
        low = high = 0;
    const double least = is_score ? 5 : std::max(std::fabs(high) * 0.02, 1e-3);
    if (high - low < least) {
        const double middle = (low + high) / 2;
        low = middle - least / 2;
        high = middle + least / 2;
        if (is_score && high > 100) {
            low -= high - 100;
            high = 100;
        }
    }
}

void append_value_axis(pugi::xml_node svg, const Axis &y, const std::vector<double> &ticks)
{
    for (const double tick : ticks) {
        append_line(svg, "grid", kLeft, y.at(tick), kWidth - kRight, y.at(tick));
        append_text(svg, "tick y", kLeft - 6, y.at(tick) + 4, short_number(tick));
    }
}

void append_time_axis(pugi::xml_node svg, const Axis &x, double height, double seconds_each)
{
    const double last = x.high;
    for (const double tick : axis_ticks(x.low, last, 8)) {
        if (tick < x.low || tick > last)
            continue;
        append_line(svg, "grid", x.at(tick), height - kBottom, x.at(tick), height - kBottom + 4);
        std::string text = short_number(tick);
        if (seconds_each > 0)
            text += " · " + clock_text(tick * seconds_each, false);
        append_text(svg, "tick x", x.at(tick), height - kBottom + 18, text);
    }
}

/// The area between least and greatest value of each point, where points hold
/// several pairs.
void append_band(pugi::xml_node svg, const std::vector<ChartPoint> &points, const Axis &x,
                 const Axis &y)
{
    std::string upper;
    std::string lower;
    const auto close = [&] {
        if (!upper.empty())
            append(svg, "path", "band").append_attribute("d") = ("M" + upper + lower + "Z").c_str();
        upper.clear();
        lower.clear();
    };
    for (const ChartPoint &point : points) {
        if (point.count == 0) {
            close();
            continue;
        }
        const std::string at = coordinate(x.at(point.position)) + " ";
        upper += (upper.empty() ? "" : "L") + at + coordinate(y.at(point.max));
        lower.insert(0, "L" + at + coordinate(y.at(point.min)));
    }
    close();
}

void append_means(pugi::xml_node svg, const std::vector<ChartPoint> &points, const Axis &x,
                  const Axis &y)
{
    std::string path;
    bool is_open = false;
    for (const ChartPoint &point : points) {
        if (point.count > 0)
            path += (is_open ? "L" : "M") + coordinate(x.at(point.position)) + " " +
                    coordinate(y.at(point.mean));
        is_open = point.count > 0;
    }
    // A lone point has no length; with round ends it still shows as a dot.
    if (path.find('L') == std::string::npos && !path.empty())
        path += "h0.01";
    append(svg, "path", "curve").append_attribute("d") = path.c_str();
}

std::string tooltip(const ChartPoint &point)
{
    std::string text = "frame " + std::to_string(point.first);
    if (point.last != point.first)
        text += " to " + std::to_string(point.last);
    if (point.count == 0)
        return text + ": not a finite number";
    text += ": " + format_score(point.mean, 6);
    if (point.last != point.first)
        text += " (" + format_score(point.min, 6) + " to " + format_score(point.max, 6) + ")";
    return text;
}

} // namespace

std::vector<ChartPoint> chart_points(const ScoreTable &table, size_t column, size_t limit)
{
    const size_t rows = table.rows();
    const size_t count = std::min(rows, limit);
    std::vector<ChartPoint> points;
    for (size_t i = 0; i < count; ++i) {
        const size_t begin = rows * i / count;
        const size_t end = rows * (i + 1) / count;
        ChartPoint point = {};
        point.first = table.index(begin);
        point.last = table.index(end - 1);
        point.position = static_cast<double>(point.first + point.last) / 2;
        point.min = HUGE_VAL;
        point.max = -HUGE_VAL;
        for (size_t row = begin; row < end; ++row) {
            const double value = table.value(row, column);
            if (!std::isfinite(value))
                continue;
            point.min = std::min(point.min, value);
            point.max = std::max(point.max, value);
            point.mean += value;
            ++point.count;
        }
        if (point.count > 0)
            point.mean /= static_cast<double>(point.count);
        points.push_back(point);
    }
    return points;
}

std::vector<double> axis_ticks(double low, double high, int count)
{
    const double raw = (high - low) / count;
    const double power = libm::pow(10.0, std::floor(libm::log10(raw)));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= raw * 0.999) {
            step = power * factor;
            break;
        }
    std::vector<double> ticks;
    const double first = std::floor(low / step + 1e-9);
    const auto steps = static_cast<int>(std::ceil(high / step - 1e-9) - first);
    for (int i = 0; i <= steps; ++i)
        ticks.push_back((first + i) * step);
    return ticks;
}

void append_curve(pugi::xml_node parent, const ScoreTable &table, size_t column,
                  const CurveStyle &style)
{
    const std::vector<ChartPoint> points = chart_points(table, column, kMaxPoints);
    double low = 0;
    double high = 0;
    value_range(points, style.is_score, low, high);
    const std::vector<double> ticks = axis_ticks(low, high, style.height > 150 ? 6 : 3);
    const double bottom = style.height - kBottom;
    const Axis y = {ticks.front(), ticks.back(), bottom, kTop};
    const double first = points.front().position;
    const Axis x = {first, std::max(points.back().position, first + 1), kLeft, kWidth - kRight};

    pugi::xml_node svg = append_svg(parent, style.height, table.names()[column] + " over time");
    append_value_axis(svg, y, ticks);
    append_time_axis(svg, x, style.height, style.seconds_each);
    if (table.rows() > points.size())
        append_band(svg, points, x, y);
    append_means(svg, points, x, y);
    if (!style.has_tooltips)
        return;
    const double step = (x.end - x.begin) / static_cast<double>(points.size());
    for (const ChartPoint &point : points)
        append_rect(svg, "touch", x.at(point.position) - step / 2, kTop, step, bottom - kTop,
                    tooltip(point));
}

void append_histogram(pugi::xml_node parent, const ScoreTable &table, size_t column)
{
    constexpr double kHeight = 200;
    double low = 0;
    double high = 0;
    value_range(chart_points(table, column, 1), true, low, high);
    const std::vector<double> ticks = axis_ticks(low, high, 8);
    const size_t bins = std::min(kMaxBins, (ticks.size() - 1) * 5);
    std::vector<size_t> counts(bins);
    const double width = (ticks.back() - ticks.front()) / static_cast<double>(bins);
    for (size_t row = 0; row < table.rows(); ++row) {
        const double value = table.value(row, column);
        if (!std::isfinite(value))
            continue;
        const auto bin = static_cast<size_t>((value - ticks.front()) / width);
        ++counts[std::min(bin, bins - 1)];
    }
    const auto most = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    const Axis x = {ticks.front(), ticks.back(), kLeft, kWidth - kRight};
    const double bottom = kHeight - kBottom;
    const std::vector<double> count_ticks = axis_ticks(0, std::max(most, 4.0), 4);
    const Axis y = {0, count_ticks.back(), bottom, kTop};

    pugi::xml_node svg = append_svg(parent, kHeight, "Histogram of " + table.names()[column]);
    append_value_axis(svg, y, count_ticks);
    for (const double tick : ticks)
        append_text(svg, "tick x", x.at(tick), bottom + 18, short_number(tick));
    for (size_t i = 0; i < bins; ++i) {
        if (counts[i] == 0)
            continue;
        const double from = ticks.front() + width * static_cast<double>(i);
        const double top = y.at(static_cast<double>(counts[i]));
        append_rect(svg, "bar", x.at(from) + 1, top, x.at(from + width) - x.at(from) - 2,
                    bottom - top,
                    short_number(from) + " to " + short_number(from + width) + ": " +
                        std::to_string(counts[i]) + " frames");
    }
}

std::string clock_text(double seconds, bool with_milliseconds)
{
    const auto total = static_cast<int64_t>(std::llround(seconds * 1000));
    const int64_t magnitude = total < 0 ? -total : total;
    char text[64];
    std::snprintf(text, sizeof(text), "%s%lld:%02lld:%02lld", total < 0 ? "-" : "",
                  static_cast<long long>(magnitude / 3600000),
                  static_cast<long long>(magnitude / 60000 % 60),
                  static_cast<long long>(magnitude / 1000 % 60));
    std::string result = text;
    if (with_milliseconds) {
        std::snprintf(text, sizeof(text), ".%03lld", static_cast<long long>(magnitude % 1000));
        result += text;
    }
    return result;
}

} // namespace vmafgpu
