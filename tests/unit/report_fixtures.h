// SPDX-License-Identifier: BSD-2-Clause-Patent
// Temporary folders and a log's text for the report tests.
#pragma once

#include <gtest/gtest.h>

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/error.h"
#include "model_fixtures.h"
#include "report/report.h"

namespace vmafgpu {

/// An empty folder that goes with the object.
class TemporaryFolder {
public:
    TemporaryFolder() : path_(::testing::TempDir() + "/vmafgpu_report_XXXXXX")
    {
        if (mkdtemp(path_.data()) == nullptr)
            throw Error(errno, "cannot make " + path_);
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string operator/(const std::string &name) const { return path_ + "/" + name; }
    /// Names of all that is in it, in order.
    std::vector<std::string> list() const
    {
        std::vector<std::string> names;
        for (const auto &entry : std::filesystem::directory_iterator(path_))
            names.push_back(entry.path().filename());
        std::sort(names.begin(), names.end());
        return names;
    }

private:
    std::string path_;
};

inline std::string read_text(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void put(const std::string &path, const std::string &text)
{
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// Times of the pairs 0, 1 and so on; they must stay with the run.
inline VmafGpuRun run_with_times(const std::vector<int64_t> &pts, int num, int den)
{
    VmafGpuRun run = {};
    run.struct_size = sizeof(run);
    run.pts = pts.data();
    run.pts_count = static_cast<int64_t>(pts.size());
    run.time_base_num = num;
    run.time_base_den = den;
    return run;
}

inline VmafGpuLog default_log()
{
    VmafGpuLog log = {};
    log.precision = 6;
    log.fps = 12.345678;
    return log;
}

inline void write_to(const std::string &path, const ScoreTable &history, const char *format,
                     VmafGpuLog log = default_log(), const RunFacts &known = {})
{
    log.path = path.c_str();
    log.format = format;
    RunFacts run = known;
    run.width = 576;
    run.height = 324;
    if (run.model_columns.empty())
        run.model_columns = {history.names().size() - 1};
    add_log(log, run);
    write_report({history, run, log});
}

/// Facts that the engine adds to each log.
inline RunFacts known_run()
{
    RunFacts run;
    run.version = vmafgpu_version();
    return run;
}

/// The whole log, with V in the place of the library's version.
inline std::string report_text(const ScoreTable &history, const char *format,
                               const VmafGpuLog &log = default_log(), const RunFacts &known = {})
{
    const TemporaryFolder folder;
    write_to(folder / "log", history, format, log, known);
    std::string text = read_text(folder / "log");
    const std::string version = std::string("\"") + vmafgpu_version() + "\"";
    for (size_t at = 0; (at = text.find(version, at)) != std::string::npos;)
        text.replace(at, version.size(), "\"V\"");
    return text;
}

} // namespace vmafgpu
