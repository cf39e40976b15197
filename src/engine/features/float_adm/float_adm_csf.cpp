// SPDX-License-Identifier: BSD-2-Clause-Patent
// Contrast sensitivity of float_adm from the viewing conditions. Every step is one operation in the
// stated precision: binary32 if the variable is a float, else binary64. log10, pow and exp are the
// engine's own (libm/libm.h).
#include <cmath>

#include "features/float_adm/float_adm.h"
#include "features/float_adm/float_adm_tables.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

constexpr double kPi = 3.14159265358979323846;

/// The reciprocal of Watson's quantisation step.
float watson_factor(float per_degree, int scale, int diagonal)
{
    constexpr float kAmplitude = 0.495F;
    constexpr float kCurve = 0.466F;
    constexpr float kCentre = 0.401F;
    const float orientation = diagonal != 0 ? 0.534F : 1.0F;
    const auto t = static_cast<float>(libm::log10(libm::pow(2.0, scale + 1) * kCentre *
                                                  orientation / static_cast<double>(per_degree)));
    const float exponent = kCurve * t * t;
    const auto step =
        static_cast<float>(2.0 * kAmplitude * libm::pow(10.0, static_cast<double>(exponent)) /
                           static_cast<double>(kFloatAdmWatson[scale][diagonal]));
    return 1.0F / step;
}

/// A parameter at the luminance 100, from those at 20 and 150.
float barten_parameter(int index)
{
    const auto low = static_cast<float>(libm::log10(20.0));
    const auto high = static_cast<float>(libm::log10(150.0));
    const auto here = static_cast<float>(libm::log10(100.0));
    const float first = kFloatAdmBarten[index][0];
    const float second = kFloatAdmBarten[index][1];
    return first + ((second - first) / (high - low)) * (here - low);
}

float barten_factor(float frequency, double option)
{
    const float scaled = barten_parameter(0) * frequency;
    const auto rise = static_cast<float>(
        1 + libm::pow(static_cast<double>(scaled), static_cast<double>(barten_parameter(1))));
    const float seventh = frequency / 7;
    const double decay = 1 - libm::exp(-libm::pow(static_cast<double>(seventh), 2.0));
    const auto fall =
        static_cast<float>(1 / libm::pow(decay, static_cast<double>(barten_parameter(2))));
    const float product = rise * fall;
    const auto sensitivity = static_cast<float>(static_cast<double>(barten_parameter(3)) /
                                                libm::pow(static_cast<double>(product), 0.5));
    float transfer = 0;
    for (const auto &term : kFloatAdmBartenTerms) {
        const float exponent = -term[1] * frequency;
        transfer = static_cast<float>(static_cast<double>(transfer) +
                                      static_cast<double>(term[0]) *
                                          libm::exp(static_cast<double>(exponent)));
    }
    const float ratio = 4.0627F / 100.0F;
    const double power = libm::pow(static_cast<double>(ratio), static_cast<double>(1.6596F)) + 1;
    const auto adaptation = static_cast<float>(static_cast<double>(30.162F) *
                                               libm::pow(power, static_cast<double>(-0.2712F)));
    return static_cast<float>(static_cast<double>(sensitivity * transfer * adaptation) * option);
}

/// A bell over log frequency.
float bell_factor(float frequency)
{
    const double f = frequency;
    return static_cast<float>((0.31 + 0.69 * f) * libm::exp(-0.29 * f));
}

} // namespace

FloatAdmFactors float_adm_factors(const FloatAdmCsfOptions &options)
{
    const auto per_degree =
        static_cast<float>(options.view_distance * options.display_height * kPi / 180.0);
    FloatAdmFactors factors = {};
    for (int scale = 0; scale < kFloatAdmScales; ++scale)
        for (int diagonal = 0; diagonal < 2; ++diagonal) {
            const auto frequency =
                static_cast<float>(static_cast<double>(per_degree) / libm::pow(2.0, scale + 1));
            float &factor = factors.at[scale][diagonal];
            if (options.mode == 1)
                factor = barten_factor(frequency,
                                       diagonal != 0 ? options.diagonal_scale : options.scale);
            else if (options.mode == 2)
                factor = bell_factor(diagonal != 0
                                         ? static_cast<float>(static_cast<double>(frequency) / 0.7)
                                         : frequency);
            else
                factor = watson_factor(per_degree, scale, diagonal);
        }
    return factors;
}

} // namespace vmafgpu
