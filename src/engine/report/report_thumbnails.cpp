// SPDX-License-Identifier: BSD-2-Clause-Patent
// See report_thumbnails.h.
#include "report/report_thumbnails.h"

#include <algorithm>
#include <string_view>

#include "report/report_page.h"

namespace vmafgpu {
namespace {

constexpr const char *kVideoNames[] = {"reference", "distorted"};

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

/// Not by pugixml, which would close <img>. Nothing here needs escapes.
std::string picture_text(const VmafGpuThumbnail &picture)
{
    const std::string name = kVideoNames[picture.video];
    if (!is_set(picture))
        return "<span><small>" + name + ": no picture</small></span>";
    const std::string_view data(static_cast<const char *>(picture.png), picture.png_size);
    return "<span><img alt=\"" + name + ", frame " + std::to_string(picture.pair) + "\" width=\"" +
           std::to_string(picture.width) + "\" height=\"" + std::to_string(picture.height) +
           "\" src=\"data:image/png;base64," + base64(data) + "\"><small>" + name +
           "</small></span>";
}

} // namespace

Thumbnails::Thumbnails(const VmafGpuRun &run, std::vector<int64_t> pairs)
{
    if (run.thumbnails == nullptr || pairs.empty())
        return;
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const int64_t pair : pairs)
        for (int video = 0; video < 2; ++video) {
            list_.push_back({});
            list_.back().pair = pair;
            list_.back().video = video;
        }
    std::vector<VmafGpuThumbnail> given = list_; // what is given stays as it is
    const char *note =
        run.thumbnails(run.thumbnails_opaque, given.data(), static_cast<int>(given.size()));
    note_ = note == nullptr ? "" : note;
    for (size_t i = 0; i < list_.size(); ++i) {
        list_[i].width = given[i].width;
        list_[i].height = given[i].height;
        list_[i].png = given[i].png;
        list_[i].png_size = given[i].png_size;
    }
}

bool Thumbnails::has_any(int64_t pair) const
{
    return std::any_of(list_.begin(), list_.end(), [pair](const VmafGpuThumbnail &picture) {
        return picture.pair == pair && is_set(picture);
    });
}

void Thumbnails::write_figure(int64_t pair, const std::string &caption, ReportFile &file) const
{
    pugi::xml_document section;
    append_element(section, "figcaption", caption);
    file.write("<figure>");
    print_section(section, file);
    for (const VmafGpuThumbnail &picture : list_)
        if (picture.pair == pair)
            file.write(picture_text(picture));
    file.write("</figure>\n");
}

void Thumbnails::write(const std::vector<int64_t> &pairs,
                       const std::function<std::string(int64_t)> &caption_of,
                       ReportFile &file) const
{
    if (std::none_of(pairs.begin(), pairs.end(), [this](int64_t pair) { return has_any(pair); }))
        return;
    file.write("<div class=\"pictures\">\n");
    for (const int64_t pair : pairs)
        if (has_any(pair))
            write_figure(pair, caption_of(pair), file);
    file.write("</div>\n");
}

void Thumbnails::write_note(ReportFile &file) const
{
    if (note_.empty())
        return;
    pugi::xml_document section;
    append_element(section, "p", note_);
    print_section(section, file);
}

} // namespace vmafgpu
