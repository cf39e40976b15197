// SPDX-License-Identifier: BSD-2-Clause-Patent
// See part_read.h. Rows are taken out of the parser one by one: the tree of a long chunk would take
// much memory.
#include "report/part_read.h"

#include <cerrno>
#include <cmath>
#include <istream>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/sketch.h"
#include "base/system.h"
#include "report/json_parse.h"
#include "report/report_part.h"

namespace vmafgpu {
namespace {

constexpr int64_t kMostPairs = int64_t{1} << 40;
constexpr size_t kMostColumns = 1024;
constexpr int kMostLevels = 16; // a part has 6
constexpr size_t kHexDigits = 16;
constexpr int64_t kMostWarnings = 1000;

[[noreturn]] void refuse(const std::string &path, const std::string &why)
{
    throw Error(EINVAL, "'" + path + "' is not a part log of this version: " + why);
}

/// Members of one object, checked.
class Object {
public:
    Object(std::string path, const Json &json) : path_(std::move(path)), json_(json)
    {
        if (!json.is_object())
            refuse(path_, "an object is missing");
    }

    const Json &at(const char *key) const
    {
        const auto found = json_.find(key);
        if (found == json_.end())
            refuse(path_, std::string("it has no '") + key + "'");
        return *found;
    }
    const Json &list(const char *key) const
    {
        const Json &value = at(key);
        if (!value.is_array())
            refuse(path_, std::string("'") + key + "' is no list");
        return value;
    }
    int64_t number(const char *key, int64_t least, int64_t most = kMostPairs) const
    {
        const Json &value = at(key);
        if (!value.is_number_integer())
            refuse(path_, std::string("'") + key + "' is no whole number");
        const bool is_beyond = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
        const auto found = is_beyond ? INT64_MAX : value.get<int64_t>();
        if (found < least || found > most)
            refuse(path_, std::string("'") + key + "' is " + std::to_string(found) + "; allowed: " +
                              std::to_string(least) + " to " + std::to_string(most));
        return found;
    }
    std::string text(const char *key) const
    {
        const Json &value = at(key);
        if (!value.is_string())
            refuse(path_, std::string("'") + key + "' is no text");
        return value.get<std::string>();
    }
    std::string known_text(const char *key) const { return json_.contains(key) ? text(key) : ""; }
    /// Empty if it is not there.
    std::vector<std::string> texts(const char *key) const
    {
        std::vector<std::string> found;
        if (!json_.contains(key))
            return found;
        for (const Json &value : list(key)) {
            if (!value.is_string())
                refuse(path_, std::string("'") + key + "' is no list of texts");
            found.push_back(value.get<std::string>());
        }
        return found;
    }
    /// The members of an object of its own: names has one for each number.
    template <size_t count>
    void numbers(const char *key, const char *const (&names)[count], int64_t (&out)[count]) const
    {
        const Object inner(path_, at(key));
        for (size_t i = 0; i < count; ++i)
            out[i] = inner.number(names[i], 0);
    }
    double real(const char *key) const
    {
        const Json &value = at(key);
        if (!value.is_number())
            refuse(path_, std::string("'") + key + "' is no number");
        return value.get<double>();
    }
    std::vector<size_t> columns(const char *key, size_t count) const
    {
        std::vector<size_t> found;
        for (const Json &value : list(key)) {
            if (!value.is_number_unsigned() || value.get<uint64_t>() >= count)
                refuse(path_, std::string("'") + key + "' names a column that is not there");
            found.push_back(value.get<size_t>());
        }
        return found;
    }
    /// Ascending, from least to most - 1.
    std::vector<int64_t> indices(const char *key, int64_t least, int64_t most) const
    {
        std::vector<int64_t> found;
        for (const Json &value : list(key)) {
            const int64_t index = value.is_number_unsigned() ? value.get<int64_t>() : -1;
            if (index < least || index >= most || (!found.empty() && index <= found.back()))
                refuse(path_, std::string("'") + key + "' is no list of pairs of the chunk");
            found.push_back(index);
        }
        return found;
    }
    TextPairs pairs(const char *key) const
    {
        TextPairs found;
        if (!at(key).is_object())
            refuse(path_, std::string("'") + key + "' is no object");
        for (const auto &entry : at(key).items()) {
            if (!entry.value().is_string())
                refuse(path_, std::string("'") + key + "' has an option that is no text");
            found.emplace_back(entry.key(), entry.value().get<std::string>());
        }
        return found;
    }

private:
    std::string path_;
    const Json &json_;
};

int chroma_of(const std::string &path, const std::string &name)
{
    static const char *const names[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    for (int i = 0; i < 4; ++i)
        if (name == names[i])
            return i;
    refuse(path, "unknown chroma " + name);
}

void read_time_base(const std::string &text, Part &part)
{
    if (text.empty())
        return;
    const size_t slash = text.find('/');
    part.time_base[0] = std::atoi(text.c_str());
    part.time_base[1] = slash == std::string::npos ? 0 : std::atoi(text.c_str() + slash + 1);
    if (part.time_base[0] <= 0 || part.time_base[1] <= 0)
        refuse(part.path, "the time base is " + text);
}

void read_facts(const Json &json, Part &part)
{
    const Object run(part.path, json);
    EngineFacts &facts = part.facts;
    if (run.text("version") != VMAFGPU_VERSION)
        refuse(part.path,
               "version " + run.text("version") + " wrote it, this is " + VMAFGPU_VERSION);
    part.width = static_cast<int>(run.number("width", VMAFGPU_MIN_SIZE, 65535));
    part.height = static_cast<int>(run.number("height", VMAFGPU_MIN_SIZE, 65535));
    facts.depth = static_cast<int>(run.number("depth", 8, 16));
    facts.chroma = chroma_of(part.path, run.text("chroma"));
    facts.compat = run.text("compat") == "3.1" ? VMAFGPU_COMPAT_3_1 : VMAFGPU_COMPAT_3_2;
    facts.subsample = static_cast<int>(run.number("subsample", 1, INT32_MAX));
    facts.scaler = run.known_text("scaler");
    facts.colours = run.known_text("colours");
    for (const Json &value : run.list("models")) {
        const Object model(part.path, value);
        facts.models.push_back({model.text("name"), model.text("source"), model.text("digest"),
                                model.pairs("options")});
    }
    for (const Json &value : run.list("features")) {
        const Object feature(part.path, value);
        facts.features.emplace_back(feature.text("name"), feature.text("options"));
    }
    facts.host_features = run.texts("host_features");
    facts.warnings = run.texts("warnings");
    part.backend = run.text("backend");
    part.device = run.text("device");
    part.title = run.known_text("title");
    part.main_format = run.known_text("main_format");
    part.reference_format = run.known_text("reference_format");
    part.options = run.known_text("options");
    read_time_base(run.known_text("time_base"), part);
}

PartPairing read_pairing(const std::string &path, const Json &json)
{
    static const char *const places[] = {"begin", "middle", "end"};
    static const char *const inputs[] = {"main", "reference"};
    const Object object(path, json);
    PartPairing pairing;
    VmafGpuPairing &counts = pairing.counts;
    pairing.rule = object.text("rule");
    pairing.start = object.text("start");
    counts.struct_size = sizeof(counts);
    counts.at_least = static_cast<int>(object.number("at_least", 0, 1));
    counts.main_frames = object.number("main_frames", 0);
    counts.reference_frames = object.number("reference_frames", 0);
    counts.pairs = object.number("pairs", 0);
    counts.repeated_main = object.number("repeated_main", 0);
    counts.repeated_reference = object.number("repeated_reference", 0);
    object.numbers("unpaired_main", places, counts.unpaired_main);
    object.numbers("unpaired_reference", places, counts.unpaired_reference);
    counts.disabled_main = object.number("disabled_main", 0);
    counts.disabled_reference = object.number("disabled_reference", 0);
    counts.by_number = object.number("by_number", 0);
    counts.corrections = object.number("corrections", 0);
    object.numbers("without_time", inputs, counts.without_time);
    object.numbers("backward_time", inputs, counts.backward_time);
    object.numbers("damaged", inputs, counts.damaged);
    if (json.contains("film_grain")) // the first parts did not count it
        object.numbers("film_grain", inputs, counts.film_grain);
    counts.start_offset = object.real("start_offset");
    counts.shift = object.real("shift");
    counts.distance_median = object.real("distance_median");
    counts.distance_largest = object.real("distance_largest");
    counts.warnings = static_cast<int>(object.number("warnings", 0, kMostWarnings));
    counts.has_offset = json.contains("offset");
    if (counts.has_offset != 0)
        counts.offset = object.number("offset", -kMostPairs);
    return pairing;
}

/// A number, or a text that stands for infinity or NaN; nothing: it is neither.
std::optional<double> read_exact(const Json &value)
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

void read_ranges(const Json &list, Part &part)
{
    std::vector<ModelFacts> &models = part.facts.models;
    if (list.size() != models.size())
        refuse(part.path, "'ranges' has not one range for each model");
    for (size_t i = 0; i < models.size(); ++i) {
        const bool is_pair = list[i].is_array() && list[i].size() == 2;
        const auto min = read_exact(is_pair ? list[i][0] : Json());
        const auto max = read_exact(is_pair ? list[i][1] : Json());
        if (!min || !max)
            refuse(part.path, "'ranges' is no list of pairs of numbers");
        models[i].range = {*min, *max};
    }
}

std::vector<uint8_t> read_sketch(const std::string &path, const std::string &text)
{
    if (text.size() != size_t{2} * kSketchBytes ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse(path, "a sketch of its shots is malformed");
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
    return bytes;
}

Shots read_shots(const Part &part, const Json &json)
{
    const Object object(part.path, json);
    const auto read = [&](const char *key) {
        return object.indices(key, part.chunk.begin, part.chunk.end);
    };
    Shots shots;
    shots.are_given = object.text("source") == "file";
    shots.cuts = {read("cuts"), read("main_only"), read("reference_only")};
    for (const Json &value : object.list("edges")) {
        const Object edge(part.path, value);
        shots.edges.push_back({edge.number("index", part.chunk.begin, part.chunk.end - 1),
                               {read_sketch(part.path, edge.text("main")),
                                read_sketch(part.path, edge.text("reference"))}});
    }
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

class RowReader {
public:
    explicit RowReader(Part &part) : part_(part) {}

    /// For the parser: false where it may forget what it has read.
    bool operator()(int depth, JsonEvent event, const Json &value)
    {
        if (depth > kMostLevels)
            refuse(part_.path, "it is nested too deep");
        if (depth == 1 && event == JsonEvent::key)
            is_in_rows_ = value == "rows";
        if (!is_in_rows_ || depth != 2 || event != JsonEvent::array_end)
            return true;
        add(value);
        return false;
    }

    const std::vector<std::string> &sums() const { return sums_; }
    const std::vector<double> &values() const { return values_; }

private:
    [[noreturn]] void refuse_row() const
    {
        refuse(part_.path, "row " + std::to_string(part_.rows.size()) + " is malformed");
    }

    double number(const Json &value) const
    {
        const auto found = read_exact(value);
        if (!found)
            refuse_row();
        return *found;
    }

    void add(const Json &row)
    {
        const bool is_row = row.size() == 4 && row[0].is_number_integer() &&
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
            values_.push_back(number(value));
        part_.rows.push_back(
            {index, row[1].is_null() ? kUnknownTime : row[1].get<int64_t>(), row[2].is_array()});
        sums_.push_back(row[3].get<std::string>());
    }

    Part &part_;
    bool is_in_rows_ = false;
    size_t columns_ = 0;
    std::vector<double> values_;    ///< of all rows
    std::vector<std::string> sums_; ///< of all rows, as hexadecimal digits
};

void add_sums(const std::string &text, Part &part)
{
    if (text.size() != part.words * kHexDigits ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse(part.path, "the Sums of a row are malformed");
    for (size_t i = 0; i < part.words; ++i)
        part.sums.push_back(std::stoull(text.substr(i * kHexDigits, kHexDigits), nullptr, 16));
}

/// The table and the Sums, once it is known what the columns are.
void fill_table(const RowReader &reader, const std::vector<std::string> &columns, Part &part)
{
    part.table = ScoreTable(columns);
    const double *values = reader.values().data();
    for (size_t i = 0; i < part.rows.size(); ++i) {
        const PartRow &row = part.rows[i];
        if (row.is_scored) {
            part.table.add(row.index, values);
            values += columns.size();
        }
        if (part.chunk.counts(row.index))
            add_sums(reader.sums()[i], part);
    }
}

void read_head(const Json &whole, const RowReader &reader, Part &part)
{
    const Object object(part.path, whole);
    const Object chunk(part.path, object.at("chunk"));
    part.chunk.first = chunk.number("first", 0);
    part.chunk.begin = chunk.number("begin", part.chunk.first);
    part.chunk.end = chunk.number("end", part.chunk.begin + 1);
    part.chunk.total = chunk.number("total", 0);
    part.reached = object.number("reached", part.chunk.end);
    part.before = object.number("before", 0);
    part.after = object.number("after", 0);
    part.repeated_main = object.number("repeated_main", -1);
    part.repeated_reference = object.number("repeated_reference", -1);
    part.fps = object.at("fps").is_number() ? object.at("fps").get<double>() : 0;
    part.words = static_cast<size_t>(object.number("aggregate_words", 0, 4096));
    read_facts(object.at("vmaf_gpu"), part);
    object.list("columns");           // there must be one
    if (!object.list("rows").empty()) // RowReader has taken all lists out of it
        refuse(part.path, "'rows' has a row that is no list");
    const std::vector<std::string> columns = object.texts("columns");
    part.model_columns = object.columns("models", columns.size());
    if (whole.contains("ranges")) // the first parts did not have them
        read_ranges(object.list("ranges"), part);
    part.spatial = object.columns("spatial", columns.size());
    if (whole.contains("pairing"))
        part.pairing = read_pairing(part.path, whole.at("pairing"));
    if (whole.contains("shots"))
        part.shots = read_shots(part, whole.at("shots"));
    part.key = key_of(whole);
    size_t scored = 0;
    for (const PartRow &row : part.rows)
        scored += row.is_scored ? 1 : 0;
    if (columns.empty() || reader.values().size() != scored * columns.size())
        refuse(part.path, "its rows do not have " + std::to_string(columns.size()) + " columns");
    fill_table(reader, columns, part);
}

void check_head(const std::string &path, const Json &whole)
{
    const Object object(path, whole);
    if (object.text("schema") != kPartSchema)
        refuse(path, "its schema is " + object.text("schema"));
    if (object.number("numerics", 0) != kNumericsVersion)
        refuse(path, "its numerics are of version " + std::to_string(object.number("numerics", 0)) +
                         ", these of version " + std::to_string(kNumericsVersion));
    if (whole.contains("incomplete"))
        throw Error(EINVAL, "the part '" + path + "' is incomplete: " + object.text("incomplete"));
}

} // namespace

Part read_part(const std::string &path)
{
    const std::unique_ptr<std::istream> file = open_text(path);
    if (!*file || file->peek() == std::istream::traits_type::eof()) {
        const int code = !*file && errno != 0 ? errno : EINVAL;
        throw Error(code,
                    "cannot read part '" + path + "': " +
                        (code == EINVAL ? "it is empty" : std::generic_category().message(code)));
    }
    Part part;
    part.path = path;
    RowReader reader(part);
    try {
        const Json whole = parse_log(*file, [&reader](int depth, JsonEvent event, Json &value) {
            return reader(depth, event, value);
        });
        check_head(path, whole);
        read_head(whole, reader, part);
    } catch (const Json::exception &error) {
        refuse(path, error.what());
    }
    return part;
}

} // namespace vmafgpu
