// SPDX-License-Identifier: BSD-2-Clause-Patent
// See json_text.h.
#include "report/json_text.h"

namespace vmafgpu {

std::string json_run(const RunValue &value, const std::string &indent)
{
    using Kind = RunValue::Kind;
    if (value.kind == Kind::kText)
        return json_string(value.text);
    if (value.kind == Kind::kNumber)
        return value.text;
    const bool is_object = value.kind == Kind::kObject;
    std::string text = is_object ? "{" : "[";
    for (const RunMember &member : value.members) {
        text.append(&member == value.members.data() ? "\n" : ",\n").append(indent).append("  ");
        if (is_object)
            text.append(json_string(member.key)).append(": ");
        text += json_run(member.value, indent + "  ");
    }
    if (!value.members.empty())
        text.append("\n").append(indent);
    return text + (is_object ? "}" : "]");
}

} // namespace vmafgpu
