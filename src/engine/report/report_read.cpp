// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_read.h. Frames are taken out of the parser one by one: the tree of a long film would
// take gigabytes.
#include "report/report_read.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/system.h"
#include "report/json_parse.h"

namespace vmafgpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMostFrames = int64_t{1} << 31;
constexpr int kMostLevels = 16; // a log has 6
constexpr int kMostEntries = 1024;
constexpr size_t kMostText = 200;

[[noreturn]] void refuse(const std::string &path, const std::string &why)
{
    throw Error(EINVAL, "'" + path + "' is not a JSON log of vmaf_gpu or libvmaf: " + why);
}

class FrameReader {
public:
    explicit FrameReader(std::string path, ReadLog &log) : path_(std::move(path)), log_(log) {}

    /// For the parser: false where it may forget what it has read.
    bool operator()(int depth, JsonEvent event, const Json &value)
    {
        check_size(depth, event);
        if (depth == 1 && event == JsonEvent::key)
            is_in_frames_ = value == "frames";
        if (!is_in_frames_ || depth != 2 || event != JsonEvent::object_end)
            return true;
        add(value);
        return false;
    }

private:
    /// Objects look keys up one by one, the parser looks through a list at the end of each of its
    /// objects, and trees are written by recursion. Frames are not kept.
    void check_size(int depth, JsonEvent event)
    {
        if (depth > kMostLevels)
            refuse(path_, "nested more than " + std::to_string(kMostLevels) + " levels deep");
        const bool is_start = event == JsonEvent::object_start || event == JsonEvent::array_start;
        if (is_start)
            entries_[static_cast<size_t>(depth) + 1] = 0;
        const bool is_frame = is_in_frames_ && depth == 2 && event == JsonEvent::object_start;
        if ((is_start || event == JsonEvent::value) && !is_frame &&
            ++entries_[static_cast<size_t>(depth)] > kMostEntries)
            refuse(path_,
                   "an object or list has more than " + std::to_string(kMostEntries) + " entries");
    }

    static double number(const Json &value)
    {
        return value.is_number() ? value.get<double>() : kNan;
    }

    void add(const Json &frame)
    {
        const auto index = frame.find("frameNum");
        const auto metrics = frame.find("metrics");
        if (index == frame.end() || !index->is_number_integer() || metrics == frame.end() ||
            !metrics->is_object())
            refuse(path_, "a frame has no frameNum or no metrics");
        const auto at = index->get<int64_t>();
        if (at < 0 || at >= kMostFrames ||
            (log_.table.rows() > 0 && at <= log_.table.index(log_.table.rows() - 1)))
            refuse(path_, "frameNum " + std::to_string(at) + " is out of order");
        if (log_.table.rows() == 0)
            name_columns(*metrics);
        // Else a short text would take much memory.
        if (metrics->size() < log_.table.names().size() / 2)
            refuse(path_, "frame " + std::to_string(at) + " lacks most of the first one's metrics");
        row_.clear();
        for (const std::string &name : log_.table.names()) {
            const auto value = metrics->find(name);
            row_.push_back(value == metrics->end() ? kNan : number(*value));
        }
        log_.table.add(at, row_.data());
        const auto time = frame.find("time");
        log_.times.push_back(time == frame.end() ? kNan : number(*time));
    }

    void name_columns(const Json &metrics)
    {
        std::vector<std::string> names;
        for (const auto &entry : metrics.items())
            names.push_back(entry.key());
        if (names.empty())
            refuse(path_, "a frame has no metrics");
        log_.table = ScoreTable(std::move(names));
    }

    std::string path_;
    ReadLog &log_;
    bool is_in_frames_ = false;
    std::array<int, kMostLevels + 2> entries_ = {}; ///< of what is open at each level
    std::vector<double> row_;
};

std::string text_of(const Json &object, const char *key)
{
    const auto value = object.find(key);
    if (value == object.end())
        return "";
    return value->is_string() ? value->get<std::string>() : value->dump();
}

void read_run(const Json &run, ReadLog &log)
{
    if (!run.is_object())
        return;
    log.title = text_of(run, "title");
    log.options = text_of(run, "options");
    log.pictures = text_of(run, "width") + "×" + text_of(run, "height") + ", " +
                   text_of(run, "depth") + " bit";
    log.device = text_of(run, "backend") + " (" + text_of(run, "device") + ")";
    const auto models = run.find("models");
    if (models != run.end() && models->is_array())
        for (const Json &model : *models)
            if (model.is_object())
                log.models.push_back({text_of(model, "name"),
                                      text_of(model, "source"),
                                      text_of(model, "digest"),
                                      {}});
    const auto warnings = run.find("warnings");
    if (warnings != run.end() && warnings->is_array())
        for (const Json &warning : *warnings)
            if (warning.is_string())
                log.warnings.push_back(warning.get<std::string>());
}

void read_pairing(const Json &pairing, ReadLog &log)
{
    if (pairing.is_object())
        log.pairs = text_of(pairing, "pairs") + " pairs of " + text_of(pairing, "main_frames") +
                    " main and " + text_of(pairing, "reference_frames") +
                    " reference frames (pair=" + text_of(pairing, "rule") + ")";
}

/// In one line, without a token that may be the whole file.
std::string tidy(const std::string &text)
{
    std::string result = text.substr(0, std::min(text.find("; last read"), kMostText));
    for (char &c : result)
        c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return result;
}

} // namespace

double ReadLog::time_at(int64_t index) const
{
    const size_t row = table.find(index);
    return row < times.size() ? times[row] : kNan;
}

ReadLog read_log(const std::string &path)
{
    const std::unique_ptr<std::istream> opened = open_text(path);
    std::istream &file = *opened;
    if (!file || file.peek() == std::istream::traits_type::eof()) {
        const int code = !file && errno != 0 ? errno : EINVAL;
        throw Error(code,
                    "cannot read log '" + path + "': " +
                        (code == EINVAL ? "it is empty" : std::generic_category().message(code)));
    }
    return read_log(file, path);
}

ReadLog read_log(std::istream &text, const std::string &name)
{
    ReadLog log;
    FrameReader reader(name, log);
    Json rest;
    try {
        rest = parse_log(text, [&reader](int depth, JsonEvent event, Json &value) {
            return reader(depth, event, value);
        });
    } catch (const Json::exception &error) {
        refuse(name, tidy(error.what()));
    }
    if (!rest.is_object() || !rest.contains("frames"))
        refuse(name, "it has no frames");
    if (log.table.rows() == 0)
        refuse(name, "no frame was scored");
    if (rest.contains("incomplete"))
        log.warnings.push_back("incomplete: " + text_of(rest, "incomplete"));
    if (rest.contains("vmaf_gpu"))
        read_run(rest["vmaf_gpu"], log);
    if (rest.contains("pairing"))
        read_pairing(rest["pairing"], log);
    return log;
}

} // namespace vmafgpu
