// SPDX-License-Identifier: BSD-2-Clause-Patent
// See planes.h. VIF's kernels write the means for the next scale; ADM's and
// motion's results are looked for by what their Sums say alone.
#include "planes.h"

#include <cstring>
#include <map>

#include "features/vif/vif_kernel.h"
#include "features/vif/vif_ref.h"

namespace vmafgpu {
namespace {

/// launch_raw() is for launch() only; a forwarding Queue has the same right.
struct QueueAccess : Queue {
    using Queue::launch_raw;
};

class WatchingQueue final : public Queue {
public:
    WatchingQueue(std::unique_ptr<Queue> queue, Device &device, WrittenPlanes *planes)
        : queue_(std::move(queue)), device_(device), planes_(planes)
    {
    }

    void upload2d(void *device, size_t device_pitch, const void *host, ptrdiff_t host_pitch,
                  size_t row_bytes, int rows) override
    {
        queue_->upload2d(device, device_pitch, host, host_pitch, row_bytes, rows);
    }
    void copy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t row_bytes,
                int rows) override
    {
        queue_->copy2d(to, to_pitch, from, from_pitch, row_bytes, rows);
    }
    void download(void *host, const void *device, size_t bytes) override
    {
        queue_->download(host, device, bytes);
    }
    void upload(void *device, const void *host, size_t bytes) override
    {
        queue_->upload(device, host, bytes);
    }
    void fill(void *device, int byte, size_t bytes) override { queue_->fill(device, byte, bytes); }
    void record(Event &event) override { queue_->record(event); }
    void wait(Event &event) override { queue_->wait(event); }
    void wait_native(void *stream) override { queue_->wait_native(stream); }
    DeviceTraits traits() const override { return queue_->traits(); }

protected:
    void launch_raw(const char *name, unsigned threads, unsigned dynamic_shared, Grid grid,
                    const LaunchArgs &args) override
    {
        (queue_.get()->*(&QueueAccess::launch_raw))(name, threads, dynamic_shared, grid, args);
        if (std::strncmp(name, "vif_", 4) == 0 && args.bytes == sizeof(VifScaleArgs))
            look_at_vif(name, grid, *static_cast<const VifScaleArgs *>(args.data));
    }

private:
    void look_at_vif(const char *name, Grid grid, const VifScaleArgs &args)
    {
        const char *digit = std::strpbrk(name, "0123456789");
        const int scale = digit == nullptr ? kVifScales : *digit - '0';
        if (args.next == nullptr || scale + 1 >= kVifScales)
            return;
        for (unsigned pair = 0; pair < grid.z; ++pair)
            for (const bool is_distorted : {false, true}) {
                WrittenPlane plane;
                plane.kernel = name;
                plane.frame = seen_[name];
                plane.scale = scale + 1;
                plane.is_distorted = is_distorted;
                plane.width = args.width / 2;
                plane.height = args.height / 2;
                fetch(args.next + pair * args.next_stride +
                          (is_distorted ? args.next_plane_bytes : 0),
                      args.next_pitch, plane);
                planes_->push_back(std::move(plane));
                seen_[name] += is_distorted ? 1 : 0;
            }
    }

    void fetch(const char *from, int64_t pitch, WrittenPlane &plane)
    {
        const auto count = static_cast<size_t>(plane.width);
        void *host = device_.alloc_host(count * sizeof(uint16_t));
        for (int y = 0; y < plane.height; ++y) {
            queue_->download(host, from + pitch * y, count * sizeof(uint16_t));
            const auto done = device_.make_event();
            queue_->record(*done);
            done->sync();
            const auto *row = static_cast<const uint16_t *>(host);
            plane.samples.insert(plane.samples.end(), row, row + count);
        }
        device_.free_host(host);
    }

    std::unique_ptr<Queue> queue_;
    Device &device_;
    WrittenPlanes *planes_;
    std::map<std::string, int> seen_; ///< pairs that a kernel has done
};

class WatchingDevice final : public Device {
public:
    WatchingDevice(std::unique_ptr<Device> device, WrittenPlanes *planes)
        : device_(std::move(device)), planes_(planes)
    {
    }

    const VmafGpuDevice &info() const override { return device_->info(); }
    void *alloc(size_t bytes) override { return device_->alloc(bytes); }
    void free(void *memory) override { device_->free(memory); }
    void *alloc_host(size_t bytes) override { return device_->alloc_host(bytes); }
    void free_host(void *memory) override { device_->free_host(memory); }
    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<WatchingQueue>(device_->make_queue(), *device_, planes_);
    }
    std::unique_ptr<Event> make_event() override { return device_->make_event(); }

private:
    std::unique_ptr<Device> device_;
    WrittenPlanes *planes_;
};

} // namespace

std::unique_ptr<Device> watch_planes(std::unique_ptr<Device> device, WrittenPlanes *planes)
{
    return std::make_unique<WatchingDevice>(std::move(device), planes);
}

std::vector<uint16_t> expected_plane(const Format &format, const PairView &pair,
                                     const WrittenPlane &plane)
{
    VifPlanes planes = vif_reference_load(format, pair);
    for (int scale = 0; scale < plane.scale; ++scale)
        planes = vif_reference_halve(planes, scale, format.depth);
    return plane.is_distorted ? planes.distorted : planes.reference;
}

} // namespace vmafgpu
