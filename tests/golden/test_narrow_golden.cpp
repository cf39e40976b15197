// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of whole models on clips at most 32 samples wide, equal to libvmaf's. There its wavelet
// takes no mirror image at the left edge (adm_is_narrow()). The features alone are in
// test_adm_golden.cpp; other backends are compared with the CPU in test_devices.cpp.
#include <gtest/gtest.h>

#include <vector>

#include "adm_generators.h"
#include "adm_golden.h"
#include "open_models.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {
namespace {

const std::vector<const char *> kModels = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};

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
    VmafGpuContext *ctx = open_models(kModels, clip.width, clip.height, clip.depth);
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
