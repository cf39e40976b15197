// SPDX-License-Identifier: BSD-2-Clause-Patent
// Distorted pictures of another size, on every device: scores and sketches are those of pictures
// that the reference code scaled before. Host and device memory, pictures and images, all layouts.
// The tiles of the kernel. That the reference code equals FFmpeg: tests/golden/scale_ffmpeg.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "image_fixture.h"
#include "picture/sketch.h"
#include "scaler/scale.h"
#include "scaler/scale_record.h"

namespace vmafgpu {
namespace {

struct Sizes {
    int from_width, from_height, width, height;
};

struct Case {
    Sizes sizes;
    int depth;           ///< depth of the context
    int distorted_depth; ///< depth of the distorted pictures
    Layout layout;       ///< layout of the distorted pictures
    int chroma = VMAFGPU_CHROMA_420;
};

/// Samples of a distorted plane: what MadePicture makes of it.
Image plane_image(const Format &format, int depth, int frame, int p)
{
    return make_image(format.plane_width(p), format.plane_height(p), depth, frame + 50 * p, true);
}

/// Returns the image scaled by the reference code.
Image scaled_image(const ScalePlan &plan, const Image &image, int p)
{
    Image scaled;
    scaled.width = plan.target().plane_width(p);
    scaled.height = plan.target().plane_height(p);
    scaled.depth = image.depth;
    scaled.samples.resize(static_cast<size_t>(scaled.width * scaled.height));
    if (image.depth > 8) {
        scale_plane_ref(plan.plane(p), image.depth,
                        {image.samples.data(), static_cast<ptrdiff_t>(2) * image.width},
                        scaled.samples.data(), static_cast<ptrdiff_t>(2) * scaled.width);
        return scaled;
    }
    const std::vector<uint8_t> from(image.samples.begin(), image.samples.end());
    std::vector<uint8_t> to(scaled.samples.size());
    scale_plane_ref(plan.plane(p), 8, {from.data(), image.width}, to.data(), scaled.width);
    scaled.samples.assign(to.begin(), to.end());
    return scaled;
}

/// A picture that was scaled before, in host memory.
class ScaledBefore {
public:
    ScaledBefore(const ScalePlan &plan, int depth, int frame)
    {
        const int planes = plan.source().chroma == Chroma::k400 ? 1 : 3;
        for (int p = 0; p < planes; ++p) {
            planes_.push_back(std::make_unique<StoredPicture>(
                scaled_image(plan, plane_image(plan.source(), depth, frame, p), p)));
            if (p == 0)
                picture = planes_[0]->picture;
            picture.plane[p] = planes_[static_cast<size_t>(p)]->picture.plane[0];
        }
        picture.release = nullptr;
    }

    VmafGpuPicture picture = {};

private:
    std::vector<std::unique_ptr<StoredPicture>> planes_;
};

constexpr int kFrames = 5;

class ScaledImages : public testing::TestWithParam<std::string> {
protected:
    ScaledImages() : memory_(GetParam()) {}

    static TestSettings settings_of(const Case &c, const std::string &device)
    {
        TestSettings settings;
        settings.width = c.sizes.width;
        settings.height = c.sizes.height;
        settings.depth = c.depth;
        settings.chroma = c.chroma;
        settings.device = device;
        settings.ring = 3;
        settings.features = {{"psnr", nullptr}};
        if (c.chroma != VMAFGPU_CHROMA_400) // a host feature
            settings.features.push_back({"ffmpeg_ssim", nullptr});
        return settings;
    }

    static Format format_of(const Case &c)
    {
        return {c.sizes.width, c.sizes.height, c.depth, static_cast<Chroma>(c.chroma)};
    }

    static ScalePlan plan_of(const Case &c)
    {
        Format source = format_of(c);
        source.width = c.sizes.from_width;
        source.height = c.sizes.from_height;
        return {source, c.sizes.width, c.sizes.height};
    }

    /// Scores of pictures that were scaled before, on the CPU.
    static std::vector<Row> expected(const Case &c)
    {
        TestContext context(settings_of(c, "cpu"));
        EXPECT_EQ(0, context.status) << context.error.text;
        const ScalePlan plan = plan_of(c);
        std::vector<std::unique_ptr<MadePicture>> references;
        std::vector<std::unique_ptr<ScaledBefore>> distorted;
        std::vector<Row> rows;
        for (int frame = 0; frame < kFrames; ++frame) {
            references.push_back(std::make_unique<MadePicture>(format_of(c), c.depth, Layout(),
                                                               frame, false, nullptr));
            distorted.push_back(std::make_unique<ScaledBefore>(plan, c.distorted_depth, frame));
            while (vmafgpu_submit(context.get(), &references.back()->picture,
                                  &distorted.back()->picture,
                                  static_cast<uint64_t>(frame)) == -EAGAIN)
                collect_one(context, rows);
        }
        EXPECT_EQ(0, vmafgpu_flush(context.get()));
        EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
        context.close();
        return rows;
    }

    static void collect_one(TestContext &context, std::vector<Row> &rows)
    {
        VmafGpuResult result;
        ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
        rows.push_back(row_of(result));
    }

    /// Scores on the device, which scales. Odd frames are images.
    std::vector<Row> scaled(const Case &c, bool is_on_device)
    {
        TestSettings settings = settings_of(c, GetParam());
        settings.distorted_width = c.sizes.from_width;
        settings.distorted_height = c.sizes.from_height;
        std::vector<std::unique_ptr<MadePicture>> made;
        std::vector<Row> rows;
        TestContext context(settings);
        EXPECT_EQ(0, context.status) << context.error.text;
        const Format source = plan_of(c).source();
        for (int frame = 0; frame < kFrames && !HasFailure(); ++frame) {
            made.push_back(std::make_unique<MadePicture>(format_of(c), c.depth, Layout(), frame,
                                                         false, frame == 3 ? &memory_ : nullptr));
            const VmafGpuPicture &reference = made.back()->picture;
            made.push_back(std::make_unique<MadePicture>(source, c.distorted_depth, c.layout, frame,
                                                         true, is_on_device ? &memory_ : nullptr));
            const auto tag = static_cast<uint64_t>(frame);
            int status = 0;
            if (frame % 2 == 0) {
                while ((status = vmafgpu_submit(context.get(), &reference, &made.back()->picture,
                                                tag)) == -EAGAIN)
                    collect_one(context, rows);
            } else {
                const Taken second(context, *made.back());
                const Taken first(context, *made[made.size() - 2], 0);
                while ((status = vmafgpu_submit_images(context.get(), first.get(), second.get(),
                                                       tag)) == -EAGAIN)
                    collect_one(context, rows);
            }
            EXPECT_EQ(0, status) << vmafgpu_error_text(context.get());
        }
        EXPECT_EQ(0, vmafgpu_flush(context.get()));
        EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
        context.close();
        for (const auto &picture : made) {
            EXPECT_EQ(1, picture->releases);
            EXPECT_FALSE(picture->was_released_elsewhere);
        }
        return rows;
    }

    void expect_equal(const Case &c)
    {
        const std::vector<Row> wanted = expected(c);
        ASSERT_EQ(static_cast<size_t>(kFrames), wanted.size());
        for (const bool is_on_device : {false, true}) {
            if (is_on_device && GetParam() == "cpu")
                continue;
            const std::vector<Row> got = scaled(c, is_on_device);
            ASSERT_EQ(wanted.size(), got.size());
            for (size_t i = 0; i < got.size(); ++i)
                EXPECT_TRUE(wanted[i] == got[i])
                    << "pair " << i << (is_on_device ? ", device memory" : ", host memory");
        }
    }

    PictureMemory memory_;
};

Layout shifted(int bits)
{
    Layout layout;
    layout.shift = bits;
    layout.garbage = 0xffff;
    layout.padding = 6;
    return layout;
}

Layout interleaved(int step)
{
    Layout layout;
    layout.step = step;
    layout.is_flipped = true;
    return layout;
}

TEST_P(ScaledImages, ScoreAsPicturesScaledBefore)
{
    expect_equal({{65, 37, 130, 74}, 8, 8, Layout()});
    expect_equal({{65, 37, 130, 74}, 8, 8, interleaved(2), VMAFGPU_CHROMA_422});
    expect_equal({{96, 54, 131, 76}, 10, 10, shifted(6)});
    expect_equal({{130, 75, 65, 38}, 12, 12, interleaved(4), VMAFGPU_CHROMA_444});
    expect_equal({{272, 200, 33, 25}, 8, 8, Layout()}); // larger than a batch of results
}

TEST_P(ScaledImages, ScaleInTheirOwnDepth)
{
    expect_equal({{65, 37, 97, 66}, 10, 8, Layout()});
    expect_equal({{65, 37, 97, 66}, 16, 10, shifted(6), VMAFGPU_CHROMA_400});
}

TEST_P(ScaledImages, SketchesAreOfTheResult)
{
    const Case c = {{65, 37, 130, 74}, 10, 8, Layout()};
    const ScalePlan plan = plan_of(c);
    const ScaledBefore before(plan, 8, 1);
    TestSettings settings = settings_of(c, GetParam());
    settings.distorted_width = 65;
    settings.distorted_height = 37;
    for (const bool is_on_device : {false, true}) {
        if (is_on_device && GetParam() == "cpu")
            continue;
        MadePicture made(plan.source(), 8, Layout(), 1, true, is_on_device ? &memory_ : nullptr);
        TestContext context(settings);
        ASSERT_EQ(0, context.status) << context.error.text;
        const Taken taken(context, made);
        VmafGpuImage *wanted = nullptr;
        ASSERT_EQ(
            0, vmafgpu_image_take(context.get(), &before.picture, VMAFGPU_IMAGE_SKETCH, &wanted));
        const uint8_t *sketches[2] = {};
        ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), taken.get(), &sketches[0]));
        ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), wanted, &sketches[1]));
        EXPECT_EQ(0, std::memcmp(sketches[0], sketches[1], kSketchBytes));
        uint64_t differing = 1;
        ASSERT_EQ(0, vmafgpu_image_compare(context.get(), taken.get(), wanted, &differing));
        EXPECT_EQ(0U, differing);
        vmafgpu_image_free(context.get(), &wanted);
    }
}

TEST_P(ScaledImages, WrongSizesAreRefused)
{
    const Case c = {{65, 37, 130, 74}, 12, 8, Layout(), VMAFGPU_CHROMA_400};
    TestSettings settings = settings_of(c, GetParam());
    const auto refused = [&](int width, int height, const std::string &why) {
        settings.distorted_width = width;
        settings.distorted_height = height;
        const TestContext context(settings);
        expect_one_line(context.error, -EINVAL);
        EXPECT_NE(std::string::npos, std::string(context.error.text).find(why))
            << context.error.text;
    };
    refused(65, 0, "both 0 or neither");
    refused(-65, 37, "sides of 17 to 65535");
    refused(65, 16, "sides of 17 to 65535");
    refused(2081, 74, "at most 16 times");
    refused(65536, 74, "sides of 17 to 65535");
    settings.distorted_width = 65;
    settings.distorted_height = 37;
    TestContext context(settings);
    ASSERT_EQ(0, context.status) << context.error.text;
    MadePicture small(plan_of(c).source(), 8, Layout(), 0, true, nullptr);
    MadePicture large(format_of(c), 8, Layout(), 0, false, nullptr);
    MadePicture odd(plan_of(c).source(), 11, Layout(), 0, true, nullptr);
    const auto expect_text = [&](int status, const std::string &why) {
        EXPECT_EQ(-EINVAL, status);
        const std::string text = vmafgpu_error_text(context.get());
        EXPECT_NE(std::string::npos, text.find(why)) << text;
    };
    expect_text(vmafgpu_submit(context.get(), &small.picture, &small.picture, 0),
                "reference picture is 65x37, the context 130x74");
    expect_text(vmafgpu_submit(context.get(), &large.picture, &large.picture, 0),
                "distorted picture is 130x74, the context 65x37 for distorted pictures");
    expect_text(vmafgpu_submit(context.get(), &large.picture, &odd.picture, 0),
                "pictures of 11 bits cannot be scaled");
    VmafGpuImage *image = nullptr;
    small.picture.width = 64;
    expect_text(vmafgpu_image_take(context.get(), &small.picture, 0, &image),
                "the picture is 64x37, the context 130x74 or 65x37 for distorted pictures");
    context.close();
    EXPECT_EQ(0, small.releases + large.releases + odd.releases);
}

/// Source rows that the tallest tile of some rows of a plane needs.
int rows_of_tiles(const ScaleFilter &down, int tile_rows)
{
    int most = 0;
    for (int top = 0; top < down.to; top += tile_rows) {
        const int bottom = std::min(top + tile_rows, down.to) - 1;
        most = std::max(most, down.first[static_cast<size_t>(bottom)] + down.taps -
                                  down.first[static_cast<size_t>(top)]);
    }
    return most;
}

/// A block of the kernel holds the source rows of its tile. Fewer results than fit would scale some
/// rows across more often.
TEST(ScaleTables, TilesAreTheTallestThatABlockHolds)
{
    for (const int height : {45, 90, 180, 360, 720, 1440}) {
        const ScalePlan plan({640, 720, 8, Chroma::k420}, 640, height);
        const ScaleTables tables(plan);
        const std::vector<char> memory(tables.bytes());
        for (int p = 0; p < 2; ++p) {
            const ScaleFilter &down = plan.plane(p).down;
            const int rows = tables.plane_args(p, memory.data()).tile_rows;
            EXPECT_LE(rows_of_tiles(down, rows), kScaleHeldRows) << height;
            EXPECT_TRUE(rows == kScaleTileRows || rows_of_tiles(down, 2 * rows) > kScaleHeldRows)
                << height << ": " << rows;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, ScaledImages, testing::ValuesIn(image_devices()), device_name);

} // namespace
} // namespace vmafgpu
