// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ffmpeg_psnr: outputs, and scores and aggregates from Sums, with the operations and
// in the order of FFmpeg's filter psnr. A file of its own: a feature with other options and scores
// than psnr.cpp's, which has its pixel work from the same forms.
#include <algorithm>
#include <memory>

#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "features/psnr/psnr.h"
#include "libm/libm.h"

namespace vmafgpu::psnr {

namespace {

struct Options {
    bool enable_chroma = true;
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions &options)
{
    const int planes = options.as<Options>().enable_chroma ? kPlanes : 1;
    static constexpr const char *kNames[kPlanes][2] = {{"ffmpeg_mse_y", "ffmpeg_psnr_y"},
                                                       {"ffmpeg_mse_u", "ffmpeg_psnr_u"},
                                                       {"ffmpeg_mse_v", "ffmpeg_psnr_v"}};
    std::vector<OutputInfo> outputs;
    for (int p = 0; p < planes; ++p)
        for (const char *name : kNames[p])
            outputs.push_back(Output(name).is_default());
    outputs.push_back(Output("ffmpeg_mse_avg").is_default());
    outputs.push_back(Output("ffmpeg_psnr_avg").is_default());
    return outputs;
}

std::vector<const char *> aggregates(const FeatureOptions &options)
{
    if (!options.as<Options>().enable_chroma)
        return {"ffmpeg_psnr_run_y", "ffmpeg_psnr_run_average", "ffmpeg_psnr_run_min",
                "ffmpeg_psnr_run_max"};
    return {"ffmpeg_psnr_run_y",       "ffmpeg_psnr_run_u",   "ffmpeg_psnr_run_v",
            "ffmpeg_psnr_run_average", "ffmpeg_psnr_run_min", "ffmpeg_psnr_run_max"};
}

void adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<Options>().enable_chroma = false;
}

/// The running state. Doubles, which are added in the order of pairs as FFmpeg does.
struct State {
    uint64_t pairs;
    double mse[kPlanes];
    double average, smallest, largest; ///< mean square errors of the pairs over all planes
};

/// Mean square errors of a pair: of each plane, and of all samples.
struct MeanSquares {
    double plane[kPlanes];
    double average;
};

class FfmpegPsnr final : public FeatureOf<Config, Sums, Forms>, public FeatureAggregates {
public:
    explicit FfmpegPsnr(const Config &config) : FeatureOf(config)
    {
        const uint64_t peak = (UINT64_C(1) << config.depth) - 1;
        peak_squared_ = static_cast<double>(peak * peak);
        for (int p = 0; p < config.planes; ++p)
            all_samples_ += samples_of(p);
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = config_.planes > 1;
        return traits;
    }
    const FeatureAggregates *aggregates() const override { return this; }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const MeanSquares mse = mean_squares(window.at(0));
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p) {
            *value++ = mse.plane[p];
            *value++ = decibels(mse.plane[p]);
        }
        *value++ = mse.average;
        *value++ = decibels(mse.average);
    }

    size_t state_bytes() const override { return sizeof(State); }

    void accumulate(const void *sums, void *state) const override
    {
        const MeanSquares mse = mean_squares(sums);
        auto *total = static_cast<State *>(state);
        const bool is_first = total->pairs == 0;
        total->smallest = is_first ? mse.average : std::min(total->smallest, mse.average);
        total->largest = is_first ? mse.average : std::max(total->largest, mse.average);
        ++total->pairs;
        total->average += mse.average;
        for (int p = 0; p < kPlanes; ++p)
            total->mse[p] += mse.plane[p];
    }

    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const State *>(state);
        const auto pairs = static_cast<double>(total->pairs);
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p)
            *value++ = decibels(total->mse[p] / pairs);
        *value++ = decibels(total->average / pairs);
        *value++ = decibels(total->largest);
        *value++ = decibels(total->smallest);
    }

private:
    double samples_of(int plane) const
    {
        return static_cast<double>(config_.width[plane]) * config_.height[plane];
    }

    double decibels(double mse) const { return 10 * libm::log10(peak_squared_ / mse); }

    MeanSquares mean_squares(const void *bytes) const
    {
        const auto *sums = static_cast<const Sums *>(bytes);
        MeanSquares mse = {};
        for (int p = 0; p < config_.planes; ++p) {
            mse.plane[p] = static_cast<double>(sums->squares[p]) / samples_of(p);
            mse.average += mse.plane[p] * (samples_of(p) / all_samples_);
        }
        return mse;
    }

    double peak_squared_, all_samples_ = 0;
};

/// Unlike libvmaf's, FFmpeg's chroma rounds up.
Config ffmpeg_config(const Format &format, bool has_chroma)
{
    Config config = config_of(format, has_chroma);
    for (int p = 0; p < config.planes; ++p) {
        config.width[p] = format.plane_width(p);
        config.height[p] = format.plane_height(p);
    }
    return config;
}

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_separately<Options>(variants, [&](const Options &options) {
        return std::make_unique<FfmpegPsnr>(ffmpeg_config(format, options.enable_chroma));
    });
}

} // namespace

const FeatureInfo kFfmpegFeature =
    Info("ffmpeg_psnr")
        .options<Options>({Option("enable_chroma", &Options::enable_chroma)})
        .outputs(outputs)
        .aggregates(aggregates)
        .adapt(adapt)
        .create(create);

} // namespace vmafgpu::psnr
