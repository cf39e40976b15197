// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooled values of pooling.h. The first four methods equal libvmaf's, operation by operation.
// Percentiles equal numpy's default, but for infinities; libvmaf has none.
//
// NaN: mean, harmonic mean and percentiles become NaN. min and max do as libvmaf does: NaN stays if
// it is in the first row, and is ignored in later rows.
#include "core/pooling.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace vmafgpu {

namespace {

double count(const ScoreTable &table)
{
    return static_cast<double>(table.left() + table.rows());
}

/// Over all values, in their order; first: that of those that have left, or what to begin with.
template <typename Add>
double fold(const ScoreTable &table, size_t column, double first, const Add &add)
{
    double result = first;
    for (size_t row = 0; row < table.rows(); ++row)
        result = add(result, table.value(row, column));
    return result;
}

double minimum(const ScoreTable &table, size_t column)
{
    return fold(table, column, table.left() > 0 ? table.pool(column).min : table.value(0, column),
                [](double least, double value) { return value < least ? value : least; });
}

double maximum(const ScoreTable &table, size_t column)
{
    return fold(table, column, table.left() > 0 ? table.pool(column).max : table.value(0, column),
                [](double most, double value) { return value > most ? value : most; });
}

double mean(const ScoreTable &table, size_t column)
{
    return fold(table, column, table.left() > 0 ? table.pool(column).sum : 0,
                [](double sum, double value) { return sum + value; }) /
           count(table);
}

double harmonic_mean(const ScoreTable &table, size_t column)
{
    const double first = table.left() > 0 ? table.pool(column).inverse_sum : 0;
    return count(table) / fold(table, column, first,
                               [](double sum, double value) { return sum + 1.0 / (value + 1.0); }) -
           1.0;
}

/// numpy subtracts infinities, and has NaN where an infinity is the answer.
double between(double a, double b, double t)
{
    if (a == b || t == 0)
        return a;
    if (std::isinf(a) || std::isinf(b))
        return a + b;
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1.0 - t);
}

/// Of values that are not kept, from their histogram.
double percentile_of_many(const ScoreTable &table, size_t column, int percent)
{
    RunningPool all = table.pool(column);
    for (size_t row = 0; row < table.rows(); ++row)
        all.add(table.value(row, column));
    if (all.has_nan)
        return NAN;
    const double position = (count(table) - 1) * (percent / 100.0);
    const auto below = static_cast<uint64_t>(position);
    const auto value = [&](uint64_t before) {
        return std::clamp(all.histogram.value_at(before), all.min, all.max);
    };
    return between(value(below), value(below + 1), position - std::floor(position));
}

/// Linear between the neighbours, from the nearer one as numpy does.
double percentile(const ScoreTable &table, size_t column, int percent)
{
    if (table.left() > 0)
        return percentile_of_many(table, column, percent);
    std::vector<double> values;
    values.reserve(table.rows());
    for (size_t row = 0; row < table.rows(); ++row) {
        values.push_back(table.value(row, column));
        if (std::isnan(values.back()))
            return values.back();
    }
    const double position = static_cast<double>(values.size() - 1) * (percent / 100.0);
    const double below = std::floor(position);
    const auto low = values.begin() + static_cast<ptrdiff_t>(below);
    std::nth_element(values.begin(), low, values.end());
    if (low + 1 == values.end())
        return *low;
    const double a = *low;
    const double b = *std::min_element(low + 1, values.end());
    return between(a, b, position - below);
}

template <int kPercent> double nth_percent(const ScoreTable &table, size_t column)
{
    return percentile(table, column, kPercent);
}

struct Method {
    const char *name;
    VmafGpuPool id;
    double (*pooled)(const ScoreTable &table, size_t column);
};

constexpr std::array<Method, 8> kMethods = {{
    {"min", VMAFGPU_POOL_MIN, minimum},
    {"max", VMAFGPU_POOL_MAX, maximum},
    {"mean", VMAFGPU_POOL_MEAN, mean},
    {"harmonic_mean", VMAFGPU_POOL_HARMONIC_MEAN, harmonic_mean},
    {"perc1", VMAFGPU_POOL_PERC1, nth_percent<1>},
    {"perc5", VMAFGPU_POOL_PERC5, nth_percent<5>},
    {"perc10", VMAFGPU_POOL_PERC10, nth_percent<10>},
    {"perc20", VMAFGPU_POOL_PERC20, nth_percent<20>},
}};

/// Of Student's distribution, 97.5 %. Beyond the table it is nearly a straight line over one
/// divided by the degrees of freedom, down to that of the normal distribution.
double student(uint64_t freedom)
{
    static constexpr std::array kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                          2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                          2.131,  2.120, 2.110, 2.101, 2.093, 2.086};
    constexpr double kNormal = 1.960;
    if (freedom <= kTable.size())
        return kTable[freedom - 1];
    return kNormal + (kTable.back() - kNormal) * kTable.size() / static_cast<double>(freedom);
}

} // namespace

int pool_by_name(const std::string &name)
{
    for (const Method &method : kMethods)
        if (name == method.name)
            return method.id;
    return -1;
}

double pooled(const ScoreTable &table, size_t column, VmafGpuPool method)
{
    if (column >= table.names().size())
        throw Error(EINVAL, "no score series " + std::to_string(column) + " (there are " +
                                std::to_string(table.names().size()) + ")");
    if (table.rows() == 0)
        throw Error(ENODATA, "nothing to pool: no pair has been scored yet");
    for (const Method &known : kMethods)
        if (known.id == method)
            return known.pooled(table, column);
    throw Error(EINVAL, "unknown pooling method " + std::to_string(static_cast<int>(method)));
}

std::optional<std::array<double, 2>> mean_interval(const ScoreTable &table, size_t column, int step,
                                                   const ScoreRange &range)
{
    Spread all = table.left() > 0 ? table.pool(column).spread : Spread();
    for (size_t row = 0; row < table.rows(); ++row)
        all.add(table.value(row, column));
    if (step < 2 || all.count < 2 || !std::isfinite(all.squares))
        return std::nullopt;
    const auto count = static_cast<double>(all.count);
    const double variance = all.squares / (count - 1) / count * (1 - 1.0 / step);
    const double half = student(all.count - 1) * std::sqrt(variance);
    const double middle = mean(table, column);
    return std::array{std::max(middle - half, range.min), std::min(middle + half, range.max)};
}

} // namespace vmafgpu
