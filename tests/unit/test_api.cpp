// SPDX-License-Identifier: BSD-2-Clause-Patent
// Misuse of every function of the public header: a code and a one-line text,
// never a crash. vmafgpu_open(): test_api_open.cpp; pictures: test_api_pictures.cpp.
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <cmath>
#include <cstring>
#include <set>

#include "fixture.h"

namespace vmafgpu::api_test {
namespace {

TEST(api, versions)
{
    EXPECT_EQ(VMAFGPU_API_VERSION, vmafgpu_api_version());
    EXPECT_NE(nullptr, std::strchr(vmafgpu_version(), '.'));
}

TEST(api, strerror_of_everything)
{
    for (const int code : {0, EAGAIN, EINVAL, EIO, ENODATA, ENODEV, ENOENT, ENOMEM, ENOSPC, ENOSYS,
                           EPERM, 99999, INT_MAX}) {
        for (const int sign : {1, -1}) {
            const char *text = vmafgpu_strerror(sign * code);
            ASSERT_NE(nullptr, text);
            EXPECT_NE('\0', text[0]);
            EXPECT_EQ(nullptr, std::strchr(text, '\n'));
        }
    }
    EXPECT_NE(nullptr, vmafgpu_strerror(INT_MIN));
}

TEST(api, devices)
{
    const int count = vmafgpu_devices(nullptr, 0);
    ASSERT_GE(count, 1);
    EXPECT_EQ(-EINVAL, vmafgpu_devices(nullptr, 1));
    EXPECT_EQ(-EINVAL, vmafgpu_devices(nullptr, -1));
    VmafGpuDevice devices[65];
    EXPECT_EQ(-EINVAL, vmafgpu_devices(devices, -1));
    std::memset(devices, 0x11, sizeof(devices));
    EXPECT_EQ(count, vmafgpu_devices(devices, 1)); // no more than asked for is written
    EXPECT_EQ(0x11, devices[1].backend[0]);
    ASSERT_LT(count, 65);
    EXPECT_EQ(count, vmafgpu_devices(devices, 65));
    std::set<std::string> selectors;
    bool has_cpu = false;
    for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(selectors.insert(devices[i].selector).second) << devices[i].selector;
        EXPECT_NE('\0', devices[i].name[0]);
        EXPECT_GE(devices[i].wave_size, 1);
        has_cpu = has_cpu || std::strcmp(devices[i].backend, "cpu") == 0;
    }
    EXPECT_TRUE(has_cpu);
}

TEST(api, backends_of_devices)
{
    const std::set<std::string> names = {"cpu", "cuda", "hip", "opencl", "emu"};
    VmafGpuDevice devices[65];
    const int present = vmafgpu_devices(devices, 65);
    ASSERT_GE(present, 1);
    for (int i = 0; i < present && i < 65; ++i)
        EXPECT_EQ(1u, names.count(devices[i].backend)) << devices[i].backend;
}

TEST(api, model_load_misuse)
{
    VmafGpuError error;
    auto *const garbage = reinterpret_cast<VmafGpuModel *>(0x10);
    VmafGpuModel *model = garbage;
    EXPECT_EQ(-EINVAL, vmafgpu_model_load(nullptr, "vmaf_v0.6.1", &error));
    expect_one_line(error, -EINVAL);
    EXPECT_EQ(-EINVAL, vmafgpu_model_load(&model, nullptr, &error));
    expect_one_line(error, -EINVAL);
    EXPECT_EQ(nullptr, model);
    const char *const unknown[] = {"", "vmaf_v9", "no/such/file.json", "/", "line\nbreak"};
    for (const char *name : unknown) {
        SCOPED_TRACE(name);
        model = garbage;
        const int status = vmafgpu_model_load(&model, name, &error);
        EXPECT_LT(status, 0);
        expect_one_line(error, status);
        EXPECT_EQ(nullptr, model);
    }
    EXPECT_EQ(-ENOENT, vmafgpu_model_load(&model, "no/such/file.json", nullptr));
    const std::string long_name(2000, 'x');
    EXPECT_LT(vmafgpu_model_load(&model, long_name.c_str(), &error), 0);
    EXPECT_NE(nullptr, std::memchr(error.text, '\0', sizeof(error.text)));
    vmafgpu_model_free(nullptr);
    vmafgpu_model_free(&model);
    EXPECT_EQ(nullptr, model);
}

TEST(api, thumbnail_note_misuse)
{
    char text[64];
    const VmafGpuPicture picture = {};
    VmafGpuInputs inputs;
    vmafgpu_inputs_default(&inputs);
    const VmafGpuInput &tags = inputs.compared[0];
    EXPECT_EQ(-EINVAL, vmafgpu_thumbnail_note(nullptr, sizeof(text), &picture, &tags));
    EXPECT_EQ(-EINVAL, vmafgpu_thumbnail_note(text, 0, &picture, &tags));
    EXPECT_EQ(-EINVAL, vmafgpu_thumbnail_note(text, sizeof(text), nullptr, &tags));
    EXPECT_EQ(-EINVAL, vmafgpu_thumbnail_note(text, sizeof(text), &picture, nullptr));
}

TEST(api, builtin_models_load)
{
    EXPECT_EQ(nullptr, vmafgpu_model_builtin(-1));
    EXPECT_EQ(nullptr, vmafgpu_model_builtin(1000));
    int count = 0;
    for (; vmafgpu_model_builtin(count) != nullptr; ++count) {
        VmafGpuModel *model = nullptr;
        VmafGpuError error;
        EXPECT_EQ(0, vmafgpu_model_load(&model, vmafgpu_model_builtin(count), &error))
            << error.text;
        EXPECT_EQ(0, error.code);
        EXPECT_STREQ("", error.text);
        vmafgpu_model_free(&model);
        EXPECT_EQ(nullptr, model);
    }
    EXPECT_GE(count, 11);
}

TEST(api, model_option_misuse)
{
    VmafGpuError error;
    VmafGpuModel *model = nullptr;
    ASSERT_EQ(0, vmafgpu_model_load(&model, "vmaf_v0.6.1", &error)) << error.text;
    EXPECT_EQ(-EINVAL, vmafgpu_model_option(nullptr, "name", "x", &error));
    expect_one_line(error, -EINVAL);
    EXPECT_EQ(-EINVAL, vmafgpu_model_option(model, nullptr, "x", &error));
    EXPECT_EQ(-EINVAL, vmafgpu_model_option(model, "name", nullptr, &error));
    const struct {
        const char *key, *value;
    } bad[] = {{"nonsense", "1"},
               {"", ""},
               {"disable_clip", "maybe"},
               {"enable_transform", "2"},
               {"adm.no_such_option", "1"},
               {"adm.adm_enhn_gain_limit", "x"},
               {"adm.adm_enhn_gain_limit", "0.5"},
               {"nofeature.option", "1"},
               {".", "1"},
               {"adm.", "1"}};
    for (const auto &option : bad) {
        SCOPED_TRACE(std::string(option.key) + "=" + option.value);
        EXPECT_EQ(-EINVAL, vmafgpu_model_option(model, option.key, option.value, &error));
        expect_one_line(error, -EINVAL);
    }
    EXPECT_EQ(0, vmafgpu_model_option(model, "adm.adm_enhn_gain_limit", "1.2", &error))
        << error.text;
    EXPECT_EQ(0, vmafgpu_model_option(model, "disable_clip", "true", nullptr));
    vmafgpu_model_free(&model);
}

TEST(api, settings_default)
{
    vmafgpu_settings_default(nullptr);
    VmafGpuSettings settings;
    std::memset(&settings, 0xFF, sizeof(settings));
    vmafgpu_settings_default(&settings);
    EXPECT_EQ(sizeof(settings), settings.struct_size);
    EXPECT_EQ(4, settings.ring_depth);
    EXPECT_EQ(1, settings.subsample);
    EXPECT_EQ(1, settings.self_test);
    EXPECT_EQ(nullptr, settings.device);
    EXPECT_EQ(nullptr, settings.models);
    for (const uint64_t word : settings.reserved)
        EXPECT_EQ(0U, word);
}

TEST(api, null_context)
{
    VmafGpuResult result;
    VmafGpuDevice device;
    double value = 0;
    VmafGpuLog log = {};
    EXPECT_EQ(-EINVAL, vmafgpu_device_info(nullptr, &device));
    EXPECT_EQ(-EINVAL, vmafgpu_score_count(nullptr));
    EXPECT_EQ(nullptr, vmafgpu_score_name(nullptr, 0));
    EXPECT_EQ(-EINVAL, vmafgpu_model_score(nullptr, 0));
    EXPECT_STREQ("", vmafgpu_error_text(nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_flush(nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_collect(nullptr, &result, 1));
    EXPECT_EQ(-EINVAL, vmafgpu_reset(nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(nullptr, 0, VMAFGPU_POOL_MEAN, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(nullptr, &log));
}

TEST(api, context_queries_misuse)
{
    TestContext context(TestSettings{});
    ASSERT_EQ(0, context.status) << context.error.text;
    EXPECT_EQ(-EINVAL, vmafgpu_device_info(context.get(), nullptr));
    const int count = vmafgpu_score_count(context.get());
    EXPECT_GT(count, 6);
    EXPECT_EQ(nullptr, vmafgpu_score_name(context.get(), -1));
    EXPECT_EQ(nullptr, vmafgpu_score_name(context.get(), count));
    for (int i = 0; i < count; ++i)
        EXPECT_NE(nullptr, vmafgpu_score_name(context.get(), i));
    EXPECT_EQ(-EINVAL, vmafgpu_model_score(context.get(), -1));
    EXPECT_EQ(-EINVAL, vmafgpu_model_score(context.get(), 1));
    EXPECT_STREQ("", vmafgpu_error_text(context.get()));
    EXPECT_EQ(-EINVAL, vmafgpu_collect(context.get(), nullptr, 0));
    EXPECT_STRNE("", vmafgpu_error_text(context.get()));
}

TEST(api, collect_before_submit)
{
    TestContext context(TestSettings{});
    VmafGpuResult result;
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 0));
    EXPECT_EQ(0, vmafgpu_reset(context.get()));
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
}

TEST(api, pooled)
{
    EXPECT_EQ(-EINVAL, vmafgpu_pool_by_name(nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_pool_by_name(""));
    EXPECT_EQ(-EINVAL, vmafgpu_pool_by_name("median"));
    EXPECT_EQ(VMAFGPU_POOL_MEAN, vmafgpu_pool_by_name("mean"));
    EXPECT_EQ(VMAFGPU_POOL_HARMONIC_MEAN, vmafgpu_pool_by_name("harmonic_mean"));

    TestSettings settings;
    TestContext context(settings);
    TestRun run = make_run(settings, 3);
    double value = 0;
    EXPECT_EQ(-ENODATA, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, &value));
    const auto rows = run_all(context, run);
    ASSERT_EQ(3U, rows.size());
    const int count = vmafgpu_score_count(context.get());
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(context.get(), -1, VMAFGPU_POOL_MEAN, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(context.get(), count, VMAFGPU_POOL_MEAN, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(context.get(), 0, -1, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_PERC20 + 1, &value));
    EXPECT_EQ(-EINVAL, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, nullptr));
    for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (const Row &row : rows)
            sum += row.scores[static_cast<size_t>(i)];
        ASSERT_EQ(0, vmafgpu_pooled(context.get(), i, VMAFGPU_POOL_MEAN, &value));
        EXPECT_EQ(sum / 3, value);
    }
}

TEST(api, format_score)
{
    char text[400];
    EXPECT_EQ(-EINVAL, vmafgpu_format_score(nullptr, 10, 1.0, 6));
    EXPECT_EQ(-EINVAL, vmafgpu_format_score(text, sizeof(text), 1.0, 5));
    EXPECT_EQ(-EINVAL, vmafgpu_format_score(text, sizeof(text), 1.0, 18));
    EXPECT_EQ(-EINVAL, vmafgpu_format_score(text, sizeof(text), 1.0, -1));
    EXPECT_EQ(-ENOSPC, vmafgpu_format_score(text, 0, 1.0, 6));
    EXPECT_EQ(-ENOSPC, vmafgpu_format_score(text, 8, 1.0, 6));
    EXPECT_EQ(8, vmafgpu_format_score(text, 9, 1.0, 6));
    EXPECT_STREQ("1.000000", text);
    EXPECT_GT(vmafgpu_format_score(text, sizeof(text), -0.0, 6), 0);
    EXPECT_STREQ("0.000000", text);
    EXPECT_GT(vmafgpu_format_score(text, sizeof(text), 0.1, VMAFGPU_PRECISION_MAX), 0);
    EXPECT_STREQ("0.1", text);
    EXPECT_GT(vmafgpu_format_score(text, sizeof(text), 1e300, 17), 0); // plain decimal, no e
    EXPECT_EQ(nullptr, std::strchr(text, 'e'));
    EXPECT_GT(vmafgpu_format_score(text, sizeof(text), std::nan(""), 6), 0);
    EXPECT_NE(nullptr, std::strstr(text, "nan"));
}

TEST(api, write_log_misuse)
{
    TestContext context(TestSettings{});
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), nullptr));
    VmafGpuLog log = {};
    log.precision = 6;
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &log));
    log.path = "-";
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &log));
    log.format = "stone tablet";
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &log));
    EXPECT_STRNE("", vmafgpu_error_text(context.get()));
    log.format = "json";
    log.precision = 3;
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &log));
    log.precision = 6;
    log.path = "/no/such/directory/log.json";
    EXPECT_LT(vmafgpu_write_log(context.get(), &log), 0);
    EXPECT_NE(nullptr, std::strstr(vmafgpu_error_text(context.get()), log.path));
    VmafGpuResult result; // a log that could not be written does not spoil the context
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
}

} // namespace
} // namespace vmafgpu::api_test
