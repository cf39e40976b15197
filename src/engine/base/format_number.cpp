// SPDX-License-Identifier: BSD-2-Clause-Patent
// See format_number.h.
#include "base/format_number.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "vmaf_gpu/vmaf_gpu.h"

namespace vmafgpu {

namespace {

constexpr int kMinPrecision = 6;
constexpr int kMaxPrecision = 17;
// 309 digits, sign, point and kMaxPrecision; the shortest form of the smallest
// double has some 340 digits.
constexpr size_t kMaxLength = 400;

/// libvmaf shows 16 digits where 6 would hide the first digit that is not 0.
int digits_like_libvmaf(double value)
{
    const double magnitude = std::fabs(value);
    double fraction = magnitude - std::trunc(magnitude);
    int count = 0;
    while (fraction < 1 && fraction != 0) {
        fraction *= 10;
        ++count;
    }
    return count > 6 ? 16 : 6;
}

} // namespace

std::string format_fixed(double value, int digits)
{
    if (std::isnan(value))
        return std::signbit(value) ? "-nan" : "nan"; // glibc's printf, and so libvmaf, prints these
    if (std::isinf(value))
        return value < 0 ? "-inf" : "inf";
    char buffer[kMaxLength];
    const std::to_chars_result result =
        digits < 0
            ? std::to_chars(buffer, buffer + kMaxLength, value, std::chars_format::fixed)
            : std::to_chars(buffer, buffer + kMaxLength, value, std::chars_format::fixed, digits);
    const std::string text(buffer, result.ptr);
    const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
    return is_zero && text[0] == '-' ? text.substr(1) : text;
}

void check_precision(int precision)
{
    if (precision != VMAFGPU_PRECISION_MAX &&
        (precision < kMinPrecision || precision > kMaxPrecision))
        throw Error(EINVAL,
                    "log precision must be 6 to 17, or 0 for the shortest exact text, not " +
                        std::to_string(precision));
}

std::string format_score(double value, int precision)
{
    check_precision(precision);
    if (precision == VMAFGPU_PRECISION_MAX)
        return format_fixed(value, -1);
    if (precision == kMinPrecision && std::isfinite(value))
        return format_fixed(value, digits_like_libvmaf(value));
    return format_fixed(value, precision);
}

} // namespace vmafgpu
