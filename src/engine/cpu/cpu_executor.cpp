// SPDX-License-Identifier: BSD-2-Clause-Patent
// See cpu_executor.h.
#include "cpu/cpu_executor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <list>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/numeric.h"
#include "picture/picture_compare.h"
#include "picture/sketch.h"
#include "picture/unpack.h"
#include "system/processors.h"
#include "system/system.h"

namespace vmafgpu {

/// A job on the thread pool. Each task decrements `pending`, under the executor's mutex.
struct CpuExecutor::State : JobState {
    explicit State(CpuExecutor &executor) : owner(executor) {}
    ~State() override { owner.forget(*this); }

    CpuExecutor &owner;
    PairView view = {};
    std::list<ThreadPool::Task> tasks; ///< tasks that begin() will post
    int pending = 0;
    std::exception_ptr failure; ///< exception of the first task that threw
    std::shared_ptr<UnpackedPicture> reference, distorted;
    std::vector<std::shared_ptr<UnpackedPicture>> previous;
};

struct CpuExecutor::CpuImage : TakenImage {
    explicit CpuImage(CpuExecutor &executor) : owner(executor) {}
    ~CpuImage() override { owner.recycle(unpacked); }

    CpuExecutor &owner;
    std::shared_ptr<UnpackedPicture> unpacked;
    std::array<uint8_t, kSketchBytes> sketch = {};
};

namespace {

constexpr size_t kScratchAlignment = 256;

size_t scratch_bytes(const ScorePlan &plan)
{
    size_t bytes = 0;
    for (const ScorePlan::Group &group : plan.groups())
        bytes = std::max(bytes, group.memory.cpu_scratch);
    return bytes + kScratchAlignment;
}

void *align_scratch(char *memory)
{
    void *start = memory;
    size_t space = kScratchAlignment;
    return std::align(kScratchAlignment, 1, start, space);
}

} // namespace

VmafGpuDevice cpu_device_info()
{
    VmafGpuDevice info = {};
    std::snprintf(info.backend, sizeof(info.backend), "cpu");
    std::snprintf(info.selector, sizeof(info.selector), "cpu");
    std::snprintf(info.name, sizeof(info.name), "%s", processor_name().c_str());
    info.wave_size = 1;
    return info;
}

CpuExecutor::CpuExecutor(const Format &format, const ScorePlan &plan, int threads,
                         Features features, std::shared_ptr<const ScalePlan> scale)
    : layout_(format, plan.needs_chroma() ? 3 : 1, 64), plan_(plan), scale_(std::move(scale)),
      info_(cpu_device_info()), features_(features),
      pool_(threads > 0 ? threads : available_processors())
{
    scratch_.reserve(static_cast<size_t>(pool_.size()));
    for (int i = 0; i < pool_.size(); ++i) // uninitialised: unused pages take no memory
        scratch_.emplace_back(new char[scratch_bytes(plan)]);
    for (const ScorePlan::Group &group : plan.groups())
        if (computes(group))
            history_ = std::max(history_, group.traits.history);
}

CpuExecutor::~CpuExecutor() = default;

void CpuExecutor::check(const VmafGpuPicture &picture) const
{
    if (picture.memory != VMAFGPU_MEMORY_HOST)
        throw Error(EINVAL, "the cpu backend takes pictures in host memory only");
}

std::shared_ptr<UnpackedPicture> CpuExecutor::unpack(const std::shared_ptr<HeldPicture> &held)
{
    auto unpacked = std::make_shared<UnpackedPicture>();
    const VmafGpuPicture &picture = held->get();
    const int planes = layout_.planes();
    const bool is_scaling = is_scaled(picture);
    bool in_place = !is_scaling;
    for (int p = 0; p < planes; ++p)
        in_place = in_place && is_usable_in_place(picture, p, layout_.format());
    if (in_place) {
        unpacked->held = held;
        for (int p = 0; p < planes; ++p)
            unpacked->plane[p] = {picture.plane[p].data, picture.plane[p].pitch};
        return unpacked;
    }
    if (!spare_.empty()) {
        unpacked->copy = std::move(spare_.back());
        spare_.pop_back();
    }
    unpacked->copy.resize(layout_.bytes());
    for (int p = 0; p < planes; ++p) {
        unsigned char *to = unpacked->copy.data() + layout_.offset(p);
        if (is_scaling)
            scale_picture_plane(*scale_, picture, p, layout_.format(), to, layout_.pitch(p),
                                scale_scratch_, pool_);
        else
            unpack_plane(picture, p, layout_.format(), to, layout_.pitch(p));
        unpacked->plane[p] = {to, static_cast<ptrdiff_t>(layout_.pitch(p))};
    }
    return unpacked;
}

void CpuExecutor::recycle(const std::shared_ptr<UnpackedPicture> &picture) noexcept
{
    try {
        if (picture && picture.use_count() == 1 && !picture->copy.empty())
            spare_.push_back(std::move(picture->copy));
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory: just freed
    }
}

void CpuExecutor::prepare(Job &job, const std::shared_ptr<HeldPicture> &reference,
                          const std::shared_ptr<HeldPicture> &distorted)
{
    release_computed(); // first: their copies' memory serves these
    const auto first = unpack(reference);
    prepare(job, first, unpack(distorted));
}

std::shared_ptr<TakenImage> CpuExecutor::take(const std::shared_ptr<HeldPicture> &picture,
                                              bool wants_sketch)
{
    release_computed();
    auto image = std::make_shared<CpuImage>(*this);
    image->unpacked = unpack(picture);
    if (wants_sketch)
        make_sketch(is_scaled(picture->get())
                        ? layout_.picture(reinterpret_cast<char *>(image->unpacked->copy.data()),
                                          VMAFGPU_MEMORY_HOST)
                        : picture->get(),
                    image->sketch.data());
    return image;
}

uint64_t CpuExecutor::count_differing(TakenImage &first, TakenImage &second)
{
    return vmafgpu::count_differing(static_cast<CpuImage &>(first).unpacked->plane,
                                    static_cast<CpuImage &>(second).unpacked->plane,
                                    layout_.planes(), layout_.format());
}

const uint8_t *CpuExecutor::sketch(TakenImage &image)
{
    return static_cast<CpuImage &>(image).sketch.data();
}

void CpuExecutor::submit(Job &job, const std::shared_ptr<TakenImage> &reference,
                         const std::shared_ptr<TakenImage> &distorted)
{
    release_computed();
    prepare(job, static_cast<CpuImage &>(*reference).unpacked,
            static_cast<CpuImage &>(*distorted).unpacked);
    begin(job);
}

/// Releases the pictures of pairs that are computed.
void CpuExecutor::release_computed()
{
    const std::vector<State *> holding = holding_;
    for (State *earlier : holding)
        if (is_computed(*earlier))
            release_inputs(*earlier);
}

void CpuExecutor::end_segment()
{
    for (auto &picture : recent_)
        picture.reset();
}

bool CpuExecutor::computes(const ScorePlan::Group &group) const
{
    return features_ == Features::kAll || group.device() == nullptr;
}

bool CpuExecutor::computes(const ScorePlan::Group &group, const Job &job) const
{
    return (job.is_kept || group.is_temporal) && computes(group);
}

void CpuExecutor::prepare(Job &job, const std::shared_ptr<UnpackedPicture> &reference,
                          const std::shared_ptr<UnpackedPicture> &distorted)
{
    auto owned = std::make_unique<State>(*this);
    State *state = owned.get();
    state->reference = reference;
    state->distorted = distorted;
    state->view.index = job.index;
    for (int p = 0; p < 3; ++p) {
        state->view.reference[p] = state->reference->plane[p];
        state->view.distorted[p] = state->distorted->plane[p];
    }
    for (int back = 0; back < kMaxHistory && recent_[back] != nullptr; ++back) {
        state->view.previous[back] = recent_[back]->plane[0];
        for (int p = 0; back == 0 && p < 2; ++p)
            state->view.previous_chroma[p] = recent_[back]->plane[p + 1];
        state->previous.push_back(recent_[back]);
    }
    for (const ScorePlan::Group &group : plan_.groups()) {
        if (!computes(group, job))
            continue;
        void *sums = reinterpret_cast<char *>(job.sums.data()) + group.sums_offset;
        state->tasks.emplace_back(
            [this, state, &group, sums](int worker) { run(*state, group, sums, worker); });
    }
    holding_.push_back(state);
    job.state = std::move(owned);
}

void CpuExecutor::begin(Job &job) noexcept
{
    auto &state = static_cast<State &>(*job.state);
    if (history_ > 0) { // only now, since recent_ must not keep a refused picture
        recycle(recent_[history_ - 1]);
        std::move_backward(recent_, recent_ + history_ - 1, recent_ + history_);
        recent_[0] = state.reference;
    }
    state.pending = static_cast<int>(state.tasks.size());
    pool_.post(std::move(state.tasks));
}

void CpuExecutor::run(State &state, const ScorePlan::Group &group, void *sums, int worker)
{
    std::exception_ptr failure;
    try {
        void *scratch = align_scratch(scratch_[static_cast<size_t>(worker)].get());
        group.feature->compute(state.view, sums, scratch, pool_);
    } catch (...) { // out of memory, in practice; thrown again when the pair is asked for
        failure = std::current_exception();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure && !state.failure)
        state.failure = failure;
    if (--state.pending == 0)
        finished_.notify_all();
}

bool CpuExecutor::is_computed(const State &state)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return state.pending == 0;
}

void CpuExecutor::forget(const State &state)
{
    holding_.erase(std::remove(holding_.begin(), holding_.end(), &state), holding_.end());
}

/// Called on the API thread only, never by a task.
void CpuExecutor::release_inputs(State &state)
{
    forget(state);
    recycle(state.distorted);
    state.distorted.reset();
    for (auto &picture : state.previous) {
        recycle(picture);
        picture.reset();
    }
    recycle(state.reference);
    state.reference.reset();
}

void CpuExecutor::finish(State &state)
{
    release_inputs(state);
    if (state.failure)
        std::rethrow_exception(state.failure);
}

bool CpuExecutor::is_done(Job &job)
{
    auto &state = static_cast<State &>(*job.state);
    if (!is_computed(state))
        return false;
    finish(state);
    return true;
}

void CpuExecutor::wait(Job &job)
{
    wait_idle(job);
    finish(static_cast<State &>(*job.state));
}

void CpuExecutor::wait_idle(Job &job)
{
    const auto &state = static_cast<const State &>(*job.state);
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [&] { return state.pending == 0; });
}

void *CpuExecutor::import_memory(int /*fd*/, size_t /*bytes*/, bool /*is_vulkan*/)
{
    throw Error(ENOTSUP, "backend cpu cannot import memory of another driver");
}

void CpuExecutor::release_import(void * /*memory*/)
{
    throw Error(EINVAL, "backend cpu imports no memory");
}

} // namespace vmafgpu
