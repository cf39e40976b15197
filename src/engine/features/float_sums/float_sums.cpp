// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_psnr and float_moment: outputs, refusals, and scores from Sums. Pixel work:
// float_sums_cpu.cpp, float_sums_record.cpp, float_sums_ref.cpp.
#include "float_sums.h"

#include "features/format_feature.h"
#include "features/kit/float_scale.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

double pixels_of(const Format &format)
{
    return static_cast<double>(static_cast<int64_t>(format.width) * format.height);
}

/// A native sample in levels of 8 bits; its square scales squares.
double level_of(const Format &format)
{
    return 1.0 / (1 << (format.depth - 8));
}

void psnr_scores(const Format &format, const FloatPsnrSums &sums, double *out)
{
    const double level = level_of(format);
    const double noise = sums.noise.value() * (level * level) / pixels_of(format);
    const double peak = float_peak(format);
    const double score = 10 * libm::log10(peak * peak / (noise > 1e-10 ? noise : 1e-10));
    const double limit = float_limit(format);
    out[0] = score < limit ? score : limit;
}

bool is_psnr_complete(const FloatPsnrSums &sums)
{
    return sums.noise.is_complete();
}

void moment_scores(const Format &format, const FloatMomentSums &sums, double *out)
{
    const double level = level_of(format);
    const double pixels = pixels_of(format);
    for (int picture = 0; picture < 2; ++picture) {
        out[picture] = static_cast<double>(sums.first[picture]) * level / pixels;
        out[2 + picture] = sums.second[picture].value() * (level * level) / pixels;
    }
}

bool is_moment_complete(const FloatMomentSums &sums)
{
    return sums.second[0].is_complete() && sums.second[1].is_complete();
}

std::vector<OutputInfo> psnr_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {{"float_psnr", nullptr, true, false}};
}

std::vector<OutputInfo> moment_outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {{"float_moment_ref1st", nullptr, true, false},
            {"float_moment_dis1st", nullptr, true, false},
            {"float_moment_ref2nd", nullptr, true, false},
            {"float_moment_dis2nd", nullptr, true, false}};
}

constexpr FormatFunctions<FloatPsnrSums> kFloatPsnr = {float_psnr_compute,     float_sums_scratch,
                                                       float_psnr_reference,   psnr_scores,
                                                       /*needs_chroma=*/false, nullptr,
                                                       float_psnr_record,      nullptr,
                                                       is_psnr_complete};
constexpr FormatFunctions<FloatMomentSums> kFloatMoment = {
    float_moment_compute,   float_sums_scratch,
    float_moment_reference, moment_scores,
    /*needs_chroma=*/false, nullptr,
    float_moment_record,    nullptr,
    is_moment_complete};

} // namespace

const FeatureInfo kFloatPsnrFeature = {
    "float_psnr",   {}, {}, psnr_outputs, 1, create_format_feature<FloatPsnrSums, kFloatPsnr>,
    {8, 10, 12, 16}};
const FeatureInfo kFloatMomentFeature = {
    "float_moment", {}, {}, moment_outputs, 1, create_format_feature<FloatMomentSums, kFloatMoment>,
    {8, 10, 12, 16}};

} // namespace vmafgpu
