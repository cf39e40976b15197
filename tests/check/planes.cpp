// SPDX-License-Identifier: BSD-2-Clause-Patent
// See planes.h. Motion and speed_chroma leave no planes of integers: their results are
// looked for by what their Sums say alone.
#include "planes.h"

#include <cstring>
#include <map>

#include "features/adm/adm.h"
#include "features/cambi/cambi_args.h"
#include "features/vif/vif.h"
#include "forwarding_device.h"

namespace vmafgpu {
namespace {

constexpr int kScales = 4; ///< scales of VIF and of ADM

/// A plane in device memory.
struct Place {
    const char *from;
    int64_t pitch;
    size_t sample_bytes;
};

class WatchingQueue final : public ForwardingQueue {
public:
    WatchingQueue(std::unique_ptr<Queue> queue, Device &device, WrittenPlanes *planes)
        : ForwardingQueue(std::move(queue)), device_(device), planes_(planes)
    {
    }

protected:
    void launch_raw(const char *name, unsigned threads, Grid grid, const LaunchArgs &args) override
    {
        ForwardingQueue::launch_raw(name, threads, grid, args);
        const auto is = [&](const char *start, size_t bytes) {
            return std::strncmp(name, start, std::strlen(start)) == 0 && args.bytes == bytes;
        };
        if (is("vif_", sizeof(vif::ScaleArgs)))
            look_at_vif(name, grid, *static_cast<const vif::ScaleArgs *>(args.data));
        else if (is("adm_scale", sizeof(adm::ScaleArgs)))
            look_at_adm(name, grid, *static_cast<const adm::ScaleArgs *>(args.data));
        else if (is("cambi_prepare", sizeof(cambi::PrepareArgs)))
            prepared_ = {name, *static_cast<const cambi::PrepareArgs *>(args.data)};
        else if (is("cambi_count", sizeof(cambi::CountArgs)))
            counted_ = *static_cast<const cambi::CountArgs *>(args.data);
        else if (is("cambi_select", sizeof(cambi::SelectArgs)))
            look_at_cambi(grid, *static_cast<const cambi::SelectArgs *>(args.data));
    }

private:
    void look_at_vif(const char *name, Grid grid, const vif::ScaleArgs &args)
    {
        const char *digit = std::strpbrk(name, "0123456789");
        const int scale = digit == nullptr ? kScales : *digit - '0';
        if (args.next == nullptr || scale + 1 >= kScales)
            return;
        fetch_pairs(
            {args.next, args.next_pitch, sizeof(uint16_t)}, args.next_stride, args.next_plane_bytes,
            grid.z,
            plane_of(WrittenStage::kVifMeans, name, scale + 1, args.width / 2, args.height / 2));
    }

    void look_at_adm(const char *name, Grid grid, const adm::ScaleArgs &args)
    {
        const int scale = name[std::strlen("adm_scale")] - '0';
        if (args.approximation == nullptr || scale + 1 >= kScales)
            return;
        const size_t bytes = scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
        fetch_pairs(
            {args.approximation + adm::kMargin * bytes, args.approximation_pitch, bytes},
            args.approximation_stride, args.distorted_offset, grid.z,
            plane_of(WrittenStage::kAdmApproximation, name, scale + 1, args.width, args.height));
    }

    /// All planes of a picture are still there when its Sums are computed.
    void look_at_cambi(Grid grid, const cambi::SelectArgs &args)
    {
        const cambi::PrepareArgs &prepare = prepared_.args;
        // The Sums of a pair begin at a multiple of 256 bytes, with the distorted picture's.
        const bool is_distorted = reinterpret_cast<uintptr_t>(args.sums) % 256 == 0;
        WrittenPlane plane;
        plane.is_distorted = is_distorted;
        plane.cambi = {prepare.width, prepare.height, prepare.mask_threshold,
                       prepare.is_filtered != 0, prepare.is_halved != 0};
        for (unsigned pair = 0; pair < grid.z; ++pair) {
            const char *scratch = args.scratch + pair * args.scratch_stride;
            plane.frame = seen_[is_distorted ? "cambi distorted" : "cambi reference"]++;
            for (int i = 0; i <= cambi::kScales; ++i) {
                plane.stage = i > 0 ? WrittenStage::kCambiLevels : WrittenStage::kCambiPrepared;
                plane.kernel = i > 0 ? cambi::kModeFilter.name : prepared_.kernel;
                plane.scale = i > 0 ? i - 1 : 0;
                const cambi::ScaleArgs &scale = counted_.scale[plane.scale];
                plane.width = scale.width;
                plane.height = scale.height;
                fetch({scratch + (i > 0 ? scale.image : prepare.to),
                       static_cast<int64_t>(scale.width * sizeof(uint16_t)), sizeof(uint16_t)},
                      plane);
            }
        }
    }

    static WrittenPlane plane_of(WrittenStage stage, const char *kernel, int scale, int width,
                                 int height)
    {
        WrittenPlane plane;
        plane.stage = stage;
        plane.kernel = kernel;
        plane.scale = scale;
        plane.width = width;
        plane.height = height;
        return plane;
    }

    /// Reference and distorted plane of every pair of a batch; `plane` says all but whose
    /// they are.
    void fetch_pairs(Place place, int64_t stride, int64_t distorted_offset, unsigned pairs,
                     WrittenPlane plane)
    {
        for (unsigned pair = 0; pair < pairs; ++pair, place.from += stride) {
            plane.frame = seen_[plane.kernel]++;
            plane.is_distorted = false;
            fetch(place, plane);
            plane.is_distorted = true;
            fetch({place.from + distorted_offset, place.pitch, place.sample_bytes}, plane);
        }
    }

    void fetch(const Place &place, WrittenPlane plane)
    {
        const size_t bytes = static_cast<size_t>(plane.width) * place.sample_bytes;
        void *host = device_.alloc_host(bytes);
        for (int y = 0; y < plane.height; ++y) {
            download(host, place.from + place.pitch * y, bytes);
            const auto done = device_.make_event();
            record(*done);
            done->sync();
            for (int x = 0; x < plane.width; ++x)
                plane.samples.push_back(sample(host, x, plane.stage, place.sample_bytes));
        }
        device_.free_host(host);
        planes_->push_back(std::move(plane));
    }

    static int32_t sample(const void *row, int x, WrittenStage stage, size_t bytes)
    {
        if (bytes == sizeof(int32_t))
            return static_cast<const int32_t *>(row)[x];
        if (stage == WrittenStage::kAdmApproximation)
            return static_cast<const int16_t *>(row)[x];
        return static_cast<const uint16_t *>(row)[x];
    }

    Device &device_;
    WrittenPlanes *planes_;
    std::map<std::string, int> seen_; ///< pairs that a kernel has done, or CAMBI of a picture
    struct {
        std::string kernel;
        cambi::PrepareArgs args;
    } prepared_ = {};
    cambi::CountArgs counted_ = {};
};

class WatchingDevice final : public ForwardingDevice {
public:
    WatchingDevice(std::unique_ptr<Device> device, WrittenPlanes *planes)
        : ForwardingDevice(std::move(device)), planes_(planes)
    {
    }

    std::unique_ptr<Queue> make_queue() override
    {
        return std::make_unique<WatchingQueue>(ForwardingDevice::make_queue(), *this, planes_);
    }

private:
    WrittenPlanes *planes_;
};

} // namespace

std::unique_ptr<Device> watch_planes(std::unique_ptr<Device> device, WrittenPlanes *planes)
{
    return std::make_unique<WatchingDevice>(std::move(device), planes);
}

} // namespace vmafgpu
