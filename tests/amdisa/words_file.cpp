// SPDX-License-Identifier: BSD-2-Clause-Patent
// See words_file.h.
#include "words_file.h"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.h"

namespace vmafgpu {
namespace isa {

namespace {

std::string trimmed(const std::string &text)
{
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> split(const std::string &text, char by)
{
    std::vector<std::string> items;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, by);)
        items.push_back(trimmed(item));
    return items;
}

/// The three parts; a bar in an operand, |v1|, has no blanks around it.
std::vector<std::string> columns_of(std::string text)
{
    std::vector<std::string> columns;
    text += " | ";
    for (size_t at = text.find(" | "); at != std::string::npos; at = text.find(" | ")) {
        columns.push_back(trimmed(text.substr(0, at)));
        text.erase(0, at + 2);
    }
    return columns;
}

std::vector<Setting> settings_of(const std::string &text)
{
    std::vector<Setting> settings;
    std::istringstream stream(text);
    for (std::string item; stream >> item;) {
        const size_t equals = item.find('=');
        settings.push_back({item.substr(0, equals), item.substr(equals + 1)});
    }
    return settings;
}

bool applies(const std::string &text, const Program &program, const std::string &wave)
{
    const std::string condition = text.substr(0, text.find('@'));
    if (condition != text && text.substr(condition.size() + 1) != wave)
        return false;
    const int generation = static_cast<int>(program.generation);
    for (const std::string &part : split(condition, ',')) {
        const int first = std::atoi(part.c_str());
        const size_t dash = part.find('-');
        const std::string rest = dash == std::string::npos ? "" : part.substr(dash + 1);
        const int last = dash == std::string::npos ? first
                         : rest.empty()            ? 99
                                                   : std::atoi(rest.c_str());
        if (part == "*" || part == program.target ||
            (first > 0 && first <= generation && generation <= last))
            return true;
    }
    return false;
}

/// "swap*4", "low+100"
uint64_t lane_value(const std::string &text, unsigned lane, uint64_t exec)
{
    const size_t end = text.find_first_of("*+");
    const std::string name = text.substr(0, end);
    const std::map<std::string, unsigned> values = {
        {"lane", lane},
        {"swap", lane ^ 1},
        {"taken", (exec >> (lane ^ 1) & 1) != 0 ? lane ^ 1 : 0},
        {"parity", lane & 1},
        {"one", lane > 0 ? 1 : 0},
        {"low", lane < 32 ? lane : 32},
        {"high", lane < 32 ? 0 : lane - 32}};
    const auto found = values.find(name);
    if (found == values.end())
        throw Error(EINVAL, "unknown value " + text);
    if (end == std::string::npos)
        return found->second;
    const auto operand = static_cast<unsigned>(std::atoi(text.c_str() + end + 1));
    return text[end] == '*' ? found->second * operand : found->second + operand;
}

} // namespace

unsigned char *words_memory()
{
    alignas(256) static unsigned char memory[kMemoryBytes];
    return memory;
}

std::vector<Line> read_lines(const std::string &path, const Program &program,
                             const std::string &wave)
{
    std::vector<Line> lines;
    std::ifstream file(path);
    int number = 0;
    uint32_t at = 0;
    for (std::string text; std::getline(file, text);) {
        ++number;
        const size_t colon = text.find(':');
        if (text.empty() || text[0] == '#' || !applies(text.substr(0, colon), program, wave))
            continue;
        const std::vector<std::string> parts = columns_of(text.substr(colon + 1));
        Line line;
        line.number = number;
        line.text = parts.at(0);
        line.before = settings_of(parts.at(1));
        line.after = settings_of(parts.at(2));
        line.first = at;
        line.tested = at;
        for (const std::string &part : split(parts[0], ';')) {
            line.tested += part[0] == '!' ? line.count : 0;
            ++line.count;
        }
        at += line.count + 1;
        lines.push_back(line);
    }
    return lines;
}

Place place_of(const std::string &name)
{
    const size_t bracket = name.find('[');
    const size_t colon = name.find(':');
    if (name == "vcc")
        return {'m', kVcc, 2};
    if (name == "exec")
        return {'m', kExec, 2};
    if (name == "scc")
        return {'c', 0, 1};
    if (name.rfind("mask", 0) == 0)
        return {'m', static_cast<unsigned>(std::atoi(name.c_str() + 4)), 2};
    if (name.rfind("mem[", 0) == 0 || name.rfind("lds[", 0) == 0)
        return {name[0] == 'm' ? 'M' : 'L', static_cast<unsigned>(std::atoi(name.c_str() + 4)), 1};
    Place place{name[0], 0, 1};
    place.index = static_cast<unsigned>(
        std::atoi(name.c_str() + (bracket == std::string::npos ? 1 : bracket + 1)));
    if (colon != std::string::npos)
        place.count = static_cast<unsigned>(std::atoi(name.c_str() + colon + 1)) - place.index + 1;
    return place;
}

uint64_t value_of(const std::string &text, unsigned count, unsigned lane, uint64_t exec)
{
    if (text == "all")
        return exec;
    if (text == "odd")
        return exec & UINT64_C(0xaaaaaaaaaaaaaaaa);
    if (text == "even")
        return exec & UINT64_C(0x5555555555555555);
    if (text == "rest")
        return ~exec;
    if (text == "full")
        return ~uint64_t{0};
    if (text.rfind("memlane*", 0) == 0)
        return reinterpret_cast<uint64_t>(words_memory()) +
               lane * static_cast<uint64_t>(std::atoi(text.c_str() + 8));
    if (std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text.rfind("mem", 0) != 0 &&
        text != "inf")
        return lane_value(text, lane, exec);
    if (text.rfind("mem", 0) == 0)
        return reinterpret_cast<uint64_t>(words_memory()) +
               static_cast<uint64_t>(text.size() > 4 ? std::atoi(text.c_str() + 4) : 0);
    const bool is_real =
        text.find('.') != std::string::npos || text.find("inf") != std::string::npos;
    if (!is_real)
        return text[0] == '-' ? static_cast<uint64_t>(std::strtoll(text.c_str(), nullptr, 0))
                              : std::strtoull(text.c_str(), nullptr, 0);
    uint64_t bits = 0;
    const double real = std::strtod(text.c_str(), nullptr);
    const auto single = static_cast<float>(real);
    if (count == 2)
        std::memcpy(&bits, &real, sizeof(real));
    else
        std::memcpy(&bits, &single, sizeof(single));
    return bits;
}

/// Every word but hints is in some program, of whatever target.
bool names_all_words(const std::string &path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    std::string all = text.str();
    for (char &c : all)
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : ' ';
    std::istringstream items(all);
    const std::string wave_mask = "bMASK";
    std::set<std::string> names;
    for (std::string item; items >> item;) {
        const size_t mask = item.find(wave_mask);
        if (mask == std::string::npos) {
            names.insert(item);
            continue;
        }
        for (const char *size : {"b32", "b64"})
            names.insert(std::string(item).replace(mask, wave_mask.size(), size));
    }
    bool is_complete = true;
    for (const auto &[name, word] : all_words()) {
        if (word.unit == Unit::kHint || names.count(name) != 0)
            continue;
        std::printf("%s is in no program of %s\n", name.c_str(), path.c_str());
        is_complete = false;
    }
    return is_complete;
}

} // namespace isa
} // namespace vmafgpu
