// SPDX-License-Identifier: BSD-2-Clause-Patent
// Who owns an image and its picture when, on every device: wrong calls leave them to the caller,
// everything else ends in exactly one release, on the caller's thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "image_fixture.h"

namespace vmafgpu {
namespace {

class ImageOwnership : public testing::TestWithParam<std::string> {
protected:
    ImageOwnership() : memory_(GetParam()) {}

    TestSettings settings() const
    {
        TestSettings settings;
        settings.device = GetParam();
        settings.chroma = VMAFGPU_CHROMA_400;
        return settings;
    }

    /// Pictures that outlive the context: host and device ones by turns; some need a copy.
    MadePicture &make(int frame, bool is_distorted)
    {
        Layout layout;
        layout.step = frame % 3 == 2 ? 2 : 0;
        pictures_.push_back(std::make_unique<MadePicture>(Format{64, 48, 8, Chroma::k400}, 8,
                                                          layout, frame, is_distorted,
                                                          frame % 2 == 0 ? nullptr : &memory_));
        return *pictures_.back();
    }

    void expect_releases(int count) const
    {
        for (size_t i = 0; i < pictures_.size(); ++i) {
            EXPECT_EQ(count, pictures_[i]->releases) << i;
            EXPECT_FALSE(pictures_[i]->was_released_elsewhere) << i;
        }
    }

    PictureMemory memory_;
    std::vector<std::unique_ptr<MadePicture>> pictures_;
};

void expect_invalid(TestContext &context, int status, const std::string &text)
{
    EXPECT_EQ(-EINVAL, status);
    const std::string got = vmafgpu_error_text(context.get());
    EXPECT_NE(std::string::npos, got.find(text)) << got;
}

TEST_P(ImageOwnership, WrongCallsLeaveThemToTheCaller)
{
    TestContext context(settings());
    ASSERT_EQ(0, context.status) << context.error.text;
    MadePicture &made = make(0, false);
    VmafGpuImage *image = nullptr;
    const uint8_t *sketch = nullptr;
    const auto take = [&](const VmafGpuPicture *picture, int flags, VmafGpuImage **to) {
        return vmafgpu_image_take(context.get(), picture, flags, to);
    };
    VmafGpuPicture wrong = made.picture;
    wrong.width = 65;
    expect_invalid(context, take(&wrong, 0, &image), "the picture is 65x48");
    wrong = made.picture;
    wrong.memory = 7;
    expect_invalid(context, take(&wrong, 0, &image), "memory");
    EXPECT_EQ(nullptr, image);
    expect_releases(0);

    ASSERT_EQ(0, take(&made.picture, 0, &image));
    expect_invalid(context, vmafgpu_image_sketch(context.get(), image, &sketch),
                   "without VMAFGPU_IMAGE_SKETCH");
    EXPECT_EQ(nullptr, sketch);
    EXPECT_EQ(0, vmafgpu_submit_images(context.get(), image, image, 5)); // none the worse for it
    vmafgpu_image_free(context.get(), &image);
    EXPECT_EQ(nullptr, image);
    vmafgpu_image_free(context.get(), &image);
    context.close();
    expect_releases(1);
}

TEST_P(ImageOwnership, FreedBeforeThePairsAreDone)
{
    TestContext context(settings());
    const TestSettings on_cpu = [&] {
        TestSettings settings = this->settings();
        settings.device = "cpu";
        return settings;
    }();
    const std::vector<Row> expected = run_all(on_cpu, 7);
    std::vector<Row> rows;
    for (int i = 0; i < 7; ++i) {
        const bool is_from_host = i % 2 == 0;
        pictures_.push_back(std::make_unique<MadePicture>(Format{64, 48, 8, Chroma::k400}, 8,
                                                          Layout(), i, false,
                                                          is_from_host ? nullptr : &memory_));
        Taken reference(context, *pictures_.back());
        pictures_.push_back(std::make_unique<MadePicture>(Format{64, 48, 8, Chroma::k400}, 8,
                                                          Layout(), i, true,
                                                          is_from_host ? &memory_ : nullptr));
        Taken distorted(context, *pictures_.back());
        while (vmafgpu_submit_images(context.get(), reference.get(), distorted.get(),
                                     100 + static_cast<uint64_t>(i)) == -EAGAIN) {
            VmafGpuResult result;
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
            rows.push_back(row_of(result));
        }
        reference.free(); // its memory gets another content at once
        distorted.free();
        Taken(context, make(70 + i, false)).free();
    }
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    EXPECT_TRUE(expected == rows);
    context.close();
    expect_releases(1);
}

// A copy does not hold the picture until the pair is scored, since decoders wait for their
// pictures.
TEST_P(ImageOwnership, CopiesReleaseSoon)
{
    if (GetParam() == "cpu")
        GTEST_SKIP() << "SKIP: the CPU backend reads pictures in place";
    TestContext context(settings());
    std::vector<std::unique_ptr<Taken>> images;
    for (int i = 0; i < 6; ++i)
        images.push_back(std::make_unique<Taken>(context, make(i, false)));
    const uint8_t *sketch = nullptr;
    for (int i = 0; i < 6; ++i)
        ASSERT_EQ(
            0, vmafgpu_image_sketch(context.get(), images[static_cast<size_t>(i)]->get(), &sketch));
    for (int i = 1; i < 6; i += 2)
        EXPECT_EQ(1, pictures_[static_cast<size_t>(i)]->releases) << "device picture " << i;
    // Host pictures of this size are copied within the call.
    for (int i = 0; i < 6; i += 2)
        EXPECT_EQ(1, pictures_[static_cast<size_t>(i)]->releases) << "host picture " << i;
    images.clear();
}

// The flag promises that no copy is made: kernels see what the caller writes to the picture.
TEST_P(ImageOwnership, HeldPicturesAreReadInPlace)
{
    if (GetParam() == "cpu")
        GTEST_SKIP() << "SKIP: pictures in device memory";
    Layout layout;
    layout.is_held = true;
    for (const bool has_host_feature : {false, true}) {
        SCOPED_TRACE(has_host_feature);
        TestSettings own = settings();
        if (has_host_feature) // which reads a copy
            own.features = {{"float_adm", nullptr}};
        const auto make = [&](int frame) {
            pictures_.push_back(std::make_unique<MadePicture>(Format{64, 48, 8, Chroma::k400}, 8,
                                                              layout, frame, false, &memory_));
            return pictures_.back().get();
        };
        const MadePicture *first = make(1), *second = make(1);
        TestContext context(own);
        Taken one(context, *first), other(context, *second);
        const uint8_t *sketch = nullptr;
        ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), one.get(), &sketch));
        ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), other.get(), &sketch));
        EXPECT_EQ(has_host_feature ? 1 : 0, first->releases);
        if (!has_host_feature) {
            const auto &row = first->picture.plane[0];
            memory_.queue().fill(const_cast<void *>(row.data), 0, 4);
            memory_.finish();
            uint64_t differing = 0;
            ASSERT_EQ(0, vmafgpu_image_compare(context.get(), one.get(), other.get(), &differing));
            EXPECT_EQ(4U, differing);
        }
        one.free();
        other.free();
        context.close();
        expect_releases(1);
    }
}

// Motion keeps the last references. So a caller who waits for their release has to flush.
TEST_P(ImageOwnership, HeldPicturesAreReleasedByAFlush)
{
    if (GetParam() == "cpu")
        GTEST_SKIP() << "SKIP: pictures in device memory";
    Layout layout;
    layout.is_held = true;
    TestContext context(settings());
    std::vector<Row> rows;
    for (int i = 0; i < 3; ++i) {
        for (const bool is_distorted : {false, true})
            pictures_.push_back(std::make_unique<MadePicture>(Format{64, 48, 8, Chroma::k400}, 8,
                                                              layout, i, is_distorted, &memory_));
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &pictures_[pictures_.size() - 2]->picture,
                                    &pictures_.back()->picture, 0));
    }
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    EXPECT_EQ(1, pictures_[1]->releases);
    EXPECT_EQ(0, pictures_[4]->releases);
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    expect_releases(1);
}

// A decoder stops with an error when its surfaces are used up. So the engine waits for a slow
// device rather than keep a third device picture.
TEST_P(ImageOwnership, FewDevicePicturesAreHeld)
{
    if (GetParam() == "cpu")
        GTEST_SKIP() << "SKIP: the CPU backend reads pictures in place";
    TestSettings few = settings();
    few.most_held = 2;
    TestContext context(few);
    std::vector<std::unique_ptr<Taken>> images;
    for (int i = 1; i < 20; i += 2) {
        images.push_back(std::make_unique<Taken>(context, make(i, false)));
        const auto held = std::count_if(pictures_.begin(), pictures_.end(),
                                        [](const auto &made) { return made->releases == 0; });
        EXPECT_LE(held, 2) << "after " << pictures_.size() << " pictures";
    }
    images.clear();
    context.close();
    expect_releases(1);
}

TEST_P(ImageOwnership, ClosedAsPairsAreInFlight)
{
    for (const bool is_in_flight : {false, true}) {
        TestContext context(settings());
        VmafGpuImage *images[6] = {};
        for (int i = 0; i < 6; ++i)
            ASSERT_EQ(0, vmafgpu_image_take(context.get(), &make(i, i > 3).picture,
                                            VMAFGPU_IMAGE_SKETCH, &images[i]));
        for (int i = 0; i < 3 && is_in_flight; ++i)
            ASSERT_EQ(0, vmafgpu_submit_images(context.get(), images[i], images[i + 3], 0));
        for (VmafGpuImage *&image : images)
            vmafgpu_image_free(context.get(), &image);
        context.close();
        expect_releases(1);
        pictures_.clear();
    }
}

TEST_P(ImageOwnership, ResetKeepsImages)
{
    TestContext context(settings());
    const Taken reference(context, make(0, false));
    const Taken distorted(context, make(1, true));
    std::vector<Row> rows[2];
    for (auto &some : rows) {
        for (int i = 0; i < 3; ++i)
            ASSERT_EQ(0, vmafgpu_submit_images(context.get(), reference.get(), distorted.get(), 9));
        ASSERT_EQ(0, vmafgpu_flush(context.get()));
        ASSERT_EQ(-ENODATA, collect_all(context.get(), some));
        ASSERT_EQ(0, vmafgpu_submit_images(context.get(), distorted.get(), distorted.get(), 9));
        ASSERT_EQ(0, vmafgpu_reset(context.get()));
    }
    ASSERT_EQ(3U, rows[0].size());
    EXPECT_TRUE(rows[0] == rows[1]);
}

// The ring limits pairs, not images.
TEST_P(ImageOwnership, RefusedPairsLeaveImagesUsable)
{
    TestSettings one = settings();
    one.ring = 1;
    TestContext context(one);
    const Taken image(context, make(0, false));
    ASSERT_EQ(0, vmafgpu_submit_images(context.get(), image.get(), image.get(), 1));
    ASSERT_EQ(0, vmafgpu_submit_images(context.get(), image.get(), image.get(), 2));
    ASSERT_EQ(-EAGAIN, vmafgpu_submit_images(context.get(), image.get(), image.get(), 3));
    const Taken more(context, make(1, false)); // never -EAGAIN
    VmafGpuResult result;
    ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
    ASSERT_EQ(0, vmafgpu_submit_images(context.get(), image.get(), more.get(), 3));
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    std::vector<Row> rows;
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    EXPECT_EQ(2U, rows.size());
}

INSTANTIATE_TEST_SUITE_P(Devices, ImageOwnership, testing::ValuesIn(image_devices()), device_name);

} // namespace
} // namespace vmafgpu
