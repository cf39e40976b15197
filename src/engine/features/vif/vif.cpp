// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of VIF: options, outputs, which variants share a Feature object, and scores from Sums.
// Pixel work: vif_cpu.cpp, vif_record.cpp, vif_ref.cpp.
#include "vif.h"

#include "vif_log2_table.h"

namespace vmafgpu {

namespace {

struct VifOptions {
    double gain_limit = 100.0;
    bool skip_scale0 = false, debug = false;
};

/// Order of vif_outputs(); den_scale{k} follows num_scale{k}.
enum Output { kScale0 = 0, kVif = 4, kNum, kDen, kNumScale0 };

std::vector<OutputInfo> vif_outputs(Compat, const FeatureOptions & /*options*/)
{
    return {
        {"VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0", true, false},
        {"VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1", true, false},
        {"VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2", true, false},
        {"VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3", true, false},
        {"integer_vif", nullptr, false, false},
        {"integer_vif_num", nullptr, false, false},
        {"integer_vif_den", nullptr, false, false},
        {"integer_vif_num_scale0", nullptr, false, false},
        {"integer_vif_den_scale0", nullptr, false, false},
        {"integer_vif_num_scale1", nullptr, false, false},
        {"integer_vif_den_scale1", nullptr, false, false},
        {"integer_vif_num_scale2", nullptr, false, false},
        {"integer_vif_den_scale2", nullptr, false, false},
        {"integer_vif_num_scale3", nullptr, false, false},
        {"integer_vif_den_scale3", nullptr, false, false},
    };
}

/// The settings of a variant that its Feature object uses.
struct Variant {
    int limit; ///< index of its gain limit in VifConfig::limits
    bool skip_scale0;
};

class Vif final : public Feature, public FeatureDevice {
public:
    Vif(const Format &format, const VifConfig &config, std::vector<Variant> variants)
        : format_(format), config_(config), variants_(std::move(variants))
    {
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(VifSums);
        plan.scratch = vif_device_scratch(format_);
        plan.tables = vif_device_tables();
        plan.cpu_scratch = vif_cpu_scratch(format_);
        return plan;
    }
    const FeatureDevice *device() const override { return this; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        vif_compute(format_, config_, pair, *static_cast<VifSums *>(sums), scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        vif_reference(format_, config_, pair, *static_cast<VifSums *>(sums));
    }

    void fill_tables(void *host) const override { vif_fill_device_tables(host); }

    void record(Queue &queue, const BatchView &batch) const override
    {
        vif_record(format_, config_, queue, batch);
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto &sums = *static_cast<const VifSums *>(window.at(0));
        for (size_t v = 0; v < variants_.size(); ++v)
            variant_scores(sums, variants_[v], out[v]);
    }

private:
    static void variant_scores(const VifSums &sums, Variant variant, double *out);

    Format format_;
    VifConfig config_;
    std::vector<Variant> variants_;
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
void Vif::variant_scores(const VifSums &sums, Variant variant, double *out)
{
    const int first = variant.skip_scale0 ? 1 : 0;
    double num_sum = 0.0;
    double den_sum = 0.0;
    out[kScale0] = 0.0;
    out[kNumScale0] = 0.0;
    out[kNumScale0 + 1] = -1.0;
    for (int scale = first; scale < kVifScales; ++scale) {
        const VifScaleSums &s = sums.scale[scale];
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

/// A Feature object that is being collected, with its variants.
struct Draft {
    VifConfig config;
    std::vector<Variant> variants;
    std::vector<int> indices;

    /// Index of a gain limit, which is added if there is room; -1 if there is none.
    int place(double limit)
    {
        for (int i = 0; i < config.limit_count; ++i)
            if (config.limits[i] == limit)
                return i;
        if (config.limit_count == kVifMaxLimits)
            return -1;
        config.limits[config.limit_count] = limit;
        return config.limit_count++;
    }
};

std::vector<FeatureGroup> vif_create(const Format &format, Compat,
                                     const std::vector<FeatureOptions> &variants)
{
    std::vector<Draft> drafts;
    for (size_t i = 0; i < variants.size(); ++i) {
        const auto &options = variants[i].as<VifOptions>();
        int limit = -1;
        size_t d = 0;
        while (d < drafts.size() && (limit = drafts[d].place(options.gain_limit)) < 0)
            ++d;
        if (d == drafts.size()) {
            drafts.emplace_back();
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
        groups.push_back({std::make_unique<Vif>(format, draft.config, std::move(draft.variants)),
                          std::move(draft.indices)});
    return groups;
}

std::vector<uint16_t> expand_log2_table()
{
    std::vector<uint16_t> table;
    table.reserve(kVifLog2Entries);
    for (int run = 0; run < kVifLog2Runs; ++run)
        table.insert(table.end(), kVifLog2RunLength[run],
                     static_cast<uint16_t>(kVifLog2First + run));
    return table;
}

} // namespace

const uint16_t *vif_log2_table()
{
    static const std::vector<uint16_t> table = expand_log2_table();
    return table.data();
}

const FeatureInfo kVifFeature = {
    "vif",
    {VifOptions()},
    {
        {"vif_enhn_gain_limit", "egl", &VifOptions::gain_limit, 1.0, 100.0},
        {"vif_skip_scale0", "ssclz", &VifOptions::skip_scale0},
        {"debug", nullptr, &VifOptions::debug, 0, 1, nullptr, true},
    },
    vif_outputs,
    16,
    vif_create,
};

} // namespace vmafgpu
