// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs a launch of the emulated device: checks it against the kernel's entry, visits
// its blocks in random order on several host threads. Called by emu_device.cpp.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/device.h"
#include "emu/block_runner.h"

namespace vmafgpu {
namespace emu {

class Launcher {
public:
    /// threads: host threads that run blocks, the caller's included; >= 1.
    explicit Launcher(int threads);
    ~Launcher();
    Launcher(const Launcher &) = delete;
    Launcher &operator=(const Launcher &) = delete;

    /// Returns when all blocks are done. "" or what was wrong, with kernel and block.
    std::string run(const LaunchView &launch, Grid grid, uint64_t seed);

private:
    struct Job {
        LaunchView launch;
        Grid grid;
        uint64_t seed;
        uint64_t blocks;
        uint64_t multiplier, offset; ///< block i of the order is (i * multiplier + offset) % blocks
    };

    void worker_main(size_t index);
    void run_blocks(BlockRunner &runner);
    BlockRunner &runner(size_t index);

    std::vector<std::unique_ptr<BlockRunner>> runners_; ///< one for each host thread, if needed
    std::vector<std::thread> workers_;
    std::mutex mutex_; ///< guards what follows, except the atomics
    std::condition_variable start_, finished_;
    uint64_t generation_ = 0;
    size_t busy_ = 0;
    bool is_closing_ = false;
    Job job_{}; ///< constant while busy_ > 0
    std::string failure_;
    std::atomic<uint64_t> next_block_{0};
    std::atomic<bool> has_failed_{false};
};

} // namespace emu
} // namespace vmafgpu
