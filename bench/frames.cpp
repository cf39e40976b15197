// SPDX-License-Identifier: BSD-2-Clause-Patent
// See frames.h. Content depends on nothing but position, frame number and
// format, so that two runs time the same work.
#include "frames.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "content.h"
#include "gpu/backends.h"
#include "gpu/unpack_args.h"

namespace vmafgpu {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct PlaneSize {
    int width, height;
};

int planes_of(const BenchFormat &format)
{
    return format.chroma == VMAFGPU_CHROMA_400 ? 1 : 3;
}

PlaneSize plane_size(const BenchFormat &format, int plane)
{
    const bool is_narrow = plane > 0 && format.chroma != VMAFGPU_CHROMA_444;
    const bool is_low = plane > 0 && format.chroma == VMAFGPU_CHROMA_420;
    return {is_narrow ? (format.width + 1) / 2 : format.width,
            is_low ? (format.height + 1) / 2 : format.height};
}

class HostFrames : public BenchFrames {
public:
    HostFrames(const BenchFormat &format, size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            pairs_.push_back({add(format), add(format)});
        if (!format.reference.empty()) {
            read(format, format.reference, &BenchPair::reference);
            read(format, format.distorted, &BenchPair::distorted);
            return;
        }
        std::vector<std::thread> threads; // large pictures take seconds each
        for (size_t i = 0; i < count; ++i) {
            threads.emplace_back(fill, format, static_cast<int>(i), false, pairs_[i].reference);
            threads.emplace_back(fill, format, static_cast<int>(i), true, pairs_[i].distorted);
        }
        for (std::thread &thread : threads)
            thread.join();
    }

    const BenchPair &pair(size_t i) const override { return pairs_[i % pairs_.size()]; }

private:
    /// The pictures of one side, from a file.
    void read(const BenchFormat &format, const std::string &path, VmafGpuPicture BenchPair::*side)
    {
        std::ifstream file(path, std::ios::binary);
        for (BenchPair &pair : pairs_) {
            for (int p = 0; p < planes_of(format); ++p) {
                const VmafGpuPlane &plane = (pair.*side).plane[p];
                const PlaneSize size = plane_size(format, p);
                const int bytes = size.width * (format.depth > 8 ? 2 : 1);
                for (int y = 0; y < size.height; ++y)
                    file.read(static_cast<char *>(const_cast<void *>(plane.data)) + plane.pitch * y,
                              bytes);
            }
        }
        if (!file)
            throw std::runtime_error(path + ": cannot be read, or has fewer pictures");
    }

    static void fill(const BenchFormat &format, int t, bool is_distorted, VmafGpuPicture picture)
    {
        for (int p = 0; p < planes_of(format); ++p)
            fill_plane(format, t + 100 * p, is_distorted, picture.plane[p], plane_size(format, p));
    }

    static void fill_plane(const BenchFormat &format, int t, bool is_distorted, VmafGpuPlane plane,
                           PlaneSize size)
    {
        for (int y = 0; y < size.height; ++y) {
            auto *row =
                static_cast<unsigned char *>(const_cast<void *>(plane.data)) + plane.pitch * y;
            for (int x = 0; x < size.width; ++x) {
                const int sample = format.is_banded ? bench_bands(x, y, t, is_distorted)
                                                    : bench_sample(x, y, t, is_distorted);
                const int value = sample >> (16 - format.depth);
                const auto stored = static_cast<uint16_t>(value << format.shift);
                if (format.depth > 8)
                    std::memcpy(row + 2 * static_cast<size_t>(x), &stored, 2);
                else
                    row[x] = static_cast<unsigned char>(stored);
            }
        }
    }

    VmafGpuPicture add(const BenchFormat &format)
    {
        const size_t bytes = format.depth > 8 ? 2 : 1;
        VmafGpuPicture picture = {};
        picture.width = format.width;
        picture.height = format.height;
        picture.depth = format.depth;
        picture.shift = format.shift;
        picture.memory = VMAFGPU_MEMORY_HOST;
        for (int p = 0; p < planes_of(format); ++p) {
            const PlaneSize size = plane_size(format, p);
            const size_t pitch = (static_cast<size_t>(size.width) * bytes + 63) / 64 * 64;
            storage_.emplace_back(pitch * static_cast<size_t>(size.height));
            picture.plane[p] = {storage_.back().data(), static_cast<ptrdiff_t>(pitch), 0, 0};
        }
        return picture;
    }

    std::vector<std::vector<unsigned char>> storage_;
    std::vector<BenchPair> pairs_;
};

/// Device memory through the engine's own contract; the Device lives as long
/// as the pictures.
class DeviceFrames : public BenchFrames {
public:
    DeviceFrames(const BenchFormat &format, size_t count, std::unique_ptr<Device> device)
        : device_(std::move(device))
    {
        const HostFrames host(format, count);
        const auto queue = device_->make_queue();
        const auto event = device_->make_event();
        for (size_t i = 0; i < count; ++i)
            pairs_.push_back({upload(*queue, format, host.pair(i).reference),
                              upload(*queue, format, host.pair(i).distorted)});
        queue->record(*event);
        event->sync();
    }
    ~DeviceFrames() override
    {
        for (void *memory : memory_)
            device_->free(memory);
    }
    DeviceFrames(const DeviceFrames &) = delete;
    DeviceFrames &operator=(const DeviceFrames &) = delete;

    const BenchPair &pair(size_t i) const override { return pairs_[i % pairs_.size()]; }

private:
    VmafGpuPicture upload(Queue &queue, const BenchFormat &format, VmafGpuPicture picture)
    {
        for (int p = 0; p < planes_of(format); ++p) {
            VmafGpuPlane &plane = picture.plane[p];
            const PlaneSize size = plane_size(format, p);
            const auto pitch = static_cast<size_t>(plane.pitch);
            const size_t row = static_cast<size_t>(size.width) * (picture.depth > 8 ? 2 : 1);
            void *memory = device_->alloc(pitch * static_cast<size_t>(size.height));
            memory_.push_back(memory);
            std::vector<char> packed(pitch * static_cast<size_t>(size.height));
            for (int y = 0; y < size.height; ++y)
                std::memcpy(&packed[pitch * static_cast<size_t>(y)],
                            static_cast<const char *>(plane.data) + plane.pitch * y, row);
            queue.upload(memory, packed.data(), packed.size());
            plane.data = memory;
        }
        picture.memory = VMAFGPU_MEMORY_DEVICE;
        picture.flags = format.is_held ? VMAFGPU_PICTURE_HOLD : 0;
        return picture;
    }

    std::unique_ptr<Device> device_;
    std::vector<void *> memory_;
    std::vector<BenchPair> pairs_;
};

/// The Device that `text` (as in VmafGpuSettings.device) names, or null.
std::unique_ptr<Device> open_device(const std::string &text)
{
    const size_t colon = text.find(':');
    DeviceRequest request;
    request.selector = colon == std::string::npos ? "" : text.substr(colon + 1);
    request.self_test = false;
    for (const Backend &backend : backends())
        if (text.substr(0, colon) == backend.name)
            return backend.open(request);
    return nullptr;
}

/// Bytes per second of a copy that is done a few times in one go.
double copy_rate(Device &device, Queue &queue, size_t bytes, const std::function<void()> &copy)
{
    const auto event = device.make_event();
    double best = 0;
    for (int round = 0; round < 4; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < 4; ++i)
            copy();
        queue.record(*event);
        event->sync();
        best = std::max(best, 4.0 * static_cast<double>(bytes) / seconds_since(start));
    }
    return best;
}

} // namespace

std::unique_ptr<BenchFrames> make_host_frames(const BenchFormat &format, size_t count)
{
    return std::make_unique<HostFrames>(format, count);
}

std::unique_ptr<BenchFrames> make_device_frames(const BenchFormat &format, size_t count,
                                                const char *device, void **native_context)
{
    // A backend's contexts share one address space per device (CUDA's and HIP's
    // primary context, the emulator's process), so none need be handed over.
    *native_context = nullptr;
    auto opened = open_device(device);
    if (opened == nullptr)
        throw std::runtime_error(std::string("--resident: backend ") + device +
                                 " has no device memory here");
    return std::make_unique<DeviceFrames>(format, count, std::move(opened));
}

CopyRates measure_copy_rates(const char *device)
{
    constexpr size_t kBytes = 64U << 20;
    const auto opened = open_device(device);
    if (opened == nullptr)
        return {};
    const auto queue = opened->make_queue();
    void *host = opened->alloc_host(kBytes);
    void *from = opened->alloc(kBytes);
    void *to = opened->alloc(kBytes);
    // One plane without conversion: each thread copies 16 bytes.
    constexpr int kRows = 64;
    UnpackPlanesArgs copy = {};
    copy.plane[0] = {from,
                     kBytes / kRows,
                     to,
                     kBytes / kRows,
                     kBytes / kRows,
                     kRows,
                     kBytes / kRows / 16,
                     1,
                     1,
                     1,
                     1,
                     0,
                     255,
                     0};
    CopyRates rates;
    std::memset(host, 1, kBytes);
    queue->upload(from, host, kBytes);
    rates.upload = copy_rate(*opened, *queue, kBytes, [&] { queue->upload(from, host, kBytes); });
    rates.device = copy_rate(*opened, *queue, 2 * kBytes, [&] {
        queue->launch(kUnpackPlanes, {kBytes / 16 / kUnpackPlanes.threads, 1, 1}, copy);
    });
    opened->free(to);
    opened->free(from);
    opened->free_host(host);
    return rates;
}

} // namespace vmafgpu
