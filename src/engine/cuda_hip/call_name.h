// SPDX-License-Identifier: BSD-2-Clause-Patent
// How error texts name a driver's call, made from the symbol that is loaded. Used by
// the tables of entry points (cuda_api.h, hip_api.h).
#pragma once

#include <string_view>

namespace vmafgpu {

/// "cuMemAlloc" of "cuMemAlloc_v2": users find the name without the version in manuals.
constexpr std::string_view call_name(std::string_view symbol)
{
    constexpr std::string_view kVersion = "_v2";
    const bool has_version = symbol.size() > kVersion.size() &&
                             symbol.substr(symbol.size() - kVersion.size()) == kVersion;
    return has_version ? symbol.substr(0, symbol.size() - kVersion.size()) : symbol;
}

} // namespace vmafgpu
