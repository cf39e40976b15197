// SPDX-License-Identifier: BSD-2-Clause-Patent
// The feature "psnr": squared differences of luma and chroma, equal to libvmaf's integer psnr.
// registry.cpp lists kPsnrFeature; the rest is for the files of this folder and for tests.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/feature_of.h"

namespace vmafgpu {

extern const FeatureInfo kPsnrFeature;

constexpr int kPsnrPlanes = 3;

/// The Sums of a pair: the squared differences of each plane. A plane that is not asked for has 0.
struct PsnrSums {
    uint64_t squares[kPsnrPlanes];
};

/// What one Feature object computes.
struct PsnrConfig {
    int planes = 1;                                        ///< 1: luma only; 3: chroma too
    int depth = 8;                                         ///< bits per sample
    int width[kPsnrPlanes] = {}, height[kPsnrPlanes] = {}; ///< in samples
};

/// Chroma sizes round down, as libvmaf's do: of an odd size the last column or row is left out.
PsnrConfig psnr_config(const Format &format, bool has_chroma);

/// psnr_ref.cpp: the plain oracle.
void psnr_reference(const PsnrConfig &config, const PairView &pair, PsnrSums &sums);

/// psnr_cpu.cpp: the same sums, fast. `scratch` has psnr_cpu_scratch() bytes.
size_t psnr_cpu_scratch(const PsnrConfig &config);
void psnr_compute(const PsnrConfig &config, const PairView &pair, PsnrSums &sums, void *scratch,
                  ThreadPool &pool);

/// psnr_record.cpp: the same sums on a device.
void psnr_record(const PsnrConfig &config, Queue &queue, const BatchView &batch);

/// What psnr and ffmpeg_psnr share: all but scores and aggregates.
class SquaresFeature : public FeatureOf<PsnrConfig, PsnrSums, psnr_cpu_scratch, psnr_compute,
                                        psnr_reference, FeatureDevice, FeatureAggregates> {
public:
    using FeatureOf::FeatureOf;

    FeatureTraits traits() const override { return {/*needs_chroma=*/config_.planes > 1}; }
    const FeatureDevice *device() const override { return this; }
    const FeatureAggregates *aggregates() const override { return this; }

    void record(Queue &queue, const BatchView &batch) const override
    {
        psnr_record(config_, queue, batch);
    }
};

} // namespace vmafgpu
