// SPDX-License-Identifier: BSD-2-Clause-Patent
// Words that read and write memory: what they note when they are issued, and what happens
// when the access is carried out (pending.h decides when).
#include <algorithm>

#include "block.h"
#include "words.h"

namespace vmafgpu {
namespace isa {

namespace {

using Does = Access::Does;

uint8_t counters_of(const Word &word, unsigned generation, bool is_flat)
{
    if (word.unit == Unit::kScalarLoad)
        return kScalarLoads;
    if (word.unit == Unit::kShared)
        return kShareds;
    const bool is_load = word.access.does == Does::kLoad;
    const uint8_t own = is_load || generation == 9 ? kLoads : kStores;
    return static_cast<uint8_t>(own | (is_flat ? kShareds : 0));
}

// ---- issue: addresses and data as they are now

template <int W>
void note_data(Wave<W> &wave, const Operand &from, unsigned bytes, unsigned at, Transfer &transfer)
{
    for (unsigned word = 0; word < (bytes + 3) / 4; ++word)
        std::memcpy(transfer.data[at + word], wave.vectors[from.index + word],
                    sizeof(wave.vectors[0]));
}

template <int W> void note_global(Wave<W> &wave, const Inst &inst, Transfer &transfer)
{
    const bool is_load = inst.word->access.does == Does::kLoad;
    const Operand &vector = inst.from[0];
    const Operand &base = inst.from[is_load ? 1 : 2];
    const bool has_base = base.is_scalar() && base.index != kNull;
    const uint64_t from = has_base ? wave.read64(base.index) : 0;
    for (unsigned lane = 0; lane < W; ++lane) {
        uint64_t address = wave.vectors[vector.index][lane];
        if (!has_base)
            address |= static_cast<uint64_t>(wave.vectors[vector.index + 1][lane]) << 32;
        transfer.address[0][lane] = from + address + static_cast<uint64_t>(int64_t{inst.offset});
    }
    if (!is_load)
        note_data<W>(wave, inst.from[1], inst.word->access.bytes, 0, transfer);
}

template <int W> void note_shared(Wave<W> &wave, const Inst &inst, Transfer &transfer)
{
    const Access &access = inst.word->access;
    const unsigned offsets[2] = {access.addresses == 2 ? inst.offset0 * access.stride
                                                       : static_cast<unsigned>(inst.offset),
                                 unsigned{inst.offset1} * access.stride};
    for (unsigned a = 0; a < access.addresses; ++a)
        for (unsigned lane = 0; lane < W; ++lane)
            transfer.address[a][lane] = wave.vectors[inst.from[0].index][lane] + offsets[a];
    if (access.does == Does::kLoad)
        return;
    for (unsigned a = 0; a < access.addresses; ++a)
        note_data<W>(wave, inst.from[1 + a], access.bytes, a * (access.bytes / 4u), transfer);
}

/// A word of another lane's register. Waves of 64 before GFX12 and after GFX9 are two
/// halves here that do not see each other. A lane that is off gives 0.
template <int W> void note_permute(Wave<W> &wave, const Inst &inst, Transfer &transfer)
{
    const unsigned generation = wave.program.generation;
    const unsigned reach = W == 64 && (generation == 10 || generation == 11) ? 32 : W;
    const uint64_t exec = wave.exec();
    for (unsigned lane = 0; lane < W; ++lane) {
        const uint32_t at =
            wave.vectors[inst.from[0].index][lane] + static_cast<uint32_t>(inst.offset);
        const unsigned source = (at / 4) % reach + lane / reach * reach;
        transfer.data[0][lane] =
            (exec >> source & 1) != 0 ? wave.vectors[inst.from[1].index][source] : 0;
    }
}

template <int W> void issue_vector(Wave<W> &wave, const Inst &inst, bool is_flat)
{
    const Word &word = *inst.word;
    Transfer &transfer = wave.pending.prepare();
    transfer.inst = &inst;
    transfer.lanes = wave.exec();
    transfer.counters = counters_of(word, wave.program.generation, is_flat);
    // Since GFX10 flat accesses keep their order in both counters.
    transfer.is_unordered = is_flat && wave.program.generation == 9;
    if (word.access.does == Does::kPermute)
        note_permute<W>(wave, inst, transfer);
    else if (word.unit == Unit::kShared)
        note_shared<W>(wave, inst, transfer);
    else
        note_global<W>(wave, inst, transfer);
    wave.pending.issue(wave);
}

void issue_scalar(WaveBase &wave, const Inst &inst)
{
    Transfer &transfer = wave.pending.prepare();
    transfer.inst = &inst;
    transfer.lanes = 1;
    transfer.counters = kScalarLoads;
    transfer.is_unordered = true;
    const uint64_t offset =
        scalar_bits<uint32_t>(wave, inst.from[1]) + static_cast<uint64_t>(int64_t{inst.offset});
    transfer.address[0][0] = (wave.read64(inst.from[0].index) + offset) & ~uint64_t{3};
    wave.pending.issue(wave);
}

// ---- carried out

char *place_of(WaveBase &wave, const Inst &inst, uint64_t address, unsigned bytes)
{
    if (inst.word->unit == Unit::kShared)
        return wave.block.shared(wave, inst, address, bytes);
    if (address >= kSharedAperture && address - kSharedAperture < kApertureBytes)
        return wave.block.shared(wave, inst, address - kSharedAperture, bytes);
    return wave.block.global(wave, inst, address, bytes);
}

template <int W>
void load(Wave<W> &wave, const Inst &inst, unsigned lane, const char *from, unsigned row)
{
    const Access &access = inst.word->access;
    uint32_t value = 0;
    if (access.bytes >= 4) {
        for (unsigned word = 0; word < access.bytes / 4u; ++word) {
            std::memcpy(&value, from + 4 * word, 4);
            wave.vectors[row + word][lane] = value;
        }
        return;
    }
    std::memcpy(&value, from, access.bytes);
    const unsigned up = 32 - 8 * access.bytes;
    if (access.is_signed)
        value = static_cast<uint32_t>(static_cast<int32_t>(value << up) >> up);
    if (access.is_low)
        value |= wave.vectors[row][lane] & 0xffff0000;
    if (access.is_high)
        value = value << 16 | (wave.vectors[row][lane] & 0xffff);
    wave.vectors[row][lane] = value;
}

/// The lane's data, from row `first`.
void store(const Transfer &transfer, unsigned lane, char *to, unsigned first)
{
    const Access &access = transfer.inst->word->access;
    for (unsigned word = 0; word < (access.bytes + 3u) / 4; ++word) {
        const uint32_t value = transfer.data[first + word][lane] >> (access.is_high ? 16 : 0);
        std::memcpy(to + 4 * word, &value, std::min(access.bytes - 4u * word, 4u));
    }
}

/// Blocks run on several host threads.
void add(const Transfer &transfer, unsigned lane, char *to)
{
    if (transfer.inst->word->access.bytes == 4) {
        __atomic_fetch_add(reinterpret_cast<uint32_t *>(to), transfer.data[0][lane],
                           __ATOMIC_RELAXED);
        return;
    }
    const uint64_t value = transfer.data[0][lane] | uint64_t{transfer.data[1][lane]} << 32;
    __atomic_fetch_add(reinterpret_cast<uint64_t *>(to), value, __ATOMIC_RELAXED);
}

template <int W> void carry_out(Wave<W> &wave, const Transfer &transfer)
{
    const Inst &inst = *transfer.inst;
    const Access &access = inst.word->access;
    for (unsigned lane = 0; lane < W; ++lane) {
        if ((transfer.lanes >> lane & 1) == 0)
            continue;
        if (access.does == Does::kPermute) {
            wave.vectors[inst.to[0].index][lane] = transfer.data[0][lane];
            continue;
        }
        for (unsigned a = 0; a < access.addresses; ++a) {
            char *memory = place_of(wave, inst, transfer.address[a][lane], access.bytes);
            const unsigned row = a * ((access.bytes + 3u) / 4);
            if (access.does == Does::kLoad)
                load<W>(wave, inst, lane, memory, inst.to[0].index + row);
            else if (access.does == Does::kStore)
                store(transfer, lane, memory, row);
            else
                add(transfer, lane, memory);
        }
    }
}

// ---- names

struct Name {
    const char *names;
    Access access;
};

constexpr Access loads(unsigned bytes)
{
    return {Does::kLoad, static_cast<uint8_t>(bytes), false, false, 1, 0};
}

/// Extended by the sign.
constexpr Access loads_signed(unsigned bytes)
{
    return {Does::kLoad, static_cast<uint8_t>(bytes), true, false, 1, 0};
}

constexpr Access loads_low()
{
    return {Does::kLoad, 2, false, false, 1, 0, true};
}

constexpr Access stores(unsigned bytes)
{
    return {Does::kStore, static_cast<uint8_t>(bytes), false, false, 1, 0};
}

constexpr Access adds(unsigned bytes)
{
    return {Does::kAdd, static_cast<uint8_t>(bytes), false, false, 1, 0};
}

constexpr Access high(Does does)
{
    return {does, 2, false, true, 1, 0};
}

constexpr Access twice(Does does, unsigned bytes, unsigned stride)
{
    return {does, static_cast<uint8_t>(bytes), false, false, 2, static_cast<uint16_t>(stride)};
}

const Name kGlobal[] = {
    {"load_ubyte load_u8", loads(1)},
    {"load_ushort load_u16", loads(2)},
    {"load_sshort load_i16", loads_signed(2)},
    {"load_short_d16 load_d16_b16", loads_low()},
    {"load_short_d16_hi load_d16_hi_b16", high(Does::kLoad)},
    {"load_dword load_b32", loads(4)},
    {"load_dwordx2 load_b64", loads(8)},
    {"load_dwordx3 load_b96", loads(12)},
    {"load_dwordx4 load_b128", loads(16)},
    {"store_byte store_b8", stores(1)},
    {"store_short store_b16", stores(2)},
    {"store_short_d16_hi store_d16_hi_b16", high(Does::kStore)},
    {"store_dword store_b32", stores(4)},
    {"store_dwordx2 store_b64", stores(8)},
    {"store_dwordx3 store_b96", stores(12)},
    {"store_dwordx4 store_b128", stores(16)},
    {"atomic_add atomic_add_u32", adds(4)},
    {"atomic_add_x2 atomic_add_u64", adds(8)},
};

const Name kShared[] = {
    {"ds_read_u16 ds_load_u16", loads(2)},
    {"ds_read_b32 ds_load_b32", loads(4)},
    {"ds_read_b64 ds_load_b64", loads(8)},
    {"ds_read_b96 ds_load_b96", loads(12)},
    {"ds_read_b128 ds_load_b128", loads(16)},
    {"ds_read2_b32 ds_load_2addr_b32", twice(Does::kLoad, 4, 4)},
    {"ds_read2_b64 ds_load_2addr_b64", twice(Does::kLoad, 8, 8)},
    {"ds_read2st64_b32 ds_load_2addr_stride64_b32", twice(Does::kLoad, 4, 256)},
    {"ds_read2st64_b64 ds_load_2addr_stride64_b64", twice(Does::kLoad, 8, 512)},
    {"ds_write_b32 ds_store_b32", stores(4)},
    {"ds_write_b64 ds_store_b64", stores(8)},
    {"ds_write_b128 ds_store_b128", stores(16)},
    {"ds_write2_b32 ds_store_2addr_b32", twice(Does::kStore, 4, 4)},
    {"ds_write2_b64 ds_store_2addr_b64", twice(Does::kStore, 8, 8)},
    {"ds_write2st64_b32 ds_store_2addr_stride64_b32", twice(Does::kStore, 4, 256)},
    {"ds_add_u32", adds(4)},
    {"ds_bpermute_b32", {Does::kPermute, 4, false, false, 1, 0}},
};

std::string prefixed(const char *prefix, const std::string &names)
{
    std::string result = prefix;
    for (const char c : names)
        result += c == ' ' ? std::string(" ") + prefix : std::string(1, c);
    return result;
}

} // namespace

void transfer(WaveBase &wave, Transfer &transfer)
{
    const Inst &inst = *transfer.inst;
    if (inst.word->unit == Unit::kScalarLoad) {
        const unsigned count = inst.to[0].count;
        const char *from = wave.block.global(wave, inst, transfer.address[0][0], 4 * count);
        for (unsigned i = 0; i < count; ++i) {
            uint32_t value = 0;
            std::memcpy(&value, from + 4 * i, 4);
            wave.write32(inst.to[0].index + i, value);
        }
    } else if (wave.size == 64) {
        carry_out<64>(static_cast<Wave<64> &>(wave), transfer);
    } else {
        carry_out<32>(static_cast<Wave<32> &>(wave), transfer);
    }
}

void add_memory_words(Table &table)
{
    for (const Name &name : kGlobal) {
        const bool is_load = name.access.does == Does::kLoad;
        Word word = word_of(Unit::kGlobal, is_load ? 1 : 0);
        word.access = name.access;
        special(table, prefixed("global_", name.names).c_str(), word,
                [](auto &wave, const Inst &inst) { issue_vector(wave, inst, false); });
        special(table, prefixed("flat_", name.names).c_str(), word,
                [](auto &wave, const Inst &inst) { issue_vector(wave, inst, true); });
    }
    for (const Name &name : kShared) {
        const bool has_result =
            name.access.does == Does::kLoad || name.access.does == Does::kPermute;
        Word word = word_of(Unit::kShared, has_result ? 1 : 0);
        word.access = name.access;
        special(table, name.names, word,
                [](auto &wave, const Inst &inst) { issue_vector(wave, inst, false); });
    }
    special(table,
            "s_load_dword s_load_dwordx2 s_load_dwordx4 s_load_dwordx8 s_load_dwordx16 "
            "s_load_b32 s_load_b64 s_load_b96 s_load_b128 s_load_b256 s_load_b512",
            word_of(Unit::kScalarLoad, 1, {Type::kU64, Type::kU32}),
            [](auto &wave, const Inst &inst) { issue_scalar(wave, inst); });
}

} // namespace isa
} // namespace vmafgpu
