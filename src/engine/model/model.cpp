// SPDX-License-Identifier: BSD-2-Clause-Patent
// Model of model.h: where its text comes from, its options, and prediction. Every operation of the
// prediction is rounded once, in libvmaf's order (docs/user/models.md). svm.cpp has the SVM,
// model_json.cpp the file format.
#include "model/model.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "features/registry.h"
#include "model/model_digest.h"
#include "model/model_json.h"
#include "system/system.h"

namespace vmafgpu {

struct Model::Impl {
    ModelFile file;
    std::vector<ModelFeature> features; ///< the features of every entry, with the options set later
    std::string source;
    std::vector<std::pair<std::string, std::string>> options_set;
    std::vector<std::string> warnings;
    std::string name = "vmaf";
    bool disable_clip = false;
    bool enable_transform = false;

    double raw(const ModelEntry &entry, const double *features_in) const;
    double finish(const ModelEntry &entry, double score) const;
    void predict_members(const double *features_in, double *out) const;
    void remember_option(const std::string &key, const std::string &value);
    std::vector<ModelFeature *> inputs_of(const std::string &feature, const std::string &key);
    void set_feature_option(const std::string &key, const std::string &value);
};

namespace {

/// Whether an option is a text: it names files to write, and changes no score.
bool is_text(const FeatureInfo &info, const std::string &option)
{
    return std::any_of(info.options.begin(), info.options.end(), [&](const OptionInfo &known) {
        return known.type == OptionType::kText && option == known.name;
    });
}

void remove_texts(ModelFeature &feature)
{
    const FeatureInfo *info = find_feature_of_output(feature.output, Compat::k3_2);
    if (info == nullptr)
        return;
    auto &options = feature.options;
    options.erase(std::remove_if(options.begin(), options.end(),
                                 [&](const auto &option) { return is_text(*info, option.first); }),
                  options.end());
}

constexpr size_t kMaxFileSize = size_t{64} << 20;
constexpr int kPipeMilliseconds = 5000;
constexpr double kDelta = 0.01; // half the interval over which a transform's slope is taken

struct FileCloser {
    void operator()(std::FILE *file) const { std::fclose(file); }
};

[[noreturn]] void fail_reading(const std::string &path, int code)
{
    throw Error(code, "cannot read model file " + quote(path) + ": " +
                          std::generic_category().message(code));
}

std::string read_file(const std::string &path)
{
    const int descriptor = open_input(path);
    const std::unique_ptr<std::FILE, FileCloser> file(descriptor < 0 ? nullptr
                                                                     : fdopen(descriptor, "rb"));
    if (!file)
        fail_reading(path, errno);
    std::string text;
    std::array<char, 65536> chunk;
    for (;;) {
        const bool is_silent = !wait_for_input(descriptor, kPipeMilliseconds);
        const ssize_t size = read(descriptor, chunk.data(), chunk.size());
        // Nothing to read in a pipe: EAGAIN while there is a writer, which may be slow, and 0 if
        // there is none. A pipe that nobody writes to must not hang the program.
        if (size == 0 && is_silent)
            throw Error(ETIMEDOUT, "cannot read model file " + quote(path) +
                                       ": it is a pipe that nobody writes to");
        if (size == 0)
            return text;
        if (size < 0 && errno != EAGAIN && errno != EINTR)
            fail_reading(path, errno);
        text.append(chunk.data(), size < 0 ? 0 : static_cast<size_t>(size));
        if (text.size() > kMaxFileSize)
            throw Error(EFBIG, "model file " + quote(path) + " is larger than " +
                                   std::to_string(kMaxFileSize >> 20) + " MiB");
    }
}

bool ends_with(const std::string &text, const char *end)
{
    const size_t length = std::strlen(end);
    return text.size() >= length && text.compare(text.size() - length, length, end) == 0;
}

bool parse_flag(const std::string &key, const std::string &value)
{
    if (value != "true" && value != "false")
        throw Error(EINVAL, "model option " + key + " must be true or false, not " + quote(value));
    return value == "true";
}

/// Names end up in logs, so they must be text: UTF-8 without control characters.
void check_name(const std::string &name)
{
    if (name.empty() || has_control(name) || !is_utf8(name))
        throw Error(EINVAL,
                    "model option name must be printable UTF-8 and not empty, not " + quote(name));
}

/// Segments between the knots; stops at the first that does not ascend.
double piecewise_linear(const std::vector<Knot> &knots, double x)
{
    if (knots.size() < 2)
        return x;
    const size_t last = knots.size() - 2;
    double y = 0;
    for (size_t i = 0; i <= last; ++i) {
        const Knot &a = knots[i];
        const Knot &b = knots[i + 1];
        if (!(a.x < b.x && a.y <= b.y))
            break;
        const bool applies =
            (a.x <= x && x <= b.x) || (i == 0 && x < a.x) || (i == last && x > b.x);
        if (!applies)
            continue;
        if (a.y == b.y) {
            y = a.y;
        } else if (a.x == 0) {
            const double alpha = (b.y - a.y) / b.x;
            y = alpha * x + a.y;
        } else {
            const double alpha = (b.y - a.y) / (b.x - a.x);
            const double beta = a.y - a.x * alpha;
            y = alpha * x + beta;
        }
    }
    return y;
}

double apply_transform(const ScoreTransform &transform, double in)
{
    double out = in;
    if (transform.p0 || transform.p1 || transform.p2) {
        out = 0;
        if (transform.p0)
            out = out + *transform.p0;
        if (transform.p1)
            out = out + *transform.p1 * in;
        if (transform.p2)
            out = out + *transform.p2 * in * in;
    }
    out = piecewise_linear(transform.knots, out);
    if (transform.out_lte_in && out > in)
        out = in;
    if (transform.out_gte_in && out < in)
        out = in;
    return out;
}

/// A percentile of ascending values, as libvmaf's bootstrap interpolates.
double percentile(const std::vector<double> &sorted, double percent)
{
    const double t = percent * static_cast<double>(sorted.size() - 1) / 100.0;
    const double below = std::floor(t);
    const double above = std::ceil(t);
    const double low = sorted[static_cast<size_t>(below)];
    const double high = sorted[static_cast<size_t>(above)];
    return below == above ? low : low * (above - t) + high * (t - below);
}

void correct_chroma(const ModelEntry &entry, double *x)
{
    const ChromaCorrection &correction = *entry.chroma_correction;
    if (!correction.guide || !correction.target)
        return;
    const auto original = [&](size_t i) {
        return entry.is_rescaled ? (x[i] - entry.intercepts[i + 1]) / entry.slopes[i + 1] : x[i];
    };
    const size_t target = *correction.target;
    if (original(target) != 0.0)
        return;
    const double c = correction.parameter;
    const double value = -c * original(*correction.guide) + c;
    x[target] =
        entry.is_rescaled ? entry.slopes[target + 1] * value + entry.intercepts[target + 1] : value;
}

} // namespace

/// The score before transform and clip.
double Model::Impl::raw(const ModelEntry &entry, const double *features_in) const
{
    std::array<double, kMaxModelFeatures> x;
    for (size_t i = 0; i < entry.features.size(); ++i)
        x[i] = entry.is_rescaled ? entry.slopes[i + 1] * features_in[i] + entry.intercepts[i + 1]
                                 : features_in[i];
    if (entry.chroma_correction)
        correct_chroma(entry, x.data());
    const double score = entry.svm.predict(x.data());
    return entry.is_rescaled ? (score - entry.intercepts[0]) / entry.slopes[0] : score;
}

double Model::Impl::finish(const ModelEntry &entry, double score) const
{
    if (entry.transform && (entry.transform->enabled || enable_transform))
        score = apply_transform(*entry.transform, score);
    if (entry.clip && !disable_clip) {
        if (score < entry.clip->min)
            score = entry.clip->min;
        if (score > entry.clip->max)
            score = entry.clip->max;
    }
    return score;
}

/// The members' scores, then bagging, stddev and the confidence interval.
void Model::Impl::predict_members(const double *features_in, double *out) const
{
    std::vector<double> scores;
    double sum = 0;
    double nan = 0; // NaN with its sign, which texts show
    for (const ModelEntry &member : file.members) {
        const double score = raw(member, features_in);
        *out++ = finish(member, score);
        scores.push_back(score);
        sum = sum + score;
        nan = std::isnan(score) && nan == 0 ? score : nan;
    }
    if (std::isnan(nan)) { // a NaN cannot be sorted
        std::fill_n(out, 4, nan);
        return;
    }
    const double count = static_cast<double>(scores.size());
    const double mean = sum / count;
    double squares = 0;
    for (const double score : scores) // compilers make a product of libvmaf's pow(d, 2)
        squares = squares + (score - mean) * (score - mean);
    const double deviation = std::sqrt(squares / count);
    std::sort(scores.begin(), scores.end());

    // The spread is measured before the transform: scale it by its slope.
    const ModelEntry &member = file.members.front();
    const double slope =
        (finish(member, mean + kDelta) - finish(member, mean - kDelta)) / (2.0 * kDelta);
    out[0] = finish(member, mean);
    out[1] = deviation * slope;
    out[2] = finish(member, percentile(scores, 2.5));
    out[3] = finish(member, percentile(scores, 97.5));
}

/// The model's inputs that `feature` produces. None: a warning, as libvmaf ignores such options.
/// Throws if there is no such feature.
std::vector<ModelFeature *> Model::Impl::inputs_of(const std::string &feature,
                                                   const std::string &key)
{
    std::vector<ModelFeature *> inputs;
    std::vector<std::string> others;
    for (ModelFeature &candidate : features) {
        const FeatureInfo *info = find_feature_of_output(candidate.output, Compat::k3_2);
        if (info == nullptr)
            continue;
        if (info->name == feature)
            inputs.push_back(&candidate);
        else if (std::find(others.begin(), others.end(), info->name) == others.end())
            others.emplace_back(info->name);
    }
    if (!inputs.empty())
        return inputs;
    const std::string have = join(others);
    const std::string text = "model option " + quote(key) +
                             ": the model does not use the feature " + quote(feature) +
                             " (it uses: " + (have.empty() ? "none known here" : have) + ")";
    if (find_feature(feature) == nullptr)
        throw Error(EINVAL, text);
    warnings.push_back(text + "; the option is ignored");
    return inputs;
}

void Model::Impl::remember_option(const std::string &key, const std::string &value)
{
    const auto found = std::find_if(options_set.begin(), options_set.end(),
                                    [&](const auto &option) { return option.first == key; });
    if (found != options_set.end())
        found->second = value;
    else
        options_set.emplace_back(key, value);
}

/// key is "FEATURE.OPTION".
void Model::Impl::set_feature_option(const std::string &key, const std::string &value)
{
    const size_t dot = key.find('.');
    const std::vector<ModelFeature *> inputs = inputs_of(key.substr(0, dot), key);
    const FeatureInfo &info = *find_feature(key.substr(0, dot));
    std::string option = key.substr(dot + 1);
    FeatureOptions options = info.defaults;
    vmafgpu::set_option(info, options, option, value); // checks name and value
    for (const OptionInfo &known : info.options)
        if (known.alias != nullptr && option == known.alias)
            option = known.name;
    double number = 0;
    const bool is_number = !is_text(info, option) && parse_double(value, &number);
    const std::string text = is_number ? normalise_number(number) : value;
    for (ModelFeature *input : inputs) {
        const auto same = [&](const auto &entry) {
            return entry.first == option;
        };
        const auto found = std::find_if(input->options.begin(), input->options.end(), same);
        if (found != input->options.end())
            found->second = text;
        else
            input->options.emplace_back(option, text);
    }
}

std::unique_ptr<Model> Model::load(const std::string &name_or_path)
{
    if (ends_with(name_or_path, ".pkl"))
        throw Error(EINVAL, "model " + quote(name_or_path) +
                                ": pickle files (.pkl) are not supported; use the model's JSON "
                                "file");
    if (name_or_path.find_first_of(system_word("/", "/\\")) != std::string::npos ||
        ends_with(name_or_path, ".json"))
        return parse(read_file(name_or_path), name_or_path);
    for (const BuiltinModel &model : builtin_models())
        if (name_or_path == model.name)
            return parse(std::string(model.json, model.size), name_or_path);
    const std::string names =
        join(builtin_models(), [](const BuiltinModel &model) { return model.name; });
    throw Error(ENOENT, "no built-in model " + quote(name_or_path) + " (there are: " + names +
                            "; a path has a '/' or ends in .json)");
}

std::unique_ptr<Model> Model::parse(const std::string &json, const std::string &origin)
{
    auto impl = std::make_unique<Impl>();
    impl->file = parse_model_file(json, origin);
    impl->features = impl->file.first.features;
    for (ModelFeature &feature : impl->features) {
        const size_t before = feature.options.size();
        remove_texts(feature);
        if (feature.options.size() < before)
            impl->warnings.push_back("model " + quote(origin) +
                                     ": a model file may not name files "
                                     "to write; the option is ignored");
    }
    impl->source = origin;
    return std::unique_ptr<Model>(new Model(std::move(impl)));
}

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{
}
Model::Model(const Model &other) : impl_(std::make_unique<Impl>(*other.impl_))
{
}
Model::~Model() = default;

void Model::set_option(const std::string &key, const std::string &value)
{
    if (key == "name") {
        check_name(value);
        impl_->name = value;
        return;
    }
    const size_t warnings_before = impl_->warnings.size();
    if (key == "disable_clip") {
        impl_->disable_clip = parse_flag(key, value);
    } else if (key == "enable_transform") {
        impl_->enable_transform = parse_flag(key, value);
    } else if (key.find('.') != std::string::npos) {
        impl_->set_feature_option(key, value);
    } else if (key == "pool") { // published commands have it; libvmaf's tool ignores it
        throw Error(EINVAL, "pool is no option of a model: the tool takes --pool " + value +
                                ", the filter pool=" + value + ", and vmafgpu_pooled() a method");
    } else {
        throw Error(EINVAL, "unknown model option " + quote(key) +
                                " (there are: name, disable_clip, enable_transform, "
                                "FEATURE.OPTION)");
    }
    if (impl_->warnings.size() == warnings_before)
        impl_->remember_option(key, value);
}

const std::vector<std::string> &Model::warnings() const
{
    return impl_->warnings;
}

const std::string &Model::source() const
{
    return impl_->source;
}

const std::vector<std::pair<std::string, std::string>> &Model::options_set() const
{
    return impl_->options_set;
}

std::string Model::digest() const
{
    std::vector<ModelFeature> features = impl_->features;
    std::for_each(features.begin(), features.end(), remove_texts);
    return digest_of({impl_->file, features, impl_->disable_clip, impl_->enable_transform});
}

const std::vector<ModelFeature> &Model::features() const
{
    return impl_->features;
}

std::vector<std::string> Model::score_names() const
{
    std::vector<std::string> names = {impl_->name};
    if (impl_->file.members.empty())
        return names;
    for (size_t i = 1; i <= impl_->file.members.size(); ++i) {
        const std::string digits = std::to_string(i);
        const size_t zeros = digits.size() < 4 ? 4 - digits.size() : 0;
        names.push_back(impl_->name + "_" + std::string(zeros, '0') + digits);
    }
    for (const char *suffix : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"})
        names.push_back(impl_->name + suffix);
    return names;
}

ScoreRange Model::range() const
{
    return impl_->disable_clip ? ScoreRange() : impl_->file.first.clip.value_or(ScoreRange());
}

void Model::predict(const double *features, double *out) const
{
    const ModelEntry &first = impl_->file.first;
    out[0] = impl_->finish(first, impl_->raw(first, features));
    if (!impl_->file.members.empty())
        impl_->predict_members(features, out + 1);
}

} // namespace vmafgpu
