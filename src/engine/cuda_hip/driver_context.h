// SPDX-License-Identifier: BSD-2-Clause-Patent
// What a device of CUDA or HIP shares with its queues and events: the driver's entry
// points, the rule for lost devices, pinned memory, and which device is current. The
// vendor's context (cuda_context.h, hip_context.h) derives from it and adds kernels.
//
// The rule for lost devices: the first error of code EIO marks the context as lost.
// Every later use throws Error(EIO) with that first text. Resources are freed even
// after the device is lost; those failures are not logged.
//
// Policy: a struct per vendor (cuda_policy.h, hip_policy.h) with
//   Driver, Result, Stream, Event, Function, Pointer   the vendor's types
//   Calls                     texts that name its calls, members as in Driver::api
//   kName, kSuccess, kNotReady, kStreamFlags, kEventFlags
//   kMostQueues               streams that run at a time (DeviceTraits::most_queues)
//   kReleasesAnywhere         resources can be freed while another device is current
//   error_code(result)        an errno value; EIO means that the device is lost
//   pointer(memory)           a device address as the driver takes it
//   memory(pointer)           and back
#pragma once

#include <cerrno>
#include <exception>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "cuda_hip/pinned_ranges.h"
#include "device/device.h"

namespace vmafgpu {

template <typename Policy> class DriverContext {
public:
    using Driver = typename Policy::Driver;
    using Result = typename Policy::Result;
    using Api = decltype(Driver::api);

    DriverContext(const Driver &driver, const Log &log) : driver_(driver), log_(log)
    {
        traits_.most_queues = Policy::kMostQueues;
    }
    virtual ~DriverContext() = default;
    DriverContext(const DriverContext &) = delete;
    DriverContext &operator=(const DriverContext &) = delete;

    const Driver &driver() const { return driver_; }
    const Api &api() const { return driver_.api; }
    const DeviceTraits &traits() const { return traits_; }
    PinnedRanges &pinned() { return pinned_; }

    /// A kernel by name that takes exactly that many bytes of arguments. Throws Error.
    virtual typename Policy::Function function(const char *name, size_t argument_bytes) = 0;

    /// Throws Error if the call failed; `details` go behind the call's name. An error of
    /// code EIO marks the device as lost.
    void check(Result result, std::string_view call, std::string_view details = {})
    {
        if (result != Policy::kSuccess)
            fail(result, call, details);
    }

    /// Logs a failure instead of throwing, for what frees resources; silent once the device is
    /// lost.
    void report(Result result, std::string_view call) noexcept
    {
        if (result == Policy::kSuccess || !failure_.empty())
            return;
        try {
            const std::string text = std::string(call) + ": " + driver_.describe(result);
            if (Policy::error_code(result) == EIO)
                failure_ = text;
            log_(VMAFGPU_LOG_WARNING, std::string(Policy::kName) + ": while releasing: " + text);
        } catch (const std::exception &) { // NOLINT(bugprone-empty-catch): no memory for a warning
        }
    }

    /// Runs `action`, which frees something, with the device current; also after the
    /// device was lost. Never throws.
    template <typename Action> void release(Action action) noexcept
    {
        int former = kNothingToUndo;
        const Step step = make_current(former);
        report(step.result, step.call);
        if (step.result == Policy::kSuccess || Policy::kReleasesAnywhere)
            action();
        restore(former);
    }

protected:
    static constexpr int kNothingToUndo = -1;

    /// A call that was made.
    struct Step {
        Result result;
        std::string_view call;
    };

    /// Makes the device current on this thread. Sets `former` if there is something that
    /// make_former_current() must undo. Throws nothing.
    virtual Step make_current(int &former) noexcept = 0;
    virtual Step make_former_current(int former) noexcept = 0;

    DeviceTraits traits_;

private:
    template <typename> friend class DriverScope;

    void restore(int former) noexcept
    {
        if (former == kNothingToUndo)
            return;
        const Step step = make_former_current(former);
        report(step.result, step.call);
    }

    [[noreturn]] void fail(Result result, std::string_view call, std::string_view details)
    {
        const int code = Policy::error_code(result);
        const std::string text =
            std::string(call) + std::string(details) + ": " + driver_.describe(result);
        if (code == EIO && failure_.empty())
            failure_ = text;
        throw Error(code, text);
    }

    const Driver &driver_;
    Log log_;
    PinnedRanges pinned_;
    std::string failure_; ///< reason why the device is lost; empty if it is not
};

/// Makes the device current while it lives, on any thread. Throws Error(EIO) if the
/// device is lost.
template <typename Policy> class DriverScope {
public:
    explicit DriverScope(DriverContext<Policy> &context) : context_(context)
    {
        if (!context.failure_.empty()) {
            throw Error(EIO, std::string("the ") + Policy::kName +
                                 " device has failed before: " + context.failure_);
        }
        const auto step = context.make_current(former_);
        context.check(step.result, step.call);
    }
    ~DriverScope() { context_.restore(former_); }
    DriverScope(const DriverScope &) = delete;
    DriverScope &operator=(const DriverScope &) = delete;

private:
    DriverContext<Policy> &context_;
    int former_ = DriverContext<Policy>::kNothingToUndo;
};

/// Throws Error, as DriverContext::check() does, for a call outside any context.
template <typename Policy> void check_call(const typename Policy::Driver &driver,
                                           typename Policy::Result result, std::string_view call)
{
    if (result != Policy::kSuccess)
        throw Error(Policy::error_code(result), std::string(call) + ": " + driver.describe(result));
}

} // namespace vmafgpu
