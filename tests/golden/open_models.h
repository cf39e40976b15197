// SPDX-License-Identifier: BSD-2-Clause-Patent
// A context of the public API with built-in models, for golden tests of whole clips. It has luma
// only; what needs chroma opens its own.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// Opens the CPU backend with these models, each under its own name. Null after a failure, which
/// the test then has. The caller closes it.
inline VmafGpuContext *open_models(const std::vector<const char *> &names, int width, int height,
                                   int depth)
{
    VmafGpuError error = {};
    std::vector<VmafGpuModel *> models(names.size());
    for (size_t i = 0; i < names.size(); ++i) {
        EXPECT_EQ(vmafgpu_model_load(&models[i], names[i], &error), 0) << error.text;
        EXPECT_EQ(vmafgpu_model_option(models[i], "name", names[i], &error), 0) << error.text;
    }
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = width;
    settings.height = height;
    settings.depth = depth;
    settings.device = "cpu";
    settings.models = models.data();
    settings.model_count = static_cast<int>(models.size());
    VmafGpuContext *ctx = nullptr;
    EXPECT_EQ(vmafgpu_open(&ctx, &settings, &error), 0) << error.text;
    for (VmafGpuModel *&model : models)
        vmafgpu_model_free(&model);
    return ctx;
}

} // namespace vmafgpu
