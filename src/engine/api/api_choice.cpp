// SPDX-License-Identifier: BSD-2-Clause-Patent
// What users choose in texts: models and features as FFmpeg's filter libvmaf takes them, quoted and
// escaped as FFmpeg does it; a chunk, an offset. See include/vmaf_gpu/run.h.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <string_view>

#include "api/context.h"
#include "model/model.h"

namespace {

using vmafgpu::Error;

/// The fields of the C struct are views of these lists.
struct Choice : VmafGpuChoice {
    Choice() : VmafGpuChoice() {}
    ~Choice()
    {
        for (VmafGpuModel *model : model_list)
            vmafgpu_model_free(&model);
    }
    Choice(const Choice &) = delete;
    Choice &operator=(const Choice &) = delete;

    void publish()
    {
        models = model_list.data();
        model_count = static_cast<int>(model_list.size());
        builtins = builtin_list.data();
        builtin_count = static_cast<int>(builtin_list.size());
        features = feature_list.data();
        feature_count = static_cast<int>(feature_list.size());
    }

    std::vector<VmafGpuModel *> model_list;
    std::vector<const char *> builtin_list;
    std::vector<VmafGpuFeature> feature_list;
    std::deque<std::string> texts; ///< the features' texts
};

using Entry = std::vector<std::pair<std::string, std::string>>; ///< keys and values

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

void add_model(Choice &choice, const Entry &entry)
{
    const std::string *version = find(entry, "version"), *path = find(entry, "path");
    if (version != nullptr && path != nullptr)
        throw Error(EINVAL,
                    "a model has either version=" + *version + " or path=" + *path + ", not both");
    std::string source = path != nullptr ? *path : version != nullptr ? *version : "vmaf_v0.6.1";
    if (path != nullptr && path->find('/') == path->npos) // other values may name a built-in model
        source = "./" + source;
    auto model = std::make_unique<VmafGpuModel>();
    model->model = vmafgpu::Model::load(source);
    choice.model_list.push_back(model.get());
    VmafGpuModel &added = *model.release();
    for (const vmafgpu::BuiltinModel &builtin : vmafgpu::builtin_models())
        if (source == builtin.name)
            choice.builtin_list.push_back(builtin.name);
    for (const auto &[key, value] : entry)
        if (key != "version" && key != "path")
            added.model->set_option(key, value);
}

void add_escaped(std::string &out, const std::string &text)
{
    for (const char c : text)
        out += c == ':' || c == '\\' ? std::string{'\\', c} : std::string{c};
}

void add_feature(Choice &choice, const Entry &entry)
{
    const std::string *name = find(entry, "name");
    if (name == nullptr)
        throw Error(EINVAL, "a feature needs a name, e.g. feature=name=motion");
    std::string options;
    for (const auto &[key, value] : entry) {
        if (key == "name")
            continue;
        options += options.empty() ? "" : ":";
        add_escaped(options, key);
        options += '=';
        add_escaped(options, value);
    }
    const char *kept_name = choice.texts.emplace_back(*name).c_str();
    choice.feature_list.push_back({kept_name, choice.texts.emplace_back(options).c_str()});
}

int choose(VmafGpuChoice **choice, const char *text, VmafGpuError *error, const char *what,
           const char *example, void (*add)(Choice &, const Entry &))
{
    const int status = vmafgpu::guarded_with(error, [&] {
        vmafgpu::require_given("choice and text must not be NULL", choice, text);
        if (*choice == nullptr)
            *choice = new Choice;
        for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.empty() ? 0 : 1))
            add(static_cast<Choice &>(**choice), take_entry(rest, what, example));
        return 0;
    });
    if (choice != nullptr && *choice != nullptr) // the lists may have moved, also after a failure
        static_cast<Choice &>(**choice).publish();
    return status;
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

int vmafgpu_choose_models(VmafGpuChoice **choice, const char *text, VmafGpuError *error)
{
    return choose(choice, text, error, "model", "version=vmaf_v0.6.1", add_model);
}

int vmafgpu_choose_features(VmafGpuChoice **choice, const char *text, VmafGpuError *error)
{
    return choose(choice, text, error, "feature", "name=motion", add_feature);
}

void vmafgpu_choice_free(VmafGpuChoice **choice)
{
    if (choice == nullptr)
        return;
    delete static_cast<Choice *>(*choice);
    *choice = nullptr;
}

int vmafgpu_read_chunk(VmafGpuChunk *chunk, const char *text, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        vmafgpu::require_given("vmafgpu_read_chunk: chunk and text must not be NULL", chunk, text);
        const std::string name = std::string("chunk=") + text + ": expected ";
        int64_t numbers[4] = {};
        if (!read_numbers(text, numbers))
            throw Error(EINVAL, name + "FIRST-BEGIN-END-TOTAL, four numbers of pairs, of which END "
                                       "and TOTAL may be 0 or left out");
        *chunk = {numbers[0], numbers[1], numbers[2], numbers[3]};
        if (chunk->end == 0)
            chunk->end = chunk->total; // may be 0, too
        if (chunk->first > chunk->begin || (chunk->end != 0 && chunk->begin >= chunk->end) ||
            (chunk->total != 0 && chunk->end > chunk->total))
            throw Error(EINVAL, name + "FIRST <= BEGIN < END <= TOTAL");
        return 0;
    });
}

int vmafgpu_read_offset(VmafGpuPairingSettings *pairing, const char *text, VmafGpuError *error)
{
    return vmafgpu::guarded_with(error, [&] {
        if (pairing == nullptr || text == nullptr)
            throw Error(EINVAL, "vmafgpu_read_offset: pairing and text must not be NULL");
        int64_t value = 0;
        const bool is_auto = std::strcmp(text, "auto") == 0;
        const char *const end = text + std::strlen(text);
        const auto [rest, code] = std::from_chars(text, end, value);
        if (!is_auto && (code != std::errc() || rest != end || value > VMAFGPU_MOST_OFFSET ||
                         value < -VMAFGPU_MOST_OFFSET))
            throw Error(EINVAL, std::string("offset '") + text +
                                    "' is not a whole number, -1000000000 ... 1000000000, or auto");
        pairing->has_offset = is_auto ? VMAFGPU_OFFSET_AUTO : VMAFGPU_OFFSET_GIVEN;
        pairing->offset = value;
        return 0;
    });
}
