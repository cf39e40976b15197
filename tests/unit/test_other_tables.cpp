// SPDX-License-Identifier: BSD-2-Clause-Patent
// The tables of cambi, ciede, speed_chroma, psnr_hvs and float_ansnr against a second source: the
// formula that the table comes from, where there is one, else the published numbers, typed again.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "features/cambi/cambi.h"
#include "features/cambi/cambi_tables.h"
#include "features/ciede/ciede_tables.h"
#include "features/float_ansnr/float_ansnr_tables.h"
#include "features/psnr_hvs/psnr_hvs.h"
#include "features/psnr_hvs/psnr_hvs_tables.h"
#include "features/speed_chroma/speed_chroma.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "features/speed_chroma/speed_chroma_tables.h"
#include "psnr_hvs_tables.h"
#include "tables.h"

namespace vmafgpu {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// floor(2 log2 d), from 1 to 9: the bits of d * d less one.
int weight_of(int d)
{
    int bits = 0;
    while (d * d >> bits != 0)
        ++bits;
    return std::clamp(bits - 1, 1, 9);
}

TEST(CambiTables, ContrastWeights)
{
    std::vector<int> formula;
    for (int d = 1; d <= cambi::kMaxSteps; ++d)
        formula.push_back(weight_of(d));
    expect_table("kCambiWeights", cambi::kWeights, formula);
    expect_table("kCambiWeights", cambi::kWeights,
                 {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                  8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
}

TEST(CambiTables, ScaleWeights)
{
    for (int scale = 0; scale < cambi::kScales; ++scale)
        EXPECT_EQ(cambi::kScaleWeights[scale], 1 << (cambi::kScales - 1 - scale)) << scale;
}

/// 1 / n as nine significant decimal digits give it, and where that differs from the
/// float nearest to 1 / n.
TEST(CambiTables, Reciprocals)
{
    std::vector<int> up, down;
    const float *table = cambi::reciprocals_table();
    EXPECT_EQ(table[0], 0.0F);
    for (int n = 1; n < cambi::kReciprocals; ++n) {
        char digits[32];
        std::snprintf(digits, sizeof(digits), "%.8e", 1.0 / n);
        const float nine = std::strtof(digits, nullptr);
        EXPECT_EQ(table[n], nine) << n;
        const float nearest = static_cast<float>(1.0 / n);
        if (nine != nearest)
            (nine > nearest ? up : down).push_back(n);
    }
    expect_table("kCambiReciprocalUp", cambi::kReciprocalUp, up);
    expect_table("kCambiReciprocalDown", cambi::kReciprocalDown, down);
}

/// Luminance of a 10-bit level in limited range.
double luminance(int level, bool is_pq)
{
    const double signal = (std::min(std::max(level, 64), 940) - 64) / 876.0;
    if (is_pq) { // SMPTE ST 2084 by its rational constants
        const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128;
        const double c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32, c3 = 2392.0 / 4096 * 32;
        const double root = std::pow(signal, 1 / m2);
        return 10000 * std::pow(std::max(root - c1, 0.0) / (c2 - c3 * root), 1 / m1);
    }
    // ITU-R BT.1886, white 300 and black 0.01 cd/m2.
    const double white = std::pow(300, 1 / 2.4), black = std::pow(0.01, 1 / 2.4);
    const double gain = std::pow(white - black, 2.4), lift = black / (white - black);
    return gain * std::pow(std::max(signal + lift, 0.0), 2.4);
}

/// Largest level at which a step of `distance` is visible. By halving, as published: where
/// visibility does not fall steadily, the levels that are asked about decide.
int threshold(int distance, double visibility, bool is_pq)
{
    const auto is_visible = [&](int level) {
        const double base = luminance(level, is_pq);
        return luminance(level + distance, is_pq) - base > visibility * base;
    };
    int low = 64, high = 939 - distance;
    if (!is_visible(low))
        return 0;
    if (!is_visible(low + 1))
        return low;
    if (is_visible(high))
        return is_visible(high + 1) ? 1023 : high;
    for (;;) {
        const int middle = (low + high) / 2;
        if (!is_visible(middle))
            high = middle;
        else if (is_visible(middle + 1))
            low = middle;
        else
            return middle;
    }
}

TEST(CambiTables, VisibilityThresholds)
{
    for (const bool is_pq : {false, true}) {
        for (const double visibility : {0.005, 0.019, 0.03, 0.05, 0.1}) {
            cambi::Options options;
            options.max_log_contrast = 5;
            options.visibility = visibility;
            options.eotf = is_pq ? cambi::Eotf::kPq : cambi::Eotf::kBt1886;
            const cambi::Config config = cambi::config_of({640, 360, 10, Chroma::k400}, options);
            for (int d = 1; d <= cambi::kMaxSteps; ++d)
                EXPECT_EQ(config.thresholds[d - 1], threshold(d, visibility, is_pq))
                    << d << " " << visibility << " " << is_pq;
        }
    }
}

struct Kernel {
    double scale;
    int low_pass, local_mean; ///< lengths
};

/// The kernels as published, in libvmaf's order.
constexpr Kernel kKernels[] = {
    {1, 9, 3},        {0.5, 5, 3},      {1.5, 15, 3},     {2, 19, 5},       {0.666667, 7, 3},
    {2.4, 23, 5},     {3.71134, 35, 9}, {1.33333, 13, 3}, {1.16667, 11, 3}, {1.25, 13, 3},
    {1.41667, 13, 3}, {1.66667, 17, 5}, {3, 27, 7},       {0.444444, 5, 3}, {1.4746, 15, 3},
    {1.54, 15, 5},    {1.6, 15, 5},     {1.06667, 11, 3}, {0.711111, 7, 3}, {0.74074, 7, 3},
    {1.11111, 11, 3}};

/// A normalised Gaussian, in binary64 throughout.
std::vector<double> gaussian(int length, double sigma)
{
    std::vector<double> taps;
    double total = 0;
    for (int i = 0; i < length; ++i) {
        const double x = i - (length - 1) / 2.0;
        taps.push_back(std::exp(-x * x / (2 * sigma * sigma)));
        total += taps.back();
    }
    for (double &tap : taps)
        tap /= total;
    return taps;
}

void expect_taps(const std::vector<float> &taps, const std::vector<double> &exact, double scale)
{
    ASSERT_EQ(taps.size(), exact.size()) << scale;
    for (size_t i = 0; i < exact.size(); ++i)
        EXPECT_NEAR(taps[i] / exact[i], 1, 1e-6) << scale << " " << i;
}

speed_chroma::Config config_of(double scale)
{
    speed_chroma::Options options;
    options.kernel_scale = scale;
    return speed_chroma::config_of({640, 640, 8, Chroma::k420}, options);
}

TEST(SpeedChromaTables, Kernels)
{
    std::vector<float> scales;
    for (const Kernel &kernel : kKernels) {
        scales.push_back(static_cast<float>(kernel.scale));
        const speed_chroma::Config config = config_of(kernel.scale);
        expect_taps(config.low_pass, gaussian(kernel.low_pass, 2.0 * kernel.low_pass / 5),
                    kernel.scale);
        expect_taps(config.local_mean, gaussian(kernel.local_mean, kernel.local_mean / 5.0),
                    kernel.scale);
    }
    expect_table("kSpeedChromaKernelScales", speed_chroma::kKernelScales, scales);
    EXPECT_EQ(speed_chroma::kLowPassLength, 9);
    EXPECT_EQ(speed_chroma::kLocalMeanLength, 2);
}

/// Every bit of the kernels of scale 1, which all models use.
TEST(SpeedChromaTables, KernelsOfTheModels)
{
    const speed_chroma::Config config = config_of(1);
    EXPECT_EQ(config.low_pass, (std::vector<float>{0x1.35db8cp-4F, 0x1.95ed7p-4F, 0x1.ec4b3cp-4F,
                                                   0x1.1459bp-3F, 0x1.1f3866p-3F, 0x1.1459bp-3F,
                                                   0x1.ec4b3cp-4F, 0x1.95ed7p-4F, 0x1.35db8cp-4F}));
    EXPECT_EQ(config.local_mean,
              (std::vector<float>{0x1.54be42p-3F, 0x1.55a0dep-1F, 0x1.54be42p-3F}));
}

TEST(SpeedChromaTables, Constants)
{
    // Nearest one sample; two for bilinear; from -1 to 2; from -4 to 4.
    constexpr int kTaps[] = {1, 2, 4, 9};
    for (int method = 0; method < 4; ++method)
        EXPECT_EQ(resize_axis(static_cast<FloatResize>(method), 48, 32).taps, kTaps[method]);
    EXPECT_EQ(speed_chroma::kEntropy, std::log2(2 * kPi * std::exp(1.0)));
    EXPECT_EQ(speed_chroma::kTiny, 1e-6);
}

TEST(PsnrHvsTables, Sensitivity)
{
    for (int plane = 0; plane < 3; ++plane) {
        std::vector<float> second;
        for (int i = 0; i < 8; ++i)
            for (int j = i; j < 8; ++j)
                second.push_back(static_cast<float>(psnr_hvs_matrices()[plane][8 * i + j]));
        expect_table("kPsnrHvsSensitivity", psnr_hvs::kSensitivity[plane], second);
    }
}

/// Weights of the blocks, place by place: both halves of the matrices.
TEST(PsnrHvsTables, Weights)
{
    for (int plane = 0; plane < 3; ++plane) {
        const psnr_hvs::Weights weights = psnr_hvs::weights_of(plane);
        for (int i = 0; i < psnr_hvs::kTerms; ++i) {
            const auto sensitivity = static_cast<float>(psnr_hvs_matrices()[plane][i]);
            const double scaled = static_cast<double>(sensitivity) * 0.3885746225901003;
            EXPECT_EQ(weights.sensitivity[i], sensitivity) << plane << " " << i;
            EXPECT_EQ(weights.mask[i], static_cast<float>(scaled * scaled)) << plane << " " << i;
        }
    }
    EXPECT_EQ(psnr_hvs::weights_of(0).mask[1], 0x1.95764cp-1F);
    EXPECT_EQ(psnr_hvs::weights_of(0).mask[63], 0x1.d6fce2p-10F);
}

/// The quotient by a weight, from the weight's reciprocal. All fractions were tried once.
TEST(PsnrHvsTables, QuotientsByReciprocals)
{
    for (int plane = 0; plane < 3; ++plane) {
        const psnr_hvs::Weights weights = psnr_hvs::weights_of(plane);
        for (int i = 1; i < psnr_hvs::kTerms; ++i) {
            const float weight = weights.mask[i], reciprocal = 1 / weight;
            for (int fraction = i % 31; fraction < 1 << 23; fraction += 31) {
                const float v = 1 + static_cast<float>(fraction) * 0x1p-23F;
                const float near = v * reciprocal;
                const float quotient = std::fma(std::fma(-near, weight, v), reciprocal, near);
                ASSERT_EQ(quotient, v / weight) << plane << " " << i << " " << fraction;
            }
        }
    }
}

TEST(CiedeTables, QuickAtan)
{
    EXPECT_EQ(ciede::kTanEighthPi, std::tan(kPi / 8));
    for (int i = 1; i <= 100000; ++i) {
        const double t = i * (ciede::kTanEighthPi / 100000), square = t * t;
        double sum = 0;
        for (int k = ciede::kQuickAtanTerms - 1; k >= 0; --k)
            sum = sum * square + ciede::kQuickAtan[k];
        const long double exact = std::atan(static_cast<long double>(t));
        ASSERT_LT(std::fabs(t + t * square * sum - exact), exact * 0x1p-51L) << i;
    }
}

/// The 3 x 3 filter is binomial. The 5 x 5 filter is near a Gaussian, and symmetric, but its parts
/// add up to 571 only if the middle is 127, which no Gaussian has.
TEST(FloatAnsnrTables, Filters)
{
    const int binomial[3] = {1, 2, 1};
    for (int v = 0; v < 3; ++v)
        for (int u = 0; u < 3; ++u)
            EXPECT_EQ(float_ansnr::kReferenceTaps[v][u],
                      static_cast<float>(binomial[v] * binomial[u]) / 16.0F);
    const int triangle[6] = {127, 52, 12, 31, 7, 2}; // by distance: 00 01 02 11 12 22
    int sum = 0;
    for (int v = 0; v < 5; ++v) {
        for (int u = 0; u < 5; ++u) {
            const int far = std::max(std::abs(v - 2), std::abs(u - 2));
            const int near = std::min(std::abs(v - 2), std::abs(u - 2));
            const int part = triangle[near == 0 ? far : near + far + 1];
            EXPECT_EQ(float_ansnr::kDistortedTaps[v][u], static_cast<float>(part / 571.0))
                << v << " " << u;
            sum += part;
        }
    }
    EXPECT_EQ(sum, 571);
}

} // namespace
} // namespace vmafgpu
