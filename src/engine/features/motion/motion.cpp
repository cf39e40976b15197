// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of motion: options, outputs, which variants share a Feature object, and scores from
// Sums. Pixel work: motion_cpu.cpp, motion_record.cpp, motion_ref.cpp.
#include "motion.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/error.h"

namespace vmafgpu {

namespace {

struct MotionOptions {
    bool force_zero = false;
    double blend_factor = 1.0, blend_offset = 40.0;
    double fps_weight = 1.0;
    double max_val = 10000.0;
    bool five_frame_window = false, moving_average = false;
    bool debug = false;
};

/// Order of motion_outputs() from libvmaf 3.2 on, and up to 3.1.
enum Output { kSad, kMotion, kMotion2, kMotion3 };
enum Output31 { kMotion31, kMotion2Of31 };

std::vector<OutputInfo> motion_outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1)
        return {
            {"VMAF_integer_feature_motion_score", "integer_motion", true, false},
            {"VMAF_integer_feature_motion2_score", "integer_motion2", true, true},
        };
    return {
        {"VMAF_integer_feature_motion_sad_score", nullptr, true, false},
        {"VMAF_integer_feature_motion_score", "integer_motion", false, false},
        {"VMAF_integer_feature_motion2_score", "integer_motion2", true, true},
        {"VMAF_integer_feature_motion3_score", "integer_motion3", true, true},
    };
}

double smaller(double a, double b)
{
    return a < b ? a : b;
}

/// Scores of one variant around one pair of a segment. Offsets are relative
/// to that pair; pairs before the `distance`-th of a segment have score 0.
class MotionSeries {
public:
    MotionSeries(const Format &format, const MotionConfig &config, const MotionOptions &options,
                 const SumsWindow &window)
        : pixels_(static_cast<double>(format.width) * format.height), config_(config),
          options_(options), window_(window)
    {
    }

    bool exists(int offset) const { return window_.at(offset) != nullptr; }

    /// The pair's own score. libvmaf: extract().
    double motion(int offset) const
    {
        if (position(offset) < config_.distance || options_.force_zero)
            return 0.0;
        const auto *sums = static_cast<const MotionSums *>(window_.at(offset));
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
        // With distance 2 the two are of the pairs before and after.
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
    const MotionConfig &config_;
    const MotionOptions &options_;
    const SumsWindow &window_;
};

class Motion final : public Feature, public FeatureDevice {
public:
    Motion(const Format &format, const MotionConfig &config, std::vector<MotionOptions> variants)
        : format_(format), config_(config), variants_(std::move(variants))
    {
        for (const MotionOptions &options : variants_)
            moving_average_ = moving_average_ || options.moving_average;
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(MotionSums);
        plan.cpu_scratch = motion_cpu_scratch(format_);
        return plan;
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.history = config_.skip ? 0 : config_.distance;
        // The first pair of a segment needs the score of pair number `distance`.
        traits.delay = config_.distance;
        // motion2 looks back distance - 1 pairs; the moving average one more.
        traits.lookback = config_.distance - 1 + (moving_average_ ? 1 : 0);
        return traits;
    }
    const FeatureDevice *device() const override { return this; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        motion_compute(format_, config_, pair, *static_cast<MotionSums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        motion_reference(format_, config_, pair, *static_cast<MotionSums *>(sums));
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        motion_record(format_, config_, queue, batch);
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v) {
            const MotionSeries series(format_, config_, variants_[v], window);
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
    Format format_;
    MotionConfig config_;
    std::vector<MotionOptions> variants_;
    bool moving_average_ = false;
};

/// libvmaf up to 3.1 had motion_force_zero (and debug) only.
void refuse_later_options(const FeatureOptions &options)
{
    for (const OptionInfo &option : kMotionFeature.options) {
        const std::string name = option.name;
        if (name == "motion_force_zero" || name == "debug" ||
            option.get(options) == option.default_value)
            continue;
        throw Error(EINVAL, "motion: option " + name +
                                " does not exist in libvmaf 3.1, only motion_force_zero does; "
                                "leave it at its default or ask for compatibility with 3.2");
    }
}

std::vector<FeatureGroup> motion_create(const Format &format, Compat compat,
                                        const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        std::for_each(variants.begin(), variants.end(), refuse_later_options);
    const auto shares_sums = [](const MotionOptions &a, const MotionOptions &b) {
        return a.five_frame_window == b.five_frame_window;
    };
    return make_groups<MotionOptions>(variants, shares_sums, [&](std::vector<MotionOptions> set) {
        MotionConfig config;
        config.distance = set.front().five_frame_window ? 2 : 1;
        config.blur_first = compat == Compat::k3_1;
        config.skip = std::all_of(set.begin(), set.end(),
                                  [](const MotionOptions &options) { return options.force_zero; });
        return std::make_unique<Motion>(format, config, std::move(set));
    });
}

} // namespace

const FeatureInfo kMotionFeature = {
    "motion",
    {MotionOptions()},
    {
        {"motion_force_zero", "force_0", &MotionOptions::force_zero},
        {"motion_blend_factor", "mbf", &MotionOptions::blend_factor, 0.0, 1.0},
        {"motion_blend_offset", "mbo", &MotionOptions::blend_offset, 0.0, 1000.0},
        {"motion_fps_weight", "mfw", &MotionOptions::fps_weight, 0.0, 5.0},
        {"motion_max_val", "mmxv", &MotionOptions::max_val, 0.0, 10000.0},
        {"motion_five_frame_window", "mffw", &MotionOptions::five_frame_window},
        {"motion_moving_average", "mma", &MotionOptions::moving_average},
        {"debug", nullptr, &MotionOptions::debug, 0, 1, nullptr, true},
    },
    motion_outputs,
    3,
    motion_create,
};

} // namespace vmafgpu
