// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_vif: options, outputs, which variants share a Feature object, and scores from
// Sums. Pixel work: float_vif_cpu.cpp, float_vif_ref.cpp.
#include "features/float_vif/float_vif.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <string>

#include "base/error.h"
#include "features/float_vif/float_vif_tables.h"

namespace vmafgpu {

namespace {

enum Option {
    kGainLimit,
    kKernelScale,
    kPrescale,
    kPrescaleMethod,
    kNoise,
    kSkipScale0,
    kScale1Min, ///< those of scales 2 and 3 follow
};

/// Order of float_vif_outputs(); den_scale{k} follows num_scale{k}.
enum Output { kScale0 = 0, kVif = 4, kNum, kDen, kNumScale0 };

constexpr float kKernelScaleTolerance = 1e-3F;
constexpr int kMostBilinearWidth = 7680; ///< libvmaf's

std::vector<OutputInfo> float_vif_outputs(Compat compat, const OptionValues & /*values*/)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    return {
        {"VMAF_feature_vif_scale0_score", "vif_scale0", true, false},
        {"VMAF_feature_vif_scale1_score", "vif_scale1", true, false},
        {"VMAF_feature_vif_scale2_score", "vif_scale2", true, false},
        {"VMAF_feature_vif_scale3_score", "vif_scale3", true, false},
        {"vif", nullptr, false, false},
        {"vif_num", nullptr, false, false},
        {"vif_den", nullptr, false, false},
        {"vif_num_scale0", nullptr, false, false},
        {"vif_den_scale0", nullptr, false, false},
        {"vif_num_scale1", nullptr, false, false},
        {"vif_den_scale1", nullptr, false, false},
        {"vif_num_scale2", nullptr, false, false},
        {"vif_den_scale2", nullptr, false, false},
        {"vif_num_scale3", nullptr, false, false},
        {"vif_den_scale3", nullptr, false, false},
    };
}

void variant_scores(const FloatVifSums &sums, const OptionValues &values, double *out)
{
    const bool skips = values[kSkipScale0] != 0.0;
    double num_sum = 0;
    double den_sum = 0;
    out[kScale0] = 0;
    out[kNumScale0] = 0;
    out[kNumScale0 + 1] = -1;
    for (int scale = skips ? 1 : 0; scale < kFloatVifScales; ++scale) {
        const double num = sums.num[scale];
        const double den = sums.den[scale];
        double score = num / den;
        if (scale > 0) {
            const double least = values[kScale1Min + scale - 1];
            score = score > least ? score : least;
        }
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

class FloatVif final : public Feature {
public:
    FloatVif(FloatVifConfig config, std::vector<OptionValues> variants)
        : config_(std::move(config)), variants_(std::move(variants))
    {
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(FloatVifSums);
        plan.cpu_scratch = float_vif_scratch(config_);
        return plan;
    }

    bool runs_on_host() const override { return true; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        float_vif_compute(config_, pair, *static_cast<FloatVifSums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        float_vif_reference(config_, pair, *static_cast<FloatVifSums *>(sums));
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto &sums = *static_cast<const FloatVifSums *>(window.at(0));
        for (size_t v = 0; v < variants_.size(); ++v)
            variant_scores(sums, variants_[v], out[v]);
    }

private:
    FloatVifConfig config_;
    std::vector<OptionValues> variants_;
};

void check_kernel_scale(double scale)
{
    for (const float known : kFloatVifKernelScales)
        if (std::fabs(static_cast<float>(scale) - known) < kKernelScaleTolerance)
            return;
    throw Error(EINVAL, "feature float_vif: option vif_kernelscale is " + std::to_string(scale) +
                            "; only 0.444444, 0.5, 2/3, 0.711111, 0.74074, 1, 1.06667, 1.11111, "
                            "1.16667, 1.25, 1.33333, 1.41667, 1.4746, 1.5, 1.54, 1.6, 1.66667, 2, "
                            "2.4, 3 and 3.71134 have kernels");
}

int filter_length(int scale, double kernel_scale)
{
    const float scaled =
        static_cast<float>((1 << (4 - scale)) + 1) * static_cast<float>(kernel_scale);
    const int rounded = static_cast<int>(std::ceil(scaled));
    return std::max(3, rounded % 2 == 0 ? rounded + 1 : rounded);
}

/// Filters reach beyond a border by less than the size of what they filter.
void check_size(const FloatVifConfig &config)
{
    int smallest = std::min(config.width, config.height);
    for (int scale = 0; scale < kFloatVifScales; ++scale) {
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

FloatVifConfig config_of(const Format &format, const OptionValues &values)
{
    check_kernel_scale(values[kKernelScale]);
    FloatVifConfig config;
    config.format = format;
    config.width = resized_size(format.width, values[kPrescale]);
    config.height = resized_size(format.height, values[kPrescale]);
    config.method = static_cast<FloatResize>(values[kPrescaleMethod]);
    config.noise = values[kNoise];
    config.gain_limit = static_cast<float>(values[kGainLimit]);
    config.skip_scale0 = values[kSkipScale0] != 0.0;
    if (config.method == FloatResize::kBilinear && config.width > kMostBilinearWidth)
        throw Error(EINVAL, "feature float_vif: vif_prescale_method=bilinear allows scaled widths "
                            "up to " +
                                std::to_string(kMostBilinearWidth) + ", as in libvmaf, not " +
                                std::to_string(config.width));
    for (int scale = 0; scale < kFloatVifScales; ++scale)
        config.taps[scale] = gaussian_taps(filter_length(scale, values[kKernelScale]));
    check_size(config);
    return config;
}

/// Equal in what changes the Sums.
bool shares_sums(const OptionValues &a, const OptionValues &b)
{
    return std::equal(a.begin(), a.begin() + kScale1Min, b.begin());
}

std::vector<FeatureGroup> float_vif_create(const Format &format, Compat compat,
                                           const std::vector<OptionValues> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_vif is known as in libvmaf 3.2 only; leave out compat=3.1");
    std::vector<FeatureGroup> groups;
    for (VariantSet &set : sets_of_variants(variants, shares_sums)) {
        auto config = config_of(format, set.variants.front());
        groups.push_back({std::make_unique<FloatVif>(std::move(config), std::move(set.variants)),
                          std::move(set.indices)});
    }
    return groups;
}

} // namespace

const FeatureInfo kFloatVifFeature = {
    "float_vif",
    {
        {"vif_enhn_gain_limit", "egl", OptionType::kDouble, 100.0, 1.0, 100.0},
        {"vif_kernelscale", "ks", OptionType::kDouble, 1.0, 0.1, 4.0},
        {"vif_prescale", "ps", OptionType::kDouble, 1.0, 0.1, 4.0},
        {"vif_prescale_method", "pm", OptionType::kChoice, 0, 0, 3, kFloatResizeWords},
        {"vif_sigma_nsq", "snsq", OptionType::kDouble, 2.0, 0.0, 5.0},
        {"vif_skip_scale0", "ssclz", OptionType::kBool, 0, 0, 1},
        {"vif_scale1_min_val", "s1miv", OptionType::kDouble, 0.0, 0.0, 1.0},
        {"vif_scale2_min_val", "s2miv", OptionType::kDouble, 0.0, 0.0, 1.0},
        {"vif_scale3_min_val", "s3miv", OptionType::kDouble, 0.0, 0.0, 1.0},
        {"debug", nullptr, OptionType::kBool, 0, 0, 1, nullptr, true},
    },
    float_vif_outputs,
    1, // the minimum depends on vif_kernelscale and vif_prescale
    float_vif_create,
    {8, 10, 12, 16}, // of others libvmaf reads single bytes
};

} // namespace vmafgpu
