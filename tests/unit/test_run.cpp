// SPDX-License-Identifier: BSD-2-Clause-Patent
// include/vmaf_gpu/run.h: texts of numbers, lines of statistics, warnings, limits, chunks, the
// files and the end of a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "api/context.h"
#include "fixture.h"
#include "plan/chunk.h"
#include "vmaf_gpu/run.h"

namespace vmafgpu::run_test {
namespace {

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
    const auto named = [](std::string text) {
        return "chunk=" + text + ": expected ";
    };
    EXPECT_EQ("0 5 9 12", chunk("0-5-9-12"));
    EXPECT_EQ("4 5 0 0", chunk("4-5"));
    EXPECT_EQ("4 5 12 12", chunk("4-5-0-12"));
    for (const char *bad : {"5", "", "4-5-", "4-5--12", "x-5", "0-1-2-3-4", "-1-5", "0--5",
                            "0-0-1x", "0 -1", "0-+1", "0-0-99999999999999999999"})
        EXPECT_EQ(0u, chunk(bad).find(named(bad) + "FIRST-BEGIN-END-TOTAL")) << bad;
    for (const char *bad : {"0-5-5", "0-6-5", "0-0-9-8", "5-4-9"})
        EXPECT_EQ(named(bad) + "FIRST <= BEGIN < END <= TOTAL", chunk(bad)) << bad;
}

TEST(RunText, Offsets)
{
    VmafGpuPairingSettings pairing;
    vmafgpu_pairing_default(&pairing);
    VmafGpuError error;
    ASSERT_EQ(0, vmafgpu_read_offset(&pairing, "-12", &error));
    EXPECT_EQ(VMAFGPU_OFFSET_GIVEN, pairing.has_offset);
    EXPECT_EQ(-12, pairing.offset);
    for (const char *bad : {"", "1.5", "x", "1x", " 1", "nan", "inf", "1000000001", "AUTO"}) {
        EXPECT_EQ(-EINVAL, vmafgpu_read_offset(&pairing, bad, &error)) << bad;
        EXPECT_EQ(std::string("offset '") + bad +
                      "' is not a whole number, -1000000000 ... 1000000000, or auto",
                  error.text);
    }
    EXPECT_EQ(-12, pairing.offset);
    ASSERT_EQ(0, vmafgpu_read_offset(&pairing, "auto", &error));
    EXPECT_EQ(VMAFGPU_OFFSET_AUTO, pairing.has_offset);
    EXPECT_EQ(-EINVAL, vmafgpu_read_offset(nullptr, "1", &error));
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

class WholeRun : public testing::Test {
protected:
    WholeRun()
    {
        VmafGpuSettings settings;
        VmafGpuPairingSettings pairing;
        vmafgpu_settings_default(&settings);
        vmafgpu_pairing_default(&pairing);
        settings.width = settings.height = 32;
        settings.device = "cpu";
        settings.self_test = 0;
        settings.pairing = &pairing;
        settings.log = [](void *opaque, int level, const char *text) {
            if (level <= VMAFGPU_LOG_WARNING)
                static_cast<WholeRun *>(opaque)->told_.emplace_back(text);
        };
        settings.log_opaque = this;
        const VmafGpuFeature feature = {"psnr", "enable_chroma=false"};
        settings.features = &feature;
        settings.feature_count = 1;
        EXPECT_EQ(0, vmafgpu_open(&ctx_, &settings, nullptr));
        run_.struct_size = sizeof(run_);
        run_.precision = 6;
        run_.pool = VMAFGPU_POOL_MEAN;
        run_.log_format = "csv";
    }
    ~WholeRun() override { vmafgpu_close(&ctx_); }

    /// Scores one pair of equal pictures, if there is one. Returns the status of the run's end.
    int finish(bool has_pair = true, int reason = VMAFGPU_FINISH_END)
    {
        static const std::vector<uint8_t> samples(size_t{32} * 32, 100);
        VmafGpuPicture picture = {};
        picture.width = picture.height = 32;
        picture.depth = 8;
        picture.plane[0].data = samples.data();
        picture.plane[0].pitch = 32;
        for (int i = 0; i < 2; ++i) {
            if (has_pair) {
                EXPECT_EQ(0, vmafgpu_push(ctx_, i, &picture, 7, 0, 7));
            }
            EXPECT_EQ(0, vmafgpu_push_end(ctx_, i));
        }
        VmafGpuMatch match;
        while (vmafgpu_next(ctx_, &match, 1) != -ENODATA)
            continue;
        EXPECT_EQ(0, vmafgpu_flush(ctx_));
        VmafGpuResult result;
        while (vmafgpu_collect(ctx_, &result, 1) == 0)
            continue;
        return vmafgpu_run_end(ctx_, reason, nullptr);
    }

    std::string last() const { return told_.empty() ? "" : told_.back(); }

    VmafGpuContext *ctx_ = nullptr;
    VmafGpuRunSettings run_ = {};
    std::vector<std::string> told_;
};

TEST_F(WholeRun, WarningsAreKeptOnce)
{
    const std::vector<std::string> &kept = ctx_->run.warnings();
    for (const char *text : {"one", "two", "one"})
        vmafgpu_log(ctx_, VMAFGPU_LOG_WARNING, text);
    vmafgpu_log(ctx_, VMAFGPU_LOG_INFO, "three");
    EXPECT_EQ((std::vector<std::string>{"one", "two"}), kept);
    EXPECT_EQ(3u, told_.size());
    for (int i = 0; i < 100; ++i)
        vmafgpu_log(ctx_, VMAFGPU_LOG_WARNING, std::to_string(i).c_str());
    EXPECT_EQ(64u, kept.size());
    ASSERT_EQ(0, vmafgpu_reset(ctx_));
    EXPECT_EQ(0u, kept.size());
    vmafgpu_log(ctx_, VMAFGPU_LOG_WARNING, "of the second run");
    EXPECT_EQ(1u, kept.size());
}

TEST_F(WholeRun, Limits)
{
    const auto fails = [&](const char *text) {
        run_.fail_below = text;
        EXPECT_EQ(-EINVAL, vmafgpu_run_begin(ctx_, &run_));
        return last();
    };
    EXPECT_EQ("fail_below 'high' is neither a number nor NAME:number", fails("high"));
    EXPECT_EQ("fail_below ':5' is neither a number nor NAME:number", fails(":5"));
    EXPECT_EQ("fail_below 'psnr_y:nan' is neither a number nor NAME:number", fails("psnr_y:nan"));
    EXPECT_EQ("fail_below: unknown score 'vmad' (known: psnr_y)", fails("vmad:90"));
    EXPECT_EQ("fail_below: there is no model, so write NAME:30 (known: psnr_y)", fails("30"));
}

TEST_F(WholeRun, EndsOnce)
{
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish());
    const size_t lines = told_.size();
    EXPECT_EQ(-EINVAL, vmafgpu_run_end(ctx_, VMAFGPU_FINISH_END, nullptr));
    EXPECT_EQ(lines + 1, told_.size()); // no second summary, and no score twice
}

TEST_F(WholeRun, BadArgumentsAreRefusedAndHarmNothing)
{
    vmafgpu_log(ctx_, VMAFGPU_LOG_WARNING, nullptr);
    EXPECT_EQ(-EINVAL, vmafgpu_run_end(ctx_, VMAFGPU_FINISH_END, nullptr));
    const VmafGpuResult result = {};
    EXPECT_EQ(-EINVAL, vmafgpu_run_each(
                           ctx_, &result, [](void *, const char *, const char *) {}, nullptr));
    vmafgpu_run_print(ctx_, nullptr);
    EXPECT_EQ(-EINVAL, vmafgpu_run_begin(ctx_, nullptr));
    VmafGpuRunSettings bad = run_;
    bad.struct_size = 8;
    EXPECT_EQ(-EINVAL, vmafgpu_run_begin(ctx_, &bad));
    bad = run_;
    bad.pool = 99;
    EXPECT_EQ(-EINVAL, vmafgpu_run_begin(ctx_, &bad));
    bad = run_;
    bad.precision = 5;
    EXPECT_EQ(-EINVAL, vmafgpu_run_begin(ctx_, &bad));
    EXPECT_EQ("precision is 5; allowed: 6 to 17, or max", last());
    EXPECT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish()); // the context lives
}

TEST_F(WholeRun, AScoreReachesTheLimit)
{
    run_.fail_below = "psnr_y:+60"; // the score of equal pictures
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish());
    EXPECT_EQ(std::vector<std::string>(), told_);
}

TEST_F(WholeRun, AScoreBelowTheLimitFailsTheRun)
{
    run_.fail_below = "psnr_y:60.1";
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(-ERANGE, finish());
    EXPECT_EQ("fail_below: psnr_y is 60.000000, less than 60.1", last());
}

TEST_F(WholeRun, ARunWithoutAScoreFails)
{
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(-ERANGE, finish(false));
    ASSERT_EQ(2u, told_.size());
    EXPECT_EQ("no pair of frames was scored", told_[0]);
    EXPECT_EQ("there is no score", told_[1]);
}

TEST_F(WholeRun, AStoppedRunWithoutAScoreDoesNotReachALimit)
{
    run_.fail_below = "psnr_y:30";
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(-ERANGE, finish(false, VMAFGPU_FINISH_STOPPED));
    EXPECT_EQ("fail_below: psnr_y has no score", last());
}

TEST_F(WholeRun, Metadata)
{
    double score = 1e-7; // a log shows more than six digits of it
    VmafGpuResult result = {};
    result.scored = result.score_count = 1;
    result.scores = &score;
    result.reference_tag = 7;
    result.shot = -1;
    const auto entries = [&] {
        std::string text;
        const auto add = [](void *opaque, const char *name, const char *value) {
            *static_cast<std::string *>(opaque) += std::string(name) + "=" + value + " ";
        };
        EXPECT_EQ(0, vmafgpu_run_each(ctx_, &result, add, &text));
        return text;
    };
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ("ref_pts=7 psnr_y=0.000000 ", entries());
    score = std::numeric_limits<double>::infinity();
    result.reference_tag = static_cast<uint64_t>(VMAFGPU_NO_TIME);
    result.shot = 2;
    EXPECT_EQ("shot=2 ", entries());
    result.scored = 0;
    EXPECT_EQ("", entries());
}

std::string content(const std::string &path)
{
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST_F(WholeRun, FilesOfARun)
{
    const std::string folder = testing::TempDir();
    const std::string log = folder + "vmaf_gpu_run.csv", stats = folder + "vmaf_gpu_run.stats";
    run_.log_path = log.c_str();
    run_.stats_path = stats.c_str();
    run_.overwrite = 1;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish());
    EXPECT_EQ("Frame,psnr_y,\n0,60.000000,\n", content(log));
    EXPECT_EQ("n:1 pts:7 ref_pts:7 psnr_y:60.000000\n", content(stats));
    std::remove(log.c_str());
    std::remove(stats.c_str());
}

/// Pictures that the engine has, and the most that it had.
struct Lent {
    int now = 0, most = 0, at_end = 0;
};

/// Pictures that wait for partners, scores or a look at their sketches.
constexpr int kOtherwise = 48;

/// Pairs of which each is worse than the one before; then the page.
std::string page_of_falling_pairs(VmafGpuContext *ctx, const std::string &path, int pairs,
                                  Lent &lent)
{
    std::vector<std::vector<uint8_t>> content_of;
    for (int i = 0; i <= pairs; ++i)
        content_of.emplace_back(size_t{32} * 32, static_cast<uint8_t>(100 + i));
    VmafGpuMatch match;
    VmafGpuResult result;
    for (int i = 0; i < pairs; ++i) {
        for (int input = 0; input < 2; ++input) {
            VmafGpuPicture picture = {};
            picture.width = picture.height = 32;
            picture.depth = 8;
            picture.plane[0] = {content_of[input == VMAFGPU_MAIN ? size_t(i) : 0].data(), 32};
            picture.release = [](void *opaque) {
                --static_cast<Lent *>(opaque)->now;
            };
            picture.opaque = &lent;
            EXPECT_EQ(0, vmafgpu_push(ctx, input, &picture, i, 0, 0));
            lent.most = std::max(lent.most, ++lent.now);
        }
        while (vmafgpu_next(ctx, &match, 1) == 0)
            EXPECT_EQ(0, vmafgpu_collect(ctx, &result, 1));
    }
    for (int input = 0; input < 2; ++input)
        EXPECT_EQ(0, vmafgpu_push_end(ctx, input));
    while (vmafgpu_next(ctx, &match, 1) != -ENODATA)
        vmafgpu_collect(ctx, &result, 1);
    EXPECT_EQ(0, vmafgpu_flush(ctx));
    while (vmafgpu_collect(ctx, &result, 1) == 0)
        continue;
    lent.at_end = lent.now;
    EXPECT_EQ(0, vmafgpu_run_end(ctx, VMAFGPU_FINISH_END, nullptr));
    const std::string page = content(path);
    std::remove(path.c_str());
    return page;
}

TEST_F(WholeRun, PicturesAreKeptOfTheWorstPairsSoFar)
{
    const std::string path = testing::TempDir() + "vmaf_gpu_run.html";
    run_.log_path = path.c_str();
    run_.log_format = "html";
    run_.overwrite = run_.keep_pictures = 1;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    Lent lent;
    const std::string page = page_of_falling_pairs(ctx_, path, 60, lent);
    EXPECT_NE(page.find("32×32, "), std::string::npos);
    if (page.find("this build has no zlib") == std::string::npos)
        for (int i = 0; i < 60; ++i) {
            const std::string image = "<img alt=\"distorted, frame " + std::to_string(i) + "\"";
            EXPECT_EQ(i >= 54, page.find(image) != std::string::npos) << i;
        }
    EXPECT_EQ(12, lent.at_end);
    EXPECT_GE(kOtherwise + 12, lent.most);
    vmafgpu_close(&ctx_);
    EXPECT_EQ(0, lent.now);
}

TEST_F(WholeRun, PicturesAreReleasedSoonUnlessTheyAreAskedFor)
{
    const std::string path = testing::TempDir() + "vmaf_gpu_run.html";
    run_.log_path = path.c_str();
    run_.log_format = "html";
    run_.overwrite = 1;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    Lent lent;
    const std::string page = page_of_falling_pairs(ctx_, path, 60, lent);
    EXPECT_EQ(std::string::npos, page.find("<img"));
    EXPECT_EQ(std::string::npos, page.find("ictures of"));
    EXPECT_GE(kOtherwise, lent.most);
}

TEST_F(WholeRun, HowFarItIs)
{
    VmafGpuProgress progress = {};
    progress.total = 2;
    ASSERT_EQ(0, vmafgpu_run_progress(ctx_, &progress));
    EXPECT_STREQ("0 of 2 frames, 0.00 FPS", progress.text);
    EXPECT_EQ(-1, progress.left);
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish());
    progress.total = 2;
    ASSERT_EQ(0, vmafgpu_run_progress(ctx_, &progress));
    EXPECT_EQ(1, progress.done);
    EXPECT_GT(progress.rate, 0);
    EXPECT_NEAR(1 / progress.rate, progress.left, 1e-9);
    EXPECT_EQ(0u, std::string(progress.text).find("1 of 2 frames, "));
    EXPECT_NE(std::string::npos, std::string(progress.text).find(" left"));
    progress.total = 0;
    ASSERT_EQ(0, vmafgpu_run_progress(ctx_, &progress));
    EXPECT_EQ(-1, progress.left);
    EXPECT_EQ(0u, std::string(progress.text).find("1 frames, "));
    EXPECT_EQ(-EINVAL, vmafgpu_run_progress(ctx_, nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_run_progress(nullptr, &progress));
}

/// A log in JSON of one pair at time 7, in nanoseconds.
std::string known_log(VmafGpuContext *ctx, const VmafGpuRun *given,
                      int (*write)(VmafGpuContext *, const VmafGpuLog *))
{
    const std::string path = testing::TempDir() + "vmaf_gpu_known.json";
    VmafGpuLog log = {};
    log.path = path.c_str();
    log.format = "json";
    log.precision = 6;
    log.overwrite = 1;
    log.run = given;
    EXPECT_EQ(0, write(ctx, &log)) << vmafgpu_error_text(ctx);
    const std::string text = content(path);
    std::remove(path.c_str());
    return text;
}

TEST(RunLog, HasTheDepthOfThePictures)
{
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"psnr", "enable_chroma=false"}};
    for (const int depth : {8, 10}) {
        settings.depth = depth;
        TestContext context(settings);
        TestRun run = make_run(settings, 1);
        run_all(context, run);
        const std::string text = known_log(context.get(), nullptr, vmafgpu_write_log);
        EXPECT_NE(text.find("\"depth\": " + std::to_string(depth) + ","), std::string::npos)
            << text;
    }
}

TEST_F(WholeRun, WhatTheCallerSaysComesFirst)
{
    VmafGpuInputs inputs;
    vmafgpu_inputs_default(&inputs);
    for (VmafGpuInput &input : inputs.compared)
        EXPECT_EQ(0, vmafgpu_input_parse(&input, "format=gray10le"));
    EXPECT_EQ(0, vmafgpu_set_inputs(ctx_, &inputs, nullptr));
    vmafgpu_log(ctx_, VMAFGPU_LOG_WARNING, "a warning");
    EXPECT_EQ(-EINVAL, finish()); // no run has begun, so all pairs are kept
    EXPECT_EQ(0, vmafgpu_finish(ctx_, VMAFGPU_FINISH_END));
    const auto has = [](const std::string &text, const std::string &part) {
        return text.find(part) != std::string::npos;
    };
    std::string text = known_log(ctx_, nullptr, vmafgpu_run_write);
    for (const char *part : {"\"main_format\": \"gray10le\"", "\"a warning\"", "\"pts\": 7",
                             "\"time_base\": \"1/1000000000\"", "\"pairing\""})
        EXPECT_TRUE(has(text, part)) << part << text;
    const size_t fps = text.find("\"fps\": ");
    ASSERT_NE(fps, std::string::npos);
    EXPECT_GT(std::strtod(text.c_str() + fps + 7, nullptr), 0) << text;
    text = known_log(ctx_, nullptr, vmafgpu_write_log);
    for (const char *part : {"main_format", "a warning", "\"pts\"", "time_base", "\"pairing\""})
        EXPECT_FALSE(has(text, part)) << part << text;
    const char *const warning = "mine";
    VmafGpuRun given = {};
    given.struct_size = sizeof(given);
    given.warnings = &warning;
    given.warning_count = 1;
    given.main_format = "yuv420p";
    given.time_base_num = -1;
    text = known_log(ctx_, &given, vmafgpu_run_write);
    EXPECT_LT(text.find("\"mine\""), text.find("\"a warning\"")) << text;
    EXPECT_TRUE(has(text, "\"main_format\": \"yuv420p\"")) << text;
    EXPECT_FALSE(has(text, "time_base")) << text;
}

TEST(RunText, WindowOfAChunk)
{
    const auto window = [](int64_t begin, int64_t end, int subsample, const char *feature) {
        const VmafGpuFeature wanted = {feature, nullptr};
        VmafGpuSettings settings;
        vmafgpu_settings_default(&settings);
        settings.width = settings.height = 32;
        settings.device = "none"; // no device is opened
        settings.features = &wanted;
        settings.feature_count = 1;
        settings.subsample = subsample;
        const VmafGpuChunk chunk = {0, begin, end, 0};
        int64_t first = 0, last = 0;
        VmafGpuError error = {};
        if (vmafgpu_run_window(&settings, &chunk, &first, &last, &error) < 0)
            return std::string(error.text);
        return std::to_string(first) + " " + std::to_string(last);
    };
    EXPECT_EQ("4 9", window(5, 8, 1, "motion"));
    EXPECT_EQ("0 9", window(0, 8, 1, "motion"));
    EXPECT_EQ("3 9", window(5, 8, 3, "motion")); // scores begin at a pair that is kept
    EXPECT_EQ("4 -1", window(5, 0, 1, "motion"));
    EXPECT_EQ("5 8", window(5, 8, 1, "psnr"));
    EXPECT_EQ(0u, window(5, 8, 1, "nope").find("unknown feature"));
    EXPECT_EQ(-EINVAL, vmafgpu_run_window(nullptr, nullptr, nullptr, nullptr, nullptr));
}

VmafGpuPlace place(const char *name, const char *main)
{
    VmafGpuPlace made = {};
    std::snprintf(made.name, sizeof(made.name), "%s", name);
    std::snprintf(made.stream[VMAFGPU_MAIN], sizeof(made.stream[0]), "0:0");
    EXPECT_EQ(0, vmafgpu_input_parse(&made.source[VMAFGPU_MAIN], main));
    EXPECT_EQ(0, vmafgpu_input_parse(&made.source[VMAFGPU_REFERENCE], "size=32x32"));
    return made;
}

/// "": the place is free.
std::string enter(const char *name, const char *main)
{
    const VmafGpuPlace made = place(name, main);
    VmafGpuError error = {};
    const int status = vmafgpu_run_enter(&made, &error);
    EXPECT_EQ(status, error.code);
    return error.text;
}

TEST_F(WholeRun, APlaceOfAStoppedRunIsTaken)
{
    const std::string log = testing::TempDir() + "vmaf_gpu_place.csv";
    const VmafGpuPlace made = place("graph 0 f", "size=32x32:format=yuv420p");
    run_.place = &made;
    run_.log_path = log.c_str();
    run_.overwrite = 1;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_NE("", enter("graph 0 f", "size=64x64")); // also before it ends
    EXPECT_EQ(0, finish(true, VMAFGPU_FINISH_STOPPED));
    ASSERT_EQ(1u, told_.size());
    EXPECT_EQ(0u, told_[0].find("FFmpeg ended the filter before its inputs ended: only main's "
                                "frames from 0.000 to 0.000 s were scored."));
    EXPECT_EQ("Frame,psnr_y,\n0,60.000000,\n", content(log));
    EXPECT_EQ("", enter("graph 1 f", "size=64x64"));
    EXPECT_EQ("", enter("", "size=64x64"));
    const std::string refusal =
        "FFmpeg sets the filter up again in mid-stream, and a run cannot go on: main (stream 0:0) "
        "changes after 0.000 s: its size from 32x32 to 64x64, its range from none to pc. 1 pairs "
        "were scored; at least 0 main frames and 0 reference frames are lost, and all that follow. "
        "To "
        "score all pairs, put -reinit_filter 0 before the -i of main and convert its frames, e.g. "
        "[0:v]scale=32:32:flags=bicubic:out_range=tv[d];[d][1:v]vmaf_gpu";
    EXPECT_EQ(refusal, enter("graph 0 f", "size=64x64:format=yuv420p:range=pc"));
    EXPECT_EQ("Frame,psnr_y,\n0,60.000000,\n# incomplete: " + refusal + "\n", content(log));
    EXPECT_NE(std::string::npos, enter("graph 0 f", "size=32x32:format=yuv420p")
                                     .find("the orientation of an input changes after 0.000 s"));
    vmafgpu_run_forget();
    EXPECT_EQ("", enter("graph 0 f", "size=64x64"));
    EXPECT_EQ(-EINVAL, vmafgpu_run_enter(nullptr, nullptr));
    std::remove(log.c_str());
}

TEST_F(WholeRun, APlaceOfARunThatEndedIsFree)
{
    const VmafGpuPlace made = place("graph 0 f", "size=32x32");
    run_.place = &made;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    EXPECT_EQ(0, finish());
    EXPECT_EQ("", enter("graph 0 f", "size=64x64"));
}

TEST_F(WholeRun, TagsOfAPairThatDiffer)
{
    static const std::vector<uint8_t> samples(size_t{32} * 32, 100);
    VmafGpuPicture picture = {};
    picture.width = picture.height = 32;
    picture.depth = 8;
    picture.plane[0].data = samples.data();
    picture.plane[0].pitch = 32;
    const char *const tags[2][4] = {{"tv", "pc", "pc", "pc"}, {"tv", "pc", "tv", "tv"}};
    run_.strict = 1;
    ASSERT_EQ(0, vmafgpu_run_begin(ctx_, &run_));
    VmafGpuInputs inputs;
    vmafgpu_inputs_default(&inputs);
    for (int frame = 0; frame < 4; ++frame)
        for (int i = 0; i < 2; ++i) {
            const std::string text = std::string("format=yuv420p:range=") + tags[i][frame];
            for (VmafGpuInput *input : {&inputs.input[i], &inputs.compared[i]})
                EXPECT_EQ(0, vmafgpu_input_parse(input, text.c_str()));
            EXPECT_EQ(0, vmafgpu_set_inputs(ctx_, &inputs, nullptr));
            EXPECT_EQ(0, vmafgpu_push(ctx_, i, &picture, frame * INT64_C(1000000000), 0, 0));
        }
    finish(false);
    std::vector<std::string> changes;
    for (const std::string &text : told_)
        if (text.find("on tags are others") != std::string::npos)
            changes.push_back(text);
    const std::string change = "from pair 2 (2.000 s) on tags are others: main has full range, "
                               "reference has limited range: the samples are compared as they are";
    EXPECT_EQ((std::vector<std::string>{change, "strict: " + change}), changes);
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
    EXPECT_EQ(
        "", chosen.models("version=x:version=vmaf_v0.6.1:name=a|version=vmaf_v0.6.1neg:name='b'"));
    EXPECT_EQ("", chosen.models("name=c"));
    EXPECT_EQ(3, chosen.choice->model_count);
    ASSERT_EQ(3, chosen.choice->builtin_count);
    EXPECT_STREQ("vmaf_v0.6.1neg", chosen.choice->builtins[1]);
    EXPECT_STREQ("vmaf_v0.6.1", chosen.choice->builtins[2]);
    const std::string file = testing::TempDir() + "vmaf_gpu_4k.json";
    std::ofstream(file) << std::string(builtin_models()[0].json, builtin_models()[0].size);
    EXPECT_EQ("", chosen.models(("version=" + file).c_str()));
    EXPECT_EQ(4, chosen.choice->model_count);
    EXPECT_EQ(3, chosen.choice->builtin_count); // a file is none, whatever names it
    std::remove(file.c_str());
    EXPECT_EQ("", chosen.features("name=a| name = b :x= 1 :y='p|q: ' |name=c:z=C\\:\\|d:z=\\\\"
                                  "|name=d:z=e\\  "));
    ASSERT_EQ(4, chosen.choice->feature_count);
    const VmafGpuFeature *features = chosen.choice->features;
    EXPECT_STREQ("a", features[0].name);
    EXPECT_STREQ("", features[0].options);
    EXPECT_STREQ("b", features[1].name);
    EXPECT_STREQ("x=1:y=p|q\\: ", features[1].options);
    EXPECT_STREQ("z=C\\:|d:z=\\\\", features[2].options); // the last value of a key counts
    EXPECT_STREQ("z=e ", features[3].options);            // white space that is escaped stays
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
    EXPECT_EQ(0U, chosen.models("version=a").find("no built-in model 'a' (there are: "));
    EXPECT_EQ(0U, chosen.models("path=vmaf_v0.6.1").find("cannot read model file './vmaf_v0.6.1'"));
    EXPECT_EQ(0U, chosen.models("colour=1").find("unknown model option 'colour' (there are: "));
    EXPECT_NE(std::string::npos, chosen.models("x.y=1").find("'x.y'"));
    EXPECT_EQ("choice and text must not be NULL", chosen.models(nullptr));
    // Parts that were added before a failure stay, and can be read.
    EXPECT_EQ(2, chosen.choice->model_count);
    EXPECT_EQ(2, chosen.choice->builtin_count);
}

} // namespace
} // namespace vmafgpu::run_test
