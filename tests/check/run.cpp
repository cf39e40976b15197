// SPDX-License-Identifier: BSD-2-Clause-Patent
// Running a Feature outside the engine: on the CPU's pool, or on a Device with
// batches laid out as batch_runner.cpp does.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/error.h"
#include "check.h"
#include "gpu/kernel_refusals.h"

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

/// The planes of a clip on a device.
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
            static_cast<size_t>(clip.format().plane_width(p)) * clip.format().sample_bytes();
        const size_t pitch = align(row);
        const auto rows = static_cast<size_t>(clip.format().plane_height(p));
        memory_.push_back(std::make_unique<DeviceMemory>(device, pitch * rows));
        // Bytes behind a row belong to no picture. They differ between any two pictures.
        std::vector<char> packed(pitch * rows, static_cast<char>(0x5a + 7 * memory_.size()));
        for (size_t y = 0; y < rows; ++y)
            std::memcpy(&packed[pitch * y],
                        plane.data() + plane.pitch() * static_cast<ptrdiff_t>(y), row);
        queue.upload(memory_.back()->data, packed.data(), packed.size());
        return {memory_.back()->data, static_cast<ptrdiff_t>(pitch)};
    }

    std::vector<std::unique_ptr<DeviceMemory>> memory_;
    std::vector<PairView> views_;
};

/// A feature's memory on a device, as batch_runner.cpp lays it out, for `frames` pairs.
class DeviceRun {
public:
    DeviceRun(const Feature &feature, Device &device, size_t frames)
        : device_code_(*feature.device()), plan_(feature.plan()), queue_(device.make_queue()),
          done_(device.make_event()), sums_(device, stride() * frames),
          scratch_(device, align(plan_.scratch) * kMaxBatch),
          shared_(device, plan_.shared_scratch * kMaxBatch), tables_(device, plan_.tables),
          host_tables_(device, plan_.tables), host_sums_(device, stride() * frames)
    {
        device_code_.fill_tables(host_tables_.data);
        if (plan_.tables > 0)
            queue_->upload(tables_.data, host_tables_.data, plan_.tables);
        queue_->fill(sums_.data, 0, stride() * frames);
    }

    Queue &queue() { return *queue_; }
    size_t stride() const { return align(plan_.sums); }

    /// Records pairs first .. first + count - 1.
    void record(const PairView *pairs, size_t first, int count)
    {
        BatchView batch = {};
        batch.count = count;
        batch.pairs = pairs + first;
        batch.sums = sums_.data + stride() * first;
        batch.sums_stride = stride();
        batch.scratch = scratch_.data;
        batch.scratch_stride = align(plan_.scratch);
        batch.shared_scratch = shared_.data;
        batch.tables = tables_.data;
        device_code_.record(*queue_, batch);
    }

    void wait()
    {
        queue_->record(*done_);
        done_->sync();
    }

    const char *fetch(size_t frames)
    {
        queue_->download(host_sums_.data, sums_.data, stride() * frames);
        wait();
        return host_sums_.data;
    }

private:
    const FeatureDevice &device_code_;
    MemoryPlan plan_;
    std::unique_ptr<Queue> queue_;
    std::unique_ptr<Event> done_;
    DeviceMemory sums_, scratch_, shared_, tables_;
    PinnedMemory host_tables_, host_sums_;
};

/// Completes what a device leaves to the host, as host_side.cpp does. Returns true if there was
/// anything.
bool complete_on_host(const Feature &feature, const PairView &pair, std::vector<uint64_t> &sums)
{
    if (feature.device()->is_complete(sums.data()))
        return false;
    std::vector<char> memory(feature.plan().cpu_scratch + 256);
    void *scratch = memory.data();
    size_t space = memory.size();
    ThreadPool pool(0);
    feature.compute(pair, sums.data(), std::align(256, 1, scratch, space), pool);
    return true;
}

/// Throws Error(ENOTSUP), a reason to skip, before anything is launched.
void require_kernels(const Feature &feature, const TestClip &clip, Device &device)
{
    const int planes = clip.format().chroma == Chroma::k400 ? 1 : 3;
    const std::string why_not =
        refused_kernel(device, *feature.device(), {clip.format(), planes, 256});
    if (!why_not.empty())
        throw Error(ENOTSUP, why_not);
}

AllSums device_sums(const Feature &feature, const TestClip &clip, Device &device, int first_batch,
                    int &left_open)
{
    require_kernels(feature, clip, device);
    const auto frames = static_cast<size_t>(clip.frames());
    DeviceRun run(feature, device, frames);
    const DeviceClip planes(device, run.queue(), clip);
    // Each batch has a pair more than the one before, so that every length occurs.
    int begin = 0;
    for (int length = first_batch; begin < clip.frames(); ++length) {
        const int count = std::min({length, clip.frames() - begin, kMaxBatch});
        run.record(planes.views(), static_cast<size_t>(begin), count);
        begin += count;
    }
    const char *sums = run.fetch(frames);
    AllSums all;
    for (size_t i = 0; i < frames; ++i) {
        all.emplace_back(words(feature.plan().sums), 0);
        std::memcpy(all.back().data(), sums + run.stride() * i, feature.plan().sums);
        feature.device()->finish(all.back().data());
        left_open += complete_on_host(feature, clip.view(static_cast<int>(i)), all.back());
    }
    return all;
}

/// Successive pairs have other numbers of threads: strips of pictures must not depend on it.
ThreadPool &pool_of(int frame)
{
    static ThreadPool two(2), none(0), three(3), eight(8);
    static ThreadPool *const pools[] = {&two, &none, &three, &eight};
    return *pools[frame % 4];
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
    for (size_t p = 1; frame > 0 && p < pair.reference.size(); ++p)
        view.previous_chroma[p - 1] = pairs_[static_cast<size_t>(frame - 1)].reference[p].plane();
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

AllSums cpu_sums(const Feature &feature, const TestClip &clip, ThreadPool *pool)
{
    // Garbage for the scratch, since nothing may rely on zeros, and for the bytes behind it and the
    // sums.
    constexpr uint64_t kGarbage = 0xa5a5a5a5a5a5a5a5u;
    constexpr size_t kGuard = 8; // words
    const MemoryPlan plan = feature.plan();
    const size_t scratch_words = words(plan.cpu_scratch), sums_words = words(plan.sums);
    std::vector<uint64_t> memory(scratch_words + 32 + kGuard, kGarbage);
    const size_t first = (256 - reinterpret_cast<uintptr_t>(memory.data()) % 256) / 8;
    AllSums all;
    for (int frame = 0; frame < clip.frames(); ++frame) {
        std::vector<uint64_t> sums(sums_words, 0);
        sums.resize(sums_words + kGuard, kGarbage);
        feature.compute(clip.view(frame), sums.data(), &memory[first],
                        pool != nullptr ? *pool : pool_of(frame));
        for (size_t i = 0; i < kGuard; ++i)
            if (sums[sums_words + i] != kGarbage || memory[first + scratch_words + i] != kGarbage)
                throw Error(EFAULT, "compute() wrote behind its scratch or its sums");
        sums.resize(sums_words);
        all.push_back(std::move(sums));
    }
    return all;
}

AllSums target_sums(const Feature &feature, const TestClip &clip, const Target &target,
                    int *left_open, int first_batch)
{
    if (target.device && feature.device() == nullptr) // DeviceExecutor decides in the same way
        return cpu_sums(feature, clip);
    int open = 0;
    AllSums sums = target.device ? device_sums(feature, clip, *target.device, first_batch, open)
                                 : cpu_sums(feature, clip);
    if (left_open != nullptr)
        *left_open = open;
    return sums;
}

double device_time(const Feature &feature, const TestClip &clip, Device &device, int batch,
                   int repeats)
{
    DeviceRun run(feature, device, static_cast<size_t>(clip.frames()));
    const DeviceClip planes(device, run.queue(), clip);
    const auto pass = [&] {
        for (int first = 0; first + batch <= clip.frames(); first += batch)
            run.record(planes.views(), static_cast<size_t>(first), batch);
    };
    pass();
    run.wait();
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < 8; ++k)
            pass();
        run.wait();
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    const int frames = clip.frames() / batch * batch;
    return times[times.size() / 2] / (8 * frames);
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

namespace {

/// Keeps what differed if its place cannot be found, for example of a race that shows once.
std::string said_of_place(const Feature &feature, const TestClip &clip, const Target &target)
{
    try {
        return place_of_difference(feature, clip, target);
    } catch (const std::exception &error) {
        return error.what();
    }
}

} // namespace

Outcome compare_groups(const std::vector<FeatureGroup> &groups, const TestClip &clip,
                       const Target &target)
{
    if (groups.empty())
        return {false, "no feature was made"};
    for (const FeatureGroup &group : groups) {
        Outcome outcome = compare_sums(reference_sums(*group.feature, clip),
                                       target_sums(*group.feature, clip, target));
        if (outcome.is_equal)
            continue;
        if (target.is_bisecting)
            outcome.text += "; " + said_of_place(*group.feature, clip, target);
        return outcome;
    }
    return {};
}

} // namespace vmafgpu
