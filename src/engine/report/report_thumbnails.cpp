// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_thumbnails.h.
#include "report/report_thumbnails.h"

#include <algorithm>
#include <string_view>

namespace vmafgpu {
namespace {

/// RFC 4648, section 4.
std::string base64(std::string_view data)
{
    static constexpr char kDigits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((data.size() + 2) / 3 * 4);
    for (size_t i = 0; i < data.size(); i += 3) {
        const size_t count = std::min<size_t>(data.size() - i, 3);
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (j < count ? static_cast<unsigned char>(data[i + j]) : 0u);
        for (size_t j = 0; j < 4; ++j)
            text += j <= count ? kDigits[bits >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

bool is_set(const VmafGpuThumbnail &picture)
{
    return picture.png != nullptr && picture.png_size > 0 && picture.width > 0 &&
           picture.height > 0;
}

/// Nothing here needs escapes.
std::string picture_text(const VmafGpuThumbnail &picture, int64_t pair, const std::string &name)
{
    if (!is_set(picture))
        return "<span><small>" + name + ": no picture</small></span>";
    const std::string_view data(static_cast<const char *>(picture.png), picture.png_size);
    return "<span><img alt=\"" + name + ", frame " + std::to_string(pair) + "\" width=\"" +
           std::to_string(picture.width) + "\" height=\"" + std::to_string(picture.height) +
           "\" src=\"data:image/png;base64," + base64(data) + "\"><small>" + name +
           "</small></span>";
}

} // namespace

Thumbnails thumbnails_of(const RunFacts &run, std::vector<int64_t> pairs)
{
    if (!run.thumbnails || pairs.empty())
        return {};
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    std::vector<VmafGpuThumbnail> list(2 * pairs.size());
    for (size_t i = 0; i < list.size(); ++i) {
        list[i].pair = pairs[i / 2];
        list[i].video = static_cast<int>(i % 2);
    }
    const char *note = run.thumbnails(list.data(), static_cast<int>(list.size()));
    Thumbnails thumbnails = {{}, note == nullptr ? "" : note};
    for (size_t i = 0; i < pairs.size(); ++i)
        if (is_set(list[2 * i]) || is_set(list[2 * i + 1]))
            thumbnails.pictures[pairs[i]] = picture_text(list[2 * i], pairs[i], "reference") +
                                            picture_text(list[2 * i + 1], pairs[i], "distorted");
    return thumbnails;
}

} // namespace vmafgpu
