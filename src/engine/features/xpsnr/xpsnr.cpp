// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of xpsnr: options, outputs, refusals, and scores and aggregates from Sums, in FFmpeg's
// order. Pixel work: xpsnr_cpu.cpp, xpsnr_ref.cpp, xpsnr_kernels.cpp; weights: xpsnr_weights.cpp.
#include "features/xpsnr/xpsnr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "base/error.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::xpsnr {

namespace {

/// Value of fps that stands for the rate with which the context was opened.
constexpr int kRateOfContext = -1;

struct Options {
    bool enable_chroma = true;
    int fps = kRateOfContext;
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs = {Output("xpsnr_y").is_default()};
    if (options.as<Options>().enable_chroma) {
        outputs.push_back(Output("xpsnr_u").is_default());
        outputs.push_back(Output("xpsnr_v").is_default());
    }
    return outputs;
}

std::vector<const char *> aggregates(const FeatureOptions &options)
{
    if (!options.as<Options>().enable_chroma)
        return {"xpsnr_run_y"};
    return {"xpsnr_run_y", "xpsnr_run_u", "xpsnr_run_v", "xpsnr_run_min"};
}

void adapt(const Format &format, FeatureOptions &variant)
{
    auto &options = variant.as<Options>();
    if (format.chroma == Chroma::k400)
        options.enable_chroma = false;
    if (options.fps == kRateOfContext)
        options.fps = format.frame_rate;
}

/// The running state. Doubles, which are added in the order of pairs as FFmpeg does.
struct State {
    uint64_t pairs;
    double roots[kPlanes]; ///< square roots of the weighted errors
    double decibels[kPlanes];
};

class Xpsnr final : public FeatureOf<Config, Sums, Forms>, public FeatureAggregates {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = config_.planes > 1;
        traits.history = config_.is_fast ? 2 : 1;
        return traits;
    }
    const FeatureAggregates *aggregates() const override { return this; }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Sums &sums = sums_of(window);
        for (int p = 0; p < config_.planes; ++p)
            out[0][p] = of_pair(sums, p);
    }

    size_t state_bytes() const override { return sizeof(State); }
    void accumulate(const void *sums, void *state) const override
    {
        const auto *own = static_cast<const Sums *>(sums);
        auto *total = static_cast<State *>(state);
        ++total->pairs;
        for (int p = 0; p < config_.planes; ++p) {
            total->roots[p] += std::sqrt(static_cast<double>(own->errors[p]));
            total->decibels[p] += of_pair(*own, p);
        }
    }
    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const State *>(state);
        const auto pairs = static_cast<double>(total->pairs);
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p)
            *value++ = total->roots[p] >= pairs ? decibels(p, total->roots[p] / pairs)
                                                : total->decibels[p] / pairs;
        if (config_.planes > 1)
            *value = std::min({value[-3], value[-2], value[-1]});
    }

private:
    double decibels(int plane, double root) const
    {
        const uint64_t peak = (UINT64_C(1) << config_.format.depth) - 1;
        const uint64_t most = static_cast<uint64_t>(config_.format.plane_width(plane)) *
                              static_cast<uint64_t>(config_.format.plane_height(plane)) * peak *
                              peak;
        return 10 * libm::log10(static_cast<double>(most) / (root * root));
    }

    double of_pair(const Sums &sums, int plane) const
    {
        const double root = std::sqrt(static_cast<double>(sums.errors[plane]));
        return root >= 1 ? decibels(plane, root) : std::numeric_limits<double>::infinity();
    }
};

/// FFmpeg reads cells of 2x2 samples beyond the borders of such a picture.
void require_whole_cells(const Config &config)
{
    const Format &format = config.format;
    if (config.is_large && (format.width % 2 != 0 || format.height % 2 != 0))
        throw Error(EINVAL, "feature xpsnr: " + std::to_string(format.width) + "x" +
                                std::to_string(format.height) +
                                " has an odd side, for which FFmpeg's result is undefined above "
                                "2048x1152 samples; even sizes and smaller pictures are allowed");
}

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_separately<Options>(variants, [&](const Options &options) {
        const Config config = config_of(format, options.enable_chroma, options.fps);
        require_whole_cells(config);
        return std::make_unique<Xpsnr>(config);
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("xpsnr")
        .options<Options>({Option("enable_chroma", &Options::enable_chroma),
                           Option("fps", &Options::fps).range(kRateOfContext, 1e9)})
        .outputs(outputs)
        .aggregates(aggregates)
        .adapt(adapt)
        .create(create);

} // namespace vmafgpu::xpsnr
