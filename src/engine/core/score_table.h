// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scores of the pairs collected so far. Pooled values (pooling.cpp) and logs (report.cpp) are
// made from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vmafgpu {

/// Row-major table: one row per scored pair, one column per series.
class ScoreTable {
public:
    explicit ScoreTable(std::vector<std::string> names) : names_(std::move(names)) {}

    void add(int64_t index, const double *scores)
    {
        values_.insert(values_.end(), scores, scores + names_.size());
        try {
            indices_.push_back(index);
        } catch (...) { // no memory: as if nothing had been added
            values_.resize(values_.size() - names_.size());
            throw;
        }
    }
    /// New scores of a pair that has a row.
    void replace(int64_t index, const double *scores)
    {
        size_t row = indices_.size();
        while (row > 0 && indices_[row - 1] != index)
            --row;
        if (row > 0)
            std::copy_n(scores, names_.size(),
                        values_.begin() + static_cast<std::ptrdiff_t>((row - 1) * names_.size()));
    }
    void clear()
    {
        indices_.clear();
        values_.clear();
    }

    const std::vector<std::string> &names() const { return names_; }
    size_t rows() const { return indices_.size(); }
    /// Index of the pair of a row; gaps where pairs were left out.
    int64_t index(size_t row) const { return indices_[row]; }
    double value(size_t row, size_t column) const { return values_[row * names_.size() + column]; }

private:
    std::vector<std::string> names_;
    std::vector<int64_t> indices_;
    std::vector<double> values_;
};

} // namespace vmafgpu
