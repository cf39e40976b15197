// SPDX-License-Identifier: BSD-2-Clause-Patent
// One block of a launch: its waves, their shared memory, and the order in which they run.
// Waves are stopped at random moments and another one goes on. machine.h runs the blocks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "races.h"
#include "wave.h"

namespace vmafgpu {
namespace isa {

/// Where flat addresses of shared memory begin; no address of the host is there.
constexpr uint64_t kSharedAperture = UINT64_C(0x0100000000000000);
constexpr uint64_t kApertureBytes = UINT64_C(1) << 32;

/// Memory that kernels may touch. Not changed while a launch runs.
class MemoryMap {
public:
    void add(const void *memory, size_t bytes);
    void remove(const void *memory);
    bool contains(uint64_t address, uint64_t bytes) const;

private:
    std::map<uint64_t, uint64_t> ranges_; ///< begin -> end
};

/// What the executions of an instruction did, by Inst::id.
struct Count {
    uint64_t waves = 0; ///< how often the instruction was carried out
    uint64_t lanes = 0; ///< lanes that were on, of all times
    uint8_t ended = 0;  ///< kinds of accesses that a wait ended (Ended)
};

struct Launch {
    const Program *program;
    const Kernel *kernel;
    const MemoryMap *memory;
    const char *code; ///< the loaded image
    const void *kernarg;
    const void *packet; ///< the dispatch packet
    unsigned threads;
    unsigned grid[3];
    uint64_t seed;
    uint64_t limit; ///< instructions of a wave
    /// Hooks for tests of words: called before the first instruction of a wave, and after its last.
    std::function<void(WaveBase &)> prepare, inspect;
};

class Block {
public:
    explicit Block(unsigned wave_size);
    ~Block();
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    /// Throws Error(EIO) with kernel, block, wave and instruction.
    void run(const Launch &launch, const unsigned (&id)[3]);

    std::vector<Count> &counts() { return counts_; }
    /// Removes the waves after an error, before the block is used again.
    void clear() { waves_.clear(); }

    // Returns an instruction's address, for words that read it.
    uint64_t address_of(uint32_t instruction) const;
    /// Shared memory at an address. Notes the access, and fails if it is a race.
    char *shared(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes);
    char *global(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes);
    std::string place() const;
    void note_ended(const Inst &inst, uint8_t kinds) { counts_[inst.id].ended |= kinds; }
    /// Counters whose accesses a wave must have waited for when it comes to a barrier.
    uint8_t counters_before_barrier() const;

private:
    void begin(WaveBase &wave, unsigned number);
    void set_vectors(WaveBase &wave, unsigned number);
    void set_scalars(WaveBase &wave);
    void step(WaveBase &wave, unsigned count);
    void release();

    unsigned wave_size_;
    const Launch *launch_ = nullptr;
    unsigned id_[3] = {};
    Random random_;
    std::vector<std::unique_ptr<WaveBase>> waves_;
    unsigned active_ = 0; ///< waves of this launch's blocks
    std::vector<char> shared_;
    Races races_;
    std::vector<Count> counts_;
};

} // namespace isa
} // namespace vmafgpu
