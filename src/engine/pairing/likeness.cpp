// SPDX-License-Identifier: BSD-2-Clause-Patent
// See likeness.h.
#include "pairing/likeness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace vmafgpu {

namespace {

/// A picture of a sketch's means, for what blur, noise and sampling leave.
constexpr int kMeansOf = 4, kColumns = kSketchWidth / kMeansOf, kRows = kSketchHeight / kMeansOf;
using Means = std::array<std::array<int, kColumns>, kRows>; ///< times kMeansOf squared

Means means_of(const Sketch &sketch)
{
    Means means = {};
    for (size_t row = 0; row < kRows; ++row) {
        std::array<uint16_t, kSketchWidth> sums = {}; // whole rows first: compilers vectorise that
        const uint8_t *samples = &sketch[row * kMeansOf * kSketchWidth];
        for (size_t line = 0; line < kMeansOf; ++line, samples += kSketchWidth)
            for (size_t column = 0; column < kSketchWidth; ++column)
                sums[column] = static_cast<uint16_t>(sums[column] + samples[column]);
        for (size_t column = 0; column < kColumns; ++column)
            for (size_t i = 0; i < kMeansOf; ++i)
                means[row][column] += sums[column * kMeansOf + i];
    }
    return means;
}

/// A part of a picture's means.
struct Area {
    int top = 0, bottom = kRows, left = 0, right = kColumns;

    int count() const { return (bottom - top) * (right - left); }
};

/// Whether every so many samples of a sketch are black, except for noise.
bool is_black(const Sketch &sketch, int first, int step, int count)
{
    constexpr int kBlack = 24;
    const uint8_t *samples = sketch.data() + first;
    for (int i = 0; i < count; i += kMeansOf) {
        int sum = 0;
        for (int k = i; k < i + kMeansOf; ++k)
            sum += samples[static_cast<ptrdiff_t>(k) * step];
        if (sum > kBlack * kMeansOf)
            return false;
    }
    return true;
}

/// Cuts off black bars, and the means that they darken.
void cut_bars(const Sketch &sketch, Area &area)
{
    const auto is_black_row = [&sketch](int row) {
        return is_black(sketch, row * kSketchWidth, 1, kSketchWidth);
    };
    const auto is_black_column = [&sketch](int column) {
        return is_black(sketch, column, kSketchWidth, kSketchHeight);
    };
    while (area.top < area.bottom && is_black_row(area.top * kMeansOf))
        ++area.top;
    while (area.top < area.bottom && is_black_row(area.bottom * kMeansOf - 1))
        --area.bottom;
    while (area.left < area.right && is_black_column(area.left * kMeansOf))
        ++area.left;
    while (area.left < area.right && is_black_column(area.right * kMeansOf - 1))
        --area.right;
}

/// How much a picture changes from place to place.
int detail_of(const Sketch &sketch)
{
    return absolute_difference(sketch.data(), sketch.data() + 1, sketch.size() - 1);
}

/// Correlation of a part of two pictures, or kNoLikeness.
double likeness_in(const Area &area, const Means &a, const Means &b)
{
    constexpr int kLeastCount = kRows * kColumns / 10;
    constexpr double kLevel = kMeansOf * kMeansOf;
    constexpr double kBlank = 9 * kLevel * kLevel, kPicture = 400 * kLevel * kLevel; // variances
    const int n = area.count();
    int64_t sum_a = 0, sum_b = 0, square_a = 0, square_b = 0, product = 0;
    for (int row = area.top; row < area.bottom; ++row)
        for (int column = area.left; column < area.right; ++column) {
            const int64_t x = a[static_cast<size_t>(row)][static_cast<size_t>(column)];
            const int64_t y = b[static_cast<size_t>(row)][static_cast<size_t>(column)];
            sum_a += x;
            sum_b += y;
            square_a += x * x;
            square_b += y * y;
            product += x * y;
        }
    if (n < kLeastCount)
        return kNoLikeness;
    const auto variance = [n](int64_t products, int64_t sum, int64_t other) {
        return static_cast<double>(products * n - sum * other) / (static_cast<double>(n) * n);
    };
    const auto [less, more] =
        std::minmax({variance(square_a, sum_a, sum_a), variance(square_b, sum_b, sum_b)});
    if (less < kBlank)
        return more < kPicture ? kNoLikeness : 0;
    return variance(product, sum_a, sum_b) / std::sqrt(less * more);
}

/// What each mean of 2x2 samples has more than the mean of those around it, times 4: neither light
/// nor a vignette has a part in that.
using Detail = std::array<std::array<float, kSketchWidth / 2>, kSketchHeight / 2>;

/// The area is of means of kMeansOf samples.
Detail detail_in(const Area &area, const Sketch &sketch)
{
    constexpr size_t kScale = kMeansOf / 2, kWidth = kSketchWidth / 2, kHeight = kSketchHeight / 2;
    const auto places = [](int begin, int end) {
        return std::make_pair(static_cast<size_t>(begin) * kScale,
                              static_cast<size_t>(end) * kScale);
    };
    const auto [top, bottom] = places(area.top, area.bottom);
    const auto [left, right] = places(area.left, area.right);
    // Sums of 2x2 samples and of three such sums side by side, 0 around the area.
    std::array<std::array<int, kWidth + 2>, kHeight + 2> sums = {}, threes = {};
    for (size_t row = top; row < bottom; ++row)
        for (size_t column = left; column < right; ++column) {
            const uint8_t *at = sketch.data() + row * 2 * kSketchWidth + column * 2;
            sums[row + 1][column + 1] = at[0] + at[1] + at[kSketchWidth] + at[kSketchWidth + 1];
        }
    for (size_t row = top; row < bottom; ++row)
        for (size_t column = left; column < right; ++column)
            threes[row + 1][column + 1] =
                sums[row + 1][column] + sums[row + 1][column + 1] + sums[row + 1][column + 2];
    Detail detail = {};
    for (size_t row = top; row < bottom; ++row)
        for (size_t column = left; column < right; ++column) {
            const int sum =
                threes[row][column + 1] + threes[row + 1][column + 1] + threes[row + 2][column + 1];
            const int rows = 1 + (row > top ? 1 : 0) + (row + 1 < bottom ? 1 : 0);
            const int columns = 1 + (column > left ? 1 : 0) + (column + 1 < right ? 1 : 0);
            detail[row][column] = static_cast<float>(sums[row + 1][column + 1]) -
                                  static_cast<float>(sum) / static_cast<float>(rows * columns);
        }
    return detail;
}

/// Mean of the correlations of small tiles that have detail in both pictures: whatever lies over a
/// part of one of them leaves the others. It is kNoLikeness if few tiles have detail.
double likeness_of_detail(const Area &area, const Sketch &main, const Sketch &reference)
{
    constexpr int kWidth = 4, kHeight = 3;
    constexpr double kBlank = 64.0 * kWidth * kHeight;
    constexpr int kLeastTiles = 8;
    const Detail a = detail_in(area, main), b = detail_in(area, reference);
    double sum = 0;
    int tiles = 0;
    for (size_t top = 0; top < a.size(); top += kHeight)
        for (size_t left = 0; left < a[0].size(); left += kWidth) {
            double square_a = 0, square_b = 0, product = 0;
            for (size_t row = top; row < top + kHeight; ++row)
                for (size_t column = left; column < left + kWidth; ++column) {
                    square_a += a[row][column] * a[row][column];
                    square_b += b[row][column] * b[row][column];
                    product += a[row][column] * b[row][column];
                }
            if (std::min(square_a, square_b) < kBlank)
                continue;
            sum += product / std::sqrt(square_a * square_b);
            ++tiles;
        }
    return tiles < kLeastTiles ? kNoLikeness : sum / tiles;
}

} // namespace

double likeness_of(const Sketch &main, const Sketch &reference)
{
    constexpr int kLostDetail = 4;
    constexpr int kBars = 4; // the rest is more than a part of so many
    const Means a = means_of(main), b = means_of(reference);
    Sketch brighter;
    for (size_t i = 0; i < brighter.size(); ++i)
        brighter[i] = std::max(main[i], reference[i]);
    Area all; // bars of both would make any two films alike
    cut_bars(brighter, all);
    double likeness = likeness_in(all, a, b);
    if (likeness >= kAlike)
        return likeness;
    Area inner = all; // bars of one make it unlike
    cut_bars(main, inner);
    cut_bars(reference, inner);
    if (inner.count() * kBars > all.count()) {
        const double detail = likeness_of_detail(inner, main, reference);
        likeness = likeness_in(inner, a, b);
        if (detail != kNoLikeness)
            likeness = std::max(likeness, detail);
    }
    const bool is_very_bad = detail_of(main) * kLostDetail < detail_of(reference); // an encode
    return likeness != 0 && is_very_bad ? kNoLikeness : likeness;
}

} // namespace vmafgpu
