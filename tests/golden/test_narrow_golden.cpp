// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of whole models on clips at most 32 samples wide, equal to libvmaf's. There its wavelet
// takes no mirror image at the left edge (adm_is_narrow()). The features alone are in
// test_adm_golden.cpp; other backends are compared with the CPU in test_devices.cpp.
#include <gtest/gtest.h>

#include "adm_generators.h"
#include "adm_golden.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {
namespace {

constexpr const char *kModels[3] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};

VmafGpuContext *open_models(const AdmClip &clip)
{
    VmafGpuError error = {};
    VmafGpuModel *models[3] = {};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(vmafgpu_model_load(&models[i], kModels[i], &error), 0) << error.text;
        EXPECT_EQ(vmafgpu_model_option(models[i], "name", kModels[i], &error), 0) << error.text;
    }
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = clip.width;
    settings.height = clip.height;
    settings.depth = clip.depth;
    settings.device = "cpu";
    settings.models = models;
    settings.model_count = 3;
    VmafGpuContext *ctx = nullptr;
    EXPECT_EQ(vmafgpu_open(&ctx, &settings, &error), 0) << error.text;
    for (VmafGpuModel *&model : models)
        vmafgpu_model_free(&model);
    return ctx;
}

VmafGpuPicture picture_of(const TestPlane &plane, const AdmClip &clip)
{
    VmafGpuPicture picture = {};
    picture.width = clip.width;
    picture.height = clip.height;
    picture.depth = clip.depth;
    picture.plane[0].data = plane.plane().data;
    picture.plane[0].pitch = plane.plane().pitch;
    return picture;
}

/// The models' scores of frame 1 of two.
std::vector<double> second_scores(const AdmClip &clip)
{
    VmafGpuContext *ctx = open_models(clip);
    std::vector<double> scores;
    if (ctx == nullptr)
        return scores;
    const TestPair pairs[2] = {adm_pair(clip, 0), adm_pair(clip, 1)};
    for (const TestPair &pair : pairs) {
        const VmafGpuPicture reference = picture_of(pair.reference, clip);
        const VmafGpuPicture distorted = picture_of(pair.distorted, clip);
        EXPECT_EQ(vmafgpu_submit(ctx, &reference, &distorted, 0), 0);
    }
    EXPECT_EQ(vmafgpu_flush(ctx), 0);
    VmafGpuResult result = {};
    while (vmafgpu_collect(ctx, &result, 1) == 0)
        if (result.index == 1)
            for (int i = 0; i < 3; ++i)
                scores.push_back(result.scores[vmafgpu_model_score(ctx, i)]);
    vmafgpu_close(&ctx);
    return scores;
}

TEST(NarrowGolden, Models)
{
    for (const AdmGoldenModels &expected : kAdmGoldenModels) {
        const std::vector<double> scores = second_scores(adm_clip_named(expected.clip));
        ASSERT_EQ(scores.size(), 3U) << expected.clip;
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(scores[i], expected.scores[i]) << expected.clip << " " << kModels[i];
    }
}

} // namespace
} // namespace vmafgpu
