// SPDX-License-Identifier: BSD-2-Clause-Patent
// Numbers as logs print them, independent of the process's locale.
#pragma once

#include <string>

namespace vmafgpu {

/// Text of one score; see vmafgpu_format_score().
std::string format_score(double value, int precision);

/// Throws Error(EINVAL) unless a log can have this precision.
void check_precision(int precision);

/// "%.2f", or with other digits, in the C locale; never "-0.00"; nan and inf as printf writes them.
/// digits < 0: the shortest that reads back the same.
std::string format_fixed(double value, int digits);
inline std::string format_fps(double fps)
{
    return format_fixed(fps, 2);
}

} // namespace vmafgpu
