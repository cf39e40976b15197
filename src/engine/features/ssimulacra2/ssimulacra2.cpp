// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of ssimulacra2: options, colour, which sums have a weight, and the score from Sums.
// Pixel work: ssimulacra2_cpu.cpp, ssimulacra2_record.cpp, ssimulacra2_ref.cpp.
#include "features/ssimulacra2/ssimulacra2.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "features/kit/feature_of.h"
#include "features/kit/groups.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::ssimulacra2 {

namespace {

constexpr const char *kMatrixWords[] = {"auto", "bt709", "bt601", "gbr", nullptr};
constexpr const char *kRangeWords[] = {"auto", "tv", "pc", nullptr};

/// Up to so many lines, a picture without a tag is taken for BT.601.
constexpr int kBt601Lines = 650;
/// A picture with a shorter side has no further scale.
constexpr int kLeastSide = 8;

double weight_of(int number)
{
    for (const Weight &one : kWeights)
        if (one.number == number)
            return one.weight;
    return 0;
}

/// visit(number, scale, plane, sum) for the sums of the scales that there are. Numbers do not
/// leave out those of missing scales.
template <typename Visit> void visit_sums(int scales, const Visit &visit)
{
    int number = 0;
    for (int plane = 0; plane < kPlanes; ++plane)
        for (int scale = 0; scale < scales; ++scale)
            for (int sum = 0; sum < kSums; ++sum)
                visit(number++, scale, plane, sum);
}

Colour colour_of(const Reading &reading, int depth)
{
    const int unit = 1 << (depth - 8);
    const double most = (1 << depth) - 1;
    const bool is_limited = reading.range == Range::kLimited;
    Colour colour = {};
    colour.luma_offset = is_limited ? static_cast<float>(16 * unit) : 0;
    colour.luma_factor = static_cast<float>(1.0 / (is_limited ? 219.0 * unit : most));
    colour.is_rgb = reading.matrix == Matrix::kGbr ? 1 : 0;
    if (colour.is_rgb != 0)
        return colour;
    const double k = 1.0 / (is_limited ? 224.0 * unit : most);
    const bool is_709 = reading.matrix == Matrix::kBt709;
    const double red = is_709 ? 0.2126 : 0.299;
    const double blue = is_709 ? 0.0722 : 0.114;
    const double green = 1 - red - blue;
    colour.red_cr = static_cast<float>(2 * (1 - red) * k);
    colour.blue_cb = static_cast<float>(2 * (1 - blue) * k);
    colour.green_cb = static_cast<float>(-2 * blue * (1 - blue) / green * k);
    colour.green_cr = static_cast<float>(-2 * red * (1 - red) / green * k);
    return colour;
}

/// Resolves kAuto: the matrix follows from the picture's size, and the range is limited.
Reading decided(const Format &format, const Reading &reading)
{
    Reading result = reading;
    const bool is_rgb = reading.matrix == Matrix::kGbr;
    if (is_rgb && (format.chroma != Chroma::k444 || reading.range == Range::kLimited))
        throw Error(EINVAL, "feature ssimulacra2: matrix=gbr takes planes G, B and R of one size "
                            "(4:4:4) and of full range");
    if (reading.matrix == Matrix::kAuto)
        result.matrix = format.height > kBt601Lines ? Matrix::kBt709 : Matrix::kBt601;
    if (reading.range == Range::kAuto)
        result.range = is_rgb ? Range::kFull : Range::kLimited;
    return result;
}

std::string text_of(const Reading &reading)
{
    if (reading.matrix == Matrix::kGbr)
        return "planes G, B, R";
    return std::string(reading.matrix == Matrix::kBt709 ? "BT.709" : "BT.601") +
           (reading.range == Range::kFull ? ", full range" : ", limited range");
}

/// Returns the reading that a picture's tags ask for, if the option leaves it to them.
Reading tagged(const Reading &option, const ColourTags &tags)
{
    Reading result = option;
    if (option.range == Range::kAuto && option.matrix != Matrix::kGbr)
        result.range = tags.range == "pc"   ? Range::kFull
                       : tags.range == "tv" ? Range::kLimited
                                            : Range::kAuto;
    if (option.matrix != Matrix::kAuto || tags.matrix.empty())
        return result;
    if (tags.matrix == "bt709")
        result.matrix = Matrix::kBt709;
    else if (tags.matrix == "smpte170m" || tags.matrix == "bt470bg")
        result.matrix = Matrix::kBt601;
    else
        throw Error(EINVAL, "feature ssimulacra2 knows the matrices bt709, smpte170m and bt470bg, "
                            "not " +
                                tags.matrix + "; its option matrix=bt709 or bt601 overrides a tag");
    return result;
}

/// The weights were made for SDR.
void refuse_hdr(const ColourTags &tags)
{
    const bool is_hdr = tags.transfer == "smpte2084" || tags.transfer == "arib-std-b67";
    const bool is_wide = tags.primaries == "bt2020" || tags.matrix.rfind("bt2020", 0) == 0;
    if (is_hdr || is_wide)
        throw Error(EINVAL, "feature ssimulacra2 was made for SDR pictures, not for " +
                                (is_hdr ? "HDR (" + tags.transfer + ")" : "BT.2020") +
                                "; convert both inputs to BT.709 before");
    if (tags.has_alpha)
        throw Error(EINVAL, "feature ssimulacra2 takes no pictures with alpha, whose score depends "
                            "on the background; format=yuv444p before drops it");
}

/// Pictures of a run are all taken in one way.
void refuse_change(const char *input, const Reading &was, const Reading &is)
{
    const bool is_matrix = was.matrix != is.matrix;
    if (!is_matrix && was.range == is.range)
        return;
    const std::string option = is_matrix ? "matrix" : "range";
    const auto word = [&](const Reading &reading) {
        return is_matrix ? kMatrixWords[static_cast<int>(reading.matrix)]
                         : kRangeWords[static_cast<int>(reading.range)];
    };
    throw Error(EINVAL, "feature ssimulacra2: the " + option + " of " + input + " changes from " +
                            word(was) + " to " + word(is) + " in mid-stream; its option " + option +
                            "=" + word(was) + " or " + word(is) + " takes all frames alike");
}

void set_reading(Config &config, int picture, const Reading &reading)
{
    config.readings[picture] = decided(config.format, reading);
    config.colours[picture] = colour_of(config.readings[picture], config.format.depth);
}

class Ssimulacra2 final : public FeatureOf<Config, Sums, Forms> {
public:
    Ssimulacra2(const Format &format, const Reading &option)
        : FeatureOf(config_of(format, option)), option_(option)
    {
    }

    FeatureTraits traits() const override
    {
        FeatureTraits traits;
        traits.needs_chroma = true;
        return traits;
    }
    /// Kernels count pixels with 31 bits.
    const FeatureDevice *device() const override
    {
        return int64_t{config_.width[0]} * config_.height[0] > 1 << 30 ? nullptr : this;
    }

    std::string set_colours(const ColourTags *tags, bool was_set) override
    {
        std::string text = "ssimulacra2 takes";
        Config config = config_;       // a change is taken as a whole or not at all
        for (int i = 1; i >= 0; --i) { // main is named first
            refuse_hdr(tags[i]);
            set_reading(config, i, tagged(option_, tags[i]));
            if (was_set)
                refuse_change(i == 1 ? "main" : "the reference", config_.readings[i],
                              config.readings[i]);
            text += std::string(i == 1 ? " main for " : "; reference for ") +
                    text_of(config.readings[i]);
        }
        config_ = config;
        return text + "; both with the curve of sRGB";
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        out[0][0] = score(config_, sums_of(window));
    }

private:
    Reading option_;
};

std::vector<OutputInfo> outputs(Compat /*compat*/, const FeatureOptions & /*options*/)
{
    return {Output("ssimulacra2").is_default()};
}

std::vector<FeatureGroup> create(const Format &format, Compat /*compat*/,
                                 const std::vector<FeatureOptions> &variants)
{
    return make_separately<Reading>(variants, [&](const Reading &option) {
        return std::make_unique<Ssimulacra2>(format, option);
    });
}

} // namespace

Config config_of(const Format &format, const Reading &reading)
{
    Config config = {};
    config.format = format;
    for (int picture = 0; picture < 2; ++picture)
        set_reading(config, picture, reading);
    int width = format.width;
    int height = format.height;
    do {
        config.width[config.scales] = width;
        config.height[config.scales] = height;
        ++config.scales;
        const bool is_last = width < kLeastSide || height < kLeastSide;
        width = is_last ? 0 : (width + 1) / 2;
        height = (height + 1) / 2;
    } while (config.scales < kScales && width > 0);
    visit_sums(config.scales, [&](int number, int scale, int plane, int sum) {
        if (weight_of(number) != 0)
            config.needed[scale][plane] |= 1 << sum;
    });
    return config;
}

double score(const Config &config, const Sums &sums)
{
    double total = 0;
    visit_sums(config.scales, [&](int number, int scale, int plane, int sum) {
        const double share = 1.0 / (static_cast<double>(config.width[scale]) *
                                    static_cast<double>(config.height[scale]));
        const double mean = share * sums.of[scale][plane][sum];
        const double norm = sum < kMaps ? mean : std::sqrt(std::sqrt(mean));
        total += weight_of(number) * norm;
    });
    total = total * 0.9562382616834844;
    const double v = (2.326765642916932 * total - (0.020884521182843837 * total) * total) +
                     ((6.248496625763138e-05 * total) * total) * total;
    return v > 0 ? 100 - 10 * libm::pow(v, 0.6276336467831387) : 100;
}

const FeatureInfo kFeature =
    Info("ssimulacra2")
        .options<Reading>({Option("matrix", &Reading::matrix).range(0, 3).words(kMatrixWords),
                           Option("range", &Reading::range).range(0, 2).words(kRangeWords)})
        .outputs(outputs)
        .min_size(kLeastSide)
        .depths({8, 10, 12, 16})
        .refuses_400()
        .create(create);

} // namespace vmafgpu::ssimulacra2
