// SPDX-License-Identifier: BSD-2-Clause-Patent
// See fixture.h.
#include "fixture.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include "emu/sanitizer.h"
#include "gpu/backends.h"

namespace vmafgpu {
namespace {

uint32_t noise(int x, int y, int t)
{
    uint32_t v = static_cast<uint32_t>(x) * 0x9E3779B1U + static_cast<uint32_t>(y) * 0x85EBCA77U +
                 static_cast<uint32_t>(t) * 0xC2B2AE3DU;
    v ^= v >> 15;
    v *= 0x2C1B3C6DU;
    v ^= v >> 12;
    v *= 0x297A2D39U;
    return v ^ (v >> 15);
}

} // namespace

std::vector<std::string> test_devices()
{
    std::vector<std::string> list;
    for (const Backend &backend : backends())
        if (std::strncmp(backend.name, "emu", 3) == 0)
            list.emplace_back(backend.name);
    const char *more = std::getenv("VMAFGPU_TEST_DEVICES");
    std::istringstream names(more == nullptr ? "" : more);
    for (std::string name; std::getline(names, name, ',');)
        list.push_back(name);
    return list;
}

std::string device_name(const testing::TestParamInfo<std::string> &param)
{
    std::string name = param.param;
    for (char &c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}

Row row_of(const VmafGpuResult &result)
{
    Row row{result.tag, result.index, result.scored != 0, {}};
    if (result.scores != nullptr)
        row.scores.assign(result.scores, result.scores + result.score_count);
    return row;
}

Image make_image(int width, int height, int depth, int frame, bool is_distorted)
{
    Image image{width, height, depth, {}};
    image.samples.reserve(static_cast<size_t>(width) * static_cast<size_t>(height));
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            // The motion differs from frame to frame, so that motion2 picks a side.
            const int64_t shifted = x + int64_t{frame} * frame;
            int value = static_cast<int>(((shifted * shifted + 3 * y * y) >> 3) * 211 % 40000);
            value += static_cast<int>(noise(x, y, frame) >> 19);
            if (is_distorted)
                value = value * 7 / 8 + static_cast<int>(noise(y, x, frame + 99) >> 19);
            image.samples.push_back(static_cast<uint16_t>(std::min(value, 65535) >> (16 - depth)));
        }
    }
    return image;
}

Image promoted(Image image, int depth)
{
    for (uint16_t &sample : image.samples)
        sample = static_cast<uint16_t>(sample << (depth - image.depth));
    image.depth = depth;
    return image;
}

StoredPicture::StoredPicture(const Image &image, const Layout &layout)
{
    const int bytes = image.depth > 8 ? 2 : 1;
    const int step = layout.step == 0 ? bytes : layout.step;
    const auto row_bytes = static_cast<size_t>(step * image.width + layout.padding);
    storage_.assign(
        static_cast<size_t>(layout.offset) + row_bytes * static_cast<size_t>(image.height), 0xEE);
    unsigned char *first = storage_.data() + layout.offset;
    for (int y = 0; y < image.height; ++y) {
        const int row = layout.is_flipped ? image.height - 1 - y : y;
        unsigned char *to = first + row_bytes * static_cast<size_t>(row);
        for (int x = 0; x < image.width; ++x) {
            const auto at = static_cast<size_t>(y * image.width + x);
            const unsigned mask = ((1U << image.depth) - 1) << layout.shift;
            const unsigned value = static_cast<unsigned>(image.samples[at]) << layout.shift;
            const auto stored = static_cast<uint16_t>(value | (layout.garbage & ~mask));
            if (bytes == 2)
                std::memcpy(to + static_cast<size_t>(x * step), &stored, 2);
            else
                to[x * step] = static_cast<unsigned char>(stored);
        }
    }
    const auto pitch = static_cast<ptrdiff_t>(row_bytes);
    picture.width = image.width;
    picture.height = image.height;
    picture.depth = image.depth;
    picture.shift = layout.shift;
    picture.plane[0].data =
        layout.is_flipped ? first + row_bytes * static_cast<size_t>(image.height - 1) : first;
    picture.plane[0].pitch = layout.is_flipped ? -pitch : pitch;
    picture.plane[0].step = layout.step;
    picture.release = on_release;
    picture.opaque = this;
}

void StoredPicture::on_release(void *opaque)
{
    auto *self = static_cast<StoredPicture *>(opaque);
    ++self->releases;
    self->was_released_elsewhere |= std::this_thread::get_id() != self->thread_;
    self->scribble(); // whoever reads it after this gets wrong scores
}

void StoredPicture::scribble()
{
    std::fill(storage_.begin(), storage_.end(), 0x55);
}

TestContext::TestContext(const TestSettings &settings)
{
    std::vector<VmafGpuModel *> models;
    for (const std::string &name : settings.models) {
        models.push_back(nullptr);
        EXPECT_EQ(0, vmafgpu_model_load(&models.back(), name.c_str(), &error)) << error.text;
        if (settings.models.size() > 1) {
            EXPECT_EQ(0, vmafgpu_model_option(models.back(), "name", name.c_str(), &error));
        }
        for (const auto &[key, value] : settings.model_options)
            EXPECT_EQ(0, vmafgpu_model_option(models.back(), key.c_str(), value.c_str(), &error))
                << error.text;
    }
    VmafGpuSettings s;
    vmafgpu_settings_default(&s);
    s.width = settings.width;
    s.height = settings.height;
    s.distorted_width = settings.distorted_width;
    s.distorted_height = settings.distorted_height;
    s.depth = settings.depth;
    s.chroma = settings.chroma;
    s.device = settings.device.c_str();
    s.native_context = settings.native_context;
    s.native_stream = settings.native_stream;
    s.models = models.data();
    s.model_count = static_cast<int>(models.size());
    s.features = settings.features.data();
    s.feature_count = static_cast<int>(settings.features.size());
    s.ring_depth = settings.ring;
    s.threads = settings.threads;
    s.subsample = settings.subsample;
    s.most_held = settings.most_held;
    EXPECT_EQ(s.frame_rate, 0); // by default
    s.frame_rate = settings.frame_rate;
    s.compat = settings.compat;
    s.chunk = settings.chunk;
    s.pairing = settings.pairing;
    s.log_level = VMAFGPU_LOG_VERBOSE;
    s.log_opaque = this;
    s.log = [](void *opaque, int level, const char *text) {
        auto *self = static_cast<TestContext *>(opaque);
        self->log.push_back({level, text, std::this_thread::get_id() != self->thread_});
    };
    status = vmafgpu_open(&ctx_, &s, &error);
    for (VmafGpuModel *model : models)
        vmafgpu_model_free(&model);
}

TestContext::~TestContext()
{
    vmafgpu_close(&ctx_);
}

int TestContext::column(const std::string &name) const
{
    for (int i = 0; i < vmafgpu_score_count(ctx_); ++i)
        if (name == vmafgpu_score_name(ctx_, i))
            return i;
    return -1;
}

bool operator==(const Row &a, const Row &b)
{
    return a.tag == b.tag && a.index == b.index && a.is_scored == b.is_scored &&
           a.scores.size() == b.scores.size() &&
           (a.scores.empty() ||
            std::memcmp(a.scores.data(), b.scores.data(), a.scores.size() * sizeof(double)) == 0);
}

void expect_equal(const std::vector<Row> &expected, const std::vector<Row> &got)
{
    ASSERT_EQ(expected.size(), got.size());
    for (size_t i = 0; i < got.size(); ++i)
        EXPECT_TRUE(expected[i] == got[i]) << "pair " << i << " differs";
}

void expect_one_line(const VmafGpuError &error, int code)
{
    EXPECT_EQ(code, error.code);
    EXPECT_NE('\0', error.text[0]);
    EXPECT_EQ(nullptr, std::strchr(error.text, '\n')) << error.text;
    EXPECT_NE(nullptr, std::memchr(error.text, '\0', sizeof(error.text)));
}

int collect_all(VmafGpuContext *ctx, std::vector<Row> &rows)
{
    VmafGpuResult result;
    int status = 0;
    while ((status = vmafgpu_collect(ctx, &result, 1)) == 0)
        rows.push_back(row_of(result));
    return status;
}

TestRun make_run(const TestSettings &settings, int frames, const Layout &layout,
                 int reference_depth, int distorted_depth)
{
    TestRun run;
    for (int i = 0; i < frames; ++i) {
        for (const bool is_distorted : {false, true}) {
            const int depth = is_distorted ? distorted_depth : reference_depth;
            auto &list = is_distorted ? run.distorted : run.reference;
            list.push_back(std::make_unique<StoredPicture>(
                make_image(settings.width, settings.height, depth == 0 ? settings.depth : depth, i,
                           is_distorted),
                layout));
        }
    }
    return run;
}

std::vector<Row> run_all(TestContext &context, TestRun &run)
{
    std::vector<Row> rows;
    EXPECT_EQ(0, context.status) << context.error.text;
    if (context.get() == nullptr)
        return rows;
    for (size_t i = 0; i < run.reference.size(); ++i) {
        int status = 0;
        while ((status = vmafgpu_submit(context.get(), &run.reference[i]->picture,
                                        &run.distorted[i]->picture, 100 + i)) == -EAGAIN) {
            VmafGpuResult result;
            const int collected = vmafgpu_collect(context.get(), &result, 1);
            EXPECT_EQ(0, collected) << "the ring is full and yet nothing can be collected";
            if (collected != 0)
                return rows;
            rows.push_back(row_of(result));
        }
        EXPECT_EQ(0, status) << vmafgpu_error_text(context.get());
        for (const size_t at : run.flush_after)
            EXPECT_EQ(0, at == i ? vmafgpu_flush(context.get()) : 0);
    }
    EXPECT_EQ(0, vmafgpu_flush(context.get()));
    EXPECT_EQ(-ENODATA, collect_all(context.get(), rows));
    return rows;
}

std::vector<Row> run_all(const TestSettings &settings, int frames)
{
    TestRun run = make_run(settings, frames);
    TestContext context(settings);
    return run_all(context, run);
}

long resident_kib()
{
#ifdef __GLIBC__
    malloc_trim(0); // freed memory must not count
#endif
    std::ifstream file("/proc/self/statm");
    long total = 0;
    long resident = 0;
    file >> total >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

namespace {

long open_files()
{
    std::error_code error;
    const std::filesystem::directory_iterator folder("/proc/self/fd", error);
    return std::distance(begin(folder), end(folder));
}

} // namespace

bool is_sanitized()
{
#if defined(VMAFGPU_ASAN) || defined(VMAFGPU_TSAN)
    return true;
#else
    return false;
#endif
}

void expect_flat_cycles(const TestSettings &settings, int cycles, long kib)
{
    const int warm_up = cycles / 5;
    long memory = 0;
    long files = 0;
    const std::vector<Row> expected = run_all(settings, 2);
    for (int i = 0; i < cycles; ++i) {
        if (i == warm_up) {
            memory = resident_kib();
            files = open_files();
        }
        const std::vector<Row> rows = run_all(settings, 2);
        ASSERT_TRUE(expected == rows) << "cycle " << i;
    }
    EXPECT_EQ(files, open_files());
    std::printf("%s: %ld KiB more after %d cycles, %ld files open\n", settings.device.c_str(),
                resident_kib() - memory, cycles - warm_up, files);
    EXPECT_TRUE(is_sanitized() || resident_kib() - memory < kib);
}

} // namespace vmafgpu
