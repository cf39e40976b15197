// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory that runs out while pairs leave the table of a limited context. Each allocation of that
// moment fails in turn; every pair then counts once, in pools and in a streamed log. Whole runs are
// in test_alloc.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "core/pooling.h"
#include "fail_malloc.h"
#include "fixture.h"

namespace vmafgpu {
namespace {

constexpr int64_t kCount = int64_t{ScoreTable::kKept} + 3;

/// Values of many sizes: the histograms allocate for each size.
std::array<double, 2> row_of(int64_t i)
{
    const double value = std::ldexp(1 + static_cast<double>(i % 1000) / 1000, i % 24 - 12);
    return {value, 1 - value};
}

/// Fills a table that is limited; allocation number `failing` of the rows that are too many fails.
/// Returns whether there was such an allocation.
bool fill(ScoreTable &table, long failing)
{
    bool is_armed = false;
    for (int64_t i = 0; i < kCount;) {
        const std::array<double, 2> row = row_of(i);
        if (i == int64_t{ScoreTable::kKept} && !is_armed) {
            fail_malloc_arm(failing, failing);
            is_armed = true;
        }
        try {
            table.add(i, row.data());
            ++i;
        } catch (const std::bad_alloc &) {
            continue; // as the engine does: the same pair again
        }
    }
    const bool has_failed = failing > 0 && fail_malloc_calls() >= failing;
    fail_malloc_arm(0, 0);
    return has_failed;
}

TEST(AllocationsOfTheTable, EachPairCountsOnce)
{
    ScoreTable whole({"a", "b"});
    fill(whole, 0);
    long failing = 1;
    for (bool has_failed = true; has_failed; ++failing) {
        ScoreTable limited({"a", "b"});
        std::vector<int64_t> left;
        left.reserve(kCount);
        limited.limit([&](int64_t index, const double *) { left.push_back(index); });
        has_failed = fill(limited, failing);
        ASSERT_EQ(limited.left() + limited.rows(), static_cast<size_t>(kCount)) << failing;
        ASSERT_GT(limited.left(), 0U) << failing;
        ASSERT_EQ(left.size(), limited.left()) << failing;
        for (size_t i = 0; i < left.size(); ++i)
            ASSERT_EQ(left[i], static_cast<int64_t>(i)) << failing;
        for (size_t row = 0; row < limited.rows(); ++row)
            ASSERT_EQ(limited.index(row), static_cast<int64_t>(limited.left() + row)) << failing;
        for (size_t column = 0; column < 2; ++column)
            for (const VmafGpuPool pool : {VMAFGPU_POOL_MIN, VMAFGPU_POOL_MAX, VMAFGPU_POOL_MEAN,
                                           VMAFGPU_POOL_HARMONIC_MEAN})
                ASSERT_EQ(pooled(limited, column, pool), pooled(whole, column, pool)) << failing;
    }
    EXPECT_GT(failing, 40); // 24 sizes and two columns
}

/// Scores kCount pairs; allocation number `failing` of collecting the last ones fails. Returns
/// the mean and the log, or the error of writing it.
std::pair<double, std::string> run(const std::string &path, long failing, bool *has_failed)
{
    VmafGpuOutput *output = nullptr;
    EXPECT_EQ(0, vmafgpu_output_open(&output, path.c_str(), "log", 0, nullptr));
    TestSettings settings;
    settings.width = settings.height = 32;
    settings.models = {};
    settings.features = {{"psnr", "enable_chroma=false"}};
    TestContext context(settings);
    EXPECT_EQ(0, context.status) << context.error.text;
    VmafGpuLog log = {};
    log.output = output;
    log.format = "csv";
    log.precision = 6;
    EXPECT_EQ(0, vmafgpu_stream_log(context.get(), &log));
    StoredPicture reference(make_image(32, 32, 8, 0, false));
    StoredPicture distorted(make_image(32, 32, 8, 0, true));
    VmafGpuResult result = {};
    *has_failed = false;
    for (int64_t i = 0; i < kCount; ++i) {
        EXPECT_EQ(
            0, vmafgpu_submit(context.get(), &reference.picture, &distorted.picture, uint64_t(i)));
        if (i >= int64_t{ScoreTable::kKept})
            fail_malloc_arm(failing, failing);
        int status = vmafgpu_collect(context.get(), &result, 1);
        if (status == -ENOMEM)
            status = vmafgpu_collect(context.get(), &result, 1);
        *has_failed = *has_failed || (failing > 0 && fail_malloc_calls() >= failing &&
                                      i >= int64_t{ScoreTable::kKept});
        fail_malloc_arm(0, 0);
        EXPECT_EQ(0, status) << vmafgpu_error_text(context.get());
        EXPECT_EQ(i, result.index);
    }
    double mean = 0;
    EXPECT_EQ(0, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, &mean));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    const int status = vmafgpu_write_log(context.get(), &log);
    if (status == 0) {
        EXPECT_EQ(0, vmafgpu_output_finish(output, 1, nullptr));
    }
    context.close();
    vmafgpu_output_close(&output);
    if (status != 0)
        return {mean, std::to_string(status)};
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return {mean, text.str()};
}

TEST(AllocationsOfTheTable, StreamedLogsHaveEachPairOnce)
{
    const std::string path = ::testing::TempDir() + "/vmafgpu_alloc_log.csv";
    fail_malloc_on_this_stack(); // a pair whose computation fails is another test's
    bool has_failed = true;
    const auto wanted = run(path, 0, &has_failed);
    EXPECT_EQ(kCount + 1, std::count(wanted.second.begin(), wanted.second.end(), '\n'));
    long failing = 1;
    for (has_failed = true; has_failed && failing < 24; ++failing) {
        const auto got = run(path, failing, &has_failed);
        ASSERT_EQ(wanted.first, got.first) << failing;
        // A log whose row failed is lost, and says so.
        ASSERT_TRUE(wanted.second == got.second || got.second == std::to_string(-ENOMEM))
            << failing;
    }
    fail_malloc_on_all_stacks();
    std::remove(path.c_str());
    EXPECT_GT(failing, 2);
}

} // namespace
} // namespace vmafgpu
