// SPDX-License-Identifier: BSD-2-Clause-Patent
// See json_parse.h and json_text.h.
#include "report/json_parse.h"

#include <istream>

#include "report/json_text.h"

namespace vmafgpu {

Json parse_log(std::istream &text, const Json::parser_callback_t &keep)
{
    return Json::parse(text, keep);
}

std::string json_string(const std::string &text)
{
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace vmafgpu
