// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report.h.
#include "report/report.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/format_number.h"

namespace vmafgpu {
namespace {

/// JSON has no infinity and no NaN: those are texts. Logs have no -0, but pooled values have.
LogValue exact_value(double value)
{
    const bool is_negative_zero = value == 0 && std::signbit(value);
    return {std::isfinite(value) ? LogValue::Kind::kNumber : LogValue::Kind::kText,
            is_negative_zero ? "-0.0" : format_score(value, VMAFGPU_PRECISION_MAX)};
}

std::string hex_text(const uint64_t *words, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count; ++i)
        for (int shift = 60; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[words[i] >> shift & 15];
    return text;
}

LogValue describe_mismatch(const Mismatch &mismatch)
{
    LogValue value;
    value.is_line = true;
    value.add_number("pairs", mismatch.pairs);
    value.add_number("first", mismatch.first);
    value.add_number("time", mismatch.time);
    value.add_number("offset", mismatch.offset);
    value.add_number("start", mismatch.start);
    value.add_number("is_constant", mismatch.is_constant ? 1 : 0);
    value.add_number("is_from_start", mismatch.is_from_start ? 1 : 0);
    return value;
}

LogValue describe_pictures(const Disagreement &pictures)
{
    LogValue value;
    value.add("elsewhere", describe_mismatch(pictures.elsewhere));
    value.add("unrelated", describe_mismatch(pictures.unrelated));
    value.add_number("turn", static_cast<int>(pictures.turn));
    value.add_number("agreeing", pictures.agreeing);
    return value;
}

LogValue head_of(const ReportInput &input)
{
    const PartFacts &part = *input.part;
    const int64_t end = std::min(part.chunk.end, part.reached);
    // An input that ends before the pairs behind the chunk is the end of the run.
    const bool is_last =
        part.chunk.total == 0 && part.reached < std::max(end + part.after, part.chunk.end);
    const RunFacts &run = input.run;
    const std::string incomplete = !run.incomplete.empty()
                                       ? run.incomplete
                                       : chunk_lacks(part.chunk, part.after, part.reached, false);
    LogValue head, chunk;
    head.add("schema", kPartSchema);
    head.add_number("numerics", kNumericsVersion);
    head.add_number("fps", std::isfinite(run.fps) ? format_fps(run.fps) : "0");
    if (run.is_slowed_by_host)
        head.add_number("slowed_by_host", 1);
    chunk.is_line = true;
    chunk.add_number("first", part.chunk.first);
    chunk.add_number("begin", part.chunk.begin);
    chunk.add_number("end", end);
    chunk.add_number("total", is_last ? part.reached : part.chunk.total);
    head.add("chunk", std::move(chunk));
    head.add_number("reached", part.reached);
    head.add_number("before", part.before);
    head.add_number("after", part.after);
    if (!incomplete.empty())
        head.add("incomplete", incomplete);
    head.add("vmaf_gpu", describe_run(run));
    head.add("columns", list_value(input.table.names(), text_value));
    head.add("models", number_list(run.model_columns));
    head.add("ranges", list_value(run.models, [](const ModelFacts &model) {
                 return list_value(std::array{model.range.min, model.range.max}, exact_value);
             }));
    head.add("spatial", number_list(part.spatial));
    head.add_number("aggregate_words", static_cast<int64_t>(part.words));
    if (run.pairing) {
        head.add("pairing", describe_pairing(*run.pairing));
        head.add("pictures", describe_pictures(run.pairing->pictures));
    }
    if (run.shots)
        head.add("shots", describe_shots(input, true));
    return head;
}

/// [index, time or null, scores or null, Sums of aggregates]; empty if nothing is known of a pair.
std::string row_of(const ReportInput &input, int64_t index)
{
    const PartFacts &part = *input.part;
    const bool counts = part.chunk.counts(index);
    const ScoreTable &table = counts ? input.table : part.overlap;
    const size_t row = table.find(index);
    const auto at = static_cast<size_t>(index - part.chunk.begin) * part.words;
    // A pair that was not collected has none.
    const bool has_sums = counts && part.words > 0 && at + part.words <= part.sums.size();
    const auto pts = pts_of(input.run, index);
    // Pages show times of pairs that subsampling left out, too.
    if (row == table.rows() && !has_sums && !(counts && pts))
        return "";
    std::string text = "[" + std::to_string(index) + ", " + (pts ? std::to_string(*pts) : "null");
    text += row == table.rows() ? ", null" : ", [";
    for (size_t i = 0; row < table.rows() && i < table.names().size(); ++i)
        text.append(i > 0 ? ", " : "").append(json_text(exact_value(table.value(row, i)), ""));
    text += row == table.rows() ? "" : "]";
    return text + ", \"" + (has_sums ? hex_text(part.sums.data() + at, part.words) : "") + "\"]";
}

} // namespace

void write_part(const ReportInput &input, ReportFile &file)
{
    if (input.part == nullptr)
        throw Error(EINVAL, "the log format part is for chunks: see VmafGpuSettings.chunk");
    const std::string head = json_text(head_of(input), "");
    file.write(head.substr(0, head.size() - 2) + ",\n  \"rows\": [");
    const char *separator = "\n    ";
    for (int64_t index = input.part->chunk.first; index < input.part->reached; ++index) {
        const std::string text = row_of(input, index);
        if (text.empty())
            continue;
        file.write(separator + text);
        separator = ",\n    ";
    }
    file.write("\n  ]\n}\n");
}

} // namespace vmafgpu
