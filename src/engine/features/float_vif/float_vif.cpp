// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_vif: options, outputs, which variants share a Feature object, and scores from
// Sums. Pixel work: float_vif_cpu.cpp, float_vif_ref.cpp.
#include "features/float_vif/float_vif.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>
#include <tuple>

#include "base/error.h"
#include "features/float_vif/float_vif_tables.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "features/kit/kernel_scale.h"

namespace vmafgpu::float_vif {

namespace {

struct Options {
    double gain_limit = 100.0;
    double kernel_scale = 1.0;
    double prescale = 1.0;
    FloatResize prescale_method = FloatResize::kNearest;
    double noise = 2.0;
    bool skip_scale0 = false;
    double scale1_min = 0.0, scale2_min = 0.0, scale3_min = 0.0; ///< do not change the Sums
    bool debug = false;
};

/// Order of outputs(); den_scale{k} follows num_scale{k}.
enum Column { kScale0 = 0, kVif = 4, kNum, kDen, kNumScale0 };

constexpr int kMostBilinearWidth = 7680; ///< libvmaf's

std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    return {
        Output("VMAF_feature_vif_scale0_score").report("vif_scale0").is_default(),
        Output("VMAF_feature_vif_scale1_score").report("vif_scale1").is_default(),
        Output("VMAF_feature_vif_scale2_score").report("vif_scale2").is_default(),
        Output("VMAF_feature_vif_scale3_score").report("vif_scale3").is_default(),
        Output("vif"),
        Output("vif_num"),
        Output("vif_den"),
        Output("vif_num_scale0"),
        Output("vif_den_scale0"),
        Output("vif_num_scale1"),
        Output("vif_den_scale1"),
        Output("vif_num_scale2"),
        Output("vif_den_scale2"),
        Output("vif_num_scale3"),
        Output("vif_den_scale3"),
    };
}

void variant_scores(const Sums &sums, const Options &options, double *out)
{
    const double least[] = {0, options.scale1_min, options.scale2_min, options.scale3_min};
    double num_sum = 0;
    double den_sum = 0;
    out[kScale0] = 0;
    out[kNumScale0] = 0;
    out[kNumScale0 + 1] = -1;
    for (int scale = options.skip_scale0 ? 1 : 0; scale < kScales; ++scale) {
        const double num = sums.num[scale];
        const double den = sums.den[scale];
        double score = num / den;
        if (scale > 0)
            score = score > least[scale] ? score : least[scale];
        out[kScale0 + scale] = score;
        out[kNumScale0 + 2 * scale] = num;
        out[kNumScale0 + 2 * scale + 1] = den;
        num_sum += num;
        den_sum += den;
    }
    out[kVif] = den_sum == 0 ? 1 : num_sum / den_sum;
    out[kNum] = num_sum;
    out[kDen] = den_sum;
}

class FloatVif final : public FeatureOf<Config, Sums, Forms> {
public:
    FloatVif(Config config, std::vector<Options> variants)
        : FeatureOf(std::move(config)), variants_(std::move(variants))
    {
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v)
            variant_scores(sums_of(window), variants_[v], out[v]);
    }

private:
    std::vector<Options> variants_;
};

int filter_length(int scale, double kernel_scale)
{
    const float scaled =
        static_cast<float>((1 << (4 - scale)) + 1) * static_cast<float>(kernel_scale);
    const int rounded = static_cast<int>(std::ceil(scaled));
    return std::max(3, rounded % 2 == 0 ? rounded + 1 : rounded);
}

/// Filters reach beyond a border by less than the size of the plane.
void check_size(const Config &config)
{
    int smallest = std::min(config.width, config.height);
    for (int scale = 0; scale < kScales; ++scale) {
        const int half = static_cast<int>(config.taps[scale].size()) / 2;
        smallest = scale > 0 ? smallest / 2 : smallest;
        if (smallest <= half)
            throw Error(EINVAL, "feature float_vif: pictures of " + std::to_string(config.width) +
                                    "x" + std::to_string(config.height) +
                                    " (after vif_prescale) are too small; scale " +
                                    std::to_string(scale) + " would need sides of at least " +
                                    std::to_string((half + 1) << scale) +
                                    ", and libvmaf would read outside of them");
    }
}

Config config_of(const Format &format, const Options &options)
{
    check_kernel_scale("float_vif", "vif_kernelscale", options.kernel_scale, kKernelScales);
    Config config;
    config.format = format;
    config.width = resized_size(format.width, options.prescale);
    config.height = resized_size(format.height, options.prescale);
    config.method = options.prescale_method;
    config.noise = options.noise;
    config.gain_limit = static_cast<float>(options.gain_limit);
    config.skip_scale0 = options.skip_scale0;
    if (config.method == FloatResize::kBilinear && config.width > kMostBilinearWidth)
        throw Error(EINVAL, "feature float_vif: vif_prescale_method=bilinear allows scaled widths "
                            "up to " +
                                std::to_string(kMostBilinearWidth) + ", as in libvmaf, not " +
                                std::to_string(config.width));
    for (int scale = 0; scale < kScales; ++scale)
        config.taps[scale] = gaussian_taps(filter_length(scale, options.kernel_scale));
    check_size(config);
    return config;
}

/// Returns the options that change the Sums.
auto sums_options(const Options &options)
{
    return std::tie(options.gain_limit, options.kernel_scale, options.prescale,
                    options.prescale_method, options.noise, options.skip_scale0);
}

std::vector<FeatureGroup> create(const Format &format, Compat compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_vif is known as in libvmaf 3.2 only; leave out compat=3.1");
    const auto shares_sums = [](const Options &a, const Options &b) {
        return sums_options(a) == sums_options(b);
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        auto config = config_of(format, set.front());
        return std::make_unique<FloatVif>(std::move(config), std::move(set));
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("float_vif")
        .options<Options>({
            Option("vif_enhn_gain_limit", &Options::gain_limit).alias("egl").range(1.0, 100.0),
            Option("vif_kernelscale", &Options::kernel_scale).alias("ks").range(0.1, 4.0),
            Option("vif_prescale", &Options::prescale).alias("ps").range(0.1, 4.0),
            Option("vif_prescale_method", &Options::prescale_method)
                .alias("pm")
                .range(0, 3)
                .words(kFloatResizeWords),
            Option("vif_sigma_nsq", &Options::noise).alias("snsq").range(0.0, 5.0),
            Option("vif_skip_scale0", &Options::skip_scale0).alias("ssclz"),
            Option("vif_scale1_min_val", &Options::scale1_min).alias("s1miv"),
            Option("vif_scale2_min_val", &Options::scale2_min).alias("s2miv"),
            Option("vif_scale3_min_val", &Options::scale3_min).alias("s3miv"),
            Option("debug", &Options::debug).adds_series(),
        })
        .outputs(outputs)        // the smallest size depends on vif_kernelscale and vif_prescale
        .depths({8, 10, 12, 16}) // libvmaf reads single bytes of other depths
        .create(create);

} // namespace vmafgpu::float_vif
