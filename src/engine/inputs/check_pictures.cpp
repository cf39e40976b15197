// SPDX-License-Identifier: BSD-2-Clause-Patent
// Sizes, shapes of pixels, depths, and pictures that a model was not made for.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/scale_range.h"
#include "inputs/inputs.h"
#include "inputs/pixel_format.h"

namespace vmafgpu {

namespace {

/// Pixels of a coded picture that are not for display are fewer than a macroblock.
constexpr int kCodingRows = 16;
/// The product of a pixel's shape with both sides must fit an int64_t.
constexpr int kMostSide = 65535;

std::string number(int64_t value)
{
    return std::to_string(value);
}

std::string size_of(const VmafGpuInput &input)
{
    return number(input.width) + "x" + number(input.height);
}

/// The aspect in lowest terms, as libavfilter has it; showinfo says what a GIF's decoder does,
/// 64:64.
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

bool has_same_pixels(const VmafGpuInput &a, const VmafGpuInput &b)
{
    return is_close(pixel_aspect(a), pixel_aspect(b), 2);
}

/// 4:2:0 needs even sizes.
int round_to_even(double length)
{
    return std::max(2, 2 * static_cast<int>(std::lrint(length / 2)));
}

/// The filter that cuts a picture to a size. A few rows or columns more of whole macroblocks are
/// the coder's, at the right and at the bottom; otherwise they are bars, on both sides.
std::string crop(int from_width, int from_height, int width, int height)
{
    const auto is_coders = [](int from, int to) {
        return from == to || (from - to < kCodingRows && from % kCodingRows == 0);
    };
    const int sides = is_coders(from_width, width) && is_coders(from_height, height) ? 0 : 1;
    const int x = sides * ((from_width - width) / 4 * 2);
    const int y = sides * ((from_height - height) / 4 * 2);
    const bool is_odd = ((width | height) & 1) != 0;
    return "crop=" + number(width) + ":" + number(height) + ":" + number(x) + ":" + number(y) +
           (is_odd ? ":exact=1" : "");
}

std::string bicubic(int width, int height)
{
    return "scale=" + number(width) + ":" + number(height) + ":flags=bicubic";
}

/// Widths that are made of one another: long sides of broadcast, films, streams, and computers.
bool is_usual_side(int side)
{
    static constexpr int kSides[] = {256,  320,  352,  384,  400,  416,  426,  480,  512,  568,
                                     576,  624,  640,  704,  720,  768,  800,  832,  848,  854,
                                     896,  960,  1024, 1152, 1280, 1366, 1408, 1440, 1536, 1600,
                                     1680, 1792, 1920, 1998, 2048, 2304, 2560, 2880, 3072, 3200,
                                     3440, 3840, 4096, 5120, 5760, 6144, 7680, 8192};
    return std::any_of(std::begin(kSides), std::end(kSides),
                       [side](int usual) { return std::abs(side - usual) <= 2; });
}

/// Whether pictures are scaled by such a step: from one usual size to another, or to 4/5, 3/4, 2/3,
/// 1/2 ... of the size. Smaller steps are as a rule cropped pictures, even if their shape is the
/// same.
bool is_usual_step(int length, int other)
{
    const int large = std::max(length, other), small = std::min(length, other);
    if (is_usual_side(large) && is_usual_side(small) && large * 16 >= small * 17)
        return true;
    for (int parts = 1; parts <= 4; ++parts) {
        const int steps = static_cast<int>(std::lrint(1.0 * large * parts / small));
        const double fitting = 1.0 * large * parts / steps; // size that `small` should have
        if (large * 5 >= small * 6 && std::abs(fitting - small) < 2)
            return true;
    }
    return false;
}

/// Suggests a crop if one picture holds the other at the same scale. FFmpeg itself crops what the
/// container says.
void suggest_crop(Advice &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const bool main_is_larger = a.width > b.width || a.height > b.height;
    const VmafGpuInput &from = main_is_larger ? a : b, &to = main_is_larger ? b : a;
    const std::string filter = crop(from.width, from.height, to.width, to.height);
    text += main_is_larger ? "crop main or pad reference" : "crop reference or pad main";
    const int smaller = main_is_larger ? VMAFGPU_REFERENCE : VMAFGPU_MAIN;
    if (inputs.input[smaller].stored_width == 0)
        text.option[smaller] = "-apply_cropping codec";
    add_example(text, inputs, main_is_larger ? filter.c_str() : nullptr,
                main_is_larger ? nullptr : filter.c_str());
}

/// Pictures of different shape and scale, e.g. 1280x534 of 1920x1080. The one of 16:9 has the bars,
/// since bars are added to get that shape; else the higher one. The reference keeps its scale.
/// Returns false if the sizes are no usual step apart.
bool suggest_crop_and_scale(Advice &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const double shape = display_aspect(a) / pixel_aspect(b); // main's, in b's pixels
    const bool is_wider = display_aspect(a) > display_aspect(b);
    const bool main_has_bars = is_close(display_aspect(a), 16 / 9., 1) ||
                               (!is_wider && !is_close(display_aspect(b), 16 / 9., 1));
    const bool keeps_width = is_wider != main_has_bars;
    const int width = keeps_width ? b.width : round_to_even(b.height * shape);
    const int height = keeps_width ? round_to_even(b.width / shape) : b.height;
    if (has_same_pixels(a, b) &&
        !is_usual_step(keeps_width ? a.width : a.height, keeps_width ? b.width : b.height))
        return false;
    std::string filters = bicubic(width, height);
    if (main_has_bars) {
        filters += "," + crop(width, height, b.width, b.height);
        text += "scale main, then crop it to the shape of reference";
        add_example(text, inputs, filters.c_str(), nullptr);
    } else {
        text += "crop reference to the shape of main, and scale main";
        add_example(text, inputs, filters.c_str(), crop(b.width, b.height, width, height).c_str());
    }
    return true;
}

/// The container of an input crops it, and the other one has the size before that.
bool suggest_no_crop(Advice &text, const VmafGpuInputs &inputs)
{
    for (int i = 0; i < 2; ++i) {
        const VmafGpuInput &input = inputs.input[i], &other = inputs.input[1 - i];
        const bool is_cropped =
            input.stored_width > input.width || input.stored_height > input.height;
        if (!is_cropped || input.stored_width != other.width || input.stored_height != other.height)
            continue;
        text += std::string("the container of ") + kInputNames[i] + " crops " +
                number(input.stored_width) + "x" + number(input.stored_height) + ": take all of it";
        text.option[i] = "-apply_cropping codec";
        return true;
    }
    return false;
}

/// Scaling by FFmpeg rounds sizes, and changes the shape of a pixel by as much.
bool is_scaled(const VmafGpuInput &a, const VmafGpuInput &b)
{
    return is_close(display_aspect(a), display_aspect(b), 1) &&
           (pixel_aspect(a) != pixel_aspect(b) ||
            is_usual_step(std::max(a.width, a.height), std::max(b.width, b.height)));
}

/// Returns true if one picture is inside the other, and nearly as large.
bool is_cropped(const VmafGpuInput &a, const VmafGpuInput &b)
{
    const auto is_near = [](int large, int small) {
        return large >= small && large * 4 < small * 5;
    };
    return has_same_pixels(a, b) && ((is_near(a.width, b.width) && is_near(a.height, b.height)) ||
                                     (is_near(b.width, a.width) && is_near(b.height, a.height)));
}

/// Suggests filters that make the sizes equal.
void suggest_size(Advice &text, const VmafGpuInputs &inputs)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    const bool has_same_side = a.width == b.width || a.height == b.height;
    const bool is_cut =
        (has_same_side && has_same_pixels(a, b)) || (!is_scaled(a, b) && is_cropped(a, b));
    if (a.width == b.height && a.height == b.width) {
        text += "turn one of them (transpose=clock or cclock)";
        const int turned = inputs.input[VMAFGPU_REFERENCE].is_turned != 0 ? 1 : 0;
        if (inputs.input[turned].is_turned != 0)
            text.option[turned] = "-noautorotate";
        add_example(text, inputs, "transpose=clock", nullptr);
    } else if (suggest_no_crop(text, inputs)) {
        return;
    } else if (is_cut) {
        suggest_crop(text, inputs);
    } else if (is_scaled(a, b)) {
        text += "scale one of them";
        text.is_scaling_enough = can_scale(a.width, a.height, b.width, b.height);
        add_example(text, inputs, bicubic(b.width, b.height).c_str(), nullptr);
    } else if (!suggest_crop_and_scale(text, inputs)) {
        text += "scale one of them if it shows all of the picture, else crop the other one";
    }
}

[[noreturn]] void refuse(const Advice &advice, const Advise &advise)
{
    advise(VMAFGPU_LOG_ERROR, advice);
    throw Error(EINVAL, advice.text);
}

void check_sizes(const VmafGpuInputs &inputs, const Advise &advise)
{
    const VmafGpuInput &a = inputs.compared[VMAFGPU_MAIN];
    const VmafGpuInput &b = inputs.compared[VMAFGPU_REFERENCE];
    for (const int side : {a.width, a.height, b.width, b.height})
        if (side < 1 || side > kMostSide)
            refuse("main is " + size_of(a) + ", reference is " + size_of(b) + ": a side has 1 to " +
                       number(kMostSide) + " pixels",
                   advise);
    if (a.width != b.width || a.height != b.height) {
        if (inputs.is_scaling != 0)
            return; // vmafgpu_open() knows what it can scale
        Advice text = "main is " + size_of(a) + " but reference is " + size_of(b) + "; ";
        suggest_size(text, inputs);
        refuse(text, advise);
    } else if (a.width < VMAFGPU_MIN_SIZE || a.height < VMAFGPU_MIN_SIZE) {
        const std::string least = number(VMAFGPU_MIN_SIZE);
        refuse("picture " + size_of(a) + " is smaller than the minimum " + least + "x" + least +
                   " of the features",
               advise);
    }
}

/// Scaling rounds sizes, which gives ratios such as 1281:1280. They are no difference. Of pictures
/// that are scaled to one size, the shapes count.
void warn_pixel_aspect(const VmafGpuInputs &inputs, const Advise &advise)
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
    Advice text;
    if (a.width == b.width && a.height == b.height)
        text = "main has sample aspect ratio " + ratio_a + ", reference has " + ratio_b +
               ": the pictures have different shapes; if it is only the tag that is wrong";
    else
        text = "main is " + size_of(a) + " with sample aspect ratio " + ratio_a + ", reference " +
               size_of(b) + " with " + ratio_b +
               ": the pictures have different shapes; if only the tag of main is wrong";
    add_example(text, inputs, ("setsar=" + number(same_num) + "/" + number(same_den)).c_str(),
                nullptr);
    advise(VMAFGPU_LOG_WARNING, text);
}

void add_lost_bits(Advice &text, const VmafGpuInputs &inputs, int deeper)
{
    const PixelFormat format = parse_pixel_format(tag_of(inputs.input[deeper].format));
    const std::string filter = "format=" + format.planar();
    text += "FFmpeg converts to " + number(inputs.depth) + " bit, as for libvmaf" +
            as_is_hint(inputs, "no bit is lost");
    if (format.colour != PixelFormat::Colour::kRgb)
        return;
    text += "; to keep all bits";
    add_example(text, inputs, filter.c_str(), filter.c_str());
}

void warn_depth(const VmafGpuInputs &inputs, const Advise &advise)
{
    const auto depth_of = [&inputs](int i) {
        return parse_pixel_format(tag_of(inputs.input[i].format)).depth;
    };
    const int main = depth_of(VMAFGPU_MAIN), reference = depth_of(VMAFGPU_REFERENCE);
    if (main == reference && main <= inputs.depth)
        return;
    Advice text = "main is " + number(main) + " bit, reference is " + number(reference) + " bit: ";
    if (std::max(main, reference) <= inputs.depth)
        text += "comparing at " + number(inputs.depth) + " bit";
    else
        add_lost_bits(text, inputs, main > reference ? VMAFGPU_MAIN : VMAFGPU_REFERENCE);
    advise(VMAFGPU_LOG_WARNING, text);
}

void warn_grain(const VmafGpuInputs &inputs, const Advise &advise)
{
    for (int i = 0; i < 2; ++i) {
        Advice text = std::string(kInputNames[i]) +
                      " has film grain that the decoder adds: VMAF takes it for noise, and the "
                      "score is as a rule lower; to take it off";
        text.option[i] = "-export_side_data film_grain";
        if (inputs.input[i].has_grain != 0)
            advise(VMAFGPU_LOG_WARNING, text);
    }
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
bool warn_model_size(const VmafGpuInputs &inputs, const char *model, const Advise &advise)
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
    Advice text = "the pictures are " + size_of(reference) + ", but model " + model +
                  " was made for " + (is_uhd ? "3840x2160" : "1920x1080");
    if (!is_uhd && !is_large) {
        text += ": scale both to the size at which they are watched";
        add_example(text, inputs, "scale=-2:1080:flags=bicubic", "scale=-2:1080:flags=bicubic");
    } else if (other != nullptr) {
        text += ": take the model for this size";
        text.model = other;
    }
    advise(VMAFGPU_LOG_WARNING, text);
    return true;
}

bool warn_model_depth(const VmafGpuInputs &inputs, const char *model, const Advise &advise)
{
    if (inputs.depth > 8 || std::string_view(model).substr(0, 7) != "vmaf_v1")
        return false;
    const int chroma = parse_pixel_format(tag_of(inputs.compared[0].format)).chroma;
    Advice text = std::string("the pictures are 8 bit, but model ") + model +
                  " was made for 10 bit: convert both";
    const std::string filter = "format=yuv" + number(chroma) + "p10";
    const bool has_filter = chroma == 420 || chroma == 422 || chroma == 444;
    if (has_filter && chroma == parse_pixel_format(tag_of(inputs.compared[1].format)).chroma)
        add_example(text, inputs, filter.c_str(), filter.c_str());
    advise(VMAFGPU_LOG_WARNING, text);
    return true;
}

/// Warns once for all models of a kind, since the remedy is the same.
void warn_models(const VmafGpuInputs &inputs, const Advise &advise)
{
    bool has_warned_size = false, has_warned_depth = false;
    for (int i = 0; i < inputs.model_count; ++i) {
        has_warned_size = has_warned_size || warn_model_size(inputs, inputs.models[i], advise);
        has_warned_depth = has_warned_depth || warn_model_depth(inputs, inputs.models[i], advise);
    }
}

} // namespace

void add_example(Advice &advice, const VmafGpuInputs &inputs, const char *main_filters,
                 const char *reference_filters)
{
    const char *const filters[] = {main_filters, reference_filters};
    for (int i = 0; i < 2; ++i)
        if (filters[i] != nullptr && inputs.input[i].is_hardware != 0)
            return;
    for (int i = 0; i < 2; ++i)
        advice.filter[i] = filters[i] != nullptr ? filters[i] : "";
}

void add_example_for(Advice &advice, const VmafGpuInputs &inputs, int input,
                     const std::string &filters)
{
    add_example(advice, inputs, input == VMAFGPU_MAIN ? filters.c_str() : nullptr,
                input == VMAFGPU_MAIN ? nullptr : filters.c_str());
}

void check_pictures(const VmafGpuInputs &inputs, const Advise &advise)
{
    check_sizes(inputs, advise);
    warn_pixel_aspect(inputs, advise);
    warn_depth(inputs, advise);
    warn_grain(inputs, advise);
    warn_models(inputs, advise);
}

} // namespace vmafgpu
