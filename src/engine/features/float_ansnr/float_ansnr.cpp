// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_ansnr: outputs, and scores from Sums. Pixel work: float_ansnr_cpu.cpp,
// float_ansnr_record.cpp, float_ansnr_ref.cpp.
#include "float_ansnr.h"

#include "features/float_scale.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

class FloatAnsnr final : public Feature {
public:
    explicit FloatAnsnr(const Format &format) : format_(format) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(FloatAnsnrSums);
        plan.scratch = float_ansnr_device_scratch(format_);
        plan.cpu_scratch = float_ansnr_scratch(format_);
        return plan;
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        float_ansnr_compute(format_, pair, *static_cast<FloatAnsnrSums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        float_ansnr_reference(format_, pair, *static_cast<FloatAnsnrSums *>(sums));
    }

    void record(Queue &queue, const BatchView &batch) const override
    {
        float_ansnr_record(format_, queue, batch);
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const FloatAnsnrSums *>(window.at(0));
        const double limit = float_limit(format_);
        const float ratio = sums->signal / sums->noise;
        out[0][0] = sums->noise == 0 ? limit : 10 * libm::log10(static_cast<double>(ratio));
        const double peak = float_peak(format_);
        const double noise = sums->noise;
        const double score = 10 * libm::log10(peak * peak * format_.width * format_.height /
                                              (noise > 1e-10 ? noise : 1e-10));
        out[0][1] = score < limit ? score : limit;
    }

private:
    Format format_;
};

std::vector<OutputInfo> float_ansnr_outputs(Compat /*compat*/, const OptionValues & /*values*/)
{
    return {{"float_ansnr", nullptr, true, false}, {"float_anpsnr", nullptr, true, false}};
}

std::vector<FeatureGroup> float_ansnr_create(const Format &format, Compat /*compat*/,
                                             const std::vector<OptionValues> &variants)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants.size(); ++i)
        groups.push_back({std::make_unique<FloatAnsnr>(format), {static_cast<int>(i)}});
    return groups;
}

} // namespace

const FeatureInfo kFloatAnsnrFeature = {
    "float_ansnr", {}, float_ansnr_outputs, 3, float_ansnr_create, {8, 10, 12, 16}};

} // namespace vmafgpu
