// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of speed_chroma: options, outputs, sizes and filters, which variants share a Feature
// object, and scores from Sums. Pixel work: speed_chroma_cpu.cpp, speed_chroma_record.cpp,
// speed_chroma_ref.cpp.
#include "features/speed_chroma/speed_chroma.h"

#include <cerrno>
#include <cmath>
#include <string>
#include <tuple>

#include "base/error.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "features/kit/kernel_scale.h"
#include "features/speed_chroma/speed_chroma_math.h"
#include "features/speed_chroma/speed_chroma_tables.h"
#include "libm/libm.h"

namespace vmafgpu::speed_chroma {

namespace {

enum Column { kU, kV, kUv };

std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1) // libvmaf had no SpEED then
        return {};
    return {
        Output("Speed_chroma_feature_speed_chroma_u_score").report("speed_chroma_u").is_default(),
        Output("Speed_chroma_feature_speed_chroma_v_score").report("speed_chroma_v").is_default(),
        Output("Speed_chroma_feature_speed_chroma_uv_score").report("speed_chroma_uv").is_default(),
    };
}

/// log2(1 + v), the sum in float.
double weight_of(float v)
{
    return libm::log2(static_cast<double>(1 + v));
}

/// The two factors of a block's entropies, from S of the reference and of the distorted.
struct Weights {
    double reference, distorted;
};

Weights block_weights(int mode, float s, float t)
{
    const auto mixed = [&](double reference, double distorted) {
        return libm::log2(
            1 + (reference * static_cast<double>(s) + distorted * static_cast<double>(t)));
    };
    const auto middle = [&] {
        return libm::log2(1 + static_cast<double>(s + t) / 2);
    };
    switch (mode) {
    case 0:
        return {weight_of(s), weight_of(t)};
    case 1:
        return {weight_of(s), weight_of(s)};
    case 2:
        return {weight_of(t), weight_of(t)};
    case 3:
        return {middle(), middle()};
    case 4:
        return {weight_of(s), middle()};
    case 5:
        return {weight_of(s), mixed(0.75, 0.25)};
    default:
        return {weight_of(s), mixed(0.25, 0.75)};
    }
}

/// The score of one chroma plane.
struct PlaneScore {
    float value;
    bool is_flagged; ///< one of its covariances is singular
};

PlaneScore plane_score(const SumsView &sums, int first, int blocks, const Options &options)
{
    const bool singular[2] = {sums.planes[first].is_singular != 0,
                              sums.planes[first + 1].is_singular != 0};
    if (singular[0] != singular[1])
        return {0, true};
    const auto sigma = static_cast<float>(options.sigma);
    const float least = (1 + static_cast<float>(options.floor)) * sigma;
    const auto floor =
        static_cast<float>(kVector * (libm::log2(static_cast<double>(least)) + kEntropy));
    const float *s = sums.s + first * blocks;
    const float *e = sums.e + first * blocks;
    const float *t = s + blocks;
    const float *f = e + blocks;
    float sum = 0;
    for (int b = 0; b < blocks; ++b) {
        if (e[b] < floor && f[b] < floor)
            continue; // adds 0
        const Weights weights = block_weights(options.weight_mode, s[b], t[b]);
        const auto reference = static_cast<float>(static_cast<double>(e[b]) * weights.reference);
        const auto distorted = static_cast<float>(static_cast<double>(f[b]) * weights.distorted);
        sum = sum + std::fabs(reference - distorted);
    }
    return {sum / static_cast<float>(blocks), singular[0]};
}

/// NaN becomes the maximum.
double limited(float score, double max)
{
    const double wide = score;
    return wide < max ? wide : max;
}

class SpeedChroma final : public FeatureOf<Config, Sums, Forms> {
public:
    SpeedChroma(Config config, std::vector<Options> variants)
        : FeatureOf(std::move(config)), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = true;
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const int blocks = config_.blocks();
        // A SumsView is made from data that may change. This one only reads them.
        const SumsView sums(const_cast<Sums &>(sums_of(window)), blocks);
        for (size_t v = 0; v < variants_.size(); ++v) {
            const PlaneScore cb = plane_score(sums, 0, blocks, variants_[v]);
            const PlaneScore cr = plane_score(sums, 2, blocks, variants_[v]);
            auto both = static_cast<float>(static_cast<double>(cb.value + cr.value) / 2);
            if (cb.is_flagged != cr.is_flagged)
                both = cb.is_flagged ? cr.value : cb.value;
            const double max = variants_[v].max_val;
            out[v][kU] = limited(cb.value, max);
            out[v][kV] = limited(cr.value, max);
            out[v][kUv] = limited(both, max);
        }
    }

private:
    std::vector<Options> variants_;
};

constexpr double kPrescaleTolerance = 1e-3; ///< this near to 1 nothing is resized

/// The smallest resized size whose low-pass plane holds a block.
constexpr int kMinResized = kLowPassStep * kEdge;

int odd_length(int length, double kernel_scale)
{
    const float scaled = static_cast<float>(length) * static_cast<float>(kernel_scale);
    const int rounded = static_cast<int>(std::ceil(scaled));
    const int odd = rounded % 2 == 0 ? rounded + 1 : rounded;
    return odd < 3 ? 3 : odd;
}

void check_format(const Format &format)
{
    if (format.chroma == Chroma::k400)
        throw Error(EINVAL,
                    "feature speed_chroma needs chroma, but the pictures are gray or the two "
                    "inputs differ in their chroma format: give both the same 4:2:0, 4:2:2 "
                    "or 4:4:4 format");
    if (format.depth != 8 && format.depth != 10 && format.depth != 12 && format.depth != 16)
        throw Error(EINVAL, "feature speed_chroma: depth is " + std::to_string(format.depth) +
                                "; allowed: 8, 10, 12, 16");
}

void set_size(Config &config, const Format &format, double prescale)
{
    const bool half_width = format.chroma != Chroma::k444;
    const bool half_height = format.chroma == Chroma::k420;
    config.width = half_width ? format.width / 2 : format.width;
    config.height = half_height ? format.height / 2 : format.height;
    const bool resizes = std::fabs(prescale - 1) >= kPrescaleTolerance;
    // NOLINTBEGIN(bugprone-incorrect-roundings): as libvmaf rounds
    config.resized_width = resizes ? static_cast<int>(config.width * prescale + 0.5) : config.width;
    config.resized_height =
        resizes ? static_cast<int>(config.height * prescale + 0.5) : config.height;
    // NOLINTEND(bugprone-incorrect-roundings)
    config.low_width = config.resized_width / kLowPassStep;
    config.low_height = config.resized_height / kLowPassStep;
    config.blocks_x = config.low_width / kEdge;
    config.blocks_y = config.low_height / kEdge;
    if (config.blocks_x > 0 && config.blocks_y > 0)
        return;
    throw Error(EINVAL, "feature speed_chroma: chroma planes of " + std::to_string(config.width) +
                            "x" + std::to_string(config.height) + " (after speed_prescale " +
                            std::to_string(config.resized_width) + "x" +
                            std::to_string(config.resized_height) +
                            ") are smaller than the minimum " + std::to_string(kMinResized) + "x" +
                            std::to_string(kMinResized));
}

/// Returns the options that change the Sums.
auto sums_options(const Options &options)
{
    return std::tie(options.kernel_scale, options.prescale, options.resize, options.sigma);
}

std::vector<FeatureGroup> create(const Format &format, Compat,
                                 const std::vector<FeatureOptions> &variants)
{
    const auto shares_sums = [](const Options &a, const Options &b) {
        return sums_options(a) == sums_options(b);
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        auto config = config_of(format, set.front());
        return std::make_unique<SpeedChroma>(std::move(config), std::move(set));
    });
}

} // namespace

Config config_of(const Format &format, const Options &options)
{
    check_format(format);
    check_kernel_scale("speed_chroma", "speed_kernelscale", options.kernel_scale, kKernelScales);
    Config config;
    config.depth = format.depth;
    config.sigma = static_cast<float>(options.sigma);
    config.resize = options.resize;
    set_size(config, format, options.prescale);

    const int low_pass = odd_length(kLowPassLength, options.kernel_scale);
    const int local_mean = odd_length(kLocalMeanLength, options.kernel_scale);
    config.low_pass = gaussian_taps(low_pass, static_cast<float>(2.0 * low_pass / 5.0));
    config.local_mean = gaussian_taps(local_mean, static_cast<float>(local_mean) / 5);

    if (config.resized_width == config.width && config.resized_height == config.height)
        return config;
    config.columns = resize_axis(config.resize, config.width, config.resized_width);
    config.rows = resize_axis(config.resize, config.height, config.resized_height);
    config.taps = config.columns.taps;
    return config;
}

size_t Forms::sums_bytes(const Config &config)
{
    return SumsView::bytes(config.blocks());
}

int Forms::finish(const Config &config, Sums &sums)
{
    const int blocks = config.blocks();
    const SumsView all(sums, blocks);
    int recomputed = 0;
    for (int p = 0; p < kPlanes; ++p) {
        if (all.planes[p].open == 0)
            continue;
        recomputed += static_cast<int>(all.planes[p].open);
        all.planes[p].open = 0;
        set_entropies(config, all.planes[p], all.s + p * blocks, all.e + p * blocks);
    }
    return recomputed;
}

const FeatureInfo kFeature =
    Info("speed_chroma")
        .options<Options>({
            Option("speed_kernelscale", &Options::kernel_scale).alias("ks").range(0.1, 4.0),
            Option("speed_prescale", &Options::prescale).alias("ps").range(0.1, 4.0),
            Option("speed_prescale_method", &Options::resize)
                .alias("psm")
                .range(0, 3)
                .words(kFloatResizeWords),
            Option("speed_sigma_nn", &Options::sigma).alias("snn").range(0.1, 2.0),
            Option("speed_nn_floor", &Options::floor).alias("nnf"),
            Option("speed_max_val", &Options::max_val).alias("mxv").range(0.0, 1000.0),
            Option("speed_weight_var_mode", &Options::weight_mode).alias("wvm").range(0, 6),
        })
        .outputs(outputs) // the smallest size depends on the chroma format and on speed_prescale
        .create(create);

} // namespace vmafgpu::speed_chroma
