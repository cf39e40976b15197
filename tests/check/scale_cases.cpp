// SPDX-License-Identifier: BSD-2-Clause-Patent
// The scaler's fast CPU code, and its kernel on a Device, against the reference code, which
// tests/golden/scale_ffmpeg.py compares with FFmpeg. On a Device in all layouts that a caller's
// picture may have, with nothing readable around it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "base/numeric.h"
#include "check.h"
#include "scaler/scale_record.h"

namespace vmafgpu {
namespace {

struct Sizes {
    int from_width, from_height, to_width, to_height;
};

/// The ratios of ladders, odd sides, one side alone, both limits, tiles with few rows.
constexpr Sizes kSizes[] = {
    {96, 54, 192, 108}, {64, 36, 192, 108}, {160, 90, 192, 108}, {192, 108, 96, 54},
    {192, 108, 48, 27}, {85, 47, 191, 107}, {131, 67, 33, 17},   {17, 17, 68, 23},
    {96, 54, 96, 108},  {96, 54, 192, 54},  {64, 100, 150, 40},  {101, 61, 100, 60},
    {272, 272, 17, 17}, {17, 17, 272, 272}, {66, 300, 65, 25},   {129, 33, 127, 65},
};
constexpr Sizes kLarge[] = {
    {1280, 720, 1920, 1080}, {960, 540, 1920, 1080}, {1920, 1080, 854, 480}};
constexpr int kDepths[] = {8, 9, 10, 12, 14, 16};

enum class Layout { kPlain, kApart, kUpsideDown, kPromoted };
constexpr Layout kLayouts[] = {Layout::kPlain, Layout::kApart, Layout::kUpsideDown,
                               Layout::kPromoted};
constexpr const char *kLayoutNames[] = {"plain", "apart", "upsidedown", "promoted"};

constexpr uint8_t kGuard = 0xa5; ///< around planes and between their rows
constexpr size_t kGuardBytes = 256;

/// Planes of the result, in one piece: guard, rows with padding, guard.
struct Result {
    explicit Result(const Format &format)
    {
        for (int p = 0; p < 3; ++p) {
            pitch[p] = round_up(static_cast<size_t>(format.plane_width(p)) *
                                        static_cast<size_t>(format.sample_bytes()) +
                                    1,
                                size_t{256});
            offset[p] = (p == 0 ? 0
                                : offset[p - 1] + pitch[p - 1] * static_cast<size_t>(
                                                                     format.plane_height(p - 1))) +
                        kGuardBytes;
        }
        bytes.assign(offset[2] + pitch[2] * static_cast<size_t>(format.plane_height(2)) +
                         kGuardBytes,
                     kGuard);
    }

    size_t pitch[3], offset[3];
    std::vector<uint8_t> bytes;
};

struct Case {
    Format source; ///< the source in the depth of its samples
    int width, height;
    Layout layout;
    Content content;

    int promote() const { return layout == Layout::kPromoted ? std::min(2, 16 - source.depth) : 0; }
    Format target() const { return {width, height, source.depth + promote(), source.chroma}; }
};

std::string name_of(const Case &c)
{
    return std::string("scale/") + kLayoutNames[static_cast<int>(c.layout)] + "/" +
           std::to_string(c.source.width) + "x" + std::to_string(c.source.height) + "to" +
           std::to_string(c.width) + "x" + std::to_string(c.height) + "/" +
           std::to_string(c.source.depth) + "bit/" + content_name(c.content);
}

/// Scales by the reference code, or by the CPU's if there is a pool; then promotes the result.
Result host_result(const Case &c, const ScalePlan &plan, const TestPair &pair, ThreadPool *pool)
{
    const Format target = c.target();
    Result result(target);
    for (size_t p = 0; p < 3; ++p) {
        Format own = plan.target();
        own.depth = c.source.depth;
        const int width = own.plane_width(static_cast<int>(p));
        const size_t pitch = static_cast<size_t>(width) * static_cast<size_t>(own.sample_bytes());
        const int height = own.plane_height(static_cast<int>(p));
        std::vector<char> samples(pitch * static_cast<size_t>(height));
        const PlaneScale &scale = plan.plane(static_cast<int>(p));
        const Plane from = pair.distorted[p].plane();
        if (pool != nullptr)
            scale_plane(scale, c.source.depth, from, samples.data(), static_cast<ptrdiff_t>(pitch),
                        *pool);
        else
            scale_plane_ref(scale, c.source.depth, from, samples.data(),
                            static_cast<ptrdiff_t>(pitch));
        const auto bytes = static_cast<size_t>(target.sample_bytes());
        for (size_t y = 0; y < static_cast<size_t>(height); ++y) {
            for (size_t x = 0; x < static_cast<size_t>(width); ++x) {
                const char *at = samples.data() + y * pitch;
                const unsigned sample = own.sample_bytes() == 1
                                            ? static_cast<uint8_t>(at[x])
                                            : reinterpret_cast<const uint16_t *>(at)[x];
                const auto value = static_cast<uint16_t>(sample << c.promote());
                std::memcpy(result.bytes.data() + result.offset[p] + y * result.pitch[p] +
                                x * bytes,
                            &value, bytes);
            }
        }
    }
    return result;
}

/// A plane as a caller may have it: exactly its bytes, without any beyond the last sample.
struct Given {
    std::vector<uint8_t> bytes;
    VmafGpuPlane plane = {}; ///< a plane without data
    size_t top = 0;          ///< offset of the top row's first sample
};

Given give(const Case &c, const TestPlane &from, int shift)
{
    const auto bytes = static_cast<size_t>(c.source.sample_bytes());
    const size_t step = c.layout == Layout::kApart ? 2 * bytes : bytes;
    const auto width = static_cast<size_t>(from.width());
    const auto height = static_cast<size_t>(from.height());
    const size_t pitch = step * width + bytes;
    Given given;
    given.bytes.assign(pitch * (height - 1) + step * (width - 1) + bytes, kGuard);
    const bool is_turned = c.layout == Layout::kUpsideDown;
    for (size_t y = 0; y < height; ++y) {
        for (size_t x = 0; x < width; ++x) {
            // The unused bits are not 0.
            const unsigned unused = (1U << shift) - 1;
            const auto value = static_cast<uint16_t>(
                from.get(static_cast<int>(x), static_cast<int>(y)) << shift | unused);
            const size_t row = is_turned ? height - 1 - y : y;
            std::memcpy(given.bytes.data() + row * pitch + x * step, &value, bytes);
        }
    }
    given.top = is_turned ? pitch * (height - 1) : 0;
    given.plane.pitch = static_cast<ptrdiff_t>(pitch) * (is_turned ? -1 : 1);
    given.plane.step = static_cast<int>(step);
    return given;
}

/// Device memory of a case, freed with it.
class DeviceMemory {
public:
    explicit DeviceMemory(Device &device) : device_(device) {}
    ~DeviceMemory()
    {
        for (void *piece : pieces_)
            device_.free(piece);
    }
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;

    char *upload(Queue &queue, const void *from, size_t bytes)
    {
        pieces_.push_back(device_.alloc(bytes));
        queue.upload(pieces_.back(), from, bytes);
        return static_cast<char *>(pieces_.back());
    }

private:
    Device &device_;
    std::vector<void *> pieces_;
};

/// Seconds of a launch too, over `repeats` of them.
Result device_result(const Case &c, const ScalePlan &plan, const TestPair &pair, Device &device,
                     int repeats = 1, double *seconds = nullptr)
{
    const auto queue = device.make_queue();
    DeviceMemory memory(device);
    const ScaleTables tables(plan);
    std::vector<char> table(tables.bytes());
    tables.fill(table.data());
    const char *device_tables = memory.upload(*queue, table.data(), table.size());
    VmafGpuPicture picture = {};
    picture.depth = c.source.depth;
    picture.shift = c.layout == Layout::kApart && c.source.depth > 8 ? 16 - c.source.depth : 0;
    for (size_t p = 0; p < 3; ++p) {
        const Given given = give(c, pair.distorted[p], picture.shift);
        picture.plane[p] = given.plane;
        picture.plane[p].data =
            memory.upload(*queue, given.bytes.data(), given.bytes.size()) + given.top;
    }
    Result result(c.target());
    char *planes = memory.upload(*queue, result.bytes.data(), result.bytes.size());
    char *const to[3] = {planes + result.offset[0], planes + result.offset[1],
                         planes + result.offset[2]};
    const auto event = device.make_event();
    const auto launch = [&] {
        scale_record(tables, device_tables, picture, 3, c.target(), to, result.pitch, *queue);
    };
    launch();
    queue->record(*event);
    event->sync();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 1; i < repeats; ++i)
        launch();
    queue->record(*event);
    event->sync();
    if (seconds != nullptr)
        *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                   (repeats - 1);
    void *host = device.alloc_host(result.bytes.size());
    queue->download(host, planes, result.bytes.size());
    queue->record(*event);
    event->sync();
    std::memcpy(result.bytes.data(), host, result.bytes.size());
    device.free_host(host);
    return result;
}

Outcome compare(const Case &c, const Target &target, uint64_t seed)
{
    const TestPair pair = make_pair(c.source, c.content, 0, seed);
    const ScalePlan plan(c.source, c.width, c.height);
    const Result expected = host_result(c, plan, pair, nullptr);
    const Result got = target.device != nullptr ? device_result(c, plan, pair, *target.device)
                                                : host_result(c, plan, pair, target.pool.get());
    const auto wrong =
        std::mismatch(got.bytes.begin(), got.bytes.end(), expected.bytes.begin()).first;
    if (wrong == got.bytes.end())
        return {};
    const auto at = static_cast<size_t>(wrong - got.bytes.begin());
    const int p = at >= got.offset[2] ? 2 : at >= got.offset[1] ? 1 : 0;
    const size_t inside = at < got.offset[0] ? 0 : at - got.offset[p];
    return {false, "the scaled picture differs first in plane " + std::to_string(p) + ", row " +
                       std::to_string(inside / got.pitch[p]) + ", byte " +
                       std::to_string(inside % got.pitch[p])};
}

} // namespace

void check_scaler(const Target &target, Report &report)
{
    const auto run = [&](const Sizes &size, int depth, Layout layout, Content content,
                         Chroma chroma) {
        const Case c = {{size.from_width, size.from_height, depth, chroma},
                        size.to_width,
                        size.to_height,
                        layout,
                        content};
        report.run(target, name_of(c), [&] { return compare(c, target, report.settings().seed); });
    };
    constexpr Chroma kSubsampled[] = {Chroma::k420, Chroma::k422, Chroma::k444};
    size_t number = 0; // contents, chroma formats and layouts in turn
    for (const Sizes &size : kSizes) {
        for (const int depth : kDepths) {
            ++number;
            for (size_t l = 0; l < std::size(kLayouts); ++l)
                if (!target.is_slow || (number + number / 6) % 4 == l)
                    run(size, depth, kLayouts[l],
                        kAllContents[(number + l) % std::size(kAllContents)],
                        kSubsampled[(number / 2 + l) % 3]);
        }
    }
    for (const Sizes &size : kLarge)
        for (const int depth : {8, 10})
            if (!target.is_slow)
                run(size, depth, Layout::kPlain, Content::kNoise, Chroma::k420);
}

void bench_scaler(const Target &target, Report &report)
{
    for (const Sizes &size : kLarge) {
        for (const int depth : {8, 10}) {
            const Case c = {{size.from_width, size.from_height, depth, Chroma::k420},
                            size.to_width,
                            size.to_height,
                            Layout::kPlain,
                            Content::kTexture};
            report.run(target, name_of(c), [&]() -> Outcome {
                const TestPair pair = make_pair(c.source, c.content, 0, report.settings().seed);
                const ScalePlan plan(c.source, c.width, c.height);
                double seconds = 0;
                if (target.device != nullptr) {
                    device_result(c, plan, pair, *target.device, 21, &seconds);
                } else {
                    constexpr int kRepeats = 10;
                    Result result(c.target());
                    const auto begin = std::chrono::steady_clock::now();
                    for (int i = 0; i < kRepeats; ++i)
                        for (size_t p = 0; p < 3; ++p)
                            scale_plane(plan.plane(static_cast<int>(p)), depth,
                                        pair.distorted[p].plane(),
                                        result.bytes.data() + result.offset[p],
                                        static_cast<ptrdiff_t>(result.pitch[p]), *target.pool);
                    seconds =
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
                            .count() /
                        kRepeats;
                }
                report.bench_case(name_of(c)).targets.push_back({target.name, seconds, 0});
                return {};
            });
        }
    }
}

} // namespace vmafgpu
