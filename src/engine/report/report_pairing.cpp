// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_run.h: how the caller came to the pairs.
#include "base/format_number.h"
#include "report/report_run.h"

namespace vmafgpu {
namespace {

int64_t sum(const int64_t (&counts)[3])
{
    return counts[0] + counts[1] + counts[2];
}

} // namespace

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

LogValue describe_pairing(const RunPairing &pairing)
{
    VmafGpuPairing p = pairing.counts;
    LogValue value;
    value.add("rule", pairing.rule);
    value.add("start", pairing.start);
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
    for (const auto &[key, seconds] : kPairingSeconds)
        value.add_number(key, format_score(p.*seconds, VMAFGPU_PRECISION_MAX));
    value.add_number("warnings", p.warnings);
    if (p.has_offset != 0)
        value.add_number("offset", p.offset);
    return value;
}

void add_repeated(const RunFacts &run, LogValue &object)
{
    if (!run.pairing)
        return;
    const VmafGpuPairing &p = run.pairing->counts;
    object.add_number("repeated_main", p.of[VMAFGPU_MAIN].repeated);
    object.add_number("repeated_reference", p.of[VMAFGPU_REFERENCE].repeated);
}

std::string pairing_line(const RunPairing &pairing)
{
    const VmafGpuPairing &p = pairing.counts;
    const VmafGpuInputCounts &main = p.of[VMAFGPU_MAIN], &reference = p.of[VMAFGPU_REFERENCE];
    const std::string at_least = p.at_least != 0 ? "at least " : "";
    std::string line = std::to_string(p.pairs) + " pairs of " + at_least +
                       std::to_string(main.frames) + " main and " +
                       std::to_string(reference.frames) + " reference frames, " +
                       std::to_string(main.repeated + reference.repeated) + " repeated, " +
                       std::to_string(sum(main.unpaired) + sum(reference.unpaired)) +
                       " unpaired (pair=" + pairing.rule + ", start " + pairing.start +
                       (p.has_offset != 0 ? ", offset " + std::to_string(p.offset) : "") + ")";
    if (p.warnings > 0)
        line += "; " + std::to_string(p.warnings) +
                (p.warnings == 1 ? " warning was given" : " warnings were given");
    return line + ".";
}

} // namespace vmafgpu
