// SPDX-License-Identifier: BSD-2-Clause-Patent
// See thumbnail.h.
#include "picture/thumbnail.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/error.h"

namespace vmafgpu {

namespace {

// ------------------------------------------------------------------ colours

/// A pixel of three means, in units of a sample.
void to_rgb(const RgbRule &rule, int depth, const double *mean, unsigned char *rgb)
{
    const double one = 1 << (depth - 8);
    const double full = (1 << depth) - 1;
    const double y = rule.is_full_range ? mean[0] / full : (mean[0] - 16 * one) / (219 * one);
    const double range = rule.is_full_range ? full : 224 * one;
    const double cb = (mean[1] - 128 * one) / range;
    const double cr = (mean[2] - 128 * one) / range;
    const double more_red = 2 * (1 - rule.red) * cr;
    const double more_blue = 2 * (1 - rule.blue) * cb;
    const double less_green =
        (rule.red * more_red + rule.blue * more_blue) / (1 - rule.red - rule.blue);
    const double values[3] = {y + more_red, y - less_green, y + more_blue};
    for (int i = 0; i < 3; ++i)
        rgb[i] =
            static_cast<unsigned char>(std::floor(std::clamp(values[i], 0.0, 1.0) * 255 + 0.5));
}

// ----------------------------------------------------------------- sampling

/// Samples of a row or column from `begin` to before `end`.
struct Span {
    int64_t begin, end;
};

/// What pixel i of `count` covers: at least one sample, also of a plane that is smaller than the
/// thumbnail.
Span span_of(int64_t i, int64_t count, int64_t samples)
{
    const int64_t begin = i * samples / count;
    return {begin, std::max((i + 1) * samples / count, begin + 1)};
}

template <typename Sample>
double mean_of(const VmafGpuPicture &picture, int p, Span columns, Span rows)
{
    const VmafGpuPlane &plane = picture.plane[p];
    const ptrdiff_t step = plane.step == 0 ? sizeof(Sample) : plane.step;
    const unsigned mask = (1U << picture.depth) - 1;
    const auto *row = static_cast<const unsigned char *>(plane.data) + rows.begin * plane.pitch;
    uint64_t sum = 0;
    for (int64_t y = rows.begin; y < rows.end; ++y, row += plane.pitch) {
        const unsigned char *end = row + columns.end * step;
        for (const unsigned char *at = row + columns.begin * step; at < end; at += step) {
            Sample sample;
            std::memcpy(&sample, at, sizeof(sample));
            sum += static_cast<unsigned>(sample) >> picture.shift & mask;
        }
    }
    return static_cast<double>(sum) /
           static_cast<double>((columns.end - columns.begin) * (rows.end - rows.begin));
}

/// Rows of RGB, each behind a byte for PNG.
std::string draw(const VmafGpuPicture &picture, Chroma chroma, const RgbRule &rule,
                 const Thumbnail &size)
{
    const Format format = {picture.width, picture.height, picture.depth, chroma};
    const int planes = chroma == Chroma::k400 ? 1 : 3;
    const double grey = 128 << (picture.depth - 8);
    const auto mean_of_samples = picture.depth > 8 ? mean_of<uint16_t> : mean_of<uint8_t>;
    std::string out;
    out.reserve((1 + 3 * static_cast<size_t>(size.width)) * static_cast<size_t>(size.height));
    for (int y = 0; y < size.height; ++y) {
        out += '\0';
        for (int x = 0; x < size.width; ++x) {
            double mean[3] = {0, grey, grey};
            for (int p = 0; p < planes; ++p)
                mean[p] = mean_of_samples(picture, p, span_of(x, size.width, format.plane_width(p)),
                                          span_of(y, size.height, format.plane_height(p)));
            unsigned char rgb[3];
            to_rgb(rule, picture.depth, mean, rgb);
            out.append(reinterpret_cast<const char *>(rgb), sizeof(rgb));
        }
    }
    return out;
}

/// A side, when the longer one is reduced to kThumbnailSize.
int reduced(int side, int longer)
{
    if (longer <= kThumbnailSize)
        return side;
    return std::max((side * kThumbnailSize + longer / 2) / longer, 1);
}

// ---------------------------------------------------------------------- PNG

#ifdef HAVE_ZLIB

std::string number(size_t value)
{
    std::string text;
    for (int i = 0; i < 4; ++i)
        text += static_cast<char>(value >> (24 - 8 * i) & 255);
    return text;
}

std::string chunk(const std::string &type, const std::string &content)
{
    const std::string body = type + content;
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef *>(body.data()), static_cast<uInt>(body.size()));
    return number(content.size()) + body + number(sum);
}

/// Differences from the pixel to the left are smaller.
void filter_rows(std::string &rows, size_t pitch)
{
    for (size_t begin = 0; begin < rows.size(); begin += pitch) {
        rows[begin] = 1;
        for (size_t x = begin + pitch - 1; x > begin + 3; --x)
            rows[x] = static_cast<char>(rows[x] - rows[x - 3]);
    }
}

std::string make_png(std::string rows, const Thumbnail &size)
{
    const std::string kind = {8, 2, 0, 0, 0}; // 8 bit, RGB, not interlaced
    filter_rows(rows, 1 + 3 * static_cast<size_t>(size.width));
    uLongf packed_size = compressBound(static_cast<uLong>(rows.size()));
    std::string packed(packed_size, '\0');
    if (compress2(reinterpret_cast<Bytef *>(packed.data()), &packed_size,
                  reinterpret_cast<const Bytef *>(rows.data()), static_cast<uLong>(rows.size()),
                  Z_DEFAULT_COMPRESSION) != Z_OK) // the best takes six times as long for 4 %
        throw std::bad_alloc();
    packed.resize(packed_size);
    const size_t sides[] = {static_cast<size_t>(size.width), static_cast<size_t>(size.height)};
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", number(sides[0]) + number(sides[1]) + kind) +
           chunk("IDAT", packed) + chunk("IEND", "");
}

#else

std::string make_png(const std::string & /*rows*/, const Thumbnail & /*size*/)
{
    throw Error(ENOSYS, "this build has no zlib");
}

#endif

} // namespace

std::string RgbRule::text() const
{
    return std::string("converted by ") + matrix +
           (is_from_file ? " (as the file says), " : " (by the size of the video), ") +
           (is_full_range ? "full range" : "limited range");
}

RgbRule rgb_rule(const VmafGpuPicture &picture, std::string_view matrix, bool is_full_range)
{
    static constexpr std::pair<std::string_view, RgbRule> kKnown[] = {
        {"bt709", {"BT.709", 0.2126, 0.0722, true, false}},
        {"smpte170m", {"BT.601", 0.299, 0.114, true, false}},
        {"bt470bg", {"BT.601", 0.299, 0.114, true, false}},
        {"gbr", {"BT.601", 0.299, 0.114, true, false}}, // ffmpeg makes such YUV of RGB
        {"fcc", {"FCC", 0.30, 0.11, true, false}},
        {"smpte240m", {"SMPTE 240M", 0.212, 0.087, true, false}},
        {"bt2020nc", {"BT.2020", 0.2627, 0.0593, true, false}},
    };
    RgbRule rule = kKnown[picture.width >= 1280 || picture.height > 576 ? 0 : 1].second;
    rule.is_from_file = false;
    for (const auto &[name, known] : kKnown)
        if (name == matrix)
            rule = known;
    rule.is_full_range = is_full_range;
    return rule;
}

Thumbnail make_thumbnail(const VmafGpuPicture &picture, Chroma chroma, const RgbRule &rule)
{
    const int longer = std::max(picture.width, picture.height);
    Thumbnail thumbnail = {reduced(picture.width, longer), reduced(picture.height, longer)};
    thumbnail.png = make_png(draw(picture, chroma, rule, thumbnail), thumbnail);
    return thumbnail;
}

} // namespace vmafgpu
