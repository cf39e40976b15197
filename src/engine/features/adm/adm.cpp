// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ADM: options, contrast sensitivity, which variants share a Feature object, and
// scores from Sums. Scores mix binary32 and binary64 exactly where libvmaf does, and use the host's
// powf and pow. Nothing here runs per pixel. adm_record.cpp has the launches on devices.
#include "features/adm/adm.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/numeric.h"
#include "features/adm/adm_math.h"
#include "features/adm/adm_tables.h"
#include "features/kit/feature_of.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::adm {

namespace {

/// How one variant turns sums into scores.
struct Variant {
    int gain; ///< index into Config::gain_limit
    double dlm_weight, min_value;
    /// Per scale, equal for all pairs: the noise term added to cube roots, and the weights of the
    /// denominator's bands.
    float noise[kScales];
    double weight[kScales][kOrientations];
    bool exceeds; ///< Csf::exceeds
};

/// The values of one scale, as in libvmaf's debug output.
struct ScaleScore {
    float num, den, aim;
};

struct Options {
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

Scale scale_config(int scale, int width, int height, const uint32_t multiplier[2])
{
    Scale s = {};
    s.width = width;
    s.height = height;
    s.left = border(width);
    s.top = border(height);
    const auto columns = static_cast<uint32_t>(width - 2 * s.left);
    const auto rows = static_cast<uint32_t>(height - 2 * s.top);
    const int width_bits = ceil_log2(static_cast<uint32_t>(width));
    for (int b = 0; b < kOrientations; ++b) {
        s.multiplier[b] = multiplier[b == 2 ? 1 : 0];
        s.num_cube_shift[b] = scale > 0 ? width_bits : std::max(0, width_bits - (b == 2 ? 3 : 4));
    }
    s.num_row_shift = ceil_log2(static_cast<uint32_t>(height));
    s.den_cube_shift = scale > 0 ? ceil_log2(columns) : 0;
    s.den_row_shift = scale > 0 ? ceil_log2(rows) : std::max(0, ceil_log2(columns * rows) - 20);
    return s;
}

// Contrast sensitivity from the viewing conditions. Every step is one operation in the stated
// precision: binary32 if the variable is a float, else binary64. libvmaf's integer ADM mixes the
// two, and the multipliers depend on where it rounds. log10, pow and exp are the engine's own
// (libm/libm.h).

constexpr double kPi = 3.14159265358979323846;
constexpr double kSmallestProduct = 3240.0; ///< view distance x display height

/// Samples per degree of viewing angle.
float samples_per_degree(const CsfOptions &options)
{
    return static_cast<float>(options.view_distance * options.display_height * kPi / 180.0);
}

/// Mode 0: reciprocal of Watson's quantisation step for the 9/7 wavelet.
float watson_factor(const CsfOptions &options, int scale, int diagonal)
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
                           kWatsonDivisors[scale][diagonal]);
    return 1.0F / step;
}

/// Barten's parameters are given at two luminances; libvmaf always uses 100.
float barten_parameter(int index)
{
    const float at_20 = kBartenParameters[index][0];
    const float at_150 = kBartenParameters[index][1];
    const auto x20 = static_cast<float>(libm::log10(20.0));
    const auto x150 = static_cast<float>(libm::log10(150.0));
    const auto x = static_cast<float>(libm::log10(100.0));
    return at_20 + ((at_150 - at_20) / (x150 - x20)) * (x - x20);
}

float barten_masking(float frequency)
{
    float sum = 0;
    for (const auto &term : kBartenTerms) {
        const float argument = -term[1] * frequency;
        sum = static_cast<float>(sum + term[0] * libm::exp(static_cast<double>(argument)));
    }
    return sum;
}

/// Mode 1: Barten's sensitivity, before adm_csf_scale / adm_csf_diag_scale.
float barten_factor(const CsfOptions &options, int scale)
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

float scaled_barten_factor(const CsfOptions &options, int scale, int diagonal)
{
    const double option = diagonal != 0 ? options.diag_scale : options.scale;
    return static_cast<float>(barten_factor(options, scale) * option);
}

/// Modes 2 and 3: the row of the table for exactly these viewing conditions.
const Blend &find_blend(const CsfOptions &options)
{
    std::string known;
    for (const Blend &blend : kBlends) {
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

float factor_of(const CsfOptions &options, int scale, int diagonal)
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

Csf csf_of(const CsfOptions &options)
{
    const double product = options.view_distance * options.display_height;
    if (!(product >= kSmallestProduct))
        throw Error(EINVAL, "adm: adm_norm_view_dist times adm_ref_display_height must be at "
                            "least 3240, not " +
                                text_of(product));
    if (options.mode < 0 || options.mode > 3)
        throw Error(EINVAL,
                    "adm: adm_csf_mode must be 0, 1, 2 or 3, not " + std::to_string(options.mode));
    Csf csf = {};
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

Config config_of(const Format &format, const Csf &csf)
{
    Config config = {};
    config.format = format;
    config.gains = 1;
    config.gain_limit[0] = 100.0;
    int width = format.width;
    int height = format.height;
    for (int scale = 0; scale < kScales; ++scale) {
        const bool is_narrow = takes_no_mirror(scale, width, height);
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        config.scale[scale] = scale_config(scale, width, height, csf.multiplier[scale]);
        config.scale[scale].is_narrow = is_narrow;
    }
    return config;
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
float pooled(const float (&value)[kOrientations], float noise)
{
    const float h = cube_root(value[0]) + noise;
    const float v = cube_root(value[1]) + noise;
    const float d = cube_root(value[2]) + noise;
    const float hv = h + v;
    return hv + d;
}

float numerator(const Scale &config, int scale, const int64_t (&sums)[kOrientations], float noise)
{
    float value[kOrientations];
    for (int b = 0; b < kOrientations; ++b) {
        const int exponent =
            kNumExponent[scale][b] - config.num_cube_shift[b] - config.num_row_shift;
        // Scale 0 divides in binary64; the others convert to binary32 first.
        if (scale == 0)
            value[b] = static_cast<float>(static_cast<double>(sums[b]) / std::ldexp(1.0, exponent));
        else
            value[b] = static_cast<float>(sums[b]) / power_of_two(exponent);
    }
    return pooled(value, noise);
}

float denominator(const Scale &config, int scale, const uint64_t (&sums)[kOrientations],
                  const double (&weight)[kOrientations], float noise)
{
    float value[kOrientations];
    const int exponent = kDenExponent[scale] - config.den_row_shift - config.den_cube_shift;
    for (int b = 0; b < kOrientations; ++b) {
        const double sum = static_cast<double>(sums[b]) / std::ldexp(1.0, exponent);
        value[b] = static_cast<float>(sum * weight[b]);
    }
    return pooled(value, noise);
}

ScaleScore scale_score(const Config &config, const Variant &variant, const Sums &sums, int scale)
{
    if (scale == 0 && config.skip_scale0)
        return {0.0F, kSkippedDenominator, 0.0F};
    const Scale &layout = config.scale[scale];
    const ScaleSums &s = sums.scale[scale];
    const float noise = variant.noise[scale];
    ScaleScore score = {};
    score.num = numerator(layout, scale, s.num[variant.gain], noise);
    score.den = denominator(layout, scale, s.den, variant.weight[scale], noise);
    if (!config.skip_aim)
        score.aim = numerator(layout, scale, s.aim[variant.gain], 0.0F);
    return score;
}

void variant_scores(const Config &config, const Variant &variant, const Sums &sums, double *out)
{
    double num = 0;
    double den = 0;
    double aim = 0;
    for (int scale = 0; scale < kScales; ++scale) {
        const ScaleScore s = scale_score(config, variant, sums, scale);
        num += static_cast<double>(s.num);
        den += static_cast<double>(s.den);
        aim += static_cast<double>(s.aim);
        out[kScale0 + scale] = static_cast<double>(s.num) / static_cast<double>(s.den);
        out[kNumScale0 + 2 * scale] = static_cast<double>(s.num);
        out[kNumScale0 + 2 * scale + 1] = static_cast<double>(s.den);
    }
    const double area = static_cast<double>(config.format.width) * config.format.height;
    const double limit = 1e-10 * area / (1920.0 * 1080.0);
    num = num < limit ? 0 : num;
    den = den < limit ? 0 : den;
    out[kAdm2] = den == 0 ? 1.0 : num / den;
    // libvmaf leaves aim undefined if den is 0; we define it.
    out[kAim] = den == 0 ? 0.0 : aim / den;
    const double weighted = out[kAdm2] * variant.dlm_weight;
    const double rest = (1 - out[kAim]) * (1 - variant.dlm_weight);
    const double adm3 = weighted + rest;
    out[kAdm3] = adm3 > variant.min_value ? adm3 : variant.min_value;
    out[kScore] = out[kAdm2];
    out[kNum] = num;
    out[kDen] = den;
}

class Adm final : public FeatureOf<Config, Sums, Forms> {
public:
    Adm(const Config &config, std::vector<Variant> variants)
        : FeatureOf(config), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        if (config_.format.height <= kUndefinedHeight)
            traits.warnings.push_back(
                "adm: the picture is " + std::to_string(config_.format.height) +
                " samples high. Up to " + std::to_string(kUndefinedHeight) +
                ", libvmaf's scale 3 depends on memory that it did not write, so scores "
                "may differ from libvmaf's");
        if (std::any_of(variants_.begin(), variants_.end(),
                        [](const Variant &variant) { return variant.exceeds; }))
            traits.warnings.emplace_back(
                "adm: with adm_csf_mode=1 and this adm_csf_scale or "
                "adm_csf_diag_scale, numbers exceed libvmaf's integers. Scores equal "
                "libvmaf's on x86-64, but do not measure quality");
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v)
            variant_scores(config_, variants_[v], sums_of(window), out[v]);
    }

private:
    std::vector<Variant> variants_;
};

std::vector<OutputInfo> outputs(Compat, const FeatureOptions & /*options*/)
{
    return {Output("VMAF_integer_feature_adm2_score").report("integer_adm2").is_default(),
            Output("VMAF_integer_feature_aim_score").report("integer_aim").is_default(),
            Output("VMAF_integer_feature_adm3_score").report("integer_adm3").is_default(),
            Output("integer_adm_scale0").is_default(),
            Output("integer_adm_scale1").is_default(),
            Output("integer_adm_scale2").is_default(),
            Output("integer_adm_scale3").is_default(),
            Output("integer_adm"),
            Output("integer_adm_num"),
            Output("integer_adm_den"),
            Output("integer_adm_num_scale0"),
            Output("integer_adm_den_scale0"),
            Output("integer_adm_num_scale1"),
            Output("integer_adm_den_scale1"),
            Output("integer_adm_num_scale2"),
            Output("integer_adm_den_scale2"),
            Output("integer_adm_num_scale3"),
            Output("integer_adm_den_scale3")};
}

/// A Feature object that is being collected: its variants have equal weighting and skip flags,
/// and at most kMaxGains different gain limits.
struct Draft {
    Config config;
    std::vector<Variant> variants;
    std::vector<int> indices;

    bool shares_work_with(const Config &other) const
    {
        if (config.skip_scale0 != other.skip_scale0 || config.skip_aim != other.skip_aim)
            return false;
        for (int s = 0; s < kScales; ++s)
            if (!std::equal(config.scale[s].multiplier, config.scale[s].multiplier + kOrientations,
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
        if (config.gains == kMaxGains)
            return -1;
        config.gain_limit[config.gains] = limit;
        return config.gains++;
    }
};

float noise_term(const Scale &config, double weight)
{
    const int area = (config.width - 2 * config.left) * (config.height - 2 * config.top);
    return cube_root(static_cast<float>(static_cast<double>(area) * weight));
}

void add_variant(std::vector<Draft> &drafts, const Format &format, const Options &options,
                 int index)
{
    const Csf csf = csf_of({options.view_distance, options.display_height, options.csf_mode,
                            options.csf_scale, options.csf_diag_scale});
    Config config = config_of(format, csf);
    Variant variant = {};
    variant.dlm_weight = options.dlm_weight;
    variant.min_value = options.min_value;
    variant.exceeds = csf.exceeds;
    for (int scale = 0; scale < kScales; ++scale) {
        variant.noise[scale] = noise_term(config.scale[scale], options.noise_weight);
        for (int b = 0; b < kOrientations; ++b)
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

std::vector<FeatureGroup> create(const Format &format, Compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (format.width < kMinSize || format.height < kMinSize)
        throw Error(EINVAL, "adm: the picture must be at least 17x17, not " +
                                std::to_string(format.width) + "x" + std::to_string(format.height));
    std::vector<Draft> drafts;
    for (size_t i = 0; i < variants.size(); ++i)
        add_variant(drafts, format, variants[i].as<Options>(), static_cast<int>(i));
    std::vector<FeatureGroup> groups;
    for (const Draft &draft : drafts) {
        FeatureGroup group;
        group.feature = std::make_unique<Adm>(draft.config, draft.variants);
        group.variants = draft.indices;
        groups.push_back(std::move(group));
    }
    return groups;
}

} // namespace

const FeatureInfo kFeature =
    Info("adm")
        .options<Options>(
            {Option("adm_enhn_gain_limit", &Options::gain_limit).alias("egl").range(1.0, 100.0),
             Option("adm_norm_view_dist", &Options::view_distance).alias("nvd").range(0.75, 24.0),
             Option("adm_ref_display_height", &Options::display_height).alias("rdh").range(1, 4320),
             Option("adm_csf_mode", &Options::csf_mode).alias("csf").range(0, 3),
             Option("adm_csf_scale", &Options::csf_scale).alias("scf").range(0.0, 50.0),
             Option("adm_csf_diag_scale", &Options::csf_diag_scale).alias("scfd").range(0.0, 50.0),
             Option("adm_noise_weight", &Options::noise_weight).alias("nw").range(0.0, 1500.0),
             Option("adm_dlm_weight", &Options::dlm_weight).alias("dlmw"),
             Option("adm_min_val", &Options::min_value).alias("min"),
             Option("adm_skip_scale0", &Options::skip_scale0).alias("ssz"),
             Option("adm_skip_aim", &Options::skip_aim),
             Option("debug", &Options::debug).adds_series()})
        .outputs(outputs)
        .min_size(kMinSize)
        .create(create);

} // namespace vmafgpu::adm
