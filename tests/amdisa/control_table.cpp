// SPDX-License-Identifier: BSD-2-Clause-Patent
// Branches, waits, barriers, hints, and the table that all parts add to.
#include <sstream>

#include "block.h"
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

template <typename F> void branch(Table &table, const char *names, const F &is_taken)
{
    special(table, names, word_of(Unit::kBranch, 0, {Type::kU32}),
            [is_taken](auto &wave, const Inst &inst) {
                if (is_taken(wave))
                    wave.next = inst.target;
            });
}

/// Counts the wave in. What it stored before is for the others to see, and what it loads is
/// theirs to overwrite: where compilers need not wait for that, all waves of a block have one
/// cache, which takes accesses in the order of their issue.
void signal(WaveBase &wave, const Inst &inst)
{
    if (wave.pending.is_open(wave.block.counters_before_barrier()))
        wave.fail(inst, "comes to a barrier with an access that was not waited for");
    wave.pending.advance(wave, ~0U);
    ++wave.signals;
}

void add_branches(Table &t)
{
    branch(t, "s_branch", [](const auto &) { return true; });
    branch(t, "s_cbranch_scc0", [](const auto &wave) { return !wave.scc; });
    branch(t, "s_cbranch_scc1", [](const auto &wave) { return wave.scc; });
    branch(t, "s_cbranch_execz", [](const auto &wave) { return wave.exec() == 0; });
    branch(t, "s_cbranch_execnz", [](const auto &wave) { return wave.exec() != 0; });
    branch(t, "s_cbranch_vccz", [](const auto &wave) { return wave.read_mask(kVcc) == 0; });
    branch(t, "s_cbranch_vccnz", [](const auto &wave) { return wave.read_mask(kVcc) != 0; });
    special(t, "s_endpgm", word_of(Unit::kBranch, 0), [](auto &wave, const Inst &) {
        wave.pending.finish(wave);
        wave.state = State::kEnded;
    });
    special(t, "s_getpc_b64", word_of(Unit::kScalar, 1), [](auto &wave, const Inst &inst) {
        wave.write64(inst.to[0].index, wave.block.address_of(wave.next));
    });
    special(t, "s_barrier", word_of(Unit::kWait, 0), [](auto &wave, const Inst &inst) {
        signal(wave, inst);
        wave.state = State::kAtBarrier;
        ++wave.waits;
    });
    special(t, "s_barrier_signal", word_of(Unit::kWait, 0),
            [](auto &wave, const Inst &inst) { signal(wave, inst); });
    special(t, "s_barrier_wait", word_of(Unit::kWait, 0), [](auto &wave, const Inst &) {
        wave.state = State::kAtBarrier;
        ++wave.waits;
    });
}

/// The limits of one instruction; 255: none. GFX9 counts stores with the loads, and all up to GFX11
/// count scalar loads with shared memory.
template <typename Waves> void wait(Waves &wave, const Inst &inst)
{
    const unsigned generation = wave.program.generation;
    const auto until = [&](unsigned counters, uint8_t most) {
        if (most != 255)
            wave.block.note_ended(inst,
                                  wave.pending.wait(wave, static_cast<uint8_t>(counters), most));
    };
    until(generation == 9 ? kLoads | kStores : kLoads, inst.wait_load);
    until(kStores, inst.wait_store);
    until(generation < 12 ? kShareds | kScalarLoads : kShareds, inst.wait_shared);
    until(kScalarLoads, inst.wait_scalar);
}

void add_waits(Table &t)
{
    special(t,
            "s_waitcnt s_waitcnt_vscnt s_wait_loadcnt s_wait_storecnt s_wait_dscnt s_wait_kmcnt "
            "s_wait_loadcnt_dscnt s_wait_storecnt_dscnt",
            word_of(Unit::kWait, 0), [](auto &wave, const Inst &inst) { wait(wave, inst); });
}

} // namespace

void add_word(Table &table, const std::string &names, const Word &word)
{
    std::istringstream stream(names);
    for (std::string name; stream >> name;) {
        Word &added = table[name];
        added = word;
        added.name = name;
    }
}

void add_control_words(Table &table)
{
    add_branches(table);
    add_waits(table);
    // These change timing only, or caches that are not modelled, or wait for samplers and rays, of
    // which the table has no instruction.
    special(table,
            "s_nop s_delay_alu s_clause s_inst_prefetch s_set_inst_prefetch_distance "
            "s_sendmsg s_waitcnt_depctr s_wait_samplecnt s_wait_bvhcnt buffer_gl0_inv global_inv "
            "global_wb",
            word_of(Unit::kHint, 0), [](auto &, const Inst &) {});
}

const Table &all_words()
{
    static const Table table = [] {
        Table words;
        add_integer_words(words);
        add_wide_words(words);
        add_real_words(words);
        add_division_words(words);
        add_compare_words(words);
        add_lane_words(words);
        add_packed_words(words);
        add_scalar_words(words);
        add_control_words(words);
        add_memory_words(words);
        return words;
    }();
    return table;
}

} // namespace isa
} // namespace vmafgpu
