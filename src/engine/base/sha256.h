// SPDX-License-Identifier: BSD-2-Clause-Patent
// SHA-256 (FIPS 180-4), for digests in logs. No secret depends on it.
#pragma once

#include <string>
#include <string_view>

namespace vmafgpu {

/// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace vmafgpu
