// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_adm: options, outputs, which variants share a Feature object, and scores from
// Sums. Pixel work: float_adm_cpu.cpp, float_adm_ref.cpp.
#include "features/float_adm/float_adm.h"

#include <cerrno>
#include <tuple>

#include "base/error.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "libm/libm.h"
#include "picture/float_plane.h"

namespace vmafgpu {

namespace {

struct FloatAdmOptions {
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
    double f2s0 = -1.0, f2s1 = -1.0, f2s2 = -1.0, f2s3 = -1.0; ///< the same of the diagonal
    // From here on they change no Sums.
    double noise_weight = 0.03125;
    bool harmonic_mean = false;
    double dlm_weight = 0.5;
    double min_val = 0.0;
    int skip_aim_scale = -1;
    bool debug = false;
};

constexpr const char *kMakers[] = {"host", "amd", "intel", nullptr};

/// Order of float_adm_outputs(); den_scale{k} follows num_scale{k}.
enum Output { kAdm2, kAim, kAdm3, kScale0, kAdm = kScale0 + 4, kNum, kDen, kNumScale0 };

std::vector<OutputInfo> float_adm_outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    return {
        {"VMAF_feature_adm2_score", "adm2", true, false},
        {"VMAF_feature_aim_score", "aim", true, false},
        {"VMAF_feature_adm3_score", "adm3", true, false},
        {"VMAF_feature_adm_scale0_score", "adm_scale0", true, false},
        {"VMAF_feature_adm_scale1_score", "adm_scale1", true, false},
        {"VMAF_feature_adm_scale2_score", "adm_scale2", true, false},
        {"VMAF_feature_adm_scale3_score", "adm_scale3", true, false},
        {"adm", nullptr, false, false, nullptr, false},
        {"adm_num", nullptr, false, false},
        {"adm_den", nullptr, false, false},
        {"adm_num_scale0", nullptr, false, false},
        {"adm_den_scale0", nullptr, false, false},
        {"adm_num_scale1", nullptr, false, false},
        {"adm_den_scale1", nullptr, false, false},
        {"adm_num_scale2", nullptr, false, false},
        {"adm_den_scale2", nullptr, false, false},
        {"adm_num_scale3", nullptr, false, false},
        {"adm_den_scale3", nullptr, false, false},
    };
}

/// Sums over orientations of roots, each with a term for noise.
float sum_roots(const FloatAdmBand &band, const float (&sums)[kFloatAdmOrientations],
                double noise_weight, double power)
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
class FloatAdmTotals {
public:
    FloatAdmTotals(const FloatAdmConfig &config, const FloatAdmSums &sums,
                   const FloatAdmOptions &options)
        : config_(config), options_(options)
    {
        for (int scale = 0; scale < kFloatAdmScales; ++scale)
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
        for (int scale = 0; scale < kFloatAdmScales; ++scale) {
            out[kScale0 + scale] = scale_num_[scale] / scale_den_[scale];
            out[kNumScale0 + 2 * scale] = scale_num_[scale];
            out[kNumScale0 + 2 * scale + 1] = scale_den_[scale];
        }
    }

private:
    void add_scale(int scale, const FloatAdmSums &sums)
    {
        float num = 0;
        float den = 1e-10F; // what a skipped scale has
        float aim = 0;
        if (scale > 0 || !options_.skip_scale0) {
            const FloatAdmBand &band = config_.band[scale];
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

    const FloatAdmConfig &config_;
    const FloatAdmOptions &options_;
    double scale_num_[kFloatAdmScales] = {};
    double scale_den_[kFloatAdmScales] = {};
    double num_ = 0, den_ = 0, aim_num_ = 0, aim_den_ = 0;
};

struct Forms {
    static constexpr auto cpu_scratch = float_adm_scratch;
    static constexpr auto compute = float_adm_compute;
    static constexpr auto reference = float_adm_reference;
};

class FloatAdm final : public FeatureOf<FloatAdmConfig, FloatAdmSums, Forms> {
public:
    FloatAdm(const FloatAdmConfig &config, std::vector<FloatAdmOptions> variants)
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
        const auto &sums = *static_cast<const FloatAdmSums *>(window.at(0));
        for (size_t v = 0; v < variants_.size(); ++v)
            FloatAdmTotals(config_, sums, variants_[v]).write(out[v]);
    }

private:
    std::vector<FloatAdmOptions> variants_;
};

/// What a border takes of a side: a tenth, less a half, towards zero.
int border_of(int size)
{
    return static_cast<int>(size * 0.1 - 0.5);
}

FloatAdmConfig config_of(const Format &format, const FloatAdmOptions &options)
{
    FloatAdmConfig config;
    config.format = format;
    config.gain_limit = options.gain_limit;
    config.power = static_cast<float>(options.power);
    config.bypasses_masking = options.bypass_masking != 0;
    config.skip_scale0 = options.skip_scale0;
    config.table = reciprocal_table(options.reciprocal);
    const FloatAdmFactors factors =
        float_adm_factors({options.view_distance, options.csf_scale, options.csf_diagonal_scale,
                           options.display_height, options.csf_mode});
    const double given[2][kFloatAdmScales] = {
        {options.f1s0, options.f1s1, options.f1s2, options.f1s3},
        {options.f2s0, options.f2s1, options.f2s2, options.f2s3}};
    int width = format.width;
    int height = format.height;
    for (int scale = 0; scale < kFloatAdmScales; ++scale) {
        FloatAdmBand &band = config.band[scale];
        band.width = width = (width + 1) / 2;
        band.height = height = (height + 1) / 2;
        band.left = border_of(width);
        band.top = border_of(height);
        band.right = width - band.left;
        band.bottom = height - band.top;
        for (int i = 0; i < kFloatAdmOrientations; ++i) {
            const int diagonal = i == 2 ? 1 : 0;
            const double option = given[diagonal][scale];
            band.factor[i] = option >= 0 ? static_cast<float>(option) : factors.at[scale][diagonal];
        }
    }
    return config;
}

/// What changes the Sums.
auto sums_options(const FloatAdmOptions &o)
{
    return std::tie(o.gain_limit, o.view_distance, o.display_height, o.csf_mode, o.csf_scale,
                    o.csf_diagonal_scale, o.bypass_masking, o.power, o.skip_scale0, o.reciprocal,
                    o.f1s0, o.f1s1, o.f1s2, o.f1s3, o.f2s0, o.f2s1, o.f2s2, o.f2s3);
}

std::vector<FeatureGroup> float_adm_create(const Format &format, Compat compat,
                                           const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_adm is known as in libvmaf 3.2 only; leave out compat=3.1");
    using Options = FloatAdmOptions;
    const auto shares_sums = [](const Options &a, const Options &b) {
        return sums_options(a) == sums_options(b);
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        const FloatAdmConfig config = config_of(format, set.front());
        return std::make_unique<FloatAdm>(config, std::move(set));
    });
}

} // namespace

const FeatureInfo kFloatAdmFeature = {
    "float_adm",
    {FloatAdmOptions()},
    {
        {"adm_enhn_gain_limit", "egl", &FloatAdmOptions::gain_limit, 1.0, 100.0},
        {"adm_norm_view_dist", "nvd", &FloatAdmOptions::view_distance, 0.75, 24.0},
        {"adm_ref_display_height", "rdf", &FloatAdmOptions::display_height, 1, 4320},
        {"adm_csf_mode", "csf", &FloatAdmOptions::csf_mode, 0, 9},
        {"adm_csf_scale", "scf", &FloatAdmOptions::csf_scale, 0.0, 50.0},
        {"adm_csf_diag_scale", "scfd", &FloatAdmOptions::csf_diagonal_scale, 0.0, 50.0},
        {"adm_bypass_cm", "bcm", &FloatAdmOptions::bypass_masking, 0, 1},
        {"adm_p_norm", "apn", &FloatAdmOptions::power, 1.0, 20.0},
        {"adm_skip_scale0", "ssz", &FloatAdmOptions::skip_scale0},
        // Not of libvmaf: which processor's approximate reciprocals.
        {"float_adm_rcp", nullptr, &FloatAdmOptions::reciprocal, 0, 2, kMakers},
        {"adm_f1s0", "f1s0", &FloatAdmOptions::f1s0, -1.0, 10.0},
        {"adm_f1s1", "f1s1", &FloatAdmOptions::f1s1, -1.0, 10.0},
        {"adm_f1s2", "f1s2", &FloatAdmOptions::f1s2, -1.0, 10.0},
        {"adm_f1s3", "f1s3", &FloatAdmOptions::f1s3, -1.0, 10.0},
        {"adm_f2s0", "f2s0", &FloatAdmOptions::f2s0, -1.0, 10.0},
        {"adm_f2s1", "f2s1", &FloatAdmOptions::f2s1, -1.0, 10.0},
        {"adm_f2s2", "f2s2", &FloatAdmOptions::f2s2, -1.0, 10.0},
        {"adm_f2s3", "f2s3", &FloatAdmOptions::f2s3, -1.0, 10.0},
        {"adm_noise_weight", "nw", &FloatAdmOptions::noise_weight, 0.0, 1500.0},
        {"adm_adm3_apply_hm", "aah", &FloatAdmOptions::harmonic_mean},
        {"adm_dlm_weight", "dlmw", &FloatAdmOptions::dlm_weight, 0.0, 1.0},
        {"adm_min_val", "min", &FloatAdmOptions::min_val, 0.0, 1.0},
        {"adm_skip_aim_scale", "sasc", &FloatAdmOptions::skip_aim_scale, 0, 3},
        {"debug", nullptr, &FloatAdmOptions::debug, 0, 1, nullptr, true},
    },
    float_adm_outputs,
    17,
    float_adm_create,
    {8, 10, 12, 16}, // of others libvmaf reads single bytes
};

} // namespace vmafgpu
