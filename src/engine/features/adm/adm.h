// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "adm", libvmaf's integer ADM: what an object computes per pair (AdmSums), the layout
// for a picture size (AdmConfig), and the Feature itself. Formulas per sample: adm_math.h.
// Reference code: adm_ref.cpp. CPU code: adm_cpu.cpp. docs/numerics/adm.md explains the arithmetic
// and has a table of libvmaf's names.
#pragma once

#include <cstdint>
#include <vector>

#include "adm_csf.h"
#include "features/feature.h"

namespace vmafgpu {

constexpr int kAdmScales = 4;
/// Orientations of the detail bands, in this order everywhere: horizontal (high-pass
/// vertically, low-pass horizontally), vertical, diagonal.
constexpr int kAdmOrientations = 3;
/// Enhancement gain limits that one object computes in one pass.
constexpr int kAdmMaxGains = 2;
constexpr int kAdmMinSize = 17;
/// Up to this height libvmaf's result is not defined: adm_is_narrow().
constexpr int kAdmUndefinedHeight = 32;

struct AdmScaleSums {
    int64_t num[kAdmMaxGains][kAdmOrientations]; ///< restored part, masked by the additive one
    uint64_t den[kAdmOrientations];              ///< reference
    int64_t aim[kAdmMaxGains][kAdmOrientations]; ///< additive part, masked by the restored one
};

/// The Sums of a pair. The bytes are equal on every backend; unused members (second gain,
/// skipped parts) are 0.
struct AdmSums {
    AdmScaleSums scale[kAdmScales];
};

/// One scale of one picture size. All shifts are rounding shifts.
struct AdmScale {
    int width, height; ///< of the bands at this scale
    bool is_narrow;    ///< adm_is_narrow()
    /// The region that counts: columns [left, width - left), rows [top, height - top).
    int left, top;
    uint32_t multiplier[kAdmOrientations]; ///< contrast sensitivity, fixed point
    int num_cube_shift[kAdmOrientations];  ///< of the cube of one sample
    int num_row_shift;                     ///< of a complete row sum
    int den_cube_shift;
    int den_row_shift;
};

/// What one object computes; plain data, shared by all backends.
struct AdmConfig {
    Format format;
    AdmScale scale[kAdmScales];
    int gains;                       ///< 1 or 2
    double gain_limit[kAdmMaxGains]; ///< adm_enhn_gain_limit
    bool skip_scale0;                ///< scale 0 only feeds scale 1
    bool skip_aim;                   ///< no aim sums
};

/// Fills in sizes, regions and shifts. The caller sets gains and skip flags.
AdmConfig adm_config(const Format &format, const AdmCsf &csf);

/// Reference code: plain loops over whole planes (adm_ref.cpp).
void adm_reference(const AdmConfig &config, const PairView &pair, AdmSums *sums);

/// Fast CPU code with the same Sums (adm_cpu.cpp), and the bytes of scratch that it needs.
size_t adm_cpu_scratch(const AdmConfig &config);
void adm_compute(const AdmConfig &config, const PairView &pair, AdmSums *sums, void *scratch,
                 ThreadPool &pool);

/// How one variant turns sums into scores.
struct AdmVariant {
    int gain; ///< index into AdmConfig::gain_limit
    double dlm_weight, min_value;
    /// Per scale, equal for all pairs: the noise term added to cube roots, and the weights of the
    /// denominator's bands.
    float noise[kAdmScales];
    double weight[kAdmScales][kAdmOrientations];
    bool exceeds; ///< AdmCsf::exceeds
};

/// The values of one scale, as in libvmaf's debug output.
struct AdmScaleScore {
    float num, den, aim;
};

/// Outputs of a variant, in the order of FeatureInfo::outputs.
enum AdmOutput {
    kAdmAdm2,
    kAdmAim,
    kAdmAdm3,
    kAdmScale0, ///< first of four, up to scale 3
    kAdmScore = kAdmScale0 + kAdmScales,
    kAdmNum,
    kAdmDen,
    kAdmNumScale0, ///< num and den of each scale, interleaved
    kAdmOutputs = kAdmNumScale0 + 2 * kAdmScales
};

class AdmFeature final : public Feature, public FeatureDevice {
public:
    AdmFeature(const AdmConfig &config, std::vector<AdmVariant> variants);

    MemoryPlan plan() const override;
    FeatureTraits traits() const override;
    const FeatureDevice *device() const override { return this; }
    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override;
    void reference(const PairView &pair, void *sums) const override;
    void record(Queue &queue, const BatchView &batch) const override;
    void scores(const SumsWindow &window, double *const *out) const override;

    const AdmConfig &config() const { return config_; }

private:
    AdmConfig config_;
    std::vector<AdmVariant> variants_;
};

extern const FeatureInfo kAdmFeature;

} // namespace vmafgpu
