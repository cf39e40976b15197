// SPDX-License-Identifier: BSD-2-Clause-Patent
// An input whose frames change in mid-stream: what is another, and which filters make it what it
// was.
#include "inputs/inputs.h"

namespace vmafgpu {

namespace {

std::string size_of(const VmafGpuInput &input)
{
    return std::to_string(input.width) + "x" + std::to_string(input.height);
}

bool differ_in_size(const VmafGpuInput &a, const VmafGpuInput &b)
{
    return a.width != b.width || a.height != b.height;
}

/// FFmpeg's filter scale has names of its own for some matrices; "": it knows none.
std::string matrix_of_scale(std::string_view matrix)
{
    if (matrix == "bt2020nc")
        return "bt2020";
    if (matrix == "bt470bg")
        return "bt470";
    const bool is_known = matrix == "bt709" || matrix == "smpte170m" || matrix == "smpte240m";
    return is_known ? std::string(matrix) : "";
}

void add(std::string &list, const char *separator, const std::string &item)
{
    list += (list.empty() ? "" : separator) + item;
}

} // namespace

std::string change_of(const VmafGpuInput &before, const VmafGpuInput &after)
{
    std::string text;
    if (differ_in_size(before, after))
        add(text, ", ", "its size from " + size_of(before) + " to " + size_of(after));
    const struct {
        const char *what;
        std::string_view before, after;
    } tags[] = {
        {"pixel format", tag_of(before.format), tag_of(after.format)},
        {"range", tag_of(before.range), tag_of(after.range)},
        {"matrix", tag_of(before.matrix), tag_of(after.matrix)},
        {"primaries", tag_of(before.primaries), tag_of(after.primaries)},
        {"transfer", tag_of(before.transfer), tag_of(after.transfer)},
    };
    for (const auto &tag : tags)
        if (tag.before != tag.after)
            add(text, ", ",
                std::string("its ") + tag.what + " from " +
                    std::string(tag.before.empty() ? "none" : tag.before) + " to " +
                    std::string(tag.after.empty() ? "none" : tag.after));
    return text;
}

std::string filters_back(const VmafGpuInput &before, const VmafGpuInput &after)
{
    // The filter format alone does not take frames that change: it is scale that converts them.
    std::string filters = "scale=" + std::to_string(before.width) + ":" +
                          std::to_string(before.height) + ":flags=bicubic";
    if (tag_of(before.range) != tag_of(after.range))
        filters += tag_of(before.range) == "pc" ? ":out_range=pc" : ":out_range=tv";
    const std::string matrix = matrix_of_scale(tag_of(before.matrix));
    if (tag_of(before.matrix) != tag_of(after.matrix) && !matrix.empty())
        filters += ":out_color_matrix=" + matrix;
    if (tag_of(before.format) != tag_of(after.format))
        filters += ",format=" + std::string(tag_of(before.format));
    return filters;
}

} // namespace vmafgpu
