// SPDX-License-Identifier: BSD-2-Clause-Patent
// Look-up by name. The list itself is made by src/engine/meson.build.
#include "features/registry.h"

namespace vmafgpu {

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
