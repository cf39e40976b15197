// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ADM: options, which variants share a Feature object, and scores from Sums. Scores
// mix binary32 and binary64 exactly where libvmaf does, and use the host's powf and pow. Nothing
// here runs per pixel. adm_record.cpp has the launches on devices.
#include "features/adm/adm.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/numeric.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_tables.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

struct AdmOptions {
    double gain_limit = 100.0;
    double view_distance = 3.0;
    int display_height = 1080;
    int csf_mode = 0;
    double csf_scale = 1.0, csf_diag_scale = 1.0;
    double noise_weight = 0.03125;
    double dlm_weight = 0.5;
    double min_value = 0.0;
    bool skip_scale0 = false, skip_aim = false, debug = false;
};

constexpr float kThird = 0x1.555556p-2F;
/// A skipped scale 0 still adds this to the denominator.
constexpr float kSkippedDenominator = 1e-10F;

/// First column or row of the region that counts: a tenth of the size, minus half a sample.
int border(int size)
{
    return size < 5 ? 0 : (size - 5) / 10;
}

AdmScale scale_config(int scale, int width, int height, const uint32_t multiplier[2])
{
    AdmScale s = {};
    s.width = width;
    s.height = height;
    s.left = border(width);
    s.top = border(height);
    const auto columns = static_cast<uint32_t>(width - 2 * s.left);
    const auto rows = static_cast<uint32_t>(height - 2 * s.top);
    const int width_bits = ceil_log2(static_cast<uint32_t>(width));
    for (int b = 0; b < kAdmOrientations; ++b) {
        s.multiplier[b] = multiplier[b == 2 ? 1 : 0];
        s.num_cube_shift[b] = scale > 0 ? width_bits : std::max(0, width_bits - (b == 2 ? 3 : 4));
    }
    s.num_row_shift = ceil_log2(static_cast<uint32_t>(height));
    s.den_cube_shift = scale > 0 ? ceil_log2(columns) : 0;
    s.den_row_shift = scale > 0 ? ceil_log2(rows) : std::max(0, ceil_log2(columns * rows) - 20);
    return s;
}

} // namespace

AdmConfig adm_config(const Format &format, const AdmCsf &csf)
{
    AdmConfig config = {};
    config.format = format;
    config.gains = 1;
    config.gain_limit[0] = 100.0;
    int width = format.width;
    int height = format.height;
    for (int scale = 0; scale < kAdmScales; ++scale) {
        const bool is_narrow = adm_is_narrow(scale, width, height);
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        config.scale[scale] = scale_config(scale, width, height, csf.multiplier[scale]);
        config.scale[scale].is_narrow = is_narrow;
    }
    return config;
}

AdmFeature::AdmFeature(const AdmConfig &config, std::vector<AdmVariant> variants)
    : config_(config), variants_(std::move(variants))
{
}

FeatureTraits AdmFeature::traits() const
{
    FeatureTraits traits;
    if (config_.format.height <= kAdmUndefinedHeight)
        traits.warnings.push_back(
            "adm: the picture is " + std::to_string(config_.format.height) +
            " samples high. Up to " + std::to_string(kAdmUndefinedHeight) +
            ", libvmaf's scale 3 depends on memory that it did not write, so scores "
            "may differ from libvmaf's");
    if (std::any_of(variants_.begin(), variants_.end(),
                    [](const AdmVariant &variant) { return variant.exceeds; }))
        traits.warnings.emplace_back(
            "adm: with adm_csf_mode=1 and this adm_csf_scale or "
            "adm_csf_diag_scale, numbers exceed libvmaf's integers. Scores equal "
            "libvmaf's on x86-64, but do not measure quality");
    return traits;
}

void AdmFeature::compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const
{
    adm_compute(config_, pair, static_cast<AdmSums *>(sums), scratch, pool);
}

void AdmFeature::reference(const PairView &pair, void *sums) const
{
    adm_reference(config_, pair, static_cast<AdmSums *>(sums));
}

namespace {

float cube_root(float x)
{
    return libm::powf(x, kThird);
}

float power_of_two(int exponent)
{
    return std::ldexp(1.0F, exponent);
}

/// The sum over orientations of cube root plus noise term.
float pooled(const float (&value)[kAdmOrientations], float noise)
{
    const float h = cube_root(value[0]) + noise;
    const float v = cube_root(value[1]) + noise;
    const float d = cube_root(value[2]) + noise;
    const float hv = h + v;
    return hv + d;
}

float numerator(const AdmScale &config, int scale, const int64_t (&sums)[kAdmOrientations],
                float noise)
{
    float value[kAdmOrientations];
    for (int b = 0; b < kAdmOrientations; ++b) {
        const int exponent =
            kAdmNumExponent[scale][b] - config.num_cube_shift[b] - config.num_row_shift;
        // Scale 0 divides in binary64; the others convert to binary32 first.
        if (scale == 0)
            value[b] = static_cast<float>(static_cast<double>(sums[b]) / std::ldexp(1.0, exponent));
        else
            value[b] = static_cast<float>(sums[b]) / power_of_two(exponent);
    }
    return pooled(value, noise);
}

float denominator(const AdmScale &config, int scale, const uint64_t (&sums)[kAdmOrientations],
                  const double (&weight)[kAdmOrientations], float noise)
{
    float value[kAdmOrientations];
    const int exponent = kAdmDenExponent[scale] - config.den_row_shift - config.den_cube_shift;
    for (int b = 0; b < kAdmOrientations; ++b) {
        const double sum = static_cast<double>(sums[b]) / std::ldexp(1.0, exponent);
        value[b] = static_cast<float>(sum * weight[b]);
    }
    return pooled(value, noise);
}

AdmScaleScore scale_score(const AdmConfig &config, const AdmVariant &variant, const AdmSums &sums,
                          int scale)
{
    if (scale == 0 && config.skip_scale0)
        return {0.0F, kSkippedDenominator, 0.0F};
    const AdmScale &layout = config.scale[scale];
    const AdmScaleSums &s = sums.scale[scale];
    const float noise = variant.noise[scale];
    AdmScaleScore score = {};
    score.num = numerator(layout, scale, s.num[variant.gain], noise);
    score.den = denominator(layout, scale, s.den, variant.weight[scale], noise);
    if (!config.skip_aim)
        score.aim = numerator(layout, scale, s.aim[variant.gain], 0.0F);
    return score;
}

void variant_scores(const AdmConfig &config, const AdmVariant &variant, const AdmSums &sums,
                    double *out)
{
    double num = 0;
    double den = 0;
    double aim = 0;
    for (int scale = 0; scale < kAdmScales; ++scale) {
        const AdmScaleScore s = scale_score(config, variant, sums, scale);
        num += static_cast<double>(s.num);
        den += static_cast<double>(s.den);
        aim += static_cast<double>(s.aim);
        out[kAdmScale0 + scale] = static_cast<double>(s.num) / static_cast<double>(s.den);
        out[kAdmNumScale0 + 2 * scale] = static_cast<double>(s.num);
        out[kAdmNumScale0 + 2 * scale + 1] = static_cast<double>(s.den);
    }
    const double area = static_cast<double>(config.format.width) * config.format.height;
    const double limit = 1e-10 * area / (1920.0 * 1080.0);
    num = num < limit ? 0 : num;
    den = den < limit ? 0 : den;
    out[kAdmAdm2] = den == 0 ? 1.0 : num / den;
    // libvmaf leaves aim undefined if den is 0; we define it.
    out[kAdmAim] = den == 0 ? 0.0 : aim / den;
    const double weighted = out[kAdmAdm2] * variant.dlm_weight;
    const double rest = (1 - out[kAdmAim]) * (1 - variant.dlm_weight);
    const double adm3 = weighted + rest;
    out[kAdmAdm3] = adm3 > variant.min_value ? adm3 : variant.min_value;
    out[kAdmScore] = out[kAdmAdm2];
    out[kAdmNum] = num;
    out[kAdmDen] = den;
}

} // namespace

void AdmFeature::scores(const SumsWindow &window, double *const *out) const
{
    const auto &sums = *static_cast<const AdmSums *>(window.at(0));
    for (size_t v = 0; v < variants_.size(); ++v)
        variant_scores(config_, variants_[v], sums, out[v]);
}

namespace {

std::vector<OutputInfo> adm_outputs(Compat, const FeatureOptions & /*options*/)
{
    return {{"VMAF_integer_feature_adm2_score", "integer_adm2", true, false},
            {"VMAF_integer_feature_aim_score", "integer_aim", true, false},
            {"VMAF_integer_feature_adm3_score", "integer_adm3", true, false},
            {"integer_adm_scale0", nullptr, true, false},
            {"integer_adm_scale1", nullptr, true, false},
            {"integer_adm_scale2", nullptr, true, false},
            {"integer_adm_scale3", nullptr, true, false},
            {"integer_adm", nullptr, false, false},
            {"integer_adm_num", nullptr, false, false},
            {"integer_adm_den", nullptr, false, false},
            {"integer_adm_num_scale0", nullptr, false, false},
            {"integer_adm_den_scale0", nullptr, false, false},
            {"integer_adm_num_scale1", nullptr, false, false},
            {"integer_adm_den_scale1", nullptr, false, false},
            {"integer_adm_num_scale2", nullptr, false, false},
            {"integer_adm_den_scale2", nullptr, false, false},
            {"integer_adm_num_scale3", nullptr, false, false},
            {"integer_adm_den_scale3", nullptr, false, false}};
}

/// A Feature object that is being collected: its variants have equal weighting and skip flags,
/// and at most kAdmMaxGains different gain limits.
struct Draft {
    AdmConfig config;
    std::vector<AdmVariant> variants;
    std::vector<int> indices;

    bool shares_work_with(const AdmConfig &other) const
    {
        if (config.skip_scale0 != other.skip_scale0 || config.skip_aim != other.skip_aim)
            return false;
        for (int s = 0; s < kAdmScales; ++s)
            if (!std::equal(config.scale[s].multiplier,
                            config.scale[s].multiplier + kAdmOrientations,
                            other.scale[s].multiplier))
                return false;
        return true;
    }

    /// Index of a gain limit, which is added if there is room; -1 if there is none.
    int find_gain(double limit)
    {
        for (int g = 0; g < config.gains; ++g)
            if (config.gain_limit[g] == limit)
                return g;
        if (config.gains == kAdmMaxGains)
            return -1;
        config.gain_limit[config.gains] = limit;
        return config.gains++;
    }
};

float noise_term(const AdmScale &config, double weight)
{
    const int area = (config.width - 2 * config.left) * (config.height - 2 * config.top);
    return cube_root(static_cast<float>(static_cast<double>(area) * weight));
}

void add_variant(std::vector<Draft> &drafts, const Format &format, const AdmOptions &options,
                 int index)
{
    const AdmCsf csf = adm_csf({options.view_distance, options.display_height, options.csf_mode,
                                options.csf_scale, options.csf_diag_scale});
    AdmConfig config = adm_config(format, csf);
    AdmVariant variant = {};
    variant.dlm_weight = options.dlm_weight;
    variant.min_value = options.min_value;
    variant.exceeds = csf.exceeds;
    for (int scale = 0; scale < kAdmScales; ++scale) {
        variant.noise[scale] = noise_term(config.scale[scale], options.noise_weight);
        for (int b = 0; b < kAdmOrientations; ++b)
            variant.weight[scale][b] =
                libm::pow(static_cast<double>(csf.factor[scale][b == 2 ? 1 : 0]), 3.0);
    }

    config.gain_limit[0] = options.gain_limit;
    config.skip_scale0 = options.skip_scale0;
    config.skip_aim = options.skip_aim;
    for (Draft &draft : drafts) {
        variant.gain = draft.shares_work_with(config) ? draft.find_gain(options.gain_limit) : -1;
        if (variant.gain < 0)
            continue;
        draft.variants.push_back(variant);
        draft.indices.push_back(index);
        return;
    }
    variant.gain = 0;
    drafts.push_back({config, {variant}, {index}});
}

std::vector<FeatureGroup> adm_create(const Format &format, Compat,
                                     const std::vector<FeatureOptions> &variants)
{
    if (format.width < kAdmMinSize || format.height < kAdmMinSize)
        throw Error(EINVAL, "adm: the picture must be at least 17x17, not " +
                                std::to_string(format.width) + "x" + std::to_string(format.height));
    std::vector<Draft> drafts;
    for (size_t i = 0; i < variants.size(); ++i)
        add_variant(drafts, format, variants[i].as<AdmOptions>(), static_cast<int>(i));
    std::vector<FeatureGroup> groups;
    for (const Draft &draft : drafts) {
        FeatureGroup group;
        group.feature = std::make_unique<AdmFeature>(draft.config, draft.variants);
        group.variants = draft.indices;
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace

const FeatureInfo kAdmFeature = {
    "adm",
    {AdmOptions()},
    {{"adm_enhn_gain_limit", "egl", &AdmOptions::gain_limit, 1.0, 100.0},
     {"adm_norm_view_dist", "nvd", &AdmOptions::view_distance, 0.75, 24.0},
     {"adm_ref_display_height", "rdh", &AdmOptions::display_height, 1, 4320},
     {"adm_csf_mode", "csf", &AdmOptions::csf_mode, 0, 3},
     {"adm_csf_scale", "scf", &AdmOptions::csf_scale, 0.0, 50.0},
     {"adm_csf_diag_scale", "scfd", &AdmOptions::csf_diag_scale, 0.0, 50.0},
     {"adm_noise_weight", "nw", &AdmOptions::noise_weight, 0.0, 1500.0},
     {"adm_dlm_weight", "dlmw", &AdmOptions::dlm_weight, 0.0, 1.0},
     {"adm_min_val", "min", &AdmOptions::min_value, 0.0, 1.0},
     {"adm_skip_scale0", "ssz", &AdmOptions::skip_scale0},
     {"adm_skip_aim", nullptr, &AdmOptions::skip_aim},
     {"debug", nullptr, &AdmOptions::debug, 0, 1, nullptr, true}},
    adm_outputs,
    kAdmMinSize,
    adm_create,
};

} // namespace vmafgpu
