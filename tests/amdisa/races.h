// SPDX-License-Identifier: BSD-2-Clause-Patent
// Finds accesses of two waves to a word of shared memory without a barrier in between, where one
// of them is not a load and not both are atomic. What is found does not depend on the order in
// which the waves happen to run: an access is before another wave's only if its wave signals a
// barrier after it that the other wave has waited for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "inst.h"

namespace vmafgpu {
namespace isa {

class WaveBase;

class Races {
public:
    /// A new block begins; its shared memory has that many bytes.
    void begin(size_t bytes);
    /// An access is carried out. Fails if it races.
    void note(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes);

private:
    /// The waves that did something to a word. Each has the number of barriers that it had
    /// signalled by then, plus one. Two numbers are kept: the highest, and the highest of all
    /// other waves. They answer whether any wave but a given one has a higher number than that.
    struct Seen {
        unsigned wave = 0;
        unsigned highest = 0, of_others = 0;

        void add(unsigned by, unsigned signals)
        {
            if (by != wave && signals + 1 >= highest) {
                of_others = highest;
                wave = by;
            }
            unsigned &number = by == wave ? highest : of_others;
            number = std::max(number, signals + 1);
        }
        /// True if another wave did it, and `by` has not waited since for a barrier that the
        /// other wave signalled later.
        bool races(unsigned by, unsigned waits) const
        {
            return (by == wave ? of_others : highest) > waits;
        }
    };
    struct Word {
        Seen loads, stores, adds;
    };
    std::vector<Word> words_;
};

} // namespace isa
} // namespace vmafgpu
