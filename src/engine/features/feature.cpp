// SPDX-License-Identifier: BSD-2-Clause-Patent
// Options and series names of features: the code that all features share.
#include "features/feature.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/text.h"

namespace vmafgpu {

namespace {

/// Shortest text of a number, independent of the locale.
std::string number_text(double value)
{
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value);
    return std::string(text, end.ptr);
}

/// "%g" in the C locale.
std::string general_text(double value)
{
    char text[64];
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 6);
    return std::string(text, end.ptr);
}

std::string allowed(const OptionInfo &option)
{
    if (option.type == OptionType::kBool)
        return "true or false";
    if (option.type == OptionType::kChoice) {
        std::string list;
        for (const char *const *word = option.choices; *word != nullptr; ++word)
            list += (list.empty() ? "one of " : ", ") + std::string(*word);
        return list;
    }
    if (option.type == OptionType::kText)
        return "a text that is not empty";
    const char *kind = option.type == OptionType::kInt ? "a whole number" : "a number";
    return std::string(kind) + " from " + number_text(option.min) + " to " +
           number_text(option.max);
}

bool parse_value(const OptionInfo &option, const std::string &text, double *value)
{
    if (option.type == OptionType::kBool) {
        *value = text == "true" ? 1.0 : 0.0;
        return text == "true" || text == "false";
    }
    if (option.type == OptionType::kChoice) {
        const char *const *word = option.choices;
        while (*word != nullptr && text != *word)
            ++word;
        *value = static_cast<double>(word - option.choices);
        return *word != nullptr;
    }
    if (option.type == OptionType::kText)
        return !text.empty();
    const char *begin = text.data();
    const char *end = begin + text.size();
    const auto result = std::from_chars(begin, end, *value);
    if (text.empty() || result.ec != std::errc() || result.ptr != end || !std::isfinite(*value))
        return false;
    if (text[0] == '-' && static_cast<float>(*value) == 0) // libvmaf takes no zero with a sign
        return false;
    if (option.type == OptionType::kInt)
        return *value == std::floor(*value) && *value >= option.min && *value <= option.max;
    // libvmaf keeps option values as text of six digits, made from a float.
    const std::string six = general_text(static_cast<double>(static_cast<float>(*value)));
    std::from_chars(six.data(), six.data() + six.size(), *value);
    return *value >= option.min && *value <= option.max;
}

constexpr size_t kMostNameLength = 255; ///< libvmaf's, in a text of 256 bytes

std::string option_list(const FeatureInfo &info)
{
    return join(info.options, [](const OptionInfo &option) { return option.name; });
}

/// The entry of "key=value:key=value" that begins at `at`, without its escapes.
std::string next_entry(const std::string &text, size_t &at)
{
    std::string entry;
    for (; at < text.size() && text[at] != ':'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size())
            ++at;
        entry += text[at];
    }
    ++at;
    return entry;
}

/// "8, 10, 12 or 16"
std::string alternatives(const std::vector<int> &numbers)
{
    std::string list;
    for (size_t i = 0; i < numbers.size(); ++i)
        list += (i == 0                    ? ""
                 : i + 1 == numbers.size() ? " or "
                                           : ", ") +
                std::to_string(numbers[i]);
    return list;
}

} // namespace

void check_format(const FeatureInfo &info, const Format &format)
{
    const std::string name = std::string("feature ") + info.name;
    if (format.width < info.min_size || format.height < info.min_size) {
        const std::string size = std::to_string(info.min_size);
        throw Error(EINVAL, "picture " + std::to_string(format.width) + "x" +
                                std::to_string(format.height) + " is smaller than the minimum " +
                                size + "x" + size + " of the " + name);
    }
    if (!info.depths.empty() &&
        std::find(info.depths.begin(), info.depths.end(), format.depth) == info.depths.end())
        throw Error(EINVAL, name + " accepts " + alternatives(info.depths) +
                                " bits per sample, not " + std::to_string(format.depth));
    if (info.refuses_400 && format.chroma == Chroma::k400)
        throw Error(EINVAL, name + " needs chroma: 4:2:0, 4:2:2 or 4:4:4, not 4:0:0");
}

void set_option(const FeatureInfo &info, FeatureOptions &options, const std::string &key,
                const std::string &text)
{
    for (const OptionInfo &option : info.options) {
        if (key != option.name && (option.alias == nullptr || key != option.alias))
            continue;
        double value = 0;
        if (!parse_value(option, text, &value))
            throw Error(EINVAL, std::string("feature ") + info.name + ": option " + option.name +
                                    " must be " + allowed(option) + ", not '" + text + "'");
        if (option.type == OptionType::kText)
            option.text(options) = text;
        else
            option.set(options, value);
        return;
    }
    const std::string none = std::string("feature ") + info.name + " has no option";
    throw Error(EINVAL, info.options.empty()
                            ? none + "s, so '" + key + "' is not one"
                            : none + " '" + key + "' (options: " + option_list(info) + ")");
}

void set_options(const FeatureInfo &info, FeatureOptions &options, const std::string &text)
{
    size_t at = 0;
    while (at < text.size()) {
        const std::string entry = next_entry(text, at);
        const size_t equals = entry.find('=');
        if (equals == std::string::npos)
            throw Error(EINVAL, std::string("feature ") + info.name + ": '" + entry +
                                    "' is not of the form option=value");
        set_option(info, options, entry.substr(0, equals), entry.substr(equals + 1));
    }
}

std::string report_name(const FeatureInfo &info, const OutputInfo &output,
                        const FeatureOptions &options)
{
    std::vector<const OptionInfo *> changed;
    for (const OptionInfo &option : info.options)
        if (output.has_suffix && option.alias != nullptr &&
            option.get(options) != option.default_value)
            changed.push_back(&option);
    const char *short_name =
        !changed.empty() && output.renamed != nullptr ? output.renamed : output.report;
    std::string name = short_name != nullptr ? short_name : output.name;
    // The reference appends them in byte order of the full option names.
    std::sort(changed.begin(), changed.end(), [](const OptionInfo *a, const OptionInfo *b) {
        return std::strcmp(a->name, b->name) < 0;
    });
    for (const OptionInfo *option : changed) {
        name += std::string("_") + option->alias;
        const double value = option->get(options);
        if (option->type == OptionType::kChoice)
            name += std::string("_") + option->choices[static_cast<size_t>(value)];
        else if (option->type != OptionType::kBool)
            name += "_" + general_text(value);
    }
    return name.substr(0, kMostNameLength);
}

} // namespace vmafgpu
