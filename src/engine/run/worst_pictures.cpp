// SPDX-License-Identifier: BSD-2-Clause-Patent
// See worst_pictures.h.
#include "run/worst_pictures.h"

#include <cerrno>

#include "base/error.h"
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

constexpr char kOnDevice[] = "none; frames in GPU memory are not kept. For a page with pictures: "
                             "vmaf_gpu --pair auto -r REFERENCE -d DISTORTED --html -o PAGE";

Chroma chroma_of(const VmafGpuPicture &picture, const PixelFormat &format, Chroma otherwise)
{
    if (picture.plane[1].data == nullptr)
        return Chroma::k400;
    return format.chroma == 420   ? Chroma::k420
           : format.chroma == 422 ? Chroma::k422
           : format.chroma == 444 ? Chroma::k444
                                  : otherwise;
}

} // namespace

WorstPictures::WorstPictures(const std::vector<size_t> &model_columns, int after) : after_(after)
{
    const std::vector<size_t> columns = main_columns(model_columns);
    // The latest ones may leave the list again.
    const size_t most = most_pictured(columns.size()) + static_cast<size_t>(after);
    for (const size_t column : columns)
        worst_.emplace_back(column, Worst(most));
}

void WorstPictures::met(int64_t index, Pairing::Pictures pictures)
{
    while (!pairs_.empty() && pairs_.back().index >= index)
        pairs_.pop_back();
    pairs_.push_back({index, std::move(pictures)});
}

void WorstPictures::scored(int64_t index, const double *scores)
{
    if (scores != nullptr)
        for (auto &[column, worst] : worst_)
            worst.add(scores[column], index);
    const auto is_needed = [&](const Pair &pair) {
        return pair.index > index - after_ ||
               std::any_of(worst_.begin(), worst_.end(),
                           [&](const auto &of) { return of.second.has(pair.index); });
    };
    pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(),
                                [&](const Pair &pair) { return !is_needed(pair); }),
                 pairs_.end());
}

/// Returns what the pictures show, or why there are none.
std::string WorstPictures::draw_input(Input input, const VmafGpuInput &tags, Chroma chroma,
                                      VmafGpuThumbnail *list, int count)
{
    const PixelFormat format = parse_pixel_format(tag_of(tags.format));
    std::string note = kOnDevice;
    for (VmafGpuThumbnail *entry = list; entry < list + count; ++entry) {
        const auto pair = std::find_if(pairs_.begin(), pairs_.end(),
                                       [&](const Pair &kept) { return kept.index == entry->pair; });
        if ((entry->video != 0) != (input == kMain) || pair == pairs_.end() ||
            pair->pictures[input] == nullptr)
            continue;
        const VmafGpuPicture &picture = pair->pictures[input]->get();
        const RgbRule rule =
            rgb_rule(picture, tag_of(tags.matrix), format.is_full || tag_of(tags.range) == "pc");
        note = rule.text();
        thumbnails_.push_back(make_thumbnail(picture, chroma_of(picture, format, chroma), rule));
        const Thumbnail &thumbnail = thumbnails_.back();
        entry->width = thumbnail.width;
        entry->height = thumbnail.height;
        entry->png = thumbnail.png.data();
        entry->png_size = thumbnail.png.size();
    }
    return note;
}

const char *WorstPictures::draw(const VmafGpuInput (&tags)[kInputs], Chroma chroma,
                                VmafGpuThumbnail *list, int count)
{
    try {
        const std::string reference = draw_input(kReference, tags[kReference], chroma, list, count);
        const std::string main = draw_input(kMain, tags[kMain], chroma, list, count);
        note_ = reference == main ? "Pictures of both videos: " + main + "."
                                  : "Pictures of the reference: " + reference +
                                        ". Pictures of the distorted video: " + main + ".";
    } catch (const Error &error) { // the page is more than its pictures
        if (error.code() != ENOSYS)
            throw;
        note_ = std::string("No pictures: ") + error.what() + ".";
    }
    return note_.c_str();
}

} // namespace vmafgpu
