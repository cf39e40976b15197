// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ffmpeg_psnr: outputs, and scores and aggregates from Sums, with the operations and
// in the order of FFmpeg's filter psnr. Pixel work: psnr_cpu.cpp, psnr_record.cpp, psnr_ref.cpp.
#include "ffmpeg_psnr.h"

#include <algorithm>
#include <memory>

#include "libm/libm.h"
#include "psnr.h"

namespace vmafgpu {

namespace {

struct FfmpegPsnrOptions {
    bool enable_chroma = true;
};

std::vector<OutputInfo> ffmpeg_psnr_outputs(Compat /*compat*/, const FeatureOptions &options)
{
    const int planes = options.as<FfmpegPsnrOptions>().enable_chroma ? kPsnrPlanes : 1;
    static constexpr const char *kNames[kPsnrPlanes][2] = {{"ffmpeg_mse_y", "ffmpeg_psnr_y"},
                                                           {"ffmpeg_mse_u", "ffmpeg_psnr_u"},
                                                           {"ffmpeg_mse_v", "ffmpeg_psnr_v"}};
    std::vector<OutputInfo> outputs;
    for (int p = 0; p < planes; ++p)
        for (const char *name : kNames[p])
            outputs.push_back({name, nullptr, true, false});
    outputs.push_back({"ffmpeg_mse_avg", nullptr, true, false});
    outputs.push_back({"ffmpeg_psnr_avg", nullptr, true, false});
    return outputs;
}

std::vector<const char *> ffmpeg_psnr_aggregates(const FeatureOptions &options)
{
    if (!options.as<FfmpegPsnrOptions>().enable_chroma)
        return {"ffmpeg_psnr_run_y", "ffmpeg_psnr_run_average", "ffmpeg_psnr_run_min",
                "ffmpeg_psnr_run_max"};
    return {"ffmpeg_psnr_run_y",       "ffmpeg_psnr_run_u",   "ffmpeg_psnr_run_v",
            "ffmpeg_psnr_run_average", "ffmpeg_psnr_run_min", "ffmpeg_psnr_run_max"};
}

void ffmpeg_psnr_adapt(const Format &format, FeatureOptions &options)
{
    if (format.chroma == Chroma::k400)
        options.as<FfmpegPsnrOptions>().enable_chroma = false;
}

/// The running state. Doubles, which are added in the order of pairs as FFmpeg does.
struct FfmpegPsnrState {
    uint64_t pairs;
    double mse[kPsnrPlanes];
    double average, smallest, largest; ///< of the pairs' mean square errors over all planes
};

/// Mean square errors of a pair: of each plane, and of all samples.
struct MeanSquares {
    double plane[kPsnrPlanes];
    double average;
};

class FfmpegPsnr final : public SquaresFeature {
public:
    explicit FfmpegPsnr(const PsnrConfig &config) : SquaresFeature(config)
    {
        const uint64_t peak = (UINT64_C(1) << config.depth) - 1;
        peak_squared_ = static_cast<double>(peak * peak);
        for (int p = 0; p < config.planes; ++p)
            all_samples_ += samples_of(p);
    }

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

    size_t state_bytes() const override { return sizeof(FfmpegPsnrState); }

    void accumulate(const void *sums, void *state) const override
    {
        const MeanSquares mse = mean_squares(sums);
        auto *total = static_cast<FfmpegPsnrState *>(state);
        const bool is_first = total->pairs == 0;
        total->smallest = is_first ? mse.average : std::min(total->smallest, mse.average);
        total->largest = is_first ? mse.average : std::max(total->largest, mse.average);
        ++total->pairs;
        total->average += mse.average;
        for (int p = 0; p < kPsnrPlanes; ++p)
            total->mse[p] += mse.plane[p];
    }

    void values(const void *state, double *const *out) const override
    {
        const auto *total = static_cast<const FfmpegPsnrState *>(state);
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
        const auto *sums = static_cast<const PsnrSums *>(bytes);
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
PsnrConfig ffmpeg_psnr_config(const Format &format, bool has_chroma)
{
    PsnrConfig config = psnr_config(format, has_chroma);
    for (int p = 0; p < config.planes; ++p) {
        config.width[p] = format.plane_width(p);
        config.height[p] = format.plane_height(p);
    }
    return config;
}

std::vector<FeatureGroup> ffmpeg_psnr_create(const Format &format, Compat /*compat*/,
                                             const std::vector<FeatureOptions> &variants)
{
    return make_separately<FfmpegPsnrOptions>(variants, [&](const FfmpegPsnrOptions &options) {
        return std::make_unique<FfmpegPsnr>(ffmpeg_psnr_config(format, options.enable_chroma));
    });
}

} // namespace

const FeatureInfo kFfmpegPsnrFeature = {
    "ffmpeg_psnr",
    {FfmpegPsnrOptions()},
    {{"enable_chroma", nullptr, &FfmpegPsnrOptions::enable_chroma}},
    ffmpeg_psnr_outputs,
    1,
    ffmpeg_psnr_create,
    {},
    false,
    ffmpeg_psnr_aggregates,
    ffmpeg_psnr_adapt};

} // namespace vmafgpu
