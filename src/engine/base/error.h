// SPDX-License-Identifier: BSD-2-Clause-Patent
// The engine's one exception. Thrown anywhere inside src/engine, caught only
// in api.cpp, which turns it into a code and a text.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace vmafgpu {

class Error : public std::runtime_error {
public:
    /// code: positive errno value (EINVAL, ENODEV, ...); text: one line.
    Error(int code, const std::string &text) : std::runtime_error(text), code_(code) {}

    int code() const { return code_; }

private:
    int code_;
};

} // namespace vmafgpu
