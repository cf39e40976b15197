// SPDX-License-Identifier: BSD-2-Clause-Patent
// What CAMBI computes once, before the first picture: sizes, windows, visibility
// thresholds, sample maps, the table of reciprocals. Called by cambi.cpp at open.
// Floating point here is libvmaf's, operation by operation.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/numeric.h"
#include "cambi.h"
#include "libm/libm.h"

namespace vmafgpu {

namespace {

constexpr int kBlack = 64, kWhite = 940; // limited range, whatever the stream says

std::string size_text(int width, int height)
{
    return std::to_string(width) + "x" + std::to_string(height);
}

/// Luminance in cd/m2 of a 10-bit level, of the display that the option eotf names.
double luminance(int level, bool is_pq)
{
    const double v = static_cast<double>(std::clamp(level, kBlack, kWhite) - kBlack) / 876;
    if (is_pq) {
        const double e = libm::pow(v, 1.0 / 78.84375);
        const double n = std::max(e - 0.8359375, 0.0);
        return 10000 * libm::pow(n / (18.8515625 - 18.6875 * e), 1.0 / 0.1593017578125);
    }
    const double g = 1.0 / 2.4;
    const double p = libm::pow(300, g);
    const double q = libm::pow(0.01, g);
    const double a = libm::pow(p - q, 2.4);
    const double c = q / (p - q);
    return a * libm::pow(std::max(v + c, 0.0), 2.4);
}

class Visibility {
public:
    Visibility(bool is_pq, double threshold, int distance)
        : is_pq_(is_pq), threshold_(threshold), distance_(distance)
    {
    }

    /// The largest level at which a step of `distance` is visible. The order of the
    /// questions matters where visibility does not fall steadily.
    int largest_level() const
    {
        int low = kBlack;
        int high = kWhite - 1 - distance_;
        Kind kind = kind_of(low);
        if (kind != Kind::kBelow)
            return kind == Kind::kAbove ? 0 : low;
        kind = kind_of(high);
        if (kind != Kind::kAbove)
            return kind == Kind::kBelow ? 1023 : high;
        for (;;) {
            const int middle = (low + high) / 2;
            kind = kind_of(middle);
            if (kind == Kind::kHit)
                return middle;
            (kind == Kind::kAbove ? high : low) = middle;
        }
    }

private:
    enum class Kind { kBelow, kHit, kAbove };

    bool is_visible(int level) const
    {
        const double base = luminance(level, is_pq_);
        return luminance(level + distance_, is_pq_) - base > threshold_ * base;
    }
    Kind kind_of(int level) const
    {
        if (!is_visible(level))
            return Kind::kAbove;
        return is_visible(level + 1) ? Kind::kBelow : Kind::kHit;
    }

    bool is_pq_;
    double threshold_;
    int distance_;
};

int luminance_floor(bool is_pq, double threshold)
{
    int level = kBlack;
    while (level < kWhite && luminance(level, is_pq) < threshold)
        ++level;
    return level == kBlack ? 0 : level;
}

bool is_speedup_active(int option, int width, int height)
{
    const int64_t pixels = static_cast<int64_t>(width) * height;
    return (option == 1080 && pixels >= 1920 * 1080) || (option == 1440 && pixels >= 2560 * 1440) ||
           (option == 2160 && pixels >= 3840 * 2160);
}

int window_side(int option, int width, int height, bool is_halved)
{
    const int side = option * (width + height) / 375 / 16;
    return (is_halved ? (side + 1) / 2 : side) | 1;
}

int mask_threshold(int width, int height)
{
    const auto blocks = static_cast<uint32_t>((width / 64) * (height / 64));
    return (15 + 3 * ceil_log2(std::max(blocks, 1u))) / 2;
}

void refuse(const std::string &text)
{
    throw Error(EINVAL, "cambi: " + text);
}

void check_sizes(int enc_width, int enc_height, int src_width, int src_height)
{
    const auto check = [](const char *what, int width, int height) {
        if (width < 216 && height < 216)
            refuse(std::string(what) + size_text(width, height) +
                   " is too small: the width or the height must be 216 or more");
    };
    check("the picture or encode size ", enc_width, enc_height);
    check("the source size ", src_width, src_height);
    if ((src_width > enc_width && src_height < enc_height) ||
        (src_width < enc_width && src_height > enc_height))
        refuse("the source size " + size_text(src_width, src_height) +
               " must not be larger than the encode size " + size_text(enc_width, enc_height) +
               " in one direction and smaller in the other");
}

void check_window(const CambiConfig &config, int picture)
{
    const CambiTarget &target = config.target[picture];
    if (target.window > kCambiMaxWindow)
        refuse("size " + size_text(target.width, target.height) + " needs a window of " +
               std::to_string(target.window) + " pixels, more than " +
               std::to_string(kCambiMaxWindow) +
               "; set cambi_high_res_speedup, a smaller window_size or a smaller "
               "enc_width and enc_height");
    if (picture >= config.pictures)
        return;
    const int last = kCambiScales - 1;
    const int smallest =
        std::min(config.scale_width(picture, last), config.scale_height(picture, last));
    if (target.window / 2 > smallest)
        refuse("size " + size_text(target.width, target.height) + " is too narrow: half of the " +
               std::to_string(target.window) + " pixel window must fit the smallest scale's " +
               std::to_string(smallest) + " pixels");
}

std::array<float, kCambiReciprocals> make_reciprocals()
{
    std::array<float, kCambiReciprocals> table = {};
    for (int n = 1; n < kCambiReciprocals; ++n)
        table[static_cast<size_t>(n)] = 1.0f / static_cast<float>(n);
    for (const int n : kCambiReciprocalUp)
        table[static_cast<size_t>(n)] = std::nextafter(table[static_cast<size_t>(n)], 1.0f);
    for (const int n : kCambiReciprocalDown)
        table[static_cast<size_t>(n)] = std::nextafter(table[static_cast<size_t>(n)], 0.0f);
    return table;
}

int halved(int length, int times)
{
    for (; times > 0; --times)
        length = (length + 1) / 2;
    return length;
}

} // namespace

int CambiConfig::scale_width(int picture, int scale) const
{
    return halved(target[picture].width, scale + (is_halved ? 1 : 0));
}

int CambiConfig::scale_height(int picture, int scale) const
{
    return halved(target[picture].height, scale + (is_halved ? 1 : 0));
}

int64_t CambiConfig::top_count(int picture, int scale) const
{
    const int64_t pixels =
        static_cast<int64_t>(scale_width(picture, scale)) * scale_height(picture, scale);
    const auto count = static_cast<int64_t>(top_share * static_cast<double>(pixels));
    return std::clamp<int64_t>(count, 1, pixels);
}

bool operator==(const CambiConfig &a, const CambiConfig &b)
{
    for (int i = 0; i < 2; ++i)
        if (a.target[i].width != b.target[i].width || a.target[i].height != b.target[i].height ||
            a.target[i].window != b.target[i].window)
            return false;
    return a.pictures == b.pictures && a.is_filtered == b.is_filtered &&
           a.is_halved == b.is_halved && a.top_share == b.top_share && a.steps == b.steps &&
           a.floor == b.floor &&
           std::equal(a.thresholds, a.thresholds + kCambiMaxSteps, b.thresholds);
}

CambiConfig cambi_configure(const Format &format, const CambiOptions &options)
{
    const auto either = [](int width, int height, const Format &picture, bool is_limited) {
        const bool is_unset = width == 0 || height == 0;
        if (is_unset || (is_limited && (width > picture.width || height > picture.height)))
            return std::array<int, 2>{picture.width, picture.height};
        return std::array<int, 2>{width, height};
    };
    const auto enc = either(options.enc_width, options.enc_height, format, true);
    const auto src = either(options.src_width, options.src_height, format, false);
    check_sizes(enc[0], enc[1], src[0], src[1]);

    const bool is_pq = options.eotf == CambiEotf::kPq || options.cambi_eotf == CambiEotf::kPq;
    CambiConfig config;
    config.pictures = options.has_full_ref ? 2 : 1;
    config.is_filtered = (options.enc_bitdepth == 0 ? format.depth : options.enc_bitdepth) < 10;
    config.is_halved = is_speedup_active(options.high_res_speedup, enc[0], enc[1]);
    config.top_share =
        options.top_share != kCambiTopShare ? options.top_share : options.cambi_top_share;
    config.steps = 1 << options.max_log_contrast;
    config.floor = luminance_floor(is_pq, options.luminance_threshold);
    for (int d = 1; d <= config.steps; ++d)
        config.thresholds[d - 1] = Visibility(is_pq, options.visibility, d).largest_level();
    if (config.floor - 3 * config.steps > config.highest_counted())
        refuse("cambi_vis_lum_threshold is above every level at which banding is visible");
    const std::array<int, 2> sizes[2] = {enc, src};
    for (int i = 0; i < 2; ++i) {
        const int width = sizes[i][0];
        const int height = sizes[i][1];
        config.target[i] = {width, height,
                            window_side(options.window_size, width, height, config.is_halved),
                            mask_threshold(width, height)};
    }
    for (int i = 0; i < 2; ++i)
        check_window(config, i);
    return config;
}

std::vector<int32_t> cambi_sample_map(int in, int out)
{
    std::vector<int32_t> map;
    // Adding up in float is what decides; in * k / out gives other samples.
    const float ratio = static_cast<float>(in) / static_cast<float>(out);
    auto at = static_cast<float>(static_cast<double>(ratio / 2) - 0.5);
    for (int k = 0; k < out; ++k) {
        // NOLINTNEXTLINE(bugprone-incorrect-roundings): as libvmaf rounds
        map.push_back(std::min(static_cast<int>(static_cast<double>(at) + 0.5), in - 1));
        at = at + ratio;
    }
    return map;
}

const float *cambi_reciprocals()
{
    static const std::array<float, kCambiReciprocals> table = make_reciprocals();
    return table.data();
}

} // namespace vmafgpu
