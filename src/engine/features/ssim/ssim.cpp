// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_ssim and float_ms_ssim: options, outputs, sizes of the scales, scores from
// Sums. Pixel work: ssim_ref.cpp, ssim_cpu.cpp, ssim_record.cpp.
#include "features/ssim/ssim.h"

#include <cmath>
#include <limits>

#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::ssim {

namespace {

/// Options of both features. float_ms_ssim has no scale.
struct Options {
    bool enable_lcs = false, enable_db = false, clip_db = false;
    int scale = 0;
};

/// libvmaf's float_ssim accepts smaller pictures, down to where it reads outside of them.
constexpr int kMinSize = 5;
/// Five scales, of which the smallest must still hold the window.
constexpr int kMsMinSize = 176;

std::vector<OutputInfo> outputs(Compat, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs = {Output("float_ssim").is_default()};
    if (options.as<Options>().enable_lcs) {
        outputs.push_back(Output("float_ssim_l").is_default());
        outputs.push_back(Output("float_ssim_c").is_default());
        outputs.push_back(Output("float_ssim_s").is_default());
    }
    return outputs;
}

/// Score, then l, c and s, each of all scales.
constexpr const char *kMsNames[] = {
    "float_ms_ssim",          "float_ms_ssim_l_scale0", "float_ms_ssim_l_scale1",
    "float_ms_ssim_l_scale2", "float_ms_ssim_l_scale3", "float_ms_ssim_l_scale4",
    "float_ms_ssim_c_scale0", "float_ms_ssim_c_scale1", "float_ms_ssim_c_scale2",
    "float_ms_ssim_c_scale3", "float_ms_ssim_c_scale4", "float_ms_ssim_s_scale0",
    "float_ms_ssim_s_scale1", "float_ms_ssim_s_scale2", "float_ms_ssim_s_scale3",
    "float_ms_ssim_s_scale4"};

std::vector<OutputInfo> ms_outputs(Compat, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs;
    for (const char *name : kMsNames) {
        outputs.push_back(Output(name).is_default());
        if (!options.as<Options>().enable_lcs)
            break;
    }
    return outputs;
}

/// The NaN of x86-64's arithmetic, which libvmaf's logs print as "-nan".
double not_a_number()
{
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
}

class Ssim final : public FeatureOf<Config, Sums, Forms> {
public:
    Ssim(const Config &config, std::vector<Options> variants)
        : FeatureOf(config), variants_(std::move(variants))
    {
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const ScaleSums *sums = sums_of(window).scales;
        for (size_t v = 0; v < variants_.size(); ++v) {
            const Options &options = variants_[v];
            const double score = config_.is_multi_scale ? combined(sums) : mean(sums, kProduct);
            *out[v] = options.enable_db ? in_db(score, options.clip_db) : score;
            if (!options.enable_lcs)
                continue;
            double *next = out[v] + 1;
            for (const Mean kind : {kLuminance, kContrast, kStructure})
                for (int scale = 0; scale < config_.scales; ++scale)
                    *next++ = mean(sums + scale, kind);
        }
    }

private:
    double mean(const ScaleSums *sums, Mean kind) const;
    double combined(const ScaleSums *sums) const;
    double in_db(double score, bool is_clipped) const;

    std::vector<Options> variants_;
};

/// Where the window does not fit float_ssim's only scale, libvmaf divides a sum of 0 by the product
/// of two sizes of which at least one is not positive.
double Ssim::mean(const ScaleSums *sums, Mean kind) const
{
    if (config_.is_multi_scale || config_.has_pixels(0))
        return sums->means[kind];
    const int divisor = config_.pixels_x(0) * config_.pixels_y(0);
    return divisor == 0 ? not_a_number() : divisor < 0 ? -0.0 : 0.0;
}

double Ssim::combined(const ScaleSums *sums) const
{
    double score = 1.0;
    for (int scale = 0; scale < kMaxScales; ++scale) {
        const double alpha = kAlpha[scale];
        const double beta = kBeta[scale];
        const double l = libm::pow(sums[scale].means[kLuminance], alpha);
        const double c = libm::pow(sums[scale].means[kContrast], beta);
        const double s = libm::pow(sums[scale].means[kStructure], beta);
        score = score * (l * c * s);
    }
    return std::isnan(score) ? not_a_number() : score;
}

/// NaN and what is above 1 become the cap.
double Ssim::in_db(double score, bool is_clipped) const
{
    double cap = std::numeric_limits<double>::infinity();
    if (is_clipped) {
        const double peak = (1 << config_.depth) - 1;
        const double mse = 0.5 / (static_cast<double>(config_.width) * config_.height);
        cap = std::ceil(10.0 * libm::log10(peak * peak / mse));
    }
    if (score > 1.0)
        return cap;
    const double db =
        score == 1.0 ? std::numeric_limits<double>::infinity() : -10.0 * libm::log10(1.0 - score);
    return db < cap ? db : cap;
}

std::vector<FeatureGroup> create(const Format &format, Compat,
                                 const std::vector<FeatureOptions> &variants)
{
    const auto shares_sums = [&](const Options &a, const Options &b) {
        return config_of(format, a.scale).factor == config_of(format, b.scale).factor;
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        const Config config = config_of(format, set.front().scale);
        return std::make_unique<Ssim>(config, std::move(set));
    });
}

std::vector<FeatureGroup> ms_create(const Format &format, Compat,
                                    const std::vector<FeatureOptions> &variants)
{
    const auto all_share = [](const Options &, const Options &) {
        return true;
    };
    return make_groups<Options>(variants, all_share, [&](std::vector<Options> set) {
        return std::make_unique<Ssim>(ms_config_of(format), std::move(set));
    });
}

} // namespace

Config config_of(const Format &format, int factor)
{
    if (factor == 0) {
        // The quotient is rounded to the nearest integer, halves up.
        const int size = format.width < format.height ? format.width : format.height;
        factor = (size + 128) / 256;
        factor = factor < 1 ? 1 : factor;
    }
    Config config;
    config.width = config.scale_width[0] = format.width;
    config.height = config.scale_height[0] = format.height;
    config.depth = format.depth;
    config.factor = factor;
    if (factor > 1) { // an odd size has one sample more, whatever the factor
        config.scale_width[0] = format.width / factor + format.width % 2;
        config.scale_height[0] = format.height / factor + format.height % 2;
    }
    return config;
}

Config ms_config_of(const Format &format)
{
    Config config = config_of(format, 1);
    config.is_multi_scale = true;
    config.scales = kMaxScales;
    for (int scale = 1; scale < kMaxScales; ++scale) {
        config.scale_width[scale] = (config.scale_width[scale - 1] + 1) / 2;
        config.scale_height[scale] = (config.scale_height[scale - 1] + 1) / 2;
    }
    return config;
}

size_t Forms::sums_bytes(const Config &config)
{
    return static_cast<size_t>(config.scales) * sizeof(ScaleSums);
}

bool Forms::is_complete(const Config &config, const Sums &sums)
{
    for (int scale = 0; scale < config.scales; ++scale)
        if (sums.scales[scale].open != 0)
            return false;
    return true;
}

const FeatureInfo kFeature = Info("float_ssim")
                                 .options<Options>({
                                     Option("enable_lcs", &Options::enable_lcs).adds_series(),
                                     Option("enable_db", &Options::enable_db),
                                     Option("clip_db", &Options::clip_db),
                                     Option("scale", &Options::scale).range(0, 10),
                                 })
                                 .outputs(outputs)
                                 .min_size(kMinSize)
                                 .depths({8, 10, 12, 16}) // at others libvmaf takes words for bytes
                                 .create(create);

const FeatureInfo kMsFeature = Info("float_ms_ssim")
                                   .options<Options>({
                                       Option("enable_lcs", &Options::enable_lcs).adds_series(),
                                       Option("enable_db", &Options::enable_db),
                                       Option("clip_db", &Options::clip_db),
                                   })
                                   .outputs(ms_outputs)
                                   .min_size(kMsMinSize)
                                   .depths({8, 10, 12, 16})
                                   .create(ms_create);

} // namespace vmafgpu::ssim
