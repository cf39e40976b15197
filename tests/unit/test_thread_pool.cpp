// SPDX-License-Identifier: BSD-2-Clause-Patent
// The thread pool: everything posted runs exactly once, loops end, nesting
// does not lock up. Meant to be run under ThreadSanitizer too.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "system/thread_pool.h"

namespace vmafgpu::thread_pool_test {
namespace {

class Pools : public testing::TestWithParam<int> {};

TEST_P(Pools, every_task_runs_once)
{
    constexpr int kTasks = 500;
    std::vector<int> runs(kTasks, 0); // each written by one task: no atomics needed
    std::atomic<bool> has_bad_worker{false};
    const int threads = GetParam();
    {
        ThreadPool pool(threads);
        EXPECT_EQ(threads, pool.size());
        for (int i = 0; i < kTasks; ++i) {
            pool.post([&, i](int worker) {
                ++runs[static_cast<size_t>(i)];
                if (worker < 0 || worker >= (threads == 0 ? 1 : threads))
                    has_bad_worker = true;
            });
        }
    } // waits
    for (const int count : runs)
        EXPECT_EQ(1, count);
    EXPECT_FALSE(has_bad_worker);
}

// A worker could take the signal, while the program's own thread reads the end of a pipe whose
// writer the same signal stopped.
TEST_P(Pools, signals_are_for_the_program)
{
    std::atomic<int> unblocked{0};
    {
        ThreadPool pool(GetParam());
        for (int i = 0; i < 20; ++i) {
            pool.post([&](int) {
                sigset_t blocked;
                pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                const bool takes_any =
                    sigismember(&blocked, SIGINT) == 0 || sigismember(&blocked, SIGTERM) == 0;
                unblocked += takes_any || sigismember(&blocked, SIGSEGV) == 1;
            });
        }
    }                                                      // waits
    EXPECT_EQ(GetParam() == 0 ? 20 : 0, unblocked.load()); // without workers the caller does it
    sigset_t own;
    pthread_sigmask(SIG_BLOCK, nullptr, &own);
    EXPECT_EQ(0, sigismember(&own, SIGINT));
}

TEST_P(Pools, a_worker_runs_one_task_at_a_time)
{
    std::vector<std::atomic<int>> busy(static_cast<size_t>(GetParam()) + 1);
    std::atomic<int> clashes{0};
    {
        ThreadPool pool(GetParam());
        for (int i = 0; i < 200; ++i) {
            pool.post([&](int worker) {
                auto &mine = busy[static_cast<size_t>(worker)];
                clashes += mine.fetch_add(1) != 0;
                pool.parallel_for(3, [](int) { std::this_thread::yield(); });
                mine.fetch_sub(1);
            });
        }
    } // waits
    EXPECT_EQ(0, clashes.load());
}

TEST_P(Pools, loops_cover_their_range)
{
    ThreadPool pool(GetParam());
    for (const int n : {-1, 0, 1, 2, 3, 7, 64, 1000}) {
        std::vector<int> runs(static_cast<size_t>(n < 0 ? 0 : n), 0);
        pool.parallel_for(n, [&](int i) { ++runs[static_cast<size_t>(i)]; });
        for (const int count : runs) // complete on return
            EXPECT_EQ(1, count);
    }
}

TEST_P(Pools, nested_loops_end)
{
    ThreadPool pool(GetParam());
    std::atomic<int> inner{0};
    for (int repeat = 0; repeat < 20; ++repeat)
        pool.parallel_for(4, [&](int) {
            pool.parallel_for(5, [&](int) { pool.parallel_for(2, [&](int) { ++inner; }); });
        });
    EXPECT_EQ(20 * 4 * 5 * 2, inner.load());
}

/// Loops from many tasks at once; late helpers must not touch what is gone.
TEST_P(Pools, loops_in_tasks)
{
    std::atomic<int> sum{0};
    {
        ThreadPool pool(GetParam());
        for (int t = 0; t < 100; ++t) {
            pool.post([&](int) {
                std::vector<int> local(17, 1); // freed when the task ends
                pool.parallel_for(17, [&](int i) { sum += local[static_cast<size_t>(i)]; });
            });
        }
    }
    EXPECT_EQ(1700, sum.load());
}

/// A worker that is free takes what was posted, before it helps with another's loop.
TEST(ThreadPool, tasks_go_before_loops)
{
    std::atomic<bool> has_begun{false};
    std::atomic<int> order{0}, task_at{0}, part_at{0};
    {
        ThreadPool pool(2);
        pool.post([&](int) {
            while (!has_begun)
                std::this_thread::yield();
        });
        pool.post([&](int) {
            pool.parallel_for(2, [&](int i) {
                if (i == 1) {
                    part_at = ++order;
                    return;
                }
                pool.post([&](int) { task_at = ++order; });
                has_begun = true; // frees the other worker
                while (order == 0)
                    std::this_thread::yield();
            });
        });
    } // waits
    EXPECT_EQ(1, task_at.load());
    EXPECT_EQ(2, part_at.load());
}

// Results are wanted in the order of the tasks: a worker without one helps the task that began
// first, though another's loop is younger.
TEST(ThreadPool, OlderTasksAreHelpedFirst)
{
    std::atomic<int> begun{0};
    std::atomic<int> helped{-1};
    {
        ThreadPool pool(3);
        for (int task = 0; task < 2; ++task) {
            pool.post([&, task](int) {
                while (begun != task) // the loop of task 0 begins first
                    std::this_thread::yield();
                pool.parallel_for(2, [&, task](int i) {
                    int nobody = -1;
                    if (i == 1)
                        helped.compare_exchange_strong(nobody, task);
                    else
                        ++begun;
                    while (helped < 0)
                        std::this_thread::yield();
                });
            });
        }
        pool.post([&](int) { // the third worker helps once there are two loops
            while (begun < 2)
                std::this_thread::yield();
        });
    } // waits
    EXPECT_EQ(0, helped.load());
}

TEST_P(Pools, loops_hand_on_what_they_throw)
{
    ThreadPool pool(GetParam());
    for (const int bad : {0, 7, 49}) {
        std::atomic<int> others{0};
        const auto fn = [&](int i) {
            if (i == bad)
                throw std::runtime_error("bad");
            ++others;
        };
        EXPECT_THROW(pool.parallel_for(50, fn), std::runtime_error);
        // A pool without workers ends there; with workers, nobody uses fn any more.
        EXPECT_TRUE(GetParam() == 0 || others == 49) << others;
    }
}

/// What polling leaves of itself in a worker between the last two of three tasks, with that pause
/// before each: milliseconds of processor time, and how often another thread ran in between, as on
/// a machine with much to do.
double traces_of_polling(std::chrono::milliseconds spin, std::chrono::milliseconds pause)
{
    double traces[2] = {};
    {
        ThreadPool pool(1, spin);
        for (int i = 0; i < 3; ++i) {
            std::this_thread::sleep_for(pause);
            pool.post([&traces](int) {
                rusage now = {};
                getrusage(RUSAGE_THREAD, &now);
                const auto ms = [](const timeval &time) {
                    return 1e3 * static_cast<double>(time.tv_sec) +
                           1e-3 * static_cast<double>(time.tv_usec);
                };
                traces[0] = traces[1];
                traces[1] =
                    ms(now.ru_utime) + ms(now.ru_stime) + static_cast<double>(now.ru_nivcsw);
            });
        }
    } // waits
    return traces[1] - traces[0];
}

/// Decoders need the processor that a worker would poll on.
TEST(ThreadPool, polls_only_while_waits_are_short)
{
    using std::chrono::milliseconds;
    EXPECT_LT(traces_of_polling(milliseconds(100), milliseconds(200)), 4);
    EXPECT_GT(traces_of_polling(milliseconds(500), milliseconds(200)), 4);
}

INSTANTIATE_TEST_SUITE_P(thread_pool, Pools, testing::Values(0, 1, 2, 3, 8));

/// A user may have no more threads: the pool goes on with those that it got.
TEST(ThreadPool, FewerThreadsThanWanted)
{
    if (geteuid() != 0)
        GTEST_SKIP() << "SKIPPED: needs root, to become a user without other processes";
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit = {4, 4};
        if (setuid(54321) != 0 || setrlimit(RLIMIT_NPROC, &limit) != 0)
            _exit(2);
        ThreadPool pool(16);
        std::atomic<int> sum{0};
        pool.parallel_for(100, [&](int i) { sum += i; });
        _exit(pool.size() >= 1 && pool.size() < 16 && sum == 4950 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace
} // namespace vmafgpu::thread_pool_test
