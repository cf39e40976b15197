// SPDX-License-Identifier: BSD-2-Clause-Patent
// See xml_text.h.
#include "report/xml_text.h"

#include <cstddef>
#include <cstdint>

namespace vmafgpu {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr uint32_t kNone = UINT32_MAX;

/// The character at the beginning and its length; kNone: no UTF-8, or longer than it need be.
uint32_t first_character(std::string_view text, size_t &length)
{
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const auto byte = [text](size_t i) {
        return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
    };
    length = 1;
    if (byte(0) < 0x80)
        return byte(0);
    const size_t size = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
    if (byte(0) < 0xc0 || byte(0) >= 0xf8 || text.size() < size)
        return kNone;
    uint32_t character = byte(0) & (0x7fU >> size);
    for (size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80)
            return kNone;
        character = character << 6U | (byte(i) & 0x3fU);
    }
    const bool is_surrogate = character >= 0xd800 && character < 0xe000;
    if (character < kLeast[size] || character > 0x10ffff || is_surrogate)
        return kNone;
    length = size;
    return character;
}

bool is_allowed(uint32_t character)
{
    if (character < 0x20)
        return character == '\t' || character == '\n' || character == '\r';
    return character != kNone && character != 0xfffe && character != 0xffff;
}

} // namespace

std::string xml_text(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        size_t length = 0;
        const bool is_kept = is_allowed(first_character(text, length));
        result += is_kept ? text.substr(0, length) : kReplacement;
        text.remove_prefix(length);
    }
    return result;
}

} // namespace vmafgpu
