// SPDX-License-Identifier: BSD-2-Clause-Patent
// Text helpers: numbers independent of the locale, lists, and foreign text made safe for a one-line
// error message.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace vmafgpu {

/// The whole of `text` as a finite, correctly rounded double; false if it is
/// anything else. The C locale's syntax whatever the process has set.
inline bool parse_double(std::string_view text, double *value)
{
    if (text.size() > 1 && text[0] == '+' && text[1] != '-')
        text.remove_prefix(1);
    const char *const end = text.data() + text.size();
    const std::from_chars_result result = std::from_chars(text.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end && std::isfinite(*value);
}

/// The whole of `text` as a decimal integer.
inline bool parse_int(std::string_view text, int *value)
{
    const char *const end = text.data() + text.size();
    const std::from_chars_result result = std::from_chars(text.data(), end, *value);
    return result.ec == std::errc() && result.ptr == end;
}

/// Formats a number as libvmaf normalises numeric options: single precision, then "%g".
inline std::string normalise_number(double value)
{
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value),
                                      std::chars_format::general, 6);
    return std::string(buffer, result.ptr);
}

/// Puts the count before a sentence about several: 1 and " frames of main are damaged" give
/// "1 frame of main is damaged". Only a sentence whose first word is the noun is put into the
/// singular.
inline std::string counted_text(int64_t count, std::string of_several)
{
    static constexpr std::string_view kOne[][2] = {{"s ", " "},
                                                   {" begin ", " begins "},
                                                   {" have ", " has "},
                                                   {" are ", " is "},
                                                   {" reuse ", " reuses "}};
    of_several += ' '; // a noun alone ends, too
    if (const size_t noun = of_several.find("s ");
        count == 1 && of_several.find(' ', 1) == noun + 1)
        for (const auto &[several, one] : kOne)
            if (const size_t at = of_several.find(several); at != std::string::npos)
                of_several.replace(at, several.size(), one);
    of_several.pop_back();
    return std::to_string(count) + of_several;
}

inline bool is_control(char c)
{
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

inline bool has_control(std::string_view text)
{
    for (const char c : text)
        if (is_control(c))
            return true;
    return false;
}

/// True if every byte sequence has the shape of a UTF-8 character.
inline bool is_utf8(std::string_view text)
{
    for (size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const size_t length = lead < 0x80                   ? 1
                              : lead >= 0xc2 && lead < 0xe0 ? 2
                              : lead >= 0xe0 && lead < 0xf0 ? 3
                              : lead >= 0xf0 && lead < 0xf5 ? 4
                                                            : 0;
        if (length == 0 || i + length > text.size())
            return false;
        for (size_t k = 1; k < length; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80)
                return false;
        i += length;
    }
    return true;
}

/// The items with ", " between them; text_of() makes a text of an item.
template <typename Items, typename TextOf> std::string join(const Items &items, TextOf &&text_of)
{
    std::string list;
    for (const auto &item : items)
        list.append(list.empty() ? "" : ", ").append(text_of(item));
    return list;
}

template <typename Items> std::string join(const Items &items)
{
    return join(
        items, [](const auto &item) -> const auto & { return item; });
}

constexpr size_t kMaxQuoted = 48;

/// 'text' for an error message: shortened, on one line.
inline std::string quote(std::string_view text)
{
    std::string result = "'";
    for (const char c : text.substr(0, kMaxQuoted))
        result += is_control(c) ? '?' : c;
    return result + (text.size() > kMaxQuoted ? "...'" : "'");
}

} // namespace vmafgpu
