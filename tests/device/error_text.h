// SPDX-License-Identifier: BSD-2-Clause-Patent
// Errors and requests in tests of devices.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "device/device.h"

namespace vmafgpu {

inline DeviceRequest request_for(const std::string &selector)
{
    DeviceRequest request;
    request.selector = selector;
    return request;
}

/// The text of the Error that `action` must throw with that code.
template <typename Action> std::string error_text(int code, Action action)
{
    try {
        action();
    } catch (const Error &error) {
        EXPECT_EQ(code, error.code()) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error, expected code " << code;
    return "";
}

inline bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace vmafgpu
