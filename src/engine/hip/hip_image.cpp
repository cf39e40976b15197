// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_image.h. Offsets are those of LLVM's "User Guide for AMDGPU Backend":
// symbols "<kernel>.kd" are kernel descriptors of 64 bytes, the note "AMDGPU" names
// the target.
#include "hip/hip_image.h"

#include <cerrno>
#include <cstring>
#include <elf.h>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr unsigned kMachineAmdGpu = 224;
constexpr unsigned char kOsAbiHsa = 64;
constexpr uint32_t kMetadataNote = 32;
constexpr size_t kDescriptorBytes = 64;
constexpr size_t kSharedAt = 0, kPrivateAt = 4, kKernargAt = 8, kPropertiesAt = 56;
constexpr unsigned kWave32Bit = 10;
constexpr char kTriple[] = "amdgcn-amd-amdhsa--";

/// The file; every access is checked.
class Bytes {
public:
    Bytes(const void *data, size_t size) : data_(static_cast<const char *>(data)), size_(size) {}

    template <typename T> T read(uint64_t at) const
    {
        T value;
        std::memcpy(&value, range(at, sizeof(T)), sizeof(T));
        return value;
    }
    const char *range(uint64_t at, uint64_t bytes) const
    {
        if (at > size_ || bytes > size_ - at)
            throw Error(EINVAL, "code object: truncated");
        return data_ + at;
    }
    std::string text(uint64_t at) const
    {
        const char *begin = range(at, 1);
        const void *end = std::memchr(begin, 0, size_ - at);
        if (!end)
            throw Error(EINVAL, "code object: unterminated name");
        return {begin, static_cast<const char *>(end)};
    }

private:
    const char *data_;
    size_t size_;
};

Elf64_Ehdr read_header(const Bytes &file)
{
    const Elf64_Ehdr header = file.read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != kMachineAmdGpu || header.e_ident[EI_OSABI] != kOsAbiHsa ||
        header.e_shentsize != sizeof(Elf64_Shdr))
        throw Error(EINVAL, "not an ELF code object for AMD GPUs");
    return header;
}

std::string target_of(const Bytes &file, const Elf64_Shdr &notes)
{
    uint64_t at = notes.sh_offset;
    const uint64_t end = at + notes.sh_size;
    while (at + sizeof(Elf64_Nhdr) <= end) {
        const auto note = file.read<Elf64_Nhdr>(at);
        const uint64_t name_at = at + sizeof(note);
        const uint64_t text_at = name_at + (uint64_t{note.n_namesz} + 3) / 4 * 4;
        at = text_at + (uint64_t{note.n_descsz} + 3) / 4 * 4;
        if (note.n_type != kMetadataNote || file.text(name_at) != "AMDGPU")
            continue;
        const std::string text(file.range(text_at, note.n_descsz), note.n_descsz);
        const size_t triple = text.find(kTriple);
        if (triple == std::string::npos || triple == 0)
            continue;
        // MessagePack: the string's length is before it, in five bits or in a byte.
        const auto before = static_cast<unsigned char>(text[triple - 1]);
        const size_t length = (before & 0xe0) == 0xa0 ? before & 0x1f : before;
        const size_t prefix = std::strlen(kTriple);
        if (length > prefix && length <= text.size() - triple)
            return text.substr(triple + prefix, length - prefix);
    }
    return "";
}

/// Offset in the file of what is loaded at `address`.
uint64_t offset_of(const Bytes &file, const Elf64_Ehdr &header, uint64_t address)
{
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto section = file.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
        if (section.sh_type != SHT_NOBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
            address >= section.sh_addr && address - section.sh_addr < section.sh_size)
            return section.sh_offset + (address - section.sh_addr);
    }
    throw Error(EINVAL, "code object: a kernel descriptor outside all sections");
}

void read_kernels(const Bytes &file, const Elf64_Ehdr &header, const Elf64_Shdr &symbols,
                  HipImage &image)
{
    const auto strings = file.read<Elf64_Shdr>(header.e_shoff + symbols.sh_link * sizeof(symbols));
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = file.read<Elf64_Sym>(symbols.sh_offset + at);
        const std::string name = file.text(strings.sh_offset + symbol.st_name);
        if (name.size() <= 3 || name.compare(name.size() - 3, 3, ".kd") != 0 ||
            symbol.st_size != kDescriptorBytes)
            continue;
        const uint64_t descriptor = offset_of(file, header, symbol.st_value);
        const auto properties = file.read<uint16_t>(descriptor + kPropertiesAt);
        HipKernelInfo kernel;
        kernel.name = name.substr(0, name.size() - 3);
        kernel.wave_size = (properties >> kWave32Bit & 1) != 0 ? 32 : 64;
        kernel.shared_bytes = file.read<uint32_t>(descriptor + kSharedAt);
        kernel.private_bytes = file.read<uint32_t>(descriptor + kPrivateAt);
        kernel.kernarg_bytes = file.read<uint32_t>(descriptor + kKernargAt);
        image.kernels.push_back(kernel);
    }
}

} // namespace

const HipKernelInfo *HipImage::find(const std::string &name) const
{
    for (const HipKernelInfo &kernel : kernels)
        if (kernel.name == name)
            return &kernel;
    return nullptr;
}

HipImage read_hip_image(const void *data, size_t bytes)
{
    const Bytes file(data, bytes);
    const Elf64_Ehdr header = read_header(file);
    HipImage image;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto section = file.read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
        if (section.sh_type == SHT_NOTE && image.target.empty())
            image.target = target_of(file, section);
        if (section.sh_type == SHT_DYNSYM)
            read_kernels(file, header, section, image);
    }
    if (image.target.empty() || image.kernels.empty())
        throw Error(EINVAL, "code object: no target or no kernels");
    return image;
}

std::string hip_base_target(const std::string &arch)
{
    return arch.substr(0, arch.find(':'));
}

} // namespace vmafgpu
