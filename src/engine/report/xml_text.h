// SPDX-License-Identifier: BSD-2-Clause-Patent
// Texts of the user as they may stand in XML and HTML. Paths and titles are bytes of any kind;
// pugixml escapes what has an escape and prints the rest as it is.
#pragma once

#include <string>
#include <string_view>

namespace vmafgpu {

/// U+FFFD in the place of each byte that is not UTF-8 and each character that XML 1.0 forbids.
std::string xml_text(std::string_view text);

} // namespace vmafgpu
