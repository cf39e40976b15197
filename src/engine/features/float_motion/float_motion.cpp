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
#include "features/kit/info.h"

namespace vmafgpu::float_motion {

namespace {

struct Options {
    bool force_zero = false;
    double fps_weight = 1.0;
    double blend_factor = 1.0, blend_offset = 40.0;
    bool add_scale1 = false, add_uv = false;
    int filter_size = 5;
    double max_val = 10000.0;
    bool debug = true;
};

constexpr int kMostHalfWidth = 7680; ///< libvmaf resizes to no more

/// Order of outputs().
enum Column { kMotion2, kMotion, kMotion3 };

/// libvmaf's order of first writing. All values are 0 where motion is forced to zero.
std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions &options)
{
    if (compat == Compat::k3_1) // not known for that version
        return {};
    const auto motion2 = Output("VMAF_feature_motion2_score").report("motion2").is_default();
    const auto motion = Output("VMAF_feature_motion_score").report("motion");
    auto motion3 = Output("VMAF_feature_motion3_score").report("motion3").is_default();
    if (options.as<Options>().force_zero)
        return {motion2, motion3, motion};
    return {motion2, motion, motion3.is_delayed().precedes_flush()};
}

/// Scores of one variant around one pair of a segment. Offsets are relative to that pair.
class Series {
public:
    Series(const Options &options, const SumsWindow &window) : options_(options), window_(window) {}

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
        const auto &sums = *static_cast<const Sums *>(window_.at(offset));
        return static_cast<double>(sums.difference[0]) + static_cast<double>(sums.difference[1]) +
               static_cast<double>(sums.difference[2]);
    }

    double weighted(int offset) const { return difference(offset) * options_.fps_weight; }

    /// Returns the smaller one of the two differences that the pair takes part in.
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

    const Options &options_;
    const SumsWindow &window_;
};

class FloatMotion final : public FeatureOf<Config, Sums, Forms> {
public:
    FloatMotion(Config config, std::vector<Options> variants)
        : FeatureOf(std::move(config)), variants_(std::move(variants))
    {
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = config_.adds_chroma;
        traits.history = config_.skip ? 0 : 1;
        traits.delay = 1;
        return traits;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v) {
            if (variants_[v].force_zero) {
                std::fill_n(out[v], 3, 0.0);
                continue;
            }
            const Series series(variants_[v], window);
            out[v][kMotion2] = series.motion2();
            out[v][kMotion] = series.motion();
            out[v][kMotion3] = series.motion3();
        }
    }

private:
    std::vector<Options> variants_;
};

std::vector<float> blur_of(const Options &options)
{
    if (options.filter_size == 1)
        return {1.0F};
    if (options.filter_size == 3)
        return {std::begin(kBlur3), std::end(kBlur3)};
    // QUIRK: every other size, 0 included, is 5.
    return {std::begin(kBlur5), std::end(kBlur5)};
}

void check_options(const Format &format, const Options &options)
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

std::vector<FeatureGroup> create(const Format &format, Compat compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "float_motion is known as in libvmaf 3.2 only; leave out compat=3.1");
    for (const FeatureOptions &options : variants)
        check_options(format, options.as<Options>());
    const auto shares_sums = [](const Options &a, const Options &b) {
        return blur_of(a) == blur_of(b) && a.add_scale1 == b.add_scale1 && a.add_uv == b.add_uv;
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        const Options &first = set.front();
        const bool skips = std::all_of(set.begin(), set.end(),
                                       [](const Options &options) { return options.force_zero; });
        Config config = {format, blur_of(first), first.add_scale1, first.add_uv, skips};
        return std::make_unique<FloatMotion>(std::move(config), std::move(set));
    });
}

} // namespace

const FeatureInfo kFeature =
    Info("float_motion")
        .options<Options>({
            Option("motion_force_zero", &Options::force_zero).alias("force_0"),
            Option("motion_fps_weight", &Options::fps_weight).alias("mfw").range(0.0, 5.0),
            Option("motion_blend_factor", &Options::blend_factor).alias("mbf").range(0.0, 1.0),
            Option("motion_blend_offset", &Options::blend_offset).alias("mbo").range(0.0, 1000.0),
            Option("motion_add_scale1", &Options::add_scale1).alias("mdc"),
            Option("motion_filter_size", &Options::filter_size).alias("mfs").range(0, 9),
            Option("motion_add_uv", &Options::add_uv).alias("mau"),
            Option("motion_max_val", &Options::max_val).alias("mmxv").range(0.0, 10000.0),
            Option("debug", &Options::debug).adds_series(),
        })
        .outputs(outputs)
        .min_size(3)
        .depths({8, 10, 12, 16}) // libvmaf reads single bytes of other depths
        .create(create);

} // namespace vmafgpu::float_motion
