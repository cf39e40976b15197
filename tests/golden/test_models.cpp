// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scores of whole models through the public API on the CPU, equal to libvmaf's: older models, a
// collection, clips at most 32 samples wide (adm::takes_no_mirror()), and all of vmaf_v1.0.16*.
#include <gtest/gtest.h>

#include "clips.h"
#include "whole_clips.h"

namespace vmafgpu {

using nlohmann::json;

ClipScores expect_models(const json &one, const std::string &device,
                         const std::vector<std::string> &before)
{
    SCOPED_TRACE(one["clip"].get<std::string>() + " on " + device);
    const GoldenClip clip = golden_clip(one["clip"]);
    std::vector<YuvPair> pairs;
    for (size_t frame = 0; frame < one["scores"].begin()->size(); ++frame)
        pairs.push_back(clip.pair(static_cast<int>(frame)));
    std::vector<std::string> models = before;
    for (const json &name : one["models"])
        models.push_back(name);
    ClipScores run = score_clip(clip_settings(clip.format, models, device), pairs);
    for (const auto &[name, wanted] : one["scores"].items())
        expect_series(name, wanted, run.columns[name]);
    if (one.contains("means")) {
        for (const auto &[name, wanted] : one["means"].items())
            expect_series("mean of " + name, json::array({wanted}), {run.means[name]});
    }
    return run;
}

TEST(GoldenModels, Scores)
{
    for (const json &one : golden_file("models")["cases"])
        expect_models(one, "cpu", {});
}

} // namespace vmafgpu
