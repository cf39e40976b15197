// SPDX-License-Identifier: BSD-2-Clause-Patent
// vmafgpu_cut() at every position: the table of scores is that of a clip that ends behind the last
// collected pair, to the last bit, and what follows is a new segment.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <unistd.h>

#include "image_fixture.h"

namespace vmafgpu {
namespace {

constexpr int kFrames = 8;

/// The table of scores, with every bit.
std::string table_of(TestContext &context)
{
    const std::string path =
        testing::TempDir() + "vmafgpu_cut_" + std::to_string(getpid()) + ".csv";
    VmafGpuLog log = {};
    log.path = path.c_str();
    log.format = "csv";
    log.precision = VMAFGPU_PRECISION_MAX;
    EXPECT_EQ(0, vmafgpu_write_log(context.get(), &log)) << vmafgpu_error_text(context.get());
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::remove(path.c_str());
    return text;
}

class Cut : public testing::TestWithParam<std::string> {
protected:
    /// Frames of a clip, first to last - 1, whose pictures are images or not by turns. Numbers
    /// are tags.
    void submit(TestContext &context, int first, int last, const std::vector<int> &flush_after)
    {
        for (int i = first; i < last; ++i) {
            for (const bool is_distorted : {false, true})
                pictures_.push_back(
                    std::make_unique<StoredPicture>(make_image(64, 48, 8, i, is_distorted)));
            const VmafGpuPicture &reference = pictures_[pictures_.size() - 2]->picture;
            const VmafGpuPicture &distorted = pictures_.back()->picture;
            const auto tag = static_cast<uint64_t>(i);
            if (i % 3 != 1) {
                VmafGpuImage *images[2] = {};
                ASSERT_EQ(0, vmafgpu_image_take(context.get(), &reference, 0, &images[0]));
                ASSERT_EQ(0, vmafgpu_image_take(context.get(), &distorted, 0, &images[1]));
                ASSERT_EQ(0, vmafgpu_submit_images(context.get(), images[0], images[1], tag));
                vmafgpu_image_free(context.get(), &images[0]);
                vmafgpu_image_free(context.get(), &images[1]);
            } else {
                ASSERT_EQ(0, vmafgpu_submit(context.get(), &reference, &distorted, tag));
            }
            for (const int at : flush_after)
                ASSERT_EQ(0, at == i ? vmafgpu_flush(context.get()) : 0);
        }
    }

    static void collect(TestContext &context, int count, int first_index)
    {
        VmafGpuResult result;
        for (int i = 0; i < count; ++i) {
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
            EXPECT_EQ(first_index + i, result.index);
        }
    }

    void expect_cuts(const TestSettings &settings, const std::vector<int> &flush_after, int delay)
    {
        std::string uncut_tables;
        const int step = is_sanitized() ? 2 : 1;
        for (int collected = step - 1; collected + delay <= kFrames; collected += step) {
            SCOPED_TRACE("cut after " + std::to_string(collected));
            TestContext context(settings);
            ASSERT_EQ(0, context.status) << context.error.text;
            submit(context, 0, kFrames, flush_after);
            collect(context, collected, 0);
            const std::string before = table_of(context);
            ASSERT_EQ(0, vmafgpu_cut(context.get())) << vmafgpu_error_text(context.get());
            VmafGpuResult result;
            EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));

            TestContext shorter(settings); // the clip that ends there
            submit(shorter, 0, collected, flush_after);
            ASSERT_EQ(0, vmafgpu_flush(shorter.get()));
            collect(shorter, collected, 0);
            EXPECT_EQ(table_of(shorter), table_of(context));
            uncut_tables += before == table_of(context) ? '=' : '!';
            EXPECT_EQ(0, vmafgpu_cut(context.get())); // nothing more to drop
            EXPECT_EQ(table_of(shorter), table_of(context));

            // Both contexts continue in the same way, in a new segment.
            for (TestContext *either : {&context, &shorter}) {
                submit(*either, kFrames, kFrames + 4, {});
                ASSERT_EQ(0, vmafgpu_flush(either->get()));
                collect(*either, 4, collected);
                EXPECT_EQ(-ENODATA, vmafgpu_collect(either->get(), &result, 1));
            }
            EXPECT_EQ(table_of(shorter), table_of(context));
            context.close();
            shorter.close();
            for (const auto &picture : pictures_)
                EXPECT_EQ(1, picture->releases);
            pictures_.clear();
        }
        // Where a later pair had been looked at, the cut did change scores.
        EXPECT_EQ(delay > 0, uncut_tables.find('!') != std::string::npos) << uncut_tables;
    }

    TestSettings settings(std::vector<std::string> models, std::vector<VmafGpuFeature> features)
    {
        TestSettings settings;
        settings.models = std::move(models);
        settings.features = std::move(features);
        settings.ring = 16;
        settings.device = GetParam();
        settings.chroma = VMAFGPU_CHROMA_400;
        return settings;
    }

    std::vector<std::unique_ptr<StoredPicture>> pictures_;
};

TEST_P(Cut, WithoutDelay)
{
    expect_cuts(settings({}, {{"vif", nullptr}}), {}, 0);
}

TEST_P(Cut, DelayOfOne)
{
    expect_cuts(settings({"vmaf_v0.6.1"}, {}), {}, 1);
}

TEST_P(Cut, DelayOfTwo)
{
    expect_cuts(settings({}, {{"motion", "motion_five_frame_window=true:debug=true"}}), {}, 2);
}

TEST_P(Cut, MovingAverage)
{
    expect_cuts(settings({}, {{"motion", "motion_moving_average=true"}}), {}, 1);
}

TEST_P(Cut, BetweenSegments)
{
    expect_cuts(settings({"vmaf_v0.6.1"}, {}), {2, 4}, 1);
    expect_cuts(settings({}, {{"motion", "motion_five_frame_window=true"}}), {3}, 2);
}

TEST_P(Cut, Subsampled)
{
    TestSettings every_second = settings({"vmaf_v0.6.1"}, {});
    every_second.subsample = 2;
    expect_cuts(every_second, {}, 1);
}

TEST_P(Cut, OfNothing)
{
    TestContext context(settings({"vmaf_v0.6.1"}, {}));
    VmafGpuResult result;
    EXPECT_EQ(0, vmafgpu_cut(context.get()));
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
    submit(context, 0, 1, {}); // its score waits for a successor
    EXPECT_EQ(-EAGAIN, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(0, vmafgpu_cut(context.get()));
    EXPECT_EQ(-ENODATA, vmafgpu_collect(context.get(), &result, 1));
    double value = 0;
    EXPECT_EQ(-ENODATA, vmafgpu_pooled(context.get(), 0, VMAFGPU_POOL_MEAN, &value));
    context.close();
}

INSTANTIATE_TEST_SUITE_P(Devices, Cut, testing::ValuesIn(image_devices()), device_name);

} // namespace
} // namespace vmafgpu
