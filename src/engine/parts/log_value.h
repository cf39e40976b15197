// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a log says besides the scores, as values that the logs' writers print. Not a JSON library's:
// nlohmann's destructor needs memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace vmafgpu {

struct LogValue {
    enum class Kind { kText, kNumber, kObject, kList };
    struct Member;

    void add(std::string key, LogValue value);
    void add(std::string key, std::string text)
    {
        add(std::move(key), {Kind::kText, std::move(text)});
    }
    /// As logs print it. One that is not finite is JSON's null.
    void add_number(std::string key, std::string text)
    {
        add(std::move(key), {Kind::kNumber, std::move(text)});
    }
    void add_number(std::string key, int64_t value)
    {
        add_number(std::move(key), std::to_string(value));
    }

    Kind kind = Kind::kObject;
    std::string text =
        {}; ///< text of a kText or kNumber; what stands between the brackets of an empty one
    std::vector<Member> members = {}; ///< members in order; items have empty keys
    bool is_line = false;             ///< the value and all in it are one line of JSON
};

struct LogValue::Member {
    std::string key;
    LogValue value;
};

inline LogValue text_value(std::string text)
{
    return {LogValue::Kind::kText, std::move(text)};
}

/// As logs print it.
inline LogValue number_value(std::string text)
{
    return {LogValue::Kind::kNumber, std::move(text)};
}

/// What make() returns for each entry.
template <typename List, typename Make>
LogValue list_value(const List &list, const Make &make, bool is_line = true)
{
    LogValue value = {LogValue::Kind::kList, "", {}, is_line};
    for (const auto &entry : list)
        value.add("", make(entry));
    return value;
}

template <typename List> LogValue number_list(const List &list)
{
    return list_value(list, [](auto number) { return number_value(std::to_string(number)); });
}

/// The text as a JSON string, with its quotes; bytes that are not UTF-8 are replaced. (In
/// log_read.cpp.)
std::string json_string(const std::string &text);
/// The text as it is read back.
std::string valid_text(const std::string &text);

/// A value with its members on lines of their own, behind `indent`.
std::string json_text(const LogValue &value, const std::string &indent, bool is_line = false);

} // namespace vmafgpu
