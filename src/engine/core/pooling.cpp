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

/// Names in the order of VmafGpuPool.
constexpr std::array kNames = {"min",   "max",   "mean",   "harmonic_mean",
                               "perc1", "perc5", "perc10", "perc20"};
constexpr std::array kPercents = {0, 0, 0, 0, 1, 5, 10, 20};

/// Pools all values of a column, in their order, also of rows that the table no longer holds.
RunningPool pool_of(const ScoreTable &table, size_t column)
{
    RunningPool all = table.pool(column);
    for (size_t row = 0; row < table.rows(); ++row)
        all.add(table.value(row, column));
    return all;
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

/// Linear between the neighbours, from the nearer one as numpy does.
double percentile(const ScoreTable &table, size_t column, int percent)
{
    if (table.left() > 0)
        throw Error(EINVAL, "percentiles need all pairs, and older ones were not kept: see "
                            "vmafgpu_stream_log()");
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

/// Student's t for 97.5 %. Beyond the table it is nearly a straight line over one divided by the
/// degrees of freedom, down to the normal distribution's.
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
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end() ? -EINVAL : static_cast<int>(found - kNames.begin());
}

double pooled(const ScoreTable &table, size_t column, VmafGpuPool method)
{
    if (column >= table.names().size())
        throw Error(EINVAL, "no score series " + std::to_string(column) + " (there are " +
                                std::to_string(table.names().size()) + ")");
    if (table.rows() == 0)
        throw Error(ENODATA, "nothing to pool: no pair has been scored yet");
    if (method > VMAFGPU_POOL_PERC20)
        throw Error(EINVAL, "unknown pooling method " + std::to_string(static_cast<int>(method)));
    if (const int percent = kPercents[method]; percent > 0)
        return percentile(table, column, percent);
    const RunningPool all = pool_of(table, column);
    const auto count = static_cast<double>(all.count);
    return method == VMAFGPU_POOL_MIN    ? all.min
           : method == VMAFGPU_POOL_MAX  ? all.max
           : method == VMAFGPU_POOL_MEAN ? all.sum / count
                                         : count / all.inverse_sum - 1.0;
}

std::optional<std::array<double, 2>> mean_interval(const ScoreTable &table, size_t column, int step,
                                                   const ScoreRange &range)
{
    const RunningPool all = pool_of(table, column);
    if (step < 2 || all.count < 2 || !std::isfinite(all.squares))
        return std::nullopt;
    const auto count = static_cast<double>(all.count);
    const double variance = all.squares / (count - 1) / count * (1 - 1.0 / step);
    const double half = student(all.count - 1) * std::sqrt(variance);
    const double middle = all.sum / count;
    return std::array{std::max(middle - half, range.min), std::min(middle + half, range.max)};
}

} // namespace vmafgpu
