// SPDX-License-Identifier: BSD-2-Clause-Patent
// What the first frames of both inputs say that makes their comparison of little meaning: ranges,
// primaries, transfer, matrix, HDR. Each is one line, with filters that help, where there are some.
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

/// A text that is not kept.
std::string str(std::string_view text)
{
    return std::string(text);
}

bool is_rgb(const VmafGpuInput &input)
{
    return parse_pixel_format(tag_of(input.format)).colour == PixelFormat::Colour::kRgb;
}

bool is_gray(const VmafGpuInput &input)
{
    return parse_pixel_format(tag_of(input.format)).colour == PixelFormat::Colour::kGray;
}

// ----------------------------------------------------------------- ranges

/// FFmpeg takes gray for full range.
std::string_view range_of(const VmafGpuInput &input)
{
    return parse_pixel_format(tag_of(input.format)).is_full ? "pc" : tag_of(input.range);
}

/// Returns true for full range. YUV without a tag has limited range for every program.
bool is_full(const VmafGpuInput &input)
{
    return range_of(input) == "pc";
}

std::string range_name(const VmafGpuInput &input)
{
    const std::string_view range = range_of(input);
    return is_gray(input)  ? "full range, as FFmpeg takes gray for it"
           : range == "pc" ? "full range"
           : range == "tv" ? "limited range"
                           : "no tagged range";
}

/// Adds the advice for an input without a tag that has full range.
void add_range_tag(Advice &text, const VmafGpuInputs &inputs)
{
    const int untagged =
        range_of(inputs.input[VMAFGPU_MAIN]).empty() ? VMAFGPU_MAIN : VMAFGPU_REFERENCE;
    if (!range_of(inputs.input[untagged]).empty())
        return;
    text += std::string("; if ") + kInputNames[untagged] + " has full range";
    add_example_for(text, inputs, untagged, "setparams=range=pc");
}

void add_range_remedy(Advice &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput *const before = inputs.input, *const after = inputs.compared;
    if (is_full(after[0]) != is_full(after[1])) {
        const bool main_is_full = is_full(after[VMAFGPU_MAIN]);
        const char *full = "scale=in_range=pc:out_range=tv", *limited = "setparams=range=tv";
        text += std::string("the samples are compared as they are; to convert ") +
                kInputNames[main_is_full ? VMAFGPU_MAIN : VMAFGPU_REFERENCE];
        add_example(text, inputs, main_is_full ? full : limited, main_is_full ? limited : full);
    } else if (is_full(before[0]) != is_full(before[1])) {
        const int converted = is_full(before[VMAFGPU_MAIN]) != is_full(after[VMAFGPU_MAIN])
                                  ? VMAFGPU_MAIN
                                  : VMAFGPU_REFERENCE;
        text += std::string("FFmpeg converts ") + kInputNames[converted] + ", as for libvmaf" +
                as_is_hint(inputs, "no conversion");
        add_range_tag(text, inputs);
    } else {
        text += "both are taken for limited";
        add_range_tag(text, inputs);
    }
}

void warn_range(const VmafGpuInputs &inputs, const Advise &advise)
{
    // FFmpeg knows what to do with RGB; the range of gray that it leaves alone, nobody knows.
    for (int i = 0; i < 2; ++i)
        if (is_rgb(inputs.input[i]) || is_gray(inputs.compared[i]))
            return;
    const VmafGpuInput &main = inputs.input[VMAFGPU_MAIN];
    const VmafGpuInput &reference = inputs.input[VMAFGPU_REFERENCE];
    if (range_of(main) == range_of(reference) &&
        is_full(inputs.compared[0]) == is_full(inputs.compared[1]))
        return;
    Advice text =
        "main has " + range_name(main) + ", reference has " + range_name(reference) + ": ";
    add_range_remedy(text, inputs);
    // Two copies of one file may differ in this: Matroska's has the tag "limited", MP4's may have
    // none.
    advise(is_full(main) || is_full(reference) ? VMAFGPU_LOG_WARNING : VMAFGPU_LOG_VERBOSE, text);
}

// ---------------------------------------------------------------- colours

bool is_hdr(const VmafGpuInput &input)
{
    return tag_of(input.transfer) == "smpte2084" || tag_of(input.transfer) == "arib-std-b67";
}

/// Several names of one curve: BT.601, BT.709 and BT.2020 define the same.
std::string_view transfer_curve(std::string_view transfer)
{
    return transfer == "smpte170m" || transfer == "bt2020-10" || transfer == "bt2020-12" ? "bt709"
                                                                                         : transfer;
}

std::string_view primaries_kind(std::string_view primaries)
{
    return primaries == "smpte240m" ? "smpte170m" : primaries;
}

/// Matrices of BT.601 for 525 and 625 lines are the same.
std::string_view matrix_kind(std::string_view matrix)
{
    return matrix == "bt470bg" ? "smpte170m" : matrix;
}

bool differ(std::string_view kind, std::string_view other)
{
    return !kind.empty() && !other.empty() && kind != other;
}

void add_difference(Advice &advice, const char *what, std::string_view main,
                    std::string_view reference)
{
    advice += advice.text.empty() ? "main and reference differ in " : ", ";
    advice += str(what) + " (" + str(main) + ", " + str(reference) + ")";
}

Advice colour_differences(const VmafGpuInput &a, const VmafGpuInput &b)
{
    Advice text;
    if (differ(primaries_kind(tag_of(a.primaries)), primaries_kind(tag_of(b.primaries))))
        add_difference(text, "primaries", tag_of(a.primaries), tag_of(b.primaries));
    if (differ(transfer_curve(tag_of(a.transfer)), transfer_curve(tag_of(b.transfer))))
        add_difference(text, "transfer", tag_of(a.transfer), tag_of(b.transfer));
    if (differ(matrix_kind(tag_of(a.matrix)), matrix_kind(tag_of(b.matrix))))
        add_difference(text, "matrix", tag_of(a.matrix), tag_of(b.matrix));
    return text;
}

/// FFmpeg takes an input without a tag for BT.601, so that one missing tag changes the luma of
/// that input.
void warn_matrix(const VmafGpuInputs &inputs, const Advise &advise)
{
    std::string names[2];
    int converted = -1, untagged = -1;
    for (int i = 0; i < 2; ++i) {
        const std::string_view matrix = tag_of(inputs.input[i].matrix);
        if (is_rgb(inputs.input[i]) || is_gray(inputs.input[i]))
            return;
        untagged = matrix.empty() ? i : untagged;
        names[i] = matrix.empty() ? "no tagged matrix" : str(matrix);
        if (matrix_kind(matrix) != matrix_kind(tag_of(inputs.compared[i].matrix)))
            converted = i;
    }
    if (converted < 0)
        return;
    Advice text = str("main has ") + (untagged == 0 ? "" : "matrix ") + names[0] +
                  ", reference has " + (untagged == 1 ? "" : "matrix ") + names[1] +
                  ": FFmpeg converts " + kInputNames[converted] + ", as for libvmaf" +
                  as_is_hint(inputs, "no conversion");
    if (untagged >= 0) {
        text += "; if both have the same";
        add_example_for(text, inputs, untagged, "setparams=colorspace=" + names[1 - untagged]);
    }
    advise(VMAFGPU_LOG_WARNING, text);
}

/// FFmpeg before 7.0 makes Y'CbCr of RGB by BT.601, whatever the other input has.
bool warn_rgb(const VmafGpuInputs &inputs, const Advise &advise)
{
    bool is_found = false;
    for (int i = 0; i < 2; ++i) {
        const VmafGpuInput &compared = inputs.compared[i];
        const std::string_view matrix = tag_of(compared.matrix);
        const std::string other = str(tag_of(inputs.compared[1 - i].matrix));
        if (!is_rgb(inputs.input[i]) || is_rgb(compared) || is_gray(compared) ||
            (!matrix.empty() && matrix != "gbr") || other.empty() || other == "gbr" ||
            matrix_kind(other) == "smpte170m")
            continue;
        is_found = true;
        Advice text = str(kInputNames[i]) +
                      " is RGB, of which FFmpeg before 7.0 makes BT.601, and " +
                      kInputNames[1 - i] + " has matrix " + other + ": convert " + kInputNames[i];
        std::string filters = "scale=out_color_matrix=" + other;
        filters.append(",format=").append(tag_of(compared.format));
        filters.append(",setparams=colorspace=").append(other);
        add_example_for(text, inputs, i, filters);
        advise(VMAFGPU_LOG_WARNING, text);
    }
    return is_found;
}

/// Returns the transfer that frames have between two filters, and that is never shown; "": another
/// transfer.
std::string_view light_of(const VmafGpuInput &input)
{
    const std::string_view transfer = tag_of(input.transfer);
    return transfer == "linear"                                                 ? "linear"
           : transfer == "log100" || transfer == "log316" || transfer == "vlog" ? "logarithmic"
                                                                                : "";
}

/// Returns the filter from linear or logarithmic light to the other input's transfer.
std::string curve_filter(const VmafGpuInput &other)
{
    const std::string_view transfer = transfer_curve(tag_of(other.transfer));
    const std::string_view matrix = tag_of(other.matrix);
    const bool has_curve = transfer == "smpte2084" || transfer == "arib-std-b67" ||
                           transfer == "iec61966-2-1" || transfer == "bt470bg";
    const bool has_matrix =
        matrix == "bt2020nc" || matrix == "smpte170m" || matrix == "bt470bg" || matrix == "fcc";
    return "zscale=t=" + str(has_curve ? transfer : "bt709") +
           ":m=" + str(has_matrix ? matrix : "bt709") + ":r=" + (is_full(other) ? "pc" : "tv") +
           ",format=" + parse_pixel_format(tag_of(other.format)).planar();
}

/// Warns of HDR, also if both have it: models and features are made for pictures as they are shown.
bool warn_light(const VmafGpuInputs &inputs, const Advise &advise)
{
    bool is_found = false;
    for (int i = 0; i < 2; ++i) {
        const std::string_view light = light_of(inputs.compared[i]);
        if (light.empty())
            continue;
        is_found = true;
        Advice text = str(kInputNames[i]) + " has " + str(light) + " light (transfer " +
                      str(tag_of(inputs.compared[i].transfer)) +
                      "), as it is between two filters and never shown: give " + kInputNames[i] +
                      " its curve again";
        add_example_for(text, inputs, i, curve_filter(inputs.input[1 - i]));
        advise(VMAFGPU_LOG_WARNING, text);
    }
    return is_found;
}

/// Whether FFmpeg's filter colorspace knows all tags.
bool is_convertible(const VmafGpuInput &input)
{
    return !tag_of(input.primaries).empty() && !tag_of(input.transfer).empty() &&
           !tag_of(input.matrix).empty() && tag_of(input.matrix) != "gbr" && !is_hdr(input);
}

bool warn_colour(const VmafGpuInputs &inputs, const Advise &advise)
{
    const VmafGpuInput &main = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &reference = inputs.compared[VMAFGPU_REFERENCE];
    Advice text = colour_differences(main, reference);
    if (text.text.empty())
        return false;
    text += ": the samples are compared as they are";
    if (is_hdr(main) != is_hdr(reference))
        text += ", and a score of HDR against SDR means nothing";
    if (is_convertible(main) && is_convertible(reference)) {
        text += "; convert main";
        add_example_for(text, inputs, VMAFGPU_MAIN,
                        "colorspace=space=" + str(tag_of(reference.matrix)) +
                            ":primaries=" + str(tag_of(reference.primaries)) +
                            ":trc=" + str(tag_of(reference.transfer)));
    }
    advise(VMAFGPU_LOG_WARNING, text);
    return true;
}

/// All built-in models were made with pictures of standard dynamic range.
void warn_hdr(const VmafGpuInputs &inputs, const Advise &advise)
{
    const VmafGpuInput &hdr = inputs.compared[is_hdr(inputs.compared[0]) ? 0 : 1];
    if (!is_hdr(hdr) || inputs.model_count == 0)
        return;
    advise(VMAFGPU_LOG_WARNING, "the pictures are HDR (" + str(tag_of(hdr.transfer)) +
                                    "), but model " + inputs.models[0] +
                                    " was made for SDR: its scores can rank encodes of one source, "
                                    "and mean nothing else");
}

} // namespace

void check_colours(const VmafGpuInputs &inputs, const Advise &advise)
{
    warn_range(inputs, advise);
    warn_matrix(inputs, advise);
    const bool is_told = warn_rgb(inputs, advise) || warn_light(inputs, advise);
    if (!is_told && !warn_colour(inputs, advise))
        warn_hdr(inputs, advise);
}

} // namespace vmafgpu
