// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory that runs out while images are in use: each allocation after the opening fails once. The
// call that meets it returns -ENOMEM, and every later one fails. Each picture is released once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "fail_malloc.h"
#include "fixture.h"
#include "image_api.h"
#include "picture/sketch.h"

namespace vmafgpu {
namespace {

constexpr int kFrames = 5;

struct Outcome {
    long calls = 0;        ///< allocations after the opening
    int given_up = 0;      ///< code of the call that failed
    char text[600] = "";   ///< text of that failure
    double pooled[2] = {}; ///< scores after the cut, and after two pairs more
    uint64_t sketch_sum = 0;
};

/// Allocates nothing of its own while allocations may fail.
class Run {
public:
    explicit Run(const char *device) : device_(device)
    {
        for (int i = 0; i < 2 * kFrames; ++i) {
            Layout layout;
            layout.step = i % 4 == 0 ? 2 : 0; // the CPU backend has to copy some pictures
            pictures_.push_back(
                std::make_unique<StoredPicture>(make_image(32, 32, 8, i / 2, i % 2 == 1), layout));
            // An emulated device reads the host's memory as its own.
            if (std::strcmp(device, "cpu") != 0 && i % 3 != 0 && i / 2 != 3)
                pictures_.back()->picture.memory = VMAFGPU_MEMORY_DEVICE;
        }
    }

    Outcome go(long failing)
    {
        TestSettings settings;
        settings.device = device_;
        settings.width = settings.height = 32;
        settings.ring = 4;
        settings.chroma = VMAFGPU_CHROMA_400;
        TestContext context(settings);
        EXPECT_EQ(0, context.status) << context.error.text;
        ctx_ = context.get();
        context.log.reserve(64);
        fail_malloc_arm(failing, failing);
        const bool is_complete = steps();
        out_.calls = fail_malloc_calls();
        for (VmafGpuImage *&image : images_)
            vmafgpu_image_free(ctx_, &image);
        context.close();
        fail_malloc_arm(0, 0);
        EXPECT_EQ(is_complete, out_.given_up == 0);
        for (size_t i = 0; i < pictures_.size(); ++i)
            EXPECT_EQ(i < static_cast<size_t>(owned_) ? 1 : 0, pictures_[i]->releases) << i;
        return out_;
    }

private:
    template <typename Call> bool is_good(const Call &call)
    {
        const int code = call();
        if (code >= 0)
            return true;
        out_.given_up = code;
        std::snprintf(out_.text, sizeof(out_.text), "%s", vmafgpu_error_text(ctx_));
        EXPECT_EQ(-EIO, vmafgpu_flush(ctx_)) << out_.text;
        return false;
    }

    bool take(int number)
    {
        const bool is_taken = is_good([&] {
            const int code =
                vmafgpu_image_take(ctx_, &pictures_[static_cast<size_t>(number)]->picture,
                                   VMAFGPU_IMAGE_SKETCH, &images_[number]);
            EXPECT_EQ(code == 0, images_[number] != nullptr);
            return code;
        });
        owned_ += is_taken;
        return is_taken;
    }

    bool look(int number)
    {
        const uint8_t *sketch = nullptr;
        if (!is_good([&] { return vmafgpu_image_sketch(ctx_, images_[number], &sketch); }))
            return false;
        for (int i = 0; i < kSketchBytes; ++i)
            out_.sketch_sum = out_.sketch_sum * 31 + sketch[i];
        return true;
    }

    bool compare(int first, int second)
    {
        uint64_t differing = 0;
        if (!is_good([&] {
                return vmafgpu_image_compare(ctx_, images_[first], images_[second], &differing);
            }))
            return false;
        out_.sketch_sum = out_.sketch_sum * 31 + differing;
        return true;
    }

    bool submit(int reference, int distorted)
    {
        return is_good(
            [&] { return vmafgpu_submit_images(ctx_, images_[reference], images_[distorted], 0); });
    }

    bool collect()
    {
        VmafGpuResult result;
        return is_good([&] { return vmafgpu_collect(ctx_, &result, 1); });
    }

    bool pool(int which)
    {
        return is_good([&] {
            return vmafgpu_pooled(ctx_, vmafgpu_model_score(ctx_, 0), VMAFGPU_POOL_MEAN,
                                  &out_.pooled[which]);
        });
    }

    /// Pictures are owned in the order of their numbers.
    bool steps()
    {
        for (int i = 0; i < 6; ++i)
            if (!take(i))
                return false;
        if (!look(0) || !look(1) || !compare(3, 5) || !submit(0, 1) || !submit(2, 3))
            return false;
        if (!is_good([&] {
                return vmafgpu_submit(ctx_, &pictures_[6]->picture, &pictures_[7]->picture, 0);
            }))
            return false;
        owned_ += 2;
        vmafgpu_image_free(ctx_, &images_[0]);
        vmafgpu_image_free(ctx_, &images_[3]);
        if (!submit(4, 5) || !look(4) || !collect() || !collect() || !take(8) || !take(9))
            return false;
        if (!is_good([&] { return vmafgpu_cut(ctx_); }) || !pool(0) || !submit(8, 9) ||
            !submit(2, 5))
            return false;
        if (!is_good([&] { return vmafgpu_flush(ctx_); }) || !collect() || !collect() || !pool(1))
            return false;
        vmafgpu_image_free(ctx_, &images_[2]);
        return true; // other images are left
    }

    const char *device_;
    VmafGpuContext *ctx_ = nullptr;
    std::vector<std::unique_ptr<StoredPicture>> pictures_;
    VmafGpuImage *images_[2 * kFrames] = {};
    int owned_ = 0; ///< pictures that the engine has taken
    Outcome out_;
};

Outcome attempt(const char *device, long failing)
{
    Run run(device);
    return run.go(failing);
}

class AllocationsOfImages : public testing::TestWithParam<const char *> {};

TEST_P(AllocationsOfImages, EachFailsOnce)
{
    setenv("VMAFGPU_EMU_THREADS", "1", 1);
    const bool is_cpu = std::strcmp(GetParam(), "cpu") == 0;
    if (!is_cpu)
        fail_malloc_on_this_stack();
    Outcome clean;
    for (int i = 0; i < 3; ++i) // allocations that happen only once are behind us after these
        clean = attempt(GetParam(), 0);
    ASSERT_EQ(0, clean.given_up);
    ASSERT_GT(clean.calls, 50);
    int given_up = 0;
    const long step = is_cpu ? 1 : std::max(1L, clean.calls / 100); // the emulator is slow
    for (long failing = 1; failing <= clean.calls; failing += step) {
        SCOPED_TRACE("allocation " + std::to_string(failing));
        const long before = fail_malloc_alive();
        const Outcome outcome = attempt(GetParam(), failing);
        EXPECT_LE(fail_malloc_alive(), before) << "a leak";
        if (outcome.given_up != 0) {
            // EIO: the emulator met it as it ran a kernel.
            EXPECT_TRUE(outcome.given_up == -ENOMEM || (!is_cpu && outcome.given_up == -EIO))
                << outcome.text;
            const char *const texts[] = {"out of memory", "no device memory",
                                         "launches for a batch", "launches that unpack pictures"};
            EXPECT_TRUE(std::any_of(std::begin(texts), std::end(texts), [&](const char *text) {
                return std::strstr(outcome.text, text) != nullptr;
            })) << outcome.text;
            ++given_up;
            continue;
        }
        EXPECT_EQ(clean.sketch_sum, outcome.sketch_sum);
        EXPECT_EQ(clean.pooled[0], outcome.pooled[0]);
        EXPECT_EQ(clean.pooled[1], outcome.pooled[1]);
    }
    std::printf("%ld allocations: %d runs given up\n", clean.calls, given_up);
    EXPECT_GT(given_up, 20);
}

INSTANTIATE_TEST_SUITE_P(Devices, AllocationsOfImages, testing::Values("cpu", "emu32"));

} // namespace
} // namespace vmafgpu
