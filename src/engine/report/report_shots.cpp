// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_shots.h.
#include "report/report_shots.h"

#include <algorithm>
#include <cmath>

#include "core/pooling.h"
#include "report/format_number.h"
#include "report/hex_text.h"
#include "report/report_page.h"
#include "report/report_run.h"

namespace vmafgpu {
namespace {

constexpr size_t kMostRows = 100; ///< of the page
constexpr std::pair<const char *, VmafGpuPool> kMethods[] = {
    {"mean", VMAFGPU_POOL_MEAN}, {"min", VMAFGPU_POOL_MIN}, {"perc5", VMAFGPU_POOL_PERC5}};

struct Shot {
    size_t number;
    int64_t first, last;
    ScoreTable scores; ///< of the models
};

/// The rows of a shot; none, if subsampling left all out.
ScoreTable scores_of(const ReportInput &input, int64_t first, int64_t last)
{
    const ScoreTable &table = input.table;
    std::vector<std::string> names;
    for (const size_t column : input.model_columns)
        names.push_back(table.names()[column]);
    ScoreTable scores(names);
    std::vector<double> row(names.size());
    for (size_t at = table.first_from(first); at < table.rows() && table.index(at) <= last; ++at) {
        for (size_t i = 0; i < row.size(); ++i)
            row[i] = table.value(at, input.model_columns[i]);
        scores.add(table.index(at), row.data());
    }
    return scores;
}

std::vector<Shot> shots_of(const ReportInput &input)
{
    const Shots &shots = *input.shots;
    std::vector<int64_t> borders = {shots.begin};
    for (const int64_t cut : shots.cuts.all)
        if (cut > shots.begin)
            borders.push_back(cut);
    borders.push_back(shots.end);
    std::vector<Shot> list;
    for (size_t i = 0; shots.end > shots.begin && i + 1 < borders.size(); ++i)
        list.push_back(
            {i, borders[i], borders[i + 1] - 1, scores_of(input, borders[i], borders[i + 1] - 1)});
    return list;
}

double value_of(const Shot &shot, size_t column, VmafGpuPool method)
{
    return shot.scores.rows() == 0 ? NAN : pooled(shot.scores, column, method);
}

std::string json_list(const std::vector<int64_t> &numbers)
{
    std::string text = "[";
    for (const int64_t number : numbers)
        text.append(text.size() > 1 ? ", " : "").append(std::to_string(number));
    return text + "]";
}

std::string json_shot(const ReportInput &input, const Shot &shot)
{
    std::string text = "{\"first\": " + std::to_string(shot.first) +
                       ", \"last\": " + std::to_string(shot.last) + ", \"scores\": {";
    for (size_t i = 0; i < shot.scores.names().size(); ++i) {
        text.append(i > 0 ? ", " : "").append(json_string(shot.scores.names()[i])).append(": {");
        for (const auto &[name, method] : kMethods) {
            const double value = value_of(shot, i, method);
            text.append(text.back() == '{' ? "\"" : ", \"").append(name).append("\": ");
            text += std::isfinite(value) ? format_score(value, input.log.precision) : "null";
        }
        text += "}";
    }
    return text + "}}";
}

/// Behind the key "shots": what both kinds of logs have.
std::string json_head(const Shots &shots)
{
    return std::string(",\n  \"shots\": {\n    \"source\": ") +
           (shots.are_given ? "\"file\"" : "\"pictures\"") +
           ",\n    \"main_only\": " + json_list(shots.cuts.main_only) +
           ",\n    \"reference_only\": " + json_list(shots.cuts.reference_only);
}

} // namespace

std::string json_shots(const ReportInput &input)
{
    std::string text = json_head(*input.shots) + ",\n    \"list\": [";
    for (const Shot &shot : shots_of(input))
        text.append(shot.number > 0 ? "," : "").append("\n      ").append(json_shot(input, shot));
    return text + "\n    ]\n  }";
}

std::string part_shots(const Shots &shots)
{
    std::string text =
        json_head(shots) + ",\n    \"cuts\": " + json_list(shots.cuts.all) + ",\n    \"edges\": [";
    const auto hex = [](const std::vector<uint8_t> &bytes) {
        return hex_text(bytes.data(), bytes.size());
    };
    for (const PairSketch &pair : shots.edges)
        text.append(&pair == &shots.edges.front() ? "\n" : ",\n")
            .append("      {\"index\": " + std::to_string(pair.index) + ", \"main\": \"")
            .append(hex(pair.of[VMAFGPU_MAIN]) + "\", \"reference\": \"")
            .append(hex(pair.of[VMAFGPU_REFERENCE]) + "\"}");
    return text + "\n    ]\n  }";
}

void append_shots(pugi::xml_node parent, const ReportInput &input)
{
    std::vector<Shot> shots = shots_of(input);
    const size_t all = shots.size();
    if (all > kMostRows) {
        const auto mean = [](const Shot &shot) {
            const double value =
                shot.scores.names().empty() ? 0 : value_of(shot, 0, kMethods[0].second);
            return std::isnan(value) ? HUGE_VAL : value;
        };
        std::stable_sort(shots.begin(), shots.end(),
                         [&mean](const Shot &a, const Shot &b) { return mean(a) < mean(b); });
        shots.erase(shots.begin() + kMostRows, shots.end());
    }
    append_element(parent, "h2",
                   all > kMostRows ? "The " + std::to_string(kMostRows) + " lowest of " +
                                         std::to_string(all) + " shots"
                                   : "Shots");
    std::vector<std::string> head = {"shot", "first", "last"};
    for (const size_t column : input.model_columns)
        for (const auto &[name, method] : kMethods)
            head.push_back(input.table.names()[column] + ", " + name);
    PageTable table(parent, head);
    for (const Shot &shot : shots) {
        std::vector<std::string> row = {std::to_string(shot.number), std::to_string(shot.first),
                                        std::to_string(shot.last)};
        for (size_t i = 0; i < input.model_columns.size(); ++i)
            for (const auto &[name, method] : kMethods)
                row.push_back(format_score(value_of(shot, i, method), input.log.precision));
        table.add_row(row);
    }
}

} // namespace vmafgpu
