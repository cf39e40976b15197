// SPDX-License-Identifier: BSD-2-Clause-Patent
// See markup.h.
#include "report/markup.h"

#include <algorithm>
#include <iterator>

#include "parts/log_value.h"

namespace vmafgpu {
namespace {

constexpr const char *kReplacement = "\xef\xbf\xbd";

struct Escape {
    char character;
    const char *in_text, *in_attribute;
};

constexpr Escape kEscapes[] = {
    {'&', "&amp;", "&amp;"}, {'<', "&lt;", "&lt;"}, {'>', "&gt;", ">"},    {'"', "\"", "&quot;"},
    {'\t', "\t", "&#09;"},   {'\n', "\n", "&#10;"}, {'\r', "\r", "&#13;"},
};

void append_escaped(std::string &all, const std::string &text, bool is_attribute)
{
    for (const char c : text) {
        const auto *const escape =
            std::find_if(std::begin(kEscapes), std::end(kEscapes),
                         [c](const Escape &one) { return one.character == c; });
        if (escape == std::end(kEscapes))
            all += c;
        else
            all += is_attribute ? escape->in_attribute : escape->in_text;
    }
}

} // namespace

std::string xml_text(std::string_view text)
{
    const auto is_plain = [](char c) {
        return c >= ' ' && c <= '~';
    };
    if (std::all_of(text.begin(), text.end(), is_plain))
        return std::string(text);
    std::string result;
    for (const char c : valid_text(std::string(text))) {
        const bool is_forbidden =
            static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
        result += is_forbidden ? kReplacement : std::string(1, c);
    }
    for (const char *none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
        for (size_t at = 0; (at = result.find(none, at)) != std::string::npos;)
            result.replace(at, 3, kReplacement);
    return result;
}

std::string markup(std::string_view pattern, std::initializer_list<std::string_view> texts)
{
    std::string all;
    const auto *text = texts.begin();
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '%')
            append_escaped(all, xml_text(*text++), i > 0 && pattern[i - 1] == '"');
        else
            all += pattern[i];
    }
    return all;
}

} // namespace vmafgpu
