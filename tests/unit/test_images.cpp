// SPDX-License-Identifier: BSD-2-Clause-Patent
// Images and pictures on every device, however they lie in memory: pairs have the scores of plain
// pictures in host memory, in any mixture, and sketches equal the formula. Who owns what:
// test_image_ownership.cpp.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <numeric>

#include "image_fixture.h"
#include "picture/sketch.h"

namespace vmafgpu {
namespace {

class Images : public testing::TestWithParam<std::string> {
protected:
    bool has_device_memory() const { return GetParam() != "cpu"; }
    std::vector<std::unique_ptr<MadePicture>> extra_; ///< pictures that no pair uses
};

void expect_same(MixedRun run, const std::string &device, const std::string &what)
{
    run.settings.device = device;
    const std::vector<Row> expected = run_plain(run);
    const std::vector<Row> got = run_mixed(run);
    ASSERT_EQ(run.pairs.size(), expected.size()) << what;
    SCOPED_TRACE(what + " on " + device);
    expect_equal(expected, got);
}

TestSettings settings_of(std::vector<std::string> models, std::vector<VmafGpuFeature> features,
                         int width = 67, int height = 43, int chroma = VMAFGPU_CHROMA_420)
{
    TestSettings settings;
    settings.width = width;
    settings.height = height;
    settings.chroma = chroma;
    settings.models = std::move(models);
    settings.features = std::move(features);
    return settings;
}

struct Kind {
    const char *name;
    TestSettings settings;
};

const std::vector<Kind> &kinds()
{
    static const std::vector<Kind> list = {
        {"v0.6.1 and neg", settings_of({"vmaf_v0.6.1", "vmaf_v0.6.1neg"}, {})},
        {"v1", settings_of({"vmaf_v1.0.16_3d0h"}, {}, 217, 81, VMAFGPU_CHROMA_444)},
        {"five frames", settings_of({}, {{"motion", "motion_five_frame_window=true"}})},
        {"chroma", settings_of({}, {{"speed_chroma", nullptr}, {"motion", nullptr}}, 161, 163)},
        {"cambi", settings_of({}, {{"cambi", nullptr}}, 219)},
        {"others", settings_of({},
                               {{"psnr", nullptr},
                                {"float_ms_ssim", nullptr},
                                {"float_ansnr", nullptr},
                                {"ssimulacra2", nullptr}},
                               177, 179)},
    };
    return list;
}

Layout p010(int offset = 0)
{
    Layout layout;
    layout.shift = 6;
    layout.garbage = 0xffff;
    layout.padding = 10;
    layout.offset = offset;
    return layout;
}

Layout flipped()
{
    Layout layout;
    layout.padding = 13;
    layout.is_flipped = true;
    return layout;
}

Layout held(int padding = 0)
{
    Layout layout;
    layout.padding = padding;
    layout.is_held = true;
    return layout;
}

/// Marks a layout as held. Its rows are not whole items, so the picture has to be copied.
Layout held(Layout layout)
{
    layout.is_held = true;
    return layout;
}

Layout garbage(int shift)
{
    Layout layout;
    layout.shift = shift;
    layout.garbage = 0xffff;
    return layout;
}

Layout cropped(int offset, int padding)
{
    Layout layout;
    layout.offset = offset;
    layout.padding = padding;
    return layout;
}

Layout interleaved(int step, int offset)
{
    Layout layout;
    layout.step = step;
    layout.offset = offset;
    return layout;
}

Layout nv12()
{
    Layout layout;
    layout.step = 2;
    layout.has_plain_luma = true;
    return layout;
}

TEST_P(Images, ScoresOfMixedPairs)
{
    uint32_t seed = 1;
    const int count = is_sanitized() ? 6 : 14;
    const std::vector<int> rings = {1, 4, 16};
    for (const Kind &kind : kinds()) {
        // A sanitizer is slow: each kind with one ring, in turn.
        const int one = rings[static_cast<size_t>(&kind - kinds().data()) % rings.size()];
        for (const int ring : is_sanitized() ? std::vector<int>{one} : rings) {
            const bool is_on_device = has_device_memory() && seed % 3 != 0;
            MixedRun run = {kind.settings,
                            {ring == 4 ? Layout() : held(), 8, is_on_device,
                             has_device_memory() && seed % 2 == 0},
                            random_pairs(seed, count),
                            seed};
            run.settings.ring = ring;
            run.settings.subsample = ring == 4 ? 3 : 1;
            expect_same(run, GetParam(), std::string(kind.name) + ", ring " + std::to_string(ring));
            ++seed;
        }
    }
}

struct Stored {
    /// Device memory takes samples of 16 bits at even addresses only.
    bool can_be_on_device() const
    {
        return picture_depth == 8 || ((layout.offset | layout.padding | layout.step) & 1) == 0;
    }

    const char *name;
    int depth, picture_depth;
    Layout layout;
};

const std::vector<Stored> &layouts()
{
    static const std::vector<Stored> list = {
        {"8 bits", 8, 8, Layout()},
        {"8 bits, flipped", 8, 8, flipped()},
        {"8 bits, cropped", 8, 8, cropped(5, 13)},
        {"8 of interleaved", 8, 8, interleaved(2, 3)},
        {"NV12", 8, 8, nv12()},
        {"9 bits, garbage above", 9, 9, garbage(0)},
        {"10 bits", 10, 10, Layout()},
        {"10 bits, odd addresses", 10, 10, cropped(1, 1)},
        {"10 bits, garbage around", 10, 10, garbage(3)},
        {"10 of interleaved", 10, 10, interleaved(4, 0)},
        {"10 bits, three bytes apart", 10, 10, interleaved(3, 0)},
        {"P010", 10, 10, p010()},
        {"P010, cropped", 10, 10, p010(6)},
        {"P012", 12, 12, garbage(4)},
        {"8 promoted to 10", 10, 8, flipped()},
        {"8 promoted to 16, cropped", 16, 8, cropped(3, 13)},
        {"16 bits", 16, 16, Layout()},
        {"16 bits, odd addresses", 16, 16, cropped(1, 0)},
        {"8 bits, held", 8, 8, held(272)},
        {"16 bits, held", 16, 16, held()},
        {"P010, held", 10, 10, held(p010())},
        {"10 bits, garbage above, held", 10, 10, held(garbage(0))},
        {"8 of interleaved, held", 8, 8, held(interleaved(2, 3))},
        {"8 promoted to 10, held", 10, 8, held()},
        {"P010 promoted to 12", 12, 10, p010()},
    };
    return list;
}

TEST_P(Images, ScoresOfEveryLayout)
{
    constexpr int kChroma[] = {VMAFGPU_CHROMA_420, VMAFGPU_CHROMA_422, VMAFGPU_CHROMA_444};
    const std::vector<VmafGpuFeature> features = {
        {"vif", nullptr}, {"adm", nullptr}, {"motion", nullptr}, {"ffmpeg_psnr", nullptr}};
    uint32_t seed = 100;
    for (const Stored &stored : layouts()) {
        for (const bool is_on_device : {false, true}) {
            if (is_on_device && !(has_device_memory() && stored.can_be_on_device()))
                continue;
            // Runner gives the layout to one of the pictures, by the seed. The other lies
            // elsewhere.
            const bool is_elsewhere = !is_on_device && has_device_memory();
            const bool is_of_distorted = seed % 2 == 0;
            MixedRun run = {settings_of({}, features, 67, 43, kChroma[seed % 3]),
                            {stored.layout, stored.picture_depth,
                             is_of_distorted ? is_elsewhere : is_on_device,
                             is_of_distorted ? is_on_device : is_elsewhere},
                            random_pairs(seed, is_sanitized() ? 2 : 6),
                            seed};
            run.settings.depth = stored.depth;
            run.settings.ring = 2;
            expect_same(run, GetParam(), stored.name);
        }
        ++seed;
    }
}

/// The formula of the header, from the samples.
std::vector<uint8_t> expected_sketch(const Image &luma)
{
    std::vector<uint8_t> sketch;
    for (int j = 0; j < 36; ++j) {
        for (int i = 0; i < 64; ++i) {
            const int x = i * (luma.width - 4) / 63;
            const int y = j * (luma.height - 4) / 35;
            int sum = 0;
            for (int k = 0; k < 16; ++k)
                sum += luma.samples[static_cast<size_t>((y + k / 4) * luma.width + x + k % 4)];
            sketch.push_back(static_cast<uint8_t>(sum >> (4 + luma.depth - 8)));
        }
    }
    return sketch;
}

struct Size {
    int width, height;
};

TEST_P(Images, Sketches)
{
    static_assert(kSketchWidth == 64 && kSketchHeight == 36, "");
    const PictureMemory memory(GetParam());
    for (const Size size : {Size{17, 17}, Size{64, 36}, Size{67, 43}, Size{333, 99}}) {
        for (const Stored &stored : layouts()) {
            TestSettings settings = settings_of({}, {{"motion", nullptr}});
            settings.width = size.width;
            settings.height = size.height;
            settings.depth = stored.depth;
            settings.chroma = VMAFGPU_CHROMA_400;
            settings.device = GetParam();
            const Format format = {size.width, size.height, stored.depth, Chroma::k400};
            const MadePicture host(format, stored.picture_depth, stored.layout, 3, true, nullptr);
            const MadePicture device(format, stored.picture_depth, stored.layout, 4, true,
                                     stored.can_be_on_device() ? &memory : nullptr);
            TestContext context(settings);
            ASSERT_EQ(0, context.status) << context.error.text;
            for (const MadePicture *made : {&host, &device}) {
                const Taken image(context, *made);
                const uint8_t *sketch = nullptr;
                ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), image.get(), &sketch));
                const auto expected = expected_sketch(made->luma);
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sketch))
                    << stored.name << ", " << size.width << "x" << size.height << ", "
                    << (made == &host ? "host" : "device");
                EXPECT_NE(0, std::accumulate(expected.begin(), expected.end(), 0));
            }
        }
    }
}

/// Changes the lowest bit of a sample of a picture in host memory that was not yet taken.
void change_sample(const MadePicture &made, int plane, int x, int y)
{
    const VmafGpuPlane &to = made.picture.plane[plane];
    const int bytes = made.picture.depth > 8 ? 2 : 1;
    char *sample = const_cast<char *>(static_cast<const char *>(to.data)) + to.pitch * y +
                   (to.step == 0 ? bytes : to.step) * x;
    uint16_t value = 0;
    std::memcpy(&value, sample, static_cast<size_t>(bytes));
    value = static_cast<uint16_t>(value ^ (1U << made.picture.shift));
    std::memcpy(sample, &value, static_cast<size_t>(bytes));
}

// Every sample that a feature reads counts, and no other byte.
TEST_P(Images, Compared)
{
    const PictureMemory memory(GetParam());
    for (const bool has_chroma : {false, true}) {
        for (const Stored &stored : layouts()) {
            TestSettings settings =
                settings_of({}, {{has_chroma ? "ffmpeg_psnr" : "motion", nullptr}});
            settings.depth = stored.depth;
            settings.device = GetParam();
            const Format format = {67, 43, stored.depth, Chroma::k420};
            const auto make = [&](const Layout &layout, int frame, bool is_on_device) {
                return std::make_unique<MadePicture>(format, stored.picture_depth, layout, frame,
                                                     false, is_on_device ? &memory : nullptr);
            };
            const bool is_there = stored.can_be_on_device();
            const auto plain = make(Layout(), 3, false), same = make(stored.layout, 3, is_there);
            const auto other = make(stored.layout, 4, is_there),
                       changed = make(stored.layout, 3, false);
            change_sample(*changed, 0, 66, 42);
            change_sample(*changed, 0, 0, 0);
            change_sample(*changed, 1, 33, 21);
            change_sample(*changed, 2, 0, 21);
            TestContext context(settings);
            ASSERT_EQ(0, context.status) << context.error.text;
            ASSERT_EQ(has_chroma ? 1 : 0, vmafgpu_needs_chroma(context.get()));
            const Taken image(context, *plain, 0);
            const auto count = [&](const MadePicture &picture) {
                const Taken against(context, picture, 0);
                uint64_t differing = 0;
                EXPECT_EQ(0, vmafgpu_image_compare(context.get(), image.get(), against.get(),
                                                   &differing));
                return differing;
            };
            const std::string what = std::string(stored.name) + (has_chroma ? ", chroma" : "");
            EXPECT_EQ(0U, count(*same)) << what;
            EXPECT_EQ(has_chroma ? 4U : 2U, count(*changed)) << what;
            EXPECT_LT(1000U, count(*other)) << what;
        }
    }
}

// Pictures that are staged by threads, and more of them than there is pinned memory for.
TEST_P(Images, ManyLargeOnesTakenAhead)
{
    constexpr int kPairs = 12;
    TestSettings settings = settings_of({}, {{"motion", nullptr}}, 417, 243);
    settings.depth = 10;
    settings.chroma = VMAFGPU_CHROMA_400;
    settings.ring = 16;
    const Format format = {417, 243, 10, Chroma::k400};
    std::vector<Row> rows[2];
    for (const bool has_images : {false, true}) {
        settings.device = has_images ? GetParam() : "cpu";
        std::vector<std::unique_ptr<MadePicture>> pictures;
        for (int i = 0; i < 2 * kPairs; ++i)
            pictures.push_back(
                std::make_unique<MadePicture>(format, 10, p010(), i / 2, i % 2 == 1, nullptr));
        TestContext context(settings);
        ASSERT_EQ(0, context.status) << context.error.text;
        std::vector<std::unique_ptr<Taken>> images;
        for (size_t i = 0; i < pictures.size() && has_images; ++i) {
            images.push_back(std::make_unique<Taken>(context, *pictures[i], 0));
            // Some are freed before or while they are staged.
            if (i % 5 == 4) {
                extra_.push_back(
                    std::make_unique<MadePicture>(format, 10, p010(), 90, false, nullptr));
                Taken(context, *extra_.back(), 0).free();
            }
        }
        for (size_t i = 0; i < pictures.size(); i += 2) {
            ASSERT_EQ(0, has_images ? vmafgpu_submit_images(context.get(), images[i]->get(),
                                                            images[i + 1]->get(), i)
                                    : vmafgpu_submit(context.get(), &pictures[i]->picture,
                                                     &pictures[i + 1]->picture, i));
        }
        ASSERT_EQ(0, vmafgpu_flush(context.get()));
        EXPECT_EQ(-ENODATA, collect_all(context.get(), rows[has_images ? 1 : 0]));
        images.clear();
        context.close();
        for (const auto &made : pictures)
            EXPECT_EQ(1, made->releases);
    }
    for (const auto &made : extra_)
        EXPECT_EQ(1, made->releases);
    ASSERT_EQ(static_cast<size_t>(kPairs), rows[0].size());
    EXPECT_TRUE(rows[0] == rows[1]);
}

// Sketches of many images at once stay apart, and stay valid while their images are used.
TEST_P(Images, SketchesStayUntilFreed)
{
    const PictureMemory memory(GetParam());
    TestSettings settings = settings_of({"vmaf_v0.6.1"}, {});
    settings.device = GetParam();
    settings.chroma = VMAFGPU_CHROMA_400;
    const Format format = {67, 43, 8, Chroma::k400};
    std::vector<std::unique_ptr<MadePicture>> pictures;
    for (int i = 0; i < 12; ++i)
        pictures.push_back(std::make_unique<MadePicture>(format, 8, Layout(), i, i % 2 == 1,
                                                         i % 3 == 0 ? nullptr : &memory));
    TestContext context(settings);
    std::vector<std::unique_ptr<Taken>> images;
    std::vector<const uint8_t *> sketches(pictures.size());
    for (size_t i = 0; i < pictures.size(); ++i) {
        images.push_back(std::make_unique<Taken>(context, *pictures[i]));
        if (i % 4 == 3) { // other images are made and freed
            Taken(context, MadePicture(format, 8, Layout(), 77, false, nullptr)).free();
        }
    }
    for (size_t i = 0; i < pictures.size(); ++i)
        ASSERT_EQ(0, vmafgpu_image_sketch(context.get(), images[i]->get(), &sketches[i]));
    std::vector<Row> rows;
    for (size_t i = 0; i < pictures.size(); i += 2) {
        while (vmafgpu_submit_images(context.get(), images[i]->get(), images[i + 1]->get(), i) ==
               -EAGAIN) {
            VmafGpuResult result;
            ASSERT_EQ(0, vmafgpu_collect(context.get(), &result, 1));
        }
    }
    for (size_t i = 0; i < pictures.size(); ++i) {
        const auto expected = expected_sketch(pictures[i]->luma);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sketches[i])) << i;
    }
}

/// Looks for results again and again, as a caller with other work does.
TEST_P(Images, NoneWaitsAndScoresAreTheSame)
{
    TestSettings settings;
    const std::vector<Row> expected = run_all(settings, 4);
    settings.device = GetParam();
    TestRun run = make_run(settings, 4);
    TestContext context(settings);
    for (size_t i = 0; i < run.reference.size(); ++i)
        ASSERT_EQ(0, vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                    &run.distorted[i]->picture, i));
    ASSERT_EQ(0, vmafgpu_flush(context.get()));
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::vector<Row> rows;
    int status = 0;
    while (status != -ENODATA && std::chrono::steady_clock::now() < end) {
        VmafGpuResult result;
        status = vmafgpu_collect(context.get(), &result, 0);
        ASSERT_TRUE(status == 0 || status == -EAGAIN || status == -ENODATA) << status;
        if (status == 0)
            rows.push_back(row_of(result));
    }
    ASSERT_EQ(-ENODATA, status);
    ASSERT_EQ(expected.size(), rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        EXPECT_EQ(expected[i].scores, rows[i].scores);
}

INSTANTIATE_TEST_SUITE_P(Devices, Images, testing::ValuesIn(image_devices()), device_name);

} // namespace
} // namespace vmafgpu
