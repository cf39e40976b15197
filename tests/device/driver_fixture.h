// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the tests of the GPU backends on their stand-ins share: which
// vendor, the stand-in's controls, an open device, and a run of the engine whose every
// step may fail. Each vendor's program links its own vendor().
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

#include "../unit/fixture.h"
#include "error_text.h"

namespace vmafgpu {

/// The facts of a backend that the shared tests need.
struct Vendor {
    const char *backend; ///< "hip"
    const char *name;    ///< "HIP", as in the log
    std::string (*library)();
    std::vector<VmafGpuDevice> (*devices)(std::string *why_none);
    std::unique_ptr<Device> (*open)(const DeviceRequest &request);
    // Names of calls.
    const char *device_count, *device_memory, *module_load, *mem_alloc, *host_alloc;
    const char *make_current; ///< "" if resources are freed without it
    // Memory of a file descriptor: dma-bufs, Vulkan's.
    void *(Device::*import)(int fd, size_t bytes);
    const char *import_call, *map_call;
    int import_descriptors;           ///< descriptors that an import keeps open
    std::vector<int> import_refusals; ///< codes that mean EINVAL
};
const Vendor &vendor();

/// The stand-in that the vendor's library variable names; see standin.h.
class Standin {
public:
    static Standin &get();

    void fail(const std::string &failures) { set_(failures.c_str()); }
    int calls() const { return calls_(); }
    std::string call(int i) const { return call_(i); }
    int alive() const { return alive_(); }
    int left() const { return left_(); }
    int misuses() const { return misuses_(); }
    int streams() const { return streams_(); }
    int urgent_streams() const { return urgent_streams_(); }
    /// An entry point of the driver itself.
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
    int (*left_)();
    int (*misuses_)();
    int (*streams_)();
    int (*urgent_streams_)();
};

/// The result of a run through the API: the step that failed, or the scores.
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
Outcome attempt(const TestSettings &settings, TestRun &run);

/// An open device and a queue. Afterwards nothing may be left.
class DriverTest : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    void finish();
    std::vector<unsigned char> fetch(const void *memory, size_t bytes);

    std::unique_ptr<Device> device_;
    std::unique_ptr<Queue> queue_;
};

int open_descriptors();

} // namespace vmafgpu
