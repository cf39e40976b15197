// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of VIF: options, outputs, which variants share a Feature object, and scores from Sums.
// Pixel work: vif_cpu.cpp, vif_record.cpp, vif_ref.cpp.
#include "features/vif/vif.h"

#include <memory>
#include <utility>
#include <vector>

#include "features/kit/feature_of.h"
#include "features/kit/info.h"
#include "features/vif/vif_tables.h"

namespace vmafgpu::vif {

namespace {

struct Options {
    double gain_limit = 100.0;
    bool skip_scale0 = false, debug = false;
};

/// Order of outputs(); den_scale{k} follows num_scale{k}.
enum Column { kScale0 = 0, kVif = 4, kNum, kDen, kNumScale0 };

std::vector<OutputInfo> outputs(Compat, const FeatureOptions & /*options*/)
{
    return {
        Output("VMAF_integer_feature_vif_scale0_score").report("integer_vif_scale0").is_default(),
        Output("VMAF_integer_feature_vif_scale1_score").report("integer_vif_scale1").is_default(),
        Output("VMAF_integer_feature_vif_scale2_score").report("integer_vif_scale2").is_default(),
        Output("VMAF_integer_feature_vif_scale3_score").report("integer_vif_scale3").is_default(),
        Output("integer_vif"),
        Output("integer_vif_num"),
        Output("integer_vif_den"),
        Output("integer_vif_num_scale0"),
        Output("integer_vif_den_scale0"),
        Output("integer_vif_num_scale1"),
        Output("integer_vif_den_scale1"),
        Output("integer_vif_num_scale2"),
        Output("integer_vif_den_scale2"),
        Output("integer_vif_num_scale3"),
        Output("integer_vif_den_scale3"),
    };
}

/// The settings of a variant that its Feature object uses.
struct Variant {
    int limit; ///< index of its gain limit in Config::limits
    bool skip_scale0;
};

/// x rounded to float. It goes through memory, because GCC 12 at -O2 drops the rounding in
/// (double)(float)x of two neighbouring values when it vectorises the pair.
float rounded_to_float(double x)
{
    volatile float rounded = static_cast<float>(x);
    return rounded;
}

/// Numerator and denominator of a scale are floats, as is their quotient.
/// libvmaf: vif_statistic, end.
void variant_scores(const Sums &sums, Variant variant, double *out)
{
    const int first = variant.skip_scale0 ? 1 : 0;
    double num_sum = 0.0;
    double den_sum = 0.0;
    out[kScale0] = 0.0;
    out[kNumScale0] = 0.0;
    out[kNumScale0 + 1] = -1.0;
    for (int scale = first; scale < kScales; ++scale) {
        const ScaleSums &s = sums.scale[scale];
        const double log_part = static_cast<double>(s.num_log[variant.limit]) / 2048.0;
        const double flat = (static_cast<double>(s.num_nl) / 16384.0) / 65025.0;
        const double flat_part = static_cast<double>(s.den_nl) - flat;
        const float num = rounded_to_float(log_part + flat_part);
        const float den = rounded_to_float(static_cast<double>(s.den_log) / 2048.0 +
                                           static_cast<double>(s.den_nl));
        const float score = num / den;
        out[kScale0 + scale] = score;
        out[kNumScale0 + 2 * scale] = num;
        out[kNumScale0 + 2 * scale + 1] = den;
        num_sum += num;
        den_sum += den;
    }
    out[kVif] = den_sum == 0.0 ? 1.0 : num_sum / den_sum;
    out[kNum] = num_sum;
    out[kDen] = den_sum;
}

class Vif final : public FeatureOf<Config, Sums, Forms> {
public:
    Vif(const Config &config, std::vector<Variant> variants)
        : FeatureOf(config), variants_(std::move(variants))
    {
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        for (size_t v = 0; v < variants_.size(); ++v)
            variant_scores(sums_of(window), variants_[v], out[v]);
    }

private:
    std::vector<Variant> variants_;
};

/// A Feature object that is being collected, with its variants.
struct Draft {
    Config config;
    std::vector<Variant> variants;
    std::vector<int> indices;

    /// Index of a gain limit, which is added if there is room; -1 if there is none.
    int place(double limit)
    {
        for (int i = 0; i < config.limit_count; ++i)
            if (config.limits[i] == limit)
                return i;
        if (config.limit_count == kMaxLimits)
            return -1;
        config.limits[config.limit_count] = limit;
        return config.limit_count++;
    }
};

std::vector<FeatureGroup> create(const Format &format, Compat,
                                 const std::vector<FeatureOptions> &variants)
{
    std::vector<Draft> drafts;
    for (size_t i = 0; i < variants.size(); ++i) {
        const auto &options = variants[i].as<Options>();
        int limit = -1;
        size_t d = 0;
        while (d < drafts.size() && (limit = drafts[d].place(options.gain_limit)) < 0)
            ++d;
        if (d == drafts.size()) {
            drafts.emplace_back();
            drafts[d].config.format = format;
            drafts[d].config.limit_count = 0;
            drafts[d].config.skip_scale0 = true;
            limit = drafts[d].place(options.gain_limit);
        }
        drafts[d].config.skip_scale0 = drafts[d].config.skip_scale0 && options.skip_scale0;
        drafts[d].variants.push_back({limit, options.skip_scale0});
        drafts[d].indices.push_back(static_cast<int>(i));
    }
    std::vector<FeatureGroup> groups;
    groups.reserve(drafts.size());
    for (Draft &draft : drafts)
        groups.push_back({std::make_unique<Vif>(draft.config, std::move(draft.variants)),
                          std::move(draft.indices)});
    return groups;
}

std::vector<uint16_t> expand_log2_table()
{
    std::vector<uint16_t> table;
    table.reserve(kLog2Entries);
    for (int run = 0; run < kLog2Runs; ++run)
        table.insert(table.end(), kLog2RunLength[run], static_cast<uint16_t>(kLog2First + run));
    return table;
}

} // namespace

const uint16_t *log2_table()
{
    static const std::vector<uint16_t> table = expand_log2_table();
    return table.data();
}

const FeatureInfo kFeature =
    Info("vif")
        .options<Options>({
            Option("vif_enhn_gain_limit", &Options::gain_limit).alias("egl").range(1.0, 100.0),
            Option("vif_skip_scale0", &Options::skip_scale0).alias("ssclz"),
            Option("debug", &Options::debug).adds_series(),
        })
        .outputs(outputs)
        .min_size(16)
        .create(create);

} // namespace vmafgpu::vif
