// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the tests of the API and the engine share: pictures in every layout
// that a caller may have, contexts, whole runs. Content is synthetic; whether
// scores equal libvmaf's is tests/golden's question.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

/// Samples of one plane, LSB-aligned.
struct Image {
    int width = 0, height = 0, depth = 8;
    std::vector<uint16_t> samples;
};

/// A moving texture with noise; the distorted one is softer and noisier.
Image make_image(int width, int height, int depth, int frame, bool is_distorted);
/// Returns the image with more bits a sample.
Image promoted(Image image, int depth);

/// How an Image lies in memory.
struct Layout {
    int shift = 0;
    unsigned garbage = 0;        ///< or'ed into the bits that are not the sample's
    int padding = 0;             ///< bytes after each row
    int step = 0;                ///< bytes between samples; 0 = tight
    int offset = 0;              ///< bytes before the first row
    bool is_flipped = false;     ///< bottom row first, negative pitch
    bool is_held = false;        ///< a MadePicture on a device is pushed with VMAFGPU_PICTURE_HOLD
    bool has_plain_luma = false; ///< `step` of a MadePicture applies to chroma alone
};

/// An Image stored as the caller of the API would. Counts its releases and the
/// threads they came on. Must outlive the context.
class StoredPicture {
public:
    explicit StoredPicture(const Image &image, const Layout &layout = {});
    StoredPicture(const StoredPicture &) = delete;
    StoredPicture &operator=(const StoredPicture &) = delete;

    VmafGpuPicture picture = {};
    int releases = 0;
    bool was_released_elsewhere = false; ///< on a thread other than the creating one
    /// Overwrite the samples (after release they are nobody's).
    void scribble();

private:
    static void on_release(void *opaque);
    std::vector<unsigned char> storage_;
    std::thread::id thread_ = std::this_thread::get_id();
};

struct LogLine {
    int level;
    std::string text;
    bool was_elsewhere;
};

/// Settings with the defaults most tests want: 8 bit, CPU, model vmaf_v0.6.1.
struct TestSettings {
    int width = 64, height = 48, depth = 8;
    int distorted_width = 0, distorted_height = 0;
    int chroma = VMAFGPU_CHROMA_420;
    int ring = 4, threads = 2, subsample = 1, most_held = 32, frame_rate = 0;
    int compat = VMAFGPU_COMPAT_3_2;
    std::string device = "cpu";
    void *native_context = nullptr, *native_stream = nullptr;
    const VmafGpuChunk *chunk = nullptr;
    const VmafGpuPairingSettings *pairing = nullptr;
    std::vector<std::string> models = {"vmaf_v0.6.1"};
    std::map<std::string, std::string> model_options; ///< options of each model
    std::vector<VmafGpuFeature> features;
};

/// A context that frees itself, and its log.
class TestContext {
public:
    explicit TestContext(const TestSettings &settings);
    ~TestContext();
    TestContext(const TestContext &) = delete;
    TestContext &operator=(const TestContext &) = delete;

    VmafGpuContext *get() const { return ctx_; }
    void close() { vmafgpu_close(&ctx_); }

    int status = 0; ///< result of vmafgpu_open
    VmafGpuError error = {};
    std::vector<LogLine> log;

    /// Index of a series by name; -1 if there is none.
    int column(const std::string &name) const;

private:
    VmafGpuContext *ctx_ = nullptr;
    std::thread::id thread_ = std::this_thread::get_id();
};

/// A collected pair.
struct Row {
    uint64_t tag;
    int64_t index;
    bool is_scored;
    std::vector<double> scores;
};
bool operator==(const Row &a, const Row &b);
Row row_of(const VmafGpuResult &result);
void expect_equal(const std::vector<Row> &expected, const std::vector<Row> &got);

/// The emulated devices of this build, and those that VMAFGPU_TEST_DEVICES names.
std::vector<std::string> test_devices();
/// A device as part of a test's name.
std::string device_name(const testing::TestParamInfo<std::string> &param);

/// A failure's error: the code, and a text of one line that ends.
void expect_one_line(const VmafGpuError &error, int code);

/// Collect while there is something.
int collect_all(VmafGpuContext *ctx, std::vector<Row> &rows);

/// The pairs of a run, in order; flush after those in `flush_after`.
struct TestRun {
    std::vector<std::unique_ptr<StoredPicture>> reference, distorted;
    std::vector<size_t> flush_after;
};
TestRun make_run(const TestSettings &settings, int frames, const Layout &layout = {},
                 int reference_depth = 0, int distorted_depth = 0); ///< 0: the settings'
/// Submit all (collecting when the ring is full), flush, drain; tag = 100 + number.
std::vector<Row> run_all(TestContext &context, TestRun &run);
std::vector<Row> run_all(const TestSettings &settings, int frames);

/// Returns true under AddressSanitizer and ThreadSanitizer. They keep freed memory, so the growth
/// of a process says nothing there, and they make code many times slower.
bool is_sanitized();

/// Returns the resident memory of this process; 0 where it cannot be known.
long resident_kib();

/// Opens, scores and closes many times over: memory (up to some KiB) and open files stay,
/// scores too.
void expect_flat_cycles(const TestSettings &settings, int cycles, long kib = 2048);

} // namespace vmafgpu
