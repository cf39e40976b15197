// SPDX-License-Identifier: BSD-2-Clause-Patent
// See pending.h.
#include "pending.h"

#include <algorithm>

#include "wave.h"

namespace vmafgpu {
namespace isa {

namespace {

/// Memory whose accesses keep their order: 1 global, 2 shared; a flat one is in both.
unsigned spaces_of(const Transfer &transfer)
{
    return (transfer.counters & (kLoads | kStores) ? 1u : 0u) |
           (transfer.counters & kShareds ? 2u : 0u);
}

uint8_t kind_of(const Inst &inst)
{
    const bool is_load = inst.word->access.does == Access::Does::kLoad ||
                         inst.word->access.does == Access::Does::kPermute;
    if (inst.word->unit == Unit::kScalarLoad)
        return kScalarLoad;
    if (inst.word->unit == Unit::kShared)
        return is_load ? kSharedLoad : kSharedStore;
    return is_load ? kVectorLoad : kVectorStore;
}

} // namespace

Pending::Pending() = default;
Pending::~Pending() = default;

Transfer &Pending::prepare()
{
    if (spare_.empty())
        spare_.push_back(std::make_unique<Transfer>());
    Transfer &next = *spare_.back();
    next.inst = nullptr;
    next.is_unordered = false;
    next.is_carried_out = false;
    return next;
}

void Pending::issue(WaveBase &wave)
{
    spare_.back()->open = spare_.back()->counters;
    queue_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    mark(*queue_.back(), 1);
    if (wave.random.below(4) == 0)
        carry_out(wave, queue_.size() - 1);
}

void Pending::mark(const Transfer &transfer, int by)
{
    for (const Operand &to : transfer.inst->to) {
        if (to.kind == Operand::Kind::kNone)
            continue;
        uint8_t *counts = to.is_vector() ? vectors_ : scalars_;
        for (unsigned i = to.index; i < unsigned{to.index} + to.count; ++i) {
            counts[i] = static_cast<uint8_t>(counts[i] + by);
            if (to.is_vector())
                kinds_[i] = counts[i] == 0 ? 0 : kinds_[i] | transfer.counters;
        }
    }
}

/// Carries out [last] and everything before it that must come first.
void Pending::carry_out(WaveBase &wave, size_t last)
{
    if (queue_[last]->is_carried_out)
        return;
    const unsigned spaces = spaces_of(*queue_[last]);
    for (size_t i = 0; i <= last; ++i) {
        Transfer &older = *queue_[i];
        if (older.is_carried_out || (i < last && (spaces_of(older) & spaces) == 0))
            continue;
        older.is_carried_out = true;
        transfer(wave, older);
    }
}

void Pending::complete(WaveBase &wave, size_t at)
{
    carry_out(wave, at);
    mark(*queue_[at], -1);
    spare_.push_back(std::move(queue_[at]));
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(at));
}

bool Pending::is_open(uint8_t counters) const
{
    return std::any_of(queue_.begin(), queue_.end(), [&](const Item &item) {
        return (item->open & counters) != 0 &&
               item->inst->word->access.does != Access::Does::kPermute;
    });
}

uint8_t Pending::wait(WaveBase &wave, uint8_t counters, unsigned most)
{
    size_t count = 0, unordered = 0;
    for (const Item &item : queue_) {
        count += (item->open & counters) != 0;
        unordered += (item->open & counters) != 0 && item->is_unordered;
    }
    if (count <= most)
        return 0;
    uint8_t kinds = 0;
    // Accesses without order may be the ones that are done: only a count of zero says that they
    // are.
    const bool is_all = most == 0;
    size_t surely = is_all ? count : count - most > unordered ? count - most - unordered : 0;
    for (size_t i = 0; surely > 0 && i < queue_.size();) {
        Transfer &item = *queue_[i];
        if ((item.open & counters) == 0 || (item.is_unordered && !is_all)) {
            ++i;
            continue;
        }
        --surely;
        kinds |= kind_of(*item.inst);
        // A flat access is done when both of its counters say so.
        item.open = static_cast<uint8_t>(item.open & ~counters);
        if (item.open == 0)
            complete(wave, i);
        else
            ++i;
    }
    return kinds;
}

void Pending::advance(WaveBase &wave, unsigned count)
{
    for (size_t i = 0; i < queue_.size() && count > 0; ++i, --count)
        carry_out(wave, i);
}

void Pending::finish(WaveBase &wave)
{
    while (!queue_.empty())
        complete(wave, 0);
}

bool Pending::touches(const Use &use, Unit unit) const
{
    const uint8_t *counts = use.is_vector ? vectors_ : scalars_;
    const unsigned kind = unit == Unit::kShared ? kShareds : kLoads;
    for (unsigned i = use.index; i < unsigned{use.index} + use.count; ++i)
        if (counts[i] != 0 && !(use.is_loaded && kinds_[i] == kind))
            return true;
    return false;
}

bool Pending::touches(const Inst &inst) const
{
    for (const Use &use : inst.uses)
        if (touches(use, inst.word->unit))
            return true;
    return false;
}

} // namespace isa
} // namespace vmafgpu
