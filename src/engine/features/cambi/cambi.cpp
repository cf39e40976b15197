// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of cambi: options, outputs, which variants share a Feature object, and scores from
// Sums. Set-up: cambi_setup.cpp. Pixel work: cambi_cpu.cpp, cambi_record.cpp, cambi_ref.cpp.
#include "cambi.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr const char *kEotfs[] = {"bt1886", "pq", nullptr};

std::vector<OutputInfo> cambi_outputs(Compat compat, const FeatureOptions &options)
{
    if (compat == Compat::k3_1)
        return {};
    std::vector<OutputInfo> outputs = {{"Cambi_feature_cambi_score", "cambi", true, false}};
    if (options.as<CambiOptions>().has_full_ref) {
        for (const char *name : {"cambi_source", "cambi_full_reference"}) {
            outputs.push_back({name, nullptr, true, false});
            outputs.back().has_suffix = false;
        }
    }
    return outputs;
}

double limited(double score, double limit)
{
    return score < limit ? score : limit;
}

class Cambi final : public Feature, public FeatureDevice, public FeaturePictures {
public:
    Cambi(const Format &format, const CambiConfig &config) : format_(format), config_(config) {}

    const CambiConfig &config() const { return config_; }
    void add_variant(const CambiOptions &options)
    {
        limits_.push_back(options.max_val);
        const std::string &folder = options.heatmaps_path;
        const auto is_same = [&](const CambiHeatmaps &other) {
            return other.folder() == folder;
        };
        if (!folder.empty() && std::none_of(heatmaps_.begin(), heatmaps_.end(), is_same))
            heatmaps_.emplace_back(config_, folder);
    }

    /// The devices' code has no heatmaps: the option is for looking at a few pictures.
    const FeatureDevice *device() const override { return heatmaps_.empty() ? this : nullptr; }

    FeaturePictures *pictures() override { return heatmaps_.empty() ? nullptr : this; }
    void open(const OpenPictureFiles &open) override
    {
        for (CambiHeatmaps &target : heatmaps_)
            target.open(open);
    }
    void cut(int64_t pairs) override
    {
        for (CambiHeatmaps &target : heatmaps_)
            target.cut(pairs);
    }
    void close() override
    {
        for (CambiHeatmaps &target : heatmaps_)
            target.close();
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(CambiSums);
        plan.scratch = cambi_device_scratch(format_, config_);
        plan.tables = cambi_device_tables(format_, config_);
        plan.cpu_scratch = cambi_cpu_scratch(format_, config_);
        return plan;
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        cambi_compute(format_, config_, pair, *static_cast<CambiSums *>(sums), scratch, pool,
                      heatmaps_);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        cambi_reference(format_, config_, pair, *static_cast<CambiSums *>(sums));
    }

    void fill_tables(void *host) const override
    {
        cambi_fill_device_tables(format_, config_, host);
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        cambi_record(format_, config_, queue, batch);
    }

    bool is_complete(const void *bytes) const override
    {
        const auto *sums = static_cast<const CambiSums *>(bytes);
        for (int picture = 0; picture < config_.pictures; ++picture)
            for (const CambiScaleSums &scale : sums->scale[picture])
                if (scale.is_ordered == 0 && !cambi_is_exact(scale))
                    return false;
        return true;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const CambiSums *>(window.at(0));
        const double distorted = picture_score(*sums, 0);
        const double reference = config_.pictures > 1 ? picture_score(*sums, 1) : 0;
        for (size_t v = 0; v < limits_.size(); ++v) {
            out[v][0] = limited(distorted, limits_[v]);
            if (config_.pictures == 1)
                continue;
            out[v][1] = limited(reference, limits_[v]);
            const double added = distorted - reference;
            out[v][2] = limited(added > 0 ? added : 0, limits_[v]);
        }
    }

private:
    double picture_score(const CambiSums &sums, int picture) const
    {
        double score = 0;
        for (int scale = 0; scale < kCambiScales; ++scale)
            score +=
                kCambiScaleWeights[scale] *
                cambi_scale_score(sums.scale[picture][scale], config_.top_count(picture, scale));
        const int window = config_.target[picture].window;
        return score / static_cast<double>(window * window);
    }

    Format format_;
    CambiConfig config_;
    std::vector<double> limits_;
    std::vector<CambiHeatmaps> heatmaps_;
};

std::vector<FeatureGroup> cambi_create(const Format &format, Compat compat,
                                       const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "cambi: libvmaf 3.1 computed other values; ask for compatibility with "
                            "3.2 to use it");
    std::vector<FeatureGroup> groups;
    for (size_t v = 0; v < variants.size(); ++v) {
        const auto &options = variants[v].as<CambiOptions>();
        const CambiConfig config = cambi_configure(format, options);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto &other) {
            return static_cast<const Cambi &>(*other.feature).config() == config;
        });
        if (group == groups.end())
            group = groups.insert(group, {std::make_unique<Cambi>(format, config), {}});
        static_cast<Cambi &>(*group->feature).add_variant(options);
        group->variants.push_back(static_cast<int>(v));
    }
    return groups;
}

} // namespace

const FeatureInfo kCambiFeature = {
    "cambi",
    {CambiOptions()},
    {
        {"cambi_max_val", "cmxv", &CambiOptions::max_val, 0, 1000},
        {"enc_width", "encw", &CambiOptions::enc_width, 180, 7680},
        {"enc_height", "ench", &CambiOptions::enc_height, 150, 7680},
        {"enc_bitdepth", "encbd", &CambiOptions::enc_bitdepth, 6, 16},
        {"src_width", "srcw", &CambiOptions::src_width, 320, 7680},
        {"src_height", "srch", &CambiOptions::src_height, 200, 4320},
        {"window_size", "ws", &CambiOptions::window_size, 15, 127},
        {"topk", "topk", &CambiOptions::top_share, 1e-4, 1},
        {"cambi_topk", "ctpk", &CambiOptions::cambi_top_share, 1e-4, 1},
        {"tvi_threshold", "tvit", &CambiOptions::visibility, 1e-4, 1},
        {"cambi_vis_lum_threshold", "vlt", &CambiOptions::luminance_threshold, 0, 300},
        {"max_log_contrast", "mlc", &CambiOptions::max_log_contrast, 0, 5},
        {"full_ref", nullptr, &CambiOptions::has_full_ref, 0, 1, nullptr, true},
        {"eotf", "eotf", &CambiOptions::eotf, 0, 1, kEotfs},
        {"cambi_eotf", "ceot", &CambiOptions::cambi_eotf, 0, 1, kEotfs},
        {"cambi_high_res_speedup", "hrs", &CambiOptions::high_res_speedup, 0, 2160},
        {"heatmaps_path", nullptr, &CambiOptions::heatmaps_path, 0, 1, nullptr, true},
    },
    cambi_outputs,
    1,
    cambi_create,
};

} // namespace vmafgpu
