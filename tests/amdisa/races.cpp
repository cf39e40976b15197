// SPDX-License-Identifier: BSD-2-Clause-Patent
// See races.h.
#include "races.h"

#include "wave.h"

namespace vmafgpu {
namespace isa {

void Races::begin(size_t bytes)
{
    words_.assign((bytes + 3) / 4, Word());
}

void Races::note(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes)
{
    const Access::Does does = inst.word->access.does;
    const bool is_load = does == Access::Does::kLoad, is_add = does == Access::Does::kAdd;
    for (uint64_t at = address / 4; at <= (address + bytes - 1) / 4; ++at) {
        Word &word = words_[at];
        const char *other = nullptr;
        if (!is_load && word.loads.races(wave.number, wave.waits))
            other = "load";
        if (!is_add && word.adds.races(wave.number, wave.waits))
            other = "atomic add";
        if (word.stores.races(wave.number, wave.waits))
            other = "store";
        if (other)
            wave.fail(inst, "race in shared memory at " + std::to_string(at * 4) +
                                ": no barrier since another wave's " + other);
        (is_load ? word.loads : is_add ? word.adds : word.stores).add(wave.number, wave.signals);
    }
}

} // namespace isa
} // namespace vmafgpu
