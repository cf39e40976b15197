// SPDX-License-Identifier: BSD-2-Clause-Patent
// include/vmaf_gpu/run.h: texts of numbers, lines of statistics, warnings, limits and chunks.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "core/chunk.h"
#include "fixture.h"
#include "vmaf_gpu/run.h"

namespace vmafgpu {
namespace {

std::string number(double value, int digits)
{
    char text[400];
    return vmafgpu_format_number(text, sizeof(text), value, digits) < 0 ? "failed" : text;
}

TEST(RunText, NumbersHaveAPointAndTheirDigits)
{
    EXPECT_EQ("93.123457", number(93.1234567, 6));
    EXPECT_EQ("0.000000", number(-1e-9, 6));
    EXPECT_EQ("25.0", number(25, 1));
    EXPECT_EQ("failed", number(1, 18));
    char small[4];
    EXPECT_EQ(-ENOSPC, vmafgpu_format_number(small, sizeof(small), 1234, 0));
}

TEST(RunText, AResultHasSixDigitsWhereALogShowsMore)
{
    const double scores[] = {1e-7, 0.5};
    VmafGpuResult result = {};
    result.scores = scores;
    result.score_count = 2;
    char text[400];
    EXPECT_EQ(8, vmafgpu_format_result(text, sizeof(text), &result, 0, 6));
    EXPECT_STREQ("0.000000", text);
    ASSERT_LT(0, vmafgpu_format_score(text, sizeof(text), scores[0], 6));
    EXPECT_STRNE("0.000000", text);
    EXPECT_EQ(-EINVAL, vmafgpu_format_result(text, sizeof(text), &result, 2, 6));
    EXPECT_EQ(3, vmafgpu_format_result(text, sizeof(text), &result, 1, VMAFGPU_PRECISION_MAX));
}

std::string chunk(const char *text)
{
    VmafGpuChunk out = {};
    VmafGpuError error;
    if (vmafgpu_read_chunk(&out, text, &error) < 0)
        return error.text;
    return std::to_string(out.first) + " " + std::to_string(out.begin) + " " +
           std::to_string(out.end) + " " + std::to_string(out.total);
}

TEST(RunText, Chunks)
{
    EXPECT_EQ("0 5 9 12", chunk("0-5-9-12"));
    EXPECT_EQ("4 5 0 0", chunk("4-5"));
    EXPECT_EQ("4 5 0 0", chunk("4-5-"));
    EXPECT_EQ("4 5 12 12", chunk("4-5--12"));
    EXPECT_EQ("4 5 12 12", chunk("4-5-0-12"));
    for (const char *bad : {"5", "", "x-5", "0-1-2-3-4", "-1-5", "0--5", "0-0-1x", "0 -1", "0-+1",
                            "0-0-99999999999999999999"})
        EXPECT_EQ(0u, chunk(bad).find("expected FIRST-BEGIN-END-TOTAL")) << bad;
    for (const char *bad : {"0-5-5", "0-6-5", "0-0-9-8", "5-4-9"})
        EXPECT_EQ("expected FIRST <= BEGIN < END <= TOTAL", chunk(bad)) << bad;
}

TEST(RunText, WhatAChunkLacks)
{
    const Chunk known = {3, 4, 8, 12}, open = {3, 4, 8, 0}, last = {7, 8, 12, 12};
    EXPECT_EQ("", chunk_lacks(known, 1, 9, false));
    EXPECT_EQ("the input ended after pair 7, but pairs up to 8 are needed",
              chunk_lacks(known, 1, 8, false));
    EXPECT_EQ("", chunk_lacks(open, 1, 8, false)); // the end of the run
    EXPECT_EQ("it was stopped after pair 7, before the end of the chunk",
              chunk_lacks(open, 1, 8, true));
    EXPECT_EQ("it begins at pair 4, but the input ended before it", chunk_lacks(open, 1, 4, false));
    EXPECT_EQ("", chunk_lacks(last, 5, 12, true));
    EXPECT_EQ("it was stopped after pair 2, before the end of the chunk",
              chunk_lacks(Chunk(), 1, 3, true));
    EXPECT_EQ("", chunk_lacks(Chunk(), 1, 3, false));
}

class RunOfContext : public testing::Test {
protected:
    RunOfContext()
    {
        VmafGpuSettings settings;
        vmafgpu_settings_default(&settings);
        settings.width = settings.height = 32;
        settings.device = "cpu";
        settings.self_test = 0;
        const VmafGpuFeature feature = {"psnr", "enable_chroma=false"};
        settings.features = &feature;
        settings.feature_count = 1;
        EXPECT_EQ(0, vmafgpu_open(&ctx_, &settings, nullptr));
    }
    ~RunOfContext() override { vmafgpu_close(&ctx_); }

    VmafGpuContext *ctx_ = nullptr;
};

TEST_F(RunOfContext, WarningsAreKeptOnce)
{
    for (const char *text : {"one", "two", "one"})
        vmafgpu_keep_warning(ctx_, text);
    VmafGpuRun run = {};
    run.struct_size = sizeof(run);
    ASSERT_EQ(0, vmafgpu_describe_run(ctx_, &run));
    ASSERT_EQ(2, run.warning_count);
    EXPECT_STREQ("two", run.warnings[1]);
    for (int i = 0; i < 100; ++i)
        vmafgpu_keep_warning(ctx_, std::to_string(i).c_str());
    ASSERT_EQ(0, vmafgpu_describe_run(ctx_, &run));
    EXPECT_EQ(64, run.warning_count);
}

TEST_F(RunOfContext, AnotherRunHasItsOwnWarnings)
{
    VmafGpuRun run = {};
    run.struct_size = sizeof(run);
    vmafgpu_keep_warning(ctx_, "of the first run");
    ASSERT_EQ(0, vmafgpu_reset(ctx_));
    ASSERT_EQ(0, vmafgpu_describe_run(ctx_, &run));
    EXPECT_EQ(0, run.warning_count);
    EXPECT_EQ(-EINVAL, vmafgpu_finish(ctx_, VMAFGPU_FINISH_END)); // without pairing
    vmafgpu_keep_warning(ctx_, "of the second run");
    ASSERT_EQ(0, vmafgpu_describe_run(ctx_, &run));
    ASSERT_EQ(1, run.warning_count);
    EXPECT_STREQ("of the second run", run.warnings[0]);
}

TEST_F(RunOfContext, BadArgumentsAreRefusedAndHarmNothing)
{
    VmafGpuRun run = {};
    VmafGpuError error;
    vmafgpu_keep_warning(ctx_, nullptr);
    EXPECT_EQ(-EINVAL, vmafgpu_describe_run(ctx_, nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_describe_run(ctx_, &run)); // no struct_size
    EXPECT_EQ(-EINVAL, vmafgpu_check_limit(nullptr, VMAFGPU_POOL_MEAN, &error));
    EXPECT_EQ(-EINVAL, vmafgpu_check_limit(ctx_, 99, &error));
    const double scores[] = {1, 2};
    VmafGpuResult result = {};
    result.scores = scores;
    result.score_count = 2; // the context has one
    const char *line = nullptr;
    EXPECT_EQ(-EINVAL, vmafgpu_stats_line(ctx_, &result, 6, &line));
    EXPECT_EQ(0, vmafgpu_flush(ctx_)); // the context lives
}

TEST_F(RunOfContext, Limits)
{
    VmafGpuError error;
    const auto fails = [&](const char *text) {
        EXPECT_EQ(-EINVAL, vmafgpu_set_limit(ctx_, text, &error));
        return std::string(error.text);
    };
    EXPECT_EQ(0, vmafgpu_check_limit(ctx_, VMAFGPU_POOL_MEAN, &error));
    EXPECT_EQ("fail_below 'high' is neither a number nor NAME:number", fails("high"));
    EXPECT_EQ("fail_below ':5' is neither a number nor NAME:number", fails(":5"));
    EXPECT_EQ("fail_below 'psnr_y:nan' is neither a number nor NAME:number", fails("psnr_y:nan"));
    EXPECT_EQ("fail_below: unknown score 'vmad' (known: psnr_y)", fails("vmad:90"));
    EXPECT_EQ("fail_below: there is no model, so write NAME:30 (known: psnr_y)", fails("30"));
    EXPECT_EQ(0, vmafgpu_set_limit(ctx_, "psnr_y:+30.5", &error));
    EXPECT_EQ(-ERANGE, vmafgpu_check_limit(ctx_, VMAFGPU_POOL_MEAN, &error));
    EXPECT_STREQ("fail_below: psnr_y has no score", error.text);
}

TEST_F(RunOfContext, AScoreIsHeldAgainstTheLimit)
{
    const std::vector<uint8_t> samples(size_t{32} * 32, 100);
    VmafGpuPicture picture = {};
    picture.width = picture.height = 32;
    picture.depth = 8;
    picture.plane[0].data = samples.data();
    picture.plane[0].pitch = 32;
    ASSERT_EQ(0, vmafgpu_submit(ctx_, &picture, &picture, 0));
    ASSERT_EQ(0, vmafgpu_flush(ctx_));
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_collect(ctx_, &result, 1));
    VmafGpuError error;
    ASSERT_EQ(0, vmafgpu_set_limit(ctx_, "psnr_y:60", &error)); // what equal pictures have
    EXPECT_EQ(0, vmafgpu_check_limit(ctx_, VMAFGPU_POOL_MEAN, &error));
    ASSERT_EQ(0, vmafgpu_set_limit(ctx_, "psnr_y:60.1", &error));
    EXPECT_EQ(-ERANGE, vmafgpu_check_limit(ctx_, VMAFGPU_POOL_MEAN, &error));
    EXPECT_STREQ("fail_below: psnr_y is 60.000000, less than 60.1", error.text);
}

struct Chosen {
    ~Chosen() { vmafgpu_choice_free(&choice); }

    /// The text of the refusal, or "".
    std::string models(const char *text)
    {
        VmafGpuError error = {};
        const int status = vmafgpu_choose_models(&choice, text, &error);
        EXPECT_EQ(status, error.code);
        return error.text;
    }
    std::string features(const char *text)
    {
        VmafGpuError error = {};
        const int status = vmafgpu_choose_features(&choice, text, &error);
        EXPECT_EQ(status, error.code);
        return error.text;
    }

    VmafGpuChoice *choice = nullptr;
};

TEST(RunChoice, ListsAreReadAsFfmpegQuotesThem)
{
    Chosen chosen;
    EXPECT_EQ("", chosen.models(""));
    EXPECT_EQ(0, chosen.choice->model_count);
    EXPECT_EQ("", chosen.models("version=vmaf_v0.6.1:name=a|version=vmaf_v0.6.1neg:name='b'"));
    EXPECT_EQ("", chosen.models("name=c"));
    EXPECT_EQ(3, chosen.choice->model_count);
    ASSERT_EQ(3, chosen.choice->builtin_count);
    EXPECT_STREQ("vmaf_v0.6.1neg", chosen.choice->builtins[1]);
    EXPECT_STREQ("vmaf_v0.6.1", chosen.choice->builtins[2]);
    EXPECT_EQ("", chosen.features("name=a| name = b :x= 1 :y='p|q: ' |name=c:z=C\\:\\|d:z=\\\\"));
    ASSERT_EQ(3, chosen.choice->feature_count);
    const VmafGpuFeature *features = chosen.choice->features;
    EXPECT_STREQ("a", features[0].name);
    EXPECT_STREQ("", features[0].options);
    EXPECT_STREQ("b", features[1].name);
    EXPECT_STREQ("x=1:y=p|q\\: ", features[1].options);
    EXPECT_STREQ("z=\\\\", features[2].options); // the last value of a key
    vmafgpu_choice_free(&chosen.choice);
    EXPECT_EQ(nullptr, chosen.choice);
    vmafgpu_choice_free(nullptr);
}

TEST(RunChoice, RefusalsSayWhatIsExpected)
{
    Chosen chosen;
    EXPECT_EQ("cannot read model 'x': expected key=value:key=value, e.g. version=vmaf_v0.6.1",
              chosen.models("x"));
    EXPECT_EQ("cannot read feature '': expected key=value:key=value, e.g. name=motion",
              chosen.features("|"));
    EXPECT_EQ("a feature needs a name, e.g. feature=name=motion", chosen.features("scale=1"));
    EXPECT_EQ("a model has either version=a or path=b, not both",
              chosen.models("version=a:path=b"));
    EXPECT_EQ(0U, chosen.models("version=a").find("unknown model version 'a' (known: "));
    EXPECT_EQ(0U, chosen.models("path=vmaf_v0.6.1").find("model path 'vmaf_v0.6.1': cannot read "));
    EXPECT_EQ(0U, chosen.models("colour=1").find("unknown key 'colour' in model (known: "));
    EXPECT_EQ(0U, chosen.models("x.y=1").find("model option x.y=1: "));
    EXPECT_EQ("choice and text must not be NULL", chosen.models(nullptr));
    // What was added before a failure stays, and can be read.
    EXPECT_EQ(2, chosen.choice->model_count);
    EXPECT_EQ(2, chosen.choice->builtin_count);
}

} // namespace
} // namespace vmafgpu
