// SPDX-License-Identifier: BSD-2-Clause-Patent
// Pooled values against libvmaf's (to the last bit) and, for percentiles,
// numpy's.
#include "core/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model_fixtures.h"

namespace vmafgpu::pooling_test {
namespace {

ScoreTable history_of(const std::vector<double> &values, int64_t step = 1)
{
    ScoreTable history({"other", "vmaf"});
    for (size_t i = 0; i < values.size(); ++i) {
        const double row[] = {1000.0, values[i]};
        history.add(static_cast<int64_t>(i) * step, row);
    }
    return history;
}

struct Pooled {
    std::vector<double> values;
    double min, max, mean, harmonic_mean;
};

TEST(Pool, EqualsLibvmafToTheLastBit)
{
    const Pooled vectors[] = {
        {{84.50786657180393, 95.899279028663997, 96.244802684678859},
         84.50786657180393,
         96.244802684678859,
         92.217316095048929,
         91.884575326854801},
        {{83.533905263119919, 94.699580624275939, 94.895494506657059},
         83.533905263119919,
         94.895494506657059,
         91.042993464684301,
         90.723601654610064},
        {{89.804825146124571, 96.519065670784315, 96.818811800245712},
         89.804825146124571,
         96.818811800245712,
         94.380900872384871,
         94.268284134277124},
    };
    for (const Pooled &vector : vectors)
        for (const int64_t step : {1, 3}) {
            const ScoreTable history = history_of(vector.values, step);
            EXPECT_EQ(pooled(history, 1, VMAFGPU_POOL_MIN), vector.min);
            EXPECT_EQ(pooled(history, 1, VMAFGPU_POOL_MAX), vector.max);
            EXPECT_EQ(pooled(history, 1, VMAFGPU_POOL_MEAN), vector.mean);
            EXPECT_EQ(pooled(history, 1, VMAFGPU_POOL_HARMONIC_MEAN), vector.harmonic_mean);
            EXPECT_EQ(pooled(history, 0, VMAFGPU_POOL_MEAN), 1000);
        }
}

TEST(Pool, PercentilesEqualNumpy)
{
    const ScoreTable three =
        history_of({95.899279028663997, 96.244802684678859, 84.50786657180393});
    EXPECT_EQ(pooled(three, 1, VMAFGPU_POOL_PERC1), 84.735694820941134);
    EXPECT_EQ(pooled(three, 1, VMAFGPU_POOL_PERC5), 85.647007817489936);
    EXPECT_EQ(pooled(three, 1, VMAFGPU_POOL_PERC10), 86.786149063175941);
    EXPECT_EQ(pooled(three, 1, VMAFGPU_POOL_PERC20), 89.064431554547951);
    std::vector<double> values;
    for (int i = 0; i < 37; ++i)
        values.push_back((i * 7919 % 101) / 7.0);
    const ScoreTable many = history_of(values);
    EXPECT_EQ(pooled(many, 1, VMAFGPU_POOL_PERC1), 0.15428571428571428);
    EXPECT_EQ(pooled(many, 1, VMAFGPU_POOL_PERC5), 0.77142857142857135);
    EXPECT_EQ(pooled(many, 1, VMAFGPU_POOL_PERC10), 1.5428571428571429);
    EXPECT_EQ(pooled(many, 1, VMAFGPU_POOL_PERC20), 3.0285714285714285);
}

TEST(Pool, PercentileStartsFromTheNearerNeighbour)
{
    const ScoreTable history =
        history_of({33.79, 30.996, 81.852, 48.075, 31.579, 48.122, 70.467, 5.7, 97.51, 2.287});
    EXPECT_EQ(pooled(history, 1, VMAFGPU_POOL_PERC20), 25.936799999999998);
}

TEST(Pool, OneRow)
{
    for (const VmafGpuPool method :
         {VMAFGPU_POOL_MIN, VMAFGPU_POOL_MAX, VMAFGPU_POOL_MEAN, VMAFGPU_POOL_PERC1,
          VMAFGPU_POOL_PERC5, VMAFGPU_POOL_PERC10, VMAFGPU_POOL_PERC20})
        EXPECT_EQ(pooled(history_of({83.3}), 1, method), 83.3);
    EXPECT_EQ(pooled(history_of({83.3}), 1, VMAFGPU_POOL_HARMONIC_MEAN),
              1.0 / (1.0 / (83.3 + 1.0)) - 1.0);
}

TEST(Pool, Nan)
{
    const double nan = std::nan("");
    const ScoreTable first = history_of({nan, 3, 5});
    const ScoreTable later = history_of({3, nan, 5});
    for (const VmafGpuPool method :
         {VMAFGPU_POOL_MEAN, VMAFGPU_POOL_HARMONIC_MEAN, VMAFGPU_POOL_PERC1, VMAFGPU_POOL_PERC20}) {
        EXPECT_TRUE(std::isnan(pooled(first, 1, method)));
        EXPECT_TRUE(std::isnan(pooled(later, 1, method)));
    }
    EXPECT_TRUE(std::isnan(pooled(first, 1, VMAFGPU_POOL_MIN)));
    EXPECT_TRUE(std::isnan(pooled(first, 1, VMAFGPU_POOL_MAX)));
    EXPECT_EQ(pooled(later, 1, VMAFGPU_POOL_MIN), 3);
    EXPECT_EQ(pooled(later, 1, VMAFGPU_POOL_MAX), 5);
    EXPECT_EQ(pooled(history_of({-1, -1}), 1, VMAFGPU_POOL_HARMONIC_MEAN), -1);
}

// numpy subtracts infinities, and has NaN in each of these.
TEST(Pool, PercentilesOfInfinities)
{
    const double inf = std::numeric_limits<double>::infinity();
    for (const double value : {inf, -inf}) {
        EXPECT_EQ(pooled(history_of({value}), 1, VMAFGPU_POOL_PERC1), value);
        EXPECT_EQ(pooled(history_of({value, value, value}), 1, VMAFGPU_POOL_PERC10), value);
    }
    const ScoreTable above = history_of({3, inf});
    EXPECT_EQ(pooled(above, 1, VMAFGPU_POOL_PERC1), inf);
    EXPECT_EQ(pooled(history_of({-inf, 3}), 1, VMAFGPU_POOL_PERC20), -inf);
    // A place that is a value's own: the neighbour does not count.
    EXPECT_EQ(pooled(history_of({1, 2, inf, inf, inf, inf}), 1, VMAFGPU_POOL_PERC20), 2);
    // Beyond the middle of its neighbours.
    EXPECT_EQ(pooled(history_of({1, 2, inf, inf, inf, inf, inf, inf, inf}), 1, VMAFGPU_POOL_PERC20),
              inf);
    EXPECT_TRUE(std::isnan(pooled(history_of({-inf, inf}), 1, VMAFGPU_POOL_PERC20)));
}

TEST(Pool, NothingToPool)
{
    const ScoreTable empty({"vmaf"});
    for (int method = VMAFGPU_POOL_MIN; method <= VMAFGPU_POOL_PERC20; ++method)
        expect_error(error_of([&] { pooled(empty, 0, static_cast<VmafGpuPool>(method)); }), ENODATA,
                     "no pair has been scored");
    expect_error(error_of([&] { pooled(history_of({1}), 2, VMAFGPU_POOL_MIN); }), EINVAL,
                 "no score series 2");
    expect_error(error_of([&] { pooled(history_of({1}), 1, static_cast<VmafGpuPool>(99)); }),
                 EINVAL, "unknown pooling method 99");
}

TEST(Pool, ByName)
{
    EXPECT_EQ(pool_by_name("min"), VMAFGPU_POOL_MIN);
    EXPECT_EQ(pool_by_name("max"), VMAFGPU_POOL_MAX);
    EXPECT_EQ(pool_by_name("mean"), VMAFGPU_POOL_MEAN);
    EXPECT_EQ(pool_by_name("harmonic_mean"), VMAFGPU_POOL_HARMONIC_MEAN);
    EXPECT_EQ(pool_by_name("perc1"), VMAFGPU_POOL_PERC1);
    EXPECT_EQ(pool_by_name("perc5"), VMAFGPU_POOL_PERC5);
    EXPECT_EQ(pool_by_name("perc10"), VMAFGPU_POOL_PERC10);
    EXPECT_EQ(pool_by_name("perc20"), VMAFGPU_POOL_PERC20);
    EXPECT_EQ(pool_by_name(""), -EINVAL);
    EXPECT_EQ(pool_by_name("Mean"), -EINVAL);
    EXPECT_EQ(pool_by_name("perc"), -EINVAL);
}

/// Returns the share of Student's distribution between -t and t, by Simpson's rule.
double share_within(double t, double freedom)
{
    constexpr int kSteps = 20000;
    double sum = 0;
    for (int i = 0; i <= kSteps; ++i) {
        const double x = t * i / kSteps;
        const double weight = i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * std::pow(1 + x * x / freedom, -(freedom + 1) / 2);
    }
    const double scale = std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2));
    return 2 * scale / std::sqrt(freedom * std::acos(-1)) * sum * t / kSteps / 3;
}

TEST(MeanInterval, HoldsNinetyFivePercent)
{
    for (const int count : {2, 3, 4, 5, 7, 11, 20, 21, 22, 30, 61, 1000}) {
        std::vector<double> values;
        double squares = 0;
        for (int i = 0; i < count; ++i)
            values.push_back(50 + (i % 2 == 0 ? 1 : -1) * (1 + i % 3));
        const ScoreTable history = history_of(values, 4);
        const double mean = pooled(history, 1, VMAFGPU_POOL_MEAN);
        for (const double value : values)
            squares += (value - mean) * (value - mean);
        const auto ends = mean_interval(history, 1, 4);
        ASSERT_TRUE(ends) << count;
        EXPECT_NEAR(mean - (*ends)[0], (*ends)[1] - mean, 1e-9);
        // Three quarters of the pairs were left out.
        const double error = std::sqrt(squares / (count - 1) / count * 0.75);
        EXPECT_NEAR(share_within(((*ends)[1] - mean) / error, count - 1), 0.95, 2e-4) << count;
    }
}

TEST(MeanInterval, WithinTheRangeOfTheScores)
{
    const ScoreTable history = history_of({100, 60, 100}, 4);
    const auto free = *mean_interval(history, 1, 4);
    EXPECT_GT(free[1], 100);
    EXPECT_EQ(mean_interval(history, 1, 4, {0, 100}), (std::array{free[0], 100.0}));
    EXPECT_EQ(mean_interval(history, 1, 4, {60, 200}), (std::array{60.0, free[1]}));
}

TEST(MeanInterval, NoneWithoutAnEstimate)
{
    EXPECT_FALSE(mean_interval(history_of({90, 80, 70}), 1, 1)); // all pairs were scored
    EXPECT_FALSE(mean_interval(history_of({90}), 1, 4));
    EXPECT_FALSE(mean_interval(history_of({}), 1, 4));
    EXPECT_FALSE(mean_interval(history_of({90, NAN}), 1, 4));
    EXPECT_FALSE(mean_interval(history_of({90, INFINITY}), 1, 4));
    const auto equal = mean_interval(history_of({90, 90, 90}), 1, 4);
    EXPECT_EQ(equal, (std::array<double, 2>{90, 90}));
    // A rounding of the mean would leave squares below 0, and an interval of NaN.
    EXPECT_EQ(mean_interval(history_of({0.1, 0.1}), 1, 4), (std::array<double, 2>{0.1, 0.1}));
}

} // namespace
} // namespace vmafgpu::pooling_test
