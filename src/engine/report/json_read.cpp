// SPDX-License-Identifier: BSD-2-Clause-Patent
// See json_read.h; json_string() and valid_text() are of report_run.h, LogOfRun of report_input.h.
#include "report/json_read.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <istream>
#include <system_error>

#include "base/system.h"
#include "report/report_pairing.h"

namespace vmafgpu {
namespace {

constexpr int kMostLevels = 16; // logs and parts have 6; trees are written by recursion
// Objects look keys up one by one, and the parser looks through a list at the end of its entries.
constexpr size_t kMostEntries = 16384;
constexpr size_t kMostText = 200;
constexpr int64_t kMostWarnings = 1000;

/// Empty if it is not there.
template <typename Type = std::string> Type get_known(const Json &object, const char *key)
{
    return object.contains(key) ? get<Type>(object, key) : Type();
}

/// NaN if it is null, as numbers that are not finite are.
double real(const Json &object, const char *key)
{
    return object.contains(key) && object.at(key).is_null() ? NAN : get<double>(object, key);
}

void read_time_base(const std::string &text, ReadRun &read)
{
    if (text.empty())
        return;
    if (std::sscanf(text.c_str(), "%d/%d", &read.time_base[0], &read.time_base[1]) != 2 ||
        read.time_base[0] <= 0 || read.time_base[1] <= 0)
        throw Malformed("the time base is " + text);
}

void read_facts(const Json &run, ReadRun &read)
{
    EngineFacts &facts = read.facts;
    read.width = static_cast<int>(number(run, "width", VMAFGPU_MIN_SIZE, 65535));
    read.height = static_cast<int>(number(run, "height", VMAFGPU_MIN_SIZE, 65535));
    facts.depth = static_cast<int>(number(run, "depth", 8, 16));
    const auto chroma = get<std::string>(run, "chroma");
    const auto *const found = std::find(kChromaNames.begin(), kChromaNames.end(), chroma);
    if (found == kChromaNames.end())
        throw Malformed("unknown chroma " + chroma);
    facts.chroma = static_cast<int>(found - kChromaNames.begin());
    facts.compat =
        get<std::string>(run, "compat") == "3.1" ? VMAFGPU_COMPAT_3_1 : VMAFGPU_COMPAT_3_2;
    facts.subsample = static_cast<int>(number(run, "subsample", 1, INT32_MAX));
    facts.scaler = get_known(run, "scaler");
    facts.colours = get_known(run, "colours");
    for (const Json &model : list(run, "models")) {
        facts.models.push_back({get<std::string>(model, "name"),
                                get<std::string>(model, "source"),
                                get<std::string>(model, "digest"),
                                {}});
        const Json options = get<Json>(model, "options");
        for (const auto &entry : options.items())
            facts.models.back().options.emplace_back(entry.key(), entry.value().get<std::string>());
    }
    for (const Json &feature : list(run, "features"))
        facts.features.emplace_back(get<std::string>(feature, "name"),
                                    get<std::string>(feature, "options"));
    facts.host_features = get_known<std::vector<std::string>>(run, "host_features");
    facts.warnings = get_known<std::vector<std::string>>(run, "warnings");
    read.backend = get<std::string>(run, "backend");
    read.device = get<std::string>(run, "device");
    read.title = get_known(run, "title");
    read.main_format = get_known(run, "main_format");
    read.reference_format = get_known(run, "reference_format");
    read.options = get_known(run, "options");
    read_time_base(get_known(run, "time_base"), read);
}

ReadPairing read_pairing(const Json &object)
{
    ReadPairing pairing;
    VmafGpuPairing &counts = pairing.counts;
    pairing.rule = get<std::string>(object, "rule");
    pairing.start = get<std::string>(object, "start");
    counts.struct_size = sizeof(counts);
    counts.at_least = static_cast<int>(number(object, "at_least", 0, 1));
    for (const PairingCounts &field : pairing_counts(counts)) {
        const bool is_one = field.names.size() == 1;
        const Json &inner = is_one ? object : members(object, field.key);
        for (size_t i = 0; i < field.names.size(); ++i)
            *field.values[i] = number(inner, is_one ? field.key : field.names[i], 0);
    }
    counts.start_offset = real(object, "start_offset");
    counts.shift = real(object, "shift");
    counts.distance_median = real(object, "distance_median");
    counts.distance_largest = real(object, "distance_largest");
    counts.warnings = static_cast<int>(number(object, "warnings", 0, kMostWarnings));
    counts.has_offset = object.contains("offset") ? 1 : 0;
    counts.offset = counts.has_offset != 0 ? number(object, "offset", -kMostPairs) : 0;
    return pairing;
}

/// nullptr: not in the log.
const char *or_null(const std::string &text)
{
    return text.empty() ? nullptr : text.c_str();
}

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

std::string valid_text(const std::string &text)
{
    return Json::parse(json_string(text)).get<std::string>();
}

int64_t number(const Json &object, const char *key, int64_t least, int64_t most)
{
    const Json value = get<Json>(object, key);
    if (!value.is_number_integer())
        throw Malformed(std::string("'") + key + "' is no whole number");
    const bool is_beyond = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
    const auto found = is_beyond ? INT64_MAX : value.get<int64_t>();
    if (found < least || found > most)
        throw Malformed(std::string("'") + key + "' is " + std::to_string(found) +
                        "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
    return found;
}

const Json &members(const Json &object, const char *key, bool is_list)
{
    const auto found = object.find(key);
    if (found == object.end() || !(is_list ? found->is_array() : found->is_object()))
        throw Malformed(std::string("'") + key + (is_list ? "' is no list" : "' is no object"));
    return *found;
}

void read_run(const Json &whole, ReadRun &read)
{
    if (whole.contains("vmaf_gpu"))
        read_facts(members(whole, "vmaf_gpu"), read);
    if (whole.contains("pairing"))
        read.pairing = read_pairing(members(whole, "pairing"));
    if (whole.contains("fps"))
        read.fps = real(whole, "fps");
}

LogOfRun::LogOfRun(const ReadRun &read, const VmafGpuLog &wanted) : log(wanted)
{
    run.struct_size = sizeof(run);
    run.main_format = or_null(read.main_format);
    run.reference_format = or_null(read.reference_format);
    run.options = or_null(read.options);
    log.run = &run;
    log.fps = read.fps;
    log.title = or_null(read.title);
    if (read.pairing) {
        pairing = read.pairing->counts;
        pairing.rule = read.pairing->rule.c_str();
        pairing.start = read.pairing->start.c_str();
        log.pairing = &pairing;
    }
    std::snprintf(device.backend, sizeof(device.backend), "%s", read.backend.c_str());
    std::snprintf(device.name, sizeof(device.name), "%s", read.device.c_str());
}

} // namespace vmafgpu
