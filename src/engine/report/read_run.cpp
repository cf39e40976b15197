// SPDX-License-Identifier: BSD-2-Clause-Patent
// See read_run.h.
#include "report/read_run.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "report/report_pairing.h"

namespace vmafgpu {
namespace {

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

int chroma_of(const std::string &name)
{
    static const char *const names[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    for (int i = 0; i < 4; ++i)
        if (name == names[i])
            return i;
    throw Malformed("unknown chroma " + name);
}

void read_time_base(const std::string &text, ReadRun &read)
{
    if (text.empty())
        return;
    const size_t slash = text.find('/');
    read.time_base[0] = std::atoi(text.c_str());
    read.time_base[1] = slash == std::string::npos ? 0 : std::atoi(text.c_str() + slash + 1);
    if (read.time_base[0] <= 0 || read.time_base[1] <= 0)
        throw Malformed("the time base is " + text);
}

void read_facts(const Json &run, ReadRun &read)
{
    EngineFacts &facts = read.facts;
    read.width = static_cast<int>(number(run, "width", VMAFGPU_MIN_SIZE, 65535));
    read.height = static_cast<int>(number(run, "height", VMAFGPU_MIN_SIZE, 65535));
    facts.depth = static_cast<int>(number(run, "depth", 8, 16));
    facts.chroma = chroma_of(get<std::string>(run, "chroma"));
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
        // The first parts did not count it.
        if (std::string(field.key) == "film_grain" && !object.contains(field.key))
            continue;
        const bool is_one = field.names.size() == 1;
        const Json &inner = is_one ? object : members(object, field.key);
        for (size_t i = 0; i < field.names.size(); ++i)
            field.values[i] = number(inner, is_one ? field.key : field.names[i], 0);
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

const Json &members(const Json &object, const char *key)
{
    const auto found = object.find(key);
    if (found == object.end() || !found->is_object())
        throw Malformed(std::string("'") + key + "' is no object");
    return *found;
}

const Json &list(const Json &object, const char *key)
{
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array())
        throw Malformed(std::string("'") + key + "' is no list");
    return *found;
}

void read_run(const Json &whole, ReadRun &read)
{
    if (whole.contains("vmaf_gpu"))
        read_facts(members(whole, "vmaf_gpu"), read);
    if (whole.contains("pairing"))
        read.pairing = read_pairing(members(whole, "pairing"));
    if (whole.contains("repeated_main"))
        read.repeated_main = number(whole, "repeated_main", -1);
    if (whole.contains("repeated_reference"))
        read.repeated_reference = number(whole, "repeated_reference", -1);
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
    log.repeated_main = read.repeated_main;
    log.repeated_reference = read.repeated_reference;
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
