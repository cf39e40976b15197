// SPDX-License-Identifier: BSD-2-Clause-Patent
// Worker threads. A task may split itself with parallel_for(); the calling thread works too, so
// nested calls cannot deadlock. Idle workers take whole tasks first and help with loops only if no
// task waits: a loop ends with its slowest chunk, whole tasks keep all threads busy. They help the
// oldest task, since results are wanted in the order of the tasks.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include <pthread.h>

namespace vmafgpu {

class ThreadPool {
public:
    /// threads >= 1: that many workers. 0: no workers; everything runs in
    /// post() / parallel_for() on the calling thread.
    /// spin: how long an idle worker polls for work before it sleeps, while its waits are shorter.
    /// If the system refuses some of them, size() is less. Throws std::system_error if it refuses
    /// all.
    explicit ThreadPool(int threads, std::chrono::microseconds spin = {});
    ~ThreadPool(); ///< finishes all posted tasks
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    int size() const { return static_cast<int>(workers_.size()); }

    using Task = std::function<void(int worker)>;

    /// Run task() on some worker. task must not throw. If post() throws, nothing was posted.
    void post(Task task);
    /// Starts several tasks whose memory is allocated already. Cannot fail.
    void post(std::list<Task> &&tasks) noexcept;

    /// Run fn(0) ... fn(n-1), in any order, on the calling thread and idle workers. Returns when
    /// all are done. If one throws, its exception is thrown again here when all are done.
    void parallel_for(int n, const std::function<void(int)> &fn);

private:
    struct Begin;
    struct Loop;

    static void *begin(void *argument);
    void start(int threads);
    void stop() noexcept;
    void run(int worker);
    void retire(const Loop &loop);

    std::vector<pthread_t> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::list<Task> tasks_;
    std::list<std::shared_ptr<Loop>> loops_; ///< loops with chunks left, the oldest task's first
    int64_t begun_ = 0;                      ///< tasks
    std::atomic<int> waiting_{0}; ///< tasks and loops; read without the mutex by polling workers
    std::chrono::microseconds spin_;
    bool stopping_ = false;
};

} // namespace vmafgpu
