// SPDX-License-Identifier: BSD-2-Clause-Patent
// Markup with texts in it, for the XML log and the pages. Texts of the user are bytes of any kind.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace vmafgpu {

/// U+FFFD in the place of what is not UTF-8, as in JSON logs, and of each character that XML 1.0
/// forbids.
std::string xml_text(std::string_view text);

/// The pattern with the texts in the places of '%', escaped: behind a quote for the value of an
/// attribute.
std::string markup(std::string_view pattern, std::initializer_list<std::string_view> texts);

} // namespace vmafgpu
