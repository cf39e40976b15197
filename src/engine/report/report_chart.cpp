// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_chart.h.
#include "report/report_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libm/libm.h"
#include "report/format_number.h"
#include "report/xml_text.h"

namespace vmafgpu {
namespace {

constexpr double kWidth = 1000; // of a drawing; the page scales it
constexpr double kLeft = 76;    // where the plot begins: room for the numbers
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 34;
constexpr size_t kMaxPoints = 460; // two units apart
constexpr size_t kFewPoints = 230; // of small drawings
constexpr size_t kNarrowTicks = 3; // as many have room on a narrow screen,
constexpr double kNarrowEnd = 130; // half of such a label
constexpr size_t kMaxBins = 40;
constexpr size_t kColours = 8;        // of the style sheet
constexpr double kLongestClock = 1e9; // seconds; a wrong time has no place on a clock
constexpr double kLargest = 1e15;     // a value that is drawn
constexpr double kLeastPart = 1e-6;   // of a score: the least range, or the ticks are equal

/// What is not has no place beside the other values.
bool is_drawn(double value)
{
    return std::fabs(value) <= kLargest;
}

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

/// places: attributes in units of the drawing.
pugi::xml_node append(pugi::xml_node parent, const char *name, const std::string &style,
                      std::initializer_list<std::pair<const char *, double>> places = {})
{
    pugi::xml_node node = parent.append_child(name);
    node.append_attribute("class") = style.c_str();
    for (const auto &[attribute, value] : places)
        node.append_attribute(attribute) = coordinate(value).c_str();
    return node;
}

void append_text(pugi::xml_node parent, const char *style, double x, double y,
                 const std::string &text)
{
    append(parent, "text", style, {{"x", x}, {"y", y}}).text() = xml_text(text).c_str();
}

/// A rectangle, with a text for the pointer.
void append_rect(pugi::xml_node parent, const char *style, double x, double y, double width,
                 double height, const std::string &title)
{
    append(parent, "rect", style, {{"x", x}, {"y", y}, {"width", width}, {"height", height}})
        .append_child("title")
        .text() = xml_text(title).c_str();
}

pugi::xml_node append_svg(pugi::xml_node parent, double height, const std::string &label)
{
    pugi::xml_node svg = parent.append_child("svg");
    svg.append_attribute("viewBox") = ("0 0 1000 " + coordinate(height)).c_str();
    svg.append_attribute("role") = "img";
    svg.append_attribute("aria-label") = xml_text(label).c_str();
    return svg;
}

/// A linear map from values to units of the drawing.
struct Axis {
    double low, high;  ///< values
    double begin, end; ///< units
    double at(double value) const { return begin + (end - begin) * ((value - low) / (high - low)); }
};

using Curve = std::vector<ChartPoint>;

/// Where the values lie, widened so that a flat curve is not drawn as noise.
void value_range(const std::vector<Curve> &curves, bool is_score, double &low, double &high)
{
    low = HUGE_VAL;
    high = -HUGE_VAL;
    for (const Curve &points : curves)
        for (const ChartPoint &point : points) {
            if (point.count == 0)
                continue;
            low = std::min(low, point.min);
            high = std::max(high, point.max);
        }
    if (low > high)
        low = high = 0;
    const double least = is_score ? std::max(std::fabs(high) * kLeastPart, 5.0)
                                  : std::max(std::fabs(high) * 0.02, 1e-3);
    const double highest = high;
    if (high - low < least) {
        const double middle = (low + high) / 2;
        low = middle - least / 2;
        high = middle + least / 2;
        // 100 is the end of most models' scale; others exceed it.
        if (is_score && highest <= 100 && high > 100) {
            low -= high - 100;
            high = 100;
        }
    }
}

void append_value_axis(pugi::xml_node svg, const Axis &y, const std::vector<double> &ticks)
{
    for (const double tick : ticks) {
        append(svg, "line", "grid",
               {{"x1", kLeft}, {"y1", y.at(tick)}, {"x2", kWidth - kRight}, {"y2", y.at(tick)}});
        append_text(svg, "tick y", kLeft - 6, y.at(tick) + 4, short_number(tick));
    }
}

/// A tick is at a whole frame; between frames there is no time.
double time_at(const CurveStyle &style, double tick)
{
    const bool is_frame = style.time_of && tick >= 0 && tick == std::floor(tick) && tick < 1e15;
    return is_frame ? style.time_of(static_cast<int64_t>(tick)) : NAN;
}

/// Digits after the point that the times of the ticks need.
int time_digits(const std::vector<double> &times)
{
    int digits = 0;
    for (const double time : times)
        if (std::isfinite(time))
            while (digits < 3 && std::fabs(time - clock_value(time, digits)) >= 5e-4)
                ++digits;
    return digits;
}

void append_frame_axis(pugi::xml_node svg, const Axis &x, const CurveStyle &style)
{
    std::vector<double> ticks;
    std::vector<double> times;
    for (const double tick : axis_ticks(x.low, x.high, 8))
        if (tick >= x.low && tick <= x.high) {
            ticks.push_back(tick);
            times.push_back(time_at(style, tick));
        }
    const int digits = time_digits(times);
    const double bottom = style.height - kBottom;
    const size_t step = (ticks.size() + kNarrowTicks - 1) / kNarrowTicks;
    for (size_t i = 0; i < ticks.size(); ++i) {
        const double at = x.at(ticks[i]);
        append(svg, "line", "grid", {{"x1", at}, {"y1", bottom}, {"x2", at}, {"y2", bottom + 4}});
        std::string text = short_number(ticks[i]);
        if (std::isfinite(times[i]))
            text += " · " + clock_text(times[i], digits);
        const bool is_kept = i % step == 0 && at <= kWidth - kNarrowEnd;
        append_text(svg, is_kept ? "tick x" : "tick x minor", at, bottom + 24, text);
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

void append_means(pugi::xml_node svg, const std::string &style, const Curve &points, const Axis &x,
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
    append(svg, "path", style).append_attribute("d") = path.c_str();
}

std::string value_text(const ChartPoint &point)
{
    if (point.count == 0)
        return "not a finite number below 1e15";
    std::string text = format_score(point.mean, 6);
    if (point.last != point.first)
        text += " (" + format_score(point.min, 6) + " to " + format_score(point.max, 6) + ")";
    return text;
}

std::string place_text(const ChartPoint &point, const CurveStyle &style)
{
    std::string text = "frame " + std::to_string(point.first);
    if (point.last != point.first)
        text += " to " + std::to_string(point.last);
    const double time = style.time_of ? style.time_of(point.first) : NAN;
    return std::isfinite(time) ? text + ", " + clock_text(time, 3) : text;
}

const ChartPoint &nearest(const Curve &points, double position)
{
    return *std::min_element(
        points.begin(), points.end(), [&](const ChartPoint &a, const ChartPoint &b) {
            return std::fabs(a.position - position) < std::fabs(b.position - position);
        });
}

/// Strips over the whole height that show the values below the pointer.
void append_tooltips(pugi::xml_node svg, const std::vector<ChartSeries> &series,
                     const std::vector<Curve> &curves, const Axis &x, const CurveStyle &style)
{
    const Curve &longest =
        *std::max_element(curves.begin(), curves.end(),
                          [](const Curve &a, const Curve &b) { return a.size() < b.size(); });
    const double step = (x.end - x.begin) / static_cast<double>(longest.size());
    for (const ChartPoint &point : longest) {
        std::string text = place_text(point, style);
        for (size_t i = 0; i < series.size(); ++i)
            text += (series.size() == 1 ? ": " : "\n" + series[i].label + ": ") +
                    value_text(nearest(curves[i], point.position));
        append_rect(svg, "touch", x.at(point.position) - step / 2, kTop, step,
                    style.height - kBottom - kTop, text);
    }
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
        point.position = static_cast<double>(point.first) / 2 + static_cast<double>(point.last) / 2;
        point.min = HUGE_VAL;
        point.max = -HUGE_VAL;
        for (size_t row = begin; row < end; ++row) {
            const double value = table.value(row, column);
            if (!is_drawn(value))
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
    if (!std::isfinite(raw) || raw <= 0)
        return {low, high};
    const double power = libm::pow(10.0, std::floor(libm::log10(raw)));
    double step = power * 10;
    for (const double factor : {1.0, 2.0, 5.0})
        if (power * factor >= raw * 0.999) {
            step = power * factor;
            break;
        }
    const double first = std::floor(low / step + 1e-9);
    const double steps = std::ceil(high / step - 1e-9) - first;
    // Beyond what a double can hold or tell apart there are no round steps.
    if (!(steps >= 1 && steps <= 10.0 * count))
        return {low, high};
    std::vector<double> ticks;
    for (int i = 0; i <= static_cast<int>(steps); ++i)
        ticks.push_back((first + i) * step);
    return ticks;
}

void append_curves(pugi::xml_node parent, const std::vector<ChartSeries> &series,
                   const std::string &label, const CurveStyle &style)
{
    const bool is_small = style.height <= 150;
    std::vector<Curve> curves;
    double first = HUGE_VAL;
    double last = -HUGE_VAL;
    for (const ChartSeries &one : series) {
        curves.push_back(chart_points(*one.table, one.column, is_small ? kFewPoints : kMaxPoints));
        first = std::min(first, curves.back().front().position);
        last = std::max(last, curves.back().back().position);
    }
    double low = 0;
    double high = 0;
    value_range(curves, style.is_score, low, high);
    const std::vector<double> ticks = axis_ticks(low, high, is_small ? 3 : 6);
    const Axis y = {ticks.front(), ticks.back(), style.height - kBottom, kTop};
    const double least = std::max(std::fabs(first) * 1e-9, 1.0);
    const Axis x = {first, std::max(last, first + least), kLeft, kWidth - kRight};

    pugi::xml_node svg = append_svg(parent, style.height, label + " over time");
    append_value_axis(svg, y, ticks);
    append_frame_axis(svg, x, style);
    if (series.size() == 1 && series[0].table->rows() > curves[0].size())
        append_band(svg, curves[0], x, y);
    for (size_t i = 0; i < series.size(); ++i)
        append_means(svg, series.size() == 1 ? "curve" : "several " + colour_class(i), curves[i], x,
                     y);
    append_tooltips(svg, series, curves, x, style);
}

std::string colour_class(size_t series)
{
    return "s" + std::to_string(series % kColours);
}

void append_rate_plot(pugi::xml_node parent, std::vector<RatePoint> points,
                      const std::string &label)
{
    constexpr double kHeight = 340;
    std::sort(points.begin(), points.end(),
              [](const RatePoint &a, const RatePoint &b) { return a.rate < b.rate; });
    Curve values;
    for (const RatePoint &point : points)
        values.push_back({point.rate, 0, 0, point.score, point.score, point.score, 1});
    double low = 0;
    double high = 0;
    value_range({values}, true, low, high);
    const std::vector<double> ticks = axis_ticks(low, high, 6);
    const std::vector<double> rates = axis_ticks(0, points.back().rate, 6);
    const Axis y = {ticks.front(), ticks.back(), kHeight - kBottom, kTop};
    const Axis x = {0, rates.back(), kLeft, kWidth - kRight};

    pugi::xml_node svg = append_svg(parent, kHeight, label + " over kbit/s");
    append_value_axis(svg, y, ticks);
    for (size_t i = 0; i < rates.size(); ++i)
        append_text(svg, i % 2 == 0 ? "tick x" : "tick x minor", x.at(rates[i]),
                    kHeight - kBottom + 24, short_number(rates[i]));
    append_means(svg, "curve", values, x, y);
    for (const RatePoint &point : points) {
        const std::string text = point.label + ": " + short_number(point.rate) + " kbit/s, " +
                                 format_score(point.score, 6);
        append(svg, "circle", "dot " + colour_class(point.series),
               {{"cx", x.at(point.rate)}, {"cy", y.at(point.score)}, {"r", 6}})
            .append_child("title")
            .text() = xml_text(text).c_str();
    }
}

void append_histogram(pugi::xml_node parent, const ScoreTable &table, size_t column, bool is_score)
{
    constexpr double kHeight = 200;
    double low = 0;
    double high = 0;
    value_range({chart_points(table, column, 1)}, is_score, low, high);
    const std::vector<double> ticks = axis_ticks(low, high, 8);
    const size_t bins = std::min(kMaxBins, (ticks.size() - 1) * 5);
    std::vector<size_t> counts(bins);
    const double width = (ticks.back() - ticks.front()) / static_cast<double>(bins);
    for (size_t row = 0; row < table.rows(); ++row) {
        const double value = table.value(row, column);
        if (!is_drawn(value))
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
    for (size_t i = 0; i < ticks.size(); ++i)
        append_text(svg, i % 2 == 0 ? "tick x" : "tick x minor", x.at(ticks[i]), bottom + 24,
                    short_number(ticks[i]));
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

double clock_value(double seconds, int digits)
{
    double scale = 1;
    for (int i = 0; i < digits; ++i)
        scale *= 10;
    return std::round(seconds * scale) / scale;
}

std::string clock_text(double seconds, int digits)
{
    if (!std::isfinite(seconds) || std::fabs(seconds) > kLongestClock)
        return "–";
    const auto total = static_cast<int64_t>(std::llround(clock_value(seconds, digits) * 1000));
    const int64_t magnitude = total < 0 ? -total : total;
    char text[64];
    std::snprintf(text, sizeof(text), "%s%lld:%02lld:%02lld", total < 0 ? "-" : "",
                  static_cast<long long>(magnitude / 3600000),
                  static_cast<long long>(magnitude / 60000 % 60),
                  static_cast<long long>(magnitude / 1000 % 60));
    std::string result = text;
    std::snprintf(text, sizeof(text), ".%03lld", static_cast<long long>(magnitude % 1000));
    return digits > 0 ? result + std::string(text, static_cast<size_t>(digits) + 1) : result;
}

} // namespace vmafgpu
