// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scores of the pairs collected so far. Pooled values (pooling.cpp) and logs (report.cpp) are
// made from it. If it is limited, older rows leave it: their pools stay, and whoever wants the rows
// gets them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace vmafgpu {

/// Sums and extremes of the values of a series, in their order: all that pooling needs but for
/// percentiles.
struct RunningPool {
    uint64_t count = 0;
    double sum = 0, inverse_sum = 0, min = 0, max = 0;
    double mean = 0, squares = 0; ///< mean, and squared distances from it (Welford's method)

    void add(double value)
    {
        sum = sum + value;
        inverse_sum = inverse_sum + 1.0 / (value + 1.0);
        if (count == 0 || value < min)
            min = value;
        if (count == 0 || value > max)
            max = value;
        const double before = value - mean;
        mean += before / static_cast<double>(++count);
        squares += before * (value - mean);
    }
};

/// Row-major table: one row per scored pair, one column per series.
class ScoreTable {
public:
    explicit ScoreTable(std::vector<std::string> names)
        : names_(std::move(names)), pools_(names_.size())
    {
    }

    /// Replaces the names; their number stays.
    void rename(std::vector<std::string> names) { names_ = std::move(names); }
    void add(int64_t index, const double *scores)
    {
        values_.insert(values_.end(), scores, scores + names_.size());
        indices_.push_back(index);
        if (is_limited_ && rows() > kKept)
            drop(rows() - kReplaced);
    }
    /// Takes a row that leaves the table: (index, scores). It may not throw.
    using Sink = std::function<void(int64_t, const double *)>;

    /// Rows leave the table when there are more than kKept.
    void limit(Sink sink)
    {
        is_limited_ = true;
        sink_ = std::move(sink);
    }
    /// New scores of a pair that has a row.
    void replace(int64_t index, const double *scores)
    {
        const size_t row = find(index);
        if (row < rows())
            std::copy_n(scores, names_.size(),
                        values_.begin() + static_cast<std::ptrdiff_t>(row * names_.size()));
    }
    /// The first row of a pair from `index` on, or rows().
    size_t first_from(int64_t index) const
    {
        return static_cast<size_t>(std::lower_bound(indices_.begin(), indices_.end(), index) -
                                   indices_.begin());
    }
    /// The row of a pair, or rows() if it has none.
    size_t find(int64_t index) const
    {
        const size_t row = first_from(index);
        return row < rows() && indices_[row] == index ? row : rows();
    }
    void clear()
    {
        indices_.clear();
        values_.clear();
        left_ = 0;
        pools_.assign(pools_.size(), RunningPool());
    }

    const std::vector<std::string> &names() const { return names_; }
    size_t rows() const { return indices_.size(); }
    /// Returns the number of rows that have left the table.
    size_t left() const { return left_; }
    const RunningPool &pool(size_t column) const { return pools_[column]; }
    /// Index of the pair of a row; gaps where pairs were left out.
    int64_t index(size_t row) const { return indices_[row]; }
    double value(size_t row, size_t column) const { return values_[row * names_.size() + column]; }

    static constexpr size_t kKept = 16384;

private:
    /// The latest rows stay, since replace() may come for them.
    static constexpr size_t kReplaced = 64;

    /// Removes the oldest rows.
    void drop(size_t count)
    {
        const size_t columns = names_.size();
        for (size_t row = 0; row < count; ++row) {
            if (sink_)
                sink_(indices_[row], &values_[row * columns]);
            for (size_t i = 0; i < columns; ++i)
                pools_[i].add(value(row, i));
        }
        left_ += count;
        indices_.erase(indices_.begin(), indices_.begin() + static_cast<std::ptrdiff_t>(count));
        values_.erase(values_.begin(),
                      values_.begin() + static_cast<std::ptrdiff_t>(count * columns));
    }

    std::vector<std::string> names_;
    std::vector<int64_t> indices_;
    std::vector<double> values_;
    bool is_limited_ = false;
    size_t left_ = 0;
    std::vector<RunningPool> pools_; ///< pooled values of rows that the table no longer holds
    Sink sink_;
};

} // namespace vmafgpu
