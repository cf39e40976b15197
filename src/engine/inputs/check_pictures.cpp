// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes, shapes of pixels, depths, and pictures that a model was not made for.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

/// Pixels of a coded picture that are not for display are fewer than a macroblock.
constexpr int kCodingRows = 16;
/// So that the product of a pixel's shape with both sides is an int64_t.
constexpr int kMostSide = 65535;

std::string number(int64_t value)
{
    return std::to_string(value);
}

std::string size_of(const VmafGpuInput &input)
{
    return number(input.width) + "x" + number(input.height);
}

/// In lowest terms, as libavfilter has it; showinfo says what a GIF's decoder does, 64:64.
std::string aspect_of(const VmafGpuInput &input)
{
    const int common = std::gcd(input.sar_num, input.sar_den);
    return number(input.sar_num / common) + ":" + number(input.sar_den / common);
}

double pixel_aspect(const VmafGpuInput &input)
{
    return input.sar_num > 0 && input.sar_den > 0
               ? static_cast<double>(input.sar_num) / input.sar_den
               : 1;
}

/// Width to height of the displayed picture.
double display_aspect(const VmafGpuInput &input)
{
    return pixel_aspect(input) * input.width / input.height;
}

/// Whether ratios are equal but for the rounding of sizes, within some hundredths.
bool is_close(double a, double b, double hundredths)
{
    return std::max(a, b) < std::min(a, b) * (1 + hundredths / 100);
}

/// 4:2:0 needs even sizes.
int round_to_even(double length)
{
    return std::max(2, 2 * static_cast<int>(std::lrint(length / 2)));
}

/// The filter that cuts a picture to a size. A few rows or columns more are the coder's, at the
/// right and at the bottom; otherwise they are bars, on both sides.
std::string crop(int from_width, int from_height, int width, int height)
{
    const int x = from_width - width < kCodingRows ? 0 : (from_width - width) / 4 * 2;
    const int y = from_height - height < kCodingRows ? 0 : (from_height - height) / 4 * 2;
    const bool is_odd = ((width | height) & 1) != 0;
    return "crop=" + number(width) + ":" + number(height) + ":" + number(x) + ":" + number(y) +
           (is_odd ? ":exact=1" : "");
}

std::string bicubic(int width, int height)
{
    return "scale=" + number(width) + ":" + number(height) + ":flags=bicubic";
}

/// One picture holds the other at the same scale.
void suggest_crop(std::string &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const bool main_is_larger = a.width > b.width || a.height > b.height;
    const VmafGpuInput &from = main_is_larger ? a : b, &to = main_is_larger ? b : a;
    const std::string filter = crop(from.width, from.height, to.width, to.height);
    text += main_is_larger ? "crop main or pad reference" : "crop reference or pad main";
    add_example(text, inputs, main_is_larger ? filter.c_str() : nullptr,
                main_is_larger ? nullptr : filter.c_str());
}

/// Pictures of different shape and scale, e.g. 1280x534 of 1920x1080. The one of 16:9 has the bars,
/// since bars are added to get that shape; else the higher one. The reference keeps its scale.
void suggest_crop_and_scale(std::string &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const double shape = display_aspect(a) / pixel_aspect(b); // of main, in reference's pixels
    const bool is_wider = display_aspect(a) > display_aspect(b);
    const bool main_has_bars = is_close(display_aspect(a), 16 / 9., 1) ||
                               (!is_wider && !is_close(display_aspect(b), 16 / 9., 1));
    const bool keeps_width = is_wider != main_has_bars;
    const int width = keeps_width ? b.width : round_to_even(b.height * shape);
    const int height = keeps_width ? round_to_even(b.width / shape) : b.height;
    std::string filters = bicubic(width, height);
    if (main_has_bars) {
        filters += "," + crop(width, height, b.width, b.height);
        text += "scale main, then crop it to the shape of reference";
        add_example(text, inputs, filters.c_str(), nullptr);
    } else {
        text += "crop reference to the shape of main, and scale main";
        add_example(text, inputs, filters.c_str(), crop(b.width, b.height, width, height).c_str());
    }
}

[[noreturn]] void refuse_sizes(const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const bool has_same_side = a.width == b.width || a.height == b.height;
    std::string text = "main is " + size_of(a) + " but reference is " + size_of(b) + "; ";
    if (a.width == b.height && a.height == b.width) {
        text += "turn one of them (transpose=clock or cclock), or put -noautorotate before its -i";
        add_example(text, inputs, "transpose=clock", nullptr);
    } else if (has_same_side && is_close(pixel_aspect(a), pixel_aspect(b), 2)) {
        suggest_crop(text, inputs);
    } else if (is_close(display_aspect(a), display_aspect(b), 1)) {
        text += "add scale=bicubic, or scale one of them";
        add_example(text, inputs, bicubic(b.width, b.height).c_str(), nullptr);
    } else {
        suggest_crop_and_scale(text, inputs);
    }
    throw Error(EINVAL, text);
}

void check_sizes(const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    for (const int side : {a.width, a.height, b.width, b.height})
        if (side < 1 || side > kMostSide)
            throw Error(EINVAL, "main is " + size_of(a) + ", reference is " + size_of(b) +
                                    ": a side has 1 to " + number(kMostSide) + " pixels");
    if (a.width != b.width || a.height != b.height) {
        if (inputs.is_scaling == 0) // else vmafgpu_open() knows what it can scale
            refuse_sizes(inputs);
    } else if (a.width < VMAFGPU_MIN_SIZE || a.height < VMAFGPU_MIN_SIZE) {
        const std::string least = number(VMAFGPU_MIN_SIZE);
        throw Error(EINVAL, "picture " + size_of(a) + " is smaller than the minimum " + least +
                                "x" + least + " of the features");
    }
}

/// Scaling rounds sizes, which gives ratios such as 1281:1280. They are no difference. Of pictures
/// that are scaled to one size, the shapes count.
void warn_pixel_aspect(const VmafGpuInputs &inputs, const Log &log)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    if (a.sar_num <= 0 || a.sar_den <= 0 || b.sar_num <= 0 || b.sar_den <= 0)
        return;
    int64_t same_num = static_cast<int64_t>(b.sar_num) * b.width * a.height;
    int64_t same_den = static_cast<int64_t>(b.sar_den) * b.height * a.width;
    const int64_t divisor = std::gcd(same_num, same_den);
    same_num /= divisor;
    same_den /= divisor;
    if (is_close(pixel_aspect(a), static_cast<double>(same_num) / static_cast<double>(same_den), 2))
        return;
    const std::string ratio_a = aspect_of(a);
    const std::string ratio_b = aspect_of(b);
    std::string text;
    if (a.width == b.width && a.height == b.height)
        text = "main has sample aspect ratio " + ratio_a + ", reference has " + ratio_b +
               ": the pictures have different shapes; if it is only the tag that is wrong";
    else
        text = "main is " + size_of(a) + " with sample aspect ratio " + ratio_a + ", reference " +
               size_of(b) + " with " + ratio_b +
               ": the pictures have different shapes; if only the tag of main is wrong";
    add_example(text, inputs, ("setsar=" + number(same_num) + "/" + number(same_den)).c_str(),
                nullptr);
    log(VMAFGPU_LOG_WARNING, text);
}

void warn_depth(const VmafGpuInputs &inputs, const Log &log)
{
    const auto depth_of = [&inputs](int i) {
        return parse_pixel_format(tag_of(inputs.input[i].format)).depth;
    };
    const int main = depth_of(VMAFGPU_MAIN), reference = depth_of(VMAFGPU_REFERENCE);
    if (main == reference && main <= inputs.depth)
        return;
    std::string text =
        "main is " + number(main) + " bit, reference is " + number(reference) + " bit: ";
    if (std::max(main, reference) <= inputs.depth)
        text += "comparing at " + number(inputs.depth) + " bit";
    else
        text += "FFmpeg converts to " + number(inputs.depth) +
                " bit, as for libvmaf (formats=asis: no bit is lost)";
    log(VMAFGPU_LOG_WARNING, text);
}

void warn_grain(const VmafGpuInputs &inputs, const Log &log)
{
    for (int i = 0; i < 2; ++i)
        if (inputs.input[i].has_grain != 0)
            log(VMAFGPU_LOG_WARNING,
                std::string(kInputNames[i]) +
                    " has film grain that the decoder adds: VMAF takes it for noise, and the score "
                    "is as a rule lower; -export_side_data film_grain before its -i takes it off");
}

/// The built-in model of the same kind for the other size, or null.
const char *model_of_other_size(std::string_view name, bool is_uhd)
{
    static constexpr struct {
        const char *hd, *uhd;
    } kModels[] = {
        {"vmaf_v0.6.1", "vmaf_4k_v0.6.1"},
        {"vmaf_v0.6.1neg", "vmaf_4k_v0.6.1neg"},
        {"vmaf_v1.0.16_3d0h", "vmaf_v1.0.16_1d5h_2160"},
        {"vmaf_v1.0.16_5d0h", "vmaf_v1.0.16_3d0h_2160"},
        {"vmaf_v1.0.16_hfr_3d0h", "vmaf_v1.0.16_hfr_1d5h_2160"},
        {"vmaf_v1.0.16_hfr_5d0h", "vmaf_v1.0.16_hfr_3d0h_2160"},
    };
    for (const auto &model : kModels)
        if (name == (is_uhd ? model.uhd : model.hd))
            return is_uhd ? model.hd : model.uhd;
    return nullptr;
}

/// Far from the model's size: for 1080p, below 480x270 or above 3200x1800 pixels; for 2160p, below
/// 2560x1440. Pictures with bars cut off are between these limits.
bool warn_model_size(const VmafGpuInputs &inputs, const char *model, const Log &log)
{
    // main may be scaled to it
    const VmafGpuInput &reference = inputs.compared[VMAFGPU_REFERENCE];
    const int64_t pixels = static_cast<int64_t>(reference.width) * reference.height;
    const std::string_view name = model;
    const bool is_uhd = name.find("4k") != name.npos || name.find("2160") != name.npos;
    const char *other = model_of_other_size(name, is_uhd);
    const bool is_large = pixels > 3200 * 1800;
    if (is_uhd ? pixels >= 2560 * 1440 : pixels >= 480 * 270 && !is_large)
        return false;
    std::string text = "the pictures are " + size_of(reference) + ", but model " + model +
                       " was made for " + (is_uhd ? "3840x2160" : "1920x1080");
    if (!is_uhd && !is_large) {
        text += ": scale both to the size at which they are watched";
        add_example(text, inputs, "scale=-2:1080:flags=bicubic", "scale=-2:1080:flags=bicubic");
    } else if (other != nullptr) {
        text +=
            std::string(": take the model for this size, e.g. [0:v][1:v]vmaf_gpu=model=version=") +
            other + (inputs.is_scaling != 0 ? ":scale=bicubic" : "");
    }
    log(VMAFGPU_LOG_WARNING, text);
    return true;
}

bool warn_model_depth(const VmafGpuInputs &inputs, const char *model, const Log &log)
{
    if (inputs.depth > 8 || std::string_view(model).substr(0, 7) != "vmaf_v1")
        return false;
    const int chroma = parse_pixel_format(tag_of(inputs.compared[0].format)).chroma;
    std::string text = std::string("the pictures are 8 bit, but model ") + model +
                       " was made for 10 bit: convert both";
    const std::string filter = "format=yuv" + number(chroma) + "p10";
    const bool has_filter = chroma == 420 || chroma == 422 || chroma == 444;
    if (has_filter && chroma == parse_pixel_format(tag_of(inputs.compared[1].format)).chroma)
        add_example(text, inputs, filter.c_str(), filter.c_str());
    log(VMAFGPU_LOG_WARNING, text);
    return true;
}

/// One model of a kind is enough: with several models the remedy is the same.
void warn_models(const VmafGpuInputs &inputs, const Log &log)
{
    bool has_warned_size = false, has_warned_depth = false;
    for (int i = 0; i < inputs.model_count; ++i) {
        has_warned_size = has_warned_size || warn_model_size(inputs, inputs.models[i], log);
        has_warned_depth = has_warned_depth || warn_model_depth(inputs, inputs.models[i], log);
    }
}

} // namespace

void add_example(std::string &text, const VmafGpuInputs &inputs, const char *main_filters,
                 const char *reference_filters)
{
    const char *const filters[] = {main_filters, reference_filters};
    std::string before, labels;
    for (int i = 0; i < 2; ++i) {
        const std::string stream = "[" + number(i) + ":v]";
        const std::string label = i == VMAFGPU_MAIN ? "[d]" : "[r]";
        if (filters[i] != nullptr && inputs.input[i].is_hardware != 0)
            return;
        labels += filters[i] != nullptr ? label : stream;
        if (filters[i] != nullptr)
            before.append(stream).append(filters[i]).append(label).append(";");
    }
    text +=
        ", e.g. " + before + labels + "vmaf_gpu" + (inputs.is_scaling != 0 ? "=scale=bicubic" : "");
}

void check_pictures(const VmafGpuInputs &inputs, const Log &log)
{
    check_sizes(inputs);
    warn_pixel_aspect(inputs, log);
    warn_depth(inputs, log);
    warn_grain(inputs, log);
    warn_models(inputs, log);
}

} // namespace vmafgpu
