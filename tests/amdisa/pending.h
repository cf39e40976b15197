// SPDX-License-Identifier: BSD-2-Clause-Patent
// Memory accesses of one wave that were issued and not waited for. An access is carried
// out at a random moment between its issue and the wait that covers it; until that wait
// its destination must not be used. Global accesses keep their order among each other, so
// do those of shared memory; scalar loads have none.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "inst.h"

namespace vmafgpu {
namespace isa {

class WaveBase;

enum Counter : uint8_t { kLoads = 1, kStores = 2, kShareds = 4, kScalarLoads = 8 };

/// Kinds of accesses, as a wait ends them.
enum Ended : uint8_t {
    kVectorLoad = 1,
    kVectorStore = 2,
    kSharedLoad = 4,
    kSharedStore = 8,
    kScalarLoad = 16
};

/// An access that was issued and will be carried out later.
struct Transfer {
    const Inst *inst = nullptr;
    uint8_t counters = 0;      ///< counters that count this access
    uint8_t open = 0;          ///< counters that have not been waited for
    bool is_unordered = false; ///< the counter may fall to n before this access has ended
    bool is_carried_out = false;
    uint64_t lanes = 0;      ///< lanes that take part
    uint64_t address[2][64]; ///< address of each lane; a scalar load uses [0][0]
    uint32_t data[4][64];    ///< data to store, in the order of the registers
};

class Pending {
public:
    Pending();
    ~Pending();
    Pending(const Pending &) = delete;
    Pending &operator=(const Pending &) = delete;

    /// The transfer to be filled; issue() takes it over.
    Transfer &prepare();
    void issue(WaveBase &wave);
    /// Returns when at most `most` accesses that count in any of `counters` are left: the kinds
    /// (Ended) of those that were not waited for before.
    uint8_t wait(WaveBase &wave, uint8_t counters, unsigned most);
    /// Carries out some of the oldest.
    void advance(WaveBase &wave, unsigned count);
    void finish(WaveBase &wave);
    /// True if an access to memory that counts in any of `counters` was not waited for. Lanes that
    /// exchange registers touch none: compilers leave that open at barriers.
    bool is_open(uint8_t counters) const;
    bool is_empty() const { return queue_.empty(); }

    /// True if a register that `inst` names is still on its way. A load may write what an
    /// earlier one of the same kind will write: they keep their order.
    bool touches(const Inst &inst) const;

private:
    using Item = std::unique_ptr<Transfer>;
    void carry_out(WaveBase &wave, size_t last);
    void complete(WaveBase &wave, size_t at);
    void mark(const Transfer &transfer, int by);
    bool touches(const Use &use, Unit unit) const;

    std::deque<Item> queue_;
    std::vector<Item> spare_;
    uint8_t vectors_[kVectors] = {}; ///< loads on their way to each register
    uint8_t kinds_[kVectors] = {};   ///< counters of the loads, all together
    uint8_t scalars_[kScalars] = {};
};

/// Carries out one transfer now (memory.cpp).
void transfer(WaveBase &wave, Transfer &transfer);

} // namespace isa
} // namespace vmafgpu
