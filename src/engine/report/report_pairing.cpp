// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_run.h: how the caller came to the pairs.
#include "report/format_number.h"
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

LogValue describe_pairing(const RunPairing &pairing)
{
    VmafGpuPairing p = pairing.counts;
    LogValue value;
    value.add("rule", pairing.rule);
    value.add("start", pairing.start);
    value.add_number("at_least", p.at_least);
    for (const PairingCounts &counts : pairing_counts(p)) {
        if (counts.names.size() == 1) {
            value.add_number(counts.key, *counts.values);
            continue;
        }
        LogValue parts;
        parts.is_line = true;
        for (size_t i = 0; i < counts.names.size(); ++i)
            parts.add_number(counts.names[i], counts.values[i]);
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
    object.add_number("repeated_main", run.pairing->counts.repeated_main);
    object.add_number("repeated_reference", run.pairing->counts.repeated_reference);
}

std::string pairing_line(const RunPairing &pairing)
{
    const VmafGpuPairing &p = pairing.counts;
    const std::string at_least = p.at_least != 0 ? "at least " : "";
    std::string line = std::to_string(p.pairs) + " pairs of " + at_least +
                       std::to_string(p.main_frames) + " main and " +
                       std::to_string(p.reference_frames) + " reference frames, " +
                       std::to_string(p.repeated_main + p.repeated_reference) + " repeated, " +
                       std::to_string(sum(p.unpaired_main) + sum(p.unpaired_reference)) +
                       " unpaired (pair=" + pairing.rule + ", start " + pairing.start +
                       (p.has_offset != 0 ? ", offset " + std::to_string(p.offset) : "") + ")";
    if (p.warnings > 0)
        line += "; " + std::to_string(p.warnings) +
                (p.warnings == 1 ? " warning was given" : " warnings were given");
    return line + ".";
}

} // namespace vmafgpu
