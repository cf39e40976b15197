// SPDX-License-Identifier: BSD-2-Clause-Patent
// Schedules the threads of one emulated block. A *round* visits all lanes of one wave that can run,
// in random order. Each lane runs until it waits or ends, and then switches directly to the next
// lane. After a round, the wave's word is complete (release_wave), or the whole wave waits at the
// block's barrier. The barrier is complete after all waves. So a wave runs ahead of the others as
// far as it can, which makes a missing barrier visible. A thread that never waits reuses the fiber
// of the thread before it.
#include "emu/block_runner.h"

#include <utility>

#include "emu/sanitizer.h"

namespace vmafgpu {
namespace emu {

__thread const ThreadView *current __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr size_t kStackBytes = kHasAsan ? 256 * 1024 : 64 * 1024;

__thread BlockRunner *current_runner __attribute__((tls_model("initial-exec"))) = nullptr;

const char *word_name(Wait kind)
{
    switch (kind) {
    case Wait::kBarrier:
        return "barrier";
    case Wait::kWaveBarrier:
        return "wave_barrier";
    case Wait::kShuffle:
        return "shuffle";
    default:
        return "nothing";
    }
}

std::string at_line(Wait kind, int line)
{
    return std::string(word_name(kind)) + " in line " + std::to_string(line);
}

} // namespace

struct BlockRunner::PooledFiber {
    PooledFiber(BlockRunner *runner, unsigned number) : owner(runner), fiber(kStackBytes, number)
    {
        fiber.prepare(fiber_entry, this);
    }

    BlockRunner *owner;
    Fiber fiber;
    Lane *lane = nullptr; ///< lane that this fiber runs, or will run when it is switched to
};

BlockRunner::BlockRunner() = default;
BlockRunner::~BlockRunner() = default;

// ------------------------------------------------------------------ fibers

void BlockRunner::fiber_entry(void *pooled)
{
    auto &self = *static_cast<PooledFiber *>(pooled);
    self.owner->run_lanes(self);
}

// What a pooled fiber does all its life: run a lane to its end, then whatever is
// next: a fresh lane on this very stack, a waiting one on its own, or the host.
void BlockRunner::run_lanes(PooledFiber &self)
{
    for (;;) {
        Lane *lane = self.lane;
        lane->fiber = &self.fiber;
        launch_.kernel->run(launch_.args);
        lane->is_ended = true;
        lane->fiber = nullptr;
        Lane *next = next_lane();
        if (next != nullptr && next->fiber == nullptr) {
            self.lane = next;
            current = next;
            continue;
        }
        self.lane = nullptr;
        free_fibers_.push_back(&self);
        if (next != nullptr)
            resume(self.fiber, *next);
        else
            Fiber::switch_to(self.fiber, host_);
    }
}

BlockRunner::PooledFiber &BlockRunner::take_fiber()
{
    if (free_fibers_.empty()) {
        const auto number = static_cast<unsigned>(fibers_.size());
        fibers_.push_back(std::make_unique<PooledFiber>(this, number));
        free_fibers_.push_back(fibers_.back().get());
    }
    PooledFiber *fiber = free_fibers_.back();
    free_fibers_.pop_back();
    return *fiber;
}

void BlockRunner::resume(Fiber &from, Lane &lane)
{
    current = &lane;
    if (lane.fiber == nullptr) {
        PooledFiber &pooled = take_fiber();
        pooled.lane = &lane;
        lane.fiber = &pooled.fiber;
    }
    Fiber::switch_to(from, *lane.fiber);
}

// The caller has set failure_. No destructor of this stack runs any more: it
// must not own memory.
void BlockRunner::abort_run()
{
    Fiber::switch_to(*current_lane().fiber, host_);
    __builtin_unreachable(); // run() switches to no fiber after a failure
}

// ------------------------------------------------------------------- order

// splitmix64: any seed will do, also 0.
uint64_t BlockRunner::random()
{
    uint64_t z = (random_state_ += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

BlockRunner::Lane *BlockRunner::next_lane()
{
    const auto mask = static_cast<unsigned>(launch_.wave_size - 1);
    while (round_next_ < launch_.wave_size) {
        const auto i = static_cast<unsigned>(round_next_++);
        const unsigned lane = ((i * round_multiplier_ + round_offset_) ^ round_flip_) & mask;
        Lane &candidate = lanes_[static_cast<size_t>(round_base_) + lane];
        if (!candidate.is_ended && candidate.wait == Wait::kNone)
            return &candidate;
    }
    return nullptr;
}

// ---------------------------------------------------------------- schedule

std::string BlockRunner::run(const LaunchView &launch, const BlockView &block, uint64_t seed)
{
    if (!failure_.empty())
        return failure_;
    launch_ = launch;
    random_state_ = seed;
    arena_.reset();
    reset_lanes(block);
    current_runner = this;
    bool is_running = true;
    while (is_running) {
        for (size_t i = wave_order_.size(); i > 1; --i)
            std::swap(wave_order_[i - 1], wave_order_[random() % i]);
        for (const int wave : wave_order_) {
            if (!run_wave(wave)) {
                is_running = false;
                break;
            }
        }
        is_running = is_running && release_block();
    }
    current = nullptr;
    current_runner = nullptr;
    if (failure_.empty()) {
        const std::string overrun = arena_.overrun();
        if (!overrun.empty())
            failure_ = "shared memory: written past the end of " + overrun;
    }
    return failure_;
}

void BlockRunner::reset_lanes(const BlockView &block)
{
    block_ = block;
    const auto threads = static_cast<size_t>(launch_.threads);
    const auto wave_size = static_cast<size_t>(launch_.wave_size);
    lanes_.resize(threads);
    waves_.resize(threads / wave_size);
    wave_order_.resize(waves_.size());
    for (size_t i = 0; i < threads; ++i) {
        Lane &lane = lanes_[i];
        lane.thread = static_cast<int>(i);
        lane.lane = static_cast<int>(i % wave_size);
        lane.wave = static_cast<int>(i / wave_size);
        lane.block = &block_;
        lane.fiber = nullptr;
        lane.wait = Wait::kNone;
        lane.is_ended = false;
        lane.parity = 0;
        lane.line = 0;
    }
    for (size_t i = 0; i < waves_.size(); ++i) {
        waves_[i].at_word = 0;
        wave_order_[i] = static_cast<int>(i);
    }
}

/// Runs a wave until each lane is at the block's barrier or has ended. Returns false if a lane
/// failed.
bool BlockRunner::run_wave(int wave)
{
    for (;;) {
        const uint64_t bits = random();
        round_base_ = wave * launch_.wave_size;
        round_next_ = 0;
        round_multiplier_ = static_cast<unsigned>(bits) | 1;
        round_offset_ = static_cast<unsigned>(bits >> 32);
        round_flip_ = static_cast<unsigned>(bits >> 48);
        Lane *first = next_lane();
        if (first != nullptr)
            resume(host_, *first);
        if (!failure_.empty())
            return false;
        if (waves_[static_cast<size_t>(wave)].at_word == 0)
            return true;
        if (!release_wave(wave))
            return false;
    }
}

/// Lets the lanes of a wave go on from a wave's word once all that can reach it have. Returns false
/// if one failed.
bool BlockRunner::release_wave(int wave)
{
    Wave &state = waves_[static_cast<size_t>(wave)];
    Lane *lanes = &lanes_[static_cast<size_t>(wave) * static_cast<size_t>(launch_.wave_size)];
    const Lane &first = lanes[state.first_waiting];
    for (int i = 0; i < launch_.wave_size; ++i) {
        Lane &lane = lanes[i];
        const bool is_elsewhere = lane.wait == Wait::kBarrier;
        if (is_elsewhere || (lane.is_ended && launch_.is_strict)) {
            failure_ = "divergent wave: thread " + std::to_string(first.thread) + " waits at the " +
                       at_line(first.wait, first.line) + ", but thread " +
                       std::to_string(lane.thread) + " of its wave " +
                       (is_elsewhere ? "waits at the " + at_line(lane.wait, lane.line)
                                     : std::string("has ended"));
            return false;
        }
        if (lane.is_ended)
            state.slots[(first.parity + 1) & 1][i] = kPoison;
    }
    for (int i = 0; i < launch_.wave_size; ++i)
        lanes[i].wait = Wait::kNone;
    state.at_word = 0;
    return true;
}

/// Lets all waves go on from the block's barrier. Returns false if the block is done, or failed.
bool BlockRunner::release_block()
{
    const Lane *waiting = nullptr;
    const Lane *ended = nullptr;
    for (const Lane &lane : lanes_) {
        if (lane.is_ended) {
            ended = ended != nullptr ? ended : &lane;
            continue;
        }
        if (waiting != nullptr && waiting->line != lane.line) {
            failure_ = "divergent barrier: thread " + std::to_string(waiting->thread) +
                       " waits at the " + at_line(Wait::kBarrier, waiting->line) + ", but thread " +
                       std::to_string(lane.thread) + " at the " +
                       at_line(Wait::kBarrier, lane.line);
            return false;
        }
        waiting = waiting != nullptr ? waiting : &lane;
    }
    if (waiting == nullptr)
        return false;
    if (ended != nullptr) {
        failure_ = "divergent barrier: thread " + std::to_string(waiting->thread) +
                   " waits at the " + at_line(Wait::kBarrier, waiting->line) + ", but thread " +
                   std::to_string(ended->thread) + " has ended";
        return false;
    }
    for (Lane &lane : lanes_)
        lane.wait = Wait::kNone;
    return true;
}

// ------------------------------------------------------------------- words

BlockRunner::Lane &BlockRunner::current_lane()
{
    return lanes_[static_cast<size_t>(current->thread)];
}

void BlockRunner::block_here(Lane &lane, Wait kind, int line)
{
    lane.wait = kind;
    lane.line = line;
    Fiber &own = *lane.fiber;
    Lane *next = next_lane();
    if (next != nullptr)
        resume(own, *next);
    else
        Fiber::switch_to(own, host_);
}

void BlockRunner::block_barrier(int line)
{
    block_here(current_lane(), Wait::kBarrier, line);
}

const uint64_t *BlockRunner::wave_exchange(Wait kind, uint64_t value, int line)
{
    Lane &lane = current_lane();
    Wave &wave = waves_[static_cast<size_t>(lane.wave)];
    uint64_t *slots = wave.slots[lane.parity];
    slots[lane.lane] = value;
    lane.parity ^= 1;
    if (wave.at_word++ == 0) {
        wave.first_waiting = lane.lane;
    } else {
        const Lane &first =
            lanes_[static_cast<size_t>(round_base_) + static_cast<size_t>(wave.first_waiting)];
        if (first.wait != kind || first.line != line) {
            failure_ = "divergent wave: thread " + std::to_string(first.thread) + " waits at the " +
                       at_line(first.wait, first.line) + ", but thread " +
                       std::to_string(lane.thread) + " of its wave at the " + at_line(kind, line);
            abort_run();
        }
    }
    block_here(lane, kind, line);
    return slots;
}

void *BlockRunner::shared_array(const void *tag, const char *name, size_t bytes, size_t alignment)
{
    void *memory = arena_.array(tag, name, bytes, alignment);
    if (memory == nullptr) {
        failure_ = "shared memory: " + std::string(name) + " (" + std::to_string(bytes) +
                   " bytes) does not fit into the block's " + std::to_string(kMaxShared);
        abort_run();
    }
    return memory;
}

void BlockRunner::misuse(const char *text, int line)
{
    failure_ = std::string(text) + ", in line " + std::to_string(line);
    abort_run();
}

void block_barrier(int line)
{
    current_runner->block_barrier(line);
}

const uint64_t *wave_exchange(Wait kind, uint64_t value, int line)
{
    return current_runner->wave_exchange(kind, value, line);
}

void *shared_array(const void *tag, const char *name, size_t bytes, size_t alignment)
{
    return current_runner->shared_array(tag, name, bytes, alignment);
}

void misuse(const char *text, int line)
{
    current_runner->misuse(text, line);
}

} // namespace emu
} // namespace vmafgpu
