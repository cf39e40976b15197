// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ffmpeg_ssim: outputs, and scores and aggregates from Sums, with the operations and
// in the order of FFmpeg's filter ssim. Pixel work: ffmpeg_ssim_cpu.cpp, ffmpeg_ssim_ref.cpp.
#include "features/ffmpeg_ssim/ffmpeg_ssim.h"

#include <cmath>
#include <limits>
#include <memory>

#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::ffmpeg_ssim {

namespace {

struct Options {
    bool enable_chroma = true;
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs = {Output("ffmpeg_ssim_y").is_default()};
    if (options.as<Options>().enable_chroma) {
        outputs.push_back(Output("ffmpeg_ssim_u").is_default());
        outputs.push_back(Output("ffmpeg_ssim_v").is_default());
    }
    outputs.push_back(Output("ffmpeg_ssim_all").is_default());
    outputs.push_back(Output("ffmpeg_ssim_db").is_default());
    return outputs;
}

std::vector<const char *> aggregates(const FeatureOptions &options)
{
    if (!options.as<Options>().enable_chroma)
        return {"ffmpeg_ssim_run_y", "ffmpeg_ssim_run_y_db", "ffmpeg_ssim_run_all",
                "ffmpeg_ssim_run_all_db"};
    return {"ffmpeg_ssim_run_y",    "ffmpeg_ssim_run_y_db",  "ffmpeg_ssim_run_u",
            "ffmpeg_ssim_run_u_db", "ffmpeg_ssim_run_v",     "ffmpeg_ssim_run_v_db",
            "ffmpeg_ssim_run_all",  "ffmpeg_ssim_run_all_db"};
}

void adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<Options>().enable_chroma = false;
}

/// The mean of each plane over its windows, and the mean of all planes, weighted by samples.
struct Means {
    double plane[kPlanes];
    double all;
};

/// The running state. Doubles, which are added in the order of pairs as FFmpeg does.
struct State {
    uint64_t pairs;
    Means sum;
};

/// `sum` is that of `count` values of which each is at most 1.
double decibels(double sum, double count)
{
    return std::fabs(count - sum) > 1e-9 ? 10 * libm::log10(count / (count - sum))
                                         : std::numeric_limits<double>::infinity();
}

class FfmpegSsim final : public FeatureOf<Config, Sums, Forms>, public FeatureAggregates {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = config_.planes > 1;
        return traits;
    }
    const FeatureAggregates *aggregates() const override { return this; }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Means means = means_of(window.at(0));
        double *value = out[0];
        for (int p = 0; p < config_.planes; ++p)
            *value++ = means.plane[p];
        *value++ = means.all;
        *value++ = decibels(means.all, 1);
    }

    size_t state_bytes() const override { return sizeof(State); }
    void accumulate(const void *sums, void *state) const override
    {
        const Means means = means_of(sums);
        auto *total = static_cast<State *>(state);
        ++total->pairs;
        total->sum.all += means.all;
        for (int p = 0; p < kPlanes; ++p)
            total->sum.plane[p] += means.plane[p];
    }
    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const State *>(state);
        const auto pairs = static_cast<double>(total->pairs);
        double *value = out[0];
        const auto add = [&](double sum) {
            *value++ = sum / pairs;
            *value++ = decibels(sum, pairs);
        };
        for (int p = 0; p < config_.planes; ++p)
            add(total->sum.plane[p]);
        add(total->sum.all);
    }

private:
    double samples_of(int plane) const
    {
        return static_cast<double>(config_.format.plane_width(plane)) *
               config_.format.plane_height(plane);
    }

    Means means_of(const void *bytes) const
    {
        const auto *sums = static_cast<const Sums *>(bytes);
        double all_samples = 0;
        for (int p = 0; p < config_.planes; ++p)
            all_samples += samples_of(p);
        Means means = {};
        for (int p = 0; p < config_.planes; ++p) {
            const int64_t windows = static_cast<int64_t>(config_.columns(p)) * config_.rows(p);
            means.plane[p] = sums->windows[p] / static_cast<double>(windows);
            means.all += samples_of(p) / all_samples * means.plane[p];
        }
        return means;
    }
};

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_separately<Options>(variants, [&](const Options &options) {
        const bool has_chroma = options.enable_chroma && format.chroma != Chroma::k400;
        const Config config = {format, has_chroma ? kPlanes : 1};
        return std::make_unique<FfmpegSsim>(config);
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("ffmpeg_ssim")
        .options<Options>({Option("enable_chroma", &Options::enable_chroma)})
        .outputs(outputs)
        .aggregates(aggregates)
        .min_size(16)
        .adapt(adapt)
        .create(create);

} // namespace vmafgpu::ffmpeg_ssim
