// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_pairing.h.
#include "report/report_pairing.h"

#include "base/error.h"
#include "report/format_number.h"
#include "report/report_run.h"

namespace vmafgpu {
namespace {

using Parts = std::vector<PairingEntry::Part>;

Parts seconds(double value)
{
    return {{"", format_score(value, VMAFGPU_PRECISION_MAX)}};
}

std::string text_of(const char *text)
{
    return text == nullptr ? "" : text;
}

int64_t sum(const int64_t (&counts)[3])
{
    return counts[0] + counts[1] + counts[2];
}

/// A number that is not finite is written as JSON's null.
std::string json_value(const std::string &number)
{
    return number.find_first_of("in") == std::string::npos ? number : "null";
}

} // namespace

const VmafGpuPairing *pairing_of(const VmafGpuLog &log)
{
    if (log.pairing != nullptr && log.pairing->struct_size != sizeof(VmafGpuPairing))
        throw Error(EINVAL, "VmafGpuPairing.struct_size is " +
                                std::to_string(log.pairing->struct_size) +
                                "; allowed: sizeof(VmafGpuPairing)");
    return log.pairing;
}

std::vector<PairingCounts> pairing_counts(VmafGpuPairing &p)
{
    static const std::vector<const char *> one = {""}, places = {"begin", "middle", "end"},
                                           inputs = {"main", "reference"};
    return {
        {"main_frames", one, &p.main_frames},
        {"reference_frames", one, &p.reference_frames},
        {"pairs", one, &p.pairs},
        {"repeated_main", one, &p.repeated_main},
        {"repeated_reference", one, &p.repeated_reference},
        {"unpaired_main", places, p.unpaired_main},
        {"unpaired_reference", places, p.unpaired_reference},
        {"disabled_main", one, &p.disabled_main},
        {"disabled_reference", one, &p.disabled_reference},
        {"by_number", one, &p.by_number},
        {"corrections", one, &p.corrections},
        {"without_time", inputs, p.without_time},
        {"backward_time", inputs, p.backward_time},
        {"damaged", inputs, p.damaged},
        {"film_grain", inputs, p.film_grain},
    };
}

std::vector<PairingEntry> pairing_entries(const VmafGpuPairing &pairing)
{
    VmafGpuPairing p = pairing;
    std::vector<PairingEntry> entries = {
        {"rule", text_of(p.rule), {}},
        {"start", text_of(p.start), {}},
        {"at_least", "", {{"", std::to_string(p.at_least)}}},
    };
    for (const PairingCounts &counts : pairing_counts(p)) {
        entries.push_back({counts.key, "", {}});
        for (size_t i = 0; i < counts.names.size(); ++i)
            entries.back().parts.push_back({counts.names[i], std::to_string(counts.values[i])});
    }
    entries.push_back({"start_offset", "", seconds(p.start_offset)});
    entries.push_back({"shift", "", seconds(p.shift)});
    entries.push_back({"distance_median", "", seconds(p.distance_median)});
    entries.push_back({"distance_largest", "", seconds(p.distance_largest)});
    entries.push_back({"warnings", "", {{"", std::to_string(p.warnings)}}});
    if (p.has_offset != 0)
        entries.push_back({"offset", "", {{"", std::to_string(p.offset)}}});
    return entries;
}

std::string json_pairing(const VmafGpuPairing &pairing)
{
    std::string text;
    for (const PairingEntry &entry : pairing_entries(pairing)) {
        text.append(text.empty() ? ",\n  \"pairing\": {\n" : ",\n").append("    \"");
        text.append(entry.key).append("\": ");
        if (entry.parts.empty())
            text += json_string(entry.text);
        else if (entry.parts.size() == 1)
            text += json_value(entry.parts[0].value);
        for (size_t i = 0; entry.parts.size() > 1 && i < entry.parts.size(); ++i)
            text.append(i == 0 ? "{\"" : ", \"")
                .append(entry.parts[i].name)
                .append("\": ")
                .append(entry.parts[i].value);
        text += entry.parts.size() > 1 ? "}" : "";
    }
    return text + "\n  }";
}

std::string pairing_line(const VmafGpuPairing &p)
{
    const std::string at_least = p.at_least != 0 ? "at least " : "";
    std::string line = std::to_string(p.pairs) + " pairs of " + at_least +
                       std::to_string(p.main_frames) + " main and " +
                       std::to_string(p.reference_frames) + " reference frames, " +
                       std::to_string(p.repeated_main + p.repeated_reference) + " repeated, " +
                       std::to_string(sum(p.unpaired_main) + sum(p.unpaired_reference)) +
                       " unpaired (pair=" + text_of(p.rule) + ", start " + text_of(p.start) +
                       (p.has_offset != 0 ? ", offset " + std::to_string(p.offset) : "") + ")";
    if (p.warnings > 0)
        line += "; " + std::to_string(p.warnings) +
                (p.warnings == 1 ? " warning was given" : " warnings were given");
    return line + ".";
}

} // namespace vmafgpu
