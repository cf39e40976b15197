// SPDX-License-Identifier: BSD-2-Clause-Patent
// See displacement.h. Image registration by the method of Lucas and Kanade (1981): a shift and a
// stretch in each direction, of means first and of whole sketches then.
#include "pairing/displacement.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vmafgpu {

namespace {

/// Sums of a linear least squares problem.
template <size_t kUnknowns> class LeastSquares {
public:
    using Values = std::array<double, kUnknowns>;

    void add(const Values &row, double value)
    {
        for (size_t i = 0; i < kUnknowns; ++i) {
            for (size_t k = 0; k <= i; ++k)
                products_[i][k] += row[i] * row[k];
            right_[i] += row[i] * value;
        }
        squares_ += value * value;
    }

    /// Cholesky decomposition. What depends on the unknowns before it becomes 0.
    Values solve() const
    {
        constexpr double kDependent = 1e-6;
        std::array<Values, kUnknowns> lower = {};
        Values x = {};
        for (size_t i = 0; i < kUnknowns; ++i) {
            double rest = right_[i];
            for (size_t k = 0; k <= i; ++k) {
                double sum = products_[i][k];
                for (size_t j = 0; j < k; ++j)
                    sum -= lower[i][j] * lower[k][j];
                if (k < i)
                    lower[i][k] = lower[k][k] > 0 ? sum / lower[k][k] : 0;
                else
                    lower[i][i] = sum > kDependent * products_[i][i] ? std::sqrt(sum) : 0;
            }
            for (size_t k = 0; k < i; ++k)
                rest -= lower[i][k] * x[k];
            x[i] = lower[i][i] > 0 ? rest / lower[i][i] : 0;
        }
        for (size_t i = kUnknowns; i-- > 0;) {
            for (size_t k = i + 1; k < kUnknowns; ++k)
                x[i] -= lower[k][i] * x[k];
            x[i] = lower[i][i] > 0 ? x[i] / lower[i][i] : 0;
        }
        return x;
    }

    /// Sum of the squares that the solution leaves.
    double error() const
    {
        const Values x = solve();
        double rest = squares_;
        for (size_t i = 0; i < kUnknowns; ++i)
            rest -= x[i] * right_[i];
        return std::max(rest, 0.0);
    }

private:
    std::array<Values, kUnknowns> products_ = {}; ///< lower half
    Values right_ = {};
    double squares_ = 0;
};

/// A sketch, or its means of kBlock x kBlock samples.
template <int kBlock> struct BlockMeans {
    static constexpr int kWidth = kSketchWidth / kBlock, kHeight = kSketchHeight / kBlock;
    std::array<std::array<float, kWidth>, kHeight> samples = {};

    explicit BlockMeans(const uint8_t *sketch)
    {
        for (size_t i = 0; i < kSketchBytes; ++i)
            samples[i / kSketchWidth / kBlock][i % kSketchWidth / kBlock] +=
                static_cast<float>(sketch[i]) / (kBlock * kBlock);
    }

    /// A point between four samples, and the points that are whole samples beside it.
    struct Point {
        const BlockMeans &plane;
        double x, y;

        /// Whether all points up to one sample beside it lie in the picture.
        bool is_inside() const { return x >= 1 && y >= 1 && x < kWidth - 2 && y < kHeight - 2; }
        /// The sample so far beside the point: -1 to 1. Requires is_inside().
        double beside(int dx, int dy) const
        {
            const auto left = static_cast<size_t>(x), top = static_cast<size_t>(y);
            const double right = x - static_cast<double>(left), down = y - static_cast<double>(top);
            const size_t column = left + static_cast<size_t>(1 + dx) - 1;
            const size_t row = top + static_cast<size_t>(1 + dy) - 1;
            const auto mean = [column, right](const auto &line) {
                return line[column] * (1 - right) + line[column + 1] * right;
            };
            return mean(plane.samples[row]) * (1 - down) + mean(plane.samples[row + 1]) * down;
        }
    };
};

/// Main's sample at x shows the reference at x + shift + stretch * x. The unit is half a picture,
/// and the middle is 0.
struct Place {
    std::array<double, 2> shift = {}, stretch = {}; ///< for x and y

    /// Returns how far apart the edges are, in samples of a sketch; the largest distance counts.
    double distance(const Place &from) const
    {
        const double half[] = {kSketchWidth / 2.0, kSketchHeight / 2.0};
        double most = 0;
        for (const size_t i : {0, 1})
            most = std::max(most, half[i] * (std::abs(shift[i] - from.shift[i]) +
                                             std::abs(stretch[i] - from.stretch[i])));
        return most;
    }
};

struct Pictures {
    const uint8_t *main, *reference;
};

/// Bars are no part of a picture.
constexpr double kBlack = 24;

/// Calls visit(x, y, main's sample, point of the reference) for all samples that are not black, and
/// that lie in the reference for both places.
template <int kBlock, typename Visit> void
visit_samples(const Pictures &pictures, const Place &place, const Place &also, const Visit &visit)
{
    using Samples = BlockMeans<kBlock>;
    const Samples main(pictures.main), reference(pictures.reference);
    const double half[] = {Samples::kWidth / 2.0, Samples::kHeight / 2.0};
    for (int row = 0; row < Samples::kHeight; ++row)
        for (int column = 0; column < Samples::kWidth; ++column) {
            const double own = main.samples[static_cast<size_t>(row)][static_cast<size_t>(column)];
            const double x = (column + 0.5) / half[0] - 1, y = (row + 0.5) / half[1] - 1;
            const auto point = [&](const Place &where) -> typename Samples::Point {
                return {reference, column + (where.shift[0] + where.stretch[0] * x) * half[0],
                        row + (where.shift[1] + where.stretch[1] * y) * half[1]};
            };
            const auto is_picture = [](const auto &at) {
                return at.is_inside() && at.beside(0, 0) >= kBlack;
            };
            const auto at = point(place);
            if (own >= kBlack && is_picture(at) && is_picture(point(also)))
                visit(x, y, own, at);
        }
}

/// One step towards the place where the pictures differ least.
template <int kBlock> void improve(const std::vector<Pictures> &pairs, Place &place)
{
    LeastSquares<6> fit; // constant, contrast, and the place
    for (const Pictures &pictures : pairs)
        visit_samples<kBlock>(
            pictures, place, place, [&fit](double x, double y, double main, const auto &at) {
                const double to_right =
                    (at.beside(1, 0) - at.beside(-1, 0)) * (BlockMeans<kBlock>::kWidth / 4.0);
                const double down =
                    (at.beside(0, 1) - at.beside(0, -1)) * (BlockMeans<kBlock>::kHeight / 4.0);
                fit.add({1, at.beside(0, 0), to_right, to_right * x, down, down * y}, main);
            });
    const auto found = fit.solve();
    const double contrast = std::max(found[1], 0.25);
    for (const size_t i : {0, 1}) {
        place.shift[i] += found[2 + 2 * i] / contrast;
        place.stretch[i] += found[3 + 2 * i] / contrast;
    }
}

constexpr int kSteps = 4;

template <int kBlock>
Place place_near(const std::vector<Pictures> &pairs, Place place, int steps = kSteps)
{
    for (int i = 0; i < steps; ++i)
        improve<kBlock>(pairs, place);
    return place;
}

/// How far the places of some of the pairs and of the others are from each other.
double spread(const std::vector<Pictures> &pairs, const Place &place)
{
    const auto half = pairs.begin() + static_cast<ptrdiff_t>(pairs.size() / 2);
    return place_near<1>({pairs.begin(), half}, place)
        .distance(place_near<1>({half, pairs.end()}, place));
}

/// Mean square that a constant and the contrast of each pair leave of the samples that have both
/// places. It is 0 if those are few, as in the dark: they fit anything.
double error_at(const std::vector<Pictures> &pairs, const Place &place, const Place &also)
{
    double sum = 0, count = 0;
    for (const Pictures &pictures : pairs) {
        LeastSquares<2> fit;
        visit_samples<1>(pictures, place, also, [&](double, double, double main, const auto &at) {
            fit.add({1, at.beside(0, 0)}, main);
            ++count;
        });
        sum += fit.error();
    }
    const double enough = kSketchBytes / 4.0 * static_cast<double>(pairs.size());
    return count < enough ? 0 : sum / count;
}

/// The error of blends of the reference pictures around the partners.
double error_of_blends(const std::vector<PartneredPicture> &pairs,
                       const ReferenceSketches &reference)
{
    constexpr size_t kNear = 2, kPictures = 2 * kNear + 1;
    double sum = 0, count = 0;
    for (const auto &[main, number] : pairs) {
        LeastSquares<kPictures + 1> fit;
        std::array<const uint8_t *, kPictures> near = {};
        for (size_t i = 0; i < kPictures; ++i)
            near[i] = reference(number + static_cast<int64_t>(i) - int64_t{kNear});
        for (size_t at = 0; near[kNear] != nullptr && at < kSketchBytes; ++at) {
            if (std::min(main[at], near[kNear][at]) < kBlack)
                continue;
            std::array<double, kPictures + 1> row = {1};
            for (size_t i = 0; i < kPictures; ++i)
                row[i + 1] = near[i] == nullptr ? 0 : near[i][at];
            fit.add(row, main[at]);
            ++count;
        }
        sum += fit.error();
    }
    return sum / std::max(count, 1.0);
}

/// Pairs that have a reference picture so many frames behind their partner.
std::vector<Pictures> pictures_at(const std::vector<PartneredPicture> &pairs,
                                  const ReferenceSketches &reference, int64_t offset)
{
    std::vector<Pictures> all;
    for (const auto &[main, number] : pairs)
        if (const uint8_t *other = reference(number + offset); other != nullptr)
            all.push_back({main, other});
    return all;
}

bool has_detail(const std::vector<Pictures> &pairs)
{
    constexpr double kLeastVariance = 100;
    LeastSquares<1> main, reference;
    for (const Pictures &pictures : pairs)
        for (size_t i = 0; i < kSketchBytes; ++i) {
            main.add({1}, pictures.main[i]);
            reference.add({1}, pictures.reference[i]);
        }
    return std::min(main.error(), reference.error()) >
           kLeastVariance * kSketchBytes * static_cast<double>(pairs.size());
}

} // namespace

Displacement find_displacement(const std::vector<PartneredPicture> &pairs,
                               const ReferenceSketches &reference, int64_t furthest)
{
    constexpr double kBelow = 0.6, kNoise = 2; // a square: blur and sampling leave as much
    constexpr double kLeast = 0.5, kMost = 16; // distances: samples of a sketch
    const std::vector<Pictures> all = pictures_at(pairs, reference, 0);
    if (all.size() < 2 || !has_detail(all))
        return Displacement::kUnknown;
    constexpr int kMeans = 4;
    Place place = place_near<kMeans>(all, {}, 2);
    if (place.distance({}) < kLeast / 2) // that is soon told of most pictures
        return Displacement::kNone;
    place = place_near<kMeans>(all, place);
    const double straight = error_at(all, {}, place); // the rest takes longer
    if (straight * kBelow <= kNoise || error_at(all, place, {}) > 2 * straight)
        return Displacement::kNone;
    place = place_near<1>(all, place);
    const double error = error_at(all, place, {}), distance = place.distance({});
    const auto explains = [error](double other) {
        return other * kBelow <= error + kNoise;
    };
    if (distance < kLeast || distance > kMost || explains(error_at(all, {}, place)) ||
        explains(error_of_blends(pairs, reference)))
        return Displacement::kNone;
    if (spread(all, place) > std::max(distance / 4, kLeast / 2))
        return Displacement::kNone;
    // Pictures that move all alike fit others without it.
    for (int64_t offset = -furthest; offset <= furthest; ++offset)
        if (const auto others = pictures_at(pairs, reference, offset);
            2 * others.size() >= all.size() && explains(error_at(others, {}, place)))
            return Displacement::kNone;
    return Displacement::kFound;
}

} // namespace vmafgpu
