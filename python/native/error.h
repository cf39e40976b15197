// SPDX-License-Identifier: BSD-2-Clause-Patent
// How failures of the C API become exceptions of Python. Which class belongs to which code is
// decided in vmaf_gpu/_errors.py.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>
#include <utility>

#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu_python {

/// A failed call of the C API: a negative errno value, and its text.
class CallError : public std::exception {
public:
    CallError(int code, std::string text) : code_(code), text_(std::move(text)) {}
    int code() const { return code_; }
    const char *what() const noexcept override { return text_.c_str(); }

private:
    int code_;
    std::string text_;
};

/// To Python. A name of a file in it may not be UTF-8.
inline nanobind::object message_of(const std::string &text)
{
    return nanobind::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                                "backslashreplace"));
}

/// Throws CallError if status is negative.
inline void throw_if(int status, const char *text)
{
    if (status < 0)
        throw CallError(status, *text != '\0' ? text : vmafgpu_strerror(status));
}

} // namespace vmafgpu_python
