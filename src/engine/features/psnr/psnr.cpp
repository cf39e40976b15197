// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of psnr: options, outputs, scores and aggregates from Sums. Pixel work: psnr_cpu.cpp,
// psnr_record.cpp, psnr_ref.cpp.
#include "features/psnr/psnr.h"

#include <cmath>
#include <limits>
#include <memory>

#include "base/numeric.h"
#include "features/kit/feature_of.h"
#include "features/kit/floor_size.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::psnr {

namespace {

struct Options {
    bool enable_chroma = true, enable_mse = false, enable_apsnr = false;
    bool reduced_hbd_peak = false;
    double min_sse = 0;
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions &variant)
{
    const auto &options = variant.as<Options>();
    static constexpr const char *kNames[kPlanes][2] = {
        {"psnr_y", "mse_y"}, {"psnr_cb", "mse_cb"}, {"psnr_cr", "mse_cr"}};
    std::vector<OutputInfo> outputs;
    for (int p = 0; p < (options.enable_chroma ? kPlanes : 1); ++p)
        for (int i = 0; i < (options.enable_mse ? 2 : 1); ++i)
            outputs.push_back(Output(kNames[p][i]).is_default());
    return outputs;
}

std::vector<const char *> aggregates(const FeatureOptions &options)
{
    if (!options.as<Options>().enable_apsnr)
        return {};
    return {"apsnr_y", "apsnr_cb", "apsnr_cr"};
}

/// libvmaf switches chroma off where there is none.
void adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<Options>().enable_chroma = false;
}

/// The running state: squared differences and samples of all pairs.
struct State {
    uint64_t squares[kPlanes];
    uint64_t samples[kPlanes];
};

class Psnr final : public FeatureOf<Config, Sums, Forms>, public FeatureAggregates {
public:
    Psnr(const Config &config, const Options &options) : FeatureOf(config), options_(options)
    {
        const uint64_t peak = options.reduced_hbd_peak ? UINT64_C(255) << (config.depth - 8)
                                                       : (UINT64_C(1) << config.depth) - 1;
        peak_squared_ = peak * peak;
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = config_.planes > 1;
        return traits;
    }
    const FeatureAggregates *aggregates() const override
    {
        return options_.enable_apsnr ? this : nullptr;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Sums &sums = sums_of(window);
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p) {
            const double samples = static_cast<double>(samples_of(p));
            const double mse = static_cast<double>(sums.squares[p]) / samples;
            const double ratio = static_cast<double>(peak_squared_) / (mse > 1e-16 ? mse : 1e-16);
            *value++ = smaller(10 * libm::log10(ratio), limit(samples));
            if (options_.enable_mse)
                *value++ = mse;
        }
    }

    size_t state_bytes() const override { return sizeof(State); }

    void accumulate(const void *sums, void *state) const override
    {
        auto *total = static_cast<State *>(state);
        for (int p = 0; p < config_.planes; ++p) {
            total->squares[p] += static_cast<const Sums *>(sums)->squares[p];
            total->samples[p] += samples_of(p);
        }
    }

    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const State *>(state);
        for (int p = 0; p < kPlanes; ++p)
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

    Options options_;
    uint64_t peak_squared_;
};

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_separately<Options>(variants, [&](const Options &options) {
        return std::make_unique<Psnr>(config_of(format, options.enable_chroma), options);
    });
}

} // namespace

Config config_of(const Format &format, bool has_chroma)
{
    Config config;
    config.depth = format.depth;
    config.planes = has_chroma && format.chroma != Chroma::k400 ? kPlanes : 1;
    for (int p = 0; p < config.planes; ++p) {
        config.width[p] = floor_width(format, p);
        config.height[p] = floor_height(format, p);
    }
    return config;
}

const FeatureInfo kFeature = Info("psnr")
                                 .options<Options>({
                                     Option("enable_chroma", &Options::enable_chroma),
                                     Option("enable_mse", &Options::enable_mse),
                                     Option("enable_apsnr", &Options::enable_apsnr),
                                     Option("reduced_hbd_peak", &Options::reduced_hbd_peak),
                                     Option("min_sse", &Options::min_sse).range(0.0, 3.4e38),
                                 })
                                 .outputs(outputs)
                                 .aggregates(aggregates)
                                 .depths({8, 10, 12, 16})
                                 .adapt(adapt)
                                 .create(create);

} // namespace vmafgpu::psnr
