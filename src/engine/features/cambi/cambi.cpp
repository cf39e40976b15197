// SPDX-License-Identifier: BSD-2-Clause-Patent
// Host side of cambi: options, outputs, set-up, which variants share a Feature object, and scores
// from Sums. Pixel work: cambi_cpu.cpp, cambi_record.cpp, cambi_ref.cpp.
#include "features/cambi/cambi.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/numeric.h"
#include "features/kit/feature_of.h"
#include "features/kit/info.h"
#include "libm/libm.h"

namespace vmafgpu::cambi {

namespace {

// What is computed once, before the first picture: sizes, windows, visibility thresholds, sample
// maps, the table of reciprocals. Floating point here is libvmaf's, operation by operation.

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

void check_window(const Config &config, int picture)
{
    const Target &target = config.target[picture];
    if (target.window > kMaxWindow)
        refuse("size " + size_text(target.width, target.height) + " needs a window of " +
               std::to_string(target.window) + " pixels, more than " + std::to_string(kMaxWindow) +
               "; set cambi_high_res_speedup, a smaller window_size or a smaller "
               "enc_width and enc_height");
    if (picture >= config.pictures)
        return;
    const int last = kScales - 1;
    const int smallest =
        std::min(config.scale_width(picture, last), config.scale_height(picture, last));
    if (target.window / 2 > smallest)
        refuse("size " + size_text(target.width, target.height) + " is too narrow: half of the " +
               std::to_string(target.window) + " pixel window must fit the smallest scale's " +
               std::to_string(smallest) + " pixels");
}

std::array<float, kReciprocals> make_reciprocals()
{
    std::array<float, kReciprocals> table = {};
    for (int n = 1; n < kReciprocals; ++n)
        table[static_cast<size_t>(n)] = 1.0f / static_cast<float>(n);
    for (const int n : kReciprocalUp)
        table[static_cast<size_t>(n)] = std::nextafter(table[static_cast<size_t>(n)], 1.0f);
    for (const int n : kReciprocalDown)
        table[static_cast<size_t>(n)] = std::nextafter(table[static_cast<size_t>(n)], 0.0f);
    return table;
}

int halved(int length, int times)
{
    for (; times > 0; --times)
        length = (length + 1) / 2;
    return length;
}

// Options and scores.

constexpr const char *kEotfs[] = {"bt1886", "pq", nullptr};

std::vector<OutputInfo> outputs(Compat compat, const FeatureOptions &options)
{
    if (compat == Compat::k3_1)
        return {};
    std::vector<OutputInfo> outputs = {
        Output("Cambi_feature_cambi_score").report("cambi").is_default()};
    if (options.as<Options>().has_full_ref) {
        for (const char *name : {"cambi_source", "cambi_full_reference"})
            outputs.push_back(Output(name).is_default().has_no_suffix());
    }
    return outputs;
}

double limited(double score, double limit)
{
    return score < limit ? score : limit;
}

class Cambi final : public FeatureOf<Config, Sums, Forms>, public FeaturePictures {
public:
    using FeatureOf::FeatureOf;

    void add_variant(const Options &options)
    {
        limits_.push_back(options.max_val);
        const std::string &folder = options.heatmaps_path;
        const auto is_same = [&](const Heatmaps &other) {
            return other.folder() == folder;
        };
        if (!folder.empty() && std::none_of(heatmaps_.begin(), heatmaps_.end(), is_same))
            heatmaps_.emplace_back(config_, folder);
    }

    /// The devices' code has no heatmaps: the option is for looking at a few pictures.
    const FeatureDevice *device() const override { return heatmaps_.empty() ? this : nullptr; }

    FeaturePictures *pictures() override { return heatmaps_.empty() ? nullptr : this; }
    void open(const OpenPictureFiles &open) override
    {
        for (Heatmaps &target : heatmaps_)
            target.open(open);
    }
    void cut(int64_t pairs) override
    {
        for (Heatmaps &target : heatmaps_)
            target.cut(pairs);
    }
    void close() override
    {
        for (Heatmaps &target : heatmaps_)
            target.close();
    }

    void compute(const PairView &pair, void *sums, void *scratch, ThreadPool &pool) const override
    {
        compute_with(config_, pair, *static_cast<Sums *>(sums), scratch, pool, heatmaps_);
    }

    void scores(const SumsWindow &window, double *const *out) const override
    {
        const Sums &sums = sums_of(window);
        const double distorted = picture_score(sums, 0);
        const double reference = config_.pictures > 1 ? picture_score(sums, 1) : 0;
        for (size_t v = 0; v < limits_.size(); ++v) {
            out[v][0] = limited(distorted, limits_[v]);
            if (config_.pictures == 1)
                continue;
            out[v][1] = limited(reference, limits_[v]);
            const double added = distorted - reference;
            out[v][2] = limited(added > 0 ? added : 0, limits_[v]);
        }
    }

private:
    double picture_score(const Sums &sums, int picture) const
    {
        double score = 0;
        for (int scale = 0; scale < kScales; ++scale)
            score += kScaleWeights[scale] *
                     scale_score(sums.scale[picture][scale], config_.top_count(picture, scale));
        const int window = config_.target[picture].window;
        return score / static_cast<double>(window * window);
    }

    std::vector<double> limits_;
    std::vector<Heatmaps> heatmaps_;
};

std::vector<FeatureGroup> create(const Format &format, Compat compat,
                                 const std::vector<FeatureOptions> &variants)
{
    if (compat == Compat::k3_1)
        throw Error(EINVAL, "cambi: libvmaf 3.1 computed other values; ask for compatibility with "
                            "3.2 to use it");
    std::vector<FeatureGroup> groups;
    for (size_t v = 0; v < variants.size(); ++v) {
        const auto &options = variants[v].as<Options>();
        const Config config = config_of(format, options);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto &other) {
            return static_cast<const Cambi &>(*other.feature).config() == config;
        });
        if (group == groups.end())
            group = groups.insert(group, {std::make_unique<Cambi>(config), {}});
        static_cast<Cambi &>(*group->feature).add_variant(options);
        group->variants.push_back(static_cast<int>(v));
    }
    return groups;
}

} // namespace

int Config::scale_width(int picture, int scale) const
{
    return halved(target[picture].width, scale + (is_halved ? 1 : 0));
}

int Config::scale_height(int picture, int scale) const
{
    return halved(target[picture].height, scale + (is_halved ? 1 : 0));
}

int64_t Config::top_count(int picture, int scale) const
{
    const int64_t pixels =
        static_cast<int64_t>(scale_width(picture, scale)) * scale_height(picture, scale);
    const auto count = static_cast<int64_t>(top_share * static_cast<double>(pixels));
    return std::clamp<int64_t>(count, 1, pixels);
}

bool operator==(const Config &a, const Config &b)
{
    for (int i = 0; i < 2; ++i)
        if (a.target[i].width != b.target[i].width || a.target[i].height != b.target[i].height ||
            a.target[i].window != b.target[i].window)
            return false;
    return a.pictures == b.pictures && a.is_filtered == b.is_filtered &&
           a.is_halved == b.is_halved && a.top_share == b.top_share && a.steps == b.steps &&
           a.floor == b.floor && std::equal(a.thresholds, a.thresholds + kMaxSteps, b.thresholds);
}

Config config_of(const Format &format, const Options &options)
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

    const bool is_pq = options.eotf == Eotf::kPq || options.cambi_eotf == Eotf::kPq;
    Config config;
    config.format = format;
    config.pictures = options.has_full_ref ? 2 : 1;
    config.is_filtered = (options.enc_bitdepth == 0 ? format.depth : options.enc_bitdepth) < 10;
    config.is_halved = is_speedup_active(options.high_res_speedup, enc[0], enc[1]);
    config.top_share = options.top_share != kTopShare ? options.top_share : options.cambi_top_share;
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

std::vector<int32_t> sample_map_of(int in, int out)
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

const float *reciprocals_table()
{
    static const std::array<float, kReciprocals> table = make_reciprocals();
    return table.data();
}

bool is_exact_sum(const ScaleSums &sums)
{
    // Every summand is a multiple of the last bit of the smallest one; so is every
    // partial sum, which fits a double as long as the total has 53 bits above it.
    return sums.units >> (sums.exponent + 1) <= UINT64_C(1) << 53;
}

double scale_score(const ScaleSums &sums, int64_t k)
{
    const double sum =
        sums.is_ordered != 0 ? sums.ordered : static_cast<double>(sums.units) * 0x1p-24;
    return sum / static_cast<double>(k);
}

double ordered_sum(float *c, int64_t n, int64_t k)
{
    if (n != k) {
        int64_t left = 0;
        int64_t right = n - 1;
        while (left < right) {
            const float pivot = c[k];
            int64_t i = left;
            int64_t j = right;
            do {
                while (c[i] > pivot)
                    ++i;
                while (c[j] < pivot)
                    --j;
                if (i <= j)
                    std::swap(c[i++], c[j--]);
            } while (i <= j);
            if (j < k)
                left = i;
            if (k < i)
                right = j;
        }
    }
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
        sum += static_cast<double>(c[i]);
    return sum;
}

bool Forms::is_complete(const Config &config, const Sums &sums)
{
    for (int picture = 0; picture < config.pictures; ++picture)
        for (const ScaleSums &scale : sums.scale[picture])
            if (scale.is_ordered == 0 && !is_exact_sum(scale))
                return false;
    return true;
}

const FeatureInfo kFeature =
    Info("cambi")
        .options<Options>({
            Option("cambi_max_val", &Options::max_val).alias("cmxv").range(0, 1000),
            Option("enc_width", &Options::enc_width).alias("encw").range(180, 7680),
            Option("enc_height", &Options::enc_height).alias("ench").range(150, 7680),
            Option("enc_bitdepth", &Options::enc_bitdepth).alias("encbd").range(6, 16),
            Option("src_width", &Options::src_width).alias("srcw").range(320, 7680),
            Option("src_height", &Options::src_height).alias("srch").range(200, 4320),
            Option("window_size", &Options::window_size).alias("ws").range(15, 127),
            Option("topk", &Options::top_share).alias("topk").range(1e-4, 1),
            Option("cambi_topk", &Options::cambi_top_share).alias("ctpk").range(1e-4, 1),
            Option("tvi_threshold", &Options::visibility).alias("tvit").range(1e-4, 1),
            Option("cambi_vis_lum_threshold", &Options::luminance_threshold)
                .alias("vlt")
                .range(0, 300),
            Option("max_log_contrast", &Options::max_log_contrast).alias("mlc").range(0, 5),
            Option("full_ref", &Options::has_full_ref).adds_series(),
            Option("eotf", &Options::eotf).alias("eotf").words(kEotfs),
            Option("cambi_eotf", &Options::cambi_eotf).alias("ceot").words(kEotfs),
            Option("cambi_high_res_speedup", &Options::high_res_speedup)
                .alias("hrs")
                .range(0, 2160),
            Option("heatmaps_path", &Options::heatmaps_path).adds_series(),
        })
        .outputs(outputs)
        .create(create);

} // namespace vmafgpu::cambi
