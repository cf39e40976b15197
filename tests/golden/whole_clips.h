// SPDX-License-Identifier: BSD-2-Clause-Patent
// Whole clips through the public API, for golden tests.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

#include "../unit/fixture.h"
#include "generators.h"
#include "golden_file.h"
#include "yuv_pair.h"

namespace vmafgpu {

/// Scores of each series, a value per frame, and their pooled means.
struct ClipScores {
    std::vector<std::string> names; ///< names of the series, in the order of the context
    std::map<std::string, std::vector<double>> columns;
    std::map<std::string, double> means;
};

inline TestSettings clip_settings(const Format &format, const std::vector<std::string> &models,
                                  const std::string &device = "cpu")
{
    TestSettings settings;
    settings.width = format.width;
    settings.height = format.height;
    settings.depth = format.depth;
    settings.chroma = static_cast<int>(format.chroma);
    settings.models = models;
    settings.device = device;
    return settings;
}

inline VmafGpuPicture picture_of(const TestPair &pair, bool is_distorted, const Format &format)
{
    const Plane luma = (is_distorted ? pair.distorted : pair.reference).plane();
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = format.depth;
    picture.plane[0].data = luma.data;
    picture.plane[0].pitch = luma.pitch;
    return picture;
}

inline VmafGpuPicture picture_of(const YuvPair &pair, bool is_distorted, const Format & /*format*/)
{
    return pair.picture(is_distorted);
}

/// `pairs` are TestPairs or YuvPairs. They outlive the context, which reads them in place.
template <typename Pair>
ClipScores score_clip(const TestSettings &settings, const std::vector<Pair> &pairs)
{
    const Format format = {settings.width, settings.height, settings.depth};
    ClipScores scores;
    const TestContext context(settings);
    EXPECT_EQ(0, context.status) << settings.device << ": " << context.error.text;
    if (context.status != 0)
        return scores;
    for (int i = 0; i < vmafgpu_score_count(context.get()); ++i)
        scores.names.emplace_back(vmafgpu_score_name(context.get(), i));
    const auto collect = [&] {
        VmafGpuResult result = {};
        while (vmafgpu_collect(context.get(), &result, 1) == 0)
            for (size_t i = 0; i < scores.names.size(); ++i)
                scores.columns[scores.names[i]].push_back(result.scores[i]);
    };
    for (const Pair &pair : pairs) {
        const VmafGpuPicture reference = picture_of(pair, false, format);
        const VmafGpuPicture distorted = picture_of(pair, true, format);
        while (vmafgpu_submit(context.get(), &reference, &distorted, 0) == -EAGAIN)
            collect();
    }
    EXPECT_EQ(vmafgpu_flush(context.get()), 0);
    collect();
    for (size_t i = 0; i < scores.names.size(); ++i)
        EXPECT_EQ(vmafgpu_pooled(context.get(), static_cast<int>(i), VMAFGPU_POOL_MEAN,
                                 &scores.means[scores.names[i]]),
                  0);
    return scores;
}

/// Runs a case of models.json on a device, with the models `before` in front of its own. Every
/// series and mean must be equal in every bit.
ClipScores expect_models(const nlohmann::json &one, const std::string &device,
                         const std::vector<std::string> &before);

} // namespace vmafgpu
