// SPDX-License-Identifier: BSD-2-Clause-Patent
// See log_read.h; json_string() and valid_text() are of log_value.h: one file instantiates the
// parser, for each would take seconds to compile.
#include "parts/log_read.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <istream>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "base/error.h"
#include "pairing/frame_queue.h"
#include "system/system.h"

namespace vmafgpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostLevels = 16; // logs and parts have 6; trees are written by recursion
// Objects look keys up one by one, and the parser looks through a list at the end of its entries.
constexpr size_t kMostEntries = 16384;
constexpr size_t kMostText = 200;
constexpr int64_t kMostWarnings = 1000;
constexpr int64_t kMostFrames = int64_t{1} << 31;
constexpr int64_t kMostPairs = int64_t{1} << 40;
constexpr size_t kMostColumns = 1024;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What is wrong with a text that is JSON.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::unique_ptr<std::istream> open_log(const std::string &path, const char *kind)
{
    std::unique_ptr<std::istream> file = open_text(path);
    if (*file && file->peek() != std::istream::traits_type::eof())
        return file;
    const int code = !*file && errno != 0 ? errno : EINVAL;
    throw Error(code, std::string("cannot read ") + kind + " '" + path + "': " +
                          (code == EINVAL ? "it is empty" : std::generic_category().message(code)));
}

/// The tree, without the entries of one list: they go to add() one by one, for the tree of a long
/// film would take gigabytes.
template <typename Add> Json parse_log(std::istream &text, const char *list, const Add &add)
{
    using Event = Json::parse_event_t;
    bool is_in_list = false;
    std::array<size_t, kMostLevels + 2> entries = {}; // entries of what is open at each level
    return Json::parse(text, [&](int depth, Event event, const Json &value) {
        if (depth > kMostLevels)
            throw Malformed("nested more than " + std::to_string(kMostLevels) + " levels deep");
        const auto level = static_cast<size_t>(depth);
        const bool is_start = event == Event::object_start || event == Event::array_start;
        if (is_start)
            entries[level + 1] = 0;
        if (depth == 1 && event == Event::key)
            is_in_list = value == list;
        const bool is_entry = is_in_list && depth == 2;
        if (!is_entry && (is_start || event == Event::value) && ++entries[level] > kMostEntries)
            throw Malformed("an object or list has more than " + std::to_string(kMostEntries) +
                            " entries");
        if (!is_entry || (event != Event::object_end && event != Event::array_end))
            return true;
        add(value);
        return false;
    });
}

/// The error in one line, without a token that may be the whole file.
std::string tidy(const std::string &text)
{
    std::string result = text.substr(0, std::min(text.find("; last read"), kMostText));
    for (char &c : result)
        c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return result;
}

/// Throws Error(EINVAL) for what read() throws.
template <typename Read> void read_json(const std::string &path, const char *what, const Read &read)
{
    const auto refuse = [&](const std::exception &error) {
        throw Error(EINVAL, "'" + path + "' is not " + what + ": " + tidy(error.what()));
    };
    try {
        read();
    } catch (const Json::exception &error) {
        refuse(error);
    } catch (const Malformed &error) {
        refuse(error);
    }
}

// Members of an object.

template <typename Type> Type get(const Json &object, const char *key)
{
    try {
        return object.at(key).get<Type>();
    } catch (const Json::exception &) {
        throw Malformed(std::string("'") + key + "' is missing or has no such value");
    }
}

/// Empty if it is not there.
template <typename Type = std::string> Type get_known(const Json &object, const char *key)
{
    return object.contains(key) ? get<Type>(object, key) : Type();
}

/// Returns a number of an object. JSON has null for numbers that are not finite; they become NaN.
double real(const Json &object, const char *key)
{
    return object.contains(key) && object.at(key).is_null() ? kNan : get<double>(object, key);
}

int64_t number(const Json &object, const char *key, int64_t least, int64_t most = kMostPairs)
{
    const Json value = get<Json>(object, key);
    if (!value.is_number_integer())
        throw Malformed(std::string("'") + key + "' is no whole number");
    const bool is_beyond = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
    const auto found = is_beyond ? INT64_MAX : value.get<int64_t>();
    if (found < least || found > most)
        throw Malformed(std::string("'") + key + "' is " + std::to_string(found) +
                        "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
    return found;
}

const Json &members(const Json &object, const char *key, bool is_list = false)
{
    const auto found = object.find(key);
    if (found == object.end() || !(is_list ? found->is_array() : found->is_object()))
        throw Malformed(std::string("'") + key + (is_list ? "' is no list" : "' is no object"));
    return *found;
}

const Json &list(const Json &object, const char *key)
{
    return members(object, key, true);
}

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

void read_facts(const Json &object, RunFacts &run)
{
    for (const RunField &field : kRunFields)
        if (field.number != nullptr)
            run.*field.number =
                static_cast<int>(number(object, field.key, field.least, field.most));
        else
            run.*field.text = field.least > 0 ? get<std::string>(object, field.key)
                                              : get_known(object, field.key);
    for (const Json &model : list(object, "models")) {
        run.models.push_back({get<std::string>(model, "name"),
                              get<std::string>(model, "source"),
                              get<std::string>(model, "digest"),
                              {}});
        const Json options = get<Json>(model, "options");
        for (const auto &entry : options.items())
            run.models.back().options.emplace_back(entry.key(), entry.value().get<std::string>());
    }
    for (const Json &feature : list(object, "features"))
        run.features.emplace_back(get<std::string>(feature, "name"),
                                  get<std::string>(feature, "options"));
    run.host_features = get_known<std::vector<std::string>>(object, "host_features");
    run.warnings = get_known<std::vector<std::string>>(object, "warnings");
    if (!run.time_base.empty() &&
        (std::sscanf(run.time_base.c_str(), "%d/%d", &run.base[0], &run.base[1]) != 2 ||
         run.base[0] <= 0 || run.base[1] <= 0))
        throw Malformed("the time base is " + run.time_base);
}

RunPairing read_pairing(const Json &object)
{
    RunPairing pairing;
    VmafGpuPairing &counts = pairing.counts;
    pairing.rule = get<std::string>(object, "rule");
    pairing.start = get<std::string>(object, "start");
    counts.at_least = static_cast<int>(number(object, "at_least", 0, 1));
    for (const PairingCounts &field : pairing_counts(counts)) {
        const bool is_one = field.names.size() == 1;
        const Json &inner = is_one ? object : members(object, field.key);
        for (size_t i = 0; i < field.names.size(); ++i)
            *field.values[i] = number(inner, is_one ? field.key : field.names[i], 0);
    }
    for (const auto &[key, seconds] : kPairingSeconds)
        counts.*seconds = real(object, key);
    counts.warnings = static_cast<int>(number(object, "warnings", 0, kMostWarnings));
    counts.has_offset = object.contains("offset") ? 1 : 0;
    counts.offset = counts.has_offset != 0 ? number(object, "offset", -kMostPairs) : 0;
    counts.mismatch_pair = -1;
    if (object.contains("mismatch")) {
        const Json &mismatch = members(object, "mismatch");
        counts.mismatch_pair = number(mismatch, "pair", 0);
        counts.mismatch_time = real(mismatch, "time");
        counts.mismatch_offset = number(mismatch, "offset", -kMostPairs);
    }
    return pairing;
}

Mismatch read_mismatch(const Json &object)
{
    Mismatch mismatch;
    mismatch.pairs = number(object, "pairs", 0);
    mismatch.first = number(object, "first", -1);
    mismatch.time = number(object, "time", -kMostTime, kMostTime);
    mismatch.offset = number(object, "offset", -kMostPairs);
    mismatch.start = number(object, "start", -kMostPairs);
    mismatch.is_constant = number(object, "is_constant", 0, 1) != 0;
    mismatch.is_from_start = number(object, "is_from_start", 0, 1) != 0;
    return mismatch;
}

Disagreement read_pictures(const Json &object)
{
    Disagreement pictures;
    pictures.elsewhere = read_mismatch(members(object, "elsewhere"));
    pictures.unrelated = read_mismatch(members(object, "unrelated"));
    pictures.turn =
        static_cast<Turn>(number(object, "turn", 0, static_cast<int64_t>(Turn::kDisplaced)));
    pictures.agreeing = number(object, "agreeing", 0);
    return pictures;
}

/// What logs and parts have in common.
void read_run(const Json &whole, RunFacts &run)
{
    if (whole.contains("vmaf_gpu"))
        read_facts(members(whole, "vmaf_gpu"), run);
    if (whole.contains("pairing"))
        run.pairing = read_pairing(members(whole, "pairing"));
    if (whole.contains("fps"))
        run.fps = real(whole, "fps");
    run.incomplete = get_known(whole, "incomplete");
}

/// NaN if it is no number, or not there.
double number_of(const Json &object, const std::string &key)
{
    const auto value = object.find(key);
    return value != object.end() && value->is_number() ? value->get<double>() : kNan;
}

void add_frame(const Json &frame, ReadLog &log)
{
    const auto index = frame.find("frameNum");
    const auto metrics = frame.find("metrics");
    if (index == frame.end() || !index->is_number_integer() || metrics == frame.end() ||
        !metrics->is_object())
        throw Malformed("a frame has no frameNum or no metrics");
    const auto at = index->get<int64_t>();
    const size_t rows = log.table.rows();
    if (at < 0 || at >= kMostFrames || (rows > 0 && at <= log.table.index(rows - 1)))
        throw Malformed("frameNum " + std::to_string(at) + " is out of order");
    if (rows == 0) {
        std::vector<std::string> names;
        for (const auto &entry : metrics->items())
            names.push_back(entry.key());
        log.table = ScoreTable(std::move(names));
    }
    const std::vector<std::string> &names = log.table.names();
    if (names.empty())
        throw Malformed("a frame has no metrics");
    // Else a short text would take much memory.
    if (metrics->size() < names.size() / 2)
        throw Malformed("frame " + std::to_string(at) + " lacks most of the first one's metrics");
    std::vector<double> values;
    values.reserve(names.size());
    for (const std::string &name : names)
        values.push_back(number_of(*metrics, name));
    log.table.add(at, values.data());
    log.times.push_back(number_of(frame, "time"));
}

/// What a page is about: the models, or in a log of libvmaf the series "vmaf", or else the last
/// one.
std::vector<size_t> main_columns(const ReadLog &log)
{
    const auto &names = log.table.names();
    std::vector<std::string> wanted;
    for (const ModelFacts &model : log.models)
        wanted.push_back(model.name);
    if (wanted.empty())
        wanted.push_back("vmaf");
    std::vector<size_t> columns;
    for (const std::string &name : wanted) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found != names.end())
            columns.push_back(static_cast<size_t>(found - names.begin()));
    }
    if (columns.empty())
        columns.push_back(names.size() - 1);
    return columns;
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
        return text == "inf" ? HUGE_VAL : -HUGE_VAL;
    if (text == "nan" || text == "-nan")
        return std::copysign(kNan, text == "nan" ? 1.0 : -1.0);
    return std::nullopt;
}

/// The numbers of a list; none if one is malformed.
std::vector<double> exact_values(const Json &list)
{
    std::vector<double> values;
    values.reserve(list.size());
    for (const Json &value : list) {
        const auto found = exact(value);
        if (!found)
            return {};
        values.push_back(*found);
    }
    return values;
}

void read_ranges(const Json &ranges, std::vector<ModelFacts> &models)
{
    if (ranges.size() != models.size())
        throw Malformed("'ranges' has not one range for each model");
    for (size_t i = 0; i < models.size(); ++i) {
        const std::vector<double> ends = exact_values(ranges[i]);
        if (!ranges[i].is_array() || ends.size() != 2)
            throw Malformed("'ranges' is no list of pairs of numbers");
        models[i].range = {ends[0], ends[1]};
    }
}

/// Adds the words of a text. Returns false if it is something else.
bool add_hex_words(const std::string &text, std::vector<uint64_t> &words)
{
    constexpr size_t kDigits = 16;
    if (text.size() % kDigits != 0 ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
        return false;
    for (size_t at = 0; at < text.size(); at += kDigits)
        words.push_back(std::stoull(text.substr(at, kDigits), nullptr, 16));
    return true;
}

bool is_row(const Json &row)
{
    return row.is_array() && row.size() == 4 && row[0].is_number_integer() &&
           (row[1].is_null() || row[1].is_number_integer()) &&
           (row[2].is_null() || row[2].is_array()) && row[3].is_string();
}

/// The table's columns have no names yet.
void add_row(const Json &row, Part &part)
{
    const auto require = [&part](bool is_good) {
        if (!is_good)
            throw Malformed("row " + std::to_string(part.rows.size()) + " is malformed");
    };
    require(is_row(row));
    const auto index = row[0].get<int64_t>();
    require(index >= 0 && index <= kMostPairs &&
            (part.rows.empty() || index > part.rows.back().index));
    if (row[2].is_array()) {
        const std::vector<double> scores = exact_values(row[2]);
        const size_t columns = part.table.rows() > 0 ? part.table.names().size() : scores.size();
        require(scores.size() == columns && columns > 0 && columns <= kMostColumns);
        if (part.table.rows() == 0)
            part.table = ScoreTable(std::vector<std::string>(columns));
        part.table.add(index, scores.data());
    }
    part.rows.push_back({index, row[1].is_null() ? kUnknownTime : row[1].get<int64_t>()});
    require(add_hex_words(row[3].get<std::string>(), part.sums));
}

void name_columns(const std::vector<std::string> &columns, Part &part)
{
    if (columns.empty() || (part.table.rows() > 0 && columns.size() != part.table.names().size()))
        throw Malformed("its rows do not have " + std::to_string(columns.size()) + " columns");
    part.table.rename(columns);
    const auto counted =
        std::count_if(part.rows.begin(), part.rows.end(),
                      [&part](const PartRow &row) { return part.chunk.counts(row.index); });
    if (part.sums.size() != part.words * static_cast<size_t>(counted))
        throw Malformed("the Sums of a row are malformed");
}

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

void read_head(const Json &whole, Part &part)
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
    if (part.pairing)
        part.pairing->pictures = read_pictures(members(whole, "pictures"));
    part.fps = get<double>(whole, "fps"); // a log may lack these
    part.is_slowed_by_host = get_known<int>(whole, "slowed_by_host") != 0;
    if (!list(whole, "rows").empty()) // add_row() has got all lists
        throw Malformed("'rows' has a row that is no list");
    const auto columns = get<std::vector<std::string>>(whole, "columns");
    part.model_columns = numbers(whole, "models", size_t{0}, columns.size());
    read_ranges(list(whole, "ranges"), part.models);
    part.spatial = numbers(whole, "spatial", size_t{0}, columns.size());
    if (whole.contains("shots"))
        part.shots = read_shots(part.chunk, members(whole, "shots"));
    part.key = key_of(whole);
    name_columns(columns, part);
}

} // namespace

std::string json_string(const std::string &text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string valid_text(const std::string &text)
{
    return Json::parse(json_string(text)).get<std::string>();
}

double ReadLog::time_at(int64_t index) const
{
    const size_t row = table.find(index);
    return row < times.size() ? times[row] : kNan;
}

ReadLog read_log(const std::string &path)
{
    return read_log(*open_log(path, "log"), path);
}

ReadLog read_log(std::istream &text, const std::string &name)
{
    ReadLog log;
    read_json(name, "a JSON log of vmaf_gpu or libvmaf", [&] {
        const Json rest =
            parse_log(text, "frames", [&log](const Json &frame) { add_frame(frame, log); });
        if (!rest.is_object() || !rest.contains("frames"))
            throw Malformed("it has no frames");
        if (log.table.rows() == 0)
            throw Malformed("no frame was scored");
        read_run(rest, log);
    });
    log.model_columns = main_columns(log);
    return log;
}

Part read_part(const std::string &path)
{
    const std::unique_ptr<std::istream> file = open_log(path, "part");
    Part part;
    part.path = path;
    read_json(path, "a part log of this version", [&] {
        const Json whole =
            parse_log(*file, "rows", [&part](const Json &row) { add_row(row, part); });
        check_head(whole, path);
        read_head(whole, part);
    });
    return part;
}

} // namespace vmafgpu
