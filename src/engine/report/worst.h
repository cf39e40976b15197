// SPDX-License-Identifier: BSD-2-Clause-Patent
// Which pairs a page lists as the worst ones, and how many of them it shows pictures of: the same
// rule while they come and when the page is written.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace vmafgpu {

/// The lowest values of a series so far, worst first; not a number comes first of all.
class Worst {
public:
    using Entry = std::pair<double, int64_t>; ///< value, and the number of its row or pair

    explicit Worst(size_t most) : most_(most) {}

    void add(double value, int64_t number)
    {
        const Entry entry = {std::isnan(value) ? -HUGE_VAL : value, number};
        if (list_.size() == most_ && !(entry < list_.back()))
            return;
        list_.insert(std::upper_bound(list_.begin(), list_.end(), entry), entry);
        if (list_.size() > most_)
            list_.pop_back();
    }
    const std::vector<Entry> &list() const { return list_; }
    bool has(int64_t number) const
    {
        return std::any_of(list_.begin(), list_.end(),
                           [&](const Entry &entry) { return entry.second == number; });
    }

private:
    size_t most_;
    std::vector<Entry> list_;
};

/// The series that most readers came for, each with worst pairs: the models', else the first one.
inline std::vector<size_t> main_columns(const std::vector<size_t> &model_columns)
{
    return model_columns.empty() ? std::vector<size_t>{0} : model_columns;
}

/// Pairs that have pictures, of each of so many series.
inline size_t most_pictured(size_t series)
{
    constexpr size_t kEach = 6, kAll = 24; // with several series it is about kAll
    return std::clamp<size_t>(kAll / series, 1, kEach);
}

} // namespace vmafgpu
