// SPDX-License-Identifier: BSD-2-Clause-Patent
// See registry.h. A new feature adds one include and one entry here.
#include "features/registry.h"

#include "features/adm/adm.h"
#include "features/cambi/cambi.h"
#include "features/ciede/ciede.h"
#include "features/ffmpeg_ssim/ffmpeg_ssim.h"
#include "features/float_adm/float_adm.h"
#include "features/float_ansnr/float_ansnr.h"
#include "features/float_motion/float_motion.h"
#include "features/float_sums/float_sums.h"
#include "features/float_vif/float_vif.h"
#include "features/motion/motion.h"
#include "features/psnr/psnr.h"
#include "features/psnr_hvs/psnr_hvs.h"
#include "features/speed_chroma/speed_chroma.h"
#include "features/ssim/ssim.h"
#include "features/ssimulacra2/ssimulacra2.h"
#include "features/vif/vif.h"
#include "features/xpsnr/xpsnr.h"

namespace vmafgpu {

const std::vector<const FeatureInfo *> &feature_registry()
{
    static const std::vector<const FeatureInfo *> registry = {
        &adm::kFeature,          &cambi::kFeature,
        &ciede::kFeature,        &psnr::kFfmpegFeature,
        &ffmpeg_ssim::kFeature,  &float_adm::kFeature,
        &float_ansnr::kFeature,  &float_sums::kMomentFeature,
        &float_motion::kFeature, &float_sums::kPsnrFeature,
        &float_vif::kFeature,    &motion::kFeature,
        &ssim::kMsFeature,       &psnr::kFeature,
        &psnr_hvs::kFeature,     &speed_chroma::kFeature,
        &ssim::kFeature,         &ssimulacra2::kFeature,
        &vif::kFeature,          &xpsnr::kFeature};
    return registry;
}

const FeatureInfo *find_feature(const std::string &name)
{
    for (const FeatureInfo *info : feature_registry())
        if (name == info->name)
            return info;
    return nullptr;
}

const FeatureInfo *find_feature_of_output(const std::string &full_name, Compat compat)
{
    for (const FeatureInfo *info : feature_registry())
        for (const OutputInfo &output : info->outputs(compat, info->defaults))
            if (full_name == output.name)
                return info;
    return nullptr;
}

} // namespace vmafgpu
