// SPDX-License-Identifier: BSD-2-Clause-Patent
// Calls counted and made to fail, handles, the verdict at exit. See standin.h.
// The lock that makes all this safe is held by entry_*.cpp.
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
    std::string name; ///< "" = any call, "lost" = any call from then on
    int number = 0;   ///< 0 = every one
    int code = 0;
};

struct Rig {
    std::vector<Failure> failures;
    std::vector<std::string> calls;
    std::map<std::string, int> count;
    std::map<const void *, Kind> handles;
    int misuses = 0;
    bool is_set = false;
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
    all.is_set = true;
}

const char *name_of(Kind kind)
{
    switch (kind) {
    case Kind::kModule:
        return "module";
    case Kind::kFunction:
        return "function";
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
    int count = 0;
    for (const auto &[handle, kind] : rig().handles)
        count += kind != Kind::kFunction ? 1 : 0;
    return count;
}

void write_log()
{
    const std::string path = setting("VMAFGPU_STANDIN_LOG", "");
    FILE *file = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
    if (!file)
        return;
    for (const std::string &name : rig().calls)
        std::fprintf(file, "%s\n", name.c_str());
    std::fclose(file);
}

__attribute__((destructor)) void verdict()
{
    write_log();
    if (alive() == 0 && rig().misuses == 0)
        return;
    for (const auto &[handle, kind] : rig().handles)
        if (kind != Kind::kFunction)
            std::fprintf(stderr, "standin: LEAK of %s %p\n", name_of(kind), handle);
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

HipResult enter(const char *name)
{
    Rig &all = rig();
    if (!all.is_set)
        set_failures(setting("VMAFGPU_STANDIN_FAIL", ""));
    all.calls.emplace_back(name);
    const int of_all = static_cast<int>(all.calls.size());
    const int of_name = ++all.count[name];
    for (const Failure &failure : all.failures) {
        const bool fails =
            failure.name == "lost" ? of_all >= failure.number
            : failure.name.empty()
                ? of_all == failure.number
                : failure.name == name && (failure.number == 0 || of_name == failure.number);
        if (fails)
            return static_cast<HipResult>(failure.code);
    }
    return kHipSuccess;
}

HipResult misused(const char *name, const std::string &what, HipResult result)
{
    ++rig().misuses;
    std::fprintf(stderr, "standin: MISUSE: %s: %s\n", name, what.c_str());
    return result;
}

void add(Kind kind, const void *handle)
{
    rig().handles[handle] = kind;
}

bool is_known(Kind kind, const void *handle)
{
    const auto found = rig().handles.find(handle);
    return found != rig().handles.end() && found->second == kind;
}

bool remove(Kind kind, const void *handle)
{
    return is_known(kind, handle) && rig().handles.erase(handle) == 1;
}

} // namespace standin
} // namespace vmafgpu

using namespace vmafgpu::standin;

extern "C" {

__attribute__((visibility("default"))) void vmafgpu_standin_set(const char *failures)
{
    set_failures(failures);
}

__attribute__((visibility("default"))) int vmafgpu_standin_calls()
{
    return static_cast<int>(rig().calls.size());
}

__attribute__((visibility("default"))) const char *vmafgpu_standin_call(int i)
{
    const auto &calls = rig().calls;
    return i >= 1 && static_cast<size_t>(i) <= calls.size()
               ? calls[static_cast<size_t>(i) - 1].c_str()
               : "";
}

__attribute__((visibility("default"))) int vmafgpu_standin_alive()
{
    return alive();
}

__attribute__((visibility("default"))) int vmafgpu_standin_misuses()
{
    return rig().misuses;
}
}
