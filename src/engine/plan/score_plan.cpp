// SPDX-License-Identifier: BSD-2-Clause-Patent
// See score_plan.h.
#include "plan/score_plan.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/numeric.h"
#include "base/text.h"
#include "features/registry.h"

namespace vmafgpu {
namespace {

std::string feature_list()
{
    std::set<std::string> names;
    for (const FeatureInfo *info : feature_registry())
        names.insert(info->name);
    return join(names);
}

/// Equal in every option that names of series show.
bool has_same_names(const FeatureInfo &info, const FeatureOptions &a, const FeatureOptions &b)
{
    return std::all_of(info.options.begin(), info.options.end(), [&](const OptionInfo &option) {
        return option.alias == nullptr || option.get(a) == option.get(b);
    });
}

bool wants_debug(const FeatureInfo &info, const FeatureOptions &options)
{
    return std::any_of(info.options.begin(), info.options.end(), [&](const OptionInfo &option) {
        return std::strcmp(option.name, "debug") == 0 && option.get(options) != 0;
    });
}

/// libvmaf creates a series with its first value: of the first pair, of the second, at the end. A
/// run of one pair has no second, and there libvmaf's order at the end may be another.
int stage_of(const OutputInfo &output)
{
    if (!output.is_delayed)
        return 0;
    return output.precedes_flush ? 1 : 2;
}

constexpr int kStages = 3;

/// The sums of a group.
class GroupWindow final : public SumsWindow {
public:
    GroupWindow(const SumsWindow &all, size_t offset) : all_(all), offset_(offset) {}

    const void *at(int offset) const override
    {
        const auto *sums = static_cast<const char *>(all_.at(offset));
        return sums == nullptr ? nullptr : sums + offset_;
    }
    int64_t position() const override { return all_.position(); }

private:
    const SumsWindow &all_;
    size_t offset_;
};

} // namespace

ScorePlan::ScorePlan(const Format &format, Compat compat,
                     std::vector<std::unique_ptr<Model>> models,
                     const std::vector<FeatureRequest> &requests, bool features_only)
    : format_(format), compat_(compat), models_(std::move(models))
{
    for (const FeatureRequest &request : requests)
        if (request.precedes_models)
            add_request(request);
    for (const auto &model : models_) {
        add_model_inputs(*model);
        warnings_.insert(model->warnings().begin(), model->warnings().end());
    }
    if (features_only) {
        models_.clear();
        model_inputs_.clear();
    }
    for (const FeatureRequest &request : requests)
        if (!request.precedes_models)
            add_request(request);
    if (variants_.empty())
        throw Error(EINVAL, "nothing to compute: no model and no feature was given");
    for (const Variant &variant : variants_)
        check_format(*variant.info, format);
    add_columns();
    for (const Variant &variant : variants_)
        aggregate_names_.insert(aggregate_names_.end(), variant.aggregates.begin(),
                                variant.aggregates.end());
    create_groups();
}

void ScorePlan::add_request(const FeatureRequest &request)
{
    const FeatureInfo *info = find_feature(request.name);
    if (info == nullptr)
        throw Error(EINVAL,
                    "unknown feature '" + request.name + "' (features: " + feature_list() + ")");
    FeatureOptions options = info->defaults;
    set_options(*info, options, request.options);
    const auto variant = static_cast<size_t>(add_variant(*info, options));
    if (info->adapt != nullptr)
        info->adapt(format_, options);
    for (const OptionInfo &option : info->options)
        if (option.get(variants_[variant].options) != option.get(options) && !option.adds_series)
            warn_of_first(*info, option);
}

void ScorePlan::warn_of_first(const FeatureInfo &info, const OptionInfo &option)
{
    warnings_.insert(std::string("feature ") + info.name + " was asked for before with another " +
                     option.name +
                     ", which its names do not show; the first one counts, as in libvmaf");
}

int ScorePlan::add_variant(const FeatureInfo &info, FeatureOptions options)
{
    if (info.adapt != nullptr)
        info.adapt(format_, options);
    for (size_t v = 0; v < variants_.size(); ++v) {
        Variant &variant = variants_[v];
        if (variant.info != &info || !has_same_names(info, variant.options, options))
            continue;
        // The first one decides, as in libvmaf. Unlike libvmaf, later ones may add series.
        for (const OptionInfo &option : info.options) {
            if (!option.adds_series || option.get(options) == 0)
                continue;
            if (option.type == OptionType::kBool)
                option.set(variant.options, 1);
            else if (option.get(variant.options) == 0)
                option.text(variant.options) = option.text(options);
            else if (option.text(variant.options) != option.text(options))
                warn_of_first(info, option);
        }
        variant.outputs = info.outputs(compat_, variant.options);
        return static_cast<int>(v);
    }
    variants_.push_back({&info, options, info.outputs(compat_, options), {}});
    if (info.aggregates != nullptr)
        variants_.back().aggregates = info.aggregates(options);
    return static_cast<int>(variants_.size()) - 1;
}

/// A model file may name options that the feature lacks, for example of a later libvmaf. libvmaf
/// ignores them. So do we, aloud. Short names (aliases) are no names of options in libvmaf.
FeatureOptions ScorePlan::model_options(const Model &model, const ModelFeature &feature,
                                        const FeatureInfo &info)
{
    FeatureOptions options = info.defaults;
    for (const auto &[name, text] : feature.options) {
        if (std::any_of(info.options.begin(), info.options.end(),
                        [&name = name](const OptionInfo &option) { return name == option.name; }))
            set_option(info, options, name, text);
        else
            warnings_.insert("model '" + model.score_names().front() + "': the feature " +
                             info.name + " has no option '" + name +
                             "', so it is ignored, as in libvmaf");
    }
    return options;
}

void ScorePlan::add_model_inputs(const Model &model)
{
    std::vector<Source> sources;
    for (const ModelFeature &feature : model.features()) {
        const FeatureInfo *info = find_feature_of_output(feature.output, compat_);
        if (info == nullptr)
            throw Error(EINVAL, "model '" + model.score_names().front() + "' needs the feature " +
                                    feature.output + ", which this build cannot compute" +
                                    (compat_ == Compat::k3_1 ? " with compat=3.1" : ""));
        const int variant = add_variant(*info, model_options(model, feature, *info));
        const auto &outputs = variants_[static_cast<size_t>(variant)].outputs;
        const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const auto &output) {
            return feature.output == output.name;
        });
        sources.push_back({variant, static_cast<int>(found - outputs.begin())});
    }
    model_inputs_.push_back(std::move(sources));
}

void ScorePlan::add_variant_columns(int stage)
{
    for (size_t v = 0; v < variants_.size(); ++v) {
        const Variant &variant = variants_[v];
        for (size_t o = 0; o < variant.outputs.size(); ++o) {
            const OutputInfo &output = variant.outputs[o];
            if (stage_of(output) != stage ||
                !(output.is_default || wants_debug(*variant.info, variant.options)))
                continue;
            const std::string name = report_name(*variant.info, output, variant.options);
            // Outputs without suffix (OutputInfo::has_suffix) have one name in all variants.
            if (std::find(names_.begin(), names_.end(), name) != names_.end())
                continue;
            names_.push_back(name);
            columns_.push_back({static_cast<int>(v), static_cast<int>(o)});
        }
    }
}

void ScorePlan::add_model_name(const std::string &name)
{
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
        throw Error(EINVAL,
                    "the series name '" + name + "' is used twice; give each model its own name");
    names_.push_back(name);
}

void ScorePlan::add_columns()
{
    for (int stage = 0; stage < kStages; ++stage)
        add_variant_columns(stage);
    // libvmaf's tool predicts by every model first, and by the rest of collections then.
    for (const auto &model : models_) {
        model_columns_.push_back(names_.size());
        add_model_name(model->score_names().front());
    }
    for (const auto &model : models_) {
        const std::vector<std::string> names = model->score_names();
        member_columns_.push_back(names_.size());
        for (size_t i = 1; i < names.size(); ++i)
            add_model_name(names[i]);
    }
}

void ScorePlan::create_groups()
{
    for (const FeatureInfo *info : feature_registry()) {
        std::vector<FeatureOptions> options;
        std::vector<int> indices;
        for (size_t v = 0; v < variants_.size(); ++v) {
            if (variants_[v].info != info)
                continue;
            options.push_back(variants_[v].options);
            indices.push_back(static_cast<int>(v));
        }
        if (options.empty())
            continue;
        for (FeatureGroup &group : info->create(format_, compat_, options)) {
            Group planned{
                std::move(group.feature), {}, {}, {}, sums_bytes_, false, info->name, state_bytes_};
            for (const int variant : group.variants)
                planned.variants.push_back(indices[static_cast<size_t>(variant)]);
            planned.memory = planned.feature->plan();
            planned.traits = planned.feature->traits();
            const FeatureTraits &traits = planned.traits;
            const FeatureAggregates *aggregates = planned.feature->aggregates();
            warnings_.insert(traits.warnings.begin(), traits.warnings.end());
            notes_.insert(traits.notes.begin(), traits.notes.end());
            planned.is_temporal = traits.history > 0 || aggregates != nullptr;
            sums_bytes_ += round_up(planned.memory.sums, size_t{256});
            if (aggregates != nullptr)
                state_bytes_ += round_up(aggregates->state_bytes(), sizeof(uint64_t));
            delay_ = std::max(delay_, traits.delay);
            lookback_ = std::max(lookback_, traits.lookback);
            history_ = std::max(history_, traits.history);
            before_ = std::max(before_, traits.history + traits.lookback);
            needs_chroma_ = needs_chroma_ || traits.needs_chroma;
            groups_.push_back(std::move(planned));
        }
    }
}

void ScorePlan::accumulate(const void *sums, void *state) const
{
    for (const Group &group : groups_)
        if (const auto *aggregates = group.feature->aggregates(); aggregates != nullptr)
            aggregates->accumulate(static_cast<const char *>(sums) + group.sums_offset,
                                   static_cast<char *>(state) + group.state_offset);
}

namespace {

/// copy(offset in the Sums, first word, bytes) for each group whose Sums are kept. Returns the
/// words of all.
template <typename Copy>
size_t for_kept_sums(const std::vector<ScorePlan::Group> &groups, const Copy &copy)
{
    size_t words = 0;
    for (const ScorePlan::Group &group : groups) {
        if (group.feature->aggregates() == nullptr)
            continue;
        const size_t own = divide_up(group.memory.sums, sizeof(uint64_t));
        copy(group.sums_offset, words, own * sizeof(uint64_t));
        words += own;
    }
    return words;
}

} // namespace

size_t ScorePlan::aggregate_words() const
{
    return for_kept_sums(groups_, [](size_t, size_t, size_t) {});
}

void ScorePlan::pack_sums(const void *sums, std::vector<uint64_t> &words) const
{
    const size_t begin = words.size();
    words.resize(begin + aggregate_words());
    for_kept_sums(groups_, [&](size_t offset, size_t at, size_t bytes) {
        std::memcpy(&words[begin + at], static_cast<const char *>(sums) + offset, bytes);
    });
}

void ScorePlan::unpack_sums(const uint64_t *words, void *sums) const
{
    for_kept_sums(groups_, [&](size_t offset, size_t at, size_t bytes) {
        std::memcpy(static_cast<char *>(sums) + offset, words + at, bytes);
    });
}

std::vector<size_t> ScorePlan::spatial_columns() const
{
    std::vector<size_t> spatial;
    for (const Group &group : groups_) {
        const FeatureTraits &traits = group.traits;
        if (traits.history > 0 || traits.lookback > 0 || traits.delay > 0)
            continue;
        for (size_t c = 0; c < columns_.size(); ++c)
            if (std::find(group.variants.begin(), group.variants.end(), columns_[c].variant) !=
                group.variants.end())
                spatial.push_back(c);
    }
    std::sort(spatial.begin(), spatial.end());
    return spatial;
}

ScorePlan::NamedValues ScorePlan::aggregates(const void *state) const
{
    std::vector<double> values(aggregate_names_.size());
    std::vector<double *> of_variant = {values.data()};
    for (const Variant &variant : variants_)
        of_variant.push_back(of_variant.back() + variant.aggregates.size());
    for (const Group &group : groups_) {
        std::vector<double *> out;
        for (const int variant : group.variants)
            out.push_back(of_variant[static_cast<size_t>(variant)]);
        if (const auto *aggregates = group.feature->aggregates(); aggregates != nullptr)
            aggregates->values(static_cast<const char *>(state) + group.state_offset, out.data());
    }
    NamedValues named;
    for (size_t i = 0; i < values.size(); ++i)
        named.emplace_back(aggregate_names_[i], values[i]);
    return named;
}

ScorePlan::Scratch ScorePlan::make_scratch() const
{
    Scratch scratch;
    for (const Variant &variant : variants_)
        scratch.scores.emplace_back(variant.outputs.size());
    for (const Group &planned : groups_) {
        scratch.out.emplace_back();
        for (const int variant : planned.variants)
            scratch.out.back().push_back(scratch.scores[static_cast<size_t>(variant)].data());
    }
    for (const auto &model : models_)
        scratch.predicted.emplace_back(model->score_names().size());
    return scratch;
}

void ScorePlan::scores(const SumsWindow &sums, Scratch &scratch, double *row) const
{
    for (size_t p = 0; p < groups_.size(); ++p)
        groups_[p].feature->scores(GroupWindow(sums, groups_[p].sums_offset),
                                   scratch.out[p].data());
    const auto value = [&](const Source &source) {
        return scratch
            .scores[static_cast<size_t>(source.variant)][static_cast<size_t>(source.output)];
    };
    for (size_t c = 0; c < columns_.size(); ++c)
        row[c] = value(columns_[c]);
    for (size_t m = 0; m < models_.size(); ++m) {
        scratch.inputs.clear();
        for (const Source &source : model_inputs_[m])
            scratch.inputs.push_back(value(source));
        models_[m]->predict(scratch.inputs.data(), scratch.predicted[m].data());
        const std::vector<double> &predicted = scratch.predicted[m];
        row[model_columns_[m]] = predicted.front();
        std::copy(predicted.begin() + 1, predicted.end(), row + member_columns_[m]);
    }
}

} // namespace vmafgpu
