// SPDX-License-Identifier: BSD-2-Clause-Patent
// The JSON parser of logs and parts. One file instantiates it: each would take seconds to compile.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>

namespace vmafgpu {

using Json = nlohmann::ordered_json;
using JsonEvent = Json::parse_event_t;

/// The tree of what `keep` returns true for. Throws Json::exception.
Json parse_log(std::istream &text, const Json::parser_callback_t &keep);

} // namespace vmafgpu
