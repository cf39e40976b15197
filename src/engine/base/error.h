// SPDX-License-Identifier: BSD-2-Clause-Patent
// The engine's exception. Any code below src/engine may throw it; api.cpp turns it into an
// error code and a text for the caller. Other code catches it only if it has an alternative
// ("auto" tries the next backend), cleans up and throws again, or must not throw (destructors,
// threads, which keep the exception for the API thread).
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

/// Ends the text of what is no fault of the input: where users report it (Meson option bug_url).
#ifdef VMAFGPU_BUG_URL
#define VMAFGPU_REPORT_IT "; please report it to " VMAFGPU_BUG_URL
#else
#define VMAFGPU_REPORT_IT "; please report it to whoever gave you this build"
#endif

namespace vmafgpu {

class Error : public std::runtime_error {
public:
    /// code: positive errno value (EINVAL, ENODEV, ...); text: one line.
    Error(int code, const std::string &text) : std::runtime_error(text), code_(code) {}

    int code() const { return code_; }

private:
    int code_;
};

/// A device computes wrong results.
class SelfTestError : public Error {
public:
    explicit SelfTestError(const std::string &text) : Error(EIO, text + VMAFGPU_REPORT_IT) {}
};

} // namespace vmafgpu
