// SPDX-License-Identifier: BSD-2-Clause-Patent
// The published clips through the whole engine on every device of this build
// that can run here: all series of three models, debug outputs included, equal
// those of the CPU backend, which the other golden tests tie to libvmaf.
// VMAFGPU_TEST_DEVICES=cuda:0,... adds devices; one that does not open fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "adm_generators.h"
#include "generators.h"
#include "gpu/backends.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {
namespace {

struct Scores {
    std::vector<std::string> names;
    std::vector<double> values;
};

VmafGpuPicture picture_of(const TestPlane &plane, const Format &format)
{
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = format.depth;
    picture.plane[0].data = plane.plane().data;
    picture.plane[0].pitch = plane.plane().pitch;
    return picture;
}

/// Models and features that between them reach every kernel variant.
VmafGpuContext *open(const Format &format, const std::string &device)
{
    const char *const names[] = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};
    const VmafGpuFeature features[] = {{"vif", "debug=true"},
                                       {"adm", "debug=true"},
                                       {"adm", "adm_enhn_gain_limit=1.2"},
                                       {"motion", "motion_five_frame_window=true"}};
    VmafGpuModel *models[3] = {};
    VmafGpuError error = {};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(vmafgpu_model_load(&models[i], names[i], &error), 0) << error.text;
        EXPECT_EQ(vmafgpu_model_option(models[i], "name", names[i], &error), 0) << error.text;
    }
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = format.width;
    settings.height = format.height;
    settings.depth = format.depth;
    settings.device = device.c_str();
    settings.models = models;
    settings.model_count = 3;
    settings.features = features;
    settings.feature_count = 4;
    VmafGpuContext *ctx = nullptr;
    EXPECT_EQ(vmafgpu_open(&ctx, &settings, &error), 0) << device << ": " << error.text;
    for (VmafGpuModel *&model : models)
        vmafgpu_model_free(&model);
    return ctx;
}

void collect(VmafGpuContext *ctx, Scores &scores)
{
    VmafGpuResult result = {};
    while (vmafgpu_collect(ctx, &result, 1) == 0)
        scores.values.insert(scores.values.end(), result.scores,
                             result.scores + result.score_count);
}

Scores run(const Format &format, const std::vector<TestPair> &pairs, const std::string &device)
{
    Scores scores;
    VmafGpuContext *ctx = open(format, device);
    if (ctx == nullptr)
        return scores;
    for (int i = 0; i < vmafgpu_score_count(ctx); ++i)
        scores.names.emplace_back(vmafgpu_score_name(ctx, i));
    for (const TestPair &pair : pairs) {
        const VmafGpuPicture reference = picture_of(pair.reference, format);
        const VmafGpuPicture distorted = picture_of(pair.distorted, format);
        while (vmafgpu_submit(ctx, &reference, &distorted, 0) == -EAGAIN)
            collect(ctx, scores);
    }
    EXPECT_EQ(vmafgpu_flush(ctx), 0);
    collect(ctx, scores);
    vmafgpu_close(&ctx);
    return scores;
}

void expect_equal(const Scores &expected, const Scores &got, const std::string &what)
{
    ASSERT_EQ(expected.names, got.names) << what;
    ASSERT_EQ(expected.values.size(), got.values.size()) << what;
    ASSERT_FALSE(expected.values.empty()) << what;
    for (size_t i = 0; i < got.values.size(); ++i)
        ASSERT_EQ(std::memcmp(&expected.values[i], &got.values[i], sizeof(double)), 0)
            << what << ", frame " << i / got.names.size() << ", " << got.names[i % got.names.size()]
            << ": cpu " << expected.values[i] << ", got " << got.values[i];
}

void compare(const Format &format, const std::vector<TestPair> &pairs, const std::string &device,
             const std::string &clip)
{
    expect_equal(run(format, pairs, "cpu"), run(format, pairs, device), device + ", " + clip);
}

std::vector<std::string> devices()
{
    std::vector<std::string> list;
    for (const Backend &backend : backends())
        if (std::strncmp(backend.name, "emu", 3) == 0)
            list.emplace_back(backend.name);
    const char *more = std::getenv("VMAFGPU_TEST_DEVICES");
    std::istringstream names(more == nullptr ? "" : more);
    for (std::string name; std::getline(names, name, ',');)
        list.push_back(name);
    if (list.empty())
        list.emplace_back("none");
    return list;
}

class GoldenClips : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override
    {
        if (GetParam() == "none")
            GTEST_SKIP() << "no emulator in this build (-Demu=true) and no VMAFGPU_TEST_DEVICES: "
                            "device kernels were not run on the published clips";
    }
};

TEST_P(GoldenClips, VifAndMotion)
{
    for (const Clip &clip : kClips)
        if (clip.width >= VMAFGPU_MIN_SIZE)
            compare(format_of(clip), make_pairs(clip), GetParam(), clip.name);
}

TEST_P(GoldenClips, Adm)
{
    for (const AdmClip &clip : kAdmClips)
        compare(adm_format(clip.width, clip.height, clip.depth),
                {adm_pair(clip, 0), adm_pair(clip, 1), adm_pair(clip, 2)}, GetParam(), clip.name);
}

INSTANTIATE_TEST_SUITE_P(Devices, GoldenClips, testing::ValuesIn(devices()),
                         [](const testing::TestParamInfo<std::string> &param) {
                             std::string name = param.param;
                             for (char &c : name)
                                 c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             return name;
                         });

} // namespace
} // namespace vmafgpu
