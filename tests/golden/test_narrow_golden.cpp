// SPDX-License-Identifier: BSD-2-Clause-Patent
// Scores of whole models on clips at most 32 samples wide, equal to libvmaf's. There its wavelet
// takes no mirror image at the left edge (adm::takes_no_mirror()). The features alone are in
// test_adm_golden.cpp; other backends are compared with the CPU in test_devices.cpp.
#include <gtest/gtest.h>

#include <vector>

#include "adm_generators.h"
#include "adm_golden.h"
#include "whole_clips.h"

namespace vmafgpu {
namespace {

const std::vector<std::string> kModels = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};

TEST(NarrowGolden, Models)
{
    for (const AdmGoldenModels &expected : kAdmGoldenModels) {
        const AdmClip &clip = adm_clip_named(expected.clip);
        const Format format = adm_format(clip.width, clip.height, clip.depth);
        const ClipScores scores = score_clip(clip_settings(format, kModels),
                                             std::vector{adm_pair(clip, 0), adm_pair(clip, 1)});
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(scores.columns.at(kModels[i]).at(1), expected.scores[i])
                << expected.clip << " " << kModels[i];
    }
}

} // namespace
} // namespace vmafgpu
