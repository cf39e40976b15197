// SPDX-License-Identifier: BSD-2-Clause-Patent
// The engine's promises through the public API, on the CPU: order, ring,
// subsampling, segments, threads, many models. Every score is compared by its
// bits with another way to compute it. Layouts: test_images.cpp.
#include <gtest/gtest.h>

#include <cerrno>

#include "fixture.h"

namespace vmafgpu::engine_test {
namespace {

/// Frame pairs that are submitted before the ring of a context says "full".
int fill_ring(TestContext &context, TestRun &run)
{
    for (size_t i = 0; i < run.reference.size(); ++i) {
        const int status = vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                          &run.distorted[i]->picture, i);
        if (status == -EAGAIN)
            return static_cast<int>(i);
        EXPECT_EQ(0, status);
    }
    return -1;
}

class Rings : public testing::TestWithParam<int> {};

TEST_P(Rings, reg37_any_depth_same_scores_in_order)
{
    TestSettings settings;
    settings.ring = 4;
    const auto expected = run_all(settings, 11);
    settings.ring = GetParam();
    const auto rows = run_all(settings, 11);
    ASSERT_EQ(11U, rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(100 + i, rows[i].tag);
        EXPECT_EQ(static_cast<int64_t>(i), rows[i].index);
        EXPECT_TRUE(rows[i].is_scored);
    }
    expect_equal(expected, rows);
}

TEST_P(Rings, reg42_is_full_after_its_depth_and_the_delay)
{
    TestSettings settings;
    settings.ring = GetParam();
    TestRun run = make_run(settings, 12);
    {
        TestContext context(settings);
        ASSERT_EQ(0, context.status);
        EXPECT_EQ(settings.ring + 1, fill_ring(context, run)); // motion2 waits for one more
        VmafGpuResult result;
        EXPECT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
        const auto next = static_cast<size_t>(settings.ring + 1);
        EXPECT_EQ(0, run.reference[next]->releases);
        EXPECT_EQ(0, vmafgpu_submit(context.get(), &run.reference[next]->picture,
                                    &run.distorted[next]->picture, 0));
        EXPECT_EQ(-EAGAIN, vmafgpu_submit(context.get(), &run.reference[next]->picture,
                                          &run.distorted[next]->picture, 0));
    }
}

INSTANTIATE_TEST_SUITE_P(engine, Rings, testing::Range(1, 9));

TEST(engine, without_delay_the_ring_is_exact)
{
    TestSettings settings;
    settings.models.clear();
    settings.features = {{"vif", nullptr}};
    settings.ring = 3;
    TestRun run = make_run(settings, 5);
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    EXPECT_EQ(3, fill_ring(context, run));
    VmafGpuResult result;
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(-EAGAIN, vmafgpu_collect(context.get(), &result, 1)); // more may come
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
}

TEST(engine, threads_never_change_a_bit)
{
    TestSettings settings;
    settings.threads = 1;
    const auto expected = run_all(settings, 8);
    for (const int threads : {2, 3, 8, 0}) {
        SCOPED_TRACE(threads);
        settings.threads = threads;
        expect_equal(expected, run_all(settings, 8));
    }
}

TEST(engine, reg38_last_pair_needs_a_successor_or_a_flush)
{
    TestSettings settings;
    TestRun run = make_run(settings, 2);
    TestContext context(settings);
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[0]->picture,
                                &run.distorted[0]->picture, 7));
    EXPECT_EQ(-EAGAIN, vmafgpu_collect(context.get(), &result, 1));
    ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[1]->picture,
                                &run.distorted[1]->picture, 8));
    EXPECT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(7U, result.tag);
    EXPECT_EQ(-EAGAIN, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(8U, result.tag);
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
}

/// Pictures so large that the first looks come before they are computed. A sanitizer makes small
/// ones slow.
TEST(engine, without_wait_it_has_the_same_scores)
{
    TestSettings settings;
    settings.width = is_sanitized() ? 160 : 640;
    settings.height = is_sanitized() ? 90 : 360;
    const auto expected = run_all(settings, 4);
    TestRun run = make_run(settings, 4);
    TestContext context(settings);
    ASSERT_EQ(-1, fill_ring(context, run));
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    std::vector<std::vector<double>> scores;
    int status = -EAGAIN;
    VmafGpuResult result;
    while (status == 0 || status == -EAGAIN) {
        status = vmafgpu_collect(context.get(), &result, 0);
        if (status == 0)
            scores.push_back(row_of(result).scores);
    }
    EXPECT_EQ(-ENODATA, status);
    ASSERT_EQ(4U, scores.size());
    for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(expected[i].scores, scores[i]);
}

TEST(engine, reg35_short_clips)
{
    const TestSettings settings;
    const auto full = run_all(settings, 3);
    TestContext names(settings);
    const auto motion2 = static_cast<size_t>(names.column("integer_motion2"));
    for (int frames = 0; frames <= 3; ++frames) {
        SCOPED_TRACE(frames);
        const auto rows = run_all(settings, frames);
        ASSERT_EQ(static_cast<size_t>(frames), rows.size());
        for (int i = 0; i + 1 < frames; ++i)
            EXPECT_TRUE(rows[static_cast<size_t>(i)] == full[static_cast<size_t>(i)]);
        if (frames > 0) {
            EXPECT_EQ(0.0, rows[0].scores[motion2]);
        }
    }
    EXPECT_GT(full[1].scores[motion2], 0.0);
}

// reg39: kept pairs have the values of the full run, motion included.
TEST(engine, reg39_subsample_equals_the_full_run)
{
    TestSettings settings;
    const auto full = run_all(settings, 10);
    for (const int subsample : {2, 3, 7, 100}) {
        SCOPED_TRACE(subsample);
        settings.subsample = subsample;
        const auto rows = run_all(settings, 10);
        ASSERT_EQ(full.size(), rows.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(full[i].tag, rows[i].tag);
            EXPECT_EQ(full[i].index, rows[i].index);
            const bool is_kept = i % static_cast<size_t>(subsample) == 0;
            EXPECT_EQ(is_kept, rows[i].is_scored);
            if (is_kept)
                EXPECT_TRUE(full[i] == rows[i]) << "pair " << i << " differs";
            else
                EXPECT_TRUE(rows[i].scores.empty());
        }
    }
}

TEST(engine, a_flush_begins_a_segment)
{
    const TestSettings settings;
    TestRun run = make_run(settings, 7);
    run.flush_after = {2, 3};
    TestContext context(settings);
    const auto rows = run_all(context, run);
    ASSERT_EQ(7U, rows.size());

    // Each segment is scored alone, in a context of its own.
    const size_t begins[] = {0, 3, 4, 7};
    for (int s = 0; s < 3; ++s) {
        TestRun alone = make_run(settings, 7);
        TestRun part;
        for (size_t i = begins[s]; i < begins[s + 1]; ++i) {
            part.reference.push_back(std::move(alone.reference[i]));
            part.distorted.push_back(std::move(alone.distorted[i]));
        }
        TestContext own(settings);
        const auto expected = run_all(own, part);
        ASSERT_EQ(begins[s + 1] - begins[s], expected.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            const Row &row = rows[begins[s] + i];
            EXPECT_EQ(static_cast<int64_t>(begins[s] + i), row.index);
            EXPECT_EQ(expected[i].scores, row.scores) << "segment " << s << " pair " << i;
        }
    }
}

// reg37: a second flush changes nothing.
TEST(engine, reg37_double_flush)
{
    const TestSettings settings;
    const auto expected = run_all(settings, 3);
    TestRun run = make_run(settings, 3);
    TestContext context(settings);
    EXPECT_EQ(0, vmafgpu_flush(context.get())); // a flush before the first pair is allowed
    ASSERT_EQ(-1, fill_ring(context, run));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    std::vector<Row> rows;
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    ASSERT_EQ(3U, rows.size());
    for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(expected[i].scores, rows[i].scores);
}

TEST(engine, reset_forgets_everything)
{
    const TestSettings settings;
    const auto expected = run_all(settings, 5);
    TestContext context(settings);
    TestRun earlier = make_run(settings, 4);
    ASSERT_EQ(-1, fill_ring(context, earlier));
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    ASSERT_EQ(0, vmafgpu_reset(context.get())); // three pairs in flight
    for (const auto &picture : earlier.reference)
        EXPECT_EQ(1, picture->releases);
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
    double value = 0;
    EXPECT_EQ(-ENODATA, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, &value));
    TestRun run = make_run(settings, 5);
    expect_equal(expected, run_all(context, run));
}

TEST(engine, models_together_equal_each_alone)
{
    TestSettings settings;
    settings.models = {"vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1"};
    TestRun run = make_run(settings, 4);
    TestContext together(settings);
    const auto rows = run_all(together, run);
    ASSERT_EQ(4U, rows.size());
    for (int m = 0; m < 3; ++m) {
        TestSettings one = settings;
        one.models = {settings.models[static_cast<size_t>(m)]};
        TestRun again = make_run(one, 4);
        TestContext alone(one);
        const auto expected = run_all(alone, again);
        ASSERT_EQ(4U, expected.size());
        const int column = vmafgpu_model_score(together.get(), m);
        EXPECT_STREQ(one.models[0].c_str(), vmafgpu_score_name(together.get(), column));
        for (int c = 0; c + 1 < vmafgpu_score_count(alone.get()); ++c) {
            const int there = together.column(vmafgpu_score_name(alone.get(), c));
            ASSERT_GE(there, 0) << vmafgpu_score_name(alone.get(), c);
            for (size_t i = 0; i < 4; ++i)
                EXPECT_EQ(expected[i].scores[static_cast<size_t>(c)],
                          rows[i].scores[static_cast<size_t>(there)]);
        }
        for (size_t i = 0; i < 4; ++i)
            EXPECT_EQ(expected[i].scores.back(), rows[i].scores[static_cast<size_t>(column)]);
    }
}

// reg43: contexts that run at the same time, each on its own thread.
TEST(engine, reg43_two_contexts_at_once)
{
    const TestSettings settings;
    const auto expected = run_all(settings, 8);
    std::vector<std::vector<Row>> rows(3);
    std::vector<std::thread> threads;
    threads.reserve(rows.size());
    for (auto &mine : rows)
        threads.emplace_back([&mine, &settings] { mine = run_all(settings, 8); });
    for (std::thread &thread : threads)
        thread.join();
    for (const auto &mine : rows)
        expect_equal(expected, mine);
}

// reg40: a long run grows by the scores it keeps and by nothing else.
TEST(engine, reg40_memory_stays)
{
    if (is_sanitized())
        GTEST_SKIP() << "SKIP: sanitizers keep freed memory, so growth says nothing";
    TestSettings settings;
    settings.width = settings.height = 32;
    settings.depth = 10; // not usable in place below: every picture is copied
    TestContext context(settings);
    ASSERT_EQ(0, context.status);
    Layout layout;
    layout.shift = 6;
    TestRun run = make_run(settings, 2, layout);
    for (auto *list : {&run.reference, &run.distorted})
        for (const auto &stored : *list)
            stored->picture.release = nullptr;
    VmafGpuResult result;
    const auto feed = [&](size_t pairs) {
        for (size_t i = 0; i < pairs; ++i) {
            while (vmafgpu_submit(context.get(), &run.reference[i % 2]->picture,
                                  &run.distorted[i % 2]->picture, i) == -EAGAIN)
                ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
            ASSERT_EQ(0, i % 50 == 49 ? vmafgpu_flush(context.get()) : 0);
        }
    };
    feed(500);
    const long before = resident_kib();
    if (before == 0)
        GTEST_SKIP() << "SKIP: /proc/self/statm cannot be read";
    feed(3000);
    // 3000 rows of ~20 doubles are 0.5 MB; vectors double. 3000 pictures are 12 MB.
    EXPECT_LT(resident_kib() - before, 3072);
}

} // namespace
} // namespace vmafgpu::engine_test
