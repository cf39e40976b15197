// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the tests of the HIP backend on its stand-in runtime share: the stand-in's
// controls, an open device, and a run of the engine whose every step may fail.
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

#include "../unit/fixture.h"
#include "base/error.h"
#include "device/device.h"
#include "hip/hip_device.h"
#include "hip/hip_loader.h"

namespace vmafgpu {

/// The stand-in that VMAFGPU_HIP_LIBRARY names; see tests/standin/standin.h.
class Standin {
public:
    static Standin &get();

    void fail(const std::string &failures) { set_(failures.c_str()); }
    int calls() const { return calls_(); }
    std::string call(int i) const { return call_(i); }
    int alive() const { return alive_(); }
    int misuses() const { return misuses_(); }
    /// An entry point of the runtime itself.
    template <typename Function> Function *symbol(const char *name) const
    {
        return reinterpret_cast<Function *>(dlsym(library_, name));
    }

private:
    Standin();

    void *library_;
    void (*set_)(const char *);
    int (*calls_)();
    const char *(*call_)(int);
    int (*alive_)();
    int (*misuses_)();
};

/// What became of a run through the API: the step that failed, or the scores.
struct Outcome {
    std::string step; ///< "open", "submit", "flush", "collect"; "" = none failed
    int code = 0;
    std::string text;
    std::vector<Row> rows;
    std::string log; ///< warnings and errors, one a line
    int calls_before_close = 0;
};

TestSettings small_settings(const std::string &device);
/// Never fails itself; whatever happens the context is closed.
Outcome attempt(const TestSettings &settings, int frames);

/// The text of the Error that `action` must throw with that code.
template <typename Action> std::string error_text(int code, Action action)
{
    try {
        action();
    } catch (const Error &error) {
        EXPECT_EQ(code, error.code()) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace vmafgpu
