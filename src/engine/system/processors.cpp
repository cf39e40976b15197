// SPDX-License-Identifier: BSD-2-Clause-Patent
// See processors.h. Version 2 of control groups has its limit in cpu.max, version 1 in two files of
// the controller "cpu". Each folder up to the root may have one, and the smallest counts.
#include "system/processors.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "system/system.h"

namespace vmafgpu {

namespace {

constexpr int kMostProcessors = 8192;

/// Processors of a time per period, 0 if there is no limit.
int processors_of(double time, double period)
{
    if (!(time > 0) || !(period > 0) || time / period > kMostProcessors)
        return 0;
    const double ratio = time / period;
    const int whole = static_cast<int>(ratio);
    return std::max(1, whole < ratio ? whole + 1 : whole);
}

double read_number(const std::string &path)
{
    std::ifstream file(path);
    double number = 0;
    return file >> number ? number : 0;
}

/// The limit that one folder sets.
int limit_of(const std::string &folder, bool is_unified)
{
    if (!is_unified)
        return processors_of(read_number(folder + "/cpu.cfs_quota_us"),
                             read_number(folder + "/cpu.cfs_period_us"));
    std::ifstream file(folder + "/cpu.max");
    double time = 0;
    double period = 0;
    return file >> time >> period ? processors_of(time, period) : 0; // "max 100000": no limit
}

/// The smallest limit from a folder up to the root; 0: none.
int limit_upwards(const std::string &root, std::string group, bool is_unified)
{
    int least = 0;
    for (;;) {
        const int limit = limit_of(root + group, is_unified);
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        const size_t slash = group.rfind('/');
        if (slash == std::string::npos)
            return least;
        group.resize(slash);
    }
}

bool has_word(const std::string &list, const std::string &word)
{
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

} // namespace

int processors_of_quota(const std::string &groups, const std::string &root)
{
    std::istringstream lines(groups);
    std::string line;
    int least = 0;
    while (std::getline(lines, line)) { // "0::/group" or "4:cpu,cpuacct:/group"
        const size_t first = line.find(':');
        const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos)
            continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool is_unified = controllers.empty();
        if (!is_unified && !has_word(controllers, "cpu"))
            continue;
        const std::string group = line.substr(second + 1);
        for (const std::string &mounted :
             is_unified ? std::vector<std::string>{root, root + "/unified"}
                        : std::vector<std::string>{
                              std::string(root).append("/").append(controllers), root + "/cpu"}) {
            const int limit = limit_upwards(mounted, group == "/" ? "" : group, is_unified);
            if (limit > 0 && (least == 0 || limit < least))
                least = limit;
        }
    }
    return least;
}

int available_processors()
{
    std::ifstream file("/proc/self/cgroup");
    std::ostringstream groups;
    groups << file.rdbuf();
    const int limit = processors_of_quota(groups.str(), "/sys/fs/cgroup");
    const int processors = own_processors();
    return limit > 0 ? std::min(limit, processors) : processors;
}

} // namespace vmafgpu
