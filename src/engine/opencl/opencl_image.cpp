// SPDX-License-Identifier: BSD-2-Clause-Patent
// See opencl_image.h.
#include "opencl/opencl_image.h"

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace vmafgpu {

namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
// Instructions: the number is in the low half of the first word, the count of words in the high
// one.
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17;
constexpr uint32_t kSubgroupDispatch = 58, kSubgroupSize = 35;

} // namespace

SpirvImage read_spirv(const void *data, size_t bytes, int wave_size)
{
    SpirvImage image;
    std::vector<uint32_t> given(bytes / sizeof(uint32_t));
    if (!given.empty())
        std::memcpy(given.data(), data, given.size() * sizeof(uint32_t));
    if (given.size() <= kHeaderWords || given[0] != kMagic)
        throw Error(EINVAL, "not SPIR-V");
    const auto take = [&](size_t first, size_t count) {
        const auto at = given.begin() + static_cast<ptrdiff_t>(first);
        image.words.insert(image.words.end(), at, at + static_cast<ptrdiff_t>(count));
    };
    std::vector<uint32_t> entries;
    take(0, kHeaderWords);
    if (wave_size != 0)
        image.words.insert(image.words.end(), {2u << 16 | kOpCapability, kSubgroupDispatch});
    for (size_t at = kHeaderWords; at < given.size();) {
        const uint32_t op = given[at] & 0xffff, count = given[at] >> 16;
        if (count == 0 || count > given.size() - at)
            throw Error(EINVAL, "SPIR-V ends within an instruction");
        if (op == kOpEntryPoint && count > 3) { // model, function, name
            const auto *name = reinterpret_cast<const char *>(&given[at + 3]);
            image.kernels.emplace_back(name, strnlen(name, (count - 3) * sizeof(uint32_t)));
            entries.push_back(given[at + 2]);
        } else if (wave_size != 0) { // execution modes follow the last entry point
            for (const uint32_t entry : entries)
                image.words.insert(image.words.end(),
                                   {4u << 16 | kOpExecutionMode, entry, kSubgroupSize,
                                    static_cast<uint32_t>(wave_size)});
            entries.clear();
        }
        take(at, count);
        at += count;
    }
    return image;
}

} // namespace vmafgpu
