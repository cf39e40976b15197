// SPDX-License-Identifier: BSD-2-Clause-Patent
// See engine.h.
#include "core/engine.h"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "core/open_executor.h"

namespace vmafgpu {

namespace {

/// If so many pairs are ready at once, several threads score them, kPairsPerTask at a time: one
/// core takes as long for the scores of small pictures as a large GPU for the rest.
constexpr size_t kManyPairs = 16;
constexpr size_t kPairsPerTask = 4;
constexpr int kScoringThreads = 3; ///< in addition to the calling thread

/// A container may allow no thread: the calling one does it all.
std::unique_ptr<ThreadPool> make_pool()
{
    try {
        return std::make_unique<ThreadPool>(kScoringThreads);
    } catch (const std::system_error &) {
        return std::make_unique<ThreadPool>(0);
    }
}

} // namespace

/// The Sums of a job and its neighbours.
class Engine::Window : public SumsWindow {
public:
    Window(const Engine &engine, size_t job) : engine_(engine), job_(job) {}

    const void *at(int offset) const override
    {
        const Job *job = engine_.neighbour(job_, offset);
        return job != nullptr                          ? job->sums.data()
               : engine_.is_before_chunk(job_, offset) ? engine_.nothing_.data()
                                                       : nullptr;
    }
    int64_t position() const override { return engine_.jobs_[job_]->position; }

private:
    const Engine &engine_;
    size_t job_;
};

Engine::Engine(EngineSettings settings)
    : settings_(std::move(settings)),
      plan_(settings_.format, settings_.compat, std::move(settings_.models), settings_.features,
            settings_.features_only),
      executor_(open_executor(settings_, plan_)), next_index_(chunk().first),
      next_position_(chunk().first), table_(plan_.names()), overlap_(plan_.names()),
      shots_(std::move(settings_.shots)), state_(plan_.state_bytes() / sizeof(uint64_t)),
      row_(plan_.names().size())
{
    check_chunk();
    if (chunk().first > 0)
        nothing_.assign(plan_.sums_bytes() / sizeof(uint64_t), 0);
    for (const std::string &line : plan_.warnings())
        log()(VMAFGPU_LOG_WARNING, line);
    const std::string list = join(host_features());
    if (!list.empty())
        log()(VMAFGPU_LOG_INFO, "computed on the processor, from the same pictures: " + list);
    for (const std::string &line : plan_.notes())
        log()(VMAFGPU_LOG_INFO, line);
    for_files([this](FeaturePictures &files) { // last: it empties files that are there
        files.open(settings_.open_files);
    });
}

void Engine::set_colours(const ColourTags *tags)
{
    if (next_index_ > chunk().first && !has_colours_)
        throw Error(EINVAL, "what the inputs are has to be told before the first pair");
    std::string colours;
    for (const ScorePlan::Group &group : plan_.groups()) {
        const std::string line = group.feature->set_colours(tags, has_colours_);
        if (line.empty() || has_colours_)
            continue;
        log()(VMAFGPU_LOG_INFO, line);
        colours += (colours.empty() ? "" : "; ") + line;
    }
    if (!has_colours_)
        colours_ = colours;
    has_colours_ = true;
}

Engine::~Engine()
{
    // Workers write into jobs, and jobs hold the executor's data. So jobs end first, before
    // the members are destroyed in reverse order.
    for (const auto &job : jobs_) {
        try {
            executor_->wait(*job);
        } catch (
            const std::exception &) { // the pair's work failed, and none of it is still running
        }
    }
    jobs_.clear();
    try {
        close_files();
    } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a message
    }
}

std::vector<std::string> Engine::host_features() const
{
    std::vector<std::string> names;
    const bool has_device = executor_->info().backend != std::string("cpu");
    for (const ScorePlan::Group &group : plan_.groups())
        if (has_device && group.device() == nullptr &&
            (names.empty() || names.back() != group.name))
            names.emplace_back(group.name);
    return names;
}

void Engine::check_chunk() const
{
    const Chunk &c = chunk();
    const auto refuse = [](const std::string &text) {
        throw Error(EINVAL, "chunk: " + text);
    };
    if (c.first < 0 || c.first > c.begin || c.begin >= c.end || (c.total > 0 && c.end > c.total))
        refuse("first " + std::to_string(c.first) + ", begin " + std::to_string(c.begin) +
               ", end " + std::to_string(c.end) + ", total " + std::to_string(c.total) +
               "; allowed: 0 <= first <= begin < end <= total");
    if (c.first % settings_.subsample != 0)
        refuse("first is " + std::to_string(c.first) + "; allowed: a multiple of subsample, " +
               std::to_string(settings_.subsample));
    if (c.first > 0 && c.begin - c.first < before())
        refuse("first is " + std::to_string(c.first) + " and begin " + std::to_string(c.begin) +
               "; features and shots look " + std::to_string(before()) +
               " pairs back, so first may be at most begin - " + std::to_string(before()));
    if (c.is_whole())
        return;
    for_files([&refuse](const FeaturePictures &) {
        refuse("heatmaps_path is for runs in one piece; the pictures of chunks cannot be merged");
    });
}

/// The features that write files.
template <typename Use> void Engine::for_files(const Use &use) const
{
    for (const ScorePlan::Group &group : plan_.groups())
        if (FeaturePictures *files = group.feature->pictures(); files != nullptr)
            use(*files);
}

void Engine::close_files()
{
    for_files([this](FeaturePictures &files) {
        try {
            files.close();
        } catch (const std::exception &error) { // the last call of a context has no result
            log()(VMAFGPU_LOG_ERROR, error.what());
        }
    });
}

/// Pairs from next_index_ on are forgotten; none of them is being computed.
void Engine::cut_files()
{
    const int64_t kept = divide_up(next_index_, int64_t{settings_.subsample});
    for_files([&](FeaturePictures &files) {
        files.cut(kept == 0 ? 0 : (kept - 1) * settings_.subsample + 1);
    });
}

bool Engine::is_full() const
{
    // Pairs that only wait for a successor do not count. Otherwise a ring of one could never
    // deliver its first pair.
    const size_t capacity =
        static_cast<size_t>(settings_.ring_depth) + static_cast<size_t>(plan_.delay());
    return jobs_.size() - front_ >= capacity;
}

/// Appends the job of the next pair.
Job &Engine::add_job(uint64_t tag)
{
    std::unique_ptr<Job> job;
    if (spare_.empty()) {
        job = std::make_unique<Job>();
    } else {
        job = std::move(spare_.back());
        spare_.pop_back();
    }
    job->index = next_index_;
    job->tag = tag;
    job->segment = segment_;
    job->position = next_position_;
    job->is_kept = next_index_ % settings_.subsample == 0;
    job->scores.clear();
    job->sums.assign(plan_.sums_bytes() / sizeof(uint64_t), 0);
    jobs_.push_back(std::move(job));
    return *jobs_.back();
}

bool Engine::submit(const VmafGpuPicture &reference, const VmafGpuPicture &distorted, uint64_t tag,
                    Images *images)
{
    if (is_full())
        return false;
    with_images(reference, distorted, images != nullptr || wants_sketches(),
                [&](const auto &a, const auto &b) {
                    start(tag, a, b);
                    if (images != nullptr)
                        *images = {a, b};
                });
    return true;
}

/// Calls use() with the images of both pictures. If it throws, the pictures remain the caller's.
template <typename Use> void Engine::with_images(const VmafGpuPicture &first,
                                                 const VmafGpuPicture &second, bool wants_sketch,
                                                 const Use &use)
{
    executor_->check(first);
    executor_->check(second);
    const std::shared_ptr<HeldPicture> held[] = {std::make_shared<HeldPicture>(first),
                                                 std::make_shared<HeldPicture>(second)};
    std::shared_ptr<TakenImage> images[2];
    try {
        for (int i = 0; i < 2; ++i)
            images[i] = executor_->take(held[i], wants_sketch);
        use(images[0], images[1]);
    } catch (...) {
        for (const auto &image : images)
            if (image != nullptr)
                executor_->finish_reading(*image);
        throw;
    }
    for (const auto &picture : held)
        picture->own();
}

bool Engine::submit_images(const std::shared_ptr<TakenImage> &reference,
                           const std::shared_ptr<TakenImage> &distorted, uint64_t tag)
{
    if (is_full())
        return false;
    start(tag, reference, distorted);
    return true;
}

std::shared_ptr<TakenImage> Engine::take(const std::shared_ptr<HeldPicture> &picture,
                                         bool wants_sketch)
{
    executor_->check(picture->get());
    auto image = executor_->take(picture, wants_sketch || wants_sketches());
    picture->own();
    return image;
}

uint64_t Engine::compare(const VmafGpuPicture &first, const VmafGpuPicture &second)
{
    uint64_t differing = 0;
    with_images(first, second, false, [&](const auto &a, const auto &b) {
        differing = executor_->count_differing(*a, *b);
    });
    return differing;
}

void Engine::start(uint64_t tag, const std::shared_ptr<TakenImage> &reference,
                   const std::shared_ptr<TakenImage> &distorted)
{
    Job &job = add_job(tag); // added before the work starts: after that, nothing may throw
    try {
        if (wants_sketches()) {
            job.images[VMAFGPU_MAIN] = distorted;
            job.images[VMAFGPU_REFERENCE] = reference;
        }
        executor_->submit(job, reference, distorted);
    } catch (...) {
        jobs_.pop_back();
        throw;
    }
    ++next_index_;
    ++next_position_;
    is_open_ = true;
}

void Engine::flush()
{
    if (!is_open_)
        return;
    executor_->end_segment();
    ++segment_;
    next_position_ = 0;
    is_open_ = false;
    if (wants_sketches() && (jobs_.empty() || jobs_.back()->images[0] == nullptr))
        shots_->end_segment();
}

/// The front pair is decided on, if those are there that the decision looks at.
void Engine::find_cuts()
{
    if (!wants_sketches())
        return;
    const int64_t last = jobs_[front_]->index + kShotAfter;
    for (size_t at = front_; at < jobs_.size() && jobs_[at]->index <= last; ++at) {
        Job &job = *jobs_[at];
        if (job.images[0] == nullptr) // was looked at
            continue;
        if (job.position == 0)
            shots_->end_segment();
        shots_->add(job.index, executor_->sketch(*job.images[VMAFGPU_MAIN]),
                    executor_->sketch(*job.images[VMAFGPU_REFERENCE]));
        for (auto &image : job.images)
            image.reset();
    }
    const Job &latest = *jobs_.back();
    if (latest.images[0] == nullptr && latest.segment != segment_)
        shots_->end_segment();
}

std::optional<Shots> Engine::shots() const
{
    if (shots_ == nullptr)
        return std::nullopt;
    return shots_->shots(front_ < jobs_.size() ? jobs_[front_]->index : next_index_);
}

const Job *Engine::neighbour(size_t at, int offset) const
{
    const auto other = static_cast<ptrdiff_t>(at) + offset;
    if (other < 0 || other >= static_cast<ptrdiff_t>(std::min(jobs_.size(), visible_)))
        return nullptr;
    const Job *job = jobs_[static_cast<size_t>(other)].get();
    return job->segment == jobs_[at]->segment ? job : nullptr;
}

/// The whole run has a pair there, but this chunk was not given it. Only scores of pairs that do
/// not count look at it.
bool Engine::is_before_chunk(size_t at, int offset) const
{
    const Job &job = *jobs_[at];
    return offset < 0 && job.segment == first_segment_ && job.index + offset >= 0 &&
           job.index + offset < chunk().first;
}

bool Engine::has_successors(size_t at) const
{
    const bool segment_ended = jobs_[at]->segment != segment_;
    return segment_ended || jobs_.size() - at > static_cast<size_t>(plan_.delay());
}

/// Whether there is everything that a pair's scores depend on.
template <typename Check> bool Engine::is_ready(size_t at, const Check &is_done) const
{
    if (!has_successors(at))
        return false;
    for (int offset = 0; offset <= plan_.delay() && neighbour(at, offset) != nullptr; ++offset)
        if (!is_done(*jobs_[at + static_cast<size_t>(offset)]))
            return false;
    return true;
}

void Engine::score(size_t at, ScorePlan::Scratch &scratch)
{
    Job &job = *jobs_[at];
    job.scores.resize(row_.size());
    if (job.is_kept)
        plan_.scores(Window(*this, at), scratch, job.scores.data());
}

/// Scores the front job, which is ready, and the jobs behind it that are ready.
void Engine::score_ready()
{
    size_t end = front_ + 1;
    const auto is_known_done = [this](const Job &job) {
        return executor_->is_known_done(job);
    };
    while (end < jobs_.size() && is_ready(end, is_known_done))
        ++end;
    const size_t tasks = end - front_ < kManyPairs ? 1 : divide_up(end - front_, kPairsPerTask);
    while (scratch_.size() < tasks)
        scratch_.push_back(plan_.make_scratch());
    if (tasks == 1) {
        score(front_, scratch_[0]);
        return;
    }
    // Results are taken on the API thread, because that may release pictures.
    for (size_t at = front_; at < jobs_.size() && at < end + static_cast<size_t>(plan_.delay());
         ++at)
        if (is_known_done(*jobs_[at]))
            executor_->wait(*jobs_[at]);
    if (pool_ == nullptr)
        pool_ = make_pool();
    pool_->parallel_for(static_cast<int>(tasks), [&](int index) {
        const auto task = static_cast<size_t>(index);
        const size_t first = front_ + task * kPairsPerTask;
        for (size_t at = first; at < std::min(end, first + kPairsPerTask); ++at)
            score(at, scratch_[task]);
    });
}

void Engine::pop_result(VmafGpuResult *result)
{
    Job &job = *jobs_[front_];
    *result = {job.tag, job.index, job.is_kept ? 1 : 0, static_cast<int>(row_.size())};
    result->shot = shots_ == nullptr ? -1 : shots_->shot_of(job.index);
    row_.swap(job.scores);
    job.scores.clear();
    const bool counts = chunk().counts(job.index);
    if (job.is_kept) {
        (counts ? table_ : overlap_).add(job.index, row_.data());
        result->scores = row_.data();
    }
    if (!counts)
        return;
    plan_.accumulate(job.sums.data(), state_.data());
    if (settings_.is_chunk)
        plan_.pack_sums(job.sums.data(), aggregate_sums_);
}

int Engine::collect(bool wait, VmafGpuResult *result)
{
    if (front_ == jobs_.size())
        return is_open_ ? -EAGAIN : -ENODATA;
    if (jobs_[front_]->scores.empty()) {
        const auto is_done = [&](Job &job) {
            if (wait)
                executor_->wait(job);
            return wait || executor_->is_done(job);
        };
        if (!is_ready(front_, is_done))
            return -EAGAIN;
        score_ready();
    }
    find_cuts();
    pop_result(result);
    ++front_;
    while (static_cast<int64_t>(front_) > int64_t{plan_.lookback()} + plan_.delay()) {
        spare_.push_back(std::move(jobs_.front()));
        spare_.back()->state.reset();
        jobs_.pop_front();
        --front_;
    }
    return 0;
}

/// Scores the collected pairs that looked at uncollected ones as if there were none.
void Engine::score_again()
{
    if (scratch_.empty())
        scratch_.push_back(plan_.make_scratch());
    visible_ = front_;
    for (size_t at = front_ - std::min(front_, static_cast<size_t>(plan_.delay())); at < front_;
         ++at) {
        Job &job = *jobs_[at];
        score(at, scratch_[0]);
        if (job.is_kept)
            (chunk().counts(job.index) ? table_ : overlap_).replace(job.index, job.scores.data());
        job.scores.clear();
    }
    visible_ = SIZE_MAX;
}

void Engine::cut()
{
    if (front_ < jobs_.size()) {
        for (size_t i = front_; i < jobs_.size(); ++i)
            executor_->wait_idle(*jobs_[i]);
        score_again();
        next_index_ = jobs_[front_]->index;
        jobs_.erase(jobs_.begin() + static_cast<ptrdiff_t>(front_), jobs_.end());
    }
    if (wants_sketches()) {
        shots_->cut(next_index_);
        shots_->end_segment();
    }
    flush();
    cut_files();
}

void Engine::reset()
{
    for (size_t i = front_; i < jobs_.size(); ++i)
        executor_->wait_idle(*jobs_[i]); // a pair that failed is forgotten, too
    executor_->end_segment();
    jobs_.clear();
    front_ = 0;
    next_index_ = chunk().first;
    next_position_ = chunk().first;
    is_open_ = false;
    has_colours_ = false;
    first_segment_ = ++segment_;
    aggregate_sums_.clear();
    if (shots_ != nullptr)
        shots_->clear();
    table_.clear();
    overlap_.clear();
    std::fill(state_.begin(), state_.end(), 0);
    cut_files();
}

} // namespace vmafgpu
