// SPDX-License-Identifier: BSD-2-Clause-Patent
// The parts of a 64-bit ELF file that hip_image.cpp reads, by the System V ABI: systems that are
// not ELF's own have no elf.h. Little-endian; no member needs padding.
#pragma once

#include <cstdint>

namespace vmafgpu {

constexpr unsigned char kElfMagic[] = {0x7f, 'E', 'L', 'F'};
constexpr unsigned kElfClass = 4, kElfData = 5, kElfOsAbi = 7; // indices of ident
constexpr unsigned char kElfClass64 = 2;
constexpr unsigned char kElfLittleEndian = 1;

struct ElfHeader {
    unsigned char ident[16];
    uint16_t type;
    uint16_t machine;
    uint32_t version;
    uint64_t entry;
    uint64_t segments_at;
    uint64_t sections_at;
    uint32_t flags;
    uint16_t header_bytes;
    uint16_t segment_bytes;
    uint16_t segment_count;
    uint16_t section_bytes;
    uint16_t section_count;
    uint16_t names_section;
};
static_assert(sizeof(ElfHeader) == 64);

constexpr uint32_t kElfNotes = 7, kElfNoBits = 8, kElfDynamicSymbols = 11; // values of `type`
constexpr uint64_t kElfIsLoaded = 2;                                       // bits of `flags`

struct ElfSection {
    uint32_t name;
    uint32_t type;
    uint64_t flags;
    uint64_t address;
    uint64_t offset;
    uint64_t size;
    uint32_t link;
    uint32_t info;
    uint64_t alignment;
    uint64_t entry_bytes;
};
static_assert(sizeof(ElfSection) == 64);

struct ElfSymbol {
    uint32_t name;
    uint8_t info;
    uint8_t other;
    uint16_t section;
    uint64_t value;
    uint64_t size;
};
static_assert(sizeof(ElfSymbol) == 24);

struct ElfNote {
    uint32_t name_bytes;
    uint32_t text_bytes;
    uint32_t type;
};
static_assert(sizeof(ElfNote) == 12);

} // namespace vmafgpu
