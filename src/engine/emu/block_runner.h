// SPDX-License-Identifier: BSD-2-Clause-Patent
// Runs the threads of one emulated block on one host thread: fibers, barriers, wave words, random
// order, and reports of misuse. launcher.cpp passes blocks in; the words of emu_dialect.h call
// back. It knows nothing of device memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emu/fiber.h"
#include "emu/shared_arena.h"
#include "simt/emu_dialect.h"

namespace vmafgpu {
namespace emu {

/// Data that all blocks of a launch share.
struct LaunchView {
    const KernelEntry *kernel;
    const void *args;
    int threads;
    int wave_size;
    bool is_strict; ///< a [wave] word that some lanes never reach is an error
};

class BlockRunner {
public:
    BlockRunner();
    ~BlockRunner();
    BlockRunner(const BlockRunner &) = delete;
    BlockRunner &operator=(const BlockRunner &) = delete;

    /// Run one block; its order of threads follows from `seed`. Returns "" or what
    /// was wrong, as "divergent barrier: ...". Its fibers then stand in the middle of
    /// kernels, so that every later run fails likewise.
    std::string run(const LaunchView &launch, const BlockView &block, uint64_t seed);

    // The words of emu_dialect.h, called on the fiber of current().
    void block_barrier(int line);
    const uint64_t *wave_exchange(Wait kind, uint64_t value, int line);
    void *shared_array(const void *tag, const char *name, size_t bytes, size_t alignment);
    [[noreturn]] void misuse(const char *text, int line);

private:
    struct Lane : ThreadView {
        Fiber *fiber; ///< null before it starts and after it ended
        Wait wait;    ///< what the lane waits for
        bool is_ended;
        uint8_t parity; ///< which of the wave's two rows of slots its next word uses
        int line;       ///< line of the word it waits in
    };
    struct Wave {
        uint64_t slots[2][64];
        int at_word;       ///< lanes that wait in the current word
        int first_waiting; ///< lane that came first to it
    };
    struct PooledFiber;

    static void fiber_entry(void *pooled);
    void run_lanes(PooledFiber &self);
    bool run_wave(int wave);
    bool release_wave(int wave);
    bool release_block();
    Lane *next_lane();
    void block_here(Lane &lane, Wait kind, int line);
    void resume(Fiber &from, Lane &lane);
    PooledFiber &take_fiber();
    [[noreturn]] void abort_run();
    void reset_lanes(const BlockView &block);
    uint64_t random();
    Lane &current_lane();

    LaunchView launch_{};
    BlockView block_{};
    std::vector<Lane> lanes_;
    std::vector<Wave> waves_;
    std::vector<int> wave_order_;
    SharedArena arena_;
    Fiber host_;
    std::vector<std::unique_ptr<PooledFiber>> fibers_;
    std::vector<PooledFiber *> free_fibers_;
    uint64_t random_state_ = 0;
    std::string failure_;
    // The current round over the lanes of one wave, in a random order: lane
    // ((i * multiplier + offset) ^ flip) mod wave size for i = 0, 1, ...
    int round_base_ = 0, round_next_ = 0;
    unsigned round_multiplier_ = 1, round_offset_ = 0, round_flip_ = 0;
};

} // namespace emu
} // namespace vmafgpu
