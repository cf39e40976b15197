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
#include "gpu/backends.h"
#include "whole_clips.h"

namespace vmafgpu::devices_test {
namespace {

/// Models and features that between them reach every kernel variant.
ClipScores run(const Format &format, const std::vector<TestPair> &pairs, const std::string &device)
{
    TestSettings settings =
        clip_settings(format, {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"}, device);
    settings.features = {{"vif", "debug=true"},
                         {"adm", "debug=true"},
                         {"adm", "adm_enhn_gain_limit=1.2"},
                         {"motion", "motion_five_frame_window=true"}};
    return score_clip(settings, pairs);
}

void compare(const Format &format, const std::vector<TestPair> &pairs, const std::string &device,
             const std::string &clip)
{
    SCOPED_TRACE(device + ", " + clip);
    const ClipScores expected = run(format, pairs, "cpu"), got = run(format, pairs, device);
    ASSERT_EQ(expected.names, got.names);
    ASSERT_FALSE(expected.names.empty());
    for (const std::string &name : expected.names) {
        const std::vector<double> &values = got.columns.at(name);
        ASSERT_EQ(values.size(), pairs.size());
        for (size_t i = 0; i < values.size(); ++i) {
            const double wanted = expected.columns.at(name).at(i);
            ASSERT_EQ(std::memcmp(&wanted, &values[i], sizeof(double)), 0)
                << "frame " << i << ", " << name << ": cpu " << wanted << ", got " << values[i];
        }
    }
}

std::vector<std::string> devices()
{
    const std::vector<std::string> list = test_devices();
    return list.empty() ? std::vector<std::string>{"none"} : list;
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

INSTANTIATE_TEST_SUITE_P(Devices, GoldenClips, testing::ValuesIn(devices()), device_name);

} // namespace
} // namespace vmafgpu::devices_test
