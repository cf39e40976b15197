// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report.h: the shots of a run with their scores. How shots are found is in plan/shots.h.
#include "report/report.h"

#include <algorithm>
#include <cmath>

#include "base/format_number.h"
#include "core/pooling.h"
#include "report/report_page.h"

namespace vmafgpu {
namespace {

constexpr size_t kMostRows = 100; ///< most rows of the page
constexpr std::pair<const char *, VmafGpuPool> kShotMethods[] = {
    {"mean", VMAFGPU_POOL_MEAN}, {"min", VMAFGPU_POOL_MIN}, {"perc5", VMAFGPU_POOL_PERC5}};

struct Shot {
    size_t number;
    int64_t first, last;
    double mean;             ///< mean of the first model; infinite: there is none
    std::vector<Row> pooled; ///< texts of each model, in the order of kShotMethods
};

/// The rows of a shot; none, if subsampling left all out.
ScoreTable scores_of(const ReportInput &input, int64_t first, int64_t last)
{
    const ScoreTable &table = input.table;
    std::vector<std::string> names;
    for (const size_t column : input.run.model_columns)
        names.push_back(table.names()[column]);
    ScoreTable scores(names);
    std::vector<double> row(names.size());
    for (size_t at = table.first_from(first); at < table.rows() && table.index(at) <= last; ++at) {
        for (size_t i = 0; i < row.size(); ++i)
            row[i] = table.value(at, input.run.model_columns[i]);
        scores.add(table.index(at), row.data());
    }
    return scores;
}

Shot shot_of(const ReportInput &input, size_t number, int64_t first, int64_t last)
{
    const ScoreTable scores = scores_of(input, first, last);
    Shot shot = {number, first, last, HUGE_VAL, {}};
    for (size_t i = 0; i < scores.names().size(); ++i) {
        shot.pooled.emplace_back();
        for (const auto &[name, method] : kShotMethods) {
            const double value = scores.rows() == 0 ? NAN : pooled(scores, i, method);
            shot.pooled[i].push_back(format_score(value, input.log.precision));
            if (i == 0 && method == VMAFGPU_POOL_MEAN && !std::isnan(value))
                shot.mean = value;
        }
    }
    return shot;
}

std::vector<Shot> shots_of(const ReportInput &input)
{
    const Shots &shots = *input.run.shots;
    std::vector<int64_t> borders = {shots.begin};
    for (const int64_t cut : shots.cuts.all)
        if (cut > shots.begin)
            borders.push_back(cut);
    borders.push_back(shots.end);
    std::vector<Shot> list;
    for (size_t i = 0; shots.end > shots.begin && i + 1 < borders.size(); ++i)
        list.push_back(shot_of(input, i, borders[i], borders[i + 1] - 1));
    return list;
}

LogValue describe_shot(const ReportInput &input, const Shot &shot)
{
    LogValue value, scores;
    value.is_line = true;
    value.add_number("first", shot.first);
    value.add_number("last", shot.last);
    for (size_t i = 0; i < shot.pooled.size(); ++i) {
        LogValue texts;
        for (size_t j = 0; j < shot.pooled[i].size(); ++j)
            texts.add_number(kShotMethods[j].first, shot.pooled[i][j]);
        scores.add(input.table.names()[input.run.model_columns[i]], std::move(texts));
    }
    value.add("scores", std::move(scores));
    return value;
}

} // namespace

LogValue describe_shots(const ReportInput &input, bool is_part)
{
    const Shots &shots = *input.run.shots;
    LogValue value;
    value.add("source", shots.are_given ? "file" : "pictures");
    value.add("main_only", number_list(shots.cuts.main_only));
    value.add("reference_only", number_list(shots.cuts.reference_only));
    if (is_part)
        value.add("cuts", number_list(shots.cuts.all));
    else
        value.add("list",
                  list_value(
                      shots_of(input),
                      [&input](const Shot &shot) { return describe_shot(input, shot); }, false));
    return value;
}

std::string shots_text(const ReportInput &input)
{
    std::vector<Shot> shots = shots_of(input);
    std::string title = "Shots";
    if (shots.size() > kMostRows) {
        title = "The " + std::to_string(kMostRows) + " lowest of " + std::to_string(shots.size()) +
                " shots";
        std::stable_sort(shots.begin(), shots.end(),
                         [](const Shot &a, const Shot &b) { return a.mean < b.mean; });
        shots.erase(shots.begin() + kMostRows, shots.end());
    }
    Row head = {"shot", "first", "last"};
    for (const size_t column : input.run.model_columns)
        for (const auto &[name, method] : kShotMethods)
            head.push_back(input.table.names()[column] + ", " + name);
    std::vector<Row> rows;
    for (const Shot &shot : shots) {
        rows.push_back(
            {std::to_string(shot.number), std::to_string(shot.first), std::to_string(shot.last)});
        for (const Row &texts : shot.pooled)
            rows.back().insert(rows.back().end(), texts.begin(), texts.end());
    }
    return "<h2>" + title + "</h2>" + table_text(head, rows) + "\n";
}

} // namespace vmafgpu
