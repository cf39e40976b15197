// SPDX-License-Identifier: BSD-2-Clause-Patent
// See thread_pool.h. One queue under one mutex: tasks here take milliseconds,
// so contention on it does not show.
#include "thread_pool.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace vmafgpu {

ThreadPool::ThreadPool(int threads, std::chrono::microseconds spin) : spin_(spin)
{
    workers_.reserve(static_cast<size_t>(threads));
    for (int i = 0; i < threads; ++i)
        workers_.emplace_back([this, i] { run(i); });
}

ThreadPool::~ThreadPool()
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
        std::function<void(int)> task;
        if (spin_.count() > 0)
            look_for_work();
        {
            std::unique_lock<std::mutex> lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (tasks_.empty())
                return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
            --waiting_;
        }
        task(worker);
    }
}

void ThreadPool::post(std::function<void(int worker)> task)
{
    if (workers_.empty()) {
        task(0);
        return;
    }
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks_.push_back(std::move(task));
        ++waiting_;
    }
    wake_.notify_one();
}

namespace {

/// One parallel_for in progress; outlives the call in helpers that start late.
struct Loop {
    explicit Loop(int count) : n(count) {}

    void work(const std::function<void(int)> &fn)
    {
        int finished = 0;
        for (int i = next.fetch_add(1); i < n; i = next.fetch_add(1)) {
            fn(i);
            ++finished;
        }
        if (finished == 0)
            return;
        const std::lock_guard<std::mutex> lock(mutex);
        done += finished;
        if (done == n)
            all_done.notify_all();
    }

    const int n;
    std::atomic<int> next{0};
    std::mutex mutex;
    std::condition_variable all_done;
    int done = 0;
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
    {
        // In front of other tasks: what has begun should end first.
        const std::lock_guard<std::mutex> lock(mutex_);
        for (int i = 0; i < helpers; ++i)
            tasks_.emplace_front([loop, &fn](int) { loop->work(fn); });
        waiting_ += helpers;
    }
    wake_.notify_all();
    loop->work(fn);
    // A helper that starts after this sees next >= n and never touches fn.
    std::unique_lock<std::mutex> lock(loop->mutex);
    loop->all_done.wait(lock, [&] { return loop->done == loop->n; });
}

} // namespace vmafgpu
