// SPDX-License-Identifier: BSD-2-Clause-Patent
// The plain code's planes between its stages; see planes.h.
#include <utility>

#include "features/adm/adm_ref.h"
#include "features/cambi/cambi.h"
#include "features/cambi/cambi_args.h"
#include "features/vif/vif_ref.h"
#include "planes.h"

namespace vmafgpu {
namespace {

std::vector<int32_t> vif_means(const Format &format, const PairView &pair,
                               const WrittenPlane &plane)
{
    vif::Planes planes = vif::reference_load(format, pair);
    for (int scale = 0; scale < plane.scale; ++scale)
        planes = vif::reference_halve(planes, scale, format.depth);
    const std::vector<uint16_t> &samples = plane.is_distorted ? planes.distorted : planes.reference;
    return {samples.begin(), samples.end()};
}

std::vector<int32_t> adm_approximation(const Format &format, const PairView &pair,
                                       const WrittenPlane &plane)
{
    adm::RefPlane reference = adm::ref_load(pair.reference[0], format);
    adm::RefPlane distorted = adm::ref_load(pair.distorted[0], format);
    for (int scale = 0; scale < plane.scale; ++scale) {
        adm::RefBandPair bands = adm::ref_wavelet(reference, distorted, scale, format.depth);
        reference = std::move(bands.ref.approximation);
        distorted = std::move(bands.dis.approximation);
    }
    return plane.is_distorted ? distorted.samples : reference.samples;
}

std::vector<int32_t> cambi_levels(const Format &format, const PairView &pair,
                                  const WrittenPlane &plane)
{
    cambi::Config config;
    config.target[0].width = plane.cambi.width;
    config.target[0].height = plane.cambi.height;
    config.target[0].mask_threshold = plane.cambi.mask_threshold;
    config.is_filtered = plane.cambi.is_filtered;
    config.is_halved = plane.cambi.is_halved;
    const Plane &picture = plane.is_distorted ? pair.distorted[0] : pair.reference[0];
    const cambi::RefScale scale =
        cambi::ref_scales(picture, format, config, 0)[static_cast<size_t>(plane.scale)];
    const cambi::RefLevels &levels =
        plane.stage == WrittenStage::kCambiPrepared ? scale.unfiltered : scale.levels;
    std::vector<int32_t> samples;
    for (size_t i = 0; i < levels.samples.size(); ++i)
        samples.push_back(levels.samples[i] |
                          (scale.mask.samples[i] != 0 ? 0 : static_cast<int>(cambi::kUnmarkedBit)));
    return samples;
}

} // namespace

std::vector<int32_t> expected_plane(const Format &format, const PairView &pair,
                                    const WrittenPlane &plane)
{
    switch (plane.stage) {
    case WrittenStage::kVifMeans:
        return vif_means(format, pair, plane);
    case WrittenStage::kAdmApproximation:
        return adm_approximation(format, pair, plane);
    case WrittenStage::kCambiPrepared:
    case WrittenStage::kCambiLevels:
        break;
    }
    return cambi_levels(format, pair, plane);
}

} // namespace vmafgpu
