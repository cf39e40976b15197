// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of float_psnr and float_moment: outputs, refusals, and scores from Sums. Pixel work:
// float_sums_cpu.cpp, float_sums_record.cpp, float_sums_ref.cpp.
#include "float_sums.h"

#include "features/float_scale.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

double pixels_of(const Format &format)
{
    return static_cast<double>(static_cast<int64_t>(format.width) * format.height);
}

/// A native sample in levels of 8 bits; its square scales squares.
double level_of(const Format &format)
{
    return 1.0 / (1 << (format.depth - 8));
}

class FloatPsnr final : public Feature {
public:
    explicit FloatPsnr(const Format &format) : format_(format) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(FloatPsnrSums);
        plan.cpu_scratch = float_sums_scratch(format_);
        return plan;
    }
    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        float_psnr_compute(format_, pair, *static_cast<FloatPsnrSums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        float_psnr_reference(format_, pair, *static_cast<FloatPsnrSums *>(sums));
    }
    void record(Queue &queue, const BatchView &batch) const override
    {
        float_psnr_record(format_, queue, batch);
    }
    bool is_complete(const void *sums) const override
    {
        return static_cast<const FloatPsnrSums *>(sums)->noise.is_complete();
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const FloatPsnrSums *>(window.at(0));
        const double level = level_of(format_);
        const double noise = sums->noise.value() * (level * level) / pixels_of(format_);
        const double peak = float_peak(format_);
        const double score = 10 * libm::log10(peak * peak / (noise > 1e-10 ? noise : 1e-10));
        const double limit = float_limit(format_);
        out[0][0] = score < limit ? score : limit;
    }

private:
    Format format_;
};

class FloatMoment final : public Feature {
public:
    explicit FloatMoment(const Format &format) : format_(format) {}

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = sizeof(FloatMomentSums);
        plan.cpu_scratch = float_sums_scratch(format_);
        return plan;
    }
    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        float_moment_compute(format_, pair, *static_cast<FloatMomentSums *>(sums), scratch, pool);
    }
    void reference(const PairView &pair, void *sums) const override
    {
        float_moment_reference(format_, pair, *static_cast<FloatMomentSums *>(sums));
    }
    void record(Queue &queue, const BatchView &batch) const override
    {
        float_moment_record(format_, queue, batch);
    }
    bool is_complete(const void *sums) const override
    {
        const auto *all = static_cast<const FloatMomentSums *>(sums);
        return all->second[0].is_complete() && all->second[1].is_complete();
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const auto *sums = static_cast<const FloatMomentSums *>(window.at(0));
        const double level = level_of(format_);
        const double pixels = pixels_of(format_);
        for (int picture = 0; picture < 2; ++picture) {
            out[0][picture] = static_cast<double>(sums->first[picture]) * level / pixels;
            out[0][2 + picture] = sums->second[picture].value() * (level * level) / pixels;
        }
    }

private:
    Format format_;
};

/// Neither has options, so all variants are one.
template <typename Kind> std::vector<FeatureGroup> create(const Format &format, size_t variants)
{
    std::vector<FeatureGroup> groups;
    for (size_t i = 0; i < variants; ++i)
        groups.push_back({std::make_unique<Kind>(format), {static_cast<int>(i)}});
    return groups;
}

std::vector<OutputInfo> psnr_outputs(Compat /*compat*/, const OptionValues & /*values*/)
{
    return {{"float_psnr", nullptr, true, false}};
}

std::vector<OutputInfo> moment_outputs(Compat /*compat*/, const OptionValues & /*values*/)
{
    return {{"float_moment_ref1st", nullptr, true, false},
            {"float_moment_dis1st", nullptr, true, false},
            {"float_moment_ref2nd", nullptr, true, false},
            {"float_moment_dis2nd", nullptr, true, false}};
}

std::vector<FeatureGroup> psnr_create(const Format &format, Compat /*compat*/,
                                      const std::vector<OptionValues> &variants)
{
    return create<FloatPsnr>(format, variants.size());
}

std::vector<FeatureGroup> moment_create(const Format &format, Compat /*compat*/,
                                        const std::vector<OptionValues> &variants)
{
    return create<FloatMoment>(format, variants.size());
}

} // namespace

const FeatureInfo kFloatPsnrFeature = {"float_psnr",   {}, psnr_outputs, 1, psnr_create,
                                       {8, 10, 12, 16}};
const FeatureInfo kFloatMomentFeature = {"float_moment", {}, moment_outputs, 1, moment_create,
                                         {8, 10, 12, 16}};

} // namespace vmafgpu
