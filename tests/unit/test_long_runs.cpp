// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs without end: a limited score table has the pools of a table that keeps everything, its rows
// reach the log, and memory does not grow.
#include <unistd.h>

#include <cmath>
#include <random>

#include "core/pooling.h"
#include "report/report_rows.h"
#include "report_fixtures.h"

namespace vmafgpu {
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
            for (const VmafGpuPool pool : {VMAFGPU_POOL_PERC1, VMAFGPU_POOL_PERC5,
                                           VMAFGPU_POOL_PERC10, VMAFGPU_POOL_PERC20}) {
                const double exact = pooled(whole, column, pool);
                EXPECT_NEAR(pooled(limited, column, pool), exact,
                            count > 16384 ? std::fabs(exact) * 0.00025 : 0);
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
        for (int pool = VMAFGPU_POOL_MIN; pool <= VMAFGPU_POOL_PERC20; ++pool) {
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
        limited.limit([&](int64_t index, const double *scores) { stream.write(index, scores); });
        fill(limited, kMany);
        EXPECT_TRUE(stream.has_begun());
        VmafGpuLog log = default_log();
        log.format = format;
        write_report({limited, 16, 16, log, {}, nullptr, nullptr, &file, &stream});
        file.commit();
        EXPECT_EQ(read_text(folder / "stream"), read_text(folder / "whole"));
        log.format = "json";
        log.path = "x";
        expect_error(error_of([&] {
                         write_report({limited, 16, 16, log});
                     }),
                     EINVAL, "the pairs of this log were not kept");
    }
}

/// A full disk in mid-run is told at the end, and the pools are not lost.
TEST(LongRuns, FullDisk)
{
    ReportFile file("/dev/full");
    RowStream stream("csv", 6, names(), file);
    ScoreTable limited(names());
    limited.limit([&](int64_t index, const double *scores) { stream.write(index, scores); });
    fill(limited, kMany);
    expect_error(error_of([&] { stream.check(); }), ENOSPC, "No space left");
    EXPECT_GT(pooled(limited, 1, VMAFGPU_POOL_MEAN), 0);
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

long resident_bytes()
{
    long pages = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
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
            early = resident_bytes();
    }
    EXPECT_EQ(static_cast<int64_t>(limited.left() + limited.rows()), kDay);
    EXPECT_LT(resident_bytes() - early, 2 << 20);
}

} // namespace
} // namespace vmafgpu
