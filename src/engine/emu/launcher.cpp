// SPDX-License-Identifier: BSD-2-Clause-Patent
// Distributes the blocks of a launch over host threads. The order of a block's threads depends only
// on the launch's seed and the block. So a report can be reproduced with any number of threads.
#include "emu/launcher.h"

#include <numeric>

namespace vmafgpu {
namespace emu {

namespace {

// Fewer emulated threads than this are not worth waking other host threads for.
constexpr uint64_t kMinParallelThreads = 4096;

uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = a + (b + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ (z >> 32);
}

std::string describe(const char *kernel, const BlockView &block, const std::string &what)
{
    return "kernel " + std::string(kernel) + ", block (" + std::to_string(block.id_x) + "," +
           std::to_string(block.id_y) + "," + std::to_string(block.id_z) + "): " + what;
}

} // namespace

Launcher::Launcher(int threads) : runners_(static_cast<size_t>(threads))
{
    for (size_t i = 1; i < runners_.size(); ++i)
        workers_.emplace_back(&Launcher::worker_main, this, i);
}

Launcher::~Launcher()
{
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_closing_ = true;
    }
    start_.notify_all();
    for (std::thread &worker : workers_)
        worker.join();
}

BlockRunner &Launcher::runner(size_t index)
{
    if (!runners_[index])
        runners_[index] = std::make_unique<BlockRunner>();
    return *runners_[index];
}

void Launcher::worker_main(size_t index)
{
    uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        start_.wait(lock, [&] { return is_closing_ || generation_ != seen; });
        if (is_closing_)
            break;
        seen = generation_;
        lock.unlock();
        run_blocks(runner(index));
        lock.lock();
        if (--busy_ == 0)
            finished_.notify_all();
    }
    lock.unlock();
    runners_[index].reset(); // fibers end on the thread they ran on
}

void Launcher::run_blocks(BlockRunner &runner)
{
    const Job &job = job_;
    while (!has_failed_.load(std::memory_order_relaxed)) {
        const uint64_t i = next_block_.fetch_add(1, std::memory_order_relaxed);
        if (i >= job.blocks)
            return;
        const uint64_t block = (i * job.multiplier + job.offset) % job.blocks;
        BlockView view{};
        view.id_x = static_cast<int>(block % job.grid.x);
        view.id_y = static_cast<int>(block / job.grid.x % job.grid.y);
        view.id_z = static_cast<int>(block / job.grid.x / job.grid.y);
        view.blocks_x = static_cast<int>(job.grid.x);
        view.threads = job.launch.threads;
        view.wave_size = job.launch.wave_size;
        const std::string failure = runner.run(job.launch, view, mix(job.seed, block));
        if (failure.empty())
            continue;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (failure_.empty())
            failure_ = describe(job.launch.kernel->name, view, failure);
        has_failed_.store(true, std::memory_order_relaxed);
    }
}

std::string Launcher::run(const LaunchView &launch, Grid grid, uint64_t seed)
{
    const uint64_t blocks = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    uint64_t multiplier = mix(seed, 0) % blocks;
    while (std::gcd(multiplier, blocks) != 1)
        ++multiplier;
    const bool is_parallel = !workers_.empty() && blocks > 1 &&
                             blocks * static_cast<uint64_t>(launch.threads) >= kMinParallelThreads;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        job_ = {launch, grid, seed, blocks, multiplier, mix(seed, 1) % blocks};
        failure_.clear();
        has_failed_ = false;
        next_block_ = 0;
        if (is_parallel) {
            ++generation_;
            busy_ = workers_.size();
        }
    }
    if (is_parallel)
        start_.notify_all();
    run_blocks(runner(0));
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [&] { return busy_ == 0; });
    return failure_;
}

} // namespace emu
} // namespace vmafgpu
