// SPDX-License-Identifier: BSD-2-Clause-Patent
// See thread_pool.h. One queue under one mutex: tasks take milliseconds, so contention on the mutex
// costs nothing measurable.
#include "system/thread_pool.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

#include "system/poll.h"
#include "system/system.h"

namespace vmafgpu {

namespace {

/// Number of the task that this thread runs or ran last, in the order in which they began.
thread_local int64_t running_task = 0;

} // namespace

/// One parallel_for() in progress. Helpers that start late keep it alive after the call.
struct ThreadPool::Loop {
    Loop(int count, const std::function<void(int)> &function) : n(count), fn(function) {}

    /// Runs chunks until none is left to start.
    void work()
    {
        int finished = 0;
        std::exception_ptr thrown;
        for (int i = next.fetch_add(1); i < n; i = next.fetch_add(1)) {
            try {
                fn(i);
            } catch (...) { // out of memory, in practice
                thrown = std::current_exception();
            }
            ++finished;
        }
        if (finished == 0)
            return;
        const std::lock_guard<std::mutex> lock(mutex);
        if (thrown)
            failure = thrown;
        done += finished;
        if (done == n)
            all_done.notify_all();
    }

    const int64_t age = running_task;
    const int n;
    const std::function<void(int)> &fn; ///< the caller's function; invalid when all chunks are done
    std::atomic<int> next{0};
    std::mutex mutex;
    std::condition_variable all_done;
    int done = 0;
    std::exception_ptr failure;
};

ThreadPool::ThreadPool(int threads, std::chrono::microseconds spin) : spin_(spin)
{
    try {
        start(threads);
    } catch (...) { // no memory, or no more threads
        stop();
        throw;
    }
}

/// Argument of a new worker thread.
struct ThreadPool::Begin {
    ThreadPool *pool;
    int worker;
};

void *ThreadPool::begin(void *argument)
{
    const Begin mine = *std::unique_ptr<Begin>(static_cast<Begin *>(argument));
    mine.pool->run(mine.worker);
    return nullptr;
}

void ThreadPool::start(int threads)
{
    // Features keep rows on the stack, about 110 KiB. A default thread of musl has only 128 KiB.
    constexpr size_t kStackBytes = 1U << 20;
    workers_.reserve(static_cast<size_t>(threads));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStackBytes);
    int status = 0;
    start_without_signals([&] {
        for (int i = 0; i < threads && status == 0; ++i) {
            auto *start = new (std::nothrow) Begin{this, i}; // owned by the worker, once it runs
            pthread_t worker;
            status = start == nullptr ? ENOMEM : pthread_create(&worker, &attributes, begin, start);
            if (status == 0)
                workers_.push_back(worker);
            else
                delete start;
        }
    });
    pthread_attr_destroy(&attributes);
    if (status == ENOMEM)
        throw std::bad_alloc();
    if (status != 0 && workers_.empty()) // a pool with some workers goes on with those
        throw std::system_error(status, std::generic_category(), "a thread of the pool");
}

ThreadPool::~ThreadPool()
{
    stop();
}

void ThreadPool::stop() noexcept
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (const pthread_t worker : workers_)
        pthread_join(worker, nullptr);
}

void ThreadPool::run(int worker)
{
    using Clock = std::chrono::steady_clock;
    bool is_awake = spin_.count() > 0; // the last wait was shorter than that
    for (;;) {
        std::list<Task> task;
        std::shared_ptr<Loop> loop;
        const Clock::time_point idle = Clock::now();
        if (is_awake)
            poll_for(spin_, [this] { return waiting_.load(std::memory_order_relaxed) != 0; });
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !tasks_.empty() || !loops_.empty(); });
            if (!tasks_.empty()) {
                task.splice(task.end(), tasks_, tasks_.begin());
                --waiting_;
                running_task = ++begun_;
            } else if (!loops_.empty()) {
                loop = loops_.front();
            } else {
                return;
            }
        }
        is_awake = Clock::now() - idle < spin_;
        if (loop == nullptr) {
            task.front()(worker);
            continue;
        }
        loop->work();
        retire(*loop);
    }
}

void ThreadPool::post(Task task)
{
    std::list<Task> one;
    one.push_back(std::move(task));
    post(std::move(one));
}

void ThreadPool::post(std::list<Task> &&tasks) noexcept
{
    if (workers_.empty()) {
        for (const Task &task : tasks)
            task(0);
        return;
    }
    const auto count = static_cast<int>(tasks.size());
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.splice(tasks_.end(), tasks);
        waiting_ += count;
    }
    if (count == 1)
        wake_.notify_one();
    else
        wake_.notify_all();
}

void ThreadPool::retire(const Loop &loop)
{
    std::list<std::shared_ptr<Loop>> old; // freed after the mutex is unlocked
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = loops_.begin(); at != loops_.end(); ++at) {
        if (at->get() == &loop) {
            old.splice(old.end(), loops_, at);
            --waiting_;
            return;
        }
    }
}

void ThreadPool::parallel_for(int n, const std::function<void(int)> &fn)
{
    if (n <= 1 || size() == 0) {
        for (int i = 0; i < n; ++i)
            fn(i);
        return;
    }
    std::list<std::shared_ptr<Loop>> one;
    one.push_back(std::make_shared<Loop>(n, fn));
    const std::shared_ptr<Loop> loop = one.front();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        // Takes its place before younger tasks: pairs are waited for in their order.
        const auto place = std::find_if(loops_.begin(), loops_.end(),
                                        [&](const auto &other) { return other->age >= loop->age; });
        loops_.splice(place, one);
        ++waiting_;
    }
    wake_.notify_all();
    loop->work();
    retire(*loop);
    // A helper that starts after this sees next >= n and never touches fn.
    std::unique_lock<std::mutex> lock(loop->mutex);
    loop->all_done.wait(lock, [&] { return loop->done == loop->n; });
    if (loop->failure)
        std::rethrow_exception(loop->failure);
}

} // namespace vmafgpu
