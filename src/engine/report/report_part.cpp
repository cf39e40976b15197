// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_formats.h.
#include "report/report_formats.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "report/format_number.h"
#include "report/hex_text.h"
#include "report/report_file.h"
#include "report/report_pairing.h"
#include "report/report_run.h"
#include "report/report_shots.h"

namespace vmafgpu {
namespace {

/// JSON has no infinity and no NaN: those are texts. Logs have no -0, but pooled values have.
std::string exact(double value)
{
    if (value == 0 && std::signbit(value))
        return "-0.0";
    const std::string text = format_score(value, VMAFGPU_PRECISION_MAX);
    return std::isfinite(value) ? text : '"' + text + '"';
}

template <typename List, typename Print> std::string list_of(const List &list, const Print &print)
{
    std::string text = "[";
    for (const auto &value : list)
        text.append(text.size() > 1 ? ", " : "").append(print(value));
    return text + "]";
}

/// What became of the chunk: where it ends, and why it cannot be used.
struct Outcome {
    int64_t end, total;
    std::string incomplete;
};

Outcome outcome_of(const PartFacts &part, const VmafGpuLog &log)
{
    const Chunk &chunk = part.chunk;
    Outcome outcome = {std::min(chunk.end, part.reached), chunk.total, ""};
    const int64_t wanted = outcome.end + part.after;
    // An input that ends before the pairs behind the chunk is the end of the run.
    if (chunk.total == 0 && part.reached < std::max(wanted, chunk.end))
        outcome.total = part.reached;
    outcome.incomplete = log.incomplete != nullptr
                             ? log.incomplete
                             : chunk_lacks(chunk, part.after, part.reached, false);
    return outcome;
}

std::string head_of(const ReportInput &input, const Outcome &outcome)
{
    const PartFacts &part = *input.part;
    const auto print_text = [](const std::string &text) {
        return json_string(text);
    };
    const auto print_number = [](size_t value) {
        return std::to_string(value);
    };
    std::string text = "{\n  \"schema\": \"" + std::string(kPartSchema) + "\"";
    const auto add = [&text](const char *key, const std::string &value) {
        text.append(",\n  \"").append(key).append("\": ").append(value);
    };
    add("numerics", std::to_string(kNumericsVersion));
    add("fps", std::isfinite(input.log.fps) ? format_fps(input.log.fps) : "0");
    add("chunk", "{\"first\": " + std::to_string(part.chunk.first) +
                     ", \"begin\": " + std::to_string(part.chunk.begin) +
                     ", \"end\": " + std::to_string(outcome.end) +
                     ", \"total\": " + std::to_string(outcome.total) + "}");
    add("reached", std::to_string(part.reached));
    add("before", std::to_string(part.before));
    add("after", std::to_string(part.after));
    if (!outcome.incomplete.empty())
        add("incomplete", json_string(outcome.incomplete));
    add("repeated_main", std::to_string(input.log.repeated_main));
    add("repeated_reference", std::to_string(input.log.repeated_reference));
    add("vmaf_gpu", json_run(describe_run(input), "  "));
    add("columns", list_of(input.table.names(), print_text));
    add("models", list_of(input.model_columns, print_number));
    add("ranges", list_of(input.facts->models, [](const ModelFacts &model) {
            return "[" + exact(model.range.min) + ", " + exact(model.range.max) + "]";
        }));
    add("spatial", list_of(part.spatial, print_number));
    add("aggregate_words", std::to_string(part.words));
    if (const auto pairing = pairing_of(input.log))
        text += json_pairing(*pairing);
    if (input.shots != nullptr)
        text += part_shots(*input.shots);
    return text + ",\n  \"rows\": [";
}

/// [index, time or null, scores or null, Sums of aggregates]; empty if nothing is known of a pair.
std::string row_of(const ReportInput &input, const VmafGpuRun &run, int64_t index)
{
    const PartFacts &part = *input.part;
    const bool counts = part.chunk.counts(index);
    const ScoreTable &table = counts ? input.table : part.overlap;
    const size_t row = table.find(index);
    const bool has_sums = counts && part.words > 0;
    const auto pts = pts_of(run, index);
    // Pages show times of pairs that subsampling left out, too.
    if (row == table.rows() && !has_sums && !(counts && pts))
        return "";
    std::string text = "[" + std::to_string(index) + ", " + (pts ? std::to_string(*pts) : "null");
    text += row == table.rows() ? ", null" : ", [";
    for (size_t i = 0; row < table.rows() && i < table.names().size(); ++i)
        text.append(i > 0 ? ", " : "").append(exact(table.value(row, i)));
    text += row == table.rows() ? "" : "]";
    const auto at = static_cast<size_t>(index - part.chunk.begin) * part.words;
    return text + ", \"" + (has_sums ? hex_text(part.sums.data() + at, part.words) : "") + "\"]";
}

} // namespace

void write_part(const ReportInput &input, ReportFile &file)
{
    if (input.part == nullptr || input.facts == nullptr)
        throw Error(EINVAL, "the log format part is for chunks: see VmafGpuSettings.chunk");
    const VmafGpuRun run = run_of(input.log);
    file.write(head_of(input, outcome_of(*input.part, input.log)));
    const char *separator = "\n    ";
    for (int64_t index = input.part->chunk.first; index < input.part->reached; ++index) {
        const std::string text = row_of(input, run, index);
        if (text.empty())
            continue;
        file.write(separator + text);
        separator = ",\n    ";
    }
    file.write("\n  ]\n}\n");
}

} // namespace vmafgpu
