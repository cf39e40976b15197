// SPDX-License-Identifier: BSD-2-Clause-Patent
// See hip_image.h. Offsets are those of LLVM's "User Guide for AMDGPU Backend":
// symbols "<kernel>.kd" are kernel descriptors of 64 bytes, the note "AMDGPU" names
// the target.
#include "hip/hip_image.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "hip/elf64.h"

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

ElfHeader read_header(const Bytes &file)
{
    const ElfHeader header = file.read<ElfHeader>(0);
    if (std::memcmp(header.ident, kElfMagic, sizeof(kElfMagic)) != 0 ||
        header.ident[kElfClass] != kElfClass64 || header.ident[kElfData] != kElfLittleEndian ||
        header.machine != kMachineAmdGpu || header.ident[kElfOsAbi] != kOsAbiHsa ||
        header.section_bytes != sizeof(ElfSection))
        throw Error(EINVAL, "not an ELF code object for AMD GPUs");
    return header;
}

std::string target_of(const Bytes &file, const ElfSection &notes)
{
    uint64_t at = notes.offset;
    const uint64_t end = at + notes.size;
    while (at + sizeof(ElfNote) <= end) {
        const auto note = file.read<ElfNote>(at);
        const uint64_t name_at = at + sizeof(note);
        const uint64_t text_at = name_at + (uint64_t{note.name_bytes} + 3) / 4 * 4;
        at = text_at + (uint64_t{note.text_bytes} + 3) / 4 * 4;
        if (note.type != kMetadataNote || file.text(name_at) != "AMDGPU")
            continue;
        const std::string text(file.range(text_at, note.text_bytes), note.text_bytes);
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
uint64_t offset_of(const Bytes &file, const ElfHeader &header, uint64_t address)
{
    for (unsigned i = 0; i < header.section_count; ++i) {
        const auto section = file.read<ElfSection>(header.sections_at + i * sizeof(ElfSection));
        if (section.type != kElfNoBits && (section.flags & kElfIsLoaded) != 0 &&
            address >= section.address && address - section.address < section.size)
            return section.offset + (address - section.address);
    }
    throw Error(EINVAL, "code object: a kernel descriptor outside all sections");
}

void read_kernels(const Bytes &file, const ElfHeader &header, const ElfSection &symbols,
                  HipImage &image)
{
    const auto strings = file.read<ElfSection>(header.sections_at + symbols.link * sizeof(symbols));
    for (uint64_t at = 0; at + sizeof(ElfSymbol) <= symbols.size; at += sizeof(ElfSymbol)) {
        const auto symbol = file.read<ElfSymbol>(symbols.offset + at);
        const std::string name = file.text(strings.offset + symbol.name);
        if (name.size() <= 3 || name.compare(name.size() - 3, 3, ".kd") != 0 ||
            symbol.size != kDescriptorBytes)
            continue;
        const uint64_t descriptor = offset_of(file, header, symbol.value);
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
    const ElfHeader header = read_header(file);
    HipImage image;
    for (unsigned i = 0; i < header.section_count; ++i) {
        const auto section = file.read<ElfSection>(header.sections_at + i * sizeof(ElfSection));
        if (section.type == kElfNotes && image.target.empty())
            image.target = target_of(file, section);
        if (section.type == kElfDynamicSymbols)
            read_kernels(file, header, section, image);
    }
    if (image.target.empty() || image.kernels.empty())
        throw Error(EINVAL, "code object: no target or no kernels");
    return image;
}

} // namespace vmafgpu
