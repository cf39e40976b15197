// SPDX-License-Identifier: BSD-2-Clause-Patent
// See json_parse.h; json_string() is of report_run.h.
#include "report/json_parse.h"
#include "report/report_run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <system_error>

#include "base/system.h"

namespace vmafgpu {
namespace {

constexpr int kMostLevels = 16; // logs and parts have 6; trees are written by recursion
// Objects look keys up one by one, and the parser looks through a list at the end of its entries.
constexpr size_t kMostEntries = 16384;
constexpr size_t kMostText = 200;

} // namespace

std::unique_ptr<std::istream> open_log(const std::string &path, const char *kind)
{
    std::unique_ptr<std::istream> file = open_text(path);
    if (*file && file->peek() != std::istream::traits_type::eof())
        return file;
    const int code = !*file && errno != 0 ? errno : EINVAL;
    throw Error(code, std::string("cannot read ") + kind + " '" + path + "': " +
                          (code == EINVAL ? "it is empty" : std::generic_category().message(code)));
}

Json parse_log(std::istream &text, const char *list, const std::function<void(const Json &)> &add)
{
    using Event = Json::parse_event_t;
    bool is_in_list = false;
    std::array<size_t, kMostLevels + 2> entries = {}; // of what is open at each level
    return Json::parse(text, [&](int depth, Event event, const Json &value) {
        if (depth > kMostLevels)
            throw Malformed("nested more than " + std::to_string(kMostLevels) + " levels deep");
        const auto level = static_cast<size_t>(depth);
        const bool is_start = event == Event::object_start || event == Event::array_start;
        if (is_start)
            entries[level + 1] = 0;
        if (depth == 1 && event == Event::key)
            is_in_list = value == list;
        const bool is_entry = is_in_list && depth == 2;
        if (!is_entry && (is_start || event == Event::value) && ++entries[level] > kMostEntries)
            throw Malformed("an object or list has more than " + std::to_string(kMostEntries) +
                            " entries");
        if (!is_entry || (event != Event::object_end && event != Event::array_end))
            return true;
        add(value);
        return false;
    });
}

std::string tidy(const std::string &text)
{
    std::string result = text.substr(0, std::min(text.find("; last read"), kMostText));
    for (char &c : result)
        c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return result;
}

std::string json_string(const std::string &text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace vmafgpu
