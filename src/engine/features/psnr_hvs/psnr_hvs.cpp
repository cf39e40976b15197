// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of psnr_hvs: outputs, refusals, weights, and scores from Sums. Pixel work:
// psnr_hvs_cpu.cpp, psnr_hvs_ref.cpp.
#include "psnr_hvs.h"

#include "features/floor_size.h"
#include "libm/libm.h"
#include "psnr_hvs_tables.h"

namespace vmafgpu {

PsnrHvsWeights psnr_hvs_weights(int plane)
{
    PsnrHvsWeights weights = {};
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 8; ++j) {
            const float sensitivity = kPsnrHvsSensitivity[plane][psnr_hvs_place(i, j)];
            const double scaled = static_cast<double>(sensitivity) * kPsnrHvsMaskScale;
            weights.sensitivity[8 * i + j] = sensitivity;
            weights.mask[8 * i + j] = static_cast<float>(scaled * scaled);
        }
    }
    return weights;
}

namespace {

double decibels(double error)
{
    return 10 * -libm::log10(error);
}

class PsnrHvs final : public Feature {
public:
    explicit PsnrHvs(const Format &format) : format_(format) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(PsnrHvsSums);
        plan.cpu_scratch = psnr_hvs_scratch(format_);
        return plan;
    }
    bool needs_chroma() const override { return true; }
    bool runs_on_host() const override { return true; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        psnr_hvs_compute(format_, pair, *static_cast<PsnrHvsSums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        psnr_hvs_reference(format_, pair, *static_cast<PsnrHvsSums *>(sums));
    }
    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const PsnrHvsSums *>(window.at(0));
        const int peak = (1 << format_.depth) - 1;
        float errors[3];
        for (int plane = 0; plane < 3; ++plane) {
            const int64_t blocks =
                static_cast<int64_t>(psnr_hvs_blocks(floor_width(format_, plane))) *
                psnr_hvs_blocks(floor_height(format_, plane));
            const float mean = sums->error[plane] / static_cast<float>(kPsnrHvsTerms * blocks);
            errors[plane] = mean / static_cast<float>(peak * peak);
            out[0][plane] = decibels(errors[plane]);
        }
        const double chroma = static_cast<double>(errors[1]) + static_cast<double>(errors[2]);
        out[0][3] = decibels(static_cast<double>(errors[0]) * 0.8 + 0.1 * chroma);
    }

private:
    Format format_;
};

std::vector<OutputInfo> psnr_hvs_outputs(Compat /*compat*/, const OptionValues & /*values*/)
{
    return {{"psnr_hvs_y", nullptr, true, false},
            {"psnr_hvs_cb", nullptr, true, false},
            {"psnr_hvs_cr", nullptr, true, false},
            {"psnr_hvs", nullptr, true, false}};
}

std::vector<FeatureGroup> psnr_hvs_create(const Format &format, Compat /*compat*/,
                                          const std::vector<OptionValues> &variants)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back({std::make_unique<PsnrHvs>(format), {static_cast<int>(i)}});
    return groups;
}

} // namespace

const FeatureInfo kPsnrHvsFeature = {"psnr_hvs",         {},  psnr_hvs_outputs, 1, psnr_hvs_create,
                                     {8, 9, 10, 11, 12}, true};

} // namespace vmafgpu
