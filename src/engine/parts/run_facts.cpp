// SPDX-License-Identifier: BSD-2-Clause-Patent
// See run_facts.h and log_value.h.
#include "parts/run_facts.h"

#include <algorithm>

#include "base/error.h"
#include "base/format_number.h"
#include "base/require.h"
#include "core/pooling.h"

namespace vmafgpu {
namespace {

std::string text_of(const char *text)
{
    return text == nullptr ? "" : text;
}

void add_given(const VmafGpuRun &given, RunFacts &run)
{
    require(given.struct_size == sizeof(given), "VmafGpuRun.struct_size", given.struct_size,
            "sizeof(VmafGpuRun)");
    require(given.warning_count == 0 || (given.warning_count > 0 && given.warnings != nullptr),
            "VmafGpuRun.warning_count", given.warning_count, "the length of warnings");
    require(given.pts_first >= 0, "VmafGpuRun.pts_first", given.pts_first, "0 or more");
    run.main_format = text_of(given.main_format);
    run.reference_format = text_of(given.reference_format);
    run.options = text_of(given.options);
    for (int i = 0; i < given.warning_count; ++i)
        if (given.warnings[i] != nullptr && std::find(run.warnings.begin(), run.warnings.end(),
                                                      given.warnings[i]) == run.warnings.end())
            run.warnings.emplace_back(given.warnings[i]);
    if (given.thumbnails != nullptr)
        run.thumbnails = [ask = given.thumbnails,
                          opaque = given.thumbnails_opaque](VmafGpuThumbnail *list, int count) {
            return ask(opaque, list, count);
        };
    if (given.pts == nullptr)
        return;
    require(given.time_base_num > 0, "VmafGpuRun.time_base_num", given.time_base_num, "above 0");
    require(given.time_base_den > 0, "VmafGpuRun.time_base_den", given.time_base_den, "above 0");
    run.base = {given.time_base_num, given.time_base_den};
    run.time_base = std::to_string(run.base[0]) + "/" + std::to_string(run.base[1]);
    run.pts = given.pts;
    run.pts_first = given.pts_first;
    run.pts_count = given.pts_count;
}

LogValue describe_model(const ModelFacts &model)
{
    LogValue value, options;
    value.add("name", model.name);
    value.add("source", model.source);
    value.add("digest", model.digest);
    for (const auto &[key, setting] : model.options)
        options.add(key, setting);
    value.add("options", std::move(options));
    return value;
}

LogValue describe_feature(const std::pair<std::string, std::string> &feature)
{
    LogValue value;
    value.add("name", feature.first);
    value.add("options", feature.second);
    return value;
}

int64_t sum(const int64_t (&counts)[3])
{
    return counts[0] + counts[1] + counts[2];
}

} // namespace

void add_log(const VmafGpuLog &log, RunFacts &run)
{
    run.fps = log.fps;
    run.title = text_of(log.title);
    run.incomplete = text_of(log.incomplete);
    if (log.run != nullptr)
        add_given(*log.run, run);
    if (log.pairing == nullptr)
        return;
    const VmafGpuPairing &pairing = *log.pairing;
    require(pairing.struct_size == sizeof(pairing), "VmafGpuPairing.struct_size",
            pairing.struct_size, "sizeof(VmafGpuPairing)");
    run.pairing = {pairing, text_of(pairing.rule), text_of(pairing.start)};
}

std::optional<int64_t> pts_of(const RunFacts &run, int64_t index)
{
    const int64_t at = index - run.pts_first;
    if (run.pts == nullptr || at < 0 || at >= run.pts_count || run.pts[at] == kUnknownTime)
        return std::nullopt;
    return run.pts[at];
}

double time_of(const RunFacts &run, int64_t index)
{
    const auto pts = pts_of(run, index);
    return pts ? static_cast<double>(*pts) * run.base[0] / run.base[1]
               : std::numeric_limits<double>::quiet_NaN();
}

std::optional<std::array<double, 2>> interval_of(const ScoreTable &table, const RunFacts &run,
                                                 size_t column)
{
    ScoreRange range;
    for (size_t i = 0; i < std::min(run.model_columns.size(), run.models.size()); ++i)
        if (run.model_columns[i] == column)
            range = run.models[i].range;
    return mean_interval(table, column, run.subsample, range);
}

LogValue describe_run(const RunFacts &run)
{
    LogValue result;
    for (const RunField &field : kRunFields)
        if (field.number != nullptr)
            result.add_number(field.key, run.*field.number);
        else if (!(run.*field.text).empty())
            result.add(field.key, run.*field.text);
    result.add("models", list_value(run.models, describe_model, false));
    result.add("features", list_value(run.features, describe_feature, false));
    if (!run.host_features.empty())
        result.add("host_features", list_value(run.host_features, text_value, false));
    result.add("warnings", list_value(run.warnings, text_value, false));
    return result;
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
        {"elsewhere", one, {&p.elsewhere}},
        {"unrelated", one, {&p.unrelated}},
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
    if (p.elsewhere + p.unrelated > 0) {
        LogValue mismatch;
        mismatch.is_line = true;
        mismatch.add_number("pair", p.mismatch_pair);
        mismatch.add_number("time", format_score(p.mismatch_time, VMAFGPU_PRECISION_MAX));
        mismatch.add_number("offset", p.mismatch_offset);
        value.add("mismatch", std::move(mismatch));
    }
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
    if (p.elsewhere + p.unrelated > 0)
        line += "; the pictures of " + std::to_string(p.elsewhere + p.unrelated) +
                " pairs do not agree, from pair " + std::to_string(p.mismatch_pair) + " on";
    if (p.warnings > 0)
        line += "; " + std::to_string(p.warnings) +
                (p.warnings == 1 ? " warning was given" : " warnings were given");
    return line + ".";
}

void LogValue::add(std::string key, LogValue value)
{
    members.push_back({std::move(key), std::move(value)});
}

std::string json_text(const LogValue &value, const std::string &indent, bool is_line)
{
    using Kind = LogValue::Kind;
    if (value.kind == Kind::kText)
        return json_string(value.text);
    if (value.kind == Kind::kNumber)
        return value.text.find_first_of("in") == std::string::npos ? value.text : "null";
    is_line = is_line || value.is_line;
    const bool is_object = value.kind == Kind::kObject;
    std::string text = (is_object ? "{" : "[") + value.text;
    for (const LogValue::Member &member : value.members) {
        text += &member == value.members.data() ? "" : is_line ? ", " : ",";
        text += is_line ? "" : "\n" + indent + "  ";
        if (is_object)
            text.append(json_string(member.key)).append(": ");
        text += json_text(member.value, indent + "  ", is_line);
    }
    if (!value.members.empty() && !is_line)
        text.append("\n").append(indent);
    return text + (is_object ? "}" : "]");
}

} // namespace vmafgpu
