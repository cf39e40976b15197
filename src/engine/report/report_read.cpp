// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_read.h. Frames are taken out of the parser one by one: the tree of a long film would
// take gigabytes.
#include "report/report_read.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>

#include "base/error.h"

namespace vmafgpu {
namespace {

using Json = nlohmann::ordered_json;
using Event = nlohmann::detail::parse_event_t;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMostFrames = int64_t{1} << 31;

[[noreturn]] void refuse(const std::string &path, const std::string &why)
{
    throw Error(EINVAL, "'" + path + "' is not a JSON log of vmaf_gpu or libvmaf: " + why);
}

class FrameReader {
public:
    explicit FrameReader(std::string path, ReadLog &log) : path_(std::move(path)), log_(log) {}

    /// For the parser: false where it may forget what it has read.
    bool operator()(int depth, Event event, const Json &value)
    {
        if (depth == 1 && event == Event::key)
            is_in_frames_ = value == "frames";
        if (!is_in_frames_ || depth != 2 || event != Event::object_end)
            return true;
        add(value);
        return false;
    }

private:
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
        row_.clear();
        for (const std::string &name : log_.table.names()) {
            const auto value = metrics->find(name);
            row_.push_back(value == metrics->end() ? kNan : number(*value));
        }
        log_.table.add(at, row_.data());
        const auto time = frame.find("time");
        if (time == frame.end())
            return;
        log_.times.resize(static_cast<size_t>(at), kNan);
        log_.times.push_back(number(*time));
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

} // namespace

ReadLog read_log(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file || file.peek() == std::ifstream::traits_type::eof()) {
        const int code = !file && errno != 0 ? errno : EINVAL;
        throw Error(code,
                    "cannot read log '" + path + "': " +
                        (code == EINVAL ? "it is empty" : std::generic_category().message(code)));
    }
    ReadLog log;
    FrameReader reader(path, log);
    Json rest;
    try {
        rest = Json::parse(file, [&reader](int depth, Event event, Json &value) {
            return reader(depth, event, value);
        });
    } catch (const Json::exception &error) {
        refuse(path, error.what());
    }
    if (!rest.is_object() || !rest.contains("frames"))
        refuse(path, "it has no frames");
    if (log.table.rows() == 0)
        refuse(path, "no frame was scored");
    if (rest.contains("vmaf_gpu"))
        read_run(rest["vmaf_gpu"], log);
    if (rest.contains("pairing"))
        read_pairing(rest["pairing"], log);
    return log;
}

} // namespace vmafgpu
