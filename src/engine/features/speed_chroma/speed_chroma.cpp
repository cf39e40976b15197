// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of speed_chroma: options, outputs, which variants share a Feature object, and scores
// from Sums. Pixel work: speed_chroma_cpu.cpp, speed_chroma_record.cpp, speed_chroma_ref.cpp.
#include "speed_chroma.h"

#include <cmath>
#include <tuple>

#include "features/kit/groups.h"
#include "libm/libm.h"
#include "speed_chroma_math.h"

namespace vmafgpu {

namespace {

enum Output { kU, kV, kUv };

constexpr const char *kResizeWords[] = {"nearest", "bilinear", "bicubic", "lanczos4", nullptr};

std::vector<OutputInfo> speed_chroma_outputs(Compat compat, const FeatureOptions & /*options*/)
{
    if (compat == Compat::k3_1) // libvmaf had no SpEED then
        return {};
    return {
        {"Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u", true, false},
        {"Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v", true, false},
        {"Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv", true, false},
    };
}

/// log2(1 + v), the sum in float.
double weight_of(float v)
{
    return libm::log2(static_cast<double>(1 + v));
}

/// The two factors of a block's entropies, from S of the reference and of the distorted.
struct Weights {
    double reference, distorted;
};

Weights block_weights(int mode, float s, float t)
{
    const auto mixed = [&](double reference, double distorted) {
        return libm::log2(
            1 + (reference * static_cast<double>(s) + distorted * static_cast<double>(t)));
    };
    const auto middle = [&] {
        return libm::log2(1 + static_cast<double>(s + t) / 2);
    };
    switch (mode) {
    case 0:
        return {weight_of(s), weight_of(t)};
    case 1:
        return {weight_of(s), weight_of(s)};
    case 2:
        return {weight_of(t), weight_of(t)};
    case 3:
        return {middle(), middle()};
    case 4:
        return {weight_of(s), middle()};
    case 5:
        return {weight_of(s), mixed(0.75, 0.25)};
    default:
        return {weight_of(s), mixed(0.25, 0.75)};
    }
}

/// Of one chroma plane.
struct PlaneScore {
    float value;
    bool is_flagged; ///< one of its covariances is singular
};

PlaneScore plane_score(const SpeedChromaSums &sums, int first, int blocks,
                       const SpeedChromaOptions &options)
{
    const bool singular[2] = {sums.planes[first].is_singular != 0,
                              sums.planes[first + 1].is_singular != 0};
    if (singular[0] != singular[1])
        return {0, true};
    const auto sigma = static_cast<float>(options.sigma);
    const float least = (1 + static_cast<float>(options.floor)) * sigma;
    const auto floor = static_cast<float>(
        kSpeedChromaVector * (libm::log2(static_cast<double>(least)) + kSpeedChromaEntropy));
    const float *s = sums.s + first * blocks;
    const float *e = sums.e + first * blocks;
    const float *t = s + blocks;
    const float *f = e + blocks;
    float sum = 0;
    for (int b = 0; b < blocks; ++b) {
        if (e[b] < floor && f[b] < floor)
            continue; // adds 0
        const Weights weights = block_weights(options.weight_mode, s[b], t[b]);
        const auto reference = static_cast<float>(static_cast<double>(e[b]) * weights.reference);
        const auto distorted = static_cast<float>(static_cast<double>(f[b]) * weights.distorted);
        sum = sum + std::fabs(reference - distorted);
    }
    return {sum / static_cast<float>(blocks), singular[0]};
}

/// NaN becomes the maximum.
double limited(float score, double max)
{
    const double wide = score;
    return wide < max ? wide : max;
}

class SpeedChroma final : public Feature, public FeatureDevice {
public:
    SpeedChroma(SpeedChromaConfig config, std::vector<SpeedChromaOptions> variants)
        : config_(std::move(config)), variants_(std::move(variants))
    {
    }

    MemoryPlan plan() const override
    {
        MemoryPlan plan;
        plan.sums = SpeedChromaSums::bytes(config_.blocks());
        plan.scratch = speed_chroma_device_scratch(config_);
        plan.tables = speed_chroma_device_tables(config_);
        plan.cpu_scratch = speed_chroma_cpu_scratch(config_);
        return plan;
    }

    FeatureTraits traits() const override { return {/*needs_chroma=*/true}; }
    const FeatureDevice *device() const override { return this; }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        speed_chroma_compute(config_, pair, sums, scratch, pool);
    }

    void reference(const PairView &pair, void *sums) const override
    {
        speed_chroma_reference(config_, pair, sums);
    }

    void fill_tables(void *host) const override { speed_chroma_fill_tables(config_, host); }

    void record(Queue &queue, const BatchView &batch) const override
    {
        speed_chroma_record(config_, queue, batch);
    }

    int finish(void *sums) const override
    {
        const int blocks = config_.blocks();
        const SpeedChromaSums all(sums, blocks);
        int recomputed = 0;
        for (int p = 0; p < kSpeedChromaPlanes; ++p) {
            if (all.planes[p].open == 0)
                continue;
            recomputed += static_cast<int>(all.planes[p].open);
            all.planes[p].open = 0;
            speed_chroma_entropies(config_, all.planes[p], all.s + p * blocks, all.e + p * blocks);
        }
        return recomputed;
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const int blocks = config_.blocks();
        const SpeedChromaSums sums(const_cast<void *>(window.at(0)), blocks); // only read
        for (size_t v = 0; v < variants_.size(); ++v) {
            const PlaneScore cb = plane_score(sums, 0, blocks, variants_[v]);
            const PlaneScore cr = plane_score(sums, 2, blocks, variants_[v]);
            auto both = static_cast<float>(static_cast<double>(cb.value + cr.value) / 2);
            if (cb.is_flagged != cr.is_flagged)
                both = cb.is_flagged ? cr.value : cb.value;
            const double max = variants_[v].max_val;
            out[v][kU] = limited(cb.value, max);
            out[v][kV] = limited(cr.value, max);
            out[v][kUv] = limited(both, max);
        }
    }

private:
    SpeedChromaConfig config_;
    std::vector<SpeedChromaOptions> variants_;
};

/// What changes the Sums.
auto sums_options(const SpeedChromaOptions &options)
{
    return std::tie(options.kernel_scale, options.prescale, options.resize, options.sigma);
}

std::vector<FeatureGroup> speed_chroma_create(const Format &format, Compat,
                                              const std::vector<FeatureOptions> &variants)
{
    using Options = SpeedChromaOptions;
    const auto shares_sums = [](const Options &a, const Options &b) {
        return sums_options(a) == sums_options(b);
    };
    return make_groups<Options>(variants, shares_sums, [&](std::vector<Options> set) {
        auto config = speed_chroma_config(format, set.front());
        return std::make_unique<SpeedChroma>(std::move(config), std::move(set));
    });
}

} // namespace

const FeatureInfo kSpeedChromaFeature = {
    "speed_chroma",
    {SpeedChromaOptions()},
    {
        {"speed_kernelscale", "ks", &SpeedChromaOptions::kernel_scale, 0.1, 4.0},
        {"speed_prescale", "ps", &SpeedChromaOptions::prescale, 0.1, 4.0},
        {"speed_prescale_method", "psm", &SpeedChromaOptions::resize, 0, 3, kResizeWords},
        {"speed_sigma_nn", "snn", &SpeedChromaOptions::sigma, 0.1, 2.0},
        {"speed_nn_floor", "nnf", &SpeedChromaOptions::floor, 0.0, 1.0},
        {"speed_max_val", "mxv", &SpeedChromaOptions::max_val, 0.0, 1000.0},
        {"speed_weight_var_mode", "wvm", &SpeedChromaOptions::weight_mode, 0, 6},
    },
    speed_chroma_outputs,
    1, // the minimum depends on the chroma format and on speed_prescale
    speed_chroma_create,
};

} // namespace vmafgpu
