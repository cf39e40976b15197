// SPDX-License-Identifier: BSD-2-Clause-Patent
// How the table tests compare: entry by entry, each mismatch with its place.
#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace vmafgpu {

/// A table of the engine against its second source. Both must have the same length.
template <typename T, size_t n>
void expect_table(const char *name, const T (&table)[n], const std::vector<T> &second)
{
    ASSERT_EQ(second.size(), n) << name;
    for (size_t i = 0; i < n; ++i)
        EXPECT_EQ(table[i], second[i]) << name << "[" << i << "]";
}

/// expect_table() for a table of rows. `second` has all rows in one list.
template <typename T, size_t rows, size_t columns>
void expect_rows(const char *name, const T (&table)[rows][columns], const std::vector<T> &second)
{
    ASSERT_EQ(second.size(), rows * columns) << name;
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
            EXPECT_EQ(table[row][column], second[row * columns + column])
                << name << "[" << row << "][" << column << "]";
}

} // namespace vmafgpu
