// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of motion: options, outputs, which variants share a Feature object, and scores from
// Sums. Pixel work: motion_cpu.cpp, motion_record.cpp, motion_ref.cpp.
#include "features/motion/motion.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/error.h"
#include "base/numeric.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"

namespace vmafgpu::motion {

namespace {

struct Options {
    bool force_zero = false;
    double blend_factor = 1.0, blend_offset = 40.0;
    double fps_weight = 1.0;
    double max_val = 10000.0;
    bool five_frame_window = false, moving_average = false;
    bool debug = false;
};

/// Order of outputs() from libvmaf 3.2 on, and up to 3.1.
enum Column { kSad, kMotion, kMotion2, kMotion3 };
enum Column31 { kMotion31, kMotion2Of31 };

std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1)
        return {
            Output("VMAF_integer_feature_motion_score").report("integer_motion").is_default(),
            Output("VMAF_integer_feature_motion2_score")
                .report("integer_motion2")
                .is_default()
                .is_delayed(),
        };
    return {
        Output("VMAF_integer_feature_motion_sad_score").is_default(),
        Output("VMAF_integer_feature_motion_score").report("integer_motion"),
        Output("VMAF_integer_feature_motion2_score")
            .report("integer_motion2")
            .is_default()
            .is_delayed(),
        Output("VMAF_integer_feature_motion3_score")
            .report("integer_motion3")
            .is_default()
            .is_delayed(),
    };
}

/// Scores of one variant around one pair of a segment. Offsets are relative
/// to that pair; pairs before the `distance`-th of a segment have score 0.
class Series {
public:
    Series(const Config &config, const Options &options, const SumsWindow &window)
        : pixels_(static_cast<double>(config.format.width) * config.format.height), config_(config),
          options_(options), window_(window)
    {
    }

    bool exists(int offset) const { return window_.at(offset) != nullptr; }

    /// The pair's own score. libvmaf: extract().
    double motion(int offset) const
    {
        if (position(offset) < config_.distance || options_.force_zero)
            return 0.0;
        const auto *sums = static_cast<const Sums *>(window_.at(offset));
        const double level = static_cast<double>(sums->sad) / 256.0;
        if (config_.blur_first)
            return static_cast<float>(level) / static_cast<float>(pixels_);
        return smaller(level / pixels_ * options_.fps_weight, options_.max_val);
    }

    /// The smaller of the two scores that the pair takes part in. libvmaf: flush().
    double motion2(int offset) const
    {
        if (position(offset) < config_.distance)
            return 0.0;
        if (!exists(offset + 1))
            return motion(offset);
        // If the distance is 2, the pairs before and after are compared.
        const int earlier = offset - (config_.distance - 1);
        const double after = motion(offset + 1);
        return position(earlier) < config_.distance ? after : smaller(motion(earlier), after);
    }

    double motion3() const
    {
        const double current = blended(0);
        if (position(0) < config_.distance || !options_.moving_average)
            return current;
        return (current + blended(-1)) / 2.0;
    }

private:
    int64_t position(int offset) const { return window_.position() + offset; }

    /// motion2 blended and limited; the first pairs of a segment borrow the
    /// score of the first pair that has one.
    double blended(int offset) const
    {
        if (position(offset) >= config_.distance)
            return blend(motion2(offset));
        const int first = offset + static_cast<int>(config_.distance - position(offset));
        return exists(first) ? blend(motion(first)) : 0.0;
    }

    double blend(double x) const
    {
        const double factor = options_.blend_factor;
        const double kept = x * factor;
        const double mixed_in = (1.0 - factor) * smaller(options_.blend_offset, x);
        return smaller(kept + mixed_in, options_.max_val);
    }

    double pixels_;
    const Config &config_;
    const Options &options_;
    const SumsWindow &window_;
};

class Motion final : public FeatureOf<Config, Sums, Forms> {
public:
    Motion(const Config &config, std::vector<Options> variants)
        : FeatureOf(config), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        const bool has_average =
            std::any_of(variants_.begin(), variants_.end(),
                        [](const Options &options) { return options.moving_average; });
        FeatureTraits traits;
        traits.history = config_.skip ? 0 : config_.distance;
        // The first pair of a segment needs the score of pair number `distance`.
        traits.delay = config_.distance;
        // motion2 looks back distance - 1 pairs; the moving average one more.
        traits.lookback = config_.distance - 1 + (has_average ? 1 : 0);
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v) {
            const Series series(config_, variants_[v], window);
            if (config_.blur_first) {
                out[v][kMotion31] = series.motion(0);
                out[v][kMotion2Of31] = series.motion2(0);
                continue;
            }
            out[v][kSad] = series.motion(0);
            out[v][kMotion] = series.motion(0);
            out[v][kMotion2] = series.motion2(0);
            out[v][kMotion3] = series.motion3();
        }
    }

private:
    std::vector<Options> variants_;
};

/// libvmaf up to 3.1 had motion_force_zero (and debug) only.
void refuse_later_options(const FeatureOptions &options)
{
    for (const OptionInfo &option : kFeature.options) {
        const std::string name = option.name;
        if (name == "motion_force_zero" || name == "debug" ||
            option.get(options) == option.default_value)
            continue;
        throw Error(EINVAL, "motion: option " + name +
                                " does not exist in libvmaf 3.1, only motion_force_zero does; "
                                "leave it at its default or ask for compatibility with 3.2");
    }
}

std::vector<FeatureGroup> create(const Format &format, Compat compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        std::for_each(variants.begin(), variants.end(), refuse_later_options);
    const auto shares_sums = [](const Options &a, const Options &b) {
        return a.five_frame_window == b.five_frame_window;
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        Config config;
        config.format = format;
        config.distance = set.front().five_frame_window ? 2 : 1;
        config.blur_first = compat == Compat::k3_1;
        config.skip = std::all_of(set.begin(), set.end(),
                                  [](const Options &options) { return options.force_zero; });
        return std::make_unique<Motion>(config, std::move(set));
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("motion")
        .options<Options>({
            Option("motion_force_zero", &Options::force_zero).alias("force_0"),
            Option("motion_blend_factor", &Options::blend_factor).alias("mbf").range(0.0, 1.0),
            Option("motion_blend_offset", &Options::blend_offset).alias("mbo").range(0.0, 1000.0),
            Option("motion_fps_weight", &Options::fps_weight).alias("mfw").range(0.0, 5.0),
            Option("motion_max_val", &Options::max_val).alias("mmxv").range(0.0, 10000.0),
            Option("motion_five_frame_window", &Options::five_frame_window).alias("mffw"),
            Option("motion_moving_average", &Options::moving_average).alias("mma"),
            Option("debug", &Options::debug).adds_series(),
        })
        .outputs(outputs)
        .min_size(3)
        .create(create);

} // namespace vmafgpu::motion
