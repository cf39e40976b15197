// SPDX-License-Identifier: BSD-2-Clause-Patent
// Calls counted and made to fail, handles, the verdict at exit. See standin.h.
// The lock that makes all this safe is held by entry_*.cpp.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include <unistd.h>

#include "standin.h"

namespace vmafgpu {
namespace standin {

namespace {

constexpr int kBadExit = 86;

struct Failure {
    std::string name; ///< "" = any call, "lost" and "broken" = any call from then on
    int number = 0;   ///< 0 = every one
    int code = 0;
};

struct Handle {
    Kind kind;
    int place;
};

struct Rig {
    std::vector<Failure> failures;
    std::vector<const char *> calls; ///< names, which are constants
    std::map<std::string, int> count;
    std::map<const void *, Handle> handles;
    int misuses = 0;
    int left = 0;
    int most_streams = 0;
    int urgent_streams = 0;
    bool is_set = false;
    bool has_failed = false; ///< a call was made to fail since the failures were set
};

Rig &rig()
{
    static Rig *const instance = new Rig; // outlives every static of the program
    return *instance;
}

Failure parse(const std::string &text)
{
    const size_t equals = text.find('=');
    const size_t hash = text.find('#');
    Failure failure;
    if (equals == std::string::npos) {
        std::fprintf(stderr, "standin: bad VMAFGPU_STANDIN_FAIL item '%s'\n", text.c_str());
        _exit(kBadExit);
    }
    const std::string number = hash == std::string::npos ? text.substr(0, equals)
                                                         : text.substr(hash + 1, equals - hash - 1);
    failure.name = hash == std::string::npos ? "" : text.substr(0, hash);
    failure.number = std::atoi(number.c_str());
    failure.code = std::atoi(text.c_str() + equals + 1);
    return failure;
}

void set_failures(const std::string &list)
{
    Rig &all = rig();
    all.failures.clear();
    std::istringstream items(list);
    for (std::string item; std::getline(items, item, ',');)
        all.failures.push_back(parse(item));
    all.calls.clear();
    all.count.clear();
    all.left = 0;
    all.most_streams = 0;
    all.urgent_streams = 0;
    all.has_failed = false;
    all.is_set = true;
}

const char *name_of(Kind kind)
{
    switch (kind) {
    case Kind::kContext:
        return "context";
    case Kind::kModule:
        return "module";
    case Kind::kStream:
        return "stream";
    case Kind::kEvent:
        return "event";
    case Kind::kDeviceMemory:
        return "device memory";
    case Kind::kHostMemory:
        return "pinned memory";
    case Kind::kImport:
        return "imported memory";
    }
    return "?";
}

int alive()
{
    return static_cast<int>(rig().handles.size());
}

/// Returns true if the call only chooses the thread's device. Such a call works on a failing
/// device, too.
bool only_makes_current(const std::string &call)
{
    return call == "hipGetDevice" || call == "hipSetDevice" || call == "cuCtxPushCurrent" ||
           call == "cuCtxPopCurrent";
}

bool is_hit(const Failure &failure, const std::string &call, int of_all, int of_name)
{
    if (failure.name == "lost")
        return of_all >= failure.number;
    if (failure.name == "broken")
        return of_all >= failure.number && !only_makes_current(call);
    if (failure.name.empty())
        return of_all == failure.number;
    return failure.name == call && (failure.number == 0 || of_name == failure.number);
}

void write_log()
{
    const std::string path = setting("VMAFGPU_STANDIN_LOG", "");
    FILE *file = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
    if (!file)
        return;
    for (const char *name : rig().calls)
        std::fprintf(file, "%s\n", name);
    std::fclose(file);
}

__attribute__((destructor)) void verdict()
{
    write_log();
    if (alive() == 0 && rig().misuses == 0)
        return;
    for (const auto &[address, handle] : rig().handles)
        std::fprintf(stderr, "standin: LEAK of %s %p\n", name_of(handle.kind), address);
    std::fprintf(stderr, "standin: %d handles leaked, %d calls misused\n", alive(), rig().misuses);
    std::fflush(nullptr);
    _exit(kBadExit);
}

} // namespace

std::string setting(const char *name, const std::string &otherwise)
{
    const char *text = std::getenv(name);
    return text && *text ? text : otherwise;
}

int number_setting(const char *name, int otherwise)
{
    const std::string text = setting(name, "");
    return text.empty() ? otherwise : std::atoi(text.c_str());
}

std::string list_setting(const char *name, int i, const std::string &otherwise)
{
    std::string list = setting(name, otherwise);
    for (; i > 0 && list.find(',') != std::string::npos; --i)
        list.erase(0, list.find(',') + 1);
    return list.substr(0, list.find(','));
}

int units_of(int ordinal)
{
    return std::atoi(list_setting("VMAFGPU_STANDIN_UNITS", ordinal, "2").c_str());
}

int is_integrated(int ordinal)
{
    const std::string units = list_setting("VMAFGPU_STANDIN_UNITS", ordinal, "2");
    return units.find('i') != std::string::npos;
}

int enter(const char *name)
{
    Rig &all = rig();
    if (!all.is_set)
        set_failures(setting("VMAFGPU_STANDIN_FAIL", ""));
    all.calls.push_back(name);
    const int of_all = static_cast<int>(all.calls.size());
    const int of_name = ++all.count[name];
    for (const Failure &failure : all.failures) {
        if (!is_hit(failure, name, of_all, of_name))
            continue;
        all.has_failed = true;
        return failure.code;
    }
    return kSuccess;
}

int misused(const char *name, const std::string &what, int result)
{
    ++rig().misuses;
    std::fprintf(stderr, "standin: MISUSE: %s: %s\n", name, what.c_str());
    return result;
}

void add(Kind kind, const void *handle, int place)
{
    rig().handles[handle] = {kind, place};
}

void count_stream(bool is_urgent)
{
    Rig &all = rig();
    const auto alive = std::count_if(all.handles.begin(), all.handles.end(), [](const auto &entry) {
        return entry.second.kind == Kind::kStream;
    });
    all.most_streams = std::max(all.most_streams, static_cast<int>(alive));
    all.urgent_streams += is_urgent ? 1 : 0;
}

int place_of(Kind kind, const void *handle)
{
    const auto found = rig().handles.find(handle);
    return found != rig().handles.end() && found->second.kind == kind ? found->second.place : -1;
}

bool remove(Kind kind, const void *handle)
{
    return place_of(kind, handle) >= 0 && rig().handles.erase(handle) == 1;
}

std::vector<std::pair<Kind, void *>> take_all_of(int place)
{
    Rig &all = rig();
    std::vector<std::pair<Kind, void *>> taken;
    for (auto at = all.handles.begin(); at != all.handles.end();) {
        if (at->second.place != place) {
            ++at;
            continue;
        }
        taken.emplace_back(at->second.kind, const_cast<void *>(at->first));
        if (!all.has_failed) {
            ++all.misuses;
            std::fprintf(stderr, "standin: LEAK of %s, its context ends\n",
                         name_of(at->second.kind));
        }
        at = all.handles.erase(at);
    }
    all.left += static_cast<int>(taken.size());
    return taken;
}

} // namespace standin
} // namespace vmafgpu

using namespace vmafgpu::standin;

extern "C" {

STANDIN_SHOWN void vmafgpu_standin_set(const char *failures)
{
    set_failures(failures);
}

STANDIN_SHOWN int vmafgpu_standin_calls()
{
    return static_cast<int>(rig().calls.size());
}

STANDIN_SHOWN const char *vmafgpu_standin_call(int i)
{
    const auto &calls = rig().calls;
    return i >= 1 && static_cast<size_t>(i) <= calls.size() ? calls[static_cast<size_t>(i) - 1]
                                                            : "";
}

STANDIN_SHOWN int vmafgpu_standin_alive()
{
    return alive();
}

STANDIN_SHOWN int vmafgpu_standin_left()
{
    return rig().left;
}

STANDIN_SHOWN int vmafgpu_standin_streams()
{
    return rig().most_streams;
}

STANDIN_SHOWN int vmafgpu_standin_urgent_streams()
{
    return rig().urgent_streams;
}

STANDIN_SHOWN int vmafgpu_standin_misuses()
{
    return rig().misuses;
}
}
