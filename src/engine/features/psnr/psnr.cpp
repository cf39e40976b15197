// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of psnr: options, outputs, scores and aggregates from Sums. Pixel work: psnr_cpu.cpp,
// psnr_record.cpp, psnr_ref.cpp.
#include "psnr.h"

#include <cmath>
#include <limits>
#include <memory>

#include "features/floor_size.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

struct PsnrOptions {
    bool enable_chroma = true, enable_mse = false, enable_apsnr = false;
    bool reduced_hbd_peak = false;
    double min_sse = 0;
};

std::vector<OutputInfo> psnr_outputs(Compat /*compat*/, const FeatureOptions &variant)
{
    const auto &options = variant.as<PsnrOptions>();
    static constexpr const char *kNames[kPsnrPlanes][2] = {
        {"psnr_y", "mse_y"}, {"psnr_cb", "mse_cb"}, {"psnr_cr", "mse_cr"}};
    std::vector<OutputInfo> outputs;
    for (int p = 0; p < (options.enable_chroma ? kPsnrPlanes : 1); ++p)
        for (int i = 0; i < (options.enable_mse ? 2 : 1); ++i)
            outputs.push_back({kNames[p][i], nullptr, true, false});
    return outputs;
}

std::vector<const char *> psnr_aggregates(const FeatureOptions &options)
{
    if (!options.as<PsnrOptions>().enable_apsnr)
        return {};
    return {"apsnr_y", "apsnr_cb", "apsnr_cr"};
}

/// libvmaf switches chroma off where there is none.
void psnr_adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<PsnrOptions>().enable_chroma = false;
}

/// Of a NaN and a number it is the number, as in libvmaf.
double smaller(double a, double b)
{
    return a < b ? a : b;
}

/// The running state: squared differences and samples of all pairs.
struct PsnrState {
    uint64_t squares[kPsnrPlanes];
    uint64_t samples[kPsnrPlanes];
};

class Psnr final : public SquaresFeature {
public:
    Psnr(const PsnrConfig &config, const PsnrOptions &options)
        : SquaresFeature(config), options_(options)
    {
        const uint64_t peak = options.reduced_hbd_peak ? UINT64_C(255) << (config.depth - 8)
                                                       : (UINT64_C(1) << config.depth) - 1;
        peak_squared_ = peak * peak;
    }

    const FeatureAggregates *aggregates() const override
    {
        return options_.enable_apsnr ? this : nullptr;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const PsnrSums *>(window.at(0));
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p) {
            const double samples = static_cast<double>(samples_of(p));
            const double mse = static_cast<double>(sums->squares[p]) / samples;
            const double ratio = static_cast<double>(peak_squared_) / (mse > 1e-16 ? mse : 1e-16);
            *value++ = smaller(10 * libm::log10(ratio), limit(samples));
            if (options_.enable_mse)
                *value++ = mse;
        }
    }

    size_t state_bytes() const override { return sizeof(PsnrState); }

    void accumulate(const void *sums, void *state) const override
    {
        auto *total = static_cast<PsnrState *>(state);
        for (int p = 0; p < config_.planes; ++p) {
            total->squares[p] += static_cast<const PsnrSums *>(sums)->squares[p];
            total->samples[p] += samples_of(p);
        }
    }

    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const PsnrState *>(state);
        for (int p = 0; p < kPsnrPlanes; ++p)
            out[0][p] = aggregate(total->squares[p], total->samples[p]);
    }

private:
    uint64_t samples_of(int plane) const
    {
        return static_cast<uint64_t>(config_.width[plane]) *
               static_cast<uint64_t>(config_.height[plane]);
    }

    /// The highest psnr of a plane.
    double limit(double samples) const
    {
        if (options_.min_sse == 0)
            return 6 * config_.depth + 12;
        const double mse = options_.min_sse / samples;
        return std::ceil(10 * libm::log10(static_cast<double>(peak_squared_) / mse));
    }

    double aggregate(uint64_t squares, uint64_t samples) const
    {
        if (samples == 0) // chroma that is not there
            return -std::numeric_limits<double>::infinity();
        // The product wraps around, as in libvmaf: at 16 bits, from 2^31 samples on.
        const double most =
            std::ceil(10 * libm::log10(static_cast<double>(peak_squared_ * samples * 2)));
        const double mean = 10 * ((libm::log10(static_cast<double>(peak_squared_)) +
                                   libm::log10(static_cast<double>(samples))) -
                                  libm::log10(static_cast<double>(squares)));
        return smaller(mean, most);
    }

    PsnrOptions options_;
    uint64_t peak_squared_;
};

std::vector<FeatureGroup> psnr_create(const Format &format, Compat /*compat*/,
                                      const std::vector<FeatureOptions> &variants)
{
    return make_separately<PsnrOptions>(variants, [&](const PsnrOptions &options) {
        return std::make_unique<Psnr>(psnr_config(format, options.enable_chroma), options);
    });
}

} // namespace

PsnrConfig psnr_config(const Format &format, bool has_chroma)
{
    PsnrConfig config;
    config.depth = format.depth;
    config.planes = has_chroma && format.chroma != Chroma::k400 ? kPsnrPlanes : 1;
    for (int p = 0; p < config.planes; ++p) {
        config.width[p] = floor_width(format, p);
        config.height[p] = floor_height(format, p);
    }
    return config;
}

const FeatureInfo kPsnrFeature = {
    "psnr",
    {PsnrOptions()},
    {
        {"enable_chroma", nullptr, &PsnrOptions::enable_chroma},
        {"enable_mse", nullptr, &PsnrOptions::enable_mse},
        {"enable_apsnr", nullptr, &PsnrOptions::enable_apsnr},
        {"reduced_hbd_peak", nullptr, &PsnrOptions::reduced_hbd_peak},
        {"min_sse", nullptr, &PsnrOptions::min_sse, 0.0, 3.4e38},
    },
    psnr_outputs,
    1,
    psnr_create,
    {8, 10, 12, 16},
    false,
    psnr_aggregates,
    psnr_adapt,
};

} // namespace vmafgpu
