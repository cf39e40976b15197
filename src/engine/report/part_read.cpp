// SPDX-License-Identifier: BSD-2-Clause-Patent
// See part.h.
#include "report/part.h"

#include <algorithm>
#include <cmath>
#include <istream>

#include "report/hex_text.h"
#include "report/json_read.h"
#include "report/report_formats.h"

namespace vmafgpu {
namespace {

constexpr size_t kMostColumns = 1024;

/// Numbers from least to most - 1.
template <typename Number>
std::vector<Number> numbers(const Json &object, const char *key, Number least, Number most)
{
    std::vector<Number> found;
    for (const Json &value : list(object, key)) {
        if (!value.is_number_unsigned() || value.get<Number>() < least ||
            value.get<Number>() >= most)
            throw Malformed(std::string("'") + key + "' has what is not there");
        found.push_back(value.get<Number>());
    }
    return found;
}

Shots read_shots(const Chunk &chunk, const Json &object)
{
    const auto read = [&](const char *key) {
        auto found = numbers(object, key, chunk.begin, chunk.end);
        if (!std::is_sorted(found.begin(), found.end()))
            throw Malformed(std::string("'") + key + "' is out of order");
        return found;
    };
    Shots shots;
    shots.are_given = get<std::string>(object, "source") == "file";
    shots.cuts = {read("cuts"), read("main_only"), read("reference_only")};
    return shots;
}

/// What must be equal in all parts of a run.
std::string key_of(const Json &whole)
{
    Json key = whole.at("vmaf_gpu");
    for (const char *own : {"backend", "device", "host_features", "warnings"})
        key.erase(own);
    for (const char *more : {"numerics", "columns", "models", "spatial", "aggregate_words"})
        key[more] = whole.at(more);
    return key.dump();
}

/// A number, or a text that stands for infinity or NaN; nothing: it is neither.
std::optional<double> exact(const Json &value)
{
    if (value.is_number())
        return value.get<double>();
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (text == "inf" || text == "-inf")
        return text == "inf" ? INFINITY : -INFINITY;
    if (text == "nan" || text == "-nan")
        return std::copysign(std::numeric_limits<double>::quiet_NaN(), text == "nan" ? 1.0 : -1.0);
    return std::nullopt;
}

void read_ranges(const Json &ranges, std::vector<ModelFacts> &models)
{
    if (ranges.size() != models.size())
        throw Malformed("'ranges' has not one range for each model");
    for (size_t i = 0; i < models.size(); ++i) {
        const bool is_pair = ranges[i].is_array() && ranges[i].size() == 2;
        const auto min = exact(is_pair ? ranges[i][0] : Json());
        const auto max = exact(is_pair ? ranges[i][1] : Json());
        if (!min || !max)
            throw Malformed("'ranges' is no list of pairs of numbers");
        models[i].range = {*min, *max};
    }
}

class RowReader {
public:
    explicit RowReader(Part &part) : part_(part) {}

    void add(const Json &row)
    {
        const bool is_row = row.is_array() && row.size() == 4 && row[0].is_number_integer() &&
                            (row[1].is_null() || row[1].is_number_integer()) &&
                            (row[2].is_null() || row[2].is_array()) && row[3].is_string();
        if (!is_row || (row[2].is_array() && (row[2].empty() || row[2].size() > kMostColumns)))
            refuse_row();
        const auto index = row[0].get<int64_t>();
        if (index < 0 || index > kMostPairs ||
            (!part_.rows.empty() && index <= part_.rows.back().index))
            refuse_row();
        if (columns_ == 0)
            columns_ = row[2].size();
        if (row[2].is_array() && row[2].size() != columns_)
            refuse_row();
        for (const Json &value : row[2])
            values_.push_back(score(value));
        part_.rows.push_back(
            {index, row[1].is_null() ? kUnknownTime : row[1].get<int64_t>(), row[2].is_array()});
        sums_.push_back(row[3].get<std::string>());
    }

    /// The table and the Sums, once it is known what the columns are.
    void fill(const std::vector<std::string> &columns) const
    {
        size_t scored = 0;
        for (const PartRow &row : part_.rows)
            scored += row.is_scored ? 1 : 0;
        if (columns.empty() || values_.size() != scored * columns.size())
            throw Malformed("its rows do not have " + std::to_string(columns.size()) + " columns");
        part_.table = ScoreTable(columns);
        const double *values = values_.data();
        for (size_t i = 0; i < part_.rows.size(); ++i) {
            const PartRow &row = part_.rows[i];
            if (row.is_scored) {
                part_.table.add(row.index, values);
                values += columns.size();
            }
            if (part_.chunk.counts(row.index) && !add_hex_words(sums_[i], part_.words, part_.sums))
                throw Malformed("the Sums of a row are malformed");
        }
    }

private:
    [[noreturn]] void refuse_row() const
    {
        throw Malformed("row " + std::to_string(part_.rows.size()) + " is malformed");
    }

    double score(const Json &value) const
    {
        const auto found = exact(value);
        if (!found)
            refuse_row();
        return *found;
    }

    Part &part_;
    size_t columns_ = 0;
    std::vector<double> values_;    ///< of all rows
    std::vector<std::string> sums_; ///< of all rows, as hexadecimal digits
};

void check_head(const Json &whole, const std::string &path)
{
    const auto schema = get<std::string>(whole, "schema");
    if (schema != kPartSchema)
        throw Malformed("its schema is " + schema);
    const int64_t numerics = number(whole, "numerics", 0);
    if (numerics != kNumericsVersion)
        throw Malformed("its numerics are of version " + std::to_string(numerics) +
                        ", these of version " + std::to_string(kNumericsVersion));
    const auto version = get<std::string>(members(whole, "vmaf_gpu"), "version");
    if (version != VMAFGPU_VERSION)
        throw Malformed("version " + version + " wrote it, this is " + VMAFGPU_VERSION);
    if (whole.contains("incomplete"))
        throw Error(EINVAL, "the part '" + path +
                                "' is incomplete: " + get<std::string>(whole, "incomplete"));
}

void read_head(const Json &whole, const RowReader &rows, Part &part)
{
    const Json &chunk = members(whole, "chunk");
    part.chunk.first = number(chunk, "first", 0);
    part.chunk.begin = number(chunk, "begin", part.chunk.first);
    part.chunk.end = number(chunk, "end", part.chunk.begin + 1);
    part.chunk.total = number(chunk, "total", 0);
    part.reached = number(whole, "reached", part.chunk.end);
    part.before = number(whole, "before", 0);
    part.after = number(whole, "after", 0);
    part.words = static_cast<size_t>(number(whole, "aggregate_words", 0, 4096));
    read_run(whole, part);
    part.fps = get<double>(whole, "fps"); // a log may lack these
    if (!list(whole, "rows").empty())     // RowReader has taken all lists out of it
        throw Malformed("'rows' has a row that is no list");
    const auto columns = get<std::vector<std::string>>(whole, "columns");
    part.model_columns = numbers(whole, "models", size_t{0}, columns.size());
    read_ranges(list(whole, "ranges"), part.facts.models);
    part.spatial = numbers(whole, "spatial", size_t{0}, columns.size());
    if (whole.contains("shots"))
        part.shots = read_shots(part.chunk, members(whole, "shots"));
    part.key = key_of(whole);
    rows.fill(columns);
}

} // namespace

Part read_part(const std::string &path)
{
    const std::unique_ptr<std::istream> file = open_log(path, "part");
    Part part;
    part.path = path;
    RowReader rows(part);
    read_json(path, "a part log of this version", [&] {
        const Json whole = parse_log(*file, "rows", [&rows](const Json &row) { rows.add(row); });
        check_head(whole, path);
        read_head(whole, rows, part);
    });
    return part;
}

} // namespace vmafgpu
