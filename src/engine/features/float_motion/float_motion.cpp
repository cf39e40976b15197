// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_motion: options, outputs, which variants share a Feature object, and scores
// from Sums. Pixel work: float_motion_cpu.cpp, float_motion_ref.cpp.
#include "features/float_motion/float_motion.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>

#include "base/error.h"
#include "base/numeric.h"
#include "features/float_motion/float_motion_tables.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "picture/float_plane.h"

namespace vmafgpu {

namespace {

struct FloatMotionOptions {
    bool force_zero = false;
    double fps_weight = 1.0;
    double blend_factor = 1.0, blend_offset = 40.0;
    bool add_scale1 = false, add_uv = false;
    int filter_size = 5;
    double max_val = 10000.0;
    bool debug = true;
};

constexpr int kMostHalfWidth = 7680; ///< libvmaf resizes to no more

/// Order of float_motion_outputs().
enum Output { kMotion2, kMotion, kMotion3 };

/// libvmaf's order of first writing. All values are 0 where motion is forced to zero.
std::vector<OutputInfo> float_motion_outputs(Compat compat, const FeatureOptions &options)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    const OutputInfo motion2 = {"VMAF_feature_motion2_score", "motion2", true, false};
    const OutputInfo motion = {"VMAF_feature_motion_score", "motion", false, false};
    OutputInfo motion3 = {"VMAF_feature_motion3_score", "motion3", true, true};
    if (!options.as<FloatMotionOptions>().force_zero) {
        motion3.precedes_flush = true;
        return {motion2, motion, motion3};
    }
    motion3.is_delayed = false;
    return {motion2, motion3, motion};
}

/// Scores of one variant around one pair of a segment. Offsets are relative to that pair.
class FloatMotionSeries {
public:
    FloatMotionSeries(const FloatMotionOptions &options, const SumsWindow &window)
        : options_(options), window_(window)
    {
    }

    double motion() const { return window_.position() == 0 ? 0.0 : limited(weighted(0)); }
    double motion2() const { return window_.position() == 0 ? 0.0 : limited(least()); }
    double motion3() const
    {
        if (window_.position() == 0)
            return exists(1) ? limited(blend(weighted(1))) : 0.0;
        return limited(blend(least()));
    }

private:
    bool exists(int offset) const { return window_.at(offset) != nullptr; }

    double difference(int offset) const
    {
        const auto &sums = *static_cast<const FloatMotionSums *>(window_.at(offset));
        return static_cast<double>(sums.difference[0]) + static_cast<double>(sums.difference[1]) +
               static_cast<double>(sums.difference[2]);
    }

    double weighted(int offset) const { return difference(offset) * options_.fps_weight; }

    /// Of the two differences that the pair takes part in.
    double least() const
    {
        return exists(1) ? smaller(difference(0), difference(1)) * options_.fps_weight
                         : weighted(0);
    }

    double blend(double x) const
    {
        const double factor = options_.blend_factor;
        const double kept = x * factor;
        return kept + (1.0 - factor) * smaller(options_.blend_offset, x);
    }

    double limited(double x) const { return smaller(x, options_.max_val); }

    const FloatMotionOptions &options_;
    const SumsWindow &window_;
};

struct Forms {
    static constexpr auto cpu_scratch = float_motion_scratch;
    static constexpr auto compute = float_motion_compute;
    static constexpr auto reference = float_motion_reference;
};

class FloatMotion final : public FeatureOf<FloatMotionConfig, FloatMotionSums, Forms> {
public:
    FloatMotion(FloatMotionConfig config, std::vector<FloatMotionOptions> variants)
        : FeatureOf(std::move(config)), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        return {config_.adds_chroma, /*history=*/config_.skip ? 0 : 1, /*delay=*/1};
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v) {
            if (variants_[v].force_zero) {
                std::fill_n(out[v], 3, 0.0);
                continue;
            }
            const FloatMotionSeries series(variants_[v], window);
            out[v][kMotion2] = series.motion2();
            out[v][kMotion] = series.motion();
            out[v][kMotion3] = series.motion3();
        }
    }

private:
    std::vector<FloatMotionOptions> variants_;
};

std::vector<float> blur_of(const FloatMotionOptions &options)
{
    if (options.filter_size == 1)
        return {1.0F};
    if (options.filter_size == 3)
        return {std::begin(kFloatMotionBlur3), std::end(kFloatMotionBlur3)};
    // QUIRK: every other size, 0 included, is 5.
    return {std::begin(kFloatMotionBlur5), std::end(kFloatMotionBlur5)};
}

void check_options(const Format &format, const FloatMotionOptions &options)
{
    if (options.add_uv && format.chroma == Chroma::k400)
        throw Error(EINVAL, "float_motion: motion_add_uv needs chroma, which 4:0:0 lacks");
    // libvmaf then resizes chroma with the wrong distance of rows.
    if (options.add_uv && options.add_scale1 && format.chroma != Chroma::k444)
        throw Error(EINVAL, "float_motion: motion_add_uv together with motion_add_scale1 is "
                            "defined for 4:4:4 only; libvmaf reads memory that it did not write");
    if (options.add_scale1 && resized_size(format.width, 0.5) > kMostHalfWidth)
        throw Error(EINVAL, "float_motion: motion_add_scale1 allows widths up to " +
                                std::to_string(2 * kMostHalfWidth) + ", as in libvmaf, not " +
                                std::to_string(format.width));
}

std::vector<FeatureGroup> float_motion_create(const Format &format, Compat compat,
                                              const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_motion is known as in libvmaf 3.2 only; leave out compat=3.1");
    using Options = FloatMotionOptions;
    for (const FeatureOptions &options : variants)
        check_options(format, options.as<Options>());
    const auto shares_sums = [](const Options &a, const Options &b) {
        return blur_of(a) == blur_of(b) && a.add_scale1 == b.add_scale1 && a.add_uv == b.add_uv;
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        const Options &first = set.front();
        const bool skips = std::all_of(set.begin(), set.end(),
                                       [](const Options &options) { return options.force_zero; });
        FloatMotionConfig config = {format, blur_of(first), first.add_scale1, first.add_uv, skips};
        return std::make_unique<FloatMotion>(std::move(config), std::move(set));
    });
}

} // namespace

const FeatureInfo kFloatMotionFeature = {
    "float_motion",
    {FloatMotionOptions()},
    {
        {"motion_force_zero", "force_0", &FloatMotionOptions::force_zero},
        {"motion_fps_weight", "mfw", &FloatMotionOptions::fps_weight, 0.0, 5.0},
        {"motion_blend_factor", "mbf", &FloatMotionOptions::blend_factor, 0.0, 1.0},
        {"motion_blend_offset", "mbo", &FloatMotionOptions::blend_offset, 0.0, 1000.0},
        {"motion_add_scale1", "mdc", &FloatMotionOptions::add_scale1},
        {"motion_filter_size", "mfs", &FloatMotionOptions::filter_size, 0, 9},
        {"motion_add_uv", "mau", &FloatMotionOptions::add_uv},
        {"motion_max_val", "mmxv", &FloatMotionOptions::max_val, 0.0, 10000.0},
        {"debug", nullptr, &FloatMotionOptions::debug, 0, 1, nullptr, true},
    },
    float_motion_outputs,
    3,
    float_motion_create,
    {8, 10, 12, 16}, // of others libvmaf reads single bytes
};

} // namespace vmafgpu
