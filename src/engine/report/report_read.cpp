// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_read.h.
#include "report/report_read.h"

#include <algorithm>
#include <istream>
#include <limits>

#include "report/json_read.h"

namespace vmafgpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMostFrames = int64_t{1} << 31;

class FrameReader {
public:
    explicit FrameReader(ReadLog &log) : log_(log) {}

    void add(const Json &frame)
    {
        const auto index = frame.find("frameNum");
        const auto metrics = frame.find("metrics");
        if (index == frame.end() || !index->is_number_integer() || metrics == frame.end() ||
            !metrics->is_object())
            throw Malformed("a frame has no frameNum or no metrics");
        const auto at = index->get<int64_t>();
        if (at < 0 || at >= kMostFrames ||
            (log_.table.rows() > 0 && at <= log_.table.index(log_.table.rows() - 1)))
            throw Malformed("frameNum " + std::to_string(at) + " is out of order");
        if (log_.table.rows() == 0)
            name_columns(*metrics);
        // Else a short text would take much memory.
        if (metrics->size() < log_.table.names().size() / 2)
            throw Malformed("frame " + std::to_string(at) +
                            " lacks most of the first one's metrics");
        row_.clear();
        for (const std::string &name : log_.table.names()) {
            const auto value = metrics->find(name);
            row_.push_back(value == metrics->end() ? kNan : number(*value));
        }
        log_.table.add(at, row_.data());
        const auto time = frame.find("time");
        log_.times.push_back(time == frame.end() ? kNan : number(*time));
    }

private:
    static double number(const Json &value)
    {
        return value.is_number() ? value.get<double>() : kNan;
    }

    void name_columns(const Json &metrics)
    {
        std::vector<std::string> names;
        for (const auto &entry : metrics.items())
            names.push_back(entry.key());
        if (names.empty())
            throw Malformed("a frame has no metrics");
        log_.table = ScoreTable(std::move(names));
    }

    ReadLog &log_;
    std::vector<double> row_;
};

/// What a page is about: the models, or in a log of libvmaf the series "vmaf", or else the last
/// one.
std::vector<size_t> main_columns(const ReadLog &log)
{
    const auto &names = log.table.names();
    std::vector<std::string> wanted;
    for (const ModelFacts &model : log.facts.models)
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

} // namespace

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
    FrameReader reader(log);
    read_json(name, "a JSON log of vmaf_gpu or libvmaf", [&] {
        const Json rest =
            parse_log(text, "frames", [&reader](const Json &frame) { reader.add(frame); });
        if (!rest.is_object() || !rest.contains("frames"))
            throw Malformed("it has no frames");
        if (log.table.rows() == 0)
            throw Malformed("no frame was scored");
        if (rest.contains("incomplete"))
            log.incomplete = get<std::string>(rest, "incomplete");
        read_run(rest, log);
    });
    log.model_columns = main_columns(log);
    return log;
}

} // namespace vmafgpu
