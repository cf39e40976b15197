// SPDX-License-Identifier: BSD-2-Clause-Patent
// What libavfilter converts for its filter libvmaf, from FFmpeg 7.0 on: both inputs get one pixel
// format, range and matrix. The input whose frames the filter sees first keeps its own, if they are
// of the filter's list; the filter `format` then has libavfilter convert the other one in the same
// way.
#include <algorithm>
#include <cstdio>

#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

/// The format that both inputs are converted to.
struct Target {
    std::string format, range, matrix;
    std::string ranges; ///< the range, as the filter `format` wants it
};

/// Returns the range. YUV without a tag has limited range.
std::string_view range_of(const VmafGpuInput &input)
{
    if (parse_pixel_format(tag_of(input.format)).is_full)
        return "pc";
    return tag_of(input.range) == "pc" ? "pc" : "tv";
}

bool has_same_colours(const VmafGpuInput &a, const VmafGpuInput &b)
{
    return range_of(a) == range_of(b) && tag_of(a.matrix) == tag_of(b.matrix);
}

Target target_of(const VmafGpuInput &input)
{
    return {std::string(tag_of(input.format)), std::string(range_of(input)),
            std::string(tag_of(input.matrix)),
            tag_of(input.range).empty() ? "unknown|tv" : std::string(tag_of(input.range))};
}

/// Neither format is one of the filter's list: the nearest one to the first format; range and
/// matrix of the first YUV that has them.
Target common_target(const VmafGpuInputs &inputs, int first)
{
    Target target = {parse_pixel_format(tag_of(inputs.input[first].format)).planar(), "tv", "",
                     "unknown"};
    bool has_matrix = false;
    for (const int i : {first, 1 - first}) {
        const VmafGpuInput &input = inputs.input[i];
        const PixelFormat format = parse_pixel_format(tag_of(input.format));
        if (format.colour != PixelFormat::Colour::kYuv)
            continue;
        if (!has_matrix)
            target.matrix = tag_of(input.matrix);
        has_matrix = true;
        if (target.ranges == "unknown" && (format.is_full || !tag_of(input.range).empty()))
            target.ranges = target.range = range_of(input);
    }
    return target;
}

template <size_t kSize> void set_text(char (&out)[kSize], std::string_view text)
{
    const size_t length = std::min(text.size(), kSize - 1);
    std::copy_n(text.data(), length, out);
    out[length] = '\0';
}

/// Full range in a format of its own is full range in the usual one: no sample changes.
std::string canonical(const VmafGpuInput &input)
{
    const PixelFormat format = parse_pixel_format(tag_of(input.format));
    const std::string usual = format.planar();
    return format.is_planar && format.is_full && parse_pixel_format(usual).chroma == format.chroma
               ? usual
               : std::string(tag_of(input.format));
}

void convert(VmafGpuInputs &inputs, int i, const Target &target)
{
    const VmafGpuInput &input = inputs.input[i];
    VmafGpuInput &compared = inputs.compared[i];
    const bool is_same = canonical(input) == target.format && range_of(input) == target.range &&
                         tag_of(input.matrix) == target.matrix;
    set_text(compared.format, target.format);
    if (is_same)
        return;
    std::snprintf(inputs.filter[i], sizeof(inputs.filter[i]),
                  "format=pix_fmts=%s:color_spaces=%s:color_ranges=%s", target.format.c_str(),
                  target.matrix.empty() ? "unknown" : target.matrix.c_str(), target.ranges.c_str());
    inputs.needs_ffmpeg_7 = 1;
    set_text(compared.range, target.range);
    set_text(compared.matrix, target.matrix);
}

/// The samples are those of the list in another order, and nothing else differs.
bool reorder(VmafGpuInputs &inputs)
{
    PixelFormat formats[2];
    for (int i = 0; i < 2; ++i) {
        formats[i] = parse_pixel_format(tag_of(inputs.input[i].format));
        const bool has_order = formats[i].is_listed() || formats[i].is_semi_planar;
        if (!has_order || formats[i].planar() != formats[0].planar())
            return false;
    }
    if (!has_same_colours(inputs.input[0], inputs.input[1]))
        return false;
    for (int i = 0; i < 2; ++i) {
        if (!formats[i].is_semi_planar)
            continue;
        set_text(inputs.compared[i].format, formats[i].planar());
        std::snprintf(inputs.filter[i], sizeof(inputs.filter[i]), "format=%s",
                      inputs.compared[i].format);
    }
    return true;
}

/// Drops alpha and takes an order of samples that Y4M has. FFmpeg before 7.0 would convert full
/// range.
void order_as_is(VmafGpuInputs &inputs, int i)
{
    const PixelFormat format = parse_pixel_format(tag_of(inputs.input[i].format));
    const std::string name = format.planar();
    const PixelFormat planar = parse_pixel_format(name);
    if (format.is_planar || planar.chroma != format.chroma || planar.depth != format.depth ||
        range_of(inputs.input[i]) == "pc" || inputs.input[i].is_hardware != 0)
        return;
    set_text(inputs.compared[i].format, name);
    std::snprintf(inputs.filter[i], sizeof(inputs.filter[i]), "format=%s", name.c_str());
}

/// Whether both can be compared as they are.
bool can_be_as_is(const VmafGpuInputs &inputs)
{
    PixelFormat formats[2];
    bool is_gray[2];
    for (int i = 0; i < 2; ++i) {
        const std::string_view name = tag_of(inputs.input[i].format);
        formats[i] = parse_pixel_format(name);
        is_gray[i] = formats[i].colour == PixelFormat::Colour::kGray && !has_alpha(name);
    }
    return (is_gray[0] && is_gray[1]) ||
           (formats[0].chroma == formats[1].chroma &&
            formats[0].chroma == parse_pixel_format(formats[0].planar()).chroma);
}

} // namespace

std::string as_is_hint(const VmafGpuInputs &inputs, const char *gain)
{
    const bool helps = inputs.is_as_is == 0 && can_be_as_is(inputs);
    return helps ? std::string(" (formats=asis: ") + gain + ")" : "";
}

void plan_inputs(VmafGpuInputs &inputs)
{
    const VmafGpuInput &main = inputs.input[VMAFGPU_MAIN];
    const VmafGpuInput &reference = inputs.input[VMAFGPU_REFERENCE];
    // A filter that turns the pictures of main hides them until those of the reference are known.
    const int first =
        main.is_turned != 0 && reference.is_turned == 0 ? VMAFGPU_REFERENCE : VMAFGPU_MAIN;
    inputs.needs_ffmpeg_7 = 0;
    for (int i = 0; i < 2; ++i) {
        inputs.compared[i] = inputs.input[i];
        inputs.filter[i][0] = '\0';
    }
    for (int i = 0; i < 2 && inputs.is_as_is != 0; ++i)
        order_as_is(inputs, i);
    if (inputs.is_as_is == 0 && main.is_hardware == 0 && reference.is_hardware == 0 &&
        !reorder(inputs)) {
        const auto is_listed = [&inputs](int i) {
            return parse_pixel_format(tag_of(inputs.input[i].format)).is_listed();
        };
        const Target target = is_listed(first)       ? target_of(inputs.input[first])
                              : is_listed(1 - first) ? target_of(inputs.input[1 - first])
                                                     : common_target(inputs, first);
        for (int i = 0; i < 2; ++i)
            convert(inputs, i, target);
    }
    inputs.depth = std::max(parse_pixel_format(tag_of(inputs.compared[0].format)).depth,
                            parse_pixel_format(tag_of(inputs.compared[1].format)).depth);
}

} // namespace vmafgpu
