// SPDX-License-Identifier: BSD-2-Clause-Patent
// See pixel_format.h.
#include "inputs/pixel_format.h"

#include <algorithm>
#include <cctype>

namespace vmafgpu {

namespace {

bool begins_with(std::string_view text, std::string_view begin)
{
    return text.substr(0, begin.size()) == begin;
}

/// The number at the beginning of a text, which is cut off; 0: there is none.
int take_number(std::string_view &text)
{
    int value = 0;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
        value = std::min(value, 1000) * 10 + (text.front() - '0');
        text.remove_prefix(1);
    }
    return value;
}

/// "yuv420p10le", "yuvj420p", "yuva444p".
PixelFormat parse_planar(std::string_view rest)
{
    PixelFormat format;
    format.colour = PixelFormat::Colour::kYuv;
    format.is_full = begins_with(rest, "j");
    const bool has_alpha = begins_with(rest, "a");
    rest.remove_prefix(format.is_full || has_alpha ? 1 : 0);
    format.chroma = take_number(rest);
    if (!begins_with(rest, "p"))
        return format;
    rest.remove_prefix(1);
    const int depth = take_number(rest);
    format.depth = depth == 0 ? 8 : depth;
    format.is_planar = !has_alpha && (rest.empty() || rest == "le");
    return format;
}

PixelFormat semi_planar(int chroma, int depth)
{
    PixelFormat format;
    format.colour = PixelFormat::Colour::kYuv;
    format.chroma = chroma;
    format.depth = depth;
    format.is_semi_planar = true;
    return format;
}

/// "nv12", "p010le"; else chroma is -1.
PixelFormat parse_semi_planar(std::string_view name)
{
    if (name == "nv12" || name == "nv21")
        return semi_planar(420, 8);
    if (name == "nv16")
        return semi_planar(422, 8);
    if (name == "nv24" || name == "nv42")
        return semi_planar(444, 8);
    if (name.size() < 4 || name[0] != 'p' || (name.size() > 4 && name.substr(4) != "le"))
        return {};
    std::string_view digits = name.substr(1, 3);
    const int number = take_number(digits);
    const int kind = number / 100;
    if (!digits.empty() || (kind != 0 && kind != 2 && kind != 4))
        return {};
    return semi_planar(kind == 0 ? 420 : kind == 2 ? 422 : 444, number % 100);
}

/// Bits of a sample or of a pixel that a number in a packed format's name stands for.
int depth_of(int number)
{
    switch (number) {
    case 30:
        return 10; // v30x, xv30
    case 36:
        return 12; // xv36
    case 32:       // gbrpf32, of floats
    case 48:
    case 64:
        return 16;
    case 555:
    case 565:
        return 5;
    default:
        return number >= 9 && number <= 16 ? number : 8;
    }
}

/// RGB, and what has no place elsewhere. Its depth is what its name ends in, if that is one.
PixelFormat parse_other(std::string_view name)
{
    PixelFormat format;
    for (const std::string_view packed :
         {"yuyv", "yvyu", "uyvy", "uyyvyy", "y2", "xv", "v30", "ayuv", "vuy"})
        if (begins_with(name, packed))
            format.colour = PixelFormat::Colour::kYuv;
    int number = 0;
    while (!name.empty()) { // the last one: x2rgb10
        if (std::isdigit(static_cast<unsigned char>(name.front())) != 0)
            number = take_number(name);
        else
            name.remove_prefix(1);
    }
    if (format.colour == PixelFormat::Colour::kYuv && number / 100 == 2)
        format.chroma = 422; // y210
    else if (number == 411 || number == 422)
        format.chroma = number; // uyvy422
    format.depth = depth_of(format.chroma == 422 ? number % 100 : number);
    return format;
}

} // namespace

bool PixelFormat::is_listed() const
{
    return is_planar && !is_full && (chroma == 420 || chroma == 422 || chroma == 444) &&
           (depth == 8 || depth == 10 || depth == 12 || depth == 16);
}

std::string PixelFormat::planar() const
{
    const int bits = depth <= 8 ? 8 : depth <= 10 ? 10 : depth <= 12 ? 12 : 16;
    const int nearest = chroma == 420 || chroma == 410   ? 420
                        : chroma == 422 || chroma == 411 ? 422
                                                         : 444;
    const std::string name = "yuv" + std::to_string(nearest) + "p";
    return bits == 8 ? name : name + std::to_string(bits) + "le";
}

PixelFormat parse_pixel_format(std::string_view name)
{
    if (begins_with(name, "yuv") && name.size() > 3 && name[3] != 'y')
        return parse_planar(name.substr(3));
    PixelFormat format = parse_semi_planar(name);
    if (format.is_semi_planar)
        return format;
    if (begins_with(name, "gray") || begins_with(name, "ya8") || begins_with(name, "ya16")) {
        name.remove_prefix(name[0] == 'g' ? 4 : 2);
        const int depth = take_number(name);
        format.colour = PixelFormat::Colour::kGray;
        format.depth = depth != 0 ? depth : begins_with(name, "f32") ? 16 : 8;
        format.is_full = true;
        return format;
    }
    return parse_other(name);
}

bool has_alpha(std::string_view name)
{
    for (const char *begin : {"yuva", "ya8", "ya16", "gbrap"})
        if (begins_with(name, begin))
            return true;
    for (const char *part : {"rgba", "bgra", "argb", "abgr", "ayuv", "vuya", "uyva"})
        if (name.find(part) != name.npos)
            return true;
    return false;
}

} // namespace vmafgpu
