// SPDX-License-Identifier: BSD-2-Clause-Patent
// Reads a code object's kernel descriptors and lays its segments out as they are loaded.
// Code that asks for a rounding mode, scratch memory or hidden arguments that the
// interpreter does not have is refused.
#include <cerrno>
#include <cstring>
#include <elf.h>

#include "base/error.h"
#include "inst.h"

namespace vmafgpu {
namespace isa {

namespace {

constexpr size_t kDescriptorBytes = 64;

template <typename T> T at(const std::string &file, uint64_t offset)
{
    T value;
    if (offset > file.size() || sizeof(T) > file.size() - offset)
        throw Error(EINVAL, "code object: truncated");
    std::memcpy(&value, file.data() + offset, sizeof(T));
    return value;
}

void load_segments(const std::string &file, const Elf64_Ehdr &header, Program &program)
{
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const auto segment = at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
        if (segment.p_type != PT_LOAD)
            continue;
        if (program.image.size() < segment.p_vaddr + segment.p_memsz)
            program.image.resize(segment.p_vaddr + segment.p_memsz);
        if (segment.p_filesz > 0) {
            at<char>(file, segment.p_offset + segment.p_filesz - 1);
            std::memcpy(program.image.data() + segment.p_vaddr, file.data() + segment.p_offset,
                        segment.p_filesz);
        }
    }
}

/// Words of the image that hold addresses of its constants.
void relocate(const std::string &file, const Elf64_Ehdr &header, const Elf64_Shdr &section,
              Program &program)
{
    constexpr uint32_t kAbsolute64 = 3; // R_AMDGPU_ABS64
    const auto symbols =
        at<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
    for (uint64_t offset = 0; offset < section.sh_size; offset += sizeof(Elf64_Rela)) {
        const auto entry = at<Elf64_Rela>(file, section.sh_offset + offset);
        const auto symbol =
            at<Elf64_Sym>(file, symbols.sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
        if (ELF64_R_TYPE(entry.r_info) != kAbsolute64 ||
            entry.r_offset + sizeof(uint64_t) > program.image.size())
            throw Error(EINVAL, "code object: a relocation of an unknown kind");
        const uint64_t address = reinterpret_cast<uintptr_t>(program.image.data()) +
                                 symbol.st_value + static_cast<uint64_t>(entry.r_addend);
        std::memcpy(program.image.data() + entry.r_offset, &address, sizeof(address));
    }
}

Kernel read_descriptor(const std::string &name, const char *descriptor)
{
    const auto word = [&](size_t offset) {
        uint32_t value = 0;
        std::memcpy(&value, descriptor + offset, sizeof(value));
        return value;
    };
    Kernel kernel;
    kernel.name = name;
    kernel.shared_bytes = word(0);
    kernel.kernarg_bytes = word(8);
    kernel.rsrc1 = word(48);
    kernel.rsrc2 = word(52);
    kernel.properties = static_cast<uint16_t>(word(56));
    kernel.wave_size = (kernel.properties >> 10 & 1) != 0 ? 32 : 64;
    const unsigned modes = kernel.rsrc1 >> 12 & 0xff;
    if (modes != 0xf0)
        throw Error(EINVAL,
                    "kernel " + name + ": rounds or flushes in a way that the words do not");
    if (word(4) != 0)
        throw Error(EINVAL, "kernel " + name + ": uses scratch memory");
    if ((word(56) >> 16) != 0)
        throw Error(EINVAL, "kernel " + name + ": arguments are preloaded");
    return kernel;
}

uint32_t instruction_at(const Program &program, uint64_t address)
{
    for (size_t i = 0; i < program.insts.size(); ++i)
        if (program.insts[i].address == address)
            return static_cast<uint32_t>(i);
    throw Error(EINVAL, "code object: a kernel's first instruction is not in the text");
}

} // namespace

void read_code_object(const std::string &file, Program &program)
{
    const auto header = at<Elf64_Ehdr>(file, 0);
    load_segments(file, header, program);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto section = at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
        if (section.sh_type == SHT_RELA)
            relocate(file, header, section, program);
        if (section.sh_type != SHT_DYNSYM)
            continue;
        const auto strings =
            at<Elf64_Shdr>(file, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
        for (uint64_t offset = 0; offset < section.sh_size; offset += sizeof(Elf64_Sym)) {
            const auto symbol = at<Elf64_Sym>(file, section.sh_offset + offset);
            const std::string name = file.data() + strings.sh_offset + symbol.st_name;
            if (symbol.st_size != kDescriptorBytes || name.size() < 4 ||
                name.compare(name.size() - 3, 3, ".kd") != 0)
                continue;
            const char *descriptor = program.image.data() + symbol.st_value;
            Kernel kernel = read_descriptor(name.substr(0, name.size() - 3), descriptor);
            int64_t entry = 0;
            std::memcpy(&entry, descriptor + 16, sizeof(entry));
            kernel.first = instruction_at(program, symbol.st_value + static_cast<uint64_t>(entry));
            program.kernels[kernel.name] = kernel;
        }
    }
    if (program.kernels.empty())
        throw Error(EINVAL, "code object: no kernels");
    bind_handlers(program, program.kernels.begin()->second.wave_size);
}

} // namespace isa
} // namespace vmafgpu
