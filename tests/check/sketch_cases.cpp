// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sketches on all sizes, depths and contents: picture/sketch.h on the CPU, and the kernel of
// gpu/unpack_args.h on a Device, against the formula of the public header. Sketches through the
// API: tests/unit/test_images.cpp.
#include <cstring>

#include "check.h"
#include "gpu/unpack_args.h"
#include "picture/sketch.h"

namespace vmafgpu {
namespace {

struct Size {
    int width, height;
};

constexpr Size kSizes[] = {{17, 17}, {18, 301}, {64, 36}, {67, 43}, {319, 181}, {1920, 1080}};
constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};
constexpr uint8_t kGuard = 0xa5; ///< byte in front of the sketch and behind it
constexpr size_t kGuardBytes = 256;

/// The sketch that the device makes of host luma, between guards.
std::vector<uint8_t> device_sketch(const TestPlane &luma, const Format &format, Device &device)
{
    const size_t row_bytes =
        static_cast<size_t>(format.width) * static_cast<size_t>(format.sample_bytes());
    const size_t pitch = (row_bytes + 255) / 256 * 256;
    const auto height = static_cast<size_t>(format.height);
    std::vector<char> rows(pitch * height, 0x7f);
    for (size_t y = 0; y < height; ++y)
        std::memcpy(rows.data() + y * pitch, plane_row<char>(luma.plane(), static_cast<int>(y)),
                    row_bytes);
    const size_t bytes = kSketchBytes + 2 * kGuardBytes;
    const auto queue = device.make_queue();
    void *memory = device.alloc(rows.size());
    auto *sketch = static_cast<uint8_t *>(device.alloc(bytes));
    void *host = device.alloc_host(bytes);
    queue->upload(memory, rows.data(), rows.size());
    queue->fill(sketch, kGuard, bytes);
    SketchArgs args = {};
    args.luma[0] = {memory, static_cast<int64_t>(pitch)};
    args.sketches = sketch + kGuardBytes;
    args.width = format.width;
    args.height = format.height;
    args.sample_bytes = format.sample_bytes();
    args.shift = 4 + format.depth - 8;
    args.columns = kSketchWidth;
    args.rows = kSketchHeight;
    queue->launch(kSketch, {blocks_of(kSketchBytes, kSketch.threads), 1, 1}, args);
    queue->download(host, sketch, bytes);
    const auto event = device.make_event();
    queue->record(*event);
    event->sync();
    const auto *first = static_cast<const uint8_t *>(host);
    std::vector<uint8_t> result(first, first + bytes);
    device.free(memory);
    device.free(sketch);
    device.free_host(host);
    return result;
}

std::vector<uint8_t> host_sketch(const TestPlane &luma, const Format &format)
{
    VmafGpuPicture picture = {};
    picture.width = format.width;
    picture.height = format.height;
    picture.depth = format.depth;
    picture.plane[0] = {luma.data(), luma.pitch(), 0, 0};
    std::vector<uint8_t> sketch(kSketchBytes + 2 * kGuardBytes, kGuard);
    make_sketch(picture, sketch.data() + kGuardBytes);
    return sketch;
}

std::vector<uint8_t> expected_sketch(const TestPlane &luma, const Format &format)
{
    std::vector<uint8_t> sketch(kSketchBytes + 2 * kGuardBytes, kGuard);
    for (int i = 0; i < kSketchBytes; ++i) {
        const int x = i % 64 * (format.width - 4) / 63;
        const int y = i / 64 * (format.height - 4) / 35;
        unsigned sum = 0;
        for (int k = 0; k < 16; ++k)
            sum += luma.get(x + k % 4, y + k / 4);
        sketch[kGuardBytes + static_cast<size_t>(i)] =
            static_cast<uint8_t>(sum >> (4 + format.depth - 8));
    }
    return sketch;
}

} // namespace

void check_sketches(const Target &target, Report &report)
{
    for (const Size size : kSizes) {
        for (const int depth : kDepths) {
            for (const Content content : kAllContents) {
                if (target.is_slow && size.width > 1000 && content != Content::kNoise)
                    continue;
                const Format format = {size.width, size.height, depth, Chroma::k400};
                const std::string name =
                    case_name("engine/sketch", format, content_name(content), false);
                report.run(target, name, [&]() -> Outcome {
                    const TestClip clip(format, content, 1, report.settings().seed);
                    const TestPlane &luma = clip.pair(0).distorted[0];
                    const auto got = target.device != nullptr
                                         ? device_sketch(luma, format, *target.device)
                                         : host_sketch(luma, format);
                    if (got == expected_sketch(luma, format))
                        return {};
                    return {false, "the sketch differs from the formula"};
                });
            }
        }
    }
}

} // namespace vmafgpu
