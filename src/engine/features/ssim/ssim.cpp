// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_ssim and float_ms_ssim: options, outputs, sizes of the scales, scores from
// Sums. Pixel work: ssim_ref.cpp, ssim_cpu.cpp, ssim_record.cpp.
#include "features/ssim/ssim.h"

#include <cmath>
#include <limits>

#include "features/kit/groups.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

/// Of both features; float_ms_ssim has no scale.
struct SsimOptions {
    bool enable_lcs = false, enable_db = false, clip_db = false;
    int scale = 0;
};

/// libvmaf's float_ssim accepts smaller pictures, down to where it reads outside of them.
constexpr int kSsimMinSize = 5;
/// Five scales, of which the smallest must still hold the window.
constexpr int kMsSsimMinSize = 176;

std::vector<OutputInfo> ssim_outputs(Compat, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs = {{"float_ssim", nullptr, true, false}};
    if (options.as<SsimOptions>().enable_lcs) {
        outputs.push_back({"float_ssim_l", nullptr, true, false});
        outputs.push_back({"float_ssim_c", nullptr, true, false});
        outputs.push_back({"float_ssim_s", nullptr, true, false});
    }
    return outputs;
}

/// Score, then l, c and s, each of all scales.
constexpr const char *kMsSsimNames[] = {
    "float_ms_ssim",          "float_ms_ssim_l_scale0", "float_ms_ssim_l_scale1",
    "float_ms_ssim_l_scale2", "float_ms_ssim_l_scale3", "float_ms_ssim_l_scale4",
    "float_ms_ssim_c_scale0", "float_ms_ssim_c_scale1", "float_ms_ssim_c_scale2",
    "float_ms_ssim_c_scale3", "float_ms_ssim_c_scale4", "float_ms_ssim_s_scale0",
    "float_ms_ssim_s_scale1", "float_ms_ssim_s_scale2", "float_ms_ssim_s_scale3",
    "float_ms_ssim_s_scale4"};

std::vector<OutputInfo> ms_ssim_outputs(Compat, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs;
    for (const char *name : kMsSsimNames) {
        outputs.push_back({name, nullptr, true, false});
        if (!options.as<SsimOptions>().enable_lcs)
            break;
    }
    return outputs;
}

/// The NaN of x86-64's arithmetic, which libvmaf's logs print as "-nan".
double not_a_number()
{
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
}

class Ssim final : public Feature, public FeatureDevice {
public:
    Ssim(const SsimConfig &config, std::vector<SsimOptions> variants)
        : config_(config), variants_(std::move(variants))
    {
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = config_.scales * sizeof(SsimScaleSums);
        plan.scratch = ssim_device_scratch(config_);
        plan.shared_scratch = ssim_device_shared_scratch(config_);
        plan.cpu_scratch = ssim_cpu_scratch(config_);
        return plan;
    }
    const FeatureDevice *device() const override { return this; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        ssim_compute(config_, pair, static_cast<SsimScaleSums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        ssim_reference(config_, pair, static_cast<SsimScaleSums *>(sums));
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        ssim_record(config_, queue, batch);
    }

    bool is_complete(const void *sums) const override
    {
        const auto *scales = static_cast<const SsimScaleSums *>(sums);
        for (int scale = 0; scale < config_.scales; ++scale)
            if (scales[scale].open != 0)
                return false;
        return true;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const SsimScaleSums *>(window.at(0));
        for (size_t v = 0; v < variants_.size(); ++v) {
            const SsimOptions &options = variants_[v];
            const double score = config_.is_multi_scale ? combined(sums) : mean(sums, kSsimProduct);
            *out[v] = options.enable_db ? in_db(score, options.clip_db) : score;
            if (!options.enable_lcs)
                continue;
            double *next = out[v] + 1;
            for (const SsimMean kind : {kSsimLuminance, kSsimContrast, kSsimStructure})
                for (int scale = 0; scale < config_.scales; ++scale)
                    *next++ = mean(sums + scale, kind);
        }
    }

private:
    double mean(const SsimScaleSums *sums, SsimMean kind) const;
    double combined(const SsimScaleSums *sums) const;
    double in_db(double score, bool is_clipped) const;

    SsimConfig config_;
    std::vector<SsimOptions> variants_;
};

/// Where the window does not fit float_ssim's only scale, libvmaf divides a sum of 0 by the product
/// of two sizes of which at least one is not positive.
double Ssim::mean(const SsimScaleSums *sums, SsimMean kind) const
{
    if (config_.is_multi_scale || config_.has_pixels(0))
        return sums->means[kind];
    const int divisor = config_.pixels_x(0) * config_.pixels_y(0);
    return divisor == 0 ? not_a_number() : divisor < 0 ? -0.0 : 0.0;
}

double Ssim::combined(const SsimScaleSums *sums) const
{
    double score = 1.0;
    for (int scale = 0; scale < kSsimMaxScales; ++scale) {
        const double alpha = kSsimAlpha[scale];
        const double beta = kSsimBeta[scale];
        const double l = libm::pow(sums[scale].means[kSsimLuminance], alpha);
        const double c = libm::pow(sums[scale].means[kSsimContrast], beta);
        const double s = libm::pow(sums[scale].means[kSsimStructure], beta);
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

std::vector<FeatureGroup> ssim_create(const Format &format, Compat,
                                      const std::vector<FeatureOptions> &variants)
{
    const auto config_of = [&](const SsimOptions &options) {
        return ssim_config(format, options.scale);
    };
    const auto shares_sums = [&](const SsimOptions &a, const SsimOptions &b) {
        return config_of(a).factor == config_of(b).factor;
    };
    return make_groups<SsimOptions>(variants, shares_sums, [&](std::vector<SsimOptions> set) {
        const SsimConfig config = config_of(set.front());
        return std::make_unique<Ssim>(config, std::move(set));
    });
}

std::vector<FeatureGroup> ms_ssim_create(const Format &format, Compat,
                                         const std::vector<FeatureOptions> &variants)
{
    const auto all_share = [](const SsimOptions &, const SsimOptions &) {
        return true;
    };
    return make_groups<SsimOptions>(variants, all_share, [&](std::vector<SsimOptions> set) {
        return std::make_unique<Ssim>(ms_ssim_config(format), std::move(set));
    });
}

} // namespace

SsimConfig ssim_config(const Format &format, int factor)
{
    if (factor == 0) {
        // To the nearest, halves up.
        const int size = format.width < format.height ? format.width : format.height;
        factor = (size + 128) / 256;
        factor = factor < 1 ? 1 : factor;
    }
    SsimConfig config;
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

SsimConfig ms_ssim_config(const Format &format)
{
    SsimConfig config = ssim_config(format, 1);
    config.is_multi_scale = true;
    config.scales = kSsimMaxScales;
    for (int scale = 1; scale < kSsimMaxScales; ++scale) {
        config.scale_width[scale] = (config.scale_width[scale - 1] + 1) / 2;
        config.scale_height[scale] = (config.scale_height[scale - 1] + 1) / 2;
    }
    return config;
}

const FeatureInfo kSsimFeature = {
    "float_ssim",
    {SsimOptions()},
    {
        {"enable_lcs", nullptr, &SsimOptions::enable_lcs, 0, 1, nullptr, true},
        {"enable_db", nullptr, &SsimOptions::enable_db},
        {"clip_db", nullptr, &SsimOptions::clip_db},
        {"scale", nullptr, &SsimOptions::scale, 0, 10},
    },
    ssim_outputs,
    kSsimMinSize,
    ssim_create,
    {8, 10, 12, 16}, // at others libvmaf takes words for bytes
};

const FeatureInfo kMsSsimFeature = {
    "float_ms_ssim",
    {SsimOptions()},
    {
        {"enable_lcs", nullptr, &SsimOptions::enable_lcs, 0, 1, nullptr, true},
        {"enable_db", nullptr, &SsimOptions::enable_db},
        {"clip_db", nullptr, &SsimOptions::clip_db},
    },
    ms_ssim_outputs,
    kMsSsimMinSize,
    ms_ssim_create,
    {8, 10, 12, 16},
};

} // namespace vmafgpu
