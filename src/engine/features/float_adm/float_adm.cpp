// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_adm: options, outputs, contrast sensitivity, which variants share a Feature
// object, and scores from Sums. Pixel work: float_adm_cpu.cpp, float_adm_ref.cpp.
#include "features/float_adm/float_adm.h"

#include <cerrno>
#include <tuple>

#include "base/error.h"
#include "features/float_adm/float_adm_tables.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"
#include "picture/float_plane.h"

namespace vmafgpu::float_adm {

namespace {

struct Options {
    double gain_limit = 100.0;
    double view_distance = 3.0;
    int display_height = 1080;
    int csf_mode = 0;
    double csf_scale = 1.0, csf_diagonal_scale = 1.0;
    int bypass_masking = 0;
    double power = 3.0;
    bool skip_scale0 = false;
    ReciprocalMaker reciprocal = ReciprocalMaker::kHost;
    double f1s0 = -1.0, f1s1 = -1.0, f1s2 = -1.0, f1s3 = -1.0; ///< factors of scales 0 to 3
    double f2s0 = -1.0, f2s1 = -1.0, f2s2 = -1.0, f2s3 = -1.0; ///< factors of the diagonal band
    // The following options change no Sums.
    double noise_weight = 0.03125;
    bool harmonic_mean = false;
    double dlm_weight = 0.5;
    double min_val = 0.0;
    int skip_aim_scale = -1;
    bool debug = false;
};

constexpr const char *kMakers[] = {"host", "amd", "intel", nullptr};

/// Order of outputs(); den_scale{k} follows num_scale{k}.
enum Column { kAdm2, kAim, kAdm3, kScale0, kAdm = kScale0 + 4, kNum, kDen, kNumScale0 };

std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    return {
        Output("VMAF_feature_adm2_score").report("adm2").is_default(),
        Output("VMAF_feature_aim_score").report("aim").is_default(),
        Output("VMAF_feature_adm3_score").report("adm3").is_default(),
        Output("VMAF_feature_adm_scale0_score").report("adm_scale0").is_default(),
        Output("VMAF_feature_adm_scale1_score").report("adm_scale1").is_default(),
        Output("VMAF_feature_adm_scale2_score").report("adm_scale2").is_default(),
        Output("VMAF_feature_adm_scale3_score").report("adm_scale3").is_default(),
        Output("adm").has_no_suffix(),
        Output("adm_num"),
        Output("adm_den"),
        Output("adm_num_scale0"),
        Output("adm_den_scale0"),
        Output("adm_num_scale1"),
        Output("adm_den_scale1"),
        Output("adm_num_scale2"),
        Output("adm_den_scale2"),
        Output("adm_num_scale3"),
        Output("adm_den_scale3"),
    };
}

/// Sums over orientations of roots, each with a term for noise.
float sum_roots(const Band &band, const float (&sums)[kOrientations], double noise_weight,
                double power)
{
    const auto exponent = static_cast<float>(1.0 / power);
    const int area = (band.right - band.left) * (band.bottom - band.top);
    const float noise = libm::powf(static_cast<float>(area * noise_weight), exponent);
    const auto root = [&](float sum) {
        return libm::powf(sum, exponent) + noise;
    };
    return root(sums[0]) + root(sums[1]) + root(sums[2]);
}

/// Numerators and denominators of a variant, of all scales.
class Totals {
public:
    Totals(const Config &config, const Sums &sums, const Options &options)
        : config_(config), options_(options)
    {
        for (int scale = 0; scale < kScales; ++scale)
            add_scale(scale, sums);
        const Format &format = config.format;
        const double least = 1e-10 * (format.width * format.height) / (1920.0 * 1080.0);
        num_ = num_ < least ? 0 : num_;
        den_ = den_ < least ? 0 : den_;
    }

    void write(double *out) const
    {
        // libvmaf leaves aim unwritten where the denominator is 0.
        const double quotient = aim_num_ / aim_den_;
        const double aim = den_ == 0 ? 0 : (quotient < 1 ? quotient : 1);
        const double adm2 = den_ == 0 ? 1 : num_ / den_;
        const double weight = options_.dlm_weight;
        const double adm3 = options_.harmonic_mean ? 2 * adm2 * aim / (adm2 + aim)
                                                   : adm2 * weight + (1 - aim) * (1 - weight);
        out[kAdm2] = out[kAdm] = adm2;
        out[kAim] = aim;
        out[kAdm3] = adm3 > options_.min_val ? adm3 : options_.min_val;
        out[kNum] = num_;
        out[kDen] = den_;
        for (int scale = 0; scale < kScales; ++scale) {
            out[kScale0 + scale] = scale_num_[scale] / scale_den_[scale];
            out[kNumScale0 + 2 * scale] = scale_num_[scale];
            out[kNumScale0 + 2 * scale + 1] = scale_den_[scale];
        }
    }

private:
    void add_scale(int scale, const Sums &sums)
    {
        float num = 0;
        float den = 1e-10F; // denominator of a skipped scale
        float aim = 0;
        if (scale > 0 || !options_.skip_scale0) {
            const Band &band = config_.band[scale];
            const double noise = options_.noise_weight;
            const double power = options_.power;
            num = sum_roots(band, sums.num[scale], noise, power);
            den = sum_roots(band, sums.den[scale], noise, power);
            aim = sum_roots(band, sums.aim[scale], 0.0, power);
        }
        scale_num_[scale] = num;
        scale_den_[scale] = den;
        num_ += scale_num_[scale];
        den_ += scale_den_[scale];
        if (options_.skip_aim_scale == scale)
            return;
        aim_num_ += static_cast<double>(aim);
        aim_den_ += scale_den_[scale];
    }

    const Config &config_;
    const Options &options_;
    double scale_num_[kScales] = {};
    double scale_den_[kScales] = {};
    double num_ = 0, den_ = 0, aim_num_ = 0, aim_den_ = 0;
};

class FloatAdm final : public FeatureOf<Config, Sums, Forms> {
public:
    FloatAdm(const Config &config, std::vector<Options> variants)
        : FeatureOf(config), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.notes = {reciprocal_line(variants_.front().reciprocal)};
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v)
            Totals(config_, sums_of(window), variants_[v]).write(out[v]);
    }

private:
    std::vector<Options> variants_;
};

// Contrast sensitivity from the viewing conditions. Every step is one operation in the stated
// precision: binary32 if the variable is a float, else binary64. log10, pow and exp are the
// engine's own (libm/libm.h).

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
                           static_cast<double>(kWatson[scale][diagonal]));
    return 1.0F / step;
}

/// A parameter at the luminance 100, from those at 20 and 150.
float barten_parameter(int index)
{
    const auto low = static_cast<float>(libm::log10(20.0));
    const auto high = static_cast<float>(libm::log10(150.0));
    const auto here = static_cast<float>(libm::log10(100.0));
    const float first = kBarten[index][0];
    const float second = kBarten[index][1];
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
    for (const auto &term : kBartenTerms) {
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

/// [scale][0: horizontal and vertical, 1: diagonal]
struct Factors {
    float at[kScales][2];
};

Factors factors_of(const Options &options)
{
    const auto per_degree =
        static_cast<float>(options.view_distance * options.display_height * kPi / 180.0);
    Factors factors = {};
    for (int scale = 0; scale < kScales; ++scale)
        for (int diagonal = 0; diagonal < 2; ++diagonal) {
            const auto frequency =
                static_cast<float>(static_cast<double>(per_degree) / libm::pow(2.0, scale + 1));
            float &factor = factors.at[scale][diagonal];
            if (options.csf_mode == 1)
                factor = barten_factor(frequency, diagonal != 0 ? options.csf_diagonal_scale
                                                                : options.csf_scale);
            else if (options.csf_mode == 2)
                factor = bell_factor(diagonal != 0
                                         ? static_cast<float>(static_cast<double>(frequency) / 0.7)
                                         : frequency);
            else
                factor = watson_factor(per_degree, scale, diagonal);
        }
    return factors;
}

/// Returns the border of a side: a tenth, less a half, towards zero.
int border_of(int size)
{
    return static_cast<int>(size * 0.1 - 0.5);
}

Config config_of(const Format &format, const Options &options)
{
    Config config;
    config.format = format;
    config.gain_limit = options.gain_limit;
    config.power = static_cast<float>(options.power);
    config.bypasses_masking = options.bypass_masking != 0;
    config.skip_scale0 = options.skip_scale0;
    config.table = reciprocal_table(options.reciprocal);
    const Factors factors = factors_of(options);
    const double given[2][kScales] = {{options.f1s0, options.f1s1, options.f1s2, options.f1s3},
                                      {options.f2s0, options.f2s1, options.f2s2, options.f2s3}};
    int width = format.width;
    int height = format.height;
    for (int scale = 0; scale < kScales; ++scale) {
        Band &band = config.band[scale];
        band.width = width = (width + 1) / 2;
        band.height = height = (height + 1) / 2;
        band.left = border_of(width);
        band.top = border_of(height);
        band.right = width - band.left;
        band.bottom = height - band.top;
        for (int i = 0; i < kOrientations; ++i) {
            const int diagonal = i == 2 ? 1 : 0;
            const double option = given[diagonal][scale];
            band.factor[i] = option >= 0 ? static_cast<float>(option) : factors.at[scale][diagonal];
        }
    }
    return config;
}

/// Returns the options that change the Sums.
auto sums_options(const Options &o)
{
    return std::tie(o.gain_limit, o.view_distance, o.display_height, o.csf_mode, o.csf_scale,
                    o.csf_diagonal_scale, o.bypass_masking, o.power, o.skip_scale0, o.reciprocal,
                    o.f1s0, o.f1s1, o.f1s2, o.f1s3, o.f2s0, o.f2s1, o.f2s2, o.f2s3);
}

std::vector<FeatureGroup> create(const Format &format, Compat compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_adm is known as in libvmaf 3.2 only; leave out compat=3.1");
    const auto shares_sums = [](const Options &a, const Options &b) {
        return sums_options(a) == sums_options(b);
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        const Config config = config_of(format, set.front());
        return std::make_unique<FloatAdm>(config, std::move(set));
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("float_adm")
        .options<Options>({
            Option("adm_enhn_gain_limit", &Options::gain_limit).alias("egl").range(1.0, 100.0),
            Option("adm_norm_view_dist", &Options::view_distance).alias("nvd").range(0.75, 24.0),
            Option("adm_ref_display_height", &Options::display_height).alias("rdf").range(1, 4320),
            Option("adm_csf_mode", &Options::csf_mode).alias("csf").range(0, 9),
            Option("adm_csf_scale", &Options::csf_scale).alias("scf").range(0.0, 50.0),
            Option("adm_csf_diag_scale", &Options::csf_diagonal_scale)
                .alias("scfd")
                .range(0.0, 50.0),
            Option("adm_bypass_cm", &Options::bypass_masking).alias("bcm"),
            Option("adm_p_norm", &Options::power).alias("apn").range(1.0, 20.0),
            Option("adm_skip_scale0", &Options::skip_scale0).alias("ssz"),
            // libvmaf lacks this option: which processor's approximate reciprocals are used.
            Option("float_adm_rcp", &Options::reciprocal).range(0, 2).words(kMakers),
            Option("adm_f1s0", &Options::f1s0).alias("f1s0").range(-1.0, 10.0),
            Option("adm_f1s1", &Options::f1s1).alias("f1s1").range(-1.0, 10.0),
            Option("adm_f1s2", &Options::f1s2).alias("f1s2").range(-1.0, 10.0),
            Option("adm_f1s3", &Options::f1s3).alias("f1s3").range(-1.0, 10.0),
            Option("adm_f2s0", &Options::f2s0).alias("f2s0").range(-1.0, 10.0),
            Option("adm_f2s1", &Options::f2s1).alias("f2s1").range(-1.0, 10.0),
            Option("adm_f2s2", &Options::f2s2).alias("f2s2").range(-1.0, 10.0),
            Option("adm_f2s3", &Options::f2s3).alias("f2s3").range(-1.0, 10.0),
            Option("adm_noise_weight", &Options::noise_weight).alias("nw").range(0.0, 1500.0),
            Option("adm_adm3_apply_hm", &Options::harmonic_mean).alias("aah"),
            Option("adm_dlm_weight", &Options::dlm_weight).alias("dlmw"),
            Option("adm_min_val", &Options::min_val).alias("min"),
            Option("adm_skip_aim_scale", &Options::skip_aim_scale).alias("sasc").range(0, 3),
            Option("debug", &Options::debug).adds_series(),
        })
        .outputs(outputs)
        .min_size(17)
        .depths({8, 10, 12, 16}) // libvmaf reads single bytes of other depths
        .create(create);

} // namespace vmafgpu::float_adm
