// SPDX-License-Identifier: BSD-2-Clause-Patent
// See adm_csf.h. Every step is one operation in the stated precision: binary32 if the variable is a
// float, else binary64. libvmaf's integer ADM mixes the two, and the multipliers depend on where it
// rounds. log10, pow and exp are the engine's own (libm/libm.h).
#include "adm_csf.h"

#include <cmath>
#include <string>

#include "adm_tables.h"
#include "base/error.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSmallestProduct = 3240.0; ///< view distance x display height

/// Samples per degree of viewing angle.
float samples_per_degree(const AdmCsfOptions &options)
{
    return static_cast<float>(options.view_distance * options.display_height * kPi / 180.0);
}

/// Mode 0: reciprocal of Watson's quantisation step for the 9/7 wavelet.
float watson_factor(const AdmCsfOptions &options, int scale, int diagonal)
{
    const float amplitude = 0.495F;
    const float k = 0.466F;
    const float f0 = 0.401F;
    const float orientation_gain = diagonal != 0 ? 0.534F : 1.0F;
    const double r = samples_per_degree(options);
    const double octave = libm::pow(2.0, scale + 1);
    const auto t = static_cast<float>(libm::log10(octave * f0 * orientation_gain / r));
    const float exponent = k * t * t;
    const auto step =
        static_cast<float>(2.0 * amplitude * libm::pow(10.0, static_cast<double>(exponent)) /
                           kAdmWatsonDivisors[scale][diagonal]);
    return 1.0F / step;
}

/// Barten's parameters are given at two luminances; libvmaf always uses 100.
float barten_parameter(int index)
{
    const float at_20 = kAdmBartenParameters[index][0];
    const float at_150 = kAdmBartenParameters[index][1];
    const auto x20 = static_cast<float>(libm::log10(20.0));
    const auto x150 = static_cast<float>(libm::log10(150.0));
    const auto x = static_cast<float>(libm::log10(100.0));
    return at_20 + ((at_150 - at_20) / (x150 - x20)) * (x - x20);
}

float barten_masking(float frequency)
{
    float sum = 0;
    for (const auto &term : kAdmBartenTerms) {
        const float argument = -term[1] * frequency;
        sum = static_cast<float>(sum + term[0] * libm::exp(static_cast<double>(argument)));
    }
    return sum;
}

/// Mode 1: Barten's sensitivity, before adm_csf_scale / adm_csf_diag_scale.
float barten_factor(const AdmCsfOptions &options, int scale)
{
    const float r = samples_per_degree(options);
    const auto frequency = static_cast<float>(r / libm::pow(2.0, scale + 1));
    const float p0 = barten_parameter(0);
    const float p1 = barten_parameter(1);
    const float p2 = barten_parameter(2);
    const float p3 = barten_parameter(3);

    const float scaled = p0 * frequency;
    const auto alpha =
        static_cast<float>(1 + libm::pow(static_cast<double>(scaled), static_cast<double>(p1)));
    const float seventh = frequency / 7;
    const double falloff = 1 - libm::exp(-libm::pow(static_cast<double>(seventh), 2.0));
    const auto beta = static_cast<float>(1 / libm::pow(falloff, static_cast<double>(p2)));
    const float product = alpha * beta;
    const auto sigma = static_cast<float>(p3 / libm::pow(static_cast<double>(product), 0.5));

    const float ratio = 4.0627F / 100.0F;
    const double power = libm::pow(static_cast<double>(ratio), static_cast<double>(1.6596F));
    const auto adaptation = static_cast<float>(static_cast<double>(30.162F) *
                                               libm::pow(power + 1, static_cast<double>(-0.2712F)));
    return sigma * barten_masking(frequency) * adaptation;
}

std::string text_of(double value)
{
    std::string text = std::to_string(value);
    while (text.back() == '0')
        text.pop_back();
    if (text.back() == '.')
        text.pop_back();
    return text;
}

float scaled_barten_factor(const AdmCsfOptions &options, int scale, int diagonal)
{
    const double option = diagonal != 0 ? options.diag_scale : options.scale;
    return static_cast<float>(barten_factor(options, scale) * option);
}

/// Modes 2 and 3: the row of the table for exactly these viewing conditions.
const AdmBlend &find_blend(const AdmCsfOptions &options)
{
    std::string known;
    for (const AdmBlend &blend : kAdmBlends) {
        if (blend.display_height == options.display_height &&
            blend.view_distance == options.view_distance)
            return blend;
        known += (known.empty() ? "" : ", ") + std::to_string(blend.display_height) + ":" +
                 text_of(blend.view_distance);
    }
    throw Error(EINVAL, "adm: adm_csf_mode " + std::to_string(options.mode) +
                            " is only known for these values of "
                            "adm_ref_display_height:adm_norm_view_dist: " +
                            known);
}

float factor_of(const AdmCsfOptions &options, int scale, int diagonal)
{
    switch (options.mode) {
    case 0:
        return watson_factor(options, scale, diagonal);
    case 1:
        return scaled_barten_factor(options, scale, diagonal);
    default:
        return find_blend(options).factors[options.mode - 2][diagonal][scale];
    }
}

/// A factor in fixed point, before it becomes libvmaf's integer of 16 or 32 bits.
uint64_t fixed_point(float factor, int scale, int diagonal)
{
    const double unit = scale > 0 ? 0x1p32 : (diagonal != 0 ? 0x1p23 : 0x1p21);
    return static_cast<uint64_t>(static_cast<double>(factor) * unit);
}

} // namespace

AdmCsf adm_csf(const AdmCsfOptions &options)
{
    const double product = options.view_distance * options.display_height;
    if (!(product >= kSmallestProduct))
        throw Error(EINVAL, "adm: adm_norm_view_dist times adm_ref_display_height must be at "
                            "least 3240, not " +
                                text_of(product));
    if (options.mode < 0 || options.mode > 3)
        throw Error(EINVAL,
                    "adm: adm_csf_mode must be 0, 1, 2 or 3, not " + std::to_string(options.mode));
    AdmCsf csf = {};
    for (int scale = 0; scale < 4; ++scale)
        for (int diagonal = 0; diagonal < 2; ++diagonal) {
            csf.factor[scale][diagonal] = factor_of(options, scale, diagonal);
            const uint64_t whole = fixed_point(csf.factor[scale][diagonal], scale, diagonal);
            // QUIRK: mode 1 can exceed the integer. C does not define that conversion; compilers
            // for x86-64 keep the low bits.
            const uint64_t kept = whole & (scale == 0 ? UINT16_MAX : UINT32_MAX);
            csf.multiplier[scale][diagonal] = static_cast<uint32_t>(kept);
            csf.exceeds = csf.exceeds || kept != whole;
        }
    // libvmaf has constants for the default viewing conditions. The formula would give 36451 and
    // 49415.
    if (options.mode == 0 && std::fabs(product - kSmallestProduct) < 1e-8) {
        csf.multiplier[0][0] = 36453;
        csf.multiplier[0][1] = 49417;
    }
    return csf;
}

} // namespace vmafgpu
