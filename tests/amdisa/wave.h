// SPDX-License-Identifier: BSD-2-Clause-Patent
// The state of a wave of AMD's instruction set: registers, the lanes that are on, and
// memory accesses on their way (pending.h). Registers begin as junk. What reads a register
// before the wait that covers its load fails.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "inst.h"
#include "pending.h"

namespace vmafgpu {
namespace isa {

class Block;

/// xorshift; every block has its own, so that a run can be repeated.
struct Random {
    uint64_t state = 1;
    uint64_t next()
    {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
    unsigned below(unsigned limit) { return static_cast<unsigned>((next() >> 20) % limit); }
};

enum class State : uint8_t { kRuns, kAtBarrier, kEnded };

class WaveBase {
public:
    WaveBase(Block &of_block, const Program &of_program, unsigned lanes)
        : block(of_block), program(of_program), size(lanes), full(~uint64_t{0} >> (64 - lanes))
    {
    }

    uint64_t exec() const { return read64(kExec) & full; }
    uint64_t read64(unsigned index) const
    {
        return scalars[index] | uint64_t{scalars[index + 1]} << 32;
    }
    void write32(unsigned index, uint32_t value)
    {
        if (index != kNull)
            scalars[index] = value;
        is_exec_stale |= index >= kExec;
    }
    void write64(unsigned index, uint64_t value)
    {
        if (index == kNull)
            return;
        scalars[index] = static_cast<uint32_t>(value);
        scalars[index + 1] = static_cast<uint32_t>(value >> 32);
        is_exec_stale |= index >= kExec;
    }
    /// A mask of lanes: one register in waves of 32, two in waves of 64.
    uint64_t read_mask(unsigned index) const { return size == 64 ? read64(index) : scalars[index]; }
    void write_mask(unsigned index, uint64_t value)
    {
        if (size == 64)
            write64(index, value);
        else
            write32(index, static_cast<uint32_t>(value));
    }

    [[noreturn]] void fail(const Inst &inst, const std::string &what) const;

    Block &block;
    const Program &program;
    const unsigned size;
    const uint64_t full;
    uint32_t scalars[kScalars];
    bool scc = false;
    bool is_exec_stale = true;
    State state = State::kRuns;
    unsigned number = 0; ///< the wave's number in its block
    uint32_t next = 0;   ///< instruction
    uint64_t executed = 0;
    unsigned signals = 0, waits = 0; ///< counts of barriers in two parts
    Random random;
    Pending pending;
};

template <int W> class Wave : public WaveBase {
public:
    Wave(Block &of_block, const Program &of_program) : WaveBase(of_block, of_program, W) {}

    /// Lanes that are on, as words of ones and zeros.
    const uint32_t *live()
    {
        if (is_exec_stale)
            spread();
        return live_;
    }
    bool all_live()
    {
        if (is_exec_stale)
            spread();
        return is_full_;
    }

    static constexpr int kLanes = W;
    alignas(64) uint32_t vectors[kVectors][W];

private:
    void spread()
    {
        const uint64_t mask = exec();
        for (unsigned lane = 0; lane < W; ++lane)
            live_[lane] = 0 - static_cast<uint32_t>(mask >> lane & 1);
        is_full_ = mask == full;
        is_exec_stale = false;
    }

    alignas(64) uint32_t live_[W];
    bool is_full_ = false;
};

/// The lanes of a wave, for functions that get a wave of either size: kLanesOf<decltype(wave)>.
template <typename Waves> constexpr int kLanesOf = std::decay_t<Waves>::kLanes;

} // namespace isa
} // namespace vmafgpu
