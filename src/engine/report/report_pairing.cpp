// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_pairing.h.
#include "report/report_pairing.h"

#include "base/error.h"
#include "report/format_number.h"

namespace vmafgpu {
namespace {

std::string text_of(const char *text)
{
    return text == nullptr ? "" : text;
}

int64_t sum(const int64_t (&counts)[3])
{
    return counts[0] + counts[1] + counts[2];
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
    VmafGpuInputCounts &main = p.of[VMAFGPU_MAIN], &reference = p.of[VMAFGPU_REFERENCE];
    const auto places_of = [](VmafGpuInputCounts &counts) {
        return std::vector<int64_t *>{&counts.unpaired[0], &counts.unpaired[1],
                                      &counts.unpaired[2]};
    };
    return {
        {"main_frames", one, {&main.frames}},
        {"reference_frames", one, {&reference.frames}},
        {"pairs", one, {&p.pairs}},
        {"repeated_main", one, {&main.repeated}},
        {"repeated_reference", one, {&reference.repeated}},
        {"unpaired_main", places, places_of(main)},
        {"unpaired_reference", places, places_of(reference)},
        {"disabled_main", one, {&main.disabled}},
        {"disabled_reference", one, {&reference.disabled}},
        {"by_number", one, {&p.by_number}},
        {"corrections", one, {&p.corrections}},
        {"without_time", inputs, {&main.without_time, &reference.without_time}},
        {"backward_time", inputs, {&main.backward_time, &reference.backward_time}},
        {"damaged", inputs, {&main.damaged, &reference.damaged}},
        {"film_grain", inputs, {&main.film_grain, &reference.film_grain}},
    };
}

LogValue describe_pairing(const VmafGpuPairing &pairing)
{
    VmafGpuPairing p = pairing;
    LogValue value;
    value.add("rule", text_of(p.rule));
    value.add("start", text_of(p.start));
    value.add_number("at_least", p.at_least);
    for (const PairingCounts &counts : pairing_counts(p)) {
        if (counts.names.size() == 1) {
            value.add_number(counts.key, *counts.values[0]);
            continue;
        }
        LogValue parts;
        parts.is_line = true;
        for (size_t i = 0; i < counts.names.size(); ++i)
            parts.add_number(counts.names[i], *counts.values[i]);
        value.add(counts.key, std::move(parts));
    }
    const auto add_seconds = [&value](const char *key, double seconds) {
        value.add_number(key, format_score(seconds, VMAFGPU_PRECISION_MAX));
    };
    add_seconds("start_offset", p.start_offset);
    add_seconds("shift", p.shift);
    add_seconds("distance_median", p.distance_median);
    add_seconds("distance_largest", p.distance_largest);
    value.add_number("warnings", p.warnings);
    if (p.has_offset != 0)
        value.add_number("offset", p.offset);
    return value;
}

std::string pairing_line(const VmafGpuPairing &p)
{
    const VmafGpuInputCounts &main = p.of[VMAFGPU_MAIN], &reference = p.of[VMAFGPU_REFERENCE];
    const std::string at_least = p.at_least != 0 ? "at least " : "";
    std::string line = std::to_string(p.pairs) + " pairs of " + at_least +
                       std::to_string(main.frames) + " main and " +
                       std::to_string(reference.frames) + " reference frames, " +
                       std::to_string(main.repeated + reference.repeated) + " repeated, " +
                       std::to_string(sum(main.unpaired) + sum(reference.unpaired)) +
                       " unpaired (pair=" + text_of(p.rule) + ", start " + text_of(p.start) +
                       (p.has_offset != 0 ? ", offset " + std::to_string(p.offset) : "") + ")";
    if (p.warnings > 0)
        line += "; " + std::to_string(p.warnings) +
                (p.warnings == 1 ? " warning was given" : " warnings were given");
    return line + ".";
}

} // namespace vmafgpu
