// SPDX-License-Identifier: BSD-2-Clause-Patent
// Running a Feature outside the engine: on the CPU's pool, or on a Device with
// batches laid out as device_executor.cpp does.
#include <algorithm>
#include <cstring>

#include "check.h"

namespace vmafgpu {
namespace {

size_t align(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

size_t words(size_t bytes)
{
    return (bytes + 7) / 8;
}

struct DeviceMemory {
    DeviceMemory(Device &owner, size_t bytes)
        : device(owner), data(static_cast<char *>(owner.alloc(std::max<size_t>(bytes, 256))))
    {
    }
    ~DeviceMemory() { device.free(data); }
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;

    Device &device;
    char *data;
};

struct PinnedMemory {
    PinnedMemory(Device &owner, size_t bytes)
        : device(owner), data(static_cast<char *>(owner.alloc_host(std::max<size_t>(bytes, 256))))
    {
    }
    ~PinnedMemory() { device.free_host(data); }
    PinnedMemory(const PinnedMemory &) = delete;
    PinnedMemory &operator=(const PinnedMemory &) = delete;

    Device &device;
    char *data;
};

/// All planes of a clip on a device.
class DeviceClip {
public:
    DeviceClip(Device &device, Queue &queue, const TestClip &clip)
    {
        const int planes = clip.format().chroma == Chroma::k400 ? 1 : 3;
        for (int frame = 0; frame < clip.frames(); ++frame) {
            PairView view = {};
            for (int p = 0; p < planes; ++p) {
                const auto at = static_cast<size_t>(p);
                view.reference[p] = upload(device, queue, clip, clip.pair(frame).reference[at], p);
                view.distorted[p] = upload(device, queue, clip, clip.pair(frame).distorted[at], p);
            }
            for (int back = 1; back <= std::min(frame, kMaxHistory); ++back)
                view.previous[back - 1] = views_[static_cast<size_t>(frame - back)].reference[0];
            views_.push_back(view);
        }
    }

    const PairView *views() const { return views_.data(); }

private:
    Plane upload(Device &device, Queue &queue, const TestClip &clip, const TestPlane &plane, int p)
    {
        const auto row =
            static_cast<size_t>(clip.format().plane_width(p) * clip.format().sample_bytes());
        const size_t pitch = align(row);
        const auto rows = static_cast<size_t>(clip.format().plane_height(p));
        memory_.push_back(std::make_unique<DeviceMemory>(device, pitch * rows));
        queue.upload2d(memory_.back()->data, pitch, plane.data(), plane.pitch(), row,
                       static_cast<int>(rows));
        return {memory_.back()->data, static_cast<ptrdiff_t>(pitch)};
    }

    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    std::vector<PairView> views_;
};

AllSums device_sums(const Feature &feature, const TestClip &clip, Device &device)
{
    const MemoryPlan plan = feature.plan();
    const auto queue = device.make_queue();
    const DeviceClip planes(device, *queue, clip);
    const size_t sums_stride = align(plan.sums);
    const size_t scratch_stride = align(plan.scratch);
    const auto frames = static_cast<size_t>(clip.frames());
    const DeviceMemory sums(device, sums_stride * frames);
    const DeviceMemory scratch(device, scratch_stride * kMaxBatch);
    const DeviceMemory shared(device, plan.shared_scratch);
    const DeviceMemory tables(device, plan.tables);
    const PinnedMemory host_tables(device, plan.tables);
    const PinnedMemory host_sums(device, sums_stride * frames);

    feature.fill_tables(host_tables.data);
    if (plan.tables > 0)
        queue->upload(tables.data, host_tables.data, plan.tables);
    queue->fill(sums.data, 0, sums_stride * frames);
    // Batches of 1, 2, 3 ... so that every length occurs.
    int begin = 0;
    for (int length = 1; begin < clip.frames(); ++length) {
        BatchView batch = {};
        batch.count = std::min({length, clip.frames() - begin, kMaxBatch});
        batch.pairs = planes.views() + begin;
        batch.sums = sums.data + sums_stride * static_cast<size_t>(begin);
        batch.sums_stride = sums_stride;
        batch.scratch = scratch.data;
        batch.scratch_stride = scratch_stride;
        batch.shared_scratch = shared.data;
        batch.tables = tables.data;
        feature.record(*queue, batch);
        begin += batch.count;
    }
    queue->download(host_sums.data, sums.data, sums_stride * frames);
    const auto done = device.make_event();
    queue->record(*done);
    done->sync();

    AllSums all;
    for (size_t i = 0; i < frames; ++i) {
        all.emplace_back(words(plan.sums), 0);
        std::memcpy(all.back().data(), host_sums.data + sums_stride * i, plan.sums);
        feature.finish(all.back().data());
    }
    return all;
}

AllSums cpu_sums(const Feature &feature, const TestClip &clip, ThreadPool &pool)
{
    const MemoryPlan plan = feature.plan();
    // Garbage in the scratch: nothing may rely on zeros.
    std::vector<uint64_t> memory(words(plan.cpu_scratch) + 32, 0xa5a5a5a5a5a5a5a5u);
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    void *scratch = reinterpret_cast<void *>((address + 255) / 256 * 256);
    AllSums all;
    for (int frame = 0; frame < clip.frames(); ++frame) {
        all.emplace_back(words(plan.sums), 0);
        feature.compute(clip.view(frame), all.back().data(), scratch, pool);
    }
    return all;
}

} // namespace

TestClip::TestClip(const Format &format, Content content, int frames, uint64_t seed)
    : format_(format)
{
    for (int frame = 0; frame < frames; ++frame)
        pairs_.push_back(make_pair(format, content, frame, seed));
}

PairView TestClip::view(int frame) const
{
    PairView view = {};
    const TestPair &pair = pairs_[static_cast<size_t>(frame)];
    for (size_t p = 0; p < pair.reference.size(); ++p) {
        view.reference[p] = pair.reference[p].plane();
        view.distorted[p] = pair.distorted[p].plane();
    }
    for (int back = 1; back <= std::min(frame, kMaxHistory); ++back)
        view.previous[back - 1] = pairs_[static_cast<size_t>(frame - back)].reference[0].plane();
    return view;
}

AllSums reference_sums(const Feature &feature, const TestClip &clip)
{
    AllSums all;
    for (int frame = 0; frame < clip.frames(); ++frame) {
        all.emplace_back(words(feature.plan().sums), 0);
        feature.reference(clip.view(frame), all.back().data());
    }
    return all;
}

AllSums target_sums(const Feature &feature, const TestClip &clip, const Target &target)
{
    return target.device ? device_sums(feature, clip, *target.device)
                         : cpu_sums(feature, clip, *target.pool);
}

Outcome compare_sums(const AllSums &expected, const AllSums &got)
{
    for (size_t frame = 0; frame < expected.size(); ++frame) {
        for (size_t word = 0; word < expected[frame].size(); ++word) {
            if (expected[frame][word] == got[frame][word])
                continue;
            return {false, "frame " + std::to_string(frame) + ", word " + std::to_string(word) +
                               " of the sums: reference " +
                               std::to_string(static_cast<int64_t>(expected[frame][word])) +
                               ", got " + std::to_string(static_cast<int64_t>(got[frame][word]))};
        }
    }
    return {};
}

} // namespace vmafgpu
