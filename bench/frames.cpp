// SPDX-License-Identifier: BSD-2-Clause-Patent
// See frames.h. Content depends on nothing but position, frame number and
// format, so that two runs time the same work.
#include "frames.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "device.h"

namespace vmafgpu {
namespace {

uint32_t noise(uint32_t x, uint32_t y, uint32_t t)
{
    uint32_t v = x * 0x9E3779B1U + y * 0x85EBCA77U + t * 0xC2B2AE3DU;
    v ^= v >> 15;
    v *= 0x2C1B3C6DU;
    v ^= v >> 12;
    return v;
}

/// 0 .. 65535.
int texture(int x, int y, int t)
{
    const auto triangle = [](int a) {
        a &= 511;
        return a < 256 ? a : 511 - a;
    };
    const int u = x + 3 * t;
    const int v = y + t;
    return 100 * triangle(3 * u + 2 * v) + 60 * triangle((u * u + 2 * v * v) >> 5);
}

int sample(int x, int y, int t, bool is_distorted)
{
    const auto ux = static_cast<uint32_t>(x);
    const auto uy = static_cast<uint32_t>(y);
    const auto ut = static_cast<uint32_t>(t);
    const auto grain = static_cast<int>(noise(ux, uy, ut) >> 19); // 13 bits
    if (!is_distorted)
        return std::min(texture(x, y, t) + grain, 65535);
    const int soft = (texture(x - 1, y, t) + 2 * texture(x, y, t) + texture(x + 1, y, t)) / 4;
    const auto more = static_cast<int>(noise(uy, ux, ut + 77) >> 20); // 12 bits
    return std::min(soft + grain / 2 + more, 65535);
}

class HostFrames : public BenchFrames {
public:
    HostFrames(const BenchFormat &format, size_t count)
    {
        for (size_t i = 0; i < count; ++i)
            pairs_.push_back(
                {add(format, static_cast<int>(i), false), add(format, static_cast<int>(i), true)});
    }

    const BenchPair &pair(size_t i) const override { return pairs_[i % pairs_.size()]; }

private:
    VmafGpuPicture add(const BenchFormat &format, int t, bool is_distorted)
    {
        const size_t bytes = format.depth > 8 ? 2 : 1;
        const size_t pitch = (static_cast<size_t>(format.width) * bytes + 63) / 64 * 64;
        storage_.emplace_back(pitch * static_cast<size_t>(format.height));
        unsigned char *data = storage_.back().data();
        for (int y = 0; y < format.height; ++y) {
            unsigned char *row = data + pitch * static_cast<size_t>(y);
            for (int x = 0; x < format.width; ++x) {
                const int value = sample(x, y, t, is_distorted) >> (16 - format.depth);
                const auto stored = static_cast<uint16_t>(value << format.shift);
                if (bytes == 2)
                    std::memcpy(row + 2 * static_cast<size_t>(x), &stored, 2);
                else
                    row[x] = static_cast<unsigned char>(stored);
            }
        }
        VmafGpuPicture picture = {};
        picture.width = format.width;
        picture.height = format.height;
        picture.depth = format.depth;
        picture.shift = format.shift;
        picture.memory = VMAFGPU_MEMORY_HOST;
        picture.plane[0] = {data, static_cast<ptrdiff_t>(pitch), 0, 0};
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
            pairs_.push_back(
                {upload(*queue, host.pair(i).reference), upload(*queue, host.pair(i).distorted)});
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
    VmafGpuPicture upload(Queue &queue, VmafGpuPicture picture)
    {
        VmafGpuPlane &plane = picture.plane[0];
        const auto pitch = static_cast<size_t>(plane.pitch);
        const size_t row = static_cast<size_t>(picture.width) * (picture.depth > 8 ? 2 : 1);
        void *memory = device_->alloc(pitch * static_cast<size_t>(picture.height));
        memory_.push_back(memory);
        queue.upload2d(memory, pitch, plane.data, plane.pitch, row, picture.height);
        plane.data = memory;
        picture.memory = VMAFGPU_MEMORY_DEVICE;
        return picture;
    }

    std::unique_ptr<Device> device_;
    std::vector<void *> memory_;
    std::vector<BenchPair> pairs_;
};

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
    const std::string text = device;
    const size_t colon = text.find(':');
    DeviceRequest request;
    request.selector = colon == std::string::npos ? "" : text.substr(colon + 1);
    request.self_test = false;
    for (const Backend &backend : backends())
        if (text.substr(0, colon) == backend.name)
            return std::make_unique<DeviceFrames>(format, count, backend.open(request));
    throw std::runtime_error("--resident: backend " + text + " has no device memory here");
}

} // namespace vmafgpu
