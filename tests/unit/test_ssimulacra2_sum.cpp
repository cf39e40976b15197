// SPDX-License-Identifier: BSD-2-Clause-Patent
// The arithmetic of ssimulacra2 on devices, on the host: sums that are cut into chunks have all
// bits of the serial sum, and the curve's division those of IEEE 754.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "features/ssimulacra2/ssimulacra2_math.h"
#include "features/ssimulacra2/ssimulacra2_sum.h"

namespace vmafgpu {
namespace {

constexpr int kTermsOfThread = 16;

struct Chunk {
    const double *terms;
    int count;
};

std::vector<Chunk> chunks_of(const std::vector<double> &terms)
{
    std::vector<Chunk> chunks;
    for (size_t i = 0; i < terms.size(); i += ssimulacra2::kChunkTerms)
        chunks.push_back({&terms[i], static_cast<int>(std::min<size_t>(ssimulacra2::kChunkTerms,
                                                                       terms.size() - i))});
    return chunks;
}

/// Terms begin .. begin + count - 1 as one step, halves first, as waves do; in both ways.
ssimulacra2::Step step_of(const double *terms, int count, int exponent)
{
    ssimulacra2::Step step;
    if (count <= kTermsOfThread) {
        ssimulacra2::Step other;
        for (int i = 0; i < count; ++i) {
            step.append_term(terms[i], exponent);
            other.append_by_sum(terms[i], exponent);
        }
        EXPECT_EQ(step.first(), other.first());
        EXPECT_EQ(step.second(), other.second());
        return step;
    }
    step = step_of(terms, count / 2, exponent);
    const ssimulacra2::Step later = step_of(terms + count / 2, count - count / 2, exponent);
    step.append(ssimulacra2::Step(later.first(), later.second()));
    return step;
}

/// A chunk's bounds, by sums of threads.
ssimulacra2::Bounds bounds_of(const Chunk &chunk, int &top)
{
    std::vector<double> sums;
    for (int i = 0; i < chunk.count; ++i)
        if (i % kTermsOfThread == 0)
            sums.push_back(chunk.terms[i]);
        else
            sums.back() += chunk.terms[i];
    top = 0;
    for (const double sum : sums)
        if (sum != 0)
            top = std::max(top, ssimulacra2::Bits(sum).exponent);
    int64_t units = 0;
    for (const double sum : sums)
        units += ssimulacra2::Bits(sum).units(top);
    return ssimulacra2::Bounds::of(units, top, chunk.count);
}

struct Counts {
    int stepped = 0, single = 0, ties = 0;
};

double sum_of(const std::vector<double> &terms, Counts &counts)
{
    double sum = 0;
    ssimulacra2::Bounds bounds = {};
    int chunks = 0;
    for (const Chunk &chunk : chunks_of(terms)) {
        int top = 0;
        const ssimulacra2::Bounds before = bounds;
        bounds.append(bounds_of(chunk, top));
        ++chunks;
        if (top == 0)
            continue;
        const auto until = static_cast<int>(chunk.terms + chunk.count - terms.data());
        const int exponent = ssimulacra2::exponent_of(before, bounds, until, chunks);
        if (exponent == ssimulacra2::kUnknown) {
            ++counts.single;
            for (int i = 0; i < chunk.count; ++i)
                sum += chunk.terms[i];
            continue;
        }
        ++counts.stepped;
        const ssimulacra2::Step step = step_of(chunk.terms, chunk.count, exponent);
        counts.ties += step.has_tie ? 1 : 0;
        sum = step.add_to(sum);
    }
    return sum;
}

double serial_sum(const std::vector<double> &terms)
{
    double sum = 0;
    for (const double term : terms)
        sum += term;
    return sum;
}

/// Terms of all sizes, with few bits so that ties are common, or with many.
std::vector<double> random_terms(std::mt19937_64 &random, size_t count, int bits, int spread)
{
    std::vector<double> terms(count);
    for (double &term : terms) {
        const auto mantissa = static_cast<double>(random() >> (64 - bits));
        const int exponent = static_cast<int>(random() % static_cast<uint64_t>(spread));
        term = std::ldexp(mantissa, -bits - exponent);
    }
    return terms;
}

TEST(Ssimulacra2Sum, EqualsSerialSum)
{
    std::mt19937_64 random(7);
    Counts counts;
    for (int round = 0; round < 60; ++round)
        for (const int bits : {1, 3, 24, 53})
            for (const int spread : {1, 20, 54, 60}) {
                const auto terms = random_terms(random, 1 + random() % 20000, bits, spread);
                ASSERT_EQ(sum_of(terms, counts), serial_sum(terms))
                    << round << " bits " << bits << " spread " << spread;
            }
    EXPECT_GT(counts.ties, 300);
    EXPECT_GT(counts.stepped, 3000);
}

/// Few chunks of a large picture are added term by term.
TEST(Ssimulacra2Sum, LargePicture)
{
    std::mt19937_64 random(8);
    Counts counts;
    const auto terms = random_terms(random, 1000000, 24, 20);
    EXPECT_EQ(sum_of(terms, counts), serial_sum(terms));
    EXPECT_GT(counts.stepped, 30 * counts.single);
}

/// Half of the last place: up only if the sum is odd.
TEST(Ssimulacra2Sum, Ties)
{
    const int exponent = ssimulacra2::Bits(1.0).exponent;
    for (const double sum : {1.0, 1.0 + 0x1p-52, 1.0 + 0x1p-51, 1.0 + 0x3p-52})
        for (const double first : {0x1p-53, 0x3p-53, 0x1p-52, 0x1.8p-53, 0x1p-54, 0x1p-60})
            for (const double second : {0x1p-53, 0x3p-53, 0x5p-53, 0x1p-52, 0.0}) {
                const double terms[] = {first, second};
                const ssimulacra2::Step step = step_of(terms, 2, exponent);
                EXPECT_EQ(step.add_to(sum), sum + first + second) << sum << first << second;
            }
}

TEST(Ssimulacra2Sum, SmallAndGrowing)
{
    Counts counts;
    std::vector<double> terms(3000, 0x1p-1074);
    EXPECT_EQ(sum_of(terms, counts), serial_sum(terms)); // subnormal
    for (size_t i = 0; i < terms.size(); ++i)
        terms[i] = std::ldexp(1.0, std::min(static_cast<int>(i) - 1100, 1000));
    EXPECT_EQ(sum_of(terms, counts), serial_sum(terms)); // grows with each term
    terms.assign(5000, 0.0);
    EXPECT_EQ(sum_of(terms, counts), 0.0);
    terms[4999] = 1.5;
    EXPECT_EQ(sum_of(terms, counts), 1.5);
    terms[0] = 0x1p+80;
    EXPECT_EQ(sum_of(terms, counts), 0x1p+80);
}

/// The quotient is right for all arguments, and for all estimates that a device may have.
TEST(Ssimulacra2Curve, DividesAsIeee754Says)
{
    const uint32_t end = bits_of_float(1.0F);
    for (uint32_t bits = bits_of_float(ssimulacra2::kCurveFrom) + 1; bits <= end; ++bits) {
        const ssimulacra2::Curve curve(float_of_bits(bits));
        const float estimate = 1.0F / curve.q;
        for (const float near :
             {estimate, std::nextafter(estimate, 0.0F), std::nextafter(estimate, 9.0F)})
            ASSERT_EQ(ssimulacra2::exact_quotient(curve.p, curve.q, near), curve.p / curve.q)
                << bits;
    }
}

} // namespace
} // namespace vmafgpu
