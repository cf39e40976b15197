// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafgpu_open(): every bad setting is refused with a text, a named backend is
// taken or refused, a context keeps what it was opened with, and its log.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "fixture.h"

namespace vmafgpu::api_open_test {
namespace {

/// Settings that open on the CPU with one feature.
VmafGpuSettings good_settings()
{
    static const VmafGpuFeature feature = {"motion", nullptr};
    VmafGpuSettings settings;
    vmafgpu_settings_default(&settings);
    settings.width = 64;
    settings.height = 48;
    settings.device = "cpu";
    settings.features = &feature;
    settings.feature_count = 1;
    return settings;
}

struct BadSetting {
    int code;
    const char *expected; ///< part of the text
    std::function<void(VmafGpuSettings &)> spoil;
};

const VmafGpuFeature kNoName = {nullptr, nullptr};
const VmafGpuFeature kUnknown = {"telepathy", nullptr};
const VmafGpuFeature kBadOption = {"motion", "motion_force_zero=perhaps"};
const VmafGpuFeature kNoValue = {"motion", "motion_force_zero"};
VmafGpuModel *const kNullModel = nullptr;

#define SET(what)                                                                                  \
    [](auto &s) {                                                                                  \
        what;                                                                                      \
    }
const BadSetting kBadSettings[] = {
    {EINVAL, "vmafgpu_settings_default", SET(s.struct_size = 0)},
    {EINVAL, "vmafgpu_settings_default", SET(s.struct_size += 8)},
    {EINVAL, "minimum 17x17", SET(s.width = 0)},
    {EINVAL, "16x48", SET(s.width = 16)},
    {EINVAL, "smaller", SET(s.height = -1)},
    {EINVAL, "smaller", SET(s.height = INT_MIN)},
    {EINVAL, "65535", SET(s.width = INT_MAX)},
    {EINVAL, "8 to 16", SET(s.depth = 7)},
    {EINVAL, "8 to 16", SET(s.depth = 17)},
    {EINVAL, "chroma", SET(s.chroma = 4)},
    {EINVAL, "chroma", SET(s.chroma = -1)},
    {EINVAL, "ring_depth is 0", SET(s.ring_depth = 0)},
    {EINVAL, "1 to 64", SET(s.ring_depth = 65)},
    {EINVAL, "threads", SET(s.threads = -1)},
    {EINVAL, "threads", SET(s.threads = INT_MAX)},
    {EINVAL, "subsample", SET(s.subsample = 0)},
    {EINVAL, "compat", SET(s.compat = 2)},
    {EINVAL, "model_count", SET(s.model_count = -1)},
    {EINVAL, "model_count", SET(s.model_count = 1)},
    {EINVAL, "models[0]", SET(s.models = &kNullModel; s.model_count = 1)},
    {EINVAL, "feature_count", SET(s.feature_count = -1)},
    {EINVAL, "feature_count", SET(s.features = nullptr)},
    {EINVAL, "features[0]", SET(s.features = &kNoName)},
    {EINVAL, "telepathy", SET(s.features = &kUnknown)},
    {EINVAL, "true or false", SET(s.features = &kBadOption)},
    {EINVAL, "option=value", SET(s.features = &kNoValue)},
    {EINVAL, "nothing to compute", SET(s.feature_count = 0)},
    {EINVAL, "unknown device", SET(s.device = "abacus")},
    {EINVAL, "unknown device", SET(s.device = ":")},
    {EINVAL, "cpu", SET(s.device = "cpu:1")},
};
#undef SET

TEST(api, open_misuse)
{
    VmafGpuError error;
    auto *ctx = reinterpret_cast<VmafGpuContext *>(0x10);
    VmafGpuSettings good = good_settings();
    EXPECT_EQ(-EINVAL, vmafgpu_open(nullptr, &good, &error));
    expect_one_line(error, -EINVAL);
    EXPECT_EQ(-EINVAL, vmafgpu_open(&ctx, nullptr, &error));
    expect_one_line(error, -EINVAL);
    EXPECT_EQ(nullptr, ctx);
    int number = 0;
    for (const BadSetting &bad : kBadSettings) {
        VmafGpuSettings settings = good_settings();
        bad.spoil(settings);
        ctx = reinterpret_cast<VmafGpuContext *>(0x10);
        EXPECT_EQ(-bad.code, vmafgpu_open(&ctx, &settings, &error)) << "bad setting " << number;
        EXPECT_EQ(nullptr, ctx);
        expect_one_line(error, -bad.code);
        EXPECT_NE(nullptr, std::strstr(error.text, bad.expected)) << error.text;
        EXPECT_EQ(-bad.code, vmafgpu_open(&ctx, &settings, nullptr));
        ++number;
    }
    ASSERT_EQ(0, vmafgpu_open(&ctx, &good, &error)) << error.text;
    vmafgpu_close(&ctx);
    EXPECT_EQ(nullptr, ctx);
    vmafgpu_close(&ctx);
    vmafgpu_close(nullptr);
}

// reg46: what was asked for runs, or nothing does.
TEST(api, reg46_a_named_backend_never_becomes_another)
{
    for (const char *backend : {"cuda", "hip", "opencl", "emu32", "emu64"}) {
        SCOPED_TRACE(backend);
        VmafGpuSettings settings = good_settings();
        settings.device = backend;
        VmafGpuError error;
        VmafGpuContext *ctx = nullptr;
        const int status = vmafgpu_open(&ctx, &settings, &error);
        if (status < 0) {
            EXPECT_TRUE(status == -ENODEV || status == -ENOSYS) << status << ": " << error.text;
            expect_one_line(error, status);
            EXPECT_EQ(nullptr, ctx);
            continue;
        }
        VmafGpuDevice device;
        ASSERT_EQ(0, vmafgpu_device_info(ctx, &device));
        EXPECT_EQ(0, std::strncmp(device.selector, backend, std::strlen(backend)))
            << device.selector;
        vmafgpu_close(&ctx);
    }
}

// Every name is one that vmafgpu_open() knows, and "emu" takes its wave size as a number.
TEST(api, backend_names_can_be_opened)
{
    for (const char *backend : {"auto", "cpu", "cuda", "hip", "opencl", "emu"}) {
        const std::string name = backend;
        SCOPED_TRACE(name);
        TestSettings settings;
        settings.device = name;
        TestContext context(settings);
        const int status = context.status;
        if (status < 0) {
            EXPECT_TRUE(status == -ENODEV || status == -ENOSYS) << context.error.text;
            continue;
        }
        VmafGpuDevice device;
        ASSERT_EQ(0, vmafgpu_device_info(context.get(), &device));
        EXPECT_TRUE(name == "auto" || name == device.backend) << device.backend;
    }
    for (const int wave : {32, 64}) {
        const std::string name = "emu:" + std::to_string(wave);
        TestSettings settings;
        settings.device = name;
        TestContext context(settings);
        if (context.status == -ENOSYS)
            continue;
        VmafGpuDevice device;
        ASSERT_EQ(0, vmafgpu_device_info(context.get(), &device));
        EXPECT_EQ("emu" + std::to_string(wave), std::string(device.selector));
        EXPECT_EQ(wave, device.wave_size);
    }
    TestSettings settings;
    settings.device = "emu:7";
    TestContext context(settings);
    EXPECT_EQ(-EINVAL, context.status);
    EXPECT_NE(nullptr, std::strstr(context.error.text, "unknown device 'emu7'"))
        << context.error.text;
}

TEST(api, a_device_tells_the_memory_of_its_features)
{
    const std::string begin = "features take ", end = " bytes of device memory for each of ";
    for (const char *device : {"emu32", "emu64"}) {
        TestSettings settings;
        settings.device = device;
        settings.ring = 6; // half of it is a batch
        TestContext context(settings);
        if (context.status == -ENOSYS)
            continue;
        std::vector<LogLine> lines = context.log;
        lines.erase(
            std::remove_if(lines.begin(), lines.end(),
                           [&](const LogLine &line) { return line.text.rfind(begin, 0) != 0; }),
            lines.end());
        ASSERT_EQ(1U, lines.size());
        EXPECT_EQ(VMAFGPU_LOG_VERBOSE, lines[0].level);
        const long long bytes = std::atoll(lines[0].text.c_str() + begin.size());
        EXPECT_GT(bytes, settings.width * settings.height); // at least the memory of a plane
        EXPECT_EQ(begin + std::to_string(bytes) + end + "3 pairs of a batch", lines[0].text);
    }
}

TEST(api, auto_takes_the_device_of_a_number_or_address)
{
    VmafGpuDevice devices[16];
    const int count = vmafgpu_devices(devices, 16);
    ASSERT_GT(count, 0);
    for (int i = 0; i < count && i < 16; ++i) {
        TestSettings settings;
        settings.device = std::string("auto:") + devices[i].selector;
        TestContext context(settings);
        VmafGpuDevice device;
        ASSERT_EQ(0, context.status) << context.error.text;
        ASSERT_EQ(0, vmafgpu_device_info(context.get(), &device));
        EXPECT_STREQ(devices[i].selector, device.selector);
    }
    TestSettings settings;
    settings.device = "auto:nowhere";
    TestContext context(settings);
    EXPECT_EQ(-ENODEV, context.status);
    EXPECT_NE(nullptr, std::strstr(context.error.text, "no device 'nowhere' (present: "))
        << context.error.text;
}

TEST(api, auto_says_what_it_took)
{
    TestSettings settings;
    settings.device = "auto";
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    VmafGpuDevice device;
    ASSERT_EQ(0, vmafgpu_device_info(context.get(), &device));
    bool is_told = false, has_reason = false;
    for (const LogLine &line : context.log) {
        EXPECT_FALSE(line.was_elsewhere);
        EXPECT_EQ(std::string::npos, line.text.find('\n'));
        is_told = is_told || line.text.find(device.backend) != std::string::npos;
        has_reason = has_reason || (line.level == VMAFGPU_LOG_VERBOSE &&
                                    line.text.rfind("auto passes over ", 0) == 0);
    }
    EXPECT_TRUE(is_told);
    EXPECT_TRUE(has_reason || std::strcmp(device.backend, "cpu") != 0);
}

TEST(api, log_level_is_a_limit)
{
    for (const int level : {VMAFGPU_LOG_ERROR, VMAFGPU_LOG_WARNING, VMAFGPU_LOG_INFO}) {
        VmafGpuSettings settings = good_settings();
        int most = -1;
        settings.log_level = level;
        settings.log_opaque = &most;
        settings.log = [](void *opaque, int line_level, const char *) {
            auto *seen = static_cast<int *>(opaque);
            *seen = line_level > *seen ? line_level : *seen;
        };
        VmafGpuContext *ctx = nullptr;
        ASSERT_EQ(0, vmafgpu_open(&ctx, &settings, nullptr));
        EXPECT_LE(most, level);
        EXPECT_EQ(level == VMAFGPU_LOG_INFO, most == VMAFGPU_LOG_INFO);
        EXPECT_EQ(-EINVAL, vmafgpu_submit(ctx, nullptr, nullptr, 0));
        EXPECT_GE(most, VMAFGPU_LOG_ERROR);
        vmafgpu_close(&ctx);
    }
}

std::vector<std::string> warnings_at(int width, int height)
{
    TestSettings settings;
    settings.width = width;
    settings.height = height;
    settings.models = {"vmaf_v0.6.1"};
    // Two Feature objects, since their multipliers differ.
    settings.features = {{"adm", "adm_norm_view_dist=5"}, {"adm", "adm_norm_view_dist=4"}};
    const TestContext context(settings);
    EXPECT_EQ(context.status, 0) << context.error.text;
    std::vector<std::string> texts;
    for (const LogLine &line : context.log)
        if (line.level == VMAFGPU_LOG_WARNING)
            texts.push_back(line.text);
    return texts;
}

TEST(api, small_heights_are_warned_about_once)
{
    EXPECT_TRUE(warnings_at(64, 33).empty());
    EXPECT_TRUE(warnings_at(17, 33).empty()) << "libvmaf defines small widths";
    for (const int height : {17, 32}) {
        const auto texts = warnings_at(64, height);
        ASSERT_EQ(texts.size(), 1U) << height;
        EXPECT_NE(texts[0].find(std::to_string(height) + " samples high"), std::string::npos)
            << texts[0];
    }
}

TEST(api, results_that_only_one_processor_defines_are_warned_about)
{
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"adm", "adm_csf_mode=1"}};
    const TestContext context(settings);
    ASSERT_EQ(context.status, 0) << context.error.text;
    int warnings = 0;
    for (const LogLine &line : context.log)
        warnings += line.level == VMAFGPU_LOG_WARNING ? 1 : 0;
    EXPECT_EQ(warnings, 1);
}

TEST(api, a_context_keeps_its_models)
{
    VmafGpuSettings settings = good_settings();
    VmafGpuModel *model = nullptr;
    ASSERT_EQ(0, vmafgpu_model_load(&model, "vmaf_v0.6.1", nullptr));
    std::string name = "first";
    ASSERT_EQ(0, vmafgpu_model_option(model, "name", name.c_str(), nullptr));
    settings.models = &model;
    settings.model_count = 1;
    VmafGpuContext *ctx = nullptr;
    VmafGpuError error;
    ASSERT_EQ(0, vmafgpu_open(&ctx, &settings, &error)) << error.text;
    ASSERT_EQ(0, vmafgpu_model_option(model, "name", "second", nullptr));
    vmafgpu_model_free(&model);
    EXPECT_STREQ("first", vmafgpu_score_name(ctx, vmafgpu_model_score(ctx, 0)));
    EXPECT_EQ(vmafgpu_score_count(ctx) - 1, vmafgpu_model_score(ctx, 0));
    vmafgpu_close(&ctx);
}

TEST(api, two_models_of_one_name_are_refused)
{
    VmafGpuSettings settings = good_settings();
    VmafGpuModel *models[2] = {};
    ASSERT_EQ(0, vmafgpu_model_load(&models[0], "vmaf_v0.6.1", nullptr));
    ASSERT_EQ(0, vmafgpu_model_load(&models[1], "vmaf_v0.6.1neg", nullptr));
    settings.models = models;
    settings.model_count = 2;
    VmafGpuContext *ctx = nullptr;
    VmafGpuError error;
    EXPECT_EQ(-EINVAL, vmafgpu_open(&ctx, &settings, &error));
    EXPECT_NE(nullptr, std::strstr(error.text, "vmaf")) << error.text;
    vmafgpu_model_free(&models[0]);
    vmafgpu_model_free(&models[1]);
}

} // namespace
} // namespace vmafgpu::api_open_test
