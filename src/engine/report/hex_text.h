// SPDX-License-Identifier: BSD-2-Clause-Patent
// Words as hexadecimal digits, as parts have them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vmafgpu {

template <typename Word> std::string hex_text(const Word *words, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count; ++i)
        for (size_t digit = 2 * sizeof(Word); digit-- > 0;)
            text += "0123456789abcdef"[words[i] >> 4 * digit & 15];
    return text;
}

/// Adds so many words. false: the text is something else.
template <typename Word>
bool add_hex_words(const std::string &text, size_t count, std::vector<Word> &words)
{
    constexpr size_t kDigits = 2 * sizeof(Word);
    if (text.size() != count * kDigits ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
        return false;
    for (size_t at = 0; at < text.size(); at += kDigits)
        words.push_back(static_cast<Word>(std::stoull(text.substr(at, kDigits), nullptr, 16)));
    return true;
}

} // namespace vmafgpu
