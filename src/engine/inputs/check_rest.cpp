// SPDX-License-Identifier: BSD-2-Clause-Patent
// What of the inputs is left out of the comparison: other videos of a file, alpha, the colours of
// Dolby Vision; and grey pictures against colour, which as a rule are an alpha plane or a gain map.
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

bool is_gray(const VmafGpuInput &input)
{
    return parse_pixel_format(tag_of(input.format)).colour == PixelFormat::Colour::kGray;
}

void warn_stream(const VmafGpuInput &input, const std::string &name, const Advise &advise)
{
    const std::string streams = input.streams;
    if (streams.find(',') != streams.npos && input.is_named == 0)
        advise(VMAFGPU_LOG_WARNING, name + " has several video streams (" + streams + "): stream " +
                                        std::to_string(input.stream) +
                                        " is compared, which FFmpeg chooses");
}

/// The decoders of GIF and of screens give bgra, which as a rule hides nothing.
void warn_alpha(const VmafGpuInput &input, const std::string &name, const Advise &advise)
{
    const std::string_view format = tag_of(input.format);
    if (has_alpha(format))
        advise(format == "bgra" ? VMAFGPU_LOG_VERBOSE : VMAFGPU_LOG_WARNING,
               name +
                   " has alpha, which is left out: colours count also where they are transparent");
}

void warn_own_colours(const VmafGpuInput &input, const std::string &name, const Advise &advise)
{
    if (input.has_own_colours != 0)
        advise(VMAFGPU_LOG_WARNING,
               name + " has Dolby Vision of profile 5 or 10.0, whose colours only "
                      "a Dolby Vision player shows: other colours are compared");
}

} // namespace

std::string stream_text(const VmafGpuInput &input)
{
    return input.streams[0] == '\0' ? "" : std::to_string(input.stream) + " of " + input.streams;
}

/// Grey with a picture of colour beside it in one file is as a rule its alpha or gain map.
std::string gray_fault(const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[0], &b = inputs.compared[1];
    if (is_gray(inputs.input[0]) == is_gray(inputs.input[1]) || a.width != b.width ||
        a.height != b.height)
        return "";
    const int gray = is_gray(inputs.input[0]) ? 0 : 1;
    return std::string(kInputNames[gray]) + " is grey, " + kInputNames[1 - gray] +
           " has colour: is it the alpha plane or gain map of a picture, a stream of the same "
           "file?";
}

void check_rest(const VmafGpuInputs &inputs, const Advise &advise)
{
    for (int i = 0; i < 2; ++i) {
        warn_stream(inputs.input[i], kInputNames[i], advise);
        warn_alpha(inputs.input[i], kInputNames[i], advise);
        warn_own_colours(inputs.input[i], kInputNames[i], advise);
    }
    if (const std::string fault = gray_fault(inputs); !fault.empty())
        advise(VMAFGPU_LOG_WARNING, fault);
}

} // namespace vmafgpu
