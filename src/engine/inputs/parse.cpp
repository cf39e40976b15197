// SPDX-License-Identifier: BSD-2-Clause-Patent
// See parse.h.
#include "inputs/parse.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "base/error.h"

namespace vmafgpu {

namespace {

bool set_field(VmafGpuInput &input, std::string_view name, const std::string &value)
{
    char after = '\0';
    const auto is_pair = [&](const char *form, int *first, int *second) {
        return std::sscanf(value.c_str(), form, first, second, &after) == 2; // NOLINT(cert-err34-c)
    };
    const struct {
        const char *name;
        char *text;
        size_t size;
    } texts[] = {{"format", input.format, sizeof(input.format)},
                 {"range", input.range, sizeof(input.range)},
                 {"matrix", input.matrix, sizeof(input.matrix)},
                 {"primaries", input.primaries, sizeof(input.primaries)},
                 {"transfer", input.transfer, sizeof(input.transfer)},
                 {"streams", input.streams, sizeof(input.streams)}};
    for (const auto &[known, text, size] : texts)
        if (name == known)
            return std::snprintf(text, size, "%s", value.c_str()) < static_cast<int>(size);
    if (name == "size")
        return is_pair("%8dx%8d%c", &input.width, &input.height);
    if (name == "stored")
        return is_pair("%8dx%8d%c", &input.stored_width, &input.stored_height);
    if (name == "sar")
        return is_pair("%8d/%8d%c", &input.sar_num, &input.sar_den);
    if (name == "rate")
        return is_pair("%9d/%9d%c", &input.rate_num, &input.rate_den);
    if (name == "stream")
        return std::sscanf(value.c_str(), "%8d%c", &input.stream, &after) == 1 && // NOLINT
               input.stream >= 0;
    for (const auto &[flag, out] :
         {std::pair{"interlaced", &input.is_interlaced}, std::pair{"turned", &input.is_turned},
          std::pair{"hardware", &input.is_hardware}, std::pair{"grain", &input.has_grain},
          std::pair{"bottom_first", &input.is_bottom_first},
          std::pair{"own_colours", &input.has_own_colours}, std::pair{"named", &input.is_named}})
        if (name == flag) {
            *out = value == "1" ? 1 : 0;
            return value == "0" || value == "1";
        }
    return false;
}

} // namespace

void parse_input(VmafGpuInput &input, std::string_view text)
{
    while (!text.empty()) {
        const std::string_view field = text.substr(0, text.find(':'));
        const size_t equals = field.find('=');
        text.remove_prefix(std::min(text.size(), field.size() + 1));
        if (equals == field.npos ||
            !set_field(input, field.substr(0, equals), std::string(field.substr(equals + 1))))
            throw Error(EINVAL, "bad field");
    }
}

} // namespace vmafgpu
