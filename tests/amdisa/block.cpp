// SPDX-License-Identifier: BSD-2-Clause-Patent
// See block.h. What registers hold at the start follows "Initial Kernel Execution State" in
// LLVM's user guide for AMD GPUs; everything that it does not name is junk.
#include "block.h"

#include <cerrno>

#include "base/error.h"

namespace vmafgpu {
namespace isa {

namespace {

constexpr unsigned kPrivateBuffer = 1, kDispatchPointer = 2, kQueuePointer = 4,
                   kKernargPointer = 8; // bits of Kernel::properties
constexpr unsigned kGroupId = 1 << 7;   // x of Kernel::rsrc2; y and z follow

uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = a + (b + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return (z ^ z >> 27) | 1;
}

std::unique_ptr<WaveBase> new_wave(Block &block, const Program &program, unsigned size)
{
    if (size == 64)
        return std::make_unique<Wave<64>>(block, program);
    return std::make_unique<Wave<32>>(block, program);
}

/// Targets that have the ids of an item in all directions in one register.
bool packs_ids(const Program &program)
{
    const std::string &target = program.target;
    return program.generation >= 11 || target == "gfx90a" || target.compare(0, 5, "gfx94") == 0 ||
           target.compare(0, 5, "gfx95") == 0;
}

/// `ids`: in how many directions more than one the kernel asks for an item's id. Blocks
/// have one direction, so that the others are 0.
template <int W> void fill(Wave<W> &wave, unsigned number, unsigned ids)
{
    uint32_t *words = wave.vectors[0];
    for (unsigned i = 0; i < kVectors * W; i += 2) {
        const uint64_t junk = wave.random.next();
        words[i] = static_cast<uint32_t>(junk);
        words[i + 1] = static_cast<uint32_t>(junk >> 32);
    }
    for (unsigned lane = 0; lane < W; ++lane)
        wave.vectors[0][lane] = number * W + lane;
    for (unsigned i = 1; i <= ids && !packs_ids(wave.program); ++i)
        std::memset(wave.vectors[i], 0, sizeof(wave.vectors[i]));
}

/// Both halves read their sources before either writes.
template <int W> void run_dual(Wave<W> &wave, const Inst &left, const Inst &right)
{
    uint32_t *row = wave.vectors[left.to[0].index];
    uint32_t before[W], after[W];
    std::memcpy(before, row, sizeof(before));
    left.run(wave, left);
    std::memcpy(after, row, sizeof(after));
    std::memcpy(row, before, sizeof(before));
    right.run(wave, right);
    std::memcpy(row, after, sizeof(after));
}

} // namespace

// --------------------------------------------------------------- memory map

void MemoryMap::add(const void *memory, size_t bytes)
{
    const auto begin = reinterpret_cast<uint64_t>(memory);
    ranges_[begin] = begin + bytes;
}

void MemoryMap::remove(const void *memory)
{
    ranges_.erase(reinterpret_cast<uint64_t>(memory));
}

bool MemoryMap::contains(uint64_t address, uint64_t bytes) const
{
    auto range = ranges_.upper_bound(address);
    if (range == ranges_.begin())
        return false;
    --range;
    return address <= range->second && bytes <= range->second - address;
}

// -------------------------------------------------------------------- block

void WaveBase::fail(const Inst &inst, const std::string &what) const
{
    char address[32];
    std::snprintf(address, sizeof(address), "0x%llx",
                  static_cast<unsigned long long>(inst.address));
    throw Error(EIO,
                block.place() + ": " + what + ": " + program.texts[inst.id] + " at " + address);
}

Block::Block(unsigned wave_size) : wave_size_(wave_size)
{
}
Block::~Block() = default;

std::string Block::place() const
{
    return "machine code of " + launch_->program->target + ", kernel " + launch_->kernel->name +
           ", block (" + std::to_string(id_[0]) + "," + std::to_string(id_[1]) + "," +
           std::to_string(id_[2]) + ")";
}

uint64_t Block::address_of(uint32_t instruction) const
{
    return reinterpret_cast<uint64_t>(launch_->code) + launch_->program->insts[instruction].address;
}

char *Block::shared(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes)
{
    if (address > shared_.size() || bytes > shared_.size() - address)
        wave.fail(inst, "shared memory has " + std::to_string(shared_.size()) +
                            " bytes, access at " + std::to_string(address));
    if (inst.word) // else a test looks
        races_.note(wave, inst, address, bytes);
    return shared_.data() + address;
}

char *Block::global(const WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes)
{
    if (!launch_->memory->contains(address, bytes)) {
        char text[64];
        std::snprintf(text, sizeof(text), "%u bytes at 0x%llx are in no buffer", bytes,
                      static_cast<unsigned long long>(address));
        wave.fail(inst, text);
    }
    return reinterpret_cast<char *>(address);
}

void Block::set_scalars(WaveBase &wave)
{
    const Kernel &kernel = *launch_->kernel;
    for (uint32_t &scalar : wave.scalars)
        scalar = static_cast<uint32_t>(wave.random.next() >> 16);
    unsigned at = 0;
    if ((kernel.properties & kPrivateBuffer) != 0)
        at += 4;
    const auto pass = [&](unsigned property, const void *pointer) {
        if ((kernel.properties & property) == 0)
            return;
        wave.write64(at, reinterpret_cast<uint64_t>(pointer));
        at += 2;
    };
    pass(kDispatchPointer, launch_->packet);
    pass(kQueuePointer, nullptr);
    pass(kKernargPointer, launch_->kernarg);
    at = kernel.rsrc2 >> 1 & 31;
    for (unsigned i = 0; i < 3; ++i)
        if ((kernel.rsrc2 & kGroupId << i) != 0)
            wave.scalars[at++] = id_[i];
    if (launch_->program->generation >= 12) {
        wave.scalars[kTemporaries + 9] = id_[0];
        wave.scalars[kTemporaries + 7] = id_[1] | id_[2] << 16;
    }
    wave.scalars[kNull] = 0;
    wave.write64(kExec, wave.full);
}

void Block::set_vectors(WaveBase &wave, unsigned number)
{
    const unsigned ids = launch_->kernel->rsrc2 >> 11 & 3;
    if (wave_size_ == 64)
        fill(static_cast<Wave<64> &>(wave), number, ids);
    else
        fill(static_cast<Wave<32> &>(wave), number, ids);
}

void Block::begin(WaveBase &wave, unsigned number)
{
    wave.number = number;
    wave.random.state = mixed(random_.next(), number);
    wave.scc = (wave.random.next() & 1) != 0;
    wave.state = State::kRuns;
    wave.next = launch_->kernel->first;
    wave.executed = 0;
    wave.signals = wave.waits = 0;
    set_scalars(wave);
    set_vectors(wave, number);
}

void Block::step(WaveBase &wave, unsigned count)
{
    const Program &program = *launch_->program;
    for (; count > 0 && wave.state == State::kRuns; --count) {
        const Inst &inst = program.insts[wave.next];
        if (!wave.pending.is_empty() && wave.pending.touches(inst))
            wave.fail(inst, "uses a register whose load was not waited for");
        if (!inst.run)
            wave.fail(inst, "this instruction is not in the table");
        if (++wave.executed > launch_->limit)
            wave.fail(inst, "more than " + std::to_string(launch_->limit) + " instructions");
        ++wave.next;
        Count &counted = counts_[inst.id];
        ++counted.waves;
        counted.lanes += static_cast<unsigned>(__builtin_popcountll(wave.exec()));
        if (inst.second == 0)
            inst.run(wave, inst);
        else if (wave_size_ == 64)
            run_dual(static_cast<Wave<64> &>(wave), inst, program.seconds[inst.second - 1]);
        else
            run_dual(static_cast<Wave<32> &>(wave), inst, program.seconds[inst.second - 1]);
    }
}

/// A kernel's barrier is a fence, too. Stores to global memory need it where the waves of a
/// block may run on two compute units, each with a cache of its own. RDNA has a mode for that.
uint8_t Block::counters_before_barrier() const
{
    constexpr uint32_t kHasTwoUnits = 1u << 29;
    const bool has_two_units =
        launch_->program->generation >= 10 && (launch_->kernel->rsrc1 & kHasTwoUnits) != 0;
    return static_cast<uint8_t>(kShareds | (has_two_units ? kLoads | kStores : 0));
}

/// A wave goes on when all others have reached its barrier, or will not reach it any more.
void Block::release()
{
    unsigned least = ~0u;
    for (unsigned i = 0; i < active_; ++i)
        if (waves_[i]->state != State::kEnded)
            least = std::min(least, waves_[i]->signals);
    for (unsigned i = 0; i < active_; ++i)
        if (waves_[i]->state == State::kAtBarrier && waves_[i]->waits <= least)
            waves_[i]->state = State::kRuns;
}

void Block::run(const Launch &launch, const unsigned (&id)[3])
{
    launch_ = &launch;
    std::copy(std::begin(id), std::end(id), id_);
    const uint64_t number =
        id[0] + uint64_t{launch.grid[0]} * (id[1] + uint64_t{launch.grid[1]} * id[2]);
    random_.state = mixed(launch.seed, number);
    active_ = (launch.threads + wave_size_ - 1) / wave_size_;
    counts_.resize(launch.program->texts.size());
    // A program's waves are bound to it.
    if (!waves_.empty() && &waves_[0]->program != launch.program)
        waves_.clear();
    while (waves_.size() < active_)
        waves_.push_back(new_wave(*this, *launch.program, wave_size_));
    shared_.resize(launch.kernel->shared_bytes);
    races_.begin(shared_.size());
    for (char &byte : shared_)
        byte = static_cast<char>(random_.next() >> 24);
    for (unsigned i = 0; i < active_; ++i)
        begin(*waves_[i], i);
    if (launch.prepare)
        launch.prepare(*waves_[0]);
    for (;;) {
        release();
        unsigned runs = 0;
        WaveBase *chosen = nullptr;
        for (unsigned i = 0; i < active_; ++i)
            if (waves_[i]->state == State::kRuns && random_.below(++runs) == 0)
                chosen = waves_[i].get();
        if (!chosen)
            break;
        step(*chosen, 1u << random_.below(8));
        if (!chosen->pending.is_empty())
            chosen->pending.advance(*chosen, random_.below(4));
    }
    for (unsigned i = 0; i < active_; ++i)
        if (waves_[i]->state != State::kEnded)
            throw Error(EIO, place() + ": waves wait at a barrier that others never reach");
    if (launch.inspect)
        launch.inspect(*waves_[0]);
}

} // namespace isa
} // namespace vmafgpu
