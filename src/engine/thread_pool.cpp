// SPDX-License-Identifier: BSD-2-Clause-Patent
// See thread_pool.h. One queue under one mutex: tasks here take milliseconds,
// so contention on it does not show.
#include "thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

namespace vmafgpu {

ThreadPool::ThreadPool(int threads, std::chrono::microseconds spin) : spin_(spin)
{
    try {
        start(threads);
    } catch (...) { // no memory, or no more threads
        stop();
        throw;
    }
}

void ThreadPool::start(int threads)
{
    workers_.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i)
        workers_.emplace_back([this, i] { run(i); });
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
    for (std::thread &worker : workers_)
        worker.join();
}

void ThreadPool::look_for_work() const
{
    const auto until = std::chrono::steady_clock::now() + spin_;
    while (waiting_.load(std::memory_order_relaxed) == 0 &&
           std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
}

void ThreadPool::run(int worker)
{
    for (;;) {
        std::list<Task> task;
        if (spin_.count() > 0)
            look_for_work();
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            task.splice(task.end(), tasks_, tasks_.begin());
            --waiting_;
        }
        task.front()(worker);
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

namespace {

/// One parallel_for in progress; outlives the call in helpers that start late.
struct Loop {
    explicit Loop(int count) : n(count) {}

    void work(const std::function<void(int)> &fn)
    {
        int finished = 0;
        std::exception_ptr thrown;
        for (int i = next.fetch_add(1); i < n; i = next.fetch_add(1)) {
            try {
                fn(i);
            } catch (...) { // in practice: out of memory
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

    const int n;
    std::atomic<int> next{0};
    std::mutex mutex;
    std::condition_variable all_done;
    int done = 0;
    std::exception_ptr failure;
};

} // namespace

void ThreadPool::parallel_for(int n, const std::function<void(int)> &fn)
{
    const int helpers = std::min(n - 1, size());
    if (helpers <= 0) {
        for (int i = 0; i < n; ++i)
            fn(i);
        return;
    }
    const auto loop = std::make_shared<Loop>(n);
    std::list<Task> tasks;
    for (int i = 0; i < helpers; ++i)
        tasks.emplace_back([loop, &fn](int) { loop->work(fn); });
    {
        // In front of other tasks: what has begun should end first.
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.splice(tasks_.begin(), tasks);
        waiting_ += helpers;
    }
    wake_.notify_all();
    loop->work(fn);
    // A helper that starts after this sees next >= n and never touches fn.
    std::unique_lock<std::mutex> lock(loop->mutex);
    loop->all_done.wait(lock, [&] { return loop->done == loop->n; });
    if (loop->failure)
        std::rethrow_exception(loop->failure);
}

} // namespace vmafgpu
