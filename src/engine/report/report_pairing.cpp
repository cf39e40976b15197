// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_pairing.h.
#include "report/report_pairing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.h"
#include "report/format_number.h"
#include "report/json_text.h"

namespace vmafgpu {
namespace {

/// What the first version of the struct had; later ones are longer.
constexpr size_t kFirstSize = offsetof(VmafGpuPairing, has_offset) + sizeof(int);

using Parts = std::vector<PairingEntry::Part>;

Parts number(int64_t value)
{
    return {{"", std::to_string(value)}};
}

Parts seconds(double value)
{
    return {{"", format_score(value, VMAFGPU_PRECISION_MAX)}};
}

Parts by_place(const int64_t (&counts)[3])
{
    return {{"begin", std::to_string(counts[0])},
            {"middle", std::to_string(counts[1])},
            {"end", std::to_string(counts[2])}};
}

Parts by_input(const int64_t (&counts)[2])
{
    return {{"main", std::to_string(counts[0])}, {"reference", std::to_string(counts[1])}};
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

std::optional<VmafGpuPairing> pairing_of(const VmafGpuLog &log)
{
    if (log.pairing == nullptr)
        return std::nullopt;
    const size_t size = log.pairing->struct_size;
    if (size < kFirstSize)
        throw Error(EINVAL, "VmafGpuPairing.struct_size is " + std::to_string(size) +
                                "; allowed: sizeof(VmafGpuPairing)");
    VmafGpuPairing pairing = {};
    std::memcpy(&pairing, log.pairing, std::min(size, sizeof(pairing)));
    return pairing;
}

std::vector<PairingEntry> pairing_entries(const VmafGpuPairing &p)
{
    std::vector<PairingEntry> entries = {
        {"rule", text_of(p.rule), {}},
        {"start", text_of(p.start), {}},
        {"at_least", "", number(p.at_least)},
        {"main_frames", "", number(p.main_frames)},
        {"reference_frames", "", number(p.reference_frames)},
        {"pairs", "", number(p.pairs)},
        {"repeated_main", "", number(p.repeated_main)},
        {"repeated_reference", "", number(p.repeated_reference)},
        {"unpaired_main", "", by_place(p.unpaired_main)},
        {"unpaired_reference", "", by_place(p.unpaired_reference)},
        {"disabled_main", "", number(p.disabled_main)},
        {"disabled_reference", "", number(p.disabled_reference)},
        {"by_number", "", number(p.by_number)},
        {"corrections", "", number(p.corrections)},
        {"without_time", "", by_input(p.without_time)},
        {"backward_time", "", by_input(p.backward_time)},
        {"damaged", "", by_input(p.damaged)},
        {"film_grain", "", by_input(p.film_grain)},
        {"start_offset", "", seconds(p.start_offset)},
        {"shift", "", seconds(p.shift)},
        {"distance_median", "", seconds(p.distance_median)},
        {"distance_largest", "", seconds(p.distance_largest)},
        {"warnings", "", number(p.warnings)},
    };
    if (p.has_offset != 0)
        entries.push_back({"offset", "", number(p.offset)});
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
