// SPDX-License-Identifier: BSD-2-Clause-Patent
// Models and features from the texts of FFmpeg's filter libvmaf, which are quoted and escaped as
// FFmpeg does it. See include/vmaf_gpu/run.h.
#include <algorithm>
#include <deque>
#include <string_view>
#include <vector>

#include "api/context.h"
#include "vmaf_gpu/run.h"

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
    std::deque<std::string> texts; ///< of the features
};

struct Field {
    std::string key, value;
};

using Entry = std::vector<Field>;

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

/// Takes "key=value:key=value", up to the next '|'; the last value of a key counts.
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
        const auto found = std::find_if(entry.begin(), entry.end(),
                                        [&key](const Field &field) { return field.key == key; });
        if (found == entry.end())
            entry.push_back({key, value});
        else
            found->value = value;
    } while (!text.empty() && text[0] != '|');
    return entry;
}

const std::string *find(const Entry &entry, std::string_view key)
{
    for (const Field &field : entry)
        if (field.key == key)
            return &field.value;
    return nullptr;
}

/// Null: there is none.
const char *find_builtin(const std::string &name, std::string &known)
{
    const char *builtin = nullptr;
    for (int i = 0; (builtin = vmafgpu_model_builtin(i)) != nullptr; ++i) {
        if (name == builtin)
            return builtin;
        known += std::string(" ") + builtin;
    }
    return nullptr;
}

void check(int status, const std::string &what, const VmafGpuError &error)
{
    if (status < 0)
        throw Error(-status, what + error.text);
}

/// Returns the name of a built-in model, or null.
const char *load(Choice &choice, const std::string *version, const std::string *path)
{
    const std::string name = version != nullptr ? *version : "vmaf_v0.6.1";
    VmafGpuError error = {};
    std::string known;
    if (version != nullptr && path != nullptr)
        throw Error(EINVAL,
                    "a model has either version=" + *version + " or path=" + *path + ", not both");
    const char *builtin = path != nullptr ? nullptr : find_builtin(name, known);
    if (path == nullptr && builtin == nullptr)
        throw Error(EINVAL, "unknown model version '" + name + "' (known:" + known +
                                "); use path=FILE for a JSON file");
    // A text without a slash may be the name of a built-in model.
    const std::string file = path == nullptr                        ? ""
                             : path->find('/') == std::string::npos ? "./" + *path
                                                                    : *path;
    choice.model_list.push_back(nullptr);
    const int status = vmafgpu_model_load(&choice.model_list.back(),
                                          builtin != nullptr ? builtin : file.c_str(), &error);
    if (status < 0)
        choice.model_list.pop_back();
    check(status, path == nullptr ? "model: " : "model path '" + *path + "': ", error);
    return builtin;
}

void add_model(Choice &choice, const Entry &entry)
{
    const char *builtin = load(choice, find(entry, "version"), find(entry, "path"));
    if (builtin != nullptr)
        choice.builtin_list.push_back(builtin);
    for (const auto &[key, value] : entry) {
        if (key == "version" || key == "path")
            continue;
        if (key != "name" && key != "disable_clip" && key != "enable_transform" &&
            key.find('.') == key.npos)
            throw Error(EINVAL, "unknown key '" + key +
                                    "' in model (known: version path name disable_clip "
                                    "enable_transform FEATURE.OPTION)" +
                                    (key != "pool" ? ""
                                                   : "; pool is an option of the filter: write "
                                                     "vmaf_gpu=pool=METHOD:model=..."));
        VmafGpuError error = {};
        const int status =
            vmafgpu_model_option(choice.model_list.back(), key.c_str(), value.c_str(), &error);
        check(status, std::string("model option ").append(key).append("=").append(value) + ": ",
              error);
    }
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
    for (const Field &field : entry) {
        if (field.key == "name")
            continue;
        options += options.empty() ? "" : ":";
        add_escaped(options, field.key + "=" + field.value);
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
    if (choice != nullptr && *choice != nullptr) // also after a failure: the lists may have moved
        static_cast<Choice &>(**choice).publish();
    return status;
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
