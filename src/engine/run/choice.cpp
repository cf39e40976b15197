// SPDX-License-Identifier: BSD-2-Clause-Patent
// See choice.h.
#include "run/choice.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/error.h"

namespace vmafgpu {

namespace {

/// Takes the text before the next character out of `ends`, without its quotes and escapes, and
/// without white space around it. `text` then begins with that character, or is empty.
std::string take_token(std::string_view &text, std::string_view ends)
{
    constexpr std::string_view kSpace = " \n\t\r";
    std::string token;
    size_t kept = 0; // what was quoted is no white space
    size_t at = std::min(text.find_first_not_of(kSpace), text.size());
    bool is_quoted = false;
    for (; at < text.size() && (is_quoted || ends.find(text[at]) == ends.npos); ++at) {
        const bool is_escape = !is_quoted && text[at] == '\\' && at + 1 < text.size();
        if (text[at] == '\'') {
            is_quoted = !is_quoted;
        } else {
            at += is_escape ? 1 : 0;
            token += text[at];
            if (!is_quoted && !is_escape)
                continue;
        }
        kept = token.size();
    }
    text.remove_prefix(at);
    const size_t end = token.find_last_not_of(kSpace);
    token.resize(std::max(kept, end == token.npos ? 0 : end + 1));
    return token;
}

/// Takes "key=value:key=value", up to the next '|'.
Entry take_entry(std::string_view &text, const char *what, const char *example)
{
    const std::string_view whole = text;
    Entry entry;
    do {
        const std::string key = take_token(text, "=|");
        text.remove_prefix(!text.empty() && text[0] == '=' ? 1 : 0);
        const std::string value = take_token(text, ":|");
        text.remove_prefix(!text.empty() && text[0] == ':' ? 1 : 0);
        if (key.empty() || value.empty()) {
            take_token(text, "|");
            throw Error(EINVAL, std::string("cannot read ") + what + " '" +
                                    std::string(whole.substr(0, whole.size() - text.size())) +
                                    "': expected key=value:key=value, e.g. " + example);
        }
        entry.emplace_back(key, value);
    } while (!text.empty() && text[0] != '|');
    return entry;
}

/// The last value of a key, or null.
const std::string *find(const Entry &entry, std::string_view key)
{
    const auto found = std::find_if(entry.rbegin(), entry.rend(),
                                    [key](const auto &field) { return field.first == key; });
    return found == entry.rend() ? nullptr : &found->second;
}

void add_escaped(std::string &out, const std::string &text)
{
    for (const char c : text)
        out += c == ':' || c == '\\' ? std::string{'\\', c} : std::string{c};
}

/// Two to four numbers between dashes.
bool read_numbers(const char *at, int64_t (&numbers)[4])
{
    constexpr int64_t kMost = int64_t{1} << 40;
    const char *const end = at + std::strlen(at);
    for (size_t i = 0; i < std::size(numbers); ++i, ++at) {
        const auto [rest, code] = std::from_chars(at, end, numbers[i]);
        if (code != std::errc() || *at == '-' || numbers[i] > kMost)
            return false;
        if (rest == end)
            return i > 0;
        if (*rest != '-')
            return false;
        at = rest;
    }
    return false;
}

} // namespace

void for_entries(std::string_view text, const char *what, const char *example,
                 const std::function<void(const Entry &)> &add)
{
    for (; !text.empty(); text.remove_prefix(text.empty() ? 0 : 1))
        add(take_entry(text, what, example));
}

ChosenModel load_chosen(const Entry &entry)
{
    const std::string *version = find(entry, "version"), *path = find(entry, "path");
    if (version != nullptr && path != nullptr)
        throw Error(EINVAL,
                    "a model has either version=" + *version + " or path=" + *path + ", not both");
    std::string source = path != nullptr ? *path : version != nullptr ? *version : "vmaf_v0.6.1";
    if (path != nullptr && path->find('/') == path->npos) // else it may name a built-in model
        source = "./" + source;
    ChosenModel chosen;
    chosen.model = Model::load(source);
    for (const BuiltinModel &builtin : builtin_models())
        if (source == builtin.name)
            chosen.builtin = builtin.name;
    return chosen;
}

void set_options(Model &model, const Entry &entry)
{
    for (const auto &[key, value] : entry)
        if (key != "version" && key != "path")
            model.set_option(key, value);
}

FeatureRequest feature_of(const Entry &entry)
{
    const std::string *name = find(entry, "name");
    if (name == nullptr)
        throw Error(EINVAL, "a feature needs a name, e.g. feature=name=motion");
    FeatureRequest request = {*name, "", false};
    for (const auto &[key, value] : entry) {
        if (key == "name")
            continue;
        request.options += request.options.empty() ? "" : ":";
        add_escaped(request.options, key);
        request.options += '=';
        add_escaped(request.options, value);
    }
    return request;
}

VmafGpuChunk read_chunk(const char *text)
{
    const std::string name = std::string("chunk=") + text + ": expected ";
    int64_t numbers[4] = {};
    if (!read_numbers(text, numbers))
        throw Error(EINVAL, name + "FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END "
                                   "and TOTAL may be 0 or left out");
    VmafGpuChunk chunk = {numbers[0], numbers[1], numbers[2], numbers[3]};
    if (chunk.end == 0)
        chunk.end = chunk.total; // may be 0, too
    if (chunk.first > chunk.begin || (chunk.end != 0 && chunk.begin >= chunk.end) ||
        (chunk.total != 0 && chunk.end > chunk.total))
        throw Error(EINVAL, name + "FIRST <= BEGIN < END <= TOTAL");
    return chunk;
}

void read_offset(VmafGpuPairingSettings &pairing, const char *text)
{
    int64_t value = 0;
    const bool is_auto = std::strcmp(text, "auto") == 0;
    const char *const end = text + std::strlen(text);
    const auto [rest, code] = std::from_chars(text, end, value);
    if (!is_auto && (code != std::errc() || rest != end || value > VMAFGPU_MOST_OFFSET ||
                     value < -VMAFGPU_MOST_OFFSET))
        throw Error(EINVAL, std::string("offset '") + text +
                                "' is not a whole number, -1000000000 ... 1000000000, or auto");
    pairing.has_offset = is_auto ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_GIVEN;
    pairing.offset = value;
}

} // namespace vmafgpu
