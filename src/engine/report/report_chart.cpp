// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_chart.h.
#include "report/report_chart.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/format_number.h"
#include "libm/libm.h"
#include "report/markup.h"

namespace vmafgpu {
namespace {

constexpr double kWidth = 1000; // width of a drawing; the page scales it
constexpr double kLeft = 76;    // left edge of the plot: room for the numbers
constexpr double kRight = 12;
constexpr double kTop = 10;
constexpr double kBottom = 34;
constexpr size_t kMaxPoints = 460; // two units apart
constexpr size_t kFewPoints = 230; // points of small drawings
constexpr size_t kMaxBins = 40;
constexpr size_t kColours = 8;        // colours of the style sheet
constexpr double kLongestClock = 1e9; // seconds; a wrong time has no place on a clock
constexpr double kLargest = 1e15;     // a value that is drawn
constexpr double kLeastPart = 1e-6;   // smallest range of an axis, as a part of the score

constexpr char kPath[] = "<path class=\"%\" d=\"%\"></path>";

/// What is not has no place beside the other values.
bool is_drawn(double value)
{
    return std::fabs(value) <= kLargest;
}

/// Two digits after the point: a hundredth of a unit cannot be seen.
std::string coordinate(double value)
{
    return format_fixed(std::nearbyint(value * 100) / 100, 2);
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
std::string shape(const char *name, const std::string &style,
                  std::initializer_list<std::pair<const char *, double>> places)
{
    std::string all = "<" + std::string(name) + " class=\"" + style + "\"";
    for (const auto &[attribute, value] : places)
        all.append(" ").append(attribute).append("=\"").append(coordinate(value)).append("\"");
    return all.append("></").append(name).append(">");
}

std::string label_text(const char *style, double x, double y, const std::string &text)
{
    return markup("<text class=\"%\" x=\"%\" y=\"%\">%</text>",
                  {style, coordinate(x), coordinate(y), text});
}

/// A linear map from values to units of the drawing.
struct Axis {
    double low, high;  ///< values
    double begin, end; ///< units
    double at(double value) const { return begin + (end - begin) * ((value - low) / (high - low)); }
};

/// An <svg> with the lines and numbers of its axes.
struct Plot {
    /// ticks: of the values, which go upwards. first, last: what goes from left to right.
    Plot(double height, const std::string &label, const std::vector<double> &ticks, double first,
         double last)
        : svg(markup("<svg viewBox=\"0 0 1000 %\" role=\"img\" aria-label=\"%\">",
                     {coordinate(height), label})),
          bottom(height - kBottom), x{first, last, kLeft, kWidth - kRight}, y{ticks.front(),
                                                                              ticks.back(), bottom,
                                                                              kTop}
    {
        for (const double tick : ticks) {
            const double at = y.at(tick);
            svg += shape("line", "grid",
                         {{"x1", kLeft}, {"y1", at}, {"x2", kWidth - kRight}, {"y2", at}});
            svg += label_text("tick y", kLeft - 6, at + 4, short_number(tick));
        }
    }

    void append_number(double value, const std::string &text)
    {
        svg += label_text("tick x", x.at(value), bottom + 24, text);
    }

    void append_numbers(const std::vector<double> &ticks)
    {
        for (const double tick : ticks)
            append_number(tick, short_number(tick));
    }

    /// A mark and the lines that the style sheet shows at the top of the plot while the pointer is
    /// over it. A browser's own tooltip comes after a second, and not on a touch screen.
    void append_tip(double at, const std::string &mark, const std::vector<std::string> &lines)
    {
        const bool is_left = at < kWidth / 2;
        svg += "<g class=\"at\">" + mark;
        svg += is_left ? "<text class=\"tip\"" : "<text class=\"tip end\"";
        svg += " y=\"" + coordinate(kTop + 2) + "\">";
        for (const std::string &line : lines)
            svg += markup("<tspan x=\"%\" dy=\"15\">%</tspan>",
                          {coordinate(is_left ? at + 8 : at - 8), line});
        svg += "</text></g>";
    }

    std::string svg;
    double bottom;
    Axis x, y;
};

using Curve = std::vector<ChartPoint>;

/// Round numbers around the values, widened so that a flat curve is not drawn as noise.
std::vector<double> value_ticks(const std::vector<Curve> &curves, bool is_score, int count)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
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
    return axis_ticks(low, high, count);
}

/// A tick is at a whole frame; between frames there is no time.
double time_at(const CurveStyle &style, double tick)
{
    const bool is_frame = style.time_of && tick >= 0 && tick == std::floor(tick) && tick < 1e15;
    return is_frame ? style.time_of(static_cast<int64_t>(tick)) : NAN;
}

bool is_whole_second(double time)
{
    return !std::isfinite(time) || std::fabs(time - std::round(time)) < 5e-4;
}

void append_frame_axis(Plot &plot, const CurveStyle &style)
{
    std::vector<double> ticks, times;
    for (const double tick : axis_ticks(plot.x.low, plot.x.high, 8))
        if (tick >= plot.x.low && tick <= plot.x.high) {
            ticks.push_back(tick);
            times.push_back(time_at(style, tick));
        }
    const bool is_exact = !std::all_of(times.begin(), times.end(), is_whole_second);
    for (size_t i = 0; i < ticks.size(); ++i) {
        const double at = plot.x.at(ticks[i]);
        plot.svg += shape("line", "grid",
                          {{"x1", at}, {"y1", plot.bottom}, {"x2", at}, {"y2", plot.bottom + 4}});
        std::string text = short_number(ticks[i]);
        if (std::isfinite(times[i]))
            text += " · " + clock_text(times[i], is_exact);
        plot.append_number(ticks[i], text);
    }
}

/// The area between least and greatest value of each point, where points hold
/// several pairs.
void append_band(Plot &plot, const Curve &points)
{
    std::string upper, lower;
    const auto close = [&] {
        if (!upper.empty())
            plot.svg += markup(kPath, {"band", "M" + upper + lower + "Z"});
        upper.clear();
        lower.clear();
    };
    for (const ChartPoint &point : points) {
        if (point.count == 0) {
            close();
            continue;
        }
        const std::string at = coordinate(plot.x.at(point.position)) + " ";
        upper += (upper.empty() ? "" : "L") + at + coordinate(plot.y.at(point.max));
        lower.insert(0, "L" + at + coordinate(plot.y.at(point.min)));
    }
    close();
}

void append_means(Plot &plot, const std::string &style, const Curve &points)
{
    std::string steps;
    bool is_open = false;
    for (const ChartPoint &point : points) {
        if (point.count > 0)
            steps += (is_open ? "L" : "M") + coordinate(plot.x.at(point.position)) + " " +
                     coordinate(plot.y.at(point.mean));
        is_open = point.count > 0;
    }
    // A lone point has no length; with round ends it still shows as a dot.
    if (steps.find('L') == std::string::npos && !steps.empty())
        steps += "h0.01";
    plot.svg += markup(kPath, {style, steps});
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
    return std::isfinite(time) ? text + ", " + clock_text(time) : text;
}

const ChartPoint &nearest(const Curve &points, double position)
{
    return *std::min_element(
        points.begin(), points.end(), [&](const ChartPoint &a, const ChartPoint &b) {
            return std::fabs(a.position - position) < std::fabs(b.position - position);
        });
}

/// Strips over the whole height that show their values.
void append_tooltips(Plot &plot, const std::vector<ChartSeries> &series,
                     const std::vector<Curve> &curves, const CurveStyle &style)
{
    const Curve &longest =
        *std::max_element(curves.begin(), curves.end(),
                          [](const Curve &a, const Curve &b) { return a.size() < b.size(); });
    const double step = (plot.x.end - plot.x.begin) / static_cast<double>(longest.size());
    for (const ChartPoint &point : longest) {
        std::vector<std::string> lines = {place_text(point, style)};
        for (size_t i = 0; i < series.size(); ++i) {
            const std::string value = value_text(nearest(curves[i], point.position));
            if (series.size() == 1)
                lines[0] += ": " + value;
            else
                lines.push_back(series[i].label + ": " + value);
        }
        const double at = plot.x.at(point.position);
        plot.append_tip(at,
                        shape("rect", "touch",
                              {{"x", at - step / 2},
                               {"y", kTop},
                               {"width", step},
                               {"height", plot.bottom - kTop}}),
                        lines);
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

std::string curves_svg(const std::vector<ChartSeries> &series, const std::string &label,
                       const CurveStyle &style)
{
    const bool is_small = style.height <= 150;
    std::vector<Curve> curves;
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (const ChartSeries &one : series) {
        curves.push_back(chart_points(*one.table, one.column, is_small ? kFewPoints : kMaxPoints));
        first = std::min(first, curves.back().front().position);
        last = std::max(last, curves.back().back().position);
    }
    const double least = std::max(std::fabs(first) * 1e-9, 1.0);
    Plot plot(style.height, label + " over time",
              value_ticks(curves, style.is_score, is_small ? 3 : 6), first,
              std::max(last, first + least));
    append_frame_axis(plot, style);
    if (series.size() == 1 && series[0].table->rows() > curves[0].size())
        append_band(plot, curves[0]);
    for (size_t i = 0; i < series.size(); ++i)
        append_means(plot,
                     series.size() == 1 ? "curve"
                                        : "several " + colour_class(series[i].number) + " n" +
                                              std::to_string(series[i].number),
                     curves[i]);
    append_tooltips(plot, series, curves, style);
    return plot.svg + "</svg>";
}

std::string colour_class(size_t series)
{
    return "s" + std::to_string(series % kColours);
}

std::string rate_svg(std::vector<RatePoint> points, const std::string &label)
{
    std::sort(points.begin(), points.end(),
              [](const RatePoint &a, const RatePoint &b) { return a.rate < b.rate; });
    Curve values;
    for (const RatePoint &point : points)
        values.push_back({point.rate, 0, 0, point.score, point.score, point.score, 1});
    const std::vector<double> rates = axis_ticks(0, points.back().rate, 6);
    Plot plot(340, label + " over kbit/s", value_ticks({values}, true, 6), 0, rates.back());
    plot.append_numbers(rates);
    append_means(plot, "curve", values);
    for (const RatePoint &point : points) {
        const std::string text = point.label + ": " + short_number(point.rate) + " kbit/s, " +
                                 format_score(point.score, 6);
        const double at = plot.x.at(point.rate);
        plot.append_tip(at,
                        shape("circle", "dot " + colour_class(point.series),
                              {{"cx", at}, {"cy", plot.y.at(point.score)}, {"r", 6}}),
                        {text});
    }
    return plot.svg + "</svg>";
}

std::string histogram_svg(const ScoreTable &table, size_t column, bool is_score)
{
    const std::vector<double> ticks = value_ticks({chart_points(table, column, 1)}, is_score, 8);
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
    Plot plot(200, "Histogram of " + table.names()[column], axis_ticks(0, std::max(most, 4.0), 4),
              ticks.front(), ticks.back());
    plot.append_numbers(ticks);
    const auto from = [&](size_t bin) {
        return ticks.front() + width * static_cast<double>(bin);
    };
    const auto bar = [&](const char *style, size_t bin, double top) {
        const double left = plot.x.at(from(bin)) + 1;
        return shape("rect", style,
                     {{"x", left},
                      {"y", top},
                      {"width", plot.x.at(from(bin + 1)) - 1 - left},
                      {"height", plot.bottom - top}});
    };
    for (size_t i = 0; i < bins; ++i)
        if (counts[i] > 0)
            plot.svg += bar("bar", i, plot.y.at(static_cast<double>(counts[i])));
    for (size_t i = 0; i < bins; ++i) // behind all bars, which would hide them
        if (counts[i] > 0)
            plot.append_tip(plot.x.at(from(i)), bar("touch", i, kTop),
                            {short_number(from(i)) + " to " + short_number(from(i + 1)) + ": " +
                             std::to_string(counts[i]) + (counts[i] == 1 ? " frame" : " frames")});
    return plot.svg + "</svg>";
}

std::string clock_text(double seconds, bool is_exact)
{
    if (!std::isfinite(seconds) || std::fabs(seconds) > kLongestClock)
        return "–";
    const long long total = std::llround(seconds * 1000), ms = std::llabs(total);
    char text[64];
    const int size =
        std::snprintf(text, sizeof(text), "%s%lld:%02lld:%02lld.%03lld", total < 0 ? "-" : "",
                      ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
    return std::string(text, static_cast<size_t>(is_exact ? size : size - 4));
}

} // namespace vmafgpu
