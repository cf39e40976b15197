// SPDX-License-Identifier: BSD-2-Clause-Patent
// Who owns a picture when: faults leave it to the caller, everything else ends
// in exactly one release, on the caller's thread.
#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <functional>

#include "fixture.h"

namespace vmafgpu::api_pictures_test {
namespace {

struct Pair {
    explicit Pair(const TestSettings &settings, int frame = 0)
        : reference(make_image(settings.width, settings.height, settings.depth, frame, false)),
          distorted(make_image(settings.width, settings.height, settings.depth, frame, true))
    {
    }
    StoredPicture reference, distorted;

    int submit(const TestContext &context, uint64_t tag = 0) const
    {
        return vmafgpu_submit(context.get(), &reference.picture, &distorted.picture, tag);
    }
    void expect_releases(int count) const
    {
        EXPECT_EQ(count, reference.releases);
        EXPECT_EQ(count, distorted.releases);
        EXPECT_FALSE(reference.was_released_elsewhere);
        EXPECT_FALSE(distorted.was_released_elsewhere);
    }
};

struct Fault {
    const char *name;
    const char *expected; ///< part of the error's text
    std::function<void(VmafGpuPicture &)> spoil;
};

#define SET(what)                                                                                  \
    [](auto &p) {                                                                                  \
        what;                                                                                      \
    }
const Fault kFaults[] = {
    {"wider", "65x48", SET(p.width = 65)},
    {"lower", "64x47", SET(p.height = 47)},
    {"depth 0", "depth", SET(p.depth = 0)},
    {"depth 7", "depth", SET(p.depth = 7)},
    {"too deep", "8 to 10", SET(p.depth = 12)},
    {"negative depth", "depth", SET(p.depth = INT_MIN)},
    {"negative shift", "shift", SET(p.shift = -1)},
    {"shift past the container", "shift", SET(p.shift = 7)},
    {"huge shift", "shift", SET(p.shift = INT_MAX)},
    {"8 bit shifted", "shift", SET(p.depth = 8; p.shift = 1)},
    {"no luma", "plane 0 is NULL", SET(p.plane[0].data = nullptr)},
    {"pitch 0", "pitch", SET(p.plane[0].pitch = 0)},
    {"pitch below a row", "pitch", SET(p.plane[0].pitch = 127)},
    {"negative pitch below a row", "pitch", SET(p.plane[0].pitch = -127)},
    {"step 1 of two bytes", "step", SET(p.plane[0].step = 1)},
    {"negative step", "step", SET(p.plane[0].step = -2)},
    {"step against pitch", "pitch", SET(p.plane[0].step = 4)},
    {"memory", "memory", SET(p.memory = 77)},
    {"flags", "picture flags", SET(p.flags = 2)},
    {"device memory", "memory", SET(p.memory = VMAFGPU_MEMORY_DEVICE)},
    {"odd pitch in device memory", "even addresses",
     SET(p.memory = VMAFGPU_MEMORY_DEVICE; p.plane[0].pitch = 129)},
    {"odd step in device memory", "even addresses",
     SET(p.memory = VMAFGPU_MEMORY_DEVICE; p.plane[0].step = 3; p.plane[0].pitch = 192)},
};
#undef SET

TEST(pictures, faults_leave_them_to_the_caller)
{
    TestSettings settings;
    settings.depth = 10;
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    for (const Fault &fault : kFaults) {
        for (const bool is_distorted : {false, true}) {
            SCOPED_TRACE(fault.name);
            Pair pair(settings);
            fault.spoil((is_distorted ? pair.distorted : pair.reference).picture);
            context.log.clear();
            EXPECT_EQ(-EINVAL, pair.submit(context));
            pair.expect_releases(0);
            const std::string text = vmafgpu_error_text(context.get());
            EXPECT_NE(std::string::npos, text.find(fault.expected)) << text;
            EXPECT_EQ(std::string::npos, text.find('\n')) << text;
            ASSERT_EQ(1U, context.log.size()); // told once
            EXPECT_EQ(text, context.log[0].text);
            EXPECT_EQ(VMAFGPU_LOG_ERROR, context.log[0].level);
        }
    }
    // The context is none the worse for it.
    Pair good(settings);
    EXPECT_EQ(0, good.submit(context));
    context.close();
    good.expect_releases(1);
}

TEST(pictures, null_pictures)
{
    TestSettings settings;
    TestContext context(settings);
    Pair pair(settings);
    EXPECT_EQ(-EINVAL, vmafgpu_submit(context.get(), nullptr, &pair.distorted.picture, 0));
    EXPECT_EQ(-EINVAL, vmafgpu_submit(context.get(), &pair.reference.picture, nullptr, 0));
    EXPECT_EQ(-EINVAL, vmafgpu_submit(context.get(), nullptr, nullptr, 0));
    EXPECT_EQ(-EINVAL,
              vmafgpu_submit(nullptr, &pair.reference.picture, &pair.distorted.picture, 0));
    pair.expect_releases(0);
}

TEST(pictures, chroma_may_be_missing)
{
    TestSettings settings;
    Pair pair(settings); // outlives the context, which holds it
    TestContext context(settings);
    ASSERT_EQ(nullptr, pair.reference.picture.plane[1].data);
    EXPECT_EQ(0, pair.submit(context));
}

TEST(pictures, a_release_is_optional)
{
    TestSettings settings;
    Pair pair(settings);
    TestContext context(settings);
    pair.reference.picture.release = nullptr;
    EXPECT_EQ(0, pair.submit(context));
    context.close();
    EXPECT_EQ(0, pair.reference.releases);
    EXPECT_EQ(1, pair.distorted.releases);
}

TEST(pictures, a_full_ring_leaves_them_to_the_caller)
{
    TestSettings settings;
    settings.ring = 1;
    const Pair pairs[] = {Pair(settings, 0), Pair(settings, 1), Pair(settings, 2)};
    {
        TestContext context(settings);
        EXPECT_EQ(0, pairs[0].submit(context));
        EXPECT_EQ(0, pairs[1].submit(context));
        EXPECT_EQ(-EAGAIN, pairs[2].submit(context));
        pairs[2].expect_releases(0);
        EXPECT_TRUE(context.log.empty() || context.log.back().level > VMAFGPU_LOG_ERROR);
    }
    pairs[0].expect_releases(1);
    pairs[1].expect_releases(1);
    pairs[2].expect_releases(0);
}

/// Pictures that are used in place, and pictures that are copied at submit.
class Release : public testing::TestWithParam<bool> {
protected:
    TestRun make(int frames) const
    {
        Layout layout;
        layout.step = GetParam() ? 2 : 0;
        return make_run(TestSettings(), frames, layout);
    }
    static void expect_each_once(const TestRun &run)
    {
        for (const auto *list : {&run.reference, &run.distorted}) {
            for (const auto &picture : *list) {
                EXPECT_EQ(1, picture->releases);
                EXPECT_FALSE(picture->was_released_elsewhere);
            }
        }
    }
};

TEST_P(Release, once_in_a_whole_run)
{
    TestRun run = make(9);
    {
        TestContext context(TestSettings{});
        ASSERT_EQ(9U, run_all(context, run).size());
        expect_each_once(run); // all pairs are collected: no picture is held back
    }
    expect_each_once(run);
}

TEST_P(Release, once_when_closed_in_flight)
{
    TestRun run = make(4);
    TestContext context(TestSettings{});
    for (size_t i = 0; i < 4; ++i)
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                    &run.distorted[i]->picture, i));
    context.close();
    expect_each_once(run);
}

TEST_P(Release, once_when_subsampled)
{
    TestRun run = make(7);
    TestSettings settings;
    settings.subsample = 3;
    TestContext context(settings);
    ASSERT_EQ(7U, run_all(context, run).size());
    context.close();
    expect_each_once(run);
}

TEST_P(Release, once_when_reset_in_flight)
{
    TestRun run = make(4);
    TestContext context(TestSettings{});
    for (size_t i = 0; i < 4; ++i)
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                    &run.distorted[i]->picture, i));
    ASSERT_EQ(0, vmafgpu_reset(context.get()));
    expect_each_once(run);
}

// reg45: a decoder's pool may be small. What is held back must stay bounded.
TEST_P(Release, reg45_few_are_held_at_a_time)
{
    TestRun run = make(20);
    TestSettings settings;
    settings.ring = 2;
    TestContext context(settings);
    VmafGpuResult result;
    for (size_t i = 0; i < 20; ++i) {
        while (vmafgpu_submit(context.get(), &run.reference[i]->picture, &run.distorted[i]->picture,
                              i) == -EAGAIN)
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
        int held = 0;
        for (size_t k = 0; k <= i; ++k)
            held += run.reference[k]->releases == 0;
        EXPECT_LE(held, settings.ring + 2); // the delay's pair and motion's earlier picture
    }
}

INSTANTIATE_TEST_SUITE_P(pictures, Release, testing::Bool(),
                         [](const auto &param) { return param.param ? "copied" : "in_place"; });

} // namespace
} // namespace vmafgpu::api_pictures_test
