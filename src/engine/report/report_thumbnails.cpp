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
    list_.resize(2 * pairs.size());
    const auto name = [&] { // again behind the call: what is given stays as it is
        for (size_t i = 0; i < list_.size(); ++i) {
            list_[i].pair = pairs[i / 2];
            list_[i].video = static_cast<int>(i % 2);
        }
    };
    name();
    const char *note =
        run.thumbnails(run.thumbnails_opaque, list_.data(), static_cast<int>(list_.size()));
    name();
    note_ = note == nullptr ? "" : note;
}

void Thumbnails::write(const std::vector<int64_t> &pairs,
                       const std::function<std::string(int64_t)> &caption_of,
                       ReportFile &file) const
{
    bool has_any = false;
    for (const int64_t pair : pairs) {
        std::string pictures;
        bool has_one = false;
        for (const VmafGpuThumbnail &picture : list_)
            if (picture.pair == pair) {
                pictures += picture_text(picture);
                has_one = has_one || is_set(picture);
            }
        if (!has_one)
            continue;
        pugi::xml_document section;
        append_element(section, "figcaption", caption_of(pair));
        file.write(has_any ? "<figure>" : "<div class=\"pictures\">\n<figure>");
        print_section(section, file);
        file.write(pictures + "</figure>\n");
        has_any = true;
    }
    if (has_any)
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
