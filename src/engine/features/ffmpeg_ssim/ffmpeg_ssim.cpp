// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ffmpeg_ssim: outputs, and scores and aggregates from Sums, with the operations and
// in the order of FFmpeg's filter ssim. Pixel work: ffmpeg_ssim_cpu.cpp, ffmpeg_ssim_ref.cpp.
#include "ffmpeg_ssim.h"

#include <cmath>
#include <limits>
#include <memory>

#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

struct FfmpegSsimOptions {
    bool enable_chroma = true;
};

std::vector<OutputInfo> ffmpeg_ssim_outputs(Compat /*compat*/, const FeatureOptions &options)
{
    std::vector<OutputInfo> outputs = {{"ffmpeg_ssim_y", nullptr, true, false}};
    if (options.as<FfmpegSsimOptions>().enable_chroma) {
        outputs.push_back({"ffmpeg_ssim_u", nullptr, true, false});
        outputs.push_back({"ffmpeg_ssim_v", nullptr, true, false});
    }
    outputs.push_back({"ffmpeg_ssim_all", nullptr, true, false});
    outputs.push_back({"ffmpeg_ssim_db", nullptr, true, false});
    return outputs;
}

std::vector<const char *> ffmpeg_ssim_aggregates(const FeatureOptions &options)
{
    if (!options.as<FfmpegSsimOptions>().enable_chroma)
        return {"ffmpeg_ssim_run_y", "ffmpeg_ssim_run_y_db", "ffmpeg_ssim_run_all",
                "ffmpeg_ssim_run_all_db"};
    return {"ffmpeg_ssim_run_y",    "ffmpeg_ssim_run_y_db",  "ffmpeg_ssim_run_u",
            "ffmpeg_ssim_run_u_db", "ffmpeg_ssim_run_v",     "ffmpeg_ssim_run_v_db",
            "ffmpeg_ssim_run_all",  "ffmpeg_ssim_run_all_db"};
}

void ffmpeg_ssim_adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<FfmpegSsimOptions>().enable_chroma = false;
}

/// Of each plane the mean over its windows; of all planes the mean weighted by samples.
struct Means {
    double plane[kFfmpegSsimPlanes];
    double all;
};

/// The running state. Doubles, which are added in the order of pairs as FFmpeg does.
struct FfmpegSsimState {
    uint64_t pairs;
    Means sum;
};

/// `sum` is that of `count` values of which each is at most 1.
double decibels(double sum, double count)
{
    return std::fabs(count - sum) > 1e-9 ? 10 * libm::log10(count / (count - sum))
                                         : std::numeric_limits<double>::infinity();
}

struct Forms {
    static constexpr auto cpu_scratch = ffmpeg_ssim_scratch;
    static constexpr auto compute = ffmpeg_ssim_compute;
    static constexpr auto reference = ffmpeg_ssim_reference;
};

class FfmpegSsim final : public FeatureOf<FfmpegSsimConfig, FfmpegSsimSums, Forms>,
                         public FeatureAggregates {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override { return {/*needs_chroma=*/config_.planes > 1}; }
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

    size_t state_bytes() const override { return sizeof(FfmpegSsimState); }
    void accumulate(const void *sums, void *state) const override
    {
        const Means means = means_of(sums);
        auto *total = static_cast<FfmpegSsimState *>(state);
        ++total->pairs;
        total->sum.all += means.all;
        for (int p = 0; p < kFfmpegSsimPlanes; ++p)
            total->sum.plane[p] += means.plane[p];
    }
    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const FfmpegSsimState *>(state);
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
        const auto *sums = static_cast<const FfmpegSsimSums *>(bytes);
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

std::vector<FeatureGroup> ffmpeg_ssim_create(const Format &format, Compat /*compat*/,
                                             const std::vector<FeatureOptions> &variants)
{
    return make_separately<FfmpegSsimOptions>(variants, [&](const FfmpegSsimOptions &options) {
        const bool has_chroma = options.enable_chroma && format.chroma != Chroma::k400;
        const FfmpegSsimConfig config = {format, has_chroma ? kFfmpegSsimPlanes : 1};
        return std::make_unique<FfmpegSsim>(config);
    });
}

} // namespace

const FeatureInfo kFfmpegSsimFeature = {
    "ffmpeg_ssim",
    {FfmpegSsimOptions()},
    {{"enable_chroma", nullptr, &FfmpegSsimOptions::enable_chroma}},
    ffmpeg_ssim_outputs,
    16,
    ffmpeg_ssim_create,
    {},
    false,
    ffmpeg_ssim_aggregates,
    ffmpeg_ssim_adapt};

} // namespace vmafgpu
