// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs without end: a limited score table has the pools of a table that keeps everything, its rows
// reach the log, and memory does not grow.
#include <algorithm>
#include <cmath>
#include <random>

#include "core/pooling.h"
#include "fixture.h"
#include "report/report_rows.h"
#include "report_fixtures.h"

namespace vmafgpu::long_runs_test {
namespace {

constexpr int64_t kMany = 40000; // more than two times what is kept
constexpr int64_t kDay = int64_t{24} * 3600 * 60;

const std::vector<std::string> &names()
{
    static const std::vector<std::string> all = {"integer_adm2", "vmaf", "signed"};
    return all;
}

/// A row of pair i: the same for every table.
std::array<double, 3> row_of(int64_t i)
{
    std::mt19937 random(static_cast<unsigned>(i));
    const double value = std::uniform_real_distribution<double>(0, 1)(random);
    return {value, 100 * std::sqrt(value), value - 0.5};
}

void fill(ScoreTable &table, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        table.add(i, row_of(i).data());
}

TEST(LongRuns, PoolsAreTheSame)
{
    for (const int64_t count : {int64_t{1}, int64_t{16384}, int64_t{16385}, kMany}) {
        ScoreTable whole(names());
        ScoreTable limited(names());
        limited.limit({});
        fill(whole, count);
        fill(limited, count);
        EXPECT_EQ(limited.left() > 0, count > 16384) << count;
        EXPECT_EQ(static_cast<int64_t>(limited.left() + limited.rows()), count);
        for (size_t column = 0; column < names().size(); ++column) {
            for (const VmafGpuPool pool : {VMAFGPU_POOL_MIN, VMAFGPU_POOL_MAX, VMAFGPU_POOL_MEAN,
                                           VMAFGPU_POOL_HARMONIC_MEAN})
                EXPECT_EQ(pooled(limited, column, pool), pooled(whole, column, pool));
            EXPECT_EQ(mean_interval(limited, column, 4), mean_interval(whole, column, 4));
            for (const VmafGpuPool pool : {VMAFGPU_POOL_PERC1, VMAFGPU_POOL_PERC5,
                                           VMAFGPU_POOL_PERC10, VMAFGPU_POOL_PERC20}) {
                if (count <= 16384)
                    EXPECT_EQ(pooled(limited, column, pool), pooled(whole, column, pool));
                else
                    expect_error(error_of([&] { pooled(limited, column, pool); }), EINVAL,
                                 "percentiles need all pairs");
            }
        }
    }
}

TEST(LongRuns, NotANumberStays)
{
    for (const int64_t at : {int64_t{0}, int64_t{5}, kMany - 1}) {
        ScoreTable whole({"a"});
        ScoreTable limited({"a"});
        limited.limit({});
        for (int64_t i = 0; i < kMany; ++i) {
            const double value = i == at ? NAN : static_cast<double>(i % 100);
            whole.add(i, &value);
            limited.add(i, &value);
        }
        for (int pool = VMAFGPU_POOL_MIN; pool <= VMAFGPU_POOL_HARMONIC_MEAN; ++pool) {
            const double wanted = pooled(whole, 0, static_cast<VmafGpuPool>(pool));
            const double got = pooled(limited, 0, static_cast<VmafGpuPool>(pool));
            EXPECT_EQ(std::isnan(got), std::isnan(wanted)) << pool << " " << at;
            EXPECT_TRUE(std::isnan(wanted) || wanted == got) << pool << " " << at;
        }
    }
}

TEST(LongRuns, RowsReachTheLog)
{
    const TemporaryFolder folder;
    for (const char *format : {"csv", "csv_strict", "sub"}) {
        ScoreTable whole(names());
        fill(whole, kMany);
        write_to(folder / "whole", whole, format);
        ScoreTable limited(names());
        ReportFile file(folder / "stream");
        RowStream stream(format, 6, names(), file);
        limited.limit([&](int64_t index, const double *scores) { stream.take(index, scores); });
        fill(limited, kMany);
        VmafGpuLog log = default_log();
        log.format = format;
        write_report({limited, RunFacts(), log, &file, &stream});
        file.commit();
        EXPECT_EQ(read_text(folder / "stream"), read_text(folder / "whole"));
        log.format = "json";
        log.path = "x";
        expect_error(error_of([&] {
                         write_report({limited, RunFacts(), log});
                     }),
                     EINVAL, "the pairs of this log were not kept");
    }
}

/// Scores so many pairs of one small picture with itself.
void score(VmafGpuContext *ctx, int64_t count)
{
    StoredPicture picture(make_image(32, 32, 8, 0, false));
    VmafGpuResult result;
    for (int64_t i = 0; i < count; ++i) {
        int status = 0;
        while ((status = vmafgpu_submit(ctx, &picture.picture, &picture.picture, 0)) == -EAGAIN)
            ASSERT_EQ(0, vmafgpu_collect(ctx, &result, 1));
        ASSERT_EQ(0, status) << vmafgpu_error_text(ctx);
    }
    ASSERT_EQ(0, vmafgpu_flush(ctx));
    while (vmafgpu_collect(ctx, &result, 1) == 0)
        continue;
}

TestSettings cheap()
{
    TestSettings settings;
    settings.width = settings.height = 32;
    settings.models = {};
    settings.features = {{"psnr", "enable_chroma=false"}};
    return settings;
}

TEST(LongRuns, AStreamedLogIsTheOnlyOne)
{
    const TemporaryFolder folder;
    const std::string path = folder / "log.csv";
    VmafGpuOutput *output = nullptr;
    ASSERT_EQ(0, vmafgpu_output_open(&output, path.c_str(), "log", 0, nullptr));
    TestContext context(cheap());
    ASSERT_EQ(0, context.status) << context.error.text;
    VmafGpuLog log = default_log();
    log.output = output;
    log.format = "json"; // needs all pairs: not streamed
    ASSERT_EQ(0, vmafgpu_stream_log(context.get(), &log));
    log.format = "csv";
    ASSERT_EQ(0, vmafgpu_stream_log(context.get(), &log));
    EXPECT_EQ(-EINVAL, vmafgpu_stream_log(context.get(), &log));
    EXPECT_EQ(-EINVAL, vmafgpu_stream_log(context.get(), nullptr));
    score(context.get(), kMany - 1);
    EXPECT_EQ(-EBUSY, vmafgpu_reset(context.get()));
    const std::string other_path = folder / "other.csv";
    VmafGpuLog other = log;
    other.output = nullptr;
    other.path = other_path.c_str();
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &other));
    other = log;
    other.format = "csv_strict";
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &other));
    other = log;
    other.precision = 9;
    EXPECT_EQ(-EINVAL, vmafgpu_write_log(context.get(), &other));
    EXPECT_NE(std::string::npos, std::string(vmafgpu_error_text(context.get())).find("differs"));
    EXPECT_EQ(0, vmafgpu_write_log(context.get(), &log));
    EXPECT_EQ(0, vmafgpu_output_finish(output, 1, nullptr));
    context.close();
    vmafgpu_output_close(&output);
    const std::string text = read_text(path);
    EXPECT_EQ(kMany, std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(text.substr(0, 6), "Frame,");
    EXPECT_NE(std::string::npos, text.find("\n0,")) << text.substr(0, 100);
    EXPECT_EQ(folder.list(), (std::vector<std::string>{"log.csv"}));
}

TEST(LongRuns, DroppedPairsDoNotComeBack)
{
    const TemporaryFolder folder;
    VmafGpuOutput *output = nullptr;
    ASSERT_EQ(0, vmafgpu_output_open(&output, (folder / "log").c_str(), "log", 0, nullptr));
    TestContext context(cheap());
    ASSERT_EQ(0, context.status) << context.error.text;
    VmafGpuLog log = default_log();
    log.output = output;
    log.format = "csv";
    EXPECT_EQ(0, vmafgpu_stream_log(context.get(), nullptr));
    EXPECT_EQ(0, vmafgpu_stream_log(context.get(), nullptr));
    score(context.get(), kMany);
    EXPECT_EQ(-EINVAL, vmafgpu_stream_log(context.get(), nullptr));
    EXPECT_EQ(-EINVAL, vmafgpu_stream_log(context.get(), &log));
    EXPECT_EQ(0, vmafgpu_reset(context.get()));
    EXPECT_EQ(0, vmafgpu_stream_log(context.get(), &log));
    context.close();
    vmafgpu_output_close(&output);
}

size_t errors_of(const TestContext &context)
{
    return static_cast<size_t>(
        std::count_if(context.log.begin(), context.log.end(), [](const LogLine &line) {
            return line.text.find("No space left") != std::string::npos;
        }));
}

/// A full disk in mid-run is told at once and once, and the pools are not lost.
TEST(LongRuns, FullDiskIsToldAtOnce)
{
    VmafGpuOutput *output = nullptr;
    ASSERT_EQ(0, vmafgpu_output_open(&output, "/dev/full", "log", 0, nullptr));
    TestContext context(cheap());
    ASSERT_EQ(0, context.status) << context.error.text;
    VmafGpuLog log = default_log();
    log.output = output;
    log.format = "csv";
    ASSERT_EQ(0, vmafgpu_stream_log(context.get(), &log));
    score(context.get(), kMany);
    EXPECT_EQ(errors_of(context), 1U);
    double mean = 0;
    EXPECT_EQ(0, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, &mean));
    EXPECT_GT(mean, 0);
    EXPECT_EQ(-ENOSPC, vmafgpu_write_log(context.get(), &log));
    EXPECT_EQ(-ENOSPC, vmafgpu_write_log(context.get(), &log));
    EXPECT_EQ(errors_of(context), 3U); // each call that fails says why
    context.close();
    vmafgpu_output_close(&output);
}

/// Memory does not grow if the disk is full.
TEST(LongRuns, ALostLogKeepsNoRows)
{
    ScoreTable limited({"a"});
    ReportFile file("/dev/full");
    std::vector<std::string> told;
    RowStream stream("csv", 6, {"a"}, file, [&](const char *text) { told.emplace_back(text); });
    limited.limit([&](int64_t index, const double *scores) { stream.take(index, scores); });
    const double value = 1;
    for (int64_t i = 0; i < 10 * kMany; ++i)
        limited.add(i, &value);
    EXPECT_EQ(told,
              std::vector<std::string>{"cannot write log '/dev/full': No space left on device"});
    EXPECT_LE(limited.rows(), size_t{ScoreTable::kKept});
    VmafGpuLog log = default_log();
    log.format = "csv";
    expect_error(error_of([&] {
                     write_report({limited, RunFacts(), log, &file, &stream});
                 }),
                 ENOSPC, "pairs are missing");
}

TEST(LongRuns, IncompleteLogsSaySo)
{
    ScoreTable table(names());
    fill(table, 2);
    VmafGpuLog log = default_log();
    log.incomplete = "no \"memory\"\nleft";
    const std::string csv = report_text(table, "csv", log);
    EXPECT_EQ(csv.substr(csv.rfind("\n#")), "\n# incomplete: no \"memory\" left\n");
    const std::string sub = report_text(table, "sub", log);
    EXPECT_EQ(sub.substr(sub.rfind("\n{")), "\n{2}{3}incomplete: no \"memory\" left\n");
    EXPECT_NE(report_text(table, "json", log).find("\"incomplete\": \"no \\\"memory\\\"\\nleft\""),
              std::string::npos);
    EXPECT_NE(report_text(table, "xml", log).find("<incomplete reason=\"no &quot;memory&quot;"),
              std::string::npos);
    EXPECT_NE(report_text(table, "html", log).find("Incomplete: no"), std::string::npos);
}

/// A spreadsheet must not take a model's name for a formula.
TEST(LongRuns, NamesAreNoFormulas)
{
    EXPECT_EQ(report_text(ScoreTable({"=1+1", "-a", "b=1"}), "csv"), "Frame,'=1+1,'-a,b=1,\n");
}

TEST(LongRuns, ADayAt60FramesPerSecondIsFlat)
{
    ScoreTable limited({"a", "b"});
    limited.limit({});
    long early = 0;
    for (int64_t i = 0; i < kDay; ++i) {
        const double unit = static_cast<double>(i * 7919 % 1000003) / 1000003;
        const double row[] = {unit, 100 * unit};
        limited.add(i, row);
        if (i == 100000)
            early = resident_kib();
    }
    EXPECT_EQ(static_cast<int64_t>(limited.left() + limited.rows()), kDay);
    EXPECT_LT(resident_kib() - early, 2 << 10);
}

} // namespace
} // namespace vmafgpu::long_runs_test
